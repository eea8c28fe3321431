//! The standfirst: the introduction of an article below its headline, set apart from its text.

use dom::{Document, NodeId, is_inline, local_name, local_names, normalize_space};
use model::{Field, Source};

use crate::authors::is_field_line;
use crate::date_text::{DayMonthOrder, find_date};
use crate::evidence::{ElementPatterns, MetadataEvidence};
use crate::fields::declared_descriptions;
use crate::learnt::LONGEST_STANDFIRST;
use crate::text::{clip, has_identifier_word, is_unspaced, squash, word_count};

/// A block of text below the headline.
pub(crate) struct LeadBlock {
    pub(crate) id: NodeId,
    pub(crate) pattern: u64,
    /// Number of levels up to an element whose name is that of a standfirst and that does not contain the headline.
    named: Option<usize>,
}

/// Maximum number of blocks below the headline that are examined.
const BLOCKS: usize = 16;
/// Words of a standfirst; in scripts without spaces, a third of the characters.
const WORDS: std::ops::RangeInclusive<usize> = 5..=100;

/// Names of standfirsts in classes and ids.
const NAMES: [&str; 21] = [
    "abstract", "chapo", "dek", "deck", "entradilla", "excerpt", "ingress", "intro", "lead",
    "lede", "preamble", "standfirst", "strapline", "subhead", "subheadline", "subheading",
    "subtitle", "subtitulo", "summary", "untertitel", "vorspann",
];

/// The blocks of text below the headline that may be a standfirst, or the first paragraph, in document order.
pub(crate) fn standfirst_blocks(evidence: &MetadataEvidence<'_>) -> Vec<LeadBlock> {
    let Some(heading) = &evidence.heading else { return Vec::new() };
    let document = evidence.document;
    let end_of_heading = document.node(heading.id).end;
    let mut patterns = ElementPatterns::new(document);
    let mut blocks: Vec<LeadBlock> = Vec::new();
    for line in evidence.lead_lines().iter().filter(|line| line.at >= end_of_heading) {
        let is_block = |id: &NodeId| document.name(*id).is_some_and(|name| !is_inline(name));
        let Some(id) = document.ancestors(line.at).find(is_block) else { continue };
        if blocks.last().is_some_and(|block| block.id == id) || document.contains(id, heading.id) {
            continue;
        }
        if blocks.len() == BLOCKS {
            break;
        }
        let is_named = |id: NodeId| {
            [local_name!("class"), local_name!("id"), local_name!("itemprop")].iter().any(|name| {
                let value = document.attribute(id, name).unwrap_or_default();
                has_identifier_word(value, |word| NAMES.contains(&word))
            })
        };
        let around = document.ancestors(id).take(4);
        let named = around.take_while(|a| !document.contains(*a, heading.id)).position(is_named);
        let pattern = patterns.of(innermost(document, id));
        blocks.push(LeadBlock { id, pattern, named });
    }
    blocks
}

/// The innermost element that contains all text of a block: a paragraph may be in bold.
fn innermost(document: &Document, id: NodeId) -> NodeId {
    let whole = document.text_content(id).trim().len();
    let has_all = |child: &NodeId| {
        document.element(*child).is_some() && document.text_content(*child).trim().len() == whole
    };
    std::iter::successors(Some(id), |id| document.children(*id).find(has_all)).last().unwrap_or(id)
}

/// The text of a block, if it has the length of a standfirst and its form differs from that of the paragraphs after it.
pub(crate) fn text_set_apart(
    evidence: &MetadataEvidence<'_>,
    block: &LeadBlock,
    blocks: &[LeadBlock],
) -> Option<String> {
    let is_alone = blocks.iter().filter(|other| other.pattern == block.pattern).count() == 1;
    if !is_alone || is_caption(evidence, block.id) {
        return None;
    }
    let text = dom::text_of(evidence.document, &[block.id], &[]);
    let text = normalize_space(clip(&text, LONGEST_STANDFIRST + 100));
    let words = match is_unspaced(&text) {
        true => text.chars().count() / 3,
        false => word_count(&text),
    };
    (WORDS.contains(&words) && text.len() <= LONGEST_STANDFIRST && !is_field_line(&text))
        .then_some(text)
}

