//! The body of a page whose template was learnt by grove.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use dom::xpath::{position_path, position_paths};
use dom::{Document, NodeId, local_name, local_names, normalize_space, text_of};
use grove::{
    ConfidenceInput, DecideParameters, DecidedNodes, Decision, JudgedPage, PatternId, Patterns,
    SampleProfile, ScoredPage, TextBlock, Weights, confidence_rows, decide, ending, ending_rows,
    from_here_on, most_probable, probability_of, widest_from,
};
use metadata::{html_of_text, paragraphs_of};
use model::{FeedItem, PageType, Route};

use crate::body::{ArticleBody, contained};
use crate::page_type::rules_of;
use crate::parsed::{FULL_TEXT_WORDS, ParsedPage};
use crate::stages::extract::thread::{comments_behind, missing_posts, thread_of};
use crate::stages::judge::{CUES, Judgement, decide_parameters};
use crate::stages::wrap::CompiledWrapper;

/// If the wrapper selects less than this share of the text with high scores, and misses more than `MISSED_WORDS` words,
/// the page's own scores are used instead.
const TAKEN: f32 = 0.25;
const MISSED_WORDS: f32 = 15.0;
/// Minimum number of kept words in an `article` element for the text to end with it, and the minimum share of all kept
/// words: one in this many.
const LEAST_ARTICLE: u32 = 50;
const LEAST_SHARE: u32 = 4;
/// Factors by which the threshold is multiplied, tried in turn until something is found.
const LOWERED: [f32; 3] = [1.0, 0.5, 0.2];
/// A full text of at least this many words replaces the elements if they have less than this share of it.
const FULL_TEXT: (u32, f32) = (FULL_TEXT_WORDS, 0.3);

/// What selects the elements of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) enum By<'a> {
    Wrapper(&'a CompiledWrapper),
    /// The decisions on the patterns of its template.
    Patterns,
    Page,
}

impl By<'_> {
    fn route(self) -> Route {
        match self {
            Self::Wrapper(_) => Route::Wrapper,
            Self::Patterns => Route::Patterns,
            Self::Page => Route::PageWise,
        }
    }
}

/// Finds the body of a scored page: by what was learnt of its template or, if that gives nothing or misses too much, by
/// the page's own scores; then removes what comes after the end. If the text is not in the elements, JSON-LD or a feed
/// may have it. `selected` is what was learnt, if anything, and what it selects on this page. If `is_alone`, the template
/// was learnt from this page alone, and its decisions are not computed again, because they would be the same.
pub(crate) fn judged_body(
    parsed: &ParsedPage<'_>,
    page: &JudgedPage,
    judgement: &Judgement,
    is_alone: bool,
    selected: Option<(By<'_>, DecidedNodes)>,
    feed_items: &[&FeedItem],
    weights: &Weights,
) -> Option<ArticleBody> {
    let document = &parsed.document;
    let blocks = &page.blocks.blocks;
    if let Some(body) = full_text(parsed, page, feed_items) {
        return Some(body);
    }
    let found = selected.and_then(|(by, chosen)| {
        let kept = chosen.blocks(document, blocks);
        (!misses(document, page, &kept)).then_some((by, chosen, kept))
    });
    let (by, chosen, kept) = match found {
        Some(found) => found,
        None => {
            let own = is_alone.then_some(judgement);
            let of_page = alone(parsed, page, &page.scores, own, weights)?;
            let by_first = is_headline_alone(document, page, &of_page.1)
                .then(|| alone(parsed, page, &page.first, None, weights));
            let (chosen, kept) = by_first.flatten().unwrap_or(of_page);
            (By::Page, chosen, kept)
        }
    };
    Some(body_of(KeptPart { parsed, page, judgement, by, chosen, kept }, weights))
}

/// Whether [`judged_body`] uses what was learnt of the template, if this selects `chosen` on the page.
pub(crate) fn by_template_alone(
    parsed: &ParsedPage<'_>,
    page: &JudgedPage,
    chosen: &DecidedNodes,
    feed_items: &[&FeedItem],
) -> bool {
    let kept = || chosen.blocks(&parsed.document, &page.blocks.blocks);
    full_text(parsed, page, feed_items).is_none() && !misses(&parsed.document, page, &kept())
}

struct KeptPart<'a> {
    parsed: &'a ParsedPage<'a>,
    page: &'a JudgedPage,
    /// What was learnt about its template.
    judgement: &'a Judgement,
    by: By<'a>,
    chosen: DecidedNodes,
    kept: Vec<usize>,
}

