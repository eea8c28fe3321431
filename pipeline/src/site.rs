//! One site from pages to articles: stages 3 to 7 in order. No IO, no failure.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use dom::ParseNotes;
use grouping::{PageHead, PagesByLink, SiteAddresses, Tracking};
use model::{
    Article, Drop, DropReason, FeedItem, Site, Stage, StructuralPattern, Support, Template,
    TemplateKind,
};
use rayon::prelude::*;
use sink::{BestWrapper, FixedRecord, Letters, PageWork, SiteRecord, SiteResult, TemplateRecord};
use xxhash_rust::xxh3::xxh3_64;

use crate::config::Config;
use crate::known::{Known, KnownTemplate};
use crate::ledger::Clock;
use crate::letters::letters_of;
use crate::parsed::{ParsedPage, parse_page};
use crate::parts::join_parts;
use crate::sink_name::SinkName;
use crate::site_configs::site_configs;
use crate::stages::cluster::{Clusters, Joined, cluster};
use crate::stages::extract::{SITE_CONFIG, extract};
use crate::stages::signify::Sibling;
use crate::stages::wrap::Learnt;
use crate::template::{LearntTemplate, Outcome, at_once, drop_of, learn_template, sample_size};

/// How many ranked patterns and example pages the wrapper file shows.
const PATTERNS_SHOWN: usize = 5;
const EXAMPLES_SHOWN: usize = 3;

/// Processes a site. Should anything in it panic, every page is tried by itself, page-wise, and
/// what still fails is set aside as `internal-error`: one broken page must not end the night.
pub fn process(site: &Site, config: &Config, clock: &Clock) -> SiteResult {
    process_within(site, &addresses_of(site, config), config, clock).0
}

/// Processes pages of a site, all of whose addresses are known. Gives also what was learnt of it,
/// for further pages, unless something failed.
pub(crate) fn process_within(
    site: &Site,
    addresses: &Arc<SiteAddresses>,
    config: &Config,
    clock: &Clock,
) -> (SiteResult, Option<Known>) {
    match catch_unwind(AssertUnwindSafe(|| process_together(site, addresses, config, clock))) {
        Ok((result, known)) => (result, Some(known)),
        Err(_) => (process_apart(site, config), None),
    }
}

/// The addresses of a site's pages.
pub(crate) fn addresses_of(site: &Site, config: &Config) -> Arc<SiteAddresses> {
    let tracking = Tracking::new(&config.group.tracking_parameters);
    Arc::new(SiteAddresses::of(site.pages.iter().map(|page| &*page.url), tracking))
}

