//! The values that `site.html` and `sample.html` show: a self-contained page about a site and its sample pages.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use askama::Template;
use grove::Decision;
use model::{
    Article, FieldSource, NamedElement, PatternRecord, Route, Source, TemplateKind, WrapperRecord,
};
use serde::Serialize;
use sitemodel::markable::MarkableBlock;
use xxhash_rust::xxh3::Xxh3;

use super::blocks::{BlockMark, BlockState, BlockView};
use super::evidence::{PatternRow, PatternTable};
use super::{PageOutcome, ShownPage, SiteRecords, SiteView, TemplateView};
use crate::markup::{PageCode, filters, json, plain};
use crate::readable::{count, percent};

const CODE: PageCode = PageCode {
    style: concat!(
        include_str!("../../templates/base.css"),
        include_str!("../../templates/site.css")
    ),
    script: include_str!("../../templates/site.js"),
};

/// Size in bytes from which no further sample pages are written.
const MOST_BYTES: usize = 12_000_000;
const DROPS: usize = 50;
/// Maximum number of templates that are shown in full: most layouts of a site with hundreds have only one page.
const TEMPLATES: usize = 40;
/// Maximum numbers of patterns in a table: kept or pruned ones, and patterns outside the article.
const ROWS: usize = 15;
const ROWS_OUTSIDE: usize = 10;
const SIGNIFIERS: usize = 12;
/// Maximum number of characters and paragraphs of a text without blocks.
const LETTERS: usize = 2000;
const PARAGRAPHS: usize = 300;

/// `report/sites/SITE.html`.
#[derive(Template)]
#[template(path = "site.html")]
struct SitePage<'a> {
    code: PageCode,
    view: &'a SiteView<'a>,
    records: &'a SiteRecords,
    sections: Vec<TemplateSection<'a>>,
    /// The data that the script needs about the sample pages that are shown, by their numbers.
    markable: Vec<MarkableSample>,
}

/// The data that the script needs to mark the blocks of a sample page.
#[derive(Serialize)]
struct MarkableSample {
    url: String,
    elements: Vec<NamedElement>,
    /// XPath, number of the element, words, hash, and number of the pattern in the page's layout.
    blocks: Vec<(String, u32, u32, String, usize)>,
}

/// A template with its sample pages as HTML.
struct TemplateSection<'a> {
    view: &'a TemplateView<'a>,
    samples: Vec<String>,
}

impl SiteView<'_> {
    /// The page about the site.
    ///
    /// # Errors
    /// Never in practice: the templates call nothing that fails.
    pub fn to_html(&self) -> Result<String> {
        let (mut sections, mut markable) = (Vec::new(), Vec::new());
        let mut bytes = 0;
        for view in self.templates.iter().take(TEMPLATES) {
            let mut samples = Vec::new();
            let mut above = BTreeSet::new();
            let mut patterns: BTreeMap<&str, usize> = BTreeMap::new();
            for (at, page) in view.samples.iter().enumerate() {
                if bytes > MOST_BYTES {
                    break;
                }
                let sample =
                    SampleTemplate::new(page, at == 0, markable.len(), &mut above).render()?;
                bytes += sample.len();
                samples.push(sample);
                markable.push(MarkableSample::of(page, &mut patterns));
            }
            sections.push(TemplateSection { view, samples });
        }
        let records = self.records;
        Ok(SitePage { code: CODE, view: self, records, sections, markable }.render()?)
    }
}

impl MarkableSample {
    /// `patterns` maps the patterns of the layout seen so far to their numbers.
    fn of<'p>(page: &'p ShownPage<'_>, patterns: &mut BTreeMap<&'p str, usize>) -> Self {
        let reading = page.reading.as_ref();
        let block = |own: &'p BlockView| {
            let next = patterns.len();
            let pattern = *patterns.entry(&own.pattern).or_insert(next);
            let MarkableBlock { xpath, named, words, hash, .. } = &own.markable;
            (plain(xpath), *named, *words, hash.clone(), pattern)
        };
        let element = |own: &NamedElement| NamedElement {
            parent: own.parent,
            tag: plain(&own.tag),
            names: own.names.iter().map(|name| plain(name)).collect(),
        };
        Self {
            url: plain(page.outcome.url()),
            elements: reading.map_or(&[][..], |own| &own.elements).iter().map(element).collect(),
            blocks: reading.map_or(&[][..], |own| &own.blocks).iter().map(block).collect(),
        }
    }
}

impl SitePage<'_> {
    /// The blocks of the sample pages for the script.
    fn blocks_for_script(&self) -> String {
        json(&self.markable)
    }

    fn settings(&self) -> &str {
        self.records.ledger.config_hash.get(..12).unwrap_or_default()
    }

    /// The layouts that are not shown, with their numbers of pages.
    fn further_layouts(&self) -> String {
        let rest = self.view.templates.iter().skip(TEMPLATES);
        let named = rest.map(|t| format!("{} ({})", t.line.id, count(t.line.pages, "page")));
        named.collect::<Vec<_>>().join(", ")
    }
}