/// Makes the body, without what comes after its end and without what it repeats.
fn body_of(of_page: KeptPart<'_>, weights: &Weights) -> ArticleBody {
    let KeptPart { parsed, page, judgement, by, mut chosen, kept } = of_page;
    let (document, blocks) = (&parsed.document, &page.blocks.blocks);
    let (pools, types) = (&judgement.pools, &judgement.types);
    let probability = probability_of(types, PageType::Forum);
    let posts = thread_of(parsed, blocks, &kept, probability);
    let missing = missing_posts(parsed, blocks, &kept, &posts, probability);
    let holds_missing =
        |id: NodeId| missing.contents.iter().any(|&content| document.contains(id, content));
    chosen.prune.retain(|&id| !holds_missing(id));
    let is_inside = |own: &NodeId| chosen.keep.iter().any(|&id| document.contains(id, *own));
    let added: Vec<NodeId> =
        missing.contents.iter().copied().filter(|own| !is_inside(own)).collect();
    chosen.keep.extend(added);
    chosen.keep.sort_unstable();
    chosen.prune.extend(&missing.parts);
    // Nothing after the last post belongs to a post.
    let behind = posts.iter().map(|post| document.node(post.element).end).max();
    let all = if posts.is_empty() { kept } else { chosen.blocks(document, blocks) };
    let end = behind.map(|end| all.partition_point(|&at| blocks[at].first < end));
    let kept = &all[..end.unwrap_or(all.len())];
    let rows = ending_rows(document, &page.scored(), pools, kept);
    let words: Vec<u32> = kept.iter().map(|&at| blocks[at].words).collect();
    let second: Vec<f32> = kept.iter().map(|&at| page.scores[at]).collect();
    let rules = rules_of(most_probable(types).page_type);
    let mut end = match posts.is_empty() {
        true => ending(&words, &weights.ending.probabilities(&rows), &second),
        false => kept.len(),
    };
    if rules.ends_with_element && posts.is_empty() {
        end = end.min(before_article_end(document, blocks, kept));
    }
    let comments_from = comments_behind(parsed, blocks, kept, probability)
        .map_or(kept.len(), |first| kept.partition_point(|&at| blocks[at].first < first));
    end = end.min(comments_from);
    let taken =
        ConfidenceInput { page: page.scored(), first: &page.first, types, pools, kept, end };
    let rows = confidence_rows(&taken);
    let [confidence, precision, recall] =
        weights.of_articles().map(|trees| f64::from(trees.probability(rows.row(0))));
    let cut = all.get(end).map(|&at| widest_from(document, &chosen.keep, blocks[at].first));
    let inside = |&id: &NodeId| chosen.keep.iter().any(|&root| document.contains(root, id));
    chosen.prune.retain(inside);
    let drops_repeated = || {
        let all: u32 = words[..end].iter().sum();
        let twice = page.blocks.repeated_words(&kept[..end], FEWEST_WORDS);
        rules.drops_repeated || !posts.is_empty() || twice as f32 >= COPY * all as f32
    };
    let repeats = match end > 0 && drops_repeated() {
        true => repeated(document, blocks, &kept[..end], !posts.is_empty()),
        false => Vec::new(),
    };
    let (xpath, mut prune_xpath, engine, wrapper_version) = match by {
        By::Wrapper(learnt) => {
            let wrapper = &learnt.wrapper;
            let with = |own: &[String], more: &[NodeId]| {
                own.iter().cloned().chain(position_paths(document, more)).collect::<Vec<_>>()
            };
            let (content, prune) =
                (with(&wrapper.content, &missing.contents), with(&wrapper.prune, &missing.parts));
            (content, prune, wrapper.engine.clone(), wrapper.version)
        }
        By::Patterns | By::Page => {
            let paths = |nodes: &[NodeId]| position_paths(document, nodes);
            (paths(&chosen.keep), paths(&chosen.prune), "grove".to_owned(), 0)
        }
    };
    prune_xpath.extend(position_paths(document, &repeats));
    let mut left_out = missing.parts;
    left_out.extend(repeats.iter().filter(|_| !posts.is_empty()));
    let mut prune = chosen.prune;
    prune.extend(repeats);
    if let Some(cut) = cut {
        prune.extend(from_here_on(document, &chosen.keep, cut));
    }
    prune.sort_unstable();
    prune.dedup();
    let of_article: BTreeSet<usize> = kept[..end].iter().copied().collect();
    ArticleBody {
        nodes: chosen.keep,
        prune,
        xpath,
        prune_xpath,
        cut: cut.map(|cut| position_path(document, cut)),
        comments: comments(parsed, page, &of_article, &kept[comments_from..]),
        engine,
        route: by.route(),
        wrapper_version,
        confidence,
        expected: Some([precision, recall]),
        boilerplate: pools.boilerplate(&page.blocks, &kept[..end]),
        posts,
        new_elements: page.new_elements(document, &kept[..end]),
        left_out,
        elsewhere: None,
    }
}

