use super::*;
use crate::text::tests::{find, texts};

fn ratio_of(html: &str, name: &str, ratio: LeafRatio) -> f64 {
    let d = dom::parse(html);
    ContentNodes::new(&d, ratio).ratio[find(&d, name) as usize]
}

/// Example 4.3: a formatted sentence is one leaf.
#[test]
fn formatted_sentence_is_one_leaf() {
    let html = "<div><em>Gisela Molina</em>, author of the book <strong>Ethical Life</strong>, \
                will be interviewed tomorrow in <a href=x>BBC</a>.</div>";
    assert_eq!(ratio_of(html, "div", LeafRatio::WordsLeaves), 14.0);
    // em, strong, a, their three texts, two texts in between ("." has no word), and the div: 9 nodes.
    assert_eq!(ratio_of(html, "div", LeafRatio::WordsNodes), 14.0 / 9.0);
    assert_eq!(ratio_of("<div>ab <b>cde</b></div>", "div", LeafRatio::CharactersLeaves), 5.0);
    assert_eq!(ratio_of("<div>ab <b>cde</b></div>", "div", LeafRatio::CharactersNodes), 5.0 / 4.0);
}

/// Figure 5, each branch: a run ends at a table, and at a child with more than one leaf.
#[test]
fn runs_of_leaves_end() {
    let rows = "<table><tr><td>c</td></tr><tr><td>d</td></tr></table>";
    let html = format!("<div>a<b>b</b>{rows}<i>e</i>f</div>");
    assert_eq!(ratio_of(&html, "div", LeafRatio::WordsLeaves), 6.0 / 4.0, "[a b] c d [e f]");
    let html = "<div>a<div style='position: ABSOLUTE'>b</div>c</div>";
    assert_eq!(ratio_of(html, "div", LeafRatio::WordsLeaves), 1.0, "a, b and c are three leaves");
    let html = "<div>a<div>b</div>c</div>";
    assert_eq!(ratio_of(html, "div", LeafRatio::WordsLeaves), 3.0);
}

/// Definition 4.1: invisible subtrees and branches without words are not content nodes.
#[test]
fn content_nodes() {
    let d = dom::parse(
        "<p>a</p><div><hr><p>- !</p></div><div style='Display : none'><p>b</div>\
         <p style=visibility:hidden>c</p><p hidden>d</p><script>e</script>",
    );
    let nodes = ContentNodes::new(&d, LeafRatio::WordsLeaves);
    let content: Vec<_> = d.ids().filter(|&id| nodes.content[id as usize]).collect();
    assert_eq!(content, [body(&d), find(&d, "p"), find(&d, "p") + 1]);
    assert!(words_leaves(&dom::parse("<p>!"), &WordsLeavesConfig::PUBLISHED).is_empty());
}

/// Calculated manually. Words and leaves: menu 2/2, article 20/2 (a list of two items of 10 words),
/// foot 2/1, body 24/5. Highest ratio 10 (each item), root 4.8, threshold √48 ≈ 6.93. Initial
/// nodes: article and its items with their texts, numbers 6 to 10; all have ratio 10, so their
/// weights are the positions 1, 3/4, 1/2, 1/4, 0.
///
/// Normalised (ratio/10): items 3/4 and 1/4 (text ½·1 is less than the item's own ¾; the second
/// item's text has 0), article max(1, 3/4 + 1/4) = 1, body 0.48: the article is selected.
///
/// Literal (ratio): texts 5 and 0, items 10·max(¾, 5) = 50 and 10·max(¼, 0) = 2.5, article 10 ·
/// 52.5 = 525, body 4.8 · 525 = 2520: the body is selected.
#[test]
fn small_page() {
    let ten = "one two three four five six seven eight nine ten";
    let html =
        format!("<menu><li>a<li>b</menu><ol><li>{ten}<li>{ten}</ol><footer><h6>c d</h6></footer>");
    let d = dom::parse(&html);
    assert_eq!(ratio_of(&html, "menu", LeafRatio::WordsLeaves), 1.0);
    assert_eq!(ratio_of(&html, "ol", LeafRatio::WordsLeaves), 10.0);
    assert_eq!(ratio_of(&html, "body", LeafRatio::WordsLeaves), 4.8);
    let best = |config| words_leaves(&d, &config);
    assert_eq!(best(WordsLeavesConfig::PUBLISHED), [find(&d, "ol")]);
    assert_eq!(best(WordsLeavesConfig::AS_PRINTED), [find(&d, "body")]);
}

/// Definition 4.7: of equal nodes, the one with the lower identifier is selected, which is the outer node.
#[test]
fn ties_go_up() {
    let d = dom::parse("<div><p>a b c</p></div>");
    assert_eq!(words_leaves(&d, &WordsLeavesConfig::PUBLISHED), [find(&d, "body")]);
}

/// The relevance of a deep page overflows to infinity as printed, and the root is selected.
#[test]
fn deep_pages() {
    let html = "<div>".repeat(500) + &"word ".repeat(10_000);
    let d = dom::parse(&html);
    assert_eq!(texts(&d, &words_leaves(&d, &WordsLeavesConfig::AS_PRINTED)).len(), 1);
    assert_eq!(words_leaves(&d, &WordsLeavesConfig::AS_PRINTED), [body(&d)]);
}
