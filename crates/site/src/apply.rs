//! Apply: extracts the pages of a site with its model.
//!
//! Takes: parsed pages, the site's model, and which pages form one article.
//! Gives: for each page its article or the reason why it has none; together, the result of the site or of a part of it.
//! Why: this is the purpose of the program.
//! Drops: pages without an article, and pages that are parts of another page's article.

use std::collections::{BTreeMap, BTreeSet};

use grouping::{Part, drop_of};
use model::{
    Article, BestWrapper, CharacterCounts, Drop, DropReason, Extracted, FeedItem, Page, PageWork,
    PatternRecord, Quality, Route, SiteConfigRole, SiteConfigUse, SiteResult, SiteSummary, Stage,
    TemplateSummary, WrapperRecord,
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sitemodel::page_type::rules_of;
use sitemodel::stages::extract::{SITE_CONFIG, append_passages, set_text};
use sitemodel::{
    Applied, ApplyOptions, ApplyStatistics, KnownPage, Meter, Outcome, ParsedPage, Settings,
    SiblingPage, SiteModel,
};
use terms::share_repeated;
use xxhash_rust::xxh3::xxh3_128;

use crate::learn::{ParsedPages, Surveyed};

/// What happens to pages that fit no template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Unassigned {
    /// Leave them for the second round of learning.
    Wait,
    /// Extract each by itself.
    Alone,
}

/// The outcomes of pages, by their indices in the site.
pub type Outcomes = BTreeMap<usize, Applied>;

/// Maximum number of nodes of the pages that are processed at the same time: each scored block takes a kilobyte, and
/// there is at most one block for every two nodes.
const NODES_AT_ONCE: usize = 300_000;

/// Pages with fewer nodes are always processed in parallel. Real pages have a few thousand.
const SMALL: usize = 20_000;

/// Applies a model to a page, given the feed items that point to it. The outcome depends on nothing else of the site.
pub fn apply_page(
    (model, settings): (&SiteModel, &Settings),
    meter: &dyn Meter,
    page: &ParsedPage<'_>,
    feed_items: &[&FeedItem],
    hints: ApplyOptions<'_>,
    unassigned: Unassigned,
) -> Applied {
    let sibling = SiblingPage { page, feed_items };
    let applied = model.apply_parsed(&sibling, hints, settings, meter);
    match (&applied.outcome, unassigned) {
        (Outcome::Unassigned, Unassigned::Alone) => {
            model.apply_alone(&sibling, hints, settings, meter)
        }
        _ => applied,
    }
}

/// A site and the model that is applied to its pages.
#[derive(Clone, Copy)]
pub struct ApplyContext<'a> {
    pub(crate) site: &'a Surveyed,
    pub(crate) model: &'a SiteModel,
    pub(crate) settings: &'a Settings,
    pub(crate) meter: &'a dyn Meter,
}

