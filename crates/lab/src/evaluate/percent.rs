//! Percentages.

/// A share in percent, to four decimals.
pub(super) fn percent(share: f64) -> f64 {
    (share * 1e6).round() / 1e4
}
