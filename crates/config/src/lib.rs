/*!
Settings: one struct per stage, read from TOML over the built-in defaults ([`Config::load`]). Also what is needed to read
them: small files and their digests ([`files`]), amounts of memory ([`memory`]), the names of outputs ([`SinkName`]),
and site configs ([`site_config_files`]).
*/

pub mod corrections;
mod emit;
pub mod files;
pub mod memory;
pub mod site_config_files;
mod unused;

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use bytesize::ByteSize;
use corrections::{ArticleCorrections, read_corrections};
pub use emit::{Duplicates, EmitConfig, SinkList, SinkName};
use errors::Problem;
use files::{address_of, read_small, read_small_text, sha256_of, without_detours};
use grouping::SampleLimits;
use memory::{LEAST, half_of_machine, parse_size};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use site_config_files::{read_files, site_configs_of};
pub use sitemodel::DEFAULT;
use sitemodel::corrections::Corrections;
use sitemodel::settings::{
    ClusterConfig, ExtractConfig, JoinParts, LoadedWeights, ParseLimits, RankConfig, RightsChoice,
    SignifyConfig, built_in,
};
use sitemodel::site_config::SiteConfigs;
use sitemodel::{ArticleForms, Engine, Parameters, Settings, Tables};
use toml::{Table, Value};
pub use unused::Unused;

const MOST_BYTES: u64 = 16 << 20;
const MOST_WEIGHTS: u64 = 256 << 20;

/// Settings in the table `run` that affect where and how a run works, not its results.
const NOT_OF_RESULTS: [&str; 11] = [
    "inputs", "feeds", "out", "jobs", "memory", "spool", "work", "metrics", "compare",
    "models_size", "input_base",
];

/// All settings of a run.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Config {
    /// What to read, where to write, number of threads.
    pub run: RunConfig,
    /// Settings of the stage read.
    pub read: ReadConfig,
    /// Settings of the stage group.
    pub group: GroupConfig,
    /// Limits of the HTML parse.
    pub parse: ParseLimits,
    /// Limits of the sample of a site that its model is learnt from.
    pub sample: SampleLimits,
    /// Settings of the stage cluster.
    pub cluster: ClusterConfig,
    /// Settings of the stage signify.
    pub signify: SignifyConfig,
    /// Settings of the stage rank.
    pub rank: RankConfig,
    /// Settings of the stage wrap.
    pub wrap: WrapConfig,
    /// Settings of the stage extract.
    pub extract: ExtractConfig,
    /// Settings of the stage emit.
    pub emit: EmitConfig,
    /// Settings of the default engine.
    pub grove: GroveConfig,
    /// Parameters of the single-page methods, one table for each.
    #[serde(flatten)]
    pub methods: Parameters,
    /// The weights read from `grove.weights`, if set.
    #[serde(skip)]
    pub loaded: Option<Arc<LoadedWeights>>,
    /// The corrections of articles read from `run.corrections`, if set.
    #[serde(skip)]
    pub corrections: Option<Arc<ArticleCorrections>>,
    /// The site configs read from `wrap.site_configs`, if set.
    #[serde(skip)]
    pub site_configs: Option<Arc<SiteConfigs>>,
    /// The corrections of templates read from `run.corrections`, if there are any.
    #[serde(skip)]
    pub template_corrections: Option<Arc<Corrections>>,
}

/// Settings of the default engine.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct GroveConfig {
    /// Path of a weights file; empty for the built-in weights.
    pub weights: PathBuf,
}