impl ApplyContext<'_> {
    /// Applies the model to the pages that have no outcome in `done`, and returns all outcomes. `known` has what learning
    /// found out about pages, by index.
    pub(crate) fn apply(
        &self,
        pages: &ParsedPages<'_>,
        known: &BTreeMap<usize, KnownPage>,
        unassigned: Unassigned,
        mut done: Outcomes,
    ) -> Outcomes {
        if unassigned == Unassigned::Alone {
            done.retain(|_, applied| applied.outcome != Outcome::Unassigned);
        }
        let further: Vec<(usize, &ParsedPage<'_>)> = pages
            .iter()
            .filter(|(at, _)| !done.contains_key(at))
            .filter_map(|(at, parsed)| Some((*at, parsed.as_ref().ok()?)))
            .collect();
        done.extend(self.each(&further, known, unassigned));
        done
    }

    /// Applies the model to parsed pages: in parallel, except for pages with very many nodes.
    pub(crate) fn each(
        &self,
        pages: &[(usize, &ParsedPage<'_>)],
        known: &BTreeMap<usize, KnownPage>,
        unassigned: Unassigned,
    ) -> Outcomes {
        let apply = |(at, page): &&(usize, &ParsedPage<'_>)| {
            (*at, self.one(*at, page, known.get(at), unassigned))
        };
        let most = (NODES_AT_ONCE / rayon::current_num_threads()).max(SMALL);
        let (large, small): (Vec<_>, Vec<_>) =
            pages.iter().partition(|(_, page)| page.document.len() > most);
        let mut outcomes: Outcomes = small.par_iter().map(apply).collect();
        outcomes.extend(large.iter().map(apply));
        outcomes
    }

    fn one(
        &self,
        at: usize,
        parsed: &ParsedPage<'_>,
        known: Option<&KnownPage>,
        unassigned: Unassigned,
    ) -> Applied {
        let hints = ApplyOptions { known, part: self.site.part(at) != Part::Whole };
        let with = (self.model, self.settings);
        apply_page(with, self.meter, parsed, &self.site.items_of(at), hints, unassigned)
    }

    /// Returns the articles of other captures, each given with the index of its page. Captures without an article are left out.
    pub(crate) fn captures(&self, captures: &ParsedPages<'_>) -> Vec<(Extracted, CharacterCounts)> {
        let article = |(at, parsed): &(usize, Result<ParsedPage<'_>, &model::Page>)| {
            let applied = self.one(*at, parsed.as_ref().ok()?, None, Unassigned::Alone);
            Some((applied.outcome.into_article()?, applied.characters))
        };
        captures.iter().filter_map(article).collect()
    }
}

/// The outcome of a page, with everything that the result of its site needs.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct PageFinding {
    /// The article, or why there is none.
    pub applied: Applied,
    /// Whether html5ever's own tokenizer read the page.
    by_html5ever: bool,
    /// Whether a part of the page was left out because its tree exceeded a limit.
    outgrown: bool,
    configured: Option<Configured>,
}

/// What the site config of a page's host did.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Configured {
    host: String,
    /// The expressions of the config that select the body.
    body: Vec<String>,
    /// Whether one of them selected a body.
    matched: bool,
}

pub(crate) type Findings = BTreeMap<usize, PageFinding>;

impl PageFinding {
    /// Records the outcome of a parsed page.
    pub fn of(parsed: &ParsedPage<'_>, applied: Applied) -> Self {
        let notes = parsed.document.notes();
        let configured = parsed.configured.as_ref().map(|own| Configured {
            host: own.by.host.clone(),
            body: own.by.wrapper.body().collect(),
            matched: own.found.body.is_some(),
        });
        let (by_html5ever, outgrown) = (notes.by_html5ever, notes.outgrown());
        Self { applied, by_html5ever, outgrown, configured }
    }

    /// Records that the parser failed on a page.
    pub fn failed(site: &str, page: &Page) -> Self {
        let detail = "parsing this page failed; please report it with the page".to_owned();
        let drop = drop_of(site, page, DropReason::Internal, detail);
        let applied = Applied::dropped(Drop { stage: Stage::Cluster, ..drop });
        Self { applied, by_html5ever: false, outgrown: false, configured: None }
    }
}

/// Records the outcomes of pages; those that could not be parsed become drops.
pub(crate) fn found(site: &str, parsed: &ParsedPages<'_>, mut outcomes: Outcomes) -> Findings {
    let found = |(at, parsed): &(usize, Result<ParsedPage<'_>, &Page>)| match parsed {
        Ok(parsed) => Some((*at, PageFinding::of(parsed, outcomes.remove(at)?))),
        Err(page) => Some((*at, PageFinding::failed(site, page))),
    };
    parsed.iter().filter_map(found).collect()
}

pub(crate) fn unassigned(findings: &Findings) -> BTreeSet<usize> {
    let waits = |(at, found): (&usize, &PageFinding)| {
        (found.applied.outcome == Outcome::Unassigned).then_some(*at)
    };
    findings.iter().filter_map(waits).collect()
}

