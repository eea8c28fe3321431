//! One site from pages to articles: stages 3 to 7 in order. No IO, no failure.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

use forest::Recurring;
use model::{
    Article, Drop, DropReason, FeedItem, Site, Stage, StructuralPattern, Support, Template,
    TemplateKind,
};
use rayon::prelude::*;
use sink::{BestWrapper, FixedRecord, Letters, SiteRecord, SiteResult, TemplateRecord};
use xxhash_rust::xxh3::xxh3_64;

use crate::body::{Body, Listed, bodies};
use crate::config::Config;
use crate::engine::Engine;
use crate::ledger::Clock;
use crate::letters::letters_of;
use crate::parsed::{ParsedPage, parse_page};
use crate::parts::join_parts;
use crate::sinks::SinkName;
use crate::site_configs::site_configs;
use crate::stages::cluster::{Joined, cluster};
use crate::stages::extract::{SITE_CONFIG, extract, judged_body};
use crate::stages::group::join;
use crate::stages::judge::judge;
use crate::stages::rank::rank;
use crate::stages::signify::{Sibling, SignifiedPage, signify};
use crate::stages::wrap::{Learnt, Trial, wrap, wrap_judged};

/// With one page there is nothing to compare, and every pattern is as frequent as any other: Forest
/// finds 59 F1 there and 82 with two pages, single-page methods 79 (docs/figures/few.csv).
const FEWEST_SIBLINGS: usize = 2;

/// How many ranked patterns and example pages the wrapper file shows.
const PATTERNS_SHOWN: usize = 5;
const EXAMPLES_SHOWN: usize = 3;

/// Processes a site. Should anything in it panic, every page is tried by itself, page-wise, and
/// what still fails is set aside as `internal-error`: one broken page must not end the night.
pub fn process(site: &Site, config: &Config, clock: &Clock) -> SiteResult {
    match catch_unwind(AssertUnwindSafe(|| process_together(site, config, clock))) {
        Ok(result) => result,
        Err(_) => process_apart(site, config),
    }
}

