//! Stage 4, apply: extracts the pages of a site with its model.
//!
//! Takes: parsed pages, the model, and which of them make up articles.
//! Gives: per page its article, or the reason why it has none; together, the result of a site or of a part of
//! it.
//! Why: this is the purpose of the program.
//! Drops: pages without an article, and those that are part of another page's.

mod parts;

use std::collections::{BTreeMap, BTreeSet};

use dom::ParseNotes;
use grouping::Part;
use model::{
    Article, BestWrapper, Drop, DropReason, Origin, PageWork, Route, SiteConfigUse, SiteResult,
    SiteSummary, Stage, Support, TemplateSummary,
};
use rayon::prelude::*;
use sitemodel::stages::extract::SITE_CONFIG;
use sitemodel::{
    Applied, Hints, Known, Meter, Outcome, ParsedPage, Seen, Settings, Sibling, SiteModel,
};

use super::learn::{ParsedPages, Surveyed};

pub(crate) use self::parts::join;

/// What to do with pages that match no template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unassigned {
    /// Leave them for the second round of learning.
    Wait,
    /// Extract each by itself.
    Alone,
}

/// The outcomes of pages, by their indices in the site.
pub(crate) type Outcomes = BTreeMap<usize, Applied>;

/// Number of nodes of pages that are processed in parallel: each block that is scored takes a kilobyte, with
/// at most one block for every two nodes.
const NODES_AT_ONCE: usize = 300_000;

/// Pages with fewer nodes are always processed in parallel. Real pages have a few thousand.
const SMALL: usize = 20_000;

/// A site and its model.
#[derive(Clone, Copy)]
pub(crate) struct Applying<'a> {
    pub(crate) site: &'a Surveyed,
    pub(crate) model: &'a SiteModel,
    pub(crate) settings: &'a Settings,
    pub(crate) meter: &'a dyn Meter,
}