/// What to read, where to write, number of threads.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    /// Archives, HTML files, folders, globs.
    pub inputs: Vec<String>,
    /// Folder or address that archive names in indexes are relative to; empty for the folder of the index.
    pub input_base: PathBuf,
    /// Feeds, folders, globs.
    pub feeds: Vec<String>,
    /// Output folder.
    pub out: PathBuf,
    /// Number of threads, at most [`MOST_JOBS`]; 0 is one per core.
    #[serde(deserialize_with = "number_of_threads")]
    pub jobs: usize,
    /// Memory limit, as [`crate::memory::parse_size`] reads it; empty for half of the machine's memory.
    pub memory: String,
    /// Maximum weight in bytes of a site that is processed as a whole; larger sites are processed in batches.
    pub batch_bytes: u64,
    /// Folder for pages that do not fit into memory; empty for one in the run folder.
    pub spool: PathBuf,
    /// Folder in which the results stay until they are copied to their address; empty for a temporary folder.
    pub work: PathBuf,
    /// File of metrics that is updated during the run; empty for none.
    pub metrics: PathBuf,
    /// Folder of an earlier run that this one is compared with; empty for none.
    pub compare: PathBuf,
    /// Corrections that are applied to articles: files of lines, and archives of articles.
    pub corrections: Vec<PathBuf>,
    /// Store of site models that grows from night to night; empty for none.
    pub models: PathBuf,
    /// Limit of the weight of the pages kept in that store, for all sites, as [`crate::memory::parse_size`] reads it.
    pub models_size: String,
    /// Number of days without pages after which a template is removed from the next revision of its site's model.
    pub retire_after: u32,
    /// Sites to take pages from, by key, host or address; all if empty.
    pub sites: Vec<String>,
    /// Take pages captured on this date or later; empty for all.
    pub since: String,
    /// Take pages captured on this date or earlier; empty for all.
    pub until: String,
    /// Maximum number of pages to take, the first ones; 0 for all.
    pub limit: u64,
    /// Whether captures are only read again, with the models in the store, which is not changed.
    pub reextract: bool,
}

/// Most threads of a run. Thousands of them wait for each other instead of working, and cannot be stopped.
pub const MOST_JOBS: usize = 1024;

fn number_of_threads<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    match usize::deserialize(from)? {
        jobs if jobs > MOST_JOBS => {
            Err(D::Error::custom(format!("{jobs} threads are too many: give at most {MOST_JOBS}")))
        }
        jobs => Ok(jobs),
    }
}

impl RunConfig {
    /// Maximum memory of a run, in bytes.
    ///
    /// # Errors
    /// If the setting is not a size.
    pub fn budget(&self) -> Result<u64> {
        if self.memory.is_empty() {
            return Ok(half_of_machine().max(LEAST));
        }
        let bytes =
            parse_size(&self.memory).map_err(|what| anyhow::anyhow!("run.memory: {what}"))?;
        if bytes < LEAST {
            let least = ByteSize(LEAST).display().iec();
            tracing::warn!(
                at = "run.memory",
                next = "give more with --memory, or expect the run to exceed this limit",
                "is {}, but a run needs up to {least}",
                self.memory
            );
        }
        Ok(bytes)
    }

    /// The store of site models, if set.
    pub fn models(&self) -> Option<&Path> {
        (!self.models.as_os_str().is_empty()).then_some(&*self.models)
    }

    /// Maximum weight of the pages kept in the store, in bytes.
    ///
    /// # Errors
    /// If the setting is not a size.
    pub fn models_bytes(&self) -> Result<u64> {
        parse_size(&self.models_size).map_err(|what| anyhow::anyhow!("run.models_size: {what}"))
    }

    /// The folder of the earlier run to compare with, if set.
    pub fn earlier(&self) -> Option<&Path> {
        (!self.compare.as_os_str().is_empty()).then_some(&*self.compare)
    }
}

/// Settings of the read stage.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ReadConfig {
    /// Maximum size of a record, in bytes.
    pub max_record_bytes: u64,
    /// Maximum size of a record head, in bytes.
    pub max_head_bytes: usize,
    /// Maximum size of a decoded payload, in bytes.
    pub max_payload_bytes: usize,
    /// Maximum compression ratio of an archive or payload.
    pub max_ratio: u64,
    /// Maximum size of a feed, in bytes.
    pub max_feed_bytes: usize,
    /// Status codes of pages to keep.
    pub statuses: Vec<u16>,
    /// Extra columns of input tables to keep in articles.
    pub extra: Vec<String>,
}

