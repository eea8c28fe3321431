//! Recomputes what the engine of a run knows about a template's blocks.

use std::collections::{BTreeMap, BTreeSet};

use dom::{Document, Element, NodeId, class_tokens, local_name, normalize_space};
use forest::PageTerms;
use grove::{Decision, JudgedPage, PatternId, Patterns, ScoredPage, TextBlock, UNKNOWN, threshold};
use model::contain_panics;
use rayon::prelude::*;
use sitemodel::stages::judge::{Judgement, judge};
use sitemodel::stages::signify::{SignifiedPage, signify};
use sitemodel::{Engine, ParsedPage, Settings, SiblingPage};
use xxhash_rust::xxh3::xxh3_64;

use super::{PagesAgain, TemplatePages};

#[derive(Default)]
pub(super) struct TemplateEvidence {
    /// Evidence by the index of the page in its site.
    pub(super) pages: BTreeMap<u32, PageEvidence>,
    /// The patterns of the default engine; `None` for other engines.
    pub(super) patterns: Option<PatternTable>,
    pub(super) failed: bool,
}

/// What the engine knows about a page; lists are in the order of the page's blocks, and empty if the engine
/// has no such values.
#[derive(Default)]
pub(super) struct PageEvidence {
    /// For each block, the probability that it belongs to the article.
    pub(super) scores: Vec<f32>,
    /// For each block, whether its elements are named like comments.
    pub(super) comments: Vec<bool>,
    /// For each block, its structural pattern.
    pub(super) patterns: Vec<String>,
    /// For each block, the number of signifiers and of all terms.
    pub(super) hits: Vec<(u32, u32)>,
    /// The page's signifiers with their weights, the heaviest first.
    pub(super) signifiers: Vec<(String, f64)>,
}

/// The patterns of a template with text, by descending number of words.
pub(super) struct PatternTable {
    /// Number of pages they were learnt from.
    pub(super) siblings: usize,
    /// Score from which on a word belongs to the article.
    pub(super) threshold: f32,
    pub(super) rows: Vec<PatternRow>,
}

/// A pattern pooled over the siblings.
pub(super) struct PatternRow {
    pub(super) name: String,
    pub(super) decision: Decision,
    /// Siblings that have it.
    pub(super) pages: usize,
    pub(super) blocks: usize,
    pub(super) words: u32,
    pub(super) link_words: u32,
    /// Mean score of its words.
    pub(super) score: f64,
    /// Number of different texts among its blocks.
    pub(super) distinct: usize,
}

/// Recomputes what the engine knows about a template; `needed` are the pages to show. After a panic, nothing is known.
pub(super) fn find_evidence(
    site: &PagesAgain<'_>,
    template: &TemplatePages,
    settings: &Settings,
    needed: &[u32],
) -> TemplateEvidence {
    let find = || match settings.tables().rank.engine {
        Engine::Grove => find_of_grove(site, template, settings, needed),
        Engine::Forest(_) => find_of_forest(site, &template.members, settings),
        _ => TemplateEvidence::default(),
    };
    contain_panics(find)
        .unwrap_or_else(|_| TemplateEvidence { failed: true, ..TemplateEvidence::default() })
}

fn find_of_forest(site: &PagesAgain<'_>, members: &[u32], settings: &Settings) -> TemplateEvidence {
    let order = &members[..members.len().min(settings.tables().rank.learn_from)];
    if order.len() < 2 {
        return TemplateEvidence::default();
    }
    let siblings = siblings_of(site, order);
    TemplateEvidence { pages: find_hits(order, &siblings, settings), ..TemplateEvidence::default() }
}

