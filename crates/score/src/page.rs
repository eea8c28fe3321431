//! Scores one page with several measures, and prepares the texts once for all of them.

use crate::{
    MeasureKind, Neutral, QualityMeasure, Score, bag, lcs,
    neutral::{OptionalText, pairs_aside, strip},
    nodes, shingles, substring,
    words::{WordNumber, WordNumbers},
};

/// The expected result for a page.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gold<'a> {
    /// The article's text.
    pub text: &'a str,
    /// The optional text.
    pub aside: OptionalText<'a>,
    /// Keys of the article's DOM nodes, if they are marked.
    pub nodes: &'a [String],
}

/// The output of a system for a page; empty if there is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Output<'a> {
    /// The extracted text.
    pub text: &'a str,
    /// Keys of the extracted DOM nodes.
    pub nodes: &'a [String],
}

/// The scores of one page in the order of `measures`; `None` if its gold has nothing that a measure
/// counts.
pub fn score(
    gold: &Gold<'_>,
    output: &Output<'_>,
    measures: &[QualityMeasure],
) -> Vec<Option<Score>> {
    let mut vocabulary = WordNumbers::new();
    let raw = Pair::of(gold.text.to_owned(), output.text.to_owned(), &mut vocabulary);
    // Texts are prepared once, and only if a measure needs them.
    let mut prepared = |neutral: Neutral| {
        let needed = |pairs: bool| {
            let mut own = measures.iter().filter(|m| m.neutral == neutral);
            own.any(|m| (m.kind == MeasureKind::Pairs) == pairs)
        };
        let aside = gold.aside.of(neutral);
        let of_pairs = aside.filter(|_| needed(true));
        let pairs = of_pairs.map(|aside| pairs_aside(&raw.gold_words, &aside, &mut vocabulary));
        let texts = aside.filter(|_| needed(false)).map(|aside| {
            let (gold, output) = strip(gold.text, output.text, &aside, &mut vocabulary);
            Pair::of(gold, output, &mut vocabulary)
        });
        (pairs.unwrap_or_default(), texts)
    };
    let [titles, fields, nothing] =
        [Neutral::Titles, Neutral::Fields, Neutral::Raw].map(&mut prepared);
    let one = |measure: &QualityMeasure| {
        let (pairs, texts) = match measure.neutral {
            Neutral::Titles => &titles,
            Neutral::Fields => &fields,
            Neutral::Raw => &nothing,
        };
        let texts = texts.as_ref().unwrap_or(&raw);
        match measure.kind {
            MeasureKind::Pairs => shingles::compare(&raw.gold_words, &raw.output_words, pairs),
            MeasureKind::Words => bag::compare(&texts.gold_words, &texts.output_words),
            MeasureKind::Nodes => nodes::compare(gold.nodes, output.nodes),
            MeasureKind::LcsWords => lcs::compare(&texts.gold_words, &texts.output_words),
            MeasureKind::LcsChars => {
                lcs::compare(&lcs::characters(&texts.gold), &lcs::characters(&texts.output))
            }
            MeasureKind::Substring => substring::compare(&texts.gold, &texts.output),
        }
    };
    measures.iter().map(one).collect()
}

/// Gold and output, prepared in the same way.
struct Pair {
    gold: String,
    output: String,
    gold_words: Vec<WordNumber>,
    output_words: Vec<WordNumber>,
}

impl Pair {
    fn of(gold: String, output: String, vocabulary: &mut WordNumbers) -> Self {
        let (gold_words, output_words) = (vocabulary.words(&gold), vocabulary.words(&output));
        Self { gold, output, gold_words, output_words }
    }
}
