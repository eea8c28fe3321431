//! Scores one page with several measures at once, with each preparation done once.

use crate::{
    Kind, Measure, Neutral, Score, bag, lcs,
    neutral::{Aside, pairs_aside, strip},
    nodes, shingles, substring,
    words::{Vocabulary, Word},
};

/// The expected result for a page.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gold<'a> {
    /// The article's text.
    pub text: &'a str,
    /// The optional text.
    pub aside: Aside<'a>,
    /// Keys of the article's DOM nodes, if they are marked.
    pub nodes: &'a [String],
}

/// The output of a system for a page; empty if it gave nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Output<'a> {
    /// The extracted text.
    pub text: &'a str,
    /// Keys of the extracted DOM nodes.
    pub nodes: &'a [String],
}

/// The scores of one page in the order of `measures`; `None` if its gold has nothing that a measure
/// counts.
pub fn score(gold: &Gold<'_>, output: &Output<'_>, measures: &[Measure]) -> Vec<Option<Score>> {
    let mut vocabulary = Vocabulary::new();
    let raw = Pair::of(gold.text.to_owned(), output.text.to_owned(), &mut vocabulary);
    // What a measure needs is prepared once, and only if one needs it.
    let mut prepared = |neutral: Neutral| {
        let needed = |pairs: bool| {
            let mut own = measures.iter().filter(|m| m.neutral == neutral);
            own.any(|m| (m.kind == Kind::Pairs) == pairs)
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
    let one = |measure: &Measure| {
        let (pairs, texts) = match measure.neutral {
            Neutral::Titles => &titles,
            Neutral::Fields => &fields,
            Neutral::Raw => &nothing,
        };
        let texts = texts.as_ref().unwrap_or(&raw);
        match measure.kind {
            Kind::Pairs => shingles::compare(&raw.gold_words, &raw.output_words, pairs),
            Kind::Words => bag::compare(&texts.gold_words, &texts.output_words),
            Kind::Nodes => nodes::compare(gold.nodes, output.nodes),
            Kind::LcsWords => lcs::compare_words(&texts.gold_words, &texts.output_words),
            Kind::LcsChars => lcs::compare_characters(&texts.gold, &texts.output),
            Kind::Substring => substring::compare(&texts.gold, &texts.output),
        }
    };
    measures.iter().map(one).collect()
}

/// Gold and output, prepared in the same way.
struct Pair {
    gold: String,
    output: String,
    gold_words: Vec<Word>,
    output_words: Vec<Word>,
}

impl Pair {
    fn of(gold: String, output: String, vocabulary: &mut Vocabulary) -> Self {
        let (gold_words, output_words) = (vocabulary.words(&gold), vocabulary.words(&output));
        Self { gold, output, gold_words, output_words }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn f1(gold: &Gold<'_>, output: &str, measure: &str) -> Option<f64> {
        let output = Output { text: output, nodes: &[] };
        score(gold, &output, &[measure.parse().unwrap()])[0].map(|score| score.f1)
    }

    #[test]
    fn the_title_counts_only_raw() {
        let aside = Aside { title: Some("Big News"), ..Aside::default() };
        let gold = Gold { text: "Big News\none two three four", aside, nodes: &[] };
        let body = "one two three four";
        for measure in ["pairs", "words", "lcs-words", "lcs-chars", "substring"] {
            let neutral = f1(&gold, body, measure).unwrap();
            // Removing the pairs of the title leaves the pair across the boundary, news-one, in the
            // gold.
            let expected = if measure == "pairs" { 2.0 * 0.75 / 1.75 } else { 1.0 };
            assert!((neutral - expected).abs() < 1e-12, "{measure} {neutral}");
        }
        // Raw, calculated manually: 3 of 5 pairs; 4 of 6 words; 15 of 22 characters.
        for (measure, recall) in [
            ("pairs-raw", 3.0 / 5.0),
            ("words-raw", 4.0 / 6.0),
            ("lcs-words-raw", 4.0 / 6.0),
            ("lcs-chars-raw", 15.0 / 22.0),
            ("substring-raw", 15.0 / 22.0),
        ] {
            let expected = 2.0 * recall / (1.0 + recall);
            assert!((f1(&gold, body, measure).unwrap() - expected).abs() < 1e-12, "{measure}");
        }
    }

    #[test]
    fn nodes_only_where_the_gold_marks_them() {
        let marked = ["3".to_owned(), "4".to_owned()];
        let nodes: Measure = "nodes".parse().unwrap();
        let gold = Gold { text: "x", nodes: &marked, ..Gold::default() };
        let output = Output { text: "", nodes: &marked[..1] };
        assert_eq!(score(&gold, &output, &[nodes])[0].unwrap().recall, 0.5);
        assert_eq!(score(&Gold::default(), &output, &Measure::ALL), [None; 16]);
    }

    proptest! {
        /// A text compared with itself is perfect, all scores are within bounds, and the measures
        /// are ordered.
        #[test]
        fn bounds_and_nesting(gold in "[ab東ไ']{1,3}( [abcd東]{1,3}){3,20}", output in "([abcd東]{1,3}[ \n]){0,20}") {
            let gold = Gold { text: &gold, ..Gold::default() };
            for same in score(&gold, &Output { text: gold.text, nodes: &[] }, &Measure::ALL).into_iter().flatten() {
                prop_assert_eq!(same.f1, 1.0);
            }
            let scores = score(&gold, &Output { text: &output, nodes: &[] }, &Measure::ALL);
            for score in scores.iter().flatten() {
                for share in [score.precision, score.recall, score.f1] {
                    prop_assert!((0.0..=1.0).contains(&share));
                }
                prop_assert!(score.f1 <= score.precision.max(score.recall) + 1e-12);
            }
            // words ≥ lcs-words, lcs-chars ≥ substring
            prop_assert!(scores[3].unwrap().f1 >= scores[6].unwrap().f1);
            prop_assert!(scores[9].unwrap().f1 >= scores[12].unwrap().f1);
        }
    }
}