/// Builds the result of a site, or of a part of it, from the outcomes of its pages.
pub(crate) fn result(site: &Surveyed, model: &SiteModel, findings: Findings) -> SiteResult {
    let pages = findings.len();
    let mut seen = ApplyStatistics::default();
    let mut of_templates: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    let mut configs = SiteConfigsUsed::default();
    let mut work = PageWork::default();
    let (mut articles, mut drops) = (Vec::new(), Vec::new());
    for found in findings.into_values() {
        work.by_html5ever += u64::from(found.by_html5ever);
        work.outgrown += u64::from(found.outgrown);
        configs.add(&found);
        let applied = found.applied;
        seen.add(&applied);
        if let Some(template) = applied.template {
            let (pages, given) = of_templates.entry(template).or_default();
            *pages += 1;
            *given += usize::from(matches!(applied.outcome, Outcome::Article(_)));
        }
        match applied.outcome {
            Outcome::Article(article) => articles.push(*article),
            Outcome::Drop(drop) => drops.push(*drop),
            Outcome::Unassigned => {}
        }
    }
    articles.sort_by(|a, b| (&a.url, &a.origin).cmp(&(&b.url, &b.origin)));
    drops.sort();
    let templates = model.templates().iter().zip(0..).filter_map(|(template, at)| {
        let (pages, _) = of_templates.get(&at)?;
        let ranked = template.learnt.as_ref().map_or(&[][..], |learnt| learnt.ranked());
        Some(TemplateSummary {
            id: template.id.clone(),
            kind: template.kind,
            pages: *pages,
            signature: format!("{:016x}", template.signature),
            wrapper: template.wrapper().map(WrapperRecord::from),
            fields: template.fields(),
            patterns: ranked.iter().map(PatternRecord::from).collect(),
            examples: template.examples.clone(),
        })
    });
    let best = of_templates.iter().max_by_key(|(at, (_, given))| (*given, std::cmp::Reverse(**at)));
    let best = best.and_then(|(&at, &(_, given))| {
        let wrapper = model.templates().get(at as usize)?.wrapper()?;
        (given > 0).then(|| BestWrapper {
            articles: given,
            content: wrapper.content.clone(),
            confidence: wrapper.confidence,
            learnt_from: wrapper.support.learnt_from,
            held_back: wrapper.support.held_back,
            held_back_agreeing: wrapper.support.held_back_agreeing,
        })
    });
    let site_configs: Vec<SiteConfigUse> = configs.0.into_values().collect();
    let overruled = site_configs.iter().map(|own| own.overruled as u64).sum();
    SiteResult {
        best: best_with_site_configs(&articles, best),
        articles,
        drops,
        summary: SiteSummary {
            site: site.key.clone(),
            sample_cut: model.head().cut,
            templates: templates.collect(),
            site_configs,
            ..SiteSummary::default()
        },
        pages,
        work: PageWork { fast_path: seen.fast_path, judged: seen.judged, overruled, ..work },
        characters: seen.characters,
        ..SiteResult::from_articles(&site.key, Vec::new())
    }
}

/// Counts of what the site configs of the pages' hosts selected, by host.
#[derive(Default)]
struct SiteConfigsUsed(BTreeMap<String, SiteConfigUse>);

impl SiteConfigsUsed {
    fn add(&mut self, found: &PageFinding) {
        let Some(Configured { host, body, matched }) = &found.configured else { return };
        let record = self.0.entry(host.clone()).or_insert_with(|| SiteConfigUse {
            host: host.clone(),
            body: body.clone(),
            ..SiteConfigUse::default()
        });
        let role = found.applied.outcome.article().and_then(|article| article.site_config);
        record.pages += 1;
        record.matched += usize::from(*matched);
        record.overruled += usize::from(role == Some(SiteConfigRole::Overruled));
    }
}

/// Returns the best wrapper, or the expressions of a site config if they gave at least as many articles.
fn best_with_site_configs(
    articles: &[Extracted],
    best: Option<BestWrapper>,
) -> Option<BestWrapper> {
    let mut counts: BTreeMap<&[String], (usize, f64)> = BTreeMap::new();
    let by_config =
        |article: &&Extracted| article.engine == SITE_CONFIG && article.route == Route::Wrapper;
    for article in articles.iter().filter(by_config) {
        counts.entry(&article.xpath).or_insert((0, article.confidence)).0 += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, (articles, _))| *articles);
    let configured = most.map(|(content, (articles, confidence))| BestWrapper {
        articles,
        content: content.to_vec(),
        confidence,
        ..BestWrapper::default()
    });
    let given = |best: &Option<BestWrapper>| best.as_ref().map_or(0, |best| best.articles);
    if given(&configured) > 0 && given(&configured) >= given(&best) { configured } else { best }
}