impl TemplateView<'_> {
    fn why_no_wrapper(&self) -> &'static str {
        match (self.line.kind, self.line.pages) {
            (TemplateKind::Article, 1) => "None: a lone page has nothing to be compared with.",
            (TemplateKind::Article, _) => "None: the engine learns none, or found nothing to keep.",
            (TemplateKind::List, _) => "None: these pages list articles and are none.",
            (TemplateKind::Other, _) => "None: there is next to no text on these pages.",
        }
    }
}

struct PatternRows<'a> {
    all: usize,
    shown: Vec<&'a PatternRow>,
    /// Words of the patterns that are not shown.
    words_not_shown: u64,
}

impl PatternTable {
    fn rows_of(&self, decision: Decision, most: usize) -> PatternRows<'_> {
        let rows: Vec<&PatternRow> =
            self.rows.iter().filter(|row| row.decision == decision).collect();
        let (shown, rest) = rows.split_at(rows.len().min(most));
        PatternRows {
            all: rows.len(),
            shown: shown.to_vec(),
            words_not_shown: rest.iter().map(|row| u64::from(row.words)).sum(),
        }
    }

    fn share(&self, row: &PatternRow) -> String {
        percent(row.pages as f64, self.siblings as f64)
    }
}

/// A sample page: its facts, then its blocks in order.
#[derive(Template)]
#[template(path = "sample.html")]
struct SampleTemplate<'a> {
    page: &'a ShownPage<'a>,
    is_open: bool,
    /// Its number among the sample pages that are shown.
    number: usize,
    runs: Vec<BlockRun<'a>>,
}

/// Blocks that follow each other: in the article, or outside it and folded away.
struct BlockRun<'a> {
    /// The summary of a run that is folded away.
    folded: Option<String>,
    /// Blocks grouped by pattern; each group shows its pattern once.
    groups: Vec<BlockGroup<'a>>,
}

struct BlockGroup<'a> {
    /// Whether the article ends before this group.
    is_after_end: bool,
    blocks: Vec<&'a BlockView>,
}

/// A metadata field with its source.
struct ShownField {
    name: &'static str,
    value: Option<String>,
    source: Option<&'static str>,
    confidence: Option<f64>,
}

struct ShownText<'a> {
    paragraphs: Vec<ShownParagraph<'a>>,
    paragraphs_left_out: usize,
}

struct ShownParagraph<'a> {
    text: &'a str,
    letters_left_out: usize,
}

impl<'a> SampleTemplate<'a> {
    /// `above` has the hashes of blocks outside the article that were shown on earlier pages of the layout.
    fn new(
        page: &'a ShownPage<'a>,
        is_open: bool,
        number: usize,
        above: &mut BTreeSet<u64>,
    ) -> Self {
        let blocks = page.reading.as_ref().map_or(&[][..], |reading| &reading.blocks);
        let mut runs = Vec::new();
        let mut is_after_end = false;
        for run in blocks.chunk_by(|a, b| is_folded(a) == is_folded(b)) {
            if run.first().is_some_and(is_folded) {
                runs.push(fold(run, above));
                continue;
            }
            let mut groups = Vec::new();
            for group in run.chunk_by(|a, b| a.pattern == b.pattern && a.state == b.state) {
                let is_cut = group.first().is_some_and(|block| block.state == BlockState::Cut);
                let blocks = group.iter().collect();
                groups.push(BlockGroup { is_after_end: is_cut && !is_after_end, blocks });
                is_after_end |= is_cut;
            }
            runs.push(BlockRun { folded: None, groups });
        }
        Self { page, is_open, number, runs }
    }

    /// The numbers of marked blocks, in words; empty if no block is marked.
    fn marks(&self) -> String {
        let blocks = self.page.reading.iter().flat_map(|reading| &reading.blocks);
        let counted = [
            (BlockMark::KeptLow, "kept though the score is low"),
            (BlockMark::DroppedHigh, "not kept though the score is high"),
        ]
        .map(|(mark, what)| {
            (blocks.clone().filter(|block| block.mark == Some(mark)).count(), what)
        });
        let said = counted.into_iter().filter(|(n, _)| *n > 0);
        let said: Vec<String> =
            said.map(|(n, what)| format!("{} {what}", count(n, "block"))).collect();
        said.join(", ")
    }

    fn signifiers(&self) -> &[(String, f64)] {
        let signifiers = &self.page.signifiers;
        &signifiers[..signifiers.len().min(SIGNIFIERS)]
    }
}

fn is_folded(block: &BlockView) -> bool {
    block.state == BlockState::Outside && !block.is_comment && block.mark.is_none()
}

