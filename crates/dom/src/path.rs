//! Class names of elements.

/// The tokens of a `class` attribute (or any other space-separated one), in order.
pub fn class_tokens(value: &str) -> impl Iterator<Item = &str> {
    value.split_ascii_whitespace()
}