/// Joins articles of several pages: the first page gets the texts of the following pages, which are dropped. Pages of
/// lists, products and the like are not joined, even if they are numbered.
pub(crate) fn join(site: &Surveyed, findings: &mut Findings) {
    let pages: Vec<usize> = findings.keys().copied().collect();
    let mut apart: BTreeSet<usize> = BTreeSet::new();
    let has_more = |page: &&usize| !site.following(**page).is_empty();
    for &first in pages.iter().filter(has_more).filter(|&&page| site.part(page) == Part::Whole) {
        let mut whole = article_of(findings, first).filter(|article| has_parts(article)).cloned();
        for part in site.following(first) {
            match (&mut whole, article_of(findings, *part)) {
                (Some(whole), Some(article)) if fits(whole, article) => append(whole, article),
                (_, Some(article)) if article.engine == SITE_CONFIG => {}
                (Some(_), None) => {}
                _ => _ = apart.insert(*part),
            }
        }
        if let (Some(whole), Some(found)) = (whole, findings.get_mut(&first)) {
            found.applied.outcome = Outcome::Article(Box::new(whole));
        }
    }
    for page in pages.into_iter().filter(|page| !apart.contains(page)) {
        let Some(whole) = site.whole.get(&page) else { continue };
        if let Some(found) = findings.get_mut(&page) {
            let (url, origin) = match &found.applied.outcome {
                Outcome::Article(article) => (article.url.clone(), article.origin.clone()),
                Outcome::Drop(drop) => (drop.url.clone(), drop.origin.clone()),
                Outcome::Unassigned => continue,
            };
            found.applied.outcome = Outcome::Drop(Box::new(Drop {
                site: site.key.clone(),
                url,
                origin,
                stage: Stage::Extract,
                reason: DropReason::JoinedPage,
                detail: format!("part of {whole}"),
                gone: None,
                refused: None,
            }));
        }
    }
}

fn article_of(findings: &Findings, page: usize) -> Option<&Extracted> {
    findings.get(&page)?.applied.outcome.article()
}

fn has_parts(article: &Article) -> bool {
    article.engine == SITE_CONFIG || article.page_type.is_none_or(|own| rules_of(own).has_parts)
}

/// Whether a page fits as a part of an article: a site config extracted both, or both are of one template.
fn fits(whole: &Article, part: &Article) -> bool {
    match (whole.engine == SITE_CONFIG, part.engine == SITE_CONFIG) {
        (true, true) => true,
        (false, false) => !whole.template.is_empty() && whole.template == part.template,
        _ => false,
    }
}

/// Returns the measures of the text of an article with a part added: shares are means weighted by words.
fn quality_of_joined(whole: &Article, part: &Article, text: &str) -> Quality {
    let words = [whole.word_count, part.word_count].map(f64::from);
    let mean = |a: f64, b: f64| (a * words[0] + b * words[1]) / (words[0] + words[1]).max(1.0);
    let of_both = |a: Option<f64>, b: Option<f64>| Some(mean(a?, b?));
    let (a, b) = (&whole.quality, &part.quality);
    Quality {
        precision: of_both(a.precision, b.precision),
        recall: of_both(a.recall, b.recall),
        repeated: share_repeated(text),
        links: mean(a.links, b.links),
        boilerplate: of_both(a.boilerplate, b.boilerplate),
        // Computed once all articles are known.
        elsewhere: 0.0,
    }
}

/// Appends a part to an article, which becomes as doubtful as its most doubtful part.
fn append(whole: &mut Extracted, part: &Extracted) {
    let payloads = [whole.payload, part.payload].concat();
    whole.payload = xxh3_128(&payloads).to_be_bytes();
    append_passages(whole, part);
    let text = format!("{}\n\n{}", whole.text, part.text);
    whole.quality = quality_of_joined(whole, part, &text);
    if part.confidence < whole.confidence {
        (whole.confidence, whole.doubtful, whole.doubt) =
            (part.confidence, part.doubtful, part.doubt);
    }
    set_text(whole, text);
    if !whole.html.is_empty() {
        whole.images.extend_from_slice(&part.images);
        whole.image_sources.extend_from_slice(&part.image_sources);
        whole.tables.extend_from_slice(&part.tables);
        whole.embeds.extend_from_slice(&part.embeds);
        whole.footnotes.extend_from_slice(&part.footnotes);
        whole.html.push('\n');
        whole.html.push_str(&part.html);
    }
    if let (Some(whole), Some(part)) = (&mut whole.markdown, &part.markdown) {
        whole.push_str("\n\n");
        whole.push_str(part);
    }
}