impl ReadConfig {
    /// Limits of the archive reader.
    pub fn limits(&self) -> archive::Limits {
        archive::Limits {
            record_bytes: self.max_record_bytes,
            head_bytes: self.max_head_bytes,
            ratio: self.max_ratio,
            ..archive::Limits::USUAL
        }
    }

    /// Approximate maximum memory for reading a file, in bytes: a record, its payload, and the payload as text.
    pub fn most_memory(&self) -> u64 {
        self.max_record_bytes.saturating_add(2 * self.max_payload_bytes as u64)
    }
}

/// Settings of the group stage.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct GroupConfig {
    /// Query parameters that are ignored when URLs are compared.
    pub tracking_parameters: Vec<String>,
    /// Which pages are parts of one article.
    pub join_parts: JoinParts,
    /// Name of the robot whose rules apply beside the rules for all robots; empty for none.
    pub robot: String,
}

/// Settings of the wrap stage.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WrapConfig {
    /// Maximum number of pages held back to test a wrapper.
    pub hold_back: usize,
    /// Site configs: files and folders. Their contents affect results, their paths do not.
    #[serde(skip_serializing)]
    pub site_configs: Vec<PathBuf>,
}

impl Config {
    /// Reads a configuration file over the defaults; without a file, returns the defaults. Relative
    /// paths in the file are relative to its folder.
    ///
    /// # Errors
    /// If the file cannot be read, is not TOML, or has an unknown key or value; the message names the file,
    /// the line and the key.
    pub fn load(path: Option<&Path>) -> Result<Self> {
        let mut table: toml::Table = toml::from_str(DEFAULT).context("in the default settings")?;
        let mut sets_out = false;
        if let Some(path) = path {
            let shown = path.display();
            let text = read_small_text(path, MOST_BYTES)
                .with_context(|| format!("cannot read the configuration {shown}"))?;
            // Parsed separately first, so that an error has its line in the user's file.
            let own: toml::Table = toml::from_str(&text)
                .with_context(|| format!("the configuration {shown} is not valid TOML"))?;
            check_keys(&own, &table, "", &shown)?;
            sets_out = own.get("run").is_some_and(|run| run.get("out").is_some());
            overlay(&mut table, own);
        }
        let place = path.map_or("default settings".to_owned(), |p| p.display().to_string());
        let mut config: Self = table.try_into().map_err(|error| value_problem(&place, &error))?;
        if let Some(folder) = path.and_then(Path::parent) {
            let placed = |path: &Path| match address_of(path) {
                Some(_) => path.to_owned(),
                None => without_detours(&folder.join(path)),
            };
            let rebase = |p: &str| placed(Path::new(p)).to_string_lossy().into_owned();
            let run = &mut config.run;
            run.inputs = run.inputs.iter().map(|p| rebase(p)).collect();
            run.feeds = run.feeds.iter().map(|p| rebase(p)).collect();
            if sets_out {
                run.out = placed(&run.out);
            }
            let emit = &mut config.emit;
            for path in [
                &mut emit.archive, &mut emit.index, &mut emit.dataset, &mut run.spool,
                &mut run.input_base, &mut run.work, &mut run.metrics, &mut run.compare,
                &mut run.models, &mut config.grove.weights,
            ] {
                if !path.as_os_str().is_empty() {
                    *path = placed(path);
                }
            }
            for path in run.corrections.iter_mut().chain(&mut config.wrap.site_configs) {
                *path = without_detours(&folder.join(&*path));
            }
        }
        config.read_named()
    }

    /// Reads the files that the settings name.
    fn read_named(mut self) -> Result<Self> {
        let weights = &self.grove.weights;
        let is_named = !weights.as_os_str().is_empty();
        self.loaded = is_named.then(|| read_weights(weights)).transpose()?.map(Arc::new);
        self.read_site_configs()?;
        self.read_corrections()?;
        Ok(self)
    }

