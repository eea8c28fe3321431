//! The content of an article: the parts whose changes make a new version.

use model::{Article, Source};
use sha2::{Digest, Sha256};

/// The content of an article for comparison.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Essence {
    /// SHA-256 of the words of the text, without lines that repeat title, authors or date.
    pub(super) digest: Vec<u8>,
    pub(super) title: Option<String>,
    pub(super) authors: Vec<String>,
    pub(super) published: Option<String>,
    pub(super) description: Described<String>,
    pub(super) tags: Described<Vec<String>>,
}

/// A value that is compared only with one from the same source: the same fact is often worded
/// differently in another place on the page, and a new layout has other places.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Described<T> {
    pub(super) value: Option<T>,
    pub(super) source: String,
}

impl<T> Described<T> {
    fn of(value: Option<T>, source: Option<Source>) -> Self {
        Self { value, source: source.map_or("", Source::as_str).to_owned() }
    }
}

impl Essence {
    pub(super) fn of(article: &Article) -> Self {
        let Article { title, authors, published, tags, sources, .. } = article;
        let tags = (!tags.is_empty()).then(|| tags.clone());
        Self {
            digest: digest(&article.text, title.as_deref(), authors, published.as_deref()).to_vec(),
            title: title.clone(),
            authors: authors.clone(),
            published: published.clone(),
            description: Described::of(article.description.clone(), sources.description),
            tags: Described::of(tags, sources.tags),
        }
    }

    /// The fields in which the content differs from an earlier one, in the order of the record. A
    /// field that only one of the two has is not a difference: layouts show more of an article, or
    /// less.
    pub(super) fn changes_since(&self, before: &Self) -> Vec<&'static str> {
        let mut changed = Vec::new();
        let mut note = |name, differs: bool| {
            if differs {
                changed.push(name);
            }
        };
        note("title", both(&before.title, &self.title, |a, b| squeezed(a) != squeezed(b)));
        let authors = (set(&before.authors), set(&self.authors));
        let unnamed = authors.0.is_empty() || authors.1.is_empty();
        note("authors", !unnamed && authors.0 != authors.1);
        // A date may have a time or not, so only the day is compared.
        note("published", both(&before.published, &self.published, |a, b| day(a) != day(b)));
        let same_place = before.description.source == self.description.source;
        let (old, new) = (&before.description.value, &self.description.value);
        note("description", same_place && both(old, new, |a, b| squeezed(a) != squeezed(b)));
        let same_place = before.tags.source == self.tags.source;
        let (old, new) = (&before.tags.value, &self.tags.value);
        note("tags", same_place && both(old, new, |a, b| set(a) != set(b)));
        note("text", before.digest != self.digest);
        changed
    }
}

fn both<T>(a: &Option<T>, b: &Option<T>, differ: impl Fn(&T, &T) -> bool) -> bool {
    a.as_ref().zip(b.as_ref()).is_some_and(|(a, b)| differ(a, b))
}

fn set(values: &[String]) -> std::collections::BTreeSet<String> {
    values.iter().map(|v| squeezed(v).to_lowercase()).collect()
}

fn day(date: &str) -> &str {
    date.get(..10).unwrap_or(date)
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Number of lines at the start and at the end of a text that may repeat metadata, and the maximum
/// number of their words.
const REPEATS: (usize, usize, usize) = (5, 2, 12);

/// SHA-256 of the words of a text. Layouts show title, byline and date inside or outside of the
/// text, so short lines at its ends that only repeat them are excluded.
fn digest(
    text: &str,
    title: Option<&str>,
    authors: &[String],
    published: Option<&str>,
) -> [u8; 32] {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let (leading, trailing, most_words) = REPEATS;
    let title = title.map(|t| squeezed(t).to_lowercase());
    let authors: Vec<String> = authors.iter().map(|a| a.to_lowercase()).collect();
    let repeats = |line: &str| {
        let line = squeezed(line).to_lowercase();
        if title.as_ref() == Some(&line) {
            return true;
        }
        line.split(' ').count() <= most_words
            && (authors.iter().any(|author| line.contains(author.as_str()))
                || published.is_some_and(|date| names_day(&line, date)))
    };
    let mut hash = Sha256::new();
    let mut first = true;
    for (at, line) in lines.iter().enumerate() {
        let at_an_end = at < leading || at + trailing >= lines.len();
        if at_an_end && repeats(line) {
            continue;
        }
        for word in line.split_whitespace() {
            if !first {
                hash.update(b" ");
            }
            first = false;
            hash.update(word.as_bytes());
        }
    }
    hash.finalize().into()
}

/// Whether a line contains the numbers of a date's year and day.
fn names_day(line: &str, date: &str) -> bool {
    let (Some(year), Some(day)) = (date.get(..4), date.get(8..10)) else { return false };
    let mut numbers = line.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty());
    let found: Vec<&str> = numbers.by_ref().collect();
    found.contains(&year) && (found.contains(&day) || found.contains(&day.trim_start_matches('0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> [u8; 32] {
        digest(text, Some("The Title"), &["Orla Penhale".to_owned()], Some("2026-01-02T06:30:00Z"))
    }

    #[test]
    fn what_repeats_the_metadata_does_not_count() {
        let plain = of("One two.\n\nThree four.");
        assert_eq!(of("The  title\n\nBy Orla Penhale\n\nOne two.\n\nThree four."), plain);
        assert_eq!(of("Friday, 2 January 2026, 6:30\n\nOne two.\nThree four."), plain);
        assert_eq!(of("One two.\n\nThree four.\n\nOrla Penhale writes on Fridays."), plain);
        assert_eq!(of("One\u{a0}two. Three\tfour."), plain);
        assert_ne!(of("One two.\n\nThree five."), plain);
        assert_ne!(of("One two.\n\nThree four.\n\nIn 1998 all was well."), plain);
    }

    #[test]
    fn what_one_lacks_says_nothing() {
        let full = Essence {
            digest: vec![1],
            title: Some("A".into()),
            authors: vec!["B C".into(), "D E".into()],
            published: Some("2026-01-02".into()),
            description: Described { value: Some("x".into()), source: "meta".into() },
            tags: Described { value: Some(vec!["t".into()]), source: "meta".into() },
        };
        let bare = Essence {
            authors: Vec::new(),
            published: None,
            description: Described::default(),
            tags: Described::default(),
            ..full.clone()
        };
        assert!(bare.changes_since(&full).is_empty() && full.changes_since(&bare).is_empty());
        let mut other = full.clone();
        other.authors.reverse();
        other.published = Some("2026-01-02T10:00:00+01:00".into());
        other.description = Described { value: Some("y".into()), source: "open-graph".into() };
        assert!(other.changes_since(&full).is_empty());
        other.description.source = "meta".into();
        other.title = Some("B".into());
        other.digest = vec![2];
        assert_eq!(other.changes_since(&full), ["title", "description", "text"]);
    }
}
