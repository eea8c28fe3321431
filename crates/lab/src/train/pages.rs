//! Prepares the pages of the gold as in a run: by site and template, split into blocks that are labelled by the gold.

use std::collections::BTreeMap;

use dom::{Document, normalize_space};
use grove::{PageBlocks, PatternId, Patterns, TextBlock};
use metadata::is_field_line;
use model::{FeedItem, Mark, Site, TemplateCorrection};
use rayon::prelude::*;
use region::is_in_caption;
use score::words::{WordNumber, WordNumbers};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use site::learn::ParsedSite;
use sitemodel::markable::marks_of_blocks;
use sitemodel::stages::cluster::cluster;
use sitemodel::stages::judge::read_pages;
use sitemodel::{ParsedPage, Settings, SiblingPage};

use crate::gold::{GoldPage, pages_by_url};

/// A page to learn from or to test on.
pub(super) struct LabelledPage<'a> {
    pub(super) parsed: &'a ParsedPage<'a>,
    pub(super) blocks: PageBlocks,
    /// Its gold, if it has any.
    pub(super) gold: Option<(&'a GoldPage, BlockLabels)>,
}

/// Sibling pages of one template, at most as many as a run learns from.
pub(super) struct TrainingTemplate<'a> {
    pub(super) site: &'a str,
    /// Weight of its pages when types are learnt. A page and its aged copy share one weight, so that copies make no type more
    /// probable.
    pub(super) weight_of_type: f32,
    pub(super) pages: Vec<LabelledPage<'a>>,
    pub(super) patterns: Patterns,
    pub(super) of_nodes: Vec<Vec<PatternId>>,
}

impl TrainingTemplate<'_> {
    /// Number of pages that have gold.
    pub(super) fn with_gold(&self) -> usize {
        self.pages.iter().filter(|page| page.gold.is_some()).count()
    }
}

pub(super) fn parse<'a>(sites: &'a [Site], settings: &Settings) -> Vec<ParsedSite<'a>> {
    sites.par_iter().map(|site| ParsedSite::of(site, settings)).collect()
}

/// Clusters every site, and prepares the templates with a page of the gold. Templates with more
/// pages than a run learns from are divided into parts of that size.
pub(super) fn templates<'a>(
    sites: &'a [Site],
    parsed: &'a [ParsedSite<'a>],
    gold: &'a [GoldPage],
    settings: &Settings,
) -> Vec<TrainingTemplate<'a>> {
    let by_url = pages_by_url(gold);
    let of_site = |(site, parsed): (&'a Site, &'a ParsedSite<'a>)| -> Vec<TrainingTemplate<'a>> {
        let order = parsed.in_sample_order(0..parsed.pages.len() as u32);
        let items = parsed.items();
        let pages: Vec<SiblingPage<'_>> = (order.iter())
            .map(|&m| SiblingPage {
                page: &parsed.pages[m as usize],
                feed_items: &items[m as usize],
            })
            .collect();
        let (_, clusters) = cluster(&pages, parsed.addresses(), 0, settings);
        let mut prepared = Vec::new();
        for cluster in clusters {
            let members: Vec<usize> =
                cluster.members.iter().map(|&at| order[at as usize] as usize).collect();
            for part in members.chunks(settings.tables().rank.learn_from) {
                prepared.extend(siblings(parsed, &items, part, &by_url, &site.key));
            }
        }
        prepared
    };
    sites.par_iter().zip(parsed).flat_map_iter(of_site).collect()
}

fn siblings<'a>(
    site: &'a ParsedSite<'a>,
    items: &[Vec<&FeedItem>],
    members: &[usize],
    gold: &BTreeMap<&str, &'a GoldPage>,
    key: &'a str,
) -> Option<TrainingTemplate<'a>> {
    let gold_of = |page: &ParsedPage<'_>| gold.get(page.page.url.as_str()).copied();
    let pages: Vec<&'a ParsedPage<'a>> = members.iter().map(|&m| &site.pages[m]).collect();
    if !pages.iter().any(|page| gold_of(page).is_some()) {
        return None;
    }
    let siblings: Vec<SiblingPage<'_>> = (pages.iter().zip(members))
        .map(|(page, &m)| SiblingPage { page, feed_items: &items[m] })
        .collect();
    let blocks = read_pages(&siblings);
    let documents: Vec<&Document> = pages.iter().map(|page| &page.document).collect();
    let (patterns, of_nodes) = Patterns::of(&documents);
    let prepared = pages.into_iter().zip(blocks).map(|(parsed, blocks)| {
        let labels = |gold: &GoldPage| match &gold.marks {
            Some(marks) => label_by_marks(parsed, &blocks, marks),
            None => label(&parsed.document, &blocks, gold),
        };
        let gold = gold_of(parsed).map(|gold| (gold, labels(gold)));
        LabelledPage { parsed, blocks, gold }
    });
    Some(TrainingTemplate {
        site: key,
        weight_of_type: 1.0,
        pages: prepared.collect(),
        patterns,
        of_nodes,
    })
}

/// The labels of a page's blocks, by its gold text or its marks, and their weights.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockLabels {
    /// Share of the block's words that are in the gold; 0 for bylines, dates and captions: these are fields of a record, and
    /// most gold does not have them in the text.
    pub(super) shares: Vec<f32>,
    /// Weight of the block: the square root of its number of words, divided by the page's sum; 0 for optional text.
    pub(super) weights: Vec<f32>,
    /// The texts of the bylines, dates and captions of the page and of the gold.
    pub(super) fields: Vec<String>,
    /// Whether the block is named like a comment but belongs to the gold text. Most gold of articles has no comments, and
    /// gold that has them must not teach trees to keep them. In a thread, the posts are the content.
    pub(super) comments: Vec<bool>,
}

