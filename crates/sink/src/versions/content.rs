//! The content of an article: the parts whose changes make a new version, and the difference between two contents.

use std::collections::BTreeSet;

use model::{Article, Source};
use rusqlite::{Connection, Result, Row};
use sha2::{Digest, Sha256};
use similar::TextDiff;

#[derive(Clone, Debug, Default)]
pub(super) struct ArticleContent {
    /// SHA-256 of the words of the text, without lines that repeat title, authors or date.
    pub(super) digest: Vec<u8>,
    pub(super) title: Option<String>,
    pub(super) authors: Vec<String>,
    pub(super) published: Option<String>,
    pub(super) description: Option<String>,
    /// Descriptions and tags are compared only if they have the same source: the same fact is often worded differently
    /// elsewhere on the page, and a new layout may take it from there.
    pub(super) description_source: String,
    pub(super) tags: Vec<String>,
    pub(super) tags_source: String,
    pub(super) text: String,
}

impl ArticleContent {
    pub(super) fn of(article: &Article) -> Self {
        let Article { title, authors, published, description, tags, text, sources, .. } = article;
        let name = |source: Option<Source>| source.map_or("", Source::as_str).to_owned();
        Self {
            digest: digest(text, title.as_deref(), authors, published.as_deref()).to_vec(),
            title: title.clone(),
            authors: authors.clone(),
            published: published.clone(),
            description: description.clone(),
            description_source: name(sources.description),
            tags: tags.clone(),
            tags_source: name(sources.tags),
            text: text.clone(),
        }
    }

    pub(super) fn stored(db: &Connection, version: i64) -> Result<Self> {
        let sql = "SELECT digest, title, authors, published, description,
            coalesce(sources ->> 'description', ''), tags, coalesce(sources ->> 'tags', ''), text
            FROM versions WHERE id = ?1";
        db.prepare_cached(sql)?.query_row([version], |row| {
            Ok(Self {
                digest: row.get(0)?,
                title: row.get(1)?,
                authors: strings(row, 2)?,
                published: row.get(3)?,
                description: row.get(4)?,
                description_source: row.get(5)?,
                tags: strings(row, 6)?,
                tags_source: row.get(7)?,
                text: row.get(8)?,
            })
        })
    }

    /// Returns the fields in which the content differs from an earlier one, in the order of the record. A field that only one of
    /// them has does not count: layouts may show more or less of an article.
    pub(super) fn changes_since(&self, before: &Self) -> Vec<&'static str> {
        let worded = |a: &String, b: &String| squeezed(a) != squeezed(b);
        let same_description = before.description_source == self.description_source;
        let same_tags = before.tags_source == self.tags_source;
        let fields = [
            ("title", both(&before.title, &self.title, worded)),
            ("authors", lists_differ(&before.authors, &self.authors)),
            // Dates may have a time or not, so only the day is compared.
            ("published", both(&before.published, &self.published, |a, b| day(a) != day(b))),
            (
                "description",
                same_description && both(&before.description, &self.description, worded),
            ),
            ("tags", same_tags && lists_differ(&before.tags, &self.tags)),
            ("text", before.digest != self.digest),
        ];
        fields.into_iter().filter_map(|(name, differs)| differs.then_some(name)).collect()
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.changes_since(other).is_empty()
    }
}

/// Reads a list of strings that is stored as JSON.
fn strings(row: &Row<'_>, at: usize) -> Result<Vec<String>> {
    let json: String = row.get(at)?;
    Ok(serde_json::from_str(&json).unwrap_or_default())
}

fn both<T>(a: &Option<T>, b: &Option<T>, differ: impl Fn(&T, &T) -> bool) -> bool {
    a.as_ref().zip(b.as_ref()).is_some_and(|(a, b)| differ(a, b))
}

fn lists_differ(a: &[String], b: &[String]) -> bool {
    !a.is_empty() && !b.is_empty() && set(a) != set(b)
}

pub(super) fn set(values: &[String]) -> BTreeSet<String> {
    values.iter().map(|v| squeezed(v).to_lowercase()).collect()
}

pub(super) fn day(date: &str) -> &str {
    date.get(..10).unwrap_or(date)
}

pub(super) fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Numbers of lines at the start and at the end of a text that may repeat metadata, and maximum
/// number of words in such a line.
const REPEATS: (usize, usize, usize) = (5, 2, 12);

/// Returns the SHA-256 of the words of a text. Layouts show title, byline and date inside or outside of the
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

/// Whether a line contains the numbers of the year and the day of a date.
fn names_day(line: &str, date: &str) -> bool {
    let (Some(year), Some(day)) = (date.get(..4), date.get(8..10)) else { return false };
    let mut numbers = line.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty());
    let found: Vec<&str> = numbers.by_ref().collect();
    found.contains(&year) && (found.contains(&day) || found.contains(&day.trim_start_matches('0')))
}

/// Maximum number of lines for a comparison line by line, which takes time quadratic in the number of differences.
const MOST_LINES: usize = 5_000;

