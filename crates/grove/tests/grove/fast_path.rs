//! Expected scores, and pages that resemble the sample.

use dom::{Document, NodeId, PrefixSums};
use sitegrove_grove::{
    Cues, DecidedNodes, JudgedPage, Patterns, SampleProfile, ScoredPage, ScoredSample, TextBlock,
    blocks,
};

struct Parsed {
    document: Document,
    words: PrefixSums,
    links: PrefixSums,
}

fn parsed(html: &str) -> Parsed {
    let document = dom::parse(html);
    let count = |id| document.text(id).map_or(0, |t| t.split_whitespace().count() as u32);
    let words = PrefixSums::new(&document, count);
    let links = PrefixSums::within_links(&document, count);
    Parsed { document, words, links }
}

fn text(word: &str) -> String {
    [word; 20].join(" ")
}

fn post(body: &str) -> String {
    format!("<ul class=menu><li>{}</ul><div class=text>{body}</div>", text("menu"))
}

fn kept(page: &Parsed, blocks: &[TextBlock]) -> Vec<usize> {
    let named =
        |id: &NodeId| page.document.attribute(*id, &dom::local_name!("class")) == Some("text");
    let keep = page.document.ids().filter(named).collect();
    DecidedNodes { keep, prune: Vec::new() }.blocks(&page.document, blocks)
}

/// A profile of posts whose paragraphs score 0.9 and all else 0.1.
fn profile() -> (SampleProfile, Patterns) {
    let body = format!("<p>{}<div id=comments><p>{}</div>", text("own"), text("reply"));
    let pages: Vec<Parsed> = (0..3).map(|_| parsed(&post(&body))).collect();
    let documents: Vec<&Document> = pages.iter().map(|page| &page.document).collect();
    let (patterns, of_nodes) = Patterns::of(&documents);
    let empty = SampleProfile::of(&[], &patterns, &mut Cues::new());
    let looked_at: Vec<JudgedPage> =
        pages.iter().map(|page| expect(&empty, &patterns, page)).collect();
    let scores = [0.1, 0.9, 0.1];
    let kept = [1];
    let sample: Vec<ScoredSample<'_>> = (pages.iter().zip(&looked_at).zip(&of_nodes))
        .map(|((page, fast), patterns)| ScoredSample {
            document: &page.document,
            page: ScoredPage { page: &fast.blocks, patterns, scores: &scores },
            first: &scores,
            kept: &kept,
        })
        .collect();
    (SampleProfile::of(&sample, &patterns, &mut Cues::new()), patterns)
}

fn expect(profile: &SampleProfile, patterns: &Patterns, page: &Parsed) -> JudgedPage {
    let Parsed { document, words, links } = page;
    let blocks = blocks(document, words, links);
    profile.look(document, patterns.find(document), blocks, &mut Cues::new())
}

fn look(html: &str) -> (JudgedPage, bool) {
    let (profile, patterns) = profile();
    let page = parsed(html);
    let fast = expect(&profile, &patterns, &page);
    let kept = kept(&page, &fast.blocks.blocks);
    let fits = profile.fits(&fast, &kept);
    (fast, fits)
}

#[test]
fn blocks_score_as_the_sample_s_of_their_pattern() {
    let body = format!("<p>{}<div id=comments><p>{}</div>", text("new"), text("answer"));
    let (fast, _) = look(&post(&body));
    assert_eq!(fast.scores, [0.1, 0.9, 0.1]);
    assert_eq!(fast.first, fast.scores);
    let comments: Vec<bool> = (0..3).map(|at| fast.blocks.is_comment(at)).collect();
    assert_eq!(comments, [false, false, true]);
}

#[test]
fn unknown_elements_score_as_what_is_around_them() {
    let (fast, fits) = look(&post(&format!("<p>{}<h4>b b b b b</h4>", text("a"))));
    assert_eq!(fast.scores.len(), 3);
    assert!((fast.scores[2] - 0.5).abs() < 1e-6, "{:?}", fast.scores);
    assert!(fits, "a few words of what is kept may be of any pattern");
}

#[test]
fn pages_that_are_laid_out_otherwise_do_not_fit() {
    assert!(look(&post(&format!("<p>{}", text("a")))).1);
    assert!(!look(&post("")).1, "nothing is kept");
    let elsewhere = format!("<section>{}</section><div class=text><p>a b c</div>", text("a"));
    assert!(!look(&elsewhere).1, "most words are in an unknown element");
    assert!(!look(&post(&format!("<div id=comments><p>{}</div>", text("a")))).1, "low scores");
}