/// How much of a block is in the gold.
pub(crate) struct BlockShare {
    words: usize,
    /// Share of the words that is in the text of the gold.
    pub(crate) text: f32,
    /// Share of the words that is in the gold's titles and optional text.
    pub(crate) aside: f32,
}

/// Computes how much of each block is in the gold. Aligns the page's words with the gold's (Myers' difference), and counts
/// aligned words that are part of a run of three words of the gold: a single word may match by coincidence.
pub(crate) fn shares_in_gold(
    document: &Document,
    blocks: &[TextBlock],
    gold: &GoldPage,
) -> Vec<BlockShare> {
    let mut vocabulary = WordNumbers::new();
    let of_gold = vocabulary.words(&gold.text);
    let aside: Vec<Vec<WordNumber>> = (gold.optional.iter())
        .chain(&gold.fields.title)
        .chain(&gold.page_title)
        .map(|text| vocabulary.words(text))
        .collect();
    let text = |block: &TextBlock| text_of_block(document, block);
    let own: Vec<Vec<WordNumber>> =
        blocks.iter().map(|block| vocabulary.words(&text(block))).collect();
    let page: Vec<WordNumber> = own.concat();
    let mut aligned = vec![false; page.len()];
    for op in capture_diff_slices(Algorithm::Myers, &page, &of_gold) {
        if let DiffOp::Equal { old_index, len, .. } = op {
            aligned[old_index..old_index + len].fill(true);
        }
    }
    let covered = find_covered(&page, &[of_gold], 3);
    let neutral = find_covered(&page, &aside, 2);
    let mut shares = Vec::with_capacity(blocks.len());
    let mut from = 0;
    for words in &own {
        let range = from..from + words.len();
        from = range.end;
        let count = |of: &dyn Fn(usize) -> bool| range.clone().filter(|&at| of(at)).count() as f32;
        let n = words.len().max(1) as f32;
        let share = if words.len() <= 3 {
            f32::from(u8::from(count(&|at| aligned[at]) >= n))
        } else {
            count(&|at| aligned[at] && covered[at]) / n
        };
        let aside = count(&|at| neutral[at]) / n;
        shares.push(BlockShare { words: words.len(), text: share, aside });
    }
    shares
}

fn label(document: &Document, read: &grove::PageBlocks, gold: &GoldPage) -> BlockLabels {
    let blocks = &read.blocks[..];
    let texts: Vec<String> = blocks.iter().map(|block| text_of_block(document, block)).collect();
    let texts: Vec<String> = texts.iter().map(|text| normalize_space(text)).collect();
    let is_field: Vec<bool> = (blocks.iter().zip(&texts))
        .map(|(block, text)| is_in_caption(document, block.first) || is_field_line(text))
        .collect();
    let (mut shares, mut weights, mut comments) = (Vec::new(), Vec::new(), Vec::new());
    for (at, own) in shares_in_gold(document, blocks, gold).into_iter().enumerate() {
        let share = if is_field[at] { 0.0 } else { own.text };
        comments.push(share > 0.5 && read.is_comment(at));
        shares.push(share);
        weights.push((own.words.max(1) as f32).sqrt() * (1.0 - own.aside));
    }
    divide_by_sum(&mut weights);
    let of_page = texts.into_iter().zip(is_field).filter(|own| own.1).map(|own| own.0);
    let of_gold = gold.text.lines().filter(|line| is_field_line(line)).map(str::to_owned);
    let fields = of_page.chain(of_gold).collect();
    BlockLabels { shares, weights, comments, fields }
}

/// Labels the blocks of a page by its marks. Blocks without a mark get weight 0.
fn label_by_marks(
    page: &ParsedPage<'_>,
    read: &PageBlocks,
    marks: &TemplateCorrection,
) -> BlockLabels {
    let marks = marks_of_blocks(marks, page);
    let is_content = |mark: &Option<Mark>| *mark == Some(Mark::Content);
    let shares = marks.iter().map(|mark| f32::from(u8::from(is_content(mark)))).collect();
    let weight = |(block, mark): (&TextBlock, &Option<Mark>)| match mark {
        Some(_) => (block.words.max(1) as f32).sqrt(),
        None => 0.0,
    };
    let mut weights: Vec<f32> = read.blocks.iter().zip(&marks).map(weight).collect();
    divide_by_sum(&mut weights);
    let comments = marks.iter().enumerate();
    let comments = comments.map(|(at, mark)| is_content(mark) && read.is_comment(at)).collect();
    BlockLabels { shares, weights, comments, fields: Vec::new() }
}

fn divide_by_sum(weights: &mut [f32]) {
    let all: f32 = weights.iter().sum();
    if all > 0.0 {
        weights.iter_mut().for_each(|weight| *weight /= all);
    }
}

/// The text of a block's nodes, concatenated.
pub(super) fn text_of_block(document: &Document, block: &TextBlock) -> String {
    (block.first..=block.last).filter_map(|id| document.text(id)).collect()
}

/// For each word, whether it is in a run of `run` words that occurs in one of the texts.
fn find_covered(page: &[WordNumber], texts: &[Vec<WordNumber>], run: usize) -> Vec<bool> {
    let runs: std::collections::BTreeSet<&[WordNumber]> =
        texts.iter().flat_map(|text| text.windows(run)).collect();
    let mut covered = vec![false; page.len()];
    for (at, window) in page.windows(run).enumerate() {
        if runs.contains(window) {
            covered[at..at + run].fill(true);
        }
    }
    covered
}
