//! Phrases that name the kind of a wall; `phrases.txt` says what is in the lists.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use model::DropReason;

/// Weight of phrases that is enough to decide alone on a page that shares too little with its siblings, or has none.
pub(super) const ALONE: usize = 2;

const TEXT: &str = include_str!("phrases.txt");

/// The kinds of walls, in the order in which they are preferred.
const KINDS: [DropReason; 5] = [
    DropReason::ScriptShell,
    DropReason::BotCheck,
    DropReason::ConsentWall,
    DropReason::PaywallStub,
    DropReason::SoftNotFound,
];

/// Returns the phrases of a list; none if there is no such list.
fn list(kind: DropReason, name: &str) -> impl Iterator<Item = &'static str> {
    let after = TEXT.split_once(&format!("[{}: {name}]\n", kind.as_str()));
    let list = after.map_or("", |(_, after)| after.split("\n\n").next().unwrap_or_default());
    list.split(';').map(str::trim).filter(|phrase| !phrase.is_empty())
}

/// The phrases of a kind, prepared for searching, each with its weight.
type Finders = Vec<(Finder<'static>, usize)>;

static FINDERS: LazyLock<[Finders; KINDS.len()]> = LazyLock::new(|| {
    KINDS.map(|kind| {
        let weak = list(kind, "weak").map(|phrase| (Finder::new(phrase), 1));
        let certain = list(kind, "certain").map(|phrase| (Finder::new(phrase), ALONE));
        weak.chain(certain).collect()
    })
});

/// Headings and parts of titles that only pages have that were not found. Each has the weight [`ALONE`].
static HEADINGS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let mut headings: Vec<&str> = list(DropReason::SoftNotFound, "headings").collect();
    headings.sort_unstable();
    headings
});

/// Returns the kind of wall with the greatest weight of phrases in a title and a text, and that weight; the first of equals.
pub(super) fn kind_of(title: &str, text: &str) -> Option<(DropReason, usize)> {
    let lower = format!("{title}\n{text}").to_lowercase().replace(['’', 'ʼ'], "'");
    let count = |kind: DropReason, phrases: &Finders| -> usize {
        let found = |(phrase, _): &&(Finder<'_>, usize)| phrase.find(lower.as_bytes()).is_some();
        let of_heading = kind == DropReason::SoftNotFound && lower.lines().any(is_not_found);
        let of_phrases: usize = phrases.iter().filter(found).map(|(_, counts)| counts).sum();
        of_phrases + if of_heading { ALONE } else { 0 }
    };
    let found = KINDS.into_iter().zip(&*FINDERS).map(|(kind, own)| (kind, count(kind, own)));
    found.filter(|(_, count)| *count > 0).rev().max_by_key(|(_, count)| *count)
}

/// Whether a line, or a part of it between separators, is one of [`HEADINGS`].
fn is_not_found(line: &str) -> bool {
    let is_one = |part: &str| {
        let words = part.trim_matches(|c: char| !c.is_alphanumeric());
        HEADINGS.binary_search(&words).is_ok()
    };
    is_one(line) || line.split(['|', '–', '—', '·', ':', '•', '»', '-', '!']).any(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_name_the_kind_of_wall() {
        let kind = |title: &str, text: &str| kind_of(title, text).map(|found| found.0);
        assert_eq!(kind("Page not found", "It does not exist."), Some(DropReason::SoftNotFound));
        assert_eq!(kind("Just a moment…", "Verify you are human"), Some(DropReason::BotCheck));
        assert_eq!(
            kind("", "Diesen Artikel lesen nur Abonnenten: jetzt abonnieren"),
            Some(DropReason::PaywallStub)
        );
        assert_eq!(kind("", "The mayor opened the bridge."), None);
    }

    #[test]
    fn one_text_of_a_service_is_enough_and_so_is_a_heading() {
        let alone = |title: &str, text: &str| kind_of(title, text).filter(|(_, n)| *n >= ALONE);
        let blocked = alone("Attention", "Sorry, you have been blocked by the editor");
        assert_eq!(blocked.unwrap().0, DropReason::BotCheck);
        for title in ["Page not found – The Daily Ferry", "404", "Oops! That page can’t be found."]
        {
            assert_eq!(alone(title, "Try the search.").unwrap().0, DropReason::SoftNotFound);
        }
        assert_eq!(alone("Why the old page was not found", "A story."), None);
    }

    #[test]
    fn every_phrase_is_in_the_form_that_is_searched() {
        let lists = |kind| ["weak", "certain", "headings"].map(|name| list(kind, name));
        let all: Vec<&str> = KINDS.into_iter().flat_map(lists).flatten().collect();
        let of_kind = KINDS.map(|kind| lists(kind).map(Iterator::count));
        assert_eq!(of_kind, [[25, 2, 0], [44, 18, 0], [56, 8, 0], [37, 0, 0], [63, 7, 62]]);
        for phrase in all {
            assert_eq!(phrase, phrase.to_lowercase().replace('’', "'"));
            assert!(phrase.len() >= 3, "{phrase}");
        }
    }
}
