//! How much two readings of a page agree.

use std::collections::BTreeMap;

use terms::letters::is_alphanumeric;

/// How much two texts of one page agree, 0 to 1: twice the words they share, of the words of both. Words of
/// scripts without spaces are their characters. Two empty texts agree. Time n log n.
pub fn agreement(a: &str, b: &str) -> f64 {
    let (a, b) = (words(a), words(b));
    let all = a.values().sum::<u64>() + b.values().sum::<u64>();
    if all == 0 {
        return 1.0;
    }
    let shared: u64 =
        a.iter().map(|(word, count)| (*count).min(b.get(word).copied().unwrap_or(0))).sum();
    2.0 * shared as f64 / all as f64
}

fn words(text: &str) -> BTreeMap<&str, u64> {
    let mut words = BTreeMap::new();
    let mut add = |word| *words.entry(word).or_insert(0) += 1;
    for word in text.split(|c| !is_alphanumeric(c)).filter(|word| !word.is_empty()) {
        if word.is_ascii() || word.chars().all(has_words) {
            add(word);
        } else {
            let characters = word.char_indices().map(|(at, c)| &word[at..at + c.len_utf8()]);
            characters.for_each(&mut add);
        }
    }
    words
}

/// Whether the script of a character sets words apart by spaces: those before the scripts of East and
/// South-East Asia, and Hangul.
fn has_words(c: char) -> bool {
    c < '\u{0E00}' || ('\u{AC00}'..='\u{D7A3}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::agreement;

    #[test]
    fn shared_words_of_all() {
        assert_eq!(agreement("", " , "), 1.0);
        assert_eq!(agreement("the mayor spoke", ""), 0.0);
        assert_eq!(agreement("The mayor spoke.", "The mayor spoke!"), 1.0);
        assert_eq!(agreement("one two three four", "one two"), 4.0 / 6.0);
        assert_eq!(agreement("a a a", "a"), 0.5);
        assert_eq!(agreement("市長は語った", "市長は笑った"), 10.0 / 12.0);
        assert_eq!(agreement("Größe zählt", "größe zählt"), 0.5);
    }
}