/// Returns how many of the kept blocks come before the end of the page's own `article` element, if this has enough of
/// their words; otherwise all. What follows it is comments or other stories.
fn before_article_end(document: &Document, blocks: &[TextBlock], kept: &[usize]) -> usize {
    let Some((start, end)) = own_article(document) else { return kept.len() };
    let words = |of: &[usize]| of.iter().map(|&at| blocks[at].words).sum::<u32>();
    let before = kept.partition_point(|&at| blocks[at].first < start);
    let within = kept.partition_point(|&at| blocks[at].first < end);
    let inside = words(&kept[before..within]);
    let is_whole = inside >= LEAST_ARTICLE && LEAST_SHARE * inside >= words(kept);
    if is_whole { within } else { kept.len() }
}

/// Returns the range of the page's only outermost `article` element, or of the only one with an `h1`.
fn own_article(document: &Document) -> Option<(NodeId, NodeId)> {
    let mut articles: Vec<(NodeId, NodeId)> = Vec::new();
    let mut id = 0;
    while (id as usize) < document.len() {
        let is_article = document.is(id, &local_name!("article"));
        let end = if is_article { document.node(id).end } else { id + 1 };
        if is_article {
            articles.push((id, end));
        }
        id = end;
    }
    if articles.len() > 1 {
        articles.retain(|&(start, end)| (start..end).any(|id| document.is(id, &local_name!("h1"))));
    }
    <[_; 1]>::try_from(articles).ok().map(|[own]| own)
}

/// Whether the kept blocks have too little of the text with high scores.
fn misses(document: &Document, page: &JudgedPage, kept: &[usize]) -> bool {
    let all = mass_of(page, &page.scores);
    let taken: f32 = kept.iter().map(|&at| page.mass(at, &page.scores)).sum();
    kept.is_empty()
        || (taken < TAKEN * all && all - taken > MISSED_WORDS)
        || is_headline_alone(document, page, kept)
}

/// Whether only headings are kept of a page that has a text by its first scores. Siblings lower the scores of short
/// notices that end with the same paragraphs, because these are alike in everything else.
fn is_headline_alone(document: &Document, page: &JudgedPage, kept: &[usize]) -> bool {
    let is_heading =
        |&at: &usize| document.name(page.blocks.blocks[at].element).is_some_and(dom::is_heading);
    kept.iter().all(is_heading) && mass_of(page, &page.first) > MISSED_WORDS
}

/// Returns the number of words of a page, weighted by scores.
fn mass_of(page: &JudgedPage, scores: &[f32]) -> f32 {
    (0..scores.len()).map(|at| page.mass(at, scores)).sum()
}

/// Returns what the scores of a page keep by its own patterns, with a lower threshold if that is nothing. `own` is what
/// was learnt from this page alone, if it was.
fn alone(
    parsed: &ParsedPage<'_>,
    page: &JudgedPage,
    scores: &[f32],
    own: Option<&Judgement>,
    weights: &Weights,
) -> Option<(DecidedNodes, Vec<usize>)> {
    let (document, blocks) = (&parsed.document, &page.blocks.blocks);
    let kept_of = |of_nodes: &[PatternId], decisions: &[Decision]| {
        let chosen = DecidedNodes::of(document, of_nodes, decisions);
        let kept = chosen.blocks(document, blocks);
        (!kept.is_empty()).then_some((chosen, kept))
    };
    // The patterns are then known, and were decided on with the full threshold.
    if let Some(found) = own.and_then(|own| kept_of(&page.of_nodes, &own.decisions)) {
        return Some(found);
    }
    let (patterns, of_nodes) = Patterns::of(&[document]);
    let scored = ScoredPage { patterns: &of_nodes[0], scores, ..page.scored() };
    let parameters = decide_parameters(weights);
    let lowered = if own.is_some() { &LOWERED[1..] } else { &LOWERED };
    lowered.iter().find_map(|&factor| {
        let decisions =
            decide(&[scored], &patterns, &[], None, &DecideParameters { factor, ..parameters });
        kept_of(&of_nodes[0], &decisions)
    })
}