fn process_together(site: &Site, config: &Config, clock: &Clock) -> SiteResult {
    let mut parsed: Vec<ParsedPage<'_>> =
        clock.parse.time(|| site.pages.par_iter().map(|page| parse_page(page, config)).collect());
    let by_html5ever = parsed.iter().filter(|page| page.document.notes().by_html5ever).count();
    clock.by_html5ever.fetch_add(by_html5ever as u64, Ordering::Relaxed);
    join_parts(&mut parsed, config);
    let canonical: Vec<Option<String>> = parsed.iter().map(canonical_of).collect();
    let addresses: Vec<&str> = site.pages.iter().map(|p| p.url.as_str()).collect();
    let joined = join(&addresses, &site.feed_items, &canonical, &config.group);
    let site = &Joined { key: &site.key, feed_items: &site.feed_items, pages: joined };
    let templates = clock.cluster.time(|| cluster(site, &parsed, &config.cluster));

    let mut articles = Vec::new();
    let mut drops = Vec::new();
    let mut records = Vec::new();
    let mut letters = Letters::default();
    let mut best: Option<BestWrapper> = None;
    let mut wrappers = Vec::new();
    for template in &templates {
        if let Some(reason) = refusal(template.kind, config) {
            drops.extend(
                template
                    .members
                    .iter()
                    .map(|&m| drop_of(&parsed[m as usize], Stage::Cluster, reason)),
            );
            records.push(record_of(template, &parsed, None, &[]));
            continue;
        }
        let (learnt, ranked, outcomes) = match config.rank.engine {
            Engine::Grove => judge_template(site, template, &parsed, config, clock),
            _ => rank_template(site, template, &parsed, config, clock),
        };
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
        if let Some(learnt) = &learnt {
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
        records.push(record_of(template, &parsed, learnt.as_ref(), &ranked));
        wrappers.extend(learnt.map(|learnt| learnt.wrapper));
    }
    articles.sort_by(|a, b| (&a.url, &a.origin).cmp(&(&b.url, &b.origin)));
    drops.sort();
    let site_configs = if config.emit.sinks.contains(&SinkName::SiteConfig) {
        site_configs(&articles, &wrappers.iter().collect::<Vec<_>>(), &parsed)
    } else {
        Vec::new()
    };
    SiteResult {
        best: best_by_hand(&articles, best),
        articles,
        drops,
        record: SiteRecord::new(site.key, records, by_hand(&parsed)),
        site: site.key.to_owned(),
        site_configs,
        pages: parsed.len(),
        letters,
    }
}

/// How the fixed wrappers of a site's hosts fared.
fn by_hand(parsed: &[ParsedPage<'_>]) -> Vec<FixedRecord> {
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
fn best_by_hand(articles: &[Article], best: Option<BestWrapper>) -> Option<BestWrapper> {
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

fn refusal(kind: TemplateKind, config: &Config) -> Option<DropReason> {
    match kind {
        TemplateKind::Article => None,
        TemplateKind::List if config.cluster.extract_lists => None,
        TemplateKind::List => Some(DropReason::ListPage),
        TemplateKind::Other => Some(DropReason::NoContent),
    }
}

pub(crate) fn canonical_of(page: &ParsedPage<'_>) -> Option<String> {
    let href = page.document.head().link("canonical")?;
    let base = url::Url::parse(&page.page.url).ok()?;
    Some(base.join(href).ok()?.into())
}

pub(crate) fn feed_items_of<'a>(site: &Joined<'a>, page: u32) -> Vec<&'a FeedItem> {
    site.pages[page as usize].iter().map(|&i| &site.feed_items[i as usize]).collect()
}

fn drop_of(page: &ParsedPage<'_>, stage: Stage, reason: DropReason) -> Drop {
    let slow = page.document.notes().given_up;
    let reason = if slow { DropReason::TooSlow } else { reason };
    Drop {
        site: page.page.site.clone(),
        url: page.page.url.clone(),
        origin: page.page.origin.clone(),
        stage,
        reason,
        detail: match (reason, page.fixed.as_ref().and_then(|fixed| fixed.part_of.as_ref())) {
            (DropReason::JoinedPage, Some(whole)) => format!("part of {whole}"),
            _ => String::new(),
        },
    }
}

/// The pages a template is learnt from: those with the smallest hashes of their URLs, so that the
/// choice depends on nothing else.
pub(crate) fn sample_of(template: &Template, parsed: &[ParsedPage<'_>], size: usize) -> Vec<u32> {
    let mut members = template.members.clone();
    members.sort_by_cached_key(|&m| (xxh3_64(parsed[m as usize].page.url.as_bytes()), m));
    members.truncate(size);
    members
}

/// What came of a template.
type Processed = (Option<Learnt>, Vec<StructuralPattern>, Vec<Outcome>);

/// Signify, rank, wrap, extract; or a method that needs no learning.
fn rank_template(
    site: &Joined<'_>,
    template: &Template,
    parsed: &[ParsedPage<'_>],
    config: &Config,
    clock: &Clock,
) -> Processed {
    let (learnt, ranked) = learn(site, template, parsed, config, clock);
    let outcomes = clock.extract.time(|| {
        let pages: Vec<Listed<'_>> = template
            .members
            .iter()
            .map(|&m| (&parsed[m as usize], feed_items_of(site, m)))
            .collect();
        let found = bodies(&pages, config.rank.engine, config);
        let together: Vec<_> = pages.iter().zip(found).collect();
        together
            .into_par_iter()
            .map(|(page, found)| extract_one(page, template, learnt.as_ref(), found, config))
            .collect()
    });
    (learnt, ranked, outcomes)
}

/// Judge, wrap, extract.
fn judge_template(
    site: &Joined<'_>,
    template: &Template,
    parsed: &[ParsedPage<'_>],
    config: &Config,
    clock: &Clock,
) -> Processed {
    let weights = &config.weights().weights;
    let order = sample_of(template, parsed, template.members.len());
    let items: Vec<Vec<&FeedItem>> = order.iter().map(|&m| feed_items_of(site, m)).collect();
    let siblings: Vec<Sibling<'_>> = order
        .iter()
        .zip(&items)
        .map(|(&index, items)| Sibling { index, page: &parsed[index as usize], feed_items: items })
        .collect();
    let judged =
        clock.rank.time(|| judge(&siblings, config.rank.learn_from, &config.signify, weights));
    let sample: Vec<&ParsedPage<'_>> =
        siblings[..judged.learnt_from].iter().map(|s| s.page).collect();
    let mut learnt = if sample.len() < FEWEST_SIBLINGS {
        None
    } else {
        clock.wrap.time(|| {
            wrap_judged(template, Engine::Grove.name(), &sample, &judged, config.wrap.hold_back)
        })
    };
    let (outcomes, sure): (Vec<Outcome>, Vec<f64>) = clock.extract.time(|| {
        siblings
            .par_iter()
            .enumerate()
            .map(|(at, sibling)| {
                let found = catch_unwind(AssertUnwindSafe(|| {
                    judged_body(
                        sibling.page,
                        at,
                        &judged,
                        learnt.as_ref(),
                        sibling.feed_items,
                        weights,
                    )
                }));
                let sure =
                    found.as_ref().ok().and_then(|f| f.as_ref()).map_or(0.0, |f| f.confidence);
                let listed = (sibling.page, sibling.feed_items.to_vec());
                let outcome = match found {
                    Ok(found) => extract_one(&listed, template, None, found, config),
                    Err(_) => {
                        let drop = drop_of(sibling.page, Stage::Extract, DropReason::Internal);
                        Outcome::Drop(Box::new(drop))
                    }
                };
                (outcome, sure)
            })
            .unzip()
    });
    if let Some(learnt) = &mut learnt {
        // What is to be expected of it: the mean over the pages it was learnt from.
        let own = &sure[..judged.learnt_from];
        learnt.wrapper.confidence *= own.iter().sum::<f64>() / own.len().max(1) as f64;
    }
    (learnt, judged.common.forest.ranked, outcomes)
}

/// Signify, rank, wrap.
fn learn(
    site: &Joined<'_>,
    template: &Template,
    parsed: &[ParsedPage<'_>],
    config: &Config,
    clock: &Clock,
) -> (Option<Learnt>, Vec<StructuralPattern>) {
    let Engine::Forest(measure) = config.rank.engine else { return (None, Vec::new()) };
    let sample = sample_of(template, parsed, config.rank.learn_from);
    if sample.len() < FEWEST_SIBLINGS {
        return (None, Vec::new());
    }
    let items: Vec<Vec<&FeedItem>> = sample.iter().map(|&m| feed_items_of(site, m)).collect();
    let siblings: Vec<Sibling<'_>> = sample
        .iter()
        .zip(&items)
        .map(|(&index, items)| Sibling { index, page: &parsed[index as usize], feed_items: items })
        .collect();
    let signified = clock.signify.time(|| signify(&siblings, &config.signify));
    let pages: Vec<&ParsedPage<'_>> = sample.iter().map(|&m| &parsed[m as usize]).collect();
    let signified: Vec<&SignifiedPage> = signified.iter().collect();
    let recurring = Recurring::of(pages.iter().map(|p| &p.document));
    let ranked = clock.rank.time(|| rank(&pages, &signified, &recurring, measure));

    let held_back = config.wrap.hold_back.min(pages.len() / 4);
    let learnt_from = pages.len() - held_back;
    let on_trial = (held_back > 0).then(|| {
        clock
            .rank
            .time(|| rank(&pages[..learnt_from], &signified[..learnt_from], &recurring, measure))
    });
    let trial = on_trial.as_ref().map(|ranked| Trial {
        ranked,
        learnt_from: &pages[..learnt_from],
        held_back: &pages[learnt_from..],
    });
    let engine = config.rank.engine.name();
    let learnt = clock.wrap.time(|| wrap(template, engine, &pages, &recurring, &ranked, trial));
    (learnt, ranked)
}

/// What came of a page.
enum Outcome {
    Article(Box<Article>, Letters),
    Drop(Box<Drop>),
}

/// Extracts one page; a panic is that page's own.
fn extract_one(
    (page, items): &Listed<'_>,
    template: &Template,
    learnt: Option<&Learnt>,
    found: Option<Body>,
    config: &Config,
) -> Outcome {
    let attempt = || extract(page, &template.id, learnt, found, items, config);
    let dropped = |reason| Outcome::Drop(Box::new(drop_of(page, Stage::Extract, reason)));
    match catch_unwind(AssertUnwindSafe(attempt)) {
        Ok(Ok(article)) => {
            let letters = letters_of(&page.document, &article);
            Outcome::Article(Box::new(article), letters)
        }
        Ok(Err(reason)) => dropped(reason),
        Err(_) => dropped(DropReason::Internal),
    }
}

fn record_of(
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
fn process_apart(site: &Site, config: &Config) -> SiteResult {
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
    SiteResult { articles, drops, record, site, site_configs, pages, letters, best: None }
}
