//! Every kind of vector instructions gives the same bits, on pages as they are.

use std::fmt::Write;
use std::path::Path;

use dom::{Document, PrefixSums};
use sitegrove_grove::vectors::{Vectors, available, force};
use sitegrove_grove::{Cues, PageView, Patterns, Pools, ScoredPage, SiblingStatistics, Weights};

/// A few numbers that look like chance.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % end
    }

    fn sentence(&mut self, words: u64) -> String {
        const WORDS: [&str; 12] = [
            "harbour", "the", "council", "of", "lantern", "in", "2019", "ferry", "and", "bridge",
            "Reader", "was",
        ];
        let all: Vec<&str> = (0..words).map(|_| WORDS[self.below(12) as usize]).collect();
        all.join(" ") + [".", ":", "", "!"][self.below(4) as usize]
    }
}

/// A page of a blog: a menu, an article of paragraphs, lists and tables, comments, links at its side.
fn page(seed: u64) -> String {
    let mut numbers = Numbers(seed);
    let mut html = String::from("<title>Page</title><body><nav class=menu><ul>");
    for at in 0..6 + numbers.below(8) {
        write!(html, "<li><a href=/{at}>Menu {at}</a>").unwrap();
    }
    html += "</ul></nav><main id=content><article class=post><h1>A title</h1>";
    for _ in 0..numbers.below(40) {
        let words = 1 + numbers.below(120);
        let text = numbers.sentence(words);
        match numbers.below(6) {
            0 => write!(html, "<h2>{text}</h2>"),
            1 => write!(html, "<ul class=list><li>{text}<li><a href=x>{text}</a></ul>"),
            2 => write!(html, "<table><tr><td>{text}<td>{words}</table>"),
            3 => write!(html, "<div class='ad promo'><a href=y>{text}</a></div>"),
            _ => write!(html, "<p>{text} <a href=z>more</a> {text}</p>"),
        }
        .unwrap();
    }
    html += "</article><section class=comments>";
    for _ in 0..numbers.below(20) {
        let words = 1 + numbers.below(30);
        write!(html, "<div class=comment><p>{}</p></div>", numbers.sentence(words)).unwrap();
    }
    html + "</section></main><footer>Imprint and terms</footer>"
}

/// The bits of all scores of these pages: by themselves, and among each other.
fn bits(documents: &[Document], weights: &Weights) -> Vec<Vec<u32>> {
    let (patterns, of_nodes) = Patterns::of(&documents.iter().collect::<Vec<_>>());
    let words = |document: &Document, id| {
        document.text(id).map_or(0, |text| text.split_whitespace().count() as u32)
    };
    let blocks: Vec<_> = documents
        .iter()
        .map(|document| {
            let view = PageView {
                document,
                words: &PrefixSums::new(document, |id| words(document, id)),
                link_words: &PrefixSums::within_links(document, |id| words(document, id)),
                full_text: "",
            };
            sitegrove_grove::read_page(&view, &mut Cues::new())
        })
        .collect();
    let first: Vec<Vec<f32>> =
        blocks.iter().map(|page| weights.page.probabilities(&page.rows)).collect();
    let scored: Vec<ScoredPage<'_>> = (0..blocks.len())
        .map(|at| ScoredPage { page: &blocks[at], patterns: &of_nodes[at], scores: &first[at] })
        .collect();
    let pools = Pools::of(&scored, &patterns);
    let template = SiblingStatistics { patterns: &patterns, pools: &pools };
    let second = documents.iter().zip(&scored).map(|(document, page)| {
        sitegrove_grove::second_scores(document, page, &template, &weights.sibling)
    });
    let scores: Vec<Vec<f32>> = first.iter().cloned().chain(second).collect();
    scores.iter().map(|scores| scores.iter().map(|score| score.to_bits()).collect()).collect()
}

#[test]
fn all_vectors_give_the_same_bits() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/weights.json");
    let weights = Weights::from_json(&std::fs::read(file).unwrap()).unwrap();
    let documents: Vec<Document> = (0..60).map(|seed| dom::parse(&page(seed))).collect();
    let kinds = available();
    assert!(kinds.starts_with(&[Vectors::OneByOne, Vectors::Least]), "{kinds:?}");
    let mut all = kinds.iter().map(|&kind| {
        assert!(force(Some(kind)));
        bits(&documents, &weights)
    });
    let one_by_one = all.next().unwrap();
    let blocks: usize = one_by_one.iter().map(Vec::len).sum();
    let mut distinct = one_by_one.concat();
    distinct.sort_unstable();
    distinct.dedup();
    assert!(blocks > 3_000 && distinct.len() > 1_000, "{blocks} scores, {}", distinct.len());
    for (kind, scores) in kinds[1..].iter().zip(all) {
        assert_eq!(one_by_one, scores, "{kind:?}");
    }
    assert!(force(None));
    assert_eq!(one_by_one, bits(&documents, &weights));
}
