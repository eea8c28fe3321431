/*!
Title-neutral comparison: optional text, which is neither right nor wrong, is removed from both sides.

Some gold texts begin with the page's title and some do not; some contain paragraphs whose inclusion is debatable.
Systems must be neither rewarded nor penalised for them. The same goes for bylines, dates and captions, which are fields
of a record and not its text; some gold has them and some has not. There are two ways, for two kinds of measures:

- **Sets of pairs**: the pairs of the title, of the page's `<title>`, of the optional paragraphs and of the fields are
  removed from both sets, wherever they occur ([`pairs_aside`]).
- **Measures of order or multiplicity**: complete lines are removed from both texts ([`strip`]). A line is removed if its
  words occur consecutively in the title, in the page's `<title>`, in an optional paragraph or in a field: `Headline` is
  removed for `<title>Headline - The Paper</title>`, and so is a separate `The Paper`. A title joined with other text is
  kept.

Neither is applied to a page where it would leave too little of the gold: fewer than three pairs, or than the four words
that make three pairs.
*/

use crate::{
    Neutral,
    shingles::Shingles,
    words::{Vocabulary, Word},
};

/// The optional text of one page.
#[derive(Clone, Copy, Debug, Default)]
pub struct Aside<'a> {
    /// The article's title in the gold.
    pub title: Option<&'a str>,
    /// The text of the page's `<title>`.
    pub page_title: Option<&'a str>,
    /// Paragraphs that may be in the output or not.
    pub optional: &'a [String],
    /// Bylines, dates and captions.
    pub fields: &'a [String],
}

impl<'a> Aside<'a> {
    /// What a measure removes of it; `None` for nothing.
    pub fn of(self, neutral: Neutral) -> Option<Self> {
        match neutral {
            Neutral::Titles => Some(Self { fields: &[], ..self }),
            Neutral::Fields => Some(self),
            Neutral::Raw => None,
        }
    }

    fn titles(&self) -> impl Iterator<Item = &'a str> {
        [self.title, self.page_title].into_iter().flatten()
    }
}

/// Minimum number of pairs of the gold that must remain.
const FEWEST_PAIRS: usize = 3;
/// Minimum number of words of the gold that must remain.
const FEWEST_WORDS: usize = FEWEST_PAIRS + 1;

/// The pairs to remove from both sides; empty if too little of the gold would remain. The optional
/// paragraphs are read as one text, so the pairs across their boundaries are removed too. Each field is read alone.
pub fn pairs_aside(gold: &[Word], aside: &Aside<'_>, vocabulary: &mut Vocabulary) -> Shingles {
    let mut pairs = Shingles::of(&vocabulary.words(&aside.optional.join("\n")));
    for text in aside.titles().chain(aside.fields.iter().map(String::as_str)) {
        pairs = pairs.union(&Shingles::of(&vocabulary.words(text)));
    }
    let remaining = Shingles::of(gold).without(&pairs).len();
    if remaining < FEWEST_PAIRS { Shingles::default() } else { pairs }
}

/// Both texts without the optional lines; both unchanged if too little of the gold would remain.
pub fn strip(
    gold: &str,
    output: &str,
    aside: &Aside<'_>,
    vocabulary: &mut Vocabulary,
) -> (String, String) {
    let runs: Vec<Vec<Word>> = aside
        .titles()
        .chain(aside.optional.iter().chain(aside.fields).map(String::as_str))
        .map(|text| vocabulary.words(text))
        .collect();
    let mut keep = |text: &str| -> String {
        let kept: Vec<&str> = text
            .lines()
            .filter(|line| {
                let words = vocabulary.words(line);
                words.is_empty() || !runs.iter().any(|run| stands_in(&words, run))
            })
            .collect();
        kept.join("\n")
    };
    let (stripped, stripped_output) = (keep(gold), keep(output));
    if vocabulary.words(&stripped).len() < FEWEST_WORDS {
        return (gold.to_owned(), output.to_owned());
    }
    (stripped, stripped_output)
}

/// True if `words` occur consecutively in `run`.
fn stands_in(words: &[Word], run: &[Word]) -> bool {
    run.windows(words.len()).any(|window| window == words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(gold: &str, output: &str, aside: &Aside<'_>) -> (String, String) {
        strip(gold, output, aside, &mut Vocabulary::new())
    }

    #[test]
    fn title_lines_leave_both_sides() {
        let aside = Aside {
            title: Some("A fine day"),
            page_title: Some("A Fine Day | The Paper"),
            optional: &["Learn more here.".to_owned()],
            fields: &["By Jane Doe, 3 May 2012".to_owned()],
        };
        let gold = "A FINE DAY!\nBy Jane Doe\nIt was a fine day, they say.\nLearn more";
        let output =
            "The Paper\n\nIt was a fine day, they say.\nLearn more here.\nA fine day for all";
        let (gold, output) = stripped(gold, output, &aside);
        assert_eq!(gold, "It was a fine day, they say.");
        assert_eq!(output, "\nIt was a fine day, they say.\nA fine day for all");
    }

    #[test]
    fn a_gold_that_is_hardly_more_than_its_title_stays() {
        let aside = Aside { title: Some("A fine day"), ..Aside::default() };
        let (gold, output) = ("A fine day\nonly three words", "A fine day");
        assert_eq!(stripped(gold, output, &aside), (gold.to_owned(), output.to_owned()));
        assert_eq!(stripped("A fine day\nnow four words here", output, &aside).1, "");
    }

    #[test]
    fn pairs_go_unless_fewer_than_three_remain() {
        let mut vocabulary = Vocabulary::new();
        let optional = ["x".to_owned(), "y".to_owned()];
        let aside =
            Aside { title: Some("a b"), page_title: Some("b c"), optional: &optional, fields: &[] };
        // a-b b-c c-d d-e e-f: two are titles, three remain. x-y spans two optional paragraphs.
        let gold = vocabulary.words("a b c d e f");
        assert_eq!(pairs_aside(&gold, &aside, &mut vocabulary).len(), 3);
        let gold = vocabulary.words("a b c d e");
        assert!(pairs_aside(&gold, &aside, &mut vocabulary).is_empty());
    }
}
