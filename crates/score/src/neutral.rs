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
    words::{WordNumber, WordNumbers},
};

/// The optional text of one page.
#[derive(Clone, Copy, Debug, Default)]
pub struct OptionalText<'a> {
    /// The article's title in the gold.
    pub title: Option<&'a str>,
    /// The text of the page's `<title>`.
    pub page_title: Option<&'a str>,
    /// Paragraphs that may be in the output or not.
    pub optional: &'a [String],
    /// Bylines, dates and captions.
    pub fields: &'a [String],
}

impl<'a> OptionalText<'a> {
    /// The part of the optional text that a measure removes; `None` if it removes nothing.
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
pub fn pairs_aside(
    gold: &[WordNumber],
    aside: &OptionalText<'_>,
    vocabulary: &mut WordNumbers,
) -> Shingles {
    let mut pairs = Shingles::of(&vocabulary.words(&aside.optional.join("\n")));
    for text in aside.titles().chain(aside.fields.iter().map(String::as_str)) {
        pairs = pairs.union(&Shingles::of(&vocabulary.words(text)));
    }
    let remaining = Shingles::of(gold).without(&pairs).len();
    if remaining < FEWEST_PAIRS { Shingles::default() } else { pairs }
}

/// Removes the optional lines from both texts; returns both unchanged if too little of the gold would remain.
pub fn strip(
    gold: &str,
    output: &str,
    aside: &OptionalText<'_>,
    vocabulary: &mut WordNumbers,
) -> (String, String) {
    let runs: Vec<Vec<WordNumber>> = aside
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
fn stands_in(words: &[WordNumber], run: &[WordNumber]) -> bool {
    run.windows(words.len()).any(|window| window == words)
}
