//! Classes of bytes inside a tag.

/// White space between attributes.
pub(super) const SPACE: u8 = 1;
/// Ends the name of a tag.
pub(super) const ENDS_TAG: u8 = 2;
/// Ends the name of an attribute.
pub(super) const ENDS_ATTRIBUTE: u8 = 4;
/// Ends a value without quotes.
pub(super) const ENDS_VALUE: u8 = 8;

/// The classes of each byte.
pub(super) static OF: [u8; 256] = {
    let mut of = [0; 256];
    let spaces = b"\t\n\x0C ";
    let mut at = 0;
    while at < spaces.len() {
        of[spaces[at] as usize] = SPACE | ENDS_TAG | ENDS_ATTRIBUTE | ENDS_VALUE;
        at += 1;
    }
    of[b'/' as usize] = ENDS_TAG | ENDS_ATTRIBUTE;
    of[b'>' as usize] = ENDS_TAG | ENDS_ATTRIBUTE | ENDS_VALUE;
    of[b'=' as usize] = ENDS_ATTRIBUTE;
    of
};

/// Whether a byte is white space between attributes.
#[inline]
pub(super) fn is_space(byte: u8) -> bool {
    OF[usize::from(byte)] & SPACE != 0
}
