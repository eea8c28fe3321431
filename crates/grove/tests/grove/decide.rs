//! Decisions by pattern, on small pages with given scores.

use dom::{Document, PrefixSums};
use sitegrove_grove::{
    Cues, DecideParameters, Decision, PageBlocks, PageView, Patterns, ScoredPage, decide, read_page,
};

const PARAMETERS: DecideParameters = DecideParameters { factor: 1.0, switch_cost: 0.15 };
const PAGES: usize = 4;

pub(crate) fn blocks_of(document: &Document) -> PageBlocks {
    let words = |id| document.text(id).map_or(0, |text| text.split_whitespace().count() as u32);
    let view = PageView {
        document,
        words: &PrefixSums::new(document, words),
        link_words: &PrefixSums::within_links(document, words),
        full_text: "",
    };
    read_page(&view, &mut Cues::new())
}

/// The decisions on the paragraphs of class `text` and on the box of siblings, whose blocks have these scores, given earlier
/// decisions on both.
fn decided(scores: [f32; 2], earlier: Option<[Decision; 2]>) -> [Decision; 2] {
    let page = |n: usize| {
        let text = "word ".repeat(80);
        let html = format!(
            "<div class=text>{n} {text}</div><div class=box>{n} {}</div>",
            "word ".repeat(20)
        );
        dom::parse(&html)
    };
    let documents: Vec<Document> = (0..PAGES).map(page).collect();
    let (patterns, of_nodes) = Patterns::of(&documents.iter().collect::<Vec<_>>());
    let blocks: Vec<PageBlocks> = documents.iter().map(blocks_of).collect();
    let pages: Vec<ScoredPage<'_>> = (0..PAGES)
        .map(|at| ScoredPage { page: &blocks[at], patterns: &of_nodes[at], scores: &scores })
        .collect();
    assert_eq!(pages[0].page.blocks.len(), 2);
    let places = [0, 1].map(|at| of_nodes[0][blocks[0].blocks[at].element as usize] as usize);
    let mut before = vec![None; patterns.len()];
    if let Some(earlier) = earlier {
        before.fill(Some(Decision::Outside));
        places.iter().zip(earlier).for_each(|(&place, own)| before[place] = Some(own));
    }
    let decisions = decide(&pages, &patterns, &before, None, &PARAMETERS);
    places.map(|place| decisions[place])
}

#[test]
fn where_nothing_is_sure_more_is_kept() {
    use Decision::{Keep, Outside};
    assert_eq!(decided([0.9, 0.3], None), [Keep, Outside]);
    assert_eq!(decided([0.4, 0.3], None), [Keep, Keep]);
}

#[test]
fn an_earlier_decision_stays_unless_the_evidence_is_clear() {
    use Decision::{Keep, Outside};
    // By itself, each score decides.
    assert_eq!(decided([0.9, 0.465], None), [Keep, Keep]);
    assert_eq!(decided([0.9, 0.44], None), [Keep, Outside]);
    // A score near the threshold does not change an earlier decision.
    assert_eq!(decided([0.9, 0.465], Some([Keep, Outside])), [Keep, Outside]);
    assert_eq!(decided([0.9, 0.44], Some([Keep, Keep])), [Keep, Keep]);
    // A clear one does.
    assert_eq!(decided([0.9, 0.9], Some([Keep, Outside])), [Keep, Keep]);
    assert_eq!(decided([0.9, 0.05], Some([Keep, Keep])), [Keep, Outside]);
}
