//! Lines of pages, compared without what differs between the addresses of one wall.

use terms::letters::is_alphanumeric;
use xxhash_rust::xxh3::xxh3_64;

/// Number of digits from which on a number identifies something.
const LONG_NUMBER: usize = 6;
/// Minimum number of bytes of a name that is not compared: shorter ones are parts of many words.
const LEAST_NAME: usize = 5;
/// Number of separators from which on a word with digits is an address in a network, a time or an identifier.
const SEPARATORS: usize = 3;

/// Hashes the lines of a page.
pub(super) struct Lines {
    /// What of the page's address lines may repeat, in lower case, longest first: path and query, path, and the name of
    /// the page as it is and in words.
    names: Vec<String>,
    /// The words of the current line.
    words: String,
}

impl Lines {
    pub(super) fn of(url: &str) -> Self {
        let address = url.split('#').next().unwrap_or_default().to_lowercase();
        let from_path = address.splitn(4, '/').nth(3).unwrap_or_default();
        let path = from_path.split('?').next().unwrap_or_default();
        let name = name_of(&address);
        let in_words = name.replace(['-', '_'], " ");
        let mut names =
            vec![format!("/{from_path}"), format!("/{path}"), name.to_owned(), in_words];
        names.retain(|name| name.len() >= LEAST_NAME);
        names.dedup();
        Self { names, words: String::new() }
    }

    /// A hash of the words of a line, without what differs between the addresses of one wall: identifiers, and the
    /// name of the page. `None` without any. Numbers count: pages that differ in them alone may be results, prices
    /// or the weather.
    pub(super) fn hash(&mut self, line: &str) -> Option<u64> {
        let mut lower = line.to_lowercase();
        for name in &self.names {
            if lower.contains(&**name) {
                lower = lower.replace(&**name, " ");
            }
        }
        self.words.clear();
        let compound = lower.split_whitespace().filter(|word| !is_compound_identifier(word));
        let words = compound.flat_map(|word| word.split(|c| !is_alphanumeric(c)));
        for word in words.filter(|word| !word.is_empty() && !is_identifier(word)) {
            if !self.words.is_empty() {
                self.words.push(' ');
            }
            self.words.push_str(word);
        }
        (!self.words.is_empty()).then(|| xxh3_64(self.words.as_bytes()))
    }
}

/// Whether a word is letters and digits mixed, or a long number.
fn is_identifier(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    digits >= LONG_NUMBER || digits > 0 && digits < word.chars().count()
}

/// Whether a word has digits and several separators: `192.0.2.17`, `2001:db8::1`, a UUID, `2026-10-05T03:00:00Z`.
fn is_compound_identifier(word: &str) -> bool {
    let word = word.trim_matches(|c| !is_alphanumeric(c));
    let separators = word.bytes().filter(|b| matches!(b, b'.' | b':' | b'-')).count();
    separators >= SEPARATORS && word.bytes().any(|b| b.is_ascii_digit())
}

/// The longest segment of the path of an address.
pub(super) fn name_of(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    path.split('/').skip(3).max_by_key(|segment| segment.len()).unwrap_or_default()
}