/// A run of blocks outside the article, without blocks that an earlier page of the layout also has.
fn fold<'a>(run: &'a [BlockView], above: &mut BTreeSet<u64>) -> BlockRun<'a> {
    let mut is_new = |block: &BlockView| {
        let mut hasher = Xxh3::new();
        hasher.update(block.pattern.as_bytes());
        hasher.update(&[0]);
        hasher.update(block.text.as_bytes());
        above.insert(hasher.digest())
    };
    let words: u64 = run.iter().map(|block| u64::from(block.words)).sum();
    let new: Vec<&BlockView> = run.iter().filter(|block| is_new(block)).collect();
    let (blocks, words) = (count(run.len(), "block"), count(words as usize, "word"));
    let again = match run.len() - new.len() {
        0 => String::new(),
        all if all == run.len() => ": shown above".to_owned(),
        some => format!(", {some} of them shown above"),
    };
    let groups = new.chunk_by(|a, b| a.pattern == b.pattern);
    BlockRun {
        folded: Some(format!("{blocks} outside the article, {words}{again}")),
        groups: groups
            .map(|blocks| BlockGroup { is_after_end: false, blocks: blocks.to_vec() })
            .collect(),
    }
}

impl BlockGroup<'_> {
    fn pattern(&self) -> &str {
        self.blocks.last().map_or("", |block| &block.pattern)
    }
}

impl BlockView {
    /// The CSS classes of the block; the style sheet shows its state in words.
    fn classes(&self) -> String {
        let state = match (self.state, self.is_comment) {
            (_, true) => "comment",
            (BlockState::Kept, _) => "kept",
            (BlockState::Pruned, _) => "pruned",
            (BlockState::Cut, _) => "cut",
            (BlockState::Outside, _) => "outside",
        };
        let mark = match self.mark {
            Some(BlockMark::KeptLow) => " low",
            Some(BlockMark::DroppedHigh) => " high",
            None => "",
        };
        format!("{state}{mark}{}", if self.is_heading { " heading" } else { "" })
    }

    fn is_struck(&self) -> bool {
        matches!(self.state, BlockState::Pruned | BlockState::Cut)
    }

    fn words_and_hits(&self) -> String {
        let words = count(self.words as usize, "word");
        match self.hits.filter(|(_, terms)| *terms > 0) {
            Some((hits, terms)) => {
                format!("{words}, {hits} of {} signify", count(terms as usize, "term"))
            }
            None => words,
        }
    }
}

fn title_of(article: &Article) -> &str {
    article.title.as_deref().unwrap_or("(without a title)")
}

fn fields_of(article: &Article) -> Vec<ShownField> {
    let sources = &article.sources;
    let field = |name, value: Option<String>, source: Option<Source>| ShownField {
        name,
        value,
        source: source.map(Source::as_str),
        confidence: None,
    };
    let judged = |name, value, found: &Option<FieldSource>| ShownField {
        confidence: found.as_ref().and_then(|found| found.confidence),
        ..field(name, value, found.as_ref().map(Source::from))
    };
    let authors = article.authors.join(", ");
    let authors = (!authors.is_empty()).then_some(authors);
    let mut fields = vec![
        judged("Title", article.title.clone(), &sources.title),
        judged("Authors", authors, &sources.authors),
        judged("Published", article.published.clone(), &sources.published),
    ];
    if article.modified.is_some() {
        fields.push(field("Modified", article.modified.clone(), sources.modified));
    }
    fields.push(field("Language", article.language.clone(), sources.language));
    fields
}

/// The source of a text that was not taken from the page's elements.
fn text_source(article: &Article) -> &'static str {
    match article.route {
        Route::JsonLd => "its JSON-LD",
        Route::Feed => "a feed item",
        _ => "elsewhere",
    }
}

fn shorten_text(text: &str) -> ShownText<'_> {
    let paragraphs = text.split("\n\n");
    let shown = paragraphs.clone().take(PARAGRAPHS).map(|paragraph| {
        let end = paragraph.char_indices().nth(LETTERS).map_or(paragraph.len(), |(at, _)| at);
        let (text, rest) = paragraph.split_at(end);
        ShownParagraph { text, letters_left_out: rest.chars().count() }
    });
    ShownText {
        paragraphs: shown.collect(),
        paragraphs_left_out: paragraphs.skip(PARAGRAPHS).count(),
    }
}