fn find_of_grove(
    site: &PagesAgain<'_>,
    TemplatePages { members, corrections, .. }: &TemplatePages,
    settings: &Settings,
    needed: &[u32],
) -> TemplateEvidence {
    let learn_from = settings.tables().rank.learn_from;
    // Pages that are not in the sample are scored only if they are shown.
    let last = members.iter().rposition(|index| needed.contains(index)).map_or(0, |at| at + 1);
    let order = &members[..members.len().min(last.max(learn_from))];
    let siblings = siblings_of(site, order);
    let weights = &settings.weights().weights;
    let learnt_from = siblings.len().min(learn_from.max(1));
    let (sample, more) = siblings.split_at(learnt_from);
    let (judgement, judged) = judge(sample, None, corrections, weights);
    let judge_page = |page| judgement.judge_page(page, weights);
    let more: Vec<JudgedPage> = more.par_iter().map(judge_page).collect();
    let documents: Vec<&ParsedPage<'_>> = sample.iter().map(|s| s.page).collect();
    let of_nodes: Vec<&[PatternId]> = judged.iter().map(|page| &page.of_nodes[..]).collect();
    let names = PatternNames::new(&judgement.patterns, &documents, &of_nodes);
    let mut pages: BTreeMap<u32, PageEvidence> = BTreeMap::new();
    for (index, page) in order.iter().zip(judged.iter().chain(&more)) {
        let blocks = &page.blocks.blocks;
        let own = pages.entry(*index).or_default();
        own.scores = page.scores.clone();
        own.comments = (0..blocks.len()).map(|at| page.blocks.is_comment(at)).collect();
        let name = |block: &TextBlock| names.name(page.of_nodes[block.element as usize]);
        own.patterns = blocks.iter().map(name).collect();
    }
    let rows = pool_patterns(&judgement, &judged, &documents, &names);
    let siblings = judgement.learnt_from;
    let scored: Vec<ScoredPage<'_>> = judged.iter().map(JudgedPage::scored).collect();
    let threshold = threshold(&scored);
    let patterns = Some(PatternTable { siblings, threshold, rows });
    TemplateEvidence { pages, patterns, failed: false }
}

fn siblings_of<'a>(site: &PagesAgain<'a>, order: &[u32]) -> Vec<SiblingPage<'a>> {
    let sibling = |&index: &u32| SiblingPage {
        page: &site.pages[index as usize],
        feed_items: &site.feed_items[index as usize],
    };
    order.iter().map(sibling).collect()
}

