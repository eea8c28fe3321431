//! The model store in a run: opened before anything is read, and committed when everything is written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use config::Config;
use config::files::sha256_of;
use errors::Stopped;
use input::waiting::waiting_for_databases;
use model::{Drop, DropReason, NightFigures, SiteNight, SiteResult, TemplateNight, Verdict};
use modelstore::{RunIdentity, Store, StoreError};
use report::readable::count;
use sink::{InputRecord, LastNight};
use site::texts::{ArticleText, KnownTexts};
use site::verdict::{FEWEST, NightVerdict, Tonight, judge};

use super::RunContext;
use super::ledger::SiteCounts;

/// Opens the store from the settings, if any; waits while another run writes to it.
pub(crate) fn open(config: &Config, stop: &AtomicBool, stopped: Stopped) -> Result<Option<Store>> {
    let Some(path) = config.run.models() else {
        anyhow::ensure!(
            !config.run.reextract,
            "run.reextract needs a store: name it by run.models"
        );
        return Ok(None);
    };
    if config.run.reextract {
        return Ok(Some(Store::open_read_only(path)?));
    }
    config.run.models_bytes()?;
    let opened = Store::open(path, waiting_for_databases(stop));
    opened.map(Some).map_err(|error| unless_stopped(error, stopped))
}

/// The identity of a run: runs with the same settings on inputs with the same contents are the same night.
pub(crate) fn run_of(config: &Config, inputs: &[InputRecord]) -> RunIdentity {
    let digest = sha256_of(&format!("{} {}", contents_of(inputs), config.night_hash()));
    RunIdentity { digest, program: env!("CARGO_PKG_VERSION").to_owned() }
}

/// A digest of the contents of inputs and of the choice of pages, independent of order.
fn contents_of(inputs: &[InputRecord]) -> String {
    let one = |input: &InputRecord| match &input.chosen {
        Some(chosen) => format!("{} {}", input.sha256, chosen.pages),
        None => input.sha256.clone(),
    };
    let mut of: Vec<String> = inputs.iter().map(one).collect();
    of.sort_unstable();
    of.join(" ")
}

/// The name of a night in append-only outputs: a hash of the contents of its inputs and of the choice of pages.
pub(crate) fn night_name(inputs: &[InputRecord]) -> String {
    sha256_of(&contents_of(inputs)).chars().take(32).collect()
}

/// Tells the store which run this is, and returns the previous night.
pub(crate) fn begin(store: &Store, run: &RunIdentity) -> Result<Option<LastNight>> {
    if store.begin(run)? {
        let path = store.path().display();
        tracing::info!(at = %path, "already contains this night; it is not changed");
    }
    Ok(store.last_night()?.map(|(night, sites)| LastNight { night, sites }))
}

/// Responses without a page for the addresses of a site.
#[derive(Debug, Default)]
struct Answers {
    refused: BTreeMap<u16, u64>,
    /// Number of addresses that are gone.
    gone: u64,
    /// The host of another site to which addresses redirect, and their number.
    moved: Option<(String, u64)>,
    /// The time of the last refusal.
    at: Option<jiff::Timestamp>,
}

/// Responses without a page, by site.
#[derive(Debug, Default)]
pub(crate) struct SiteAnswers(BTreeMap<String, Answers>);

impl SiteAnswers {
    /// Maximum number of sites: pages link to many that are not crawled.
    const MOST: usize = 1 << 18;

    /// Counts a drop of reading, and sets its site if it is a response without a page.
    pub(crate) fn see(&mut self, drop: &mut Drop) {
        if drop.reason != DropReason::HttpStatus {
            return;
        }
        let Some(site) = grouping::site_key(&drop.url) else { return };
        drop.site.clone_from(&site);
        let moved_to = drop.gone.as_ref().map(|gone| gone.moved_to.as_deref());
        let is_gone = moved_to == Some(None);
        let host =
            moved_to.flatten().filter(|to| grouping::site_key(to).is_some_and(|to| to != site));
        let host = host.and_then(|to| Some(to.split('/').nth(2)?.to_owned()));
        if drop.refused.is_none() && !is_gone && host.is_none()
            || self.0.len() >= Self::MOST && !self.0.contains_key(&site)
        {
            return;
        }
        let own = self.0.entry(site).or_default();
        own.gone += u64::from(is_gone);
        if let Some(host) = host {
            let moved = own.moved.get_or_insert_with(|| (host.clone(), 0));
            moved.1 += u64::from(moved.0 == host);
        }
        if let Some(refusal) = drop.refused {
            *own.refused.entry(refusal.status).or_default() += 1;
            own.at = own.at.max(refusal.at);
        }
    }

    fn add_to(&self, site: &str, figures: &mut NightFigures) {
        let Some(own) = self.0.get(site) else { return };
        figures.gone += own.gone;
        let refused =
            own.refused.iter().map(|(status, number)| (format!("http-{status}"), *number));
        figures.drops.extend(refused);
    }
}

/// Judges the sites of a night, and passes their updates to the store.
pub(crate) struct SiteJudge<'a> {
    store: &'a Store,
    answers: &'a SiteAnswers,
    is_whole: bool,
    /// Figures of the current site's parts so far, and some of their texts.
    open: NightFigures,
    texts: Vec<ArticleText>,
    /// The latest date of a site.
    night: String,
}

impl<'a> SiteJudge<'a> {
    /// `is_whole`: whether the run took all pages of its inputs.
    pub(crate) fn new(store: &'a Store, answers: &'a SiteAnswers, is_whole: bool) -> Self {
        let (open, night) = (NightFigures::default(), String::new());
        Self { store, answers, is_whole, open, texts: Vec::new(), night }
    }