/// Pages of a site by the links that lead to them.
pub(crate) fn links_of(parsed: &[ParsedPage<'_>], addresses: &Arc<SiteAddresses>) -> PagesByLink {
    let pages: Vec<PageHead> = parsed.iter().map(head_of).collect();
    PagesByLink::of(Arc::clone(addresses), &pages)
}

fn head_of(page: &ParsedPage<'_>) -> PageHead {
    let title = page.document.head().title.as_deref().unwrap_or_default();
    PageHead::of(page.page, canonical_of(page), title)
}

/// A site's pages joined to its feed items.
pub(crate) fn joined<'a>(site: &'a Site, parsed: &[ParsedPage<'_>], config: &Config) -> Joined<'a> {
    let links = links_of(parsed, &addresses_of(site, config));
    Joined::of(&site.key, &site.feed_items, links, parsed.len())
}

fn process_together(
    site: &Site,
    addresses: &Arc<SiteAddresses>,
    config: &Config,
    clock: &Clock,
) -> (SiteResult, Known) {
    let mut parsed: Vec<ParsedPage<'_>> =
        clock.parse.time(|| site.pages.par_iter().map(|page| parse_page(page, config)).collect());
    let mut work = work_of(&parsed);
    let links = links_of(&parsed, addresses);
    join_parts(&mut parsed, &links);
    let site = &Joined::of(&site.key, &site.feed_items, links, parsed.len());
    let Clusters { templates, layouts } =
        clock.cluster.time(|| cluster(site, &parsed, &config.cluster));

    let mut articles = Vec::new();
    let mut drops = Vec::new();
    let mut records = Vec::new();
    let mut letters = Letters::default();
    let mut best: Option<BestWrapper> = None;
    let mut known = Known { layouts, templates: Vec::with_capacity(templates.len()) };
    for template in templates {
        if let Some(reason) = refusal(template.kind, config) {
            drops.extend(
                template
                    .members
                    .iter()
                    .map(|&m| drop_of(&parsed[m as usize], Stage::Cluster, reason)),
            );
            records.push(record_of(&template, &parsed, None, &[]));
            known.templates.push(KnownTemplate { template, learnt: None });
            continue;
        }
        let (learnt, outcomes) =
            learn_and_extract(site, &template, &parsed, config, clock, &mut work);
        let before = articles.len();
        for outcome in outcomes {
            match outcome {
                Outcome::Article(article, of_page) => {
                    letters.add(of_page);
                    articles.push(*article);
                }
                Outcome::Drop(drop) => drops.push(*drop),
            }
        }
        if let Some(learnt) = &learnt.learnt {
            let given = articles.len() - before;
            if best.as_ref().is_none_or(|b| given > b.articles) {
                let wrapper = &learnt.wrapper;
                best = Some(BestWrapper {
                    articles: given,
                    content: wrapper.content.clone(),
                    confidence: wrapper.confidence,
                    support: wrapper.support,
                });
            }
        }
        records.push(record_of(&template, &parsed, learnt.learnt.as_ref(), learnt.ranked()));
        known.templates.push(KnownTemplate { template, learnt: Some(learnt) });
    }
    articles.sort_by(|a, b| (&a.url, &a.origin).cmp(&(&b.url, &b.origin)));
    drops.sort();
    let site_configs = if config.emit.sinks.contains(&SinkName::SiteConfig) {
        let learnt =
            known.templates.iter().filter_map(|known| known.learnt.as_ref()?.learnt.as_ref());
        let wrappers: Vec<_> = learnt.map(|learnt| &learnt.wrapper).collect();
        site_configs(&articles, &wrappers, &parsed)
    } else {
        Vec::new()
    };
    let result = SiteResult {
        best: best_by_hand(&articles, best),
        articles,
        drops,
        record: SiteRecord::new(site.key, records, by_hand(&parsed)),
        site: site.key.to_owned(),
        site_configs,
        pages: parsed.len(),
        work,
        letters,
        more: false,
        row: None,
    };
    (result, known)
}

/// How pages were parsed.
pub(crate) fn work_of(parsed: &[ParsedPage<'_>]) -> PageWork {
    let count = |is: fn(&ParseNotes) -> bool| {
        parsed.iter().filter(|page| is(&page.document.notes())).count() as u64
    };
    PageWork {
        by_html5ever: count(|notes| notes.by_html5ever),
        outgrown: count(ParseNotes::outgrown),
        ..PageWork::default()
    }
}

/// How the fixed wrappers of a site's hosts fared.
pub(crate) fn by_hand(parsed: &[ParsedPage<'_>]) -> Vec<FixedRecord> {
    let mut records: BTreeMap<&str, FixedRecord> = BTreeMap::new();
    for page in parsed {
        let Some(fixed) = &page.fixed else { continue };
        let by = &fixed.by;
        let record = records.entry(&by.host).or_insert_with(|| FixedRecord {
            host: by.host.clone(),
            body: by.wrapper.body().collect(),
            pages: 0,
            matched: 0,
        });
        record.pages += 1;
        record.matched += usize::from(fixed.body.is_some());
    }
    records.into_values().collect()
}

/// The best wrapper, or the expression of a fixed one that gave more articles.
pub(crate) fn best_by_hand(articles: &[Article], best: Option<BestWrapper>) -> Option<BestWrapper> {
    let mut counts: BTreeMap<&[String], (usize, f64)> = BTreeMap::new();
    for article in articles.iter().filter(|article| article.engine == SITE_CONFIG) {
        counts.entry(&article.xpath).or_insert((0, article.confidence)).0 += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, (articles, _))| *articles);
    let by_hand = most.map(|(content, (articles, confidence))| BestWrapper {
        articles,
        content: content.to_vec(),
        confidence,
        // Nobody learnt it.
        support: Support::default(),
    });
    let given = |best: &Option<BestWrapper>| best.as_ref().map_or(0, |best| best.articles);
    if given(&by_hand) > 0 && given(&by_hand) >= given(&best) { by_hand } else { best }
}

pub(crate) fn refusal(kind: TemplateKind, config: &Config) -> Option<DropReason> {
    match kind {
        TemplateKind::Article => None,
        TemplateKind::List if config.cluster.extract_lists => None,
        TemplateKind::List => Some(DropReason::ListPage),
        TemplateKind::Other => Some(DropReason::NoContent),
    }
}

fn canonical_of(page: &ParsedPage<'_>) -> Option<String> {
    let href = page.document.head().link("canonical")?;
    let base = url::Url::parse(&page.page.url).ok()?;
    Some(base.join(href).ok()?.into())
}

pub(crate) fn feed_items_of<'a>(site: &Joined<'a>, page: u32) -> Vec<&'a FeedItem> {
    site.pages[page as usize].iter().map(|&i| &site.feed_items[i as usize]).collect()
}

/// The pages a template is learnt from: those with the smallest hashes of their URLs, so that the
/// choice depends on nothing else.
pub(crate) fn sample_of(template: &Template, parsed: &[ParsedPage<'_>], size: usize) -> Vec<u32> {
    let mut members = template.members.clone();
    members.sort_by_cached_key(|&m| (xxh3_64(parsed[m as usize].page.url.as_bytes()), m));
    members.truncate(size);
    members
}

/// [`sample_of`] the size that the settings name, or as many as may be judged at once.
pub(crate) fn sample_to_learn(
    template: &Template,
    parsed: &[ParsedPage<'_>],
    config: &Config,
) -> Vec<u32> {
    let size = sample_size(config);
    let mut sample = sample_of(template, parsed, size);
    sample.truncate(at_once(sample.iter().map(|&m| parsed[m as usize].document.len()), size));
    sample
}

/// Learns a template from a sample of its pages and extracts them all, the sample first.
fn learn_and_extract(
    site: &Joined<'_>,
    template: &Template,
    parsed: &[ParsedPage<'_>],
    config: &Config,
    clock: &Clock,
    work: &mut PageWork,
) -> (LearntTemplate, Vec<Outcome>) {
    let sample = sample_to_learn(template, parsed, config);
    let others = template.members.iter().filter(|member| !sample.contains(member));
    let order: Vec<u32> = sample.iter().chain(others).copied().collect();
    let items: Vec<Vec<&FeedItem>> = order.iter().map(|&m| feed_items_of(site, m)).collect();
    let siblings: Vec<Sibling<'_>> = order
        .iter()
        .zip(&items)
        .map(|(&index, items)| Sibling { index, page: &parsed[index as usize], feed_items: items })
        .collect();
    let (sample, others) = siblings.split_at(sample.len());
    let (learnt, mut outcomes) = learn_template(template, sample, config, clock);
    outcomes.extend(learnt.extract(others, config, clock, work));
    (learnt, outcomes)
}

pub(crate) fn record_of(
    template: &Template,
    parsed: &[ParsedPage<'_>],
    learnt: Option<&Learnt>,
    ranked: &[StructuralPattern],
) -> TemplateRecord {
    let examples = template
        .members
        .iter()
        .take(EXAMPLES_SHOWN)
        .map(|&m| parsed[m as usize].page.url.clone())
        .collect();
    let shown = &ranked[..ranked.len().min(PATTERNS_SHOWN)];
    TemplateRecord::new(template, learnt.map(|l| &l.wrapper), shown, examples)
}

/// Each page by itself, with the page-wise method only.
pub(crate) fn process_apart(site: &Site, config: &Config) -> SiteResult {
    let (mut articles, mut drops) = (Vec::new(), Vec::new());
    let mut letters = Letters::default();
    for page in &site.pages {
        let attempt = || {
            let parsed = parse_page(page, config);
            let article = extract(&parsed, "", None, None, &[], config)?;
            let letters = letters_of(&parsed.document, &article);
            Ok((article, letters))
        };
        let outcome = catch_unwind(AssertUnwindSafe(attempt));
        let (reason, detail) = match outcome {
            Ok(Ok((article, of_page))) => {
                letters.add(of_page);
                articles.push(article);
                continue;
            }
            Ok(Err(reason)) => (reason, String::new()),
            Err(_) => (
                DropReason::Internal,
                "processing this page failed; please report it with the page".to_owned(),
            ),
        };
        drops.push(Drop {
            site: site.key.clone(),
            url: page.url.clone(),
            origin: page.origin.clone(),
            stage: Stage::Extract,
            reason,
            detail,
        });
    }
    let record = SiteRecord::new(&site.key, Vec::new(), Vec::new());
    let site_configs = Vec::new();
    let (site, pages) = (site.key.clone(), site.pages.len());
    let (work, more) = (PageWork::default(), false);
    SiteResult {
        articles,
        drops,
        record,
        site,
        site_configs,
        pages,
        work,
        letters,
        best: None,
        more,
        row: None,
    }
}