/// The signifiers of sibling pages, and how many of each block's terms are signifiers.
fn find_hits(
    order: &[u32],
    siblings: &[SiblingPage<'_>],
    settings: &Settings,
) -> BTreeMap<u32, PageEvidence> {
    let signified = signify(siblings, &settings.tables().signify);
    let of_page = |((index, sibling), signified): ((&u32, &SiblingPage<'_>), SignifiedPage)| {
        let weights: BTreeSet<u64> = signified.weights.iter().map(|w| w.0).collect();
        let hits = |block: &TextBlock| count_hits(&signified.terms, &weights, block);
        let ParsedPage { document, words, link_words, .. } = sibling.page;
        let blocks = grove::blocks(document, words, link_words);
        let page = PageEvidence {
            hits: blocks.iter().map(hits).collect(),
            signifiers: signified.signifiers.terms,
            ..PageEvidence::default()
        };
        (*index, page)
    };
    order.iter().zip(siblings).zip(signified).map(of_page).collect()
}

fn count_hits(terms: &PageTerms, signifiers: &BTreeSet<u64>, block: &TextBlock) -> (u32, u32) {
    let terms = terms.between(block.first, block.last);
    let hits = terms.iter().filter(|term| signifiers.contains(term)).count();
    (hits as u32, terms.len() as u32)
}

#[derive(Default)]
struct PatternSums {
    pages: BTreeSet<usize>,
    texts: BTreeSet<u64>,
    blocks: usize,
    words: u32,
    link_words: u32,
    scored_words: f64,
}

fn pool_patterns(
    judgement: &Judgement,
    judged: &[JudgedPage],
    sample: &[&ParsedPage<'_>],
    names: &PatternNames,
) -> Vec<PatternRow> {
    let mut sums: BTreeMap<PatternId, PatternSums> = BTreeMap::new();
    for (at, (page, parsed)) in judged.iter().zip(sample).enumerate() {
        for (block, score) in page.blocks.blocks.iter().zip(&page.scores) {
            let id = page.of_nodes[block.element as usize];
            if id == UNKNOWN {
                continue;
            }
            let own = sums.entry(id).or_default();
            own.pages.insert(at);
            own.texts.insert(xxh3_64(text_of_block(&parsed.document, block).as_bytes()));
            own.blocks += 1;
            own.words += block.words;
            own.link_words += block.link_words;
            own.scored_words += f64::from(block.words) * f64::from(*score);
        }
    }
    let row = |(id, own): (PatternId, PatternSums)| PatternRow {
        name: names.name(id),
        decision: judgement.decisions[id as usize],
        pages: own.pages.len(),
        blocks: own.blocks,
        words: own.words,
        link_words: own.link_words,
        score: own.scored_words / f64::from(own.words.max(1)),
        distinct: own.texts.len(),
    };
    let mut rows: Vec<PatternRow> = sums.into_iter().map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.words));
    rows
}

/// Number of steps in a pattern's name: the innermost steps.
const STEPS: usize = 4;
/// Number of names of an element that are shown.
const NAMES: usize = 3;

/// Names of patterns: the steps from the root with the ids and class names that all their elements
/// have.
struct PatternNames {
    /// For each pattern, its parent and its own step.
    steps: Vec<(PatternId, Option<PatternStep>)>,
}

#[derive(Clone, PartialEq, Eq)]
struct PatternStep {
    tag: String,
    /// `#id` and `.class`.
    names: Vec<String>,
}

impl PatternStep {
    fn new(element: Element<'_>) -> Self {
        let id = element.attribute(&local_name!("id")).map(str::trim).filter(|id| !id.is_empty());
        let class = element.attribute(&local_name!("class")).unwrap_or_default();
        let classes = class_tokens(class).map(|token| format!(".{token}"));
        let names = id.map(|id| format!("#{id}")).into_iter().chain(classes).collect();
        Self { tag: element.name.to_string(), names }
    }

    fn text(&self) -> String {
        let mut text = self.tag.clone();
        text.extend(self.names.iter().take(NAMES).map(String::as_str));
        text
    }
}

impl PatternNames {
    /// Names the patterns of sibling pages; `of_nodes` has the patterns of each page's nodes. Linear in the nodes.
    fn new(patterns: &Patterns, pages: &[&ParsedPage<'_>], of_nodes: &[&[PatternId]]) -> Self {
        let mut steps: Vec<(PatternId, Option<PatternStep>)> =
            (0..patterns.len()).map(|id| (patterns.parent(id as PatternId), None)).collect();
        for (page, of_nodes) in pages.iter().zip(of_nodes) {
            for id in page.document.ids() {
                let Some(element) = page.document.element(id) else { continue };
                let Some((_, step)) = steps.get_mut(of_nodes[id as usize] as usize) else {
                    continue;
                };
                let own = PatternStep::new(element);
                match step {
                    Some(step) => {
                        let own: BTreeSet<String> = own.names.into_iter().collect();
                        step.names.retain(|name| own.contains(name));
                    }
                    None => *step = Some(own),
                }
            }
        }
        Self { steps }
    }

    /// The name of a pattern; empty for an unknown one.
    fn name(&self, id: PatternId) -> String {
        let mut steps = Vec::new();
        let mut at = id;
        while at != UNKNOWN
            && let Some((parent, step)) = self.steps.get(at as usize)
        {
            steps.extend(step.as_ref().map(PatternStep::text));
            if *parent == at {
                break;
            }
            at = *parent;
        }
        join_steps(steps)
    }
}

/// The name of a single element, in the same form as the names of patterns.
pub(super) fn path_of(document: &Document, element: NodeId) -> String {
    let elements = document.ancestors(element).filter_map(|id| document.element(id));
    join_steps(elements.map(|element| PatternStep::new(element).text()).collect())
}

/// Joins steps that are given from the innermost outwards to one line, from the outermost inwards.
fn join_steps(mut steps: Vec<String>) -> String {
    let more = steps.len() > STEPS;
    steps.truncate(STEPS);
    if more {
        steps.push("…".to_owned());
    }
    steps.reverse();
    steps.join(" > ")
}

pub(super) fn text_of_block(document: &Document, block: &TextBlock) -> String {
    let mut text = String::new();
    for id in block.first..=block.last {
        match document.text(id) {
            Some(own) => text.push_str(own),
            None if document.name(id).is_some_and(|name| &**name == "br") => text.push(' '),
            None => {}
        }
    }
    normalize_space(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_the_nearest_elements() {
        let d = dom::parse("<div id=a class='b  c'><p>x</p></div>");
        let p = d.ids().find(|&id| d.name(id).is_some_and(|n| &**n == "p")).unwrap();
        assert_eq!(path_of(&d, p), "html > body > div#a.b.c > p");
    }
}
