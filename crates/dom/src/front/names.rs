//! Classes of bytes inside a tag, and interned names of tags and attributes.

use html5ever::LocalName;

pub(super) const SPACE: u8 = 1;
pub(super) const ENDS_TAG: u8 = 2;
pub(super) const ENDS_ATTRIBUTE: u8 = 4;
pub(super) const ENDS_VALUE: u8 = 8;

pub(super) static CLASSES: [u8; 256] = {
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
    CLASSES[usize::from(byte)] & SPACE != 0
}

/// Slots for names. A page has a few dozen; two names in the same slot only evict each other.
const PLACES: usize = 256;
/// Names up to this many bytes are compared as one number.
const SHORT: usize = 8;
/// Longest name that is remembered; longer ones are rare.
const LONGEST: usize = 24;

/// A cache of names. Interning a name needs a collision-resistant hash of its bytes, and pages
/// repeat the same few names.
pub(super) struct NameCache {
    /// Each name with its bytes as a number, which is 0 if the slot is empty.
    short: Vec<(u64, LocalName)>,
    long: Vec<Option<LocalName>>,
    lower: String,
}

impl Default for NameCache {
    fn default() -> Self {
        Self {
            short: vec![(0, LocalName::default()); PLACES],
            long: vec![None; PLACES],
            lower: String::new(),
        }
    }
}

impl NameCache {
    /// Returns the name that begins at `from`, in ASCII lower case, and its end: the first byte of the
    /// class `ends` after its first byte. `None` if the page ends inside the name.
    #[inline]
    pub(super) fn read(&mut self, html: &str, from: usize, ends: u8) -> Option<(LocalName, usize)> {
        let (first, rest) = html.as_bytes().get(from..)?.split_first()?;
        let mut number = u64::from(*first);
        let mut length = 1;
        let mut rest = rest.iter();
        loop {
            let byte = *rest.next()?;
            if CLASSES[usize::from(byte)] & ends != 0 {
                break;
            }
            number = number << 8 | u64::from(byte);
            length += 1;
        }
        let at = from + length;
        if length > SHORT {
            return Some((self.long(&html[from..at]), at));
        }
        let place = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
        let known = &mut self.short[place as usize];
        // No name contains NUL, so names of different lengths are different numbers.
        if known.0 != number {
            *known = (number, LocalName::from(html[from..at].to_ascii_lowercase()));
        }
        Some((known.1.clone(), at))
    }

    fn long(&mut self, name: &str) -> LocalName {
        if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            let mut lower = std::mem::take(&mut self.lower);
            lower.clear();
            lower.push_str(name);
            lower.make_ascii_lowercase();
            let found = self.of_lower(&lower);
            self.lower = lower;
            return found;
        }
        self.of_lower(name)
    }

    fn of_lower(&mut self, name: &str) -> LocalName {
        let bytes = name.as_bytes();
        if bytes.len() > LONGEST {
            return LocalName::from(name);
        }
        let (first, last) = (bytes[0], bytes[bytes.len() - 1]);
        let middle = bytes[bytes.len() / 2];
        let place = (usize::from(first) * 31 + usize::from(middle) * 17 + usize::from(last) * 7)
            .wrapping_add(bytes.len() * 59)
            % PLACES;
        match &self.long[place] {
            Some(known) if **known == *name => known.clone(),
            _ => {
                let atom = LocalName::from(name);
                self.long[place] = Some(atom.clone());
                atom
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_length_come_out_small_and_whole() {
        let mut names = NameCache::default();
        // More names than slots, so that some evict others; each twice, the second time cached.
        for length in 1..40 {
            for start in ('A'..='Z').chain('a'..='z').chain(['=', 'Ä', '日']) {
                let name: String =
                    std::iter::once(start).chain("xY-ö9".chars().cycle()).take(length).collect();
                for _ in 0..2 {
                    let (found, end) = names.read(&format!("<{name}>"), 1, ENDS_TAG).unwrap();
                    assert_eq!((&*found, end), (&*name.to_ascii_lowercase(), name.len() + 1));
                }
            }
        }
        assert_eq!(names.read("<a", 1, ENDS_TAG), None);
        let (found, end) = names.read("a=b>", 0, ENDS_ATTRIBUTE).unwrap();
        assert_eq!((&*found, end), ("a", 1));
    }
}