    /// Returns the settings that differ from the defaults and can change results, as tables for [`Config::with`].
    pub fn differences(&self) -> toml::Table {
        let mut differences = self.to_table().unwrap_or_default();
        let defaults: toml::Table = toml::from_str(DEFAULT).unwrap_or_default();
        for (name, table) in &mut differences {
            let toml::Value::Table(table) = table else { continue };
            let is_of_place = |key: &str| match name.as_str() {
                "run" => NOT_OF_RESULTS.contains(&key),
                "emit" => ["archive", "index", "dataset"].contains(&key),
                _ => false,
            };
            let default_of = |key: &str| defaults.get(name)?.get(key);
            table.retain(|key, value| !is_of_place(key) && default_of(key) != Some(value));
        }
        differences.retain(|_, table| table.as_table().is_none_or(|table| !table.is_empty()));
        differences
    }

    fn to_table(&self) -> Result<toml::Table> {
        let mut table = toml::Table::try_from(self).context("in the settings to change")?;
        if let Some(toml::Value::Table(wrap)) = table.get_mut("wrap") {
            let paths = toml::Value::try_from(&self.wrap.site_configs)?;
            wrap.insert("site_configs".to_owned(), paths);
        }
        Ok(table)
    }

    /// Returns these settings with `changes`, which has tables and keys like a configuration file.
    /// Relative paths in it are relative to the current folder.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn with(&self, changes: toml::Table) -> Result<Self> {
        let mut table = self.to_table()?;
        check_keys(&changes, &table, "", &"settings")?;
        overlay(&mut table, changes);
        let config: Self = table.try_into().map_err(|error| value_problem("settings", &error))?;
        config.read_named()
    }

    /// Reads the corrections that `run.corrections` names. Must be called again after that setting changes. The archive that the
    /// run writes to may be missing: it has no corrections before its first run.
    ///
    /// # Errors
    /// If a file cannot be read, or a line is not a correction.
    pub fn read_corrections(&mut self) -> Result<()> {
        let is_begun = |path: &&PathBuf| **path != self.emit.archive || path.exists();
        let mut paths = self.run.corrections.iter().filter(is_begun).map(|path| &**path).peekable();
        let is_any = paths.peek().is_some();
        let read = is_any.then(|| read_corrections(paths)).transpose()?;
        let (articles, templates) = read.unzip();
        self.corrections = articles.map(Arc::new);
        self.template_corrections = templates.flatten().map(Arc::new);
        Ok(())
    }

    /// SHA-256, in hex, of what affects outputs but not results: the settings of outputs, and the corrections of articles.
    pub fn outputs_hash(&self) -> String {
        match &self.corrections {
            Some(corrections) => sha256_of(&format!("{} {}", self.emit.hash(), corrections.digest)),
            None => self.emit.hash(),
        }
    }

    /// Returns the outputs of an earlier run, given its [`differences`](Self::differences), that a run with these settings does
    /// not write, or writes differently. The paths of archive, index and data set do not matter.
    pub fn replaced_outputs(&self, earlier: &toml::Table) -> Vec<SinkName> {
        let mut table: toml::Table = toml::from_str(DEFAULT).unwrap_or_default();
        let emit = earlier.get("emit").map(|emit| ("emit".to_owned(), emit.clone()));
        overlay(&mut table, emit.into_iter().collect());
        let before = table.remove("emit").and_then(|emit| EmitConfig::deserialize(emit).ok());
        let Some(before) = before else { return Vec::new() };
        let alike = EmitConfig {
            sinks: self.emit.sinks.clone(),
            archive: self.emit.archive.clone(),
            index: self.emit.index.clone(),
            dataset: self.emit.dataset.clone(),
            index_memory: self.emit.index_memory,
            ..before.clone()
        };
        let (is_alike, now) = (alike.hash() == self.emit.hash(), self.emit.chosen());
        before.chosen().into_iter().filter(|name| !is_alike || !now.contains(name)).collect()
    }

    /// Reads the site configs that `wrap.site_configs` names. Must be called again after that setting changes.
    ///
    /// # Errors
    /// If a file cannot be read. Its contents are never an error.
    pub fn read_site_configs(&mut self) -> Result<()> {
        let files = read_files(&self.wrap.site_configs)?;
        self.site_configs = (!files.is_empty()).then(|| Arc::new(site_configs_of(&files)));
        Ok(())
    }

    /// The settings for learning and applying.
    pub fn settings(&self) -> Settings {
        let tables = Tables {
            tracking_parameters: self.group.tracking_parameters.clone(),
            join_parts: self.group.join_parts,
            parse: self.parse.clone(),
            sample: self.sample,
            cluster: self.cluster.clone(),
            signify: self.signify.clone(),
            rank: self.rank.clone(),
            hold_back: self.wrap.hold_back,
            extract: self.extract.clone(),
            methods: self.methods,
        };
        let mut settings = Settings::new(tables);
        settings.own_weights = self.loaded.clone();
        settings.site_configs = self.site_configs.clone();
        settings.corrections = self.template_corrections.clone();
        settings.forms = ArticleForms {
            // Text to be removed is located in the HTML.
            html: self.emit.wants_html() || self.emit.find_shared_text,
            markdown: self.emit.wants_markdown(),
            passages: self.emit.words_of_passages(),
        };
        settings.page_types = self.emit.page_types.clone();
        settings.rights =
            RightsChoice { robot: self.group.robot.clone(), skip: self.emit.skip.clone() };
        settings
    }

    /// The weights of the default engine.
    pub fn weights(&self) -> &LoadedWeights {
        self.loaded.as_deref().unwrap_or_else(|| built_in())
    }

    /// SHA-256 of the settings that affect results (not paths, not threads), in hex. The model store counts,
    /// since its contents affect results: a run with another store is another run.
    pub fn hash(&self) -> String {
        match self.run.models() {
            Some(models) => {
                sha256_of(&format!("{} models {}", self.night_hash(), models.display()))
            }
            None => self.night_hash(),
        }
    }

    /// Like [`Config::hash`], but independent of which model store is used, and of where it is.
    pub fn night_hash(&self) -> String {
        let decisive = (
            (
                &self.read, &self.group, &self.parse, &self.sample, &self.cluster,
                self.run.batch_bytes,
            ),
            (&self.signify, &self.rank, &self.wrap, &self.extract, &self.methods),
            (self.rank.engine == Engine::Grove).then(|| &self.weights().digest),
            env!("CARGO_PKG_VERSION"),
        );
        let mut text = serde_json::to_string(&decisive).unwrap_or_default();
        text.extend(self.site_configs.iter().map(|configs| configs.digest.as_str()));
        text.extend(self.template_corrections.iter().map(|all| all.digest.as_str()));
        text.extend(self.emit.page_types.iter().map(|own| own.as_str()));
        text.extend(self.emit.skip.iter().map(|own| own.as_str()));
        if self.run.models().is_some() {
            text.push_str(&format!("retire_after {}", self.run.retire_after));
            text.push_str(if self.run.reextract { " reextract" } else { "" });
        }
        sha256_of(&text)
    }
}

