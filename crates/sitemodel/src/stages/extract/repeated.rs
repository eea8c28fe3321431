//! Paragraphs that a page has twice: quotations of earlier posts, copies of cards in a carousel, the same text for
//! narrow screens.

use std::collections::HashMap;

use dom::{Document, NodeId, local_name, normalize_space};
use grove::Block;

/// Shorter texts repeat for other reasons: labels, headings, prices.
const FEWEST_WORDS: u32 = 12;

/// The nodes of kept blocks whose text an earlier one has too, ascending. Repetition beside the first, under the same
/// parent, is the author's (a refrain), and so is that in tables and code. Linear in the text of long blocks.
pub(super) fn repeated(document: &Document, blocks: &[Block], kept: &[usize]) -> Vec<NodeId> {
    let mut first: HashMap<String, NodeId> = HashMap::new();
    let mut nodes = Vec::new();
    for block in kept.iter().map(|&at| &blocks[at]) {
        if block.words < FEWEST_WORDS {
            continue;
        }
        let parent = document.node(block.element).parent;
        let texts = (block.first..=block.last).filter_map(|id| document.text(id));
        let text = normalize_space(&texts.collect::<String>());
        let of_first = *first.entry(text).or_insert(parent);
        if of_first == parent || is_verbatim(document, block.element) {
            continue;
        }
        let end = document.node(block.element).end;
        let has_text = |id: NodeId| document.text(id).is_some_and(|text| !text.trim().is_empty());
        let mut beside = (block.element..block.first).chain(block.last + 1..end);
        if beside.any(has_text) {
            nodes.extend((block.first..=block.last).filter(|&id| has_text(id)));
        } else {
            nodes.push(block.element);
        }
    }
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Whether an element is part of a table or of code.
fn is_verbatim(document: &Document, element: NodeId) -> bool {
    let is = |id| {
        document.name(id).is_some_and(|name| {
            matches!(
                *name,
                local_name!("table") | local_name!("pre") | local_name!("code") | local_name!("dl")
            )
        })
    };
    document.ancestors(element).any(is)
}

#[cfg(test)]
mod tests {
    use dom::PrefixSums;

    use super::*;

    /// The text that is left.
    fn left(html: &str) -> String {
        let document = dom::parse(html);
        let count = |id| document.text(id).map_or(0, |t| t.split_whitespace().count() as u32);
        let words = PrefixSums::new(&document, count);
        let links = PrefixSums::within_links(&document, count);
        let blocks = grove::blocks(&document, &words, &links);
        let kept: Vec<usize> = (0..blocks.len()).collect();
        dom::text_of(&document, &[0], &repeated(&document, &blocks, &kept))
    }

    const LONG: &str = "one two three four five six seven eight nine ten eleven twelve";

    #[test]
    fn a_quotation_of_an_earlier_post_is_left_out() {
        let html = format!(
            "<div><p>{LONG}</p></div><div><blockquote>{LONG}</blockquote><p>No.</p></div>\
             <div>{LONG}<br><br>Yes.</div>"
        );
        assert_eq!(left(&html), format!("{LONG}\n\nNo.\n\nYes."));
    }

    #[test]
    fn refrains_tables_and_short_texts_stay() {
        let refrain = format!("<div><p>{LONG}</p><p>a</p><p>{LONG}</p></div>");
        assert_eq!(left(&refrain).matches("twelve").count(), 2);
        let table = format!("<table><tr><td>{LONG}</td></tr><tr><td>{LONG}</td></tr></table>");
        assert_eq!(left(&table).matches("twelve").count(), 2);
        assert_eq!(left("<div><p>a b</p></div><div><p>a b</p></div>").matches("a b").count(), 2);
    }
}