/// The text in the place where siblings have their standfirsts; else a block set apart that is named as a standfirst or begins
/// like the description; else, on a page without siblings, a sentence before the paragraphs or a heading directly below the
/// headline.
pub(crate) fn subtitle(evidence: &MetadataEvidence<'_>) -> Option<Field<String>> {
    let field = |value: String| Some(Field::new(value, Source::Page));
    let document = evidence.document;
    let title = evidence.heading.as_ref().map(|heading| squash(&heading.text));
    if let Some(place) = &evidence.learnt.standfirst {
        let first = *place.elements(document).first()?;
        let text =
            normalize_space(clip(&dom::text_of(document, &[first], &[]), LONGEST_STANDFIRST));
        let repeats = title.is_some_and(|title| squash(&text) == title);
        return if text.is_empty() || repeats { None } else { field(text) };
    }
    let blocks = standfirst_blocks(evidence);
    let described: Vec<String> =
        declared_descriptions(evidence).take(4).map(|(_, text)| squash(&text)).collect();
    // Siblings would have a standfirst, too.
    let is_by_itself = evidence.learnt.pages == 0;
    // The standfirst is followed by paragraphs of one form, none of which is before it.
    let paragraphs = blocks.windows(2).find(|pair| pair[0].pattern == pair[1].pattern);
    let paragraphs = paragraphs.and_then(|p| blocks.iter().position(|b| b.pattern == p[0].pattern));
    let rank = |at: usize, block: &LeadBlock| {
        if block.named.is_none() && described.is_empty() && !is_by_itself {
            return None;
        }
        let text = text_set_apart(evidence, block, &blocks)?;
        let letters = squash(&text);
        if title.as_ref().is_some_and(|title| letters.contains(&**title)) {
            return None;
        }
        let is_described = described
            .iter()
            .any(|d| *d == letters || letters.len() > 60 && d.starts_with(&*letters));
        // "First published in The Herald on 4 May 2026, and updated since."
        let is_dated = |text: &str| find_date(text, &DayMonthOrder::Unknown).is_some();
        let is_heading = || matches!(document.name(block.id), Some(&local_names!("h2" "h3" "h4")));
        let is_before = || paragraphs.is_some_and(|first| at < first);
        let rank = match block.named {
            Some(0) => 0,
            Some(_) if is_sentence(&text) => 1,
            _ if is_described => 2,
            _ if is_by_itself && is_before() && is_sentence(&text) && !is_dated(&text) => 3,
            _ if is_by_itself && at == 0 && is_heading() => 4,
            _ => return None,
        };
        Some((rank, text))
    };
    let ranked = blocks.iter().enumerate().filter_map(|(at, block)| rank(at, block));
    field(ranked.min_by_key(|found| found.0)?.1)
}

/// Removes a byline from the end of a standfirst: after a sentence, a word or two and the names of the authors.
pub(crate) fn cut_byline(text: &mut String, authors: &[String]) {
    let Some(first) = authors.iter().filter_map(|name| text.rfind(&**name)).min() else { return };
    let names = authors.iter().map(|name| word_count(name)).sum::<usize>();
    let Some(end) = text[..first].rfind(ENDS) else { return };
    let sentence = end + text[end..].chars().next().map_or(0, char::len_utf8);
    let is_byline = word_count(&text[sentence..first]) <= 2
        && word_count(&text[first..]) < names + authors.len();
    if is_byline && is_sentence(&text[..sentence]) {
        text.truncate(sentence);
    }
}

/// Minimum number of words of a sentence.
const SENTENCE: usize = 8;
/// Ends of sentences.
const ENDS: [char; 13] = ['.', '!', '?', '…', '"', '”', '“', '»', '。', '！', '？', '۔', '।'];

fn is_sentence(text: &str) -> bool {
    text.ends_with(ENDS) && (word_count(text) >= SENTENCE || is_unspaced(text))
}

/// Whether a block is in a figure, a table or a note about the author, or is mostly a link.
fn is_caption(evidence: &MetadataEvidence<'_>, id: NodeId) -> bool {
    let document = evidence.document;
    let named = |name: &dom::LocalName| {
        matches!(*name, local_names!("figure" "figcaption" "table" "li" "aside" "form" "nav"))
    };
    document.ancestors(id).any(|around| document.name(around).is_some_and(named))
        || document.ancestors(id).take(4).any(|a| evidence.scan.bylines.binary_search(&a).is_ok())
        || document.subtree(id).any(|inside| {
            document.is(inside, &local_name!("a"))
                && document.text_content(inside).len() * 2 > document.text_content(id).len()
        })
}