/// Returns the full text from the page's JSON-LD, a feed item or the data for its scripts, if the elements have little of it.
fn full_text(
    parsed: &ParsedPage<'_>,
    page: &JudgedPage,
    items: &[&FeedItem],
) -> Option<ArticleBody> {
    let (elsewhere, route) = declared_text(parsed, page, items)
        .or_else(|| Some((data_text(parsed, page)?, Route::PageData)))?;
    Some(ArticleBody {
        engine: "grove".to_owned(),
        route,
        // The text comes from the publisher, but is often an excerpt.
        confidence: 0.5,
        elsewhere: Some(elsewhere),
        ..ArticleBody::default()
    })
}

/// Returns the full text from the data for a page's scripts, if the page shows nothing or only a part of it.
fn data_text(parsed: &ParsedPage<'_>, page: &JudgedPage) -> Option<Arc<Document>> {
    let shown = mass_of(page, &page.scores);
    // Most pages show their text, and reading data is slow.
    if shown >= SHOWN_AT_MOST as f32 || !parsed.may_lack_text() {
        return None;
    }
    let data = parsed.data_text().filter(|data| data.words as f32 >= FULLER as f32 * shown)?;
    let is_of_data = || {
        let taken =
            (page.blocks.blocks.iter().zip(&page.scores)).filter(|(_, score)| **score >= 0.5);
        let ids = taken.flat_map(|(block, _)| block.first..=block.last);
        let text: Vec<&str> = ids.filter_map(|id| parsed.document.text(id)).collect();
        let of_data = text_of(&data.document, &[0], &[]);
        contained(&text.join(" "), &of_data) >= CONTAINED
    };
    (shown < NOTICE || is_of_data()).then(|| Arc::clone(&data.document))
}

/// Returns the full text from the page's JSON-LD or a feed item, if the elements have little of it.
fn declared_text(
    parsed: &ParsedPage<'_>,
    page: &JudgedPage,
    items: &[&FeedItem],
) -> Option<(Arc<Document>, Route)> {
    let found = match page.blocks.blocks.is_empty() {
        true => 0.0,
        false => page.blocks.agreeing_words()?,
    };
    let own = parsed.json_ld().article().and_then(|article| article.body.as_deref());
    let (html, route) = match own {
        // Some publishers include markup in the text.
        Some(body) => (html_of_text(body), Route::JsonLd),
        None => (paragraphs_of(items.first()?.content.as_ref()?), Route::Feed),
    };
    let document = dom::parse(&html);
    let words = terms::count_words(&text_of(&document, &[0], &[]));
    let is_missing = words >= FULL_TEXT.0 && found < FULL_TEXT.1 * words as f32;
    is_missing.then(|| (Arc::new(document), route))
}

/// Returns readers' comments: blocks outside of the article whose elements are named so, and the blocks `found`.
fn comments(
    parsed: &ParsedPage<'_>,
    page: &JudgedPage,
    of_article: &BTreeSet<usize>,
    found: &[usize],
) -> String {
    let mut comments: Vec<String> = Vec::new();
    for (at, block) in page.blocks.blocks.iter().enumerate() {
        let links_only = block.link_words * 2 > block.words;
        let is_comment = || page.blocks.is_comment(at) || found.binary_search(&at).is_ok();
        if of_article.contains(&at) || links_only || !is_comment() {
            continue;
        }
        comments.push(text_of_block(&parsed.document, block));
    }
    comments.join("\n\n")
}

fn text_of_block(document: &Document, block: &TextBlock) -> String {
    let texts = (block.first..=block.last).filter_map(|id| document.text(id));
    normalize_space(&texts.collect::<String>())
}

/// A page that shows this many words of an article shows the whole article.
const SHOWN_AT_MOST: u32 = 150;
/// A shown text of fewer words may be a notice; of a longer one, this share must be in the full text that replaces it.
const NOTICE: f32 = 40.0;
const CONTAINED: f64 = 0.6;

/// If a full text has more than this many times the kept words, it may contain text that the page lacks.
const FULLER: u32 = 2;

