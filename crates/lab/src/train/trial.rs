//! Divides the gold into parts that are held out in turn, and runs the pages of each part with weights that were fitted
//! without it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use config::Config;
use grove::Weights;
use model::{Extracted, Site};
use rayon::prelude::*;
use sink::AtomicFile;
use site::clock::Clock;
use site::process;
use sitemodel::Engine;
use sitemodel::settings::LoadedWeights;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::gold::GoldPage;
use crate::train::course::page_scores_of;
use crate::train::pages::TrainingTemplate;

/// The unit that is held out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeaveOut {
    /// Several publishers at a time: all pages of a site are in one part.
    Publishers,
    /// One data set at a time.
    DataSets,
}

impl LeaveOut {
    /// The name in reports and in the weights file.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Publishers => "leave-publishers-out",
            Self::DataSets => "leave-data-set-out",
        }
    }
}

/// Divides templates into parts; returns the part of each template, and the number of parts.
/// Publishers are assigned by a hash of their names, so that a new publisher does not move the others.
pub(super) fn parts(
    templates: &[TrainingTemplate<'_>],
    leave_out: LeaveOut,
    folds: usize,
) -> (Vec<usize>, usize) {
    match leave_out {
        LeaveOut::Publishers => {
            let part =
                |t: &TrainingTemplate<'_>| (xxh3_64(t.site.as_bytes()) % folds as u64) as usize;
            (templates.iter().map(part).collect(), folds)
        }
        LeaveOut::DataSets => {
            let names: BTreeSet<&str> = templates.iter().map(data_set).collect();
            let names: Vec<&str> = names.into_iter().collect();
            let part = |t: &TrainingTemplate<'_>| {
                names.binary_search(&data_set(t)).unwrap_or(names.len() - 1)
            };
            (templates.iter().map(part).collect(), names.len())
        }
    }
}

/// Whether each template belongs to the given percentage of publishers. Publishers are chosen by a different hash than the
/// parts; a larger percentage includes the publishers of a smaller one.
pub(super) fn of_publishers(templates: &[TrainingTemplate<'_>], percent: u8) -> Vec<bool> {
    let hash = |t: &TrainingTemplate<'_>| xxh3_64_with_seed(t.site.as_bytes(), 1) % 100;
    templates.iter().map(|t| hash(t) < u64::from(percent)).collect()
}

/// The data set of a template: the data set of its first page with gold.
fn data_set<'a>(template: &TrainingTemplate<'a>) -> &'a str {
    let gold = template.pages.iter().find_map(|page| page.gold.as_ref());
    gold.map_or("", |(gold, _)| gold.dataset.as_str())
}

/// The result for a page of the gold.
pub(super) struct HeldOut<'a> {
    pub(super) gold: &'a GoldPage,
    /// F1 by pairs of words; `None` where the page has no gold to count.
    pub(super) f1: Option<f64>,
    pub(super) words_f1: Option<f64>,
    /// F1 by pairs of words, without bylines, dates and captions.
    pub(super) fields_f1: Option<f64>,
    /// `None` if the page gave no article.
    pub(super) article: Option<Extracted>,
}

/// Runs every site with the weights for each part that its templates belong to. Pages are ordered by template.
pub(super) fn run_each<'a>(
    sites: &[Site],
    templates: &[TrainingTemplate<'a>],
    parts: &[usize],
    weights: &[Weights],
    config: &Config,
) -> Vec<HeldOut<'a>> {
    let configs: Vec<Config> = weights
        .iter()
        .map(|weights| {
            let loaded = LoadedWeights { weights: weights.clone(), digest: [0; 32] };
            let mut config = Config { loaded: Some(Arc::new(loaded)), ..config.clone() };
            config.rank.engine = Engine::Grove;
            config
        })
        .collect();
    let mut parts_of_site: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (template, &part) in templates.iter().zip(parts) {
        parts_of_site.entry(template.site).or_default().insert(part);
    }
    let runs: Vec<(&Site, usize)> = sites
        .iter()
        .filter_map(|site| Some((site, parts_of_site.get(site.key.as_str())?)))
        .flat_map(|(site, parts)| parts.iter().map(move |&part| (site, part)))
        .collect();
    let articles: Vec<Vec<Extracted>> = runs
        .par_iter()
        .map(|(site, part)| process(site, &configs[*part], &Clock::default()).articles)
        .collect();
    let mut by_part: BTreeMap<(usize, String), Extracted> = BTreeMap::new();
    for ((_, part), articles) in runs.iter().zip(articles) {
        for article in articles {
            by_part.entry((*part, article.url.clone())).or_insert(article);
        }
    }
    let mut held_out = Vec::new();
    for (template, &part) in templates.iter().zip(parts) {
        for page in &template.pages {
            let Some((gold, _)) = &page.gold else { continue };
            let article = by_part.get(&(part, gold.url.clone())).cloned();
            let text = article.as_ref().map_or("", |article| &article.text);
            let scores = page_scores_of(page, text);
            let [f1, words_f1, fields_f1] = scores.map(|score| score.map(|own| own.f1));
            held_out.push(HeldOut { gold, f1, words_f1, fields_f1, article });
        }
    }
    held_out
}

/// Writes the articles, as lines of `articles.jsonl`.
///
/// # Errors
/// If the file cannot be written.
pub(super) fn write(held_out: &[HeldOut<'_>], path: &Path) -> anyhow::Result<()> {
    let mut lines = String::new();
    for extracted in held_out.iter().filter_map(|page| page.article.as_ref()) {
        lines.push_str(&serde_json::to_string(&extracted.article)?);
        lines.push('\n');
    }
    Ok(AtomicFile::write_whole(path, lines.as_bytes())?)
}