/// Reads a weights file.
///
/// # Errors
/// If it cannot be read, or this version cannot use it.
pub fn read_weights(path: &Path) -> Result<LoadedWeights> {
    let shown = path.display();
    let bytes = read_small(path, MOST_WEIGHTS)
        .with_context(|| format!("cannot read the weights {shown}"))?;
    LoadedWeights::from_bytes(&bytes).with_context(|| format!("the weights {shown}"))
}

fn check_keys(
    own: &Table,
    known: &Table,
    section: &str,
    shown: &dyn std::fmt::Display,
) -> Result<()> {
    for (key, value) in own {
        let name = if section.is_empty() { key.clone() } else { format!("{section}.{key}") };
        let Some(default) = known.get(key) else {
            let keys: Vec<&str> = known.keys().map(String::as_str).collect();
            let next = match meant(&name, section, known) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None if section.is_empty() => format!("the tables are {}", keys.join(", ")),
                None => format!("the keys of [{section}] are {}", keys.join(", ")),
            };
            let what = format!("unknown key `{name}` in the configuration");
            bail!(Problem::new(shown, what, next));
        };
        match (value, default) {
            (Value::Table(own), Value::Table(known)) => {
                check_keys(own, known, &name, shown)?;
            }
            (_, Value::Table(_)) => {
                bail!(Problem::new(shown, format!("`{name}` must be a table: [{name}]"), ""))
            }
            _ => {}
        }
    }
    Ok(())
}