impl Applying<'_> {
    /// Applies the model to pages. `known` is what learning found out about pages, by index.
    pub(crate) fn apply(
        &self,
        pages: &ParsedPages<'_>,
        known: &BTreeMap<usize, Known>,
        unassigned: Unassigned,
    ) -> Outcomes {
        self.apply_further(pages, known, unassigned, Outcomes::new())
    }

    /// The same, given what came of some of the pages already.
    pub(crate) fn apply_further(
        &self,
        pages: &ParsedPages<'_>,
        known: &BTreeMap<usize, Known>,
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

    /// Applies the model to pages of a sample; those that it has no template for are left.
    pub(crate) fn apply_to(
        &self,
        pages: &[(usize, &ParsedPage<'_>)],
        known: &BTreeMap<usize, Known>,
    ) -> Outcomes {
        self.each(pages, known, Unassigned::Wait)
    }

    /// Applies the model to pages: in parallel, except for those with very many nodes.
    fn each(
        &self,
        pages: &[(usize, &ParsedPage<'_>)],
        known: &BTreeMap<usize, Known>,
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
        known: Option<&Known>,
        unassigned: Unassigned,
    ) -> Applied {
        let items = self.site.items_of(at);
        let sibling = Sibling { page: parsed, feed_items: &items };
        let hints = Hints { known, part: self.site.part(at) != Part::Whole };
        let applied = self.model.apply_parsed(&sibling, hints, self.settings, self.meter);
        match (&applied.outcome, unassigned) {
            (Outcome::Unassigned, Unassigned::Alone) => {
                self.model.apply_alone(&sibling, hints, self.settings, self.meter)
            }
            _ => applied,
        }
    }

    /// Whether a page matches no template.
    pub(crate) fn is_unassigned(&self, at: usize, parsed: &ParsedPage<'_>) -> bool {
        let items = self.site.items_of(at);
        let sibling = Sibling { page: parsed, feed_items: &items };
        self.model.is_unassigned(&sibling, self.settings)
    }

    /// The article of another capture of a page; `None` if it has none.
    pub(crate) fn capture(&self, at: usize, parsed: &ParsedPage<'_>) -> Option<(Article, Applied)> {
        let applied = self.one(at, parsed, None, Unassigned::Alone);
        match &applied.outcome {
            Outcome::Article(article) => Some(((**article).clone(), applied.clone())),
            _ => None,
        }
    }
}

/// Builds the result of a site, or of a part of it, from the outcomes of its pages.
pub(crate) fn result(
    applying: &Applying<'_>,
    parsed: &ParsedPages<'_>,
    outcomes: Outcomes,
) -> SiteResult {
    let Applying { site, model, .. } = *applying;
    let mut seen = Seen::default();
    let mut of_templates: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    let (mut articles, mut drops) = (Vec::new(), Vec::new());
    for applied in outcomes.into_values() {
        seen.add(&applied);
        let counts = applied.template.map(|template| of_templates.entry(template).or_default());
        let is_article = matches!(applied.outcome, Outcome::Article(_));
        if let Some(counts) = counts {
            counts.0 += 1;
            counts.1 += usize::from(is_article);
        }
        match applied.outcome {
            Outcome::Article(article) => articles.push(*article),
            Outcome::Drop(drop) => drops.push(*drop),
            Outcome::Unassigned => {}
        }
    }
    let pages = parsed.len();
    drops.extend(parsed.iter().filter_map(|(_, parsed)| parsed.as_ref().err()).map(|page| Drop {
        site: site.key().to_owned(),
        url: page.url.clone(),
        origin: page.origin.clone(),
        stage: Stage::Cluster,
        reason: DropReason::Internal,
        detail: "parsing this page failed; please report it with the page".to_owned(),
    }));
    articles.sort_by(|a, b| (&a.url, &a.origin).cmp(&(&b.url, &b.origin)));
    drops.sort();
    let templates = model.templates().iter().zip(0..).filter_map(|(template, at)| {
        let (pages, _) = of_templates.get(&at)?;
        Some(TemplateSummary {
            id: template.id.clone(),
            kind: template.kind,
            pages: *pages,
            signature: template.signature,
            wrapper: template.wrapper().cloned(),
            patterns: template.learnt.as_ref().map_or(&[][..], |learnt| learnt.ranked()).to_vec(),
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
            support: wrapper.support,
        })
    });
    let parsed: Vec<&ParsedPage<'_>> =
        parsed.iter().filter_map(|(_, parsed)| parsed.as_ref().ok()).collect();
    let notes = |is: fn(&ParseNotes) -> bool| {
        parsed.iter().filter(|page| is(&page.document.notes())).count() as u64
    };
    let site_configs = site_configs_used(&parsed, &articles);
    let overruled = site_configs.iter().map(|own| own.overruled as u64).sum();
    SiteResult {
        best: best_with_site_configs(&articles, best),
        articles,
        drops,
        summary: SiteSummary {
            site: site.key().to_owned(),
            sample_cut: model.head().cut,
            templates: templates.collect(),
            site_configs,
        },
        pages,
        work: PageWork {
            by_html5ever: notes(|notes| notes.by_html5ever),
            outgrown: notes(ParseNotes::outgrown),
            fast_path: seen.fast_path,
            judged: seen.judged,
            overruled,
        },
        characters: seen.characters,
        ..SiteResult::of_articles(site.key(), Vec::new())
    }
}

/// Counts of what the site configs of the pages' hosts selected.
fn site_configs_used(parsed: &[&ParsedPage<'_>], articles: &[Article]) -> Vec<SiteConfigUse> {
    let by_engine: BTreeSet<(&str, &Origin)> = articles
        .iter()
        .filter(|article| article.engine != SITE_CONFIG)
        .map(|article| (&*article.url, &article.origin))
        .collect();
    let mut records: BTreeMap<&str, SiteConfigUse> = BTreeMap::new();
    for (page, configured) in
        parsed.iter().filter_map(|page| Some((page.page, page.configured.as_ref()?)))
    {
        let by = &configured.by;
        let record = records.entry(&by.host).or_insert_with(|| SiteConfigUse {
            host: by.host.clone(),
            body: by.wrapper.body().collect(),
            pages: 0,
            matched: 0,
            overruled: 0,
        });
        record.pages += 1;
        let is_matched = configured.body.is_some();
        record.matched += usize::from(is_matched);
        let is_overruled = is_matched && by_engine.contains(&(&*page.url, &page.origin));
        record.overruled += usize::from(is_overruled);
    }
    records.into_values().collect()
}

/// The best wrapper, or the expression of a site config that gave more articles.
fn best_with_site_configs(articles: &[Article], best: Option<BestWrapper>) -> Option<BestWrapper> {
    let mut counts: BTreeMap<&[String], (usize, f64)> = BTreeMap::new();
    let by_config =
        |article: &&Article| article.engine == SITE_CONFIG && article.route == Route::Wrapper;
    for article in articles.iter().filter(by_config) {
        counts.entry(&article.xpath).or_insert((0, article.confidence)).0 += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, (articles, _))| *articles);
    let configured = most.map(|(content, (articles, confidence))| BestWrapper {
        articles,
        content: content.to_vec(),
        confidence,
        // It was not learnt.
        support: Support::default(),
    });
    let given = |best: &Option<BestWrapper>| best.as_ref().map_or(0, |best| best.articles);
    if given(&configured) > 0 && given(&configured) >= given(&best) { configured } else { best }
}
