//! Recomputes what the engine of a run knows about a template's blocks.

use std::collections::{BTreeMap, BTreeSet};

use forest::PageTerms;
use grove::{Block, Decision, PatternId, ScoredPage, UNKNOWN, threshold};
use model::{FeedItem, contain_panics};
use rayon::prelude::*;
use sitemodel::stages::judge::{JudgedPage, Judgement, judge};
use sitemodel::stages::signify::{SignifiedPage, signify};
use sitemodel::{Engine, ParsedPage, Sibling};
use xxhash_rust::xxh3::xxh3_64;

use super::labels::{Labels, text_of_block};
use crate::config::Config;
use crate::stages::learn::ParsedSite;

/// What the engine knows about a template.
#[derive(Default)]
pub(super) struct Evidence {
    /// By index of the page in its site.
    pub(super) pages: BTreeMap<u32, PageEvidence>,
    /// Of the default engine: its patterns.
    pub(super) patterns: Option<PatternTable>,
    /// Whether this failed.
    pub(super) failed: bool,
}

/// What the engine knows about a page; lists are in the order of the page's blocks, and empty if the engine
/// has no such values.
#[derive(Default)]
pub(super) struct PageEvidence {
    /// For each block, the probability that it belongs to the article.
    pub(super) scores: Vec<f32>,
    /// For each block, whether its elements have names of comments.
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
    /// Different texts among its blocks.
    pub(super) distinct: usize,
}

/// Recomputes what the engine knows about a template with these pages, in the order of the sample; `needed`
/// are the pages to show. After a panic, nothing is known.
pub(super) fn evidence(
    site: &ParsedSite<'_>,
    members: &[u32],
    config: &Config,
    needed: &[u32],
) -> Evidence {
    let find = || match config.rank.engine {
        Engine::Grove => of_grove(site, members, config, needed),
        Engine::Forest(_) => of_forest(site, members, config),
        _ => Evidence::default(),
    };
    contain_panics(find).unwrap_or_else(|_| Evidence { failed: true, ..Evidence::default() })
}

fn of_forest(site: &ParsedSite<'_>, members: &[u32], config: &Config) -> Evidence {
    let order = &members[..members.len().min(config.rank.learn_from)];
    if order.len() < 2 {
        return Evidence::default();
    }
    let items = items_of(site, order);
    Evidence {
        pages: signified(order, &siblings_of(order, &items, site), config),
        ..Evidence::default()
    }
}

fn of_grove(site: &ParsedSite<'_>, members: &[u32], config: &Config, needed: &[u32]) -> Evidence {
    // Pages that are not in the sample are scored only if they are shown.
    let last = members.iter().rposition(|index| needed.contains(index)).map_or(0, |at| at + 1);
    let order = &members[..members.len().min(last.max(config.rank.learn_from))];
    let items = items_of(site, order);
    let siblings = siblings_of(order, &items, site);
    let weights = &config.weights().weights;
    let learnt_from = siblings.len().min(config.rank.learn_from.max(1));
    let (sample, more) = siblings.split_at(learnt_from);
    let (judgement, judged) = judge(sample, None, &config.signify, weights);
    let judge_page = |page| judgement.judge_page(page, &config.signify, weights);
    let more: Vec<JudgedPage> = more.par_iter().map(judge_page).collect();
    let documents: Vec<&ParsedPage<'_>> = sample.iter().map(|s| s.page).collect();
    let of_nodes: Vec<&[PatternId]> = judged.iter().map(|page| &page.of_nodes[..]).collect();
    let labels = Labels::of(&judgement.common.patterns, &documents, &of_nodes);
    let mut pages = signified(&order[..learnt_from], sample, config);
    for (index, page) in order.iter().zip(judged.iter().chain(&more)) {
        let blocks = &page.blocks.blocks;
        let own = pages.entry(*index).or_default();
        own.scores = page.scores.clone();
        own.comments = (0..blocks.len()).map(|at| page.blocks.is_comment(at)).collect();
        let name = |block: &Block| labels.name(page.of_nodes[block.element as usize]);
        own.patterns = blocks.iter().map(name).collect();
    }
    let rows = rows(&judgement, &judged, &documents, &labels);
    let siblings = judgement.learnt_from;
    let scored: Vec<ScoredPage<'_>> = judged.iter().map(JudgedPage::scored).collect();
    let threshold = threshold(&scored);
    let patterns = Some(PatternTable { siblings, threshold, rows });
    Evidence { pages, patterns, failed: false }
}

fn items_of<'a>(site: &'a ParsedSite<'_>, order: &[u32]) -> Vec<Vec<&'a FeedItem>> {
    order.iter().map(|&index| site.surveyed.items_of(index as usize)).collect()
}

fn siblings_of<'a>(
    order: &[u32],
    items: &'a [Vec<&'a FeedItem>],
    site: &'a ParsedSite<'a>,
) -> Vec<Sibling<'a>> {
    let pages = order.iter().map(|&index| &site.pages[index as usize]);
    pages.zip(items).map(|(page, feed_items)| Sibling { page, feed_items }).collect()
}

/// Signifiers of sibling pages, and how many of each block's terms are some.
fn signified(
    order: &[u32],
    siblings: &[Sibling<'_>],
    config: &Config,
) -> BTreeMap<u32, PageEvidence> {
    let signified = signify(siblings, &config.signify);
    let of_page = |((index, sibling), signified): ((&u32, &Sibling<'_>), SignifiedPage)| {
        let weights: BTreeSet<u64> = signified.weights.iter().map(|w| w.0).collect();
        let hits = |block: &Block| hits(&signified.terms, &weights, block);
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

fn hits(terms: &PageTerms, signifiers: &BTreeSet<u64>, block: &Block) -> (u32, u32) {
    let terms = terms.between(block.first, block.last);
    let hits = terms.iter().filter(|term| signifiers.contains(term)).count();
    (hits as u32, terms.len() as u32)
}

/// Sums over one pattern's blocks.
#[derive(Default)]
struct Pool {
    pages: BTreeSet<usize>,
    texts: BTreeSet<u64>,
    blocks: usize,
    words: u32,
    link_words: u32,
    scored_words: f64,
}

fn rows(
    judgement: &Judgement,
    judged: &[JudgedPage],
    sample: &[&ParsedPage<'_>],
    labels: &Labels,
) -> Vec<PatternRow> {
    let mut pools: BTreeMap<PatternId, Pool> = BTreeMap::new();
    for (at, (page, parsed)) in judged.iter().zip(sample).enumerate() {
        for (block, score) in page.blocks.blocks.iter().zip(&page.scores) {
            let id = page.of_nodes[block.element as usize];
            if id == UNKNOWN {
                continue;
            }
            let pool = pools.entry(id).or_default();
            pool.pages.insert(at);
            pool.texts.insert(xxh3_64(text_of_block(&parsed.document, block).as_bytes()));
            pool.blocks += 1;
            pool.words += block.words;
            pool.link_words += block.link_words;
            pool.scored_words += f64::from(block.words) * f64::from(*score);
        }
    }
    let row = |(id, pool): (PatternId, Pool)| PatternRow {
        name: labels.name(id),
        decision: judgement.decisions[id as usize],
        pages: pool.pages.len(),
        blocks: pool.blocks,
        words: pool.words,
        link_words: pool.link_words,
        score: pool.scored_words / f64::from(pool.words.max(1)),
        distinct: pool.texts.len(),
    };
    let mut rows: Vec<PatternRow> = pools.into_iter().map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.words));
    rows
}