/// Names of types and choices in serde's messages, and the words for them in ours.
const TYPES: [(&str, &str); 7] = [
    ("expected usize", "expected a whole number"),
    ("expected u64", "expected a whole number"),
    ("expected u32", "expected a whole number"),
    ("expected u16", "expected a whole number"),
    ("expected f64", "expected a number"),
    ("expected a boolean", "expected true or false"),
    ("unknown variant", "unknown value"),
];

/// Turns a TOML error into a problem that names the key with the invalid value, and the reason.
fn value_problem(at: &str, error: &toml::de::Error) -> Problem {
    let text = error.to_string();
    let key = text.lines().find_map(|line| line.trim().strip_prefix("in `")?.strip_suffix('`'));
    let message = TYPES
        .iter()
        .fold(error.message().to_owned(), |text, (serde, ours)| text.replace(serde, ours));
    let what = key.map_or_else(|| message.clone(), |key| format!("{key}: {message}"));
    Problem::new(at, what, "")
}

/// Minimum similarity (Jaro-Winkler) between an unknown key and a key to suggest.
const SIMILAR: f64 = 0.84;

/// Finds the key that an unknown key probably stands for: a similar one of its table, the same key of another table, or a
/// similar one of any table.
fn meant(name: &str, section: &str, known: &Table) -> Option<String> {
    let own = known.keys().map(|key| match section {
        "" => key.clone(),
        section => format!("{section}.{key}"),
    });
    let defaults: Table = toml::from_str(DEFAULT).ok()?;
    let tables = defaults.iter().filter_map(|(section, of)| Some((section, of.as_table()?)));
    let all: Vec<String> = tables
        .flat_map(|(section, of)| of.keys().map(move |key| format!("{section}.{key}")))
        .collect();
    let key = |of: &str| of.rsplit_once('.').map_or(of, |parts| parts.1).to_owned();
    let nearest = |among: &[String]| {
        let likeness = |of: &String| {
            let keys = strsim::jaro_winkler(&key(of), &key(name));
            (keys > SIMILAR).then(|| (keys, strsim::jaro_winkler(of, name), of.clone()))
        };
        let best = among.iter().filter_map(likeness);
        best.max_by(|a, b| (a.0, a.1).partial_cmp(&(b.0, b.1)).unwrap_or(Ordering::Equal))
    };
    let own: Vec<String> = own.collect();
    let found = nearest(&own).or_else(|| nearest(&all))?;
    Some(found.2)
}

/// Overwrites values of one table with those of another, recursively.
fn overlay(base: &mut Table, own: Table) {
    for (key, value) in own {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(base)), Value::Table(own)) => overlay(base, own),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_complete() {
        let config = Config::load(None).unwrap();
        assert_eq!(config.signify.top, 10);
        assert_eq!(config.hash().len(), 64);
    }

    #[test]
    fn settings_can_be_changed() {
        let changes = |text: &str| toml::from_str(text).unwrap();
        let config = Config::load(None).unwrap();
        let changed = config.with(changes("[signify]\ntop = 3\n")).unwrap();
        assert_eq!((changed.signify.top, changed.rank.learn_from), (3, config.rank.learn_from));
        assert_eq!(config.with(toml::Table::new()).unwrap().hash(), config.hash());
        assert_ne!(changed.hash(), config.hash());
        let message = format!("{:#}", config.with(changes("[signify]\ntopp = 3\n")).unwrap_err());
        assert!(message.contains("`signify.topp`"), "{message}");
        assert!(config.with(changes("[signify]\ntop = 'x'\n")).is_err());
    }
}
