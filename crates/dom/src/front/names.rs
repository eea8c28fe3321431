//! Names of tags and attributes, looked up once.

use html5ever::LocalName;

/// Places for names. A page has a few dozen; two that share a place only take each other's.
const PLACES: usize = 256;
/// Longer names are rare and not remembered.
const LONGEST: usize = 24;

/// Remembers names: finding the atom of one takes a hash of its bytes that was made to be hard to
/// foresee, and pages have the same ones over and over.
pub(super) struct Names {
    known: Vec<Option<LocalName>>,
    lower: String,
}

impl Default for Names {
    fn default() -> Self {
        Self { known: vec![None; PLACES], lower: String::new() }
    }
}

impl Names {
    /// The name, its ASCII letters made small.
    pub(super) fn get(&mut self, name: &str) -> LocalName {
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
        if bytes.is_empty() || bytes.len() > LONGEST {
            return LocalName::from(name);
        }
        let (first, last) = (bytes[0], bytes[bytes.len() - 1]);
        let middle = bytes[bytes.len() / 2];
        let place = (usize::from(first) * 31 + usize::from(middle) * 17 + usize::from(last) * 7)
            .wrapping_add(bytes.len() * 59)
            % PLACES;
        match &self.known[place] {
            Some(known) if **known == *name => known.clone(),
            _ => {
                let atom = LocalName::from(name);
                self.known[place] = Some(atom.clone());
                atom
            }
        }
    }
}