/// Explains why the first of the ranked patterns came first.
fn why_first(patterns: &[PatternRecord]) -> String {
    let (first, second) = match patterns {
        [] => return "No structural pattern was found significant.".to_owned(),
        [_] => return "It is the only pattern that was found significant.".to_owned(),
        [first, second, ..] => (first, second),
    };
    let level = [first.level, second.level];
    let both @ [first, second] = [first.score, second.score];
    let mut text = format!("It came first with relevance {:.1}", first.relevance);
    if second.relevance > 0.0 {
        let times = first.relevance / second.relevance;
        text.push_str(&format!(", {times:.2} times that of the second ({:.1})", second.relevance));
        if times < 1.05 {
            text.push_str(": nearly a tie");
        }
    }
    text.push_str(". ");
    let [density, other] =
        both.map(|own| 100.0 * f64::from(own.x) / f64::from((own.x + own.y).max(1)));
    let [j, u] = [both.map(|own| own.j), both.map(|own| own.u)];
    let pages = both.map(|own| own.pages);
    let terms = format!("{density:.1} % of its terms against {other:.1} %");
    let (mut more, mut less) = (Vec::new(), Vec::new());
    for (what, [own, other], shown) in [
        ("denser signifiers", j, format!("J {:.4} against {:.4}; {terms}", j[0], j[1])),
        ("less expected text", u, format!("U {:.1} against {:.1}", u[0], u[1])),
        (
            "more pages on which it is significant",
            pages.map(f64::from),
            format!("{} against {}", pages[0], pages[1]),
        ),
        ("more depth", level.map(f64::from), format!("level {} against {}", level[0], level[1])),
    ] {
        // A difference of less than a hundredth explains nothing.
        if own > other * 1.01 {
            more.push(format!("{what} ({shown})"));
        } else if own < other * 0.99 {
            less.push(format!("{what} ({shown})"));
        }
    }
    if !more.is_empty() {
        text.push_str(&format!("In its favour: {}. ", more.join("; ")));
    }
    if !less.is_empty() {
        text.push_str(&format!("In favour of the second: {}.", less.join("; ")));
    }
    text.trim_end().to_owned()
}

fn support_of(wrapper: &WrapperRecord) -> String {
    let support = &wrapper.support;
    let learnt = count(support.learnt_from as usize, "page");
    let tested = match support.held_back {
        0 => "no page was held back to test it".to_owned(),
        held_back => format!(
            "without the vote of {}, the same is kept on {} of them",
            count(held_back as usize, "page"),
            support.held_back_agreeing
        ),
    };
    let margin = support.runner_up_margin;
    let what = if wrapper.engine == "grove" {
        "mean score of what it keeps over that of the rest"
    } else {
        "1 − relevance of the second pattern over that of the first"
    };
    let exact = support.exact * 100.0;
    format!(
        "Learnt from {learnt}, exact on {exact:.0} % of them; {tested}. Margin {margin:.2} ({what})."
    )
}

fn why_decided(row: &PatternRow, table: &PatternTable) -> String {
    let reads_like_it = row.score >= f64::from(table.threshold);
    let stake = "too few words are at stake to make an exception of it";
    let first = match (reads_like_it, row.decision) {
        (true, Decision::Keep) => "its words score above the threshold".to_owned(),
        (false, Decision::Keep) => format!("its words score below the threshold, but {stake}"),
        (false, _) => "its words score below the threshold".to_owned(),
        (true, _) => format!(
            "its words score above the threshold, but what is around it is not kept, and {stake}"
        ),
    };
    let mut reasons = vec![first];
    let links = f64::from(row.link_words) / f64::from(row.words.max(1));
    if links >= 0.5 {
        reasons.push(format!("{} of them are links", percent(links, 1.0)));
    }
    if table.siblings > 1 && row.blocks > 1 {
        let distinct = row.distinct as f64 / row.blocks as f64;
        if distinct <= 0.5 {
            reasons.push("the same texts recur on the siblings".to_owned());
        } else if distinct >= 0.95 {
            reasons.push("its texts are different on each".to_owned());
        }
    }
    let what = match row.decision {
        Decision::Keep => "Kept",
        Decision::Prune => "Pruned",
        Decision::Outside => "Left outside",
    };
    format!("{what}: {}.", reasons.join("; "))
}

#[cfg(test)]
mod tests {
    use model::PatternScore;

    use super::*;

    fn pattern(pages: u32, j: f64, relevance: f64) -> PatternRecord {
        let score = PatternScore { pages, x: 10, y: 90, j, u: 5.0, i: 1.0, relevance };
        PatternRecord { element: String::new(), level: 4, score }
    }

    #[test]
    fn the_winner_is_compared_with_the_second() {
        assert!(why_first(&[]).starts_with("No"));
        let text = why_first(&[pattern(8, 0.04, 12.0), pattern(7, 0.05, 10.0)]);
        assert!(text.contains("1.20 times") && text.contains("8 against 7"), "{text}");
        let (first, second) = text.split_once("In favour of the second").unwrap();
        assert!(first.contains("more pages") && second.contains("denser"), "{text}");
        assert!(!text.contains("depth") && !text.contains("expected"), "{text}");
    }
}