    /// Adds a site or a part of one, and judges the site when it is complete.
    pub(crate) fn take(&mut self, counted: &SiteCounts, result: &mut SiteResult) -> Result<()> {
        self.open.add(&counted.figures);
        self.texts.extend_from_slice(&counted.texts);
        if result.more {
            return Ok(());
        }
        let mut figures = std::mem::take(&mut self.open);
        let texts = std::mem::take(&mut self.texts);
        let Some(night) = &mut result.night else { return Ok(()) };
        figures.agreement = night.figures.agreement;
        night.figures = figures;
        self.judge(night, texts)?;
        if let Some(change) = result.figures.as_mut().and_then(|own| own.change.as_mut()) {
            change.verdict = night.health.verdict;
        }
        Ok(())
    }

    fn judge(&mut self, night: &mut SiteNight, texts: Vec<ArticleText>) -> Result<()> {
        self.answers.add_to(&night.site, &mut night.figures);
        let known = match texts.is_empty() {
            true => None,
            false => Some(KnownTexts::of(self.store.texts(&night.site)?.as_deref())),
        };
        let mut other_texts = 0;
        if let Some(known) = &known {
            (night.figures.known, night.figures.similarity) = known.compare(&texts);
            other_texts = known.others(&texts);
        }
        let history = self.store.history(&night.site, &night.night)?;
        let tonight = Tonight {
            site: &night.site,
            night: &night.night,
            figures: &night.figures,
            lost_texts: night.lost_texts.as_deref(),
            shared_words: night.shared_words,
            other_texts,
            decision: &night.decision,
            worst_template: night.health.verdict,
            is_whole: self.is_whole,
        };
        let NightVerdict { mut health, usual, lost_templates, is_usual } =
            judge(&history, &tonight);
        let moved = self.answers.0.get(&night.site).and_then(|own| own.moved.as_ref());
        if let (Verdict::Missing, Some((host, number))) = (health.verdict, moved) {
            health.evidence += &format!("; {number} of its addresses redirect to {host}");
        }
        night.usual = usual;
        // A run that was committed before keeps its verdict.
        if night.health.evidence.is_empty() {
            night.health = health;
        }
        night.texts = known.and_then(|mut known| {
            known.add(texts, &night.night, is_usual);
            known.bytes()
        });
        let known: BTreeSet<&str> = night.templates.iter().map(|own| &*own.template).collect();
        let lost: Vec<TemplateNight> = lost_templates
            .into_iter()
            .filter(|template| !known.contains(&**template))
            .map(|template| TemplateNight {
                template,
                verdict: Verdict::Missing,
                ..TemplateNight::default()
            })
            .collect();
        night.templates.extend(lost);
        night.templates.sort_by(|a, b| a.template.cmp(&b.template));
        if self.night < night.night {
            self.night.clone_from(&night.night);
        }
        Ok(self.store.add_night(night)?)
    }

    /// Judges the known sites without a page tonight, and those that refused all requests. Call it after all other sites.
    pub(crate) fn each_absent(
        mut self,
        retire_after: u32,
        each: &mut dyn FnMut(SiteNight) -> Result<()>,
    ) -> Result<()> {
        if !self.is_whole {
            return Ok(());
        }
        let refusals = self.answers.0.values().filter_map(|own| own.at).max();
        let date = refusals.map(|at| at.to_zoned(jiff::tz::TimeZone::UTC).date().to_string());
        let night = date.unwrap_or_default().max(std::mem::take(&mut self.night));
        let since = night.parse::<jiff::civil::Date>().ok().and_then(|date| {
            date.checked_sub(jiff::Span::new().try_days(i64::from(retire_after)).ok()?).ok()
        });
        let since = since.map(|date| date.to_string()).unwrap_or_default();
        let mut sites = self.store.absent(&night, &since)?;
        let refusing = self.answers.0.iter().filter(|(site, own)| {
            own.refused.values().sum::<u64>() >= FEWEST && sites.binary_search(site).is_err()
        });
        let refusing: Vec<String> = refusing.map(|(site, _)| site.clone()).collect();
        for site in refusing {
            if !self.store.has_pages(&site)? {
                sites.push(site);
            }
        }
        sites.sort_unstable();
        for site in sites {
            let mut own = SiteNight {
                site,
                night: night.clone(),
                decision: "keep".to_owned(),
                reason: "no pages".to_owned(),
                ..SiteNight::default()
            };
            self.judge(&mut own, Vec::new())?;
            each(own)?;
        }
        Ok(())
    }
}

/// Commits the store once the outputs are written; waits for readers that block this. Returns its state, as
/// [`Store::state`] does.
pub(crate) fn commit(
    store: &Store,
    config: &Config,
    stop: &AtomicBool,
    stopped: Stopped,
) -> Result<String> {
    let kept = store.commit(config.run.models_bytes()?, waiting_for_databases(stop));
    let evicted = kept.map_err(|error| unless_stopped(error, stopped))?;
    if evicted.sites > 0 {
        tracing::info!(
            at = %store.path().display(),
            sites = evicted.sites,
            "removed the retained pages of the {} sites not seen for longest, to stay below run.models_size",
            evicted.sites
        );
    }
    if evicted.revisions > 0 {
        tracing::info!(
            at = %store.path().display(),
            revisions = evicted.revisions,
            "removed {} of models, of sites whose revisions weigh more than 4 MiB",
            count(evicted.revisions as usize, "old revision")
        );
    }
    Ok(store.state()?)
}

fn unless_stopped(error: StoreError, stopped: Stopped) -> anyhow::Error {
    if error.is_stopped() { stopped.into() } else { error.into() }
}

impl RunContext<'_> {
    /// The store, unless the run only reads it.
    pub(super) fn growing(&self) -> Option<&Store> {
        self.store.filter(|_| !self.config.run.reextract)
    }
}