/// Returns a unified diff (one line of context) of the fields that changed: metadata as `name: value`
/// lines, a blank line, the paragraphs of the text.
pub(super) fn diff(before: &ArticleContent, after: &ArticleContent, changed: &[&str]) -> String {
    let (old, new) = (page(before, changed), page(after, changed));
    if old.lines().count().max(new.lines().count()) > MOST_LINES {
        return replaced(&old, &new);
    }
    let diff = TextDiff::from_lines(&old, &new);
    diff.unified_diff().context_radius(1).missing_newline_hint(false).to_string()
}

fn page(of: &ArticleContent, changed: &[&str]) -> String {
    let mut page = String::new();
    let lists = (of.authors.join("; "), of.tags.join("; "));
    let fields = [
        ("title", of.title.as_deref().unwrap_or_default()),
        ("authors", lists.0.as_str()),
        ("published", of.published.as_deref().unwrap_or_default()),
        ("description", of.description.as_deref().unwrap_or_default()),
        ("tags", lists.1.as_str()),
    ];
    for (name, value) in fields.into_iter().filter(|(name, _)| changed.contains(name)) {
        let value: Vec<&str> = value.split_whitespace().collect();
        page.push_str(&format!("{name}: {}\n", value.join(" ")));
    }
    if changed.contains(&"text") {
        if !page.is_empty() {
            page.push('\n');
        }
        page.push_str(&of.text);
        page.push('\n');
    }
    page
}

/// Shows all lines between the common beginning and the common end as removed and added.
fn replaced(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - head;
    let same_end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b);
    let tail = same_end.count().min(most);
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let from = |end: usize| if end > head { head + 1 } else { head };
    let mut diff = format!(
        "@@ -{},{} +{},{} @@\n",
        from(old_end),
        old_end - head,
        from(new_end),
        new_end - head
    );
    for (sign, lines) in [('-', &old[head..old_end]), ('+', &new[head..new_end])] {
        for line in lines {
            diff.push(sign);
            diff.push_str(line);
            diff.push('\n');
        }
    }
    diff
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest_of(text: &str) -> [u8; 32] {
        digest(text, Some("The Title"), &["Orla Penhale".to_owned()], Some("2026-01-02T06:30:00Z"))
    }

    #[test]
    fn what_repeats_the_metadata_does_not_count() {
        let plain = digest_of("One two.\n\nThree four.");
        for same in [
            "The  title\n\nBy Orla Penhale\n\nOne two.\n\nThree four.",
            "Friday, 2 January 2026, 6:30\n\nOne two.\nThree four.",
            "One two.\n\nThree four.\n\nOrla Penhale writes on Fridays.",
            "One\u{a0}two. Three\tfour.",
        ] {
            assert_eq!(digest_of(same), plain, "{same}");
        }
        assert_ne!(digest_of("One two.\n\nThree five."), plain);
        assert_ne!(digest_of("One two.\n\nThree four.\n\nIn 1998 all was well."), plain);
    }

    #[test]
    fn what_one_lacks_says_nothing() {
        let full = ArticleContent {
            digest: vec![1],
            title: Some("A".into()),
            authors: vec!["B C".into(), "D E".into()],
            published: Some("2026-01-02".into()),
            description: Some("x".into()),
            description_source: "meta".into(),
            tags: vec!["t".into()],
            tags_source: "meta".into(),
            text: String::new(),
        };
        let bare = ArticleContent {
            digest: vec![1],
            title: Some("A".into()),
            ..ArticleContent::default()
        };
        assert!(bare.is_same(&full) && full.is_same(&bare));
        let mut other = full.clone();
        other.authors.reverse();
        other.published = Some("2026-01-02T10:00:00+01:00".into());
        other.description = Some("y".into());
        other.description_source = "open-graph".into();
        assert!(other.is_same(&full));
        other.description_source = "meta".into();
        other.title = Some("B".into());
        other.digest = vec![2];
        assert_eq!(other.changes_since(&full), ["title", "description", "text"]);
    }

    fn titled(title: &str, text: &str) -> ArticleContent {
        ArticleContent {
            title: Some(title.to_owned()),
            text: text.to_owned(),
            ..ArticleContent::default()
        }
    }

    #[test]
    fn only_what_changed_is_shown() {
        let (old, new) =
            (titled("A", "One.\n\nTwo.\n\nThree."), titled("B", "One.\n\n2.\n\nThree."));
        assert_eq!(diff(&old, &new, &["title"]), "@@ -1 +1 @@\n-title: A\n+title: B\n");
        let text = diff(&old, &new, &["text"]);
        assert_eq!(text, "@@ -2,3 +2,3 @@\n \n-Two.\n+2.\n \n");
        assert!(diff(&old, &new, &["title", "text"]).contains("+title: B"));
    }

    #[test]
    fn long_texts_are_compared_at_their_ends() {
        let line = |n: usize| format!("line {n}\n");
        let old: String = (0..20_000).map(line).collect();
        let new: String = (0..20_000).map(|n| line(if n == 7 { 99_999 } else { n })).collect();
        let (old, new) = (titled("A", &old), titled("A", &new));
        assert_eq!(diff(&old, &new, &["text"]), "@@ -8,1 +8,1 @@\n-line 7\n+line 99999\n");
        assert_eq!(replaced("a\nb\n", "a\nb\nc\n"), "@@ -2,0 +3,1 @@\n+c\n");
    }
}