/// Finds the body by the wrapper (or, without one, by the decisions on patterns), with the expected scores of each
/// pattern instead of the page's own. `None` if the page differs from the sample, so that it must be scored. `selected`
/// is what is selected on the page, if that is known.
pub(crate) fn fast_body(
    parsed: &ParsedPage<'_>,
    feed_items: &[&FeedItem],
    (judgement, profile, learnt): (&Judgement, &SampleProfile, Option<&CompiledWrapper>),
    selected: Option<DecidedNodes>,
    judged: Option<&JudgedPage>,
    weights: &Weights,
) -> Option<ArticleBody> {
    let ParsedPage { document, words, link_words, .. } = parsed;
    let (of_nodes, blocks) = match judged {
        Some(judged) => (judged.of_nodes.clone(), judged.blocks.blocks.clone()),
        None => (judgement.patterns.find(document), grove::blocks(document, words, link_words)),
    };
    let mut fast = CUES.with_borrow_mut(|cues| profile.look(document, of_nodes, blocks, cues));
    let chosen = selected.unwrap_or_else(|| match learnt {
        Some(learnt) => learnt.select(document),
        None => DecidedNodes::of(document, &fast.of_nodes, &judgement.decisions),
    });
    let kept = chosen.blocks(document, &fast.blocks.blocks);
    if !profile.fits(&fast, &kept) {
        return None;
    }
    let words: u32 = kept.iter().map(|&at| fast.blocks.blocks[at].words).sum();
    let fuller = FULL_TEXT.0.max(FULLER * words);
    if parsed.full_text_words(feed_items) > fuller
        || words < SHOWN_AT_MOST
            && parsed.may_lack_text()
            && parsed.data_text().is_some_and(|data| data.words > fuller)
    {
        return None;
    }
    fast.look_at(document, &kept, &judgement.pools);
    let by = learnt.map_or(By::Patterns, By::Wrapper);
    Some(body_of(KeptPart { parsed, page: &fast, judgement, by, chosen, kept }, weights))
}

/// Minimum share of an article that repeats the rest for the article to be on its page twice.
const COPY: f32 = 0.4;
/// Shorter texts repeat for other reasons: labels, headings, prices.
const FEWEST_WORDS: u32 = 12;

/// Returns the nodes of kept blocks with the same text as an earlier one, ascending. Repetition under the same parent is
/// intended by the author (a refrain), and so is repetition in tables, except of a thread, and in code. Linear in the text of
/// long blocks.
fn repeated(
    document: &Document,
    blocks: &[TextBlock],
    kept: &[usize],
    is_thread: bool,
) -> Vec<NodeId> {
    let mut first: HashMap<String, NodeId> = HashMap::new();
    let mut nodes = Vec::new();
    for block in kept.iter().map(|&at| &blocks[at]) {
        if block.words < FEWEST_WORDS {
            continue;
        }
        let parent = document.node(block.element).parent;
        let text = text_of_block(document, block);
        // Mail marks quoted lines (RFC 3676).
        let text = text.trim_start_matches(['>', ' ']).to_owned();
        let of_first = *first.entry(text).or_insert(parent);
        if of_first == parent || is_verbatim(document, block.element, is_thread) {
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

/// Whether an element is part of a table or of code. Tables of threads are layout.
fn is_verbatim(document: &Document, element: NodeId, is_thread: bool) -> bool {
    let mut names = document.ancestors(element).filter_map(|id| document.name(id));
    names.any(|name| match *name {
        local_names!("pre" "code") => true,
        local_names!("table" "dl") => !is_thread,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use dom::PrefixSums;

    use super::*;

    /// The text that is left.
    fn left(html: &str) -> String {
        left_of(html, false)
    }

    fn left_of(html: &str, is_thread: bool) -> String {
        let document = dom::parse(html);
        let count = |id| document.text(id).map_or(0, |t| t.split_whitespace().count() as u32);
        let words = PrefixSums::new(&document, count);
        let links = PrefixSums::within_links(&document, count);
        let blocks = grove::blocks(&document, &words, &links);
        let kept: Vec<usize> = (0..blocks.len()).collect();
        dom::text_of(&document, &[0], &repeated(&document, &blocks, &kept, is_thread))
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
        // Tables of threads are layout, and lines of mail are quoted.
        assert_eq!(
            left_of(&table.replace("><tr><td>one", "><tr><td><p>one"), true)
                .matches("twelve")
                .count(),
            1
        );
        assert_eq!(
            left(&format!("<div><p>{LONG}</p></div><p>&gt; {LONG}</p>")).matches("twelve").count(),
            1
        );
        assert_eq!(left("<div><p>a b</p></div><div><p>a b</p></div>").matches("a b").count(), 2);
    }
}
