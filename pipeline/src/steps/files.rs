//! The files that the steps of a crawl wrote: checks that they belong together and are complete.
//!
//! Files of steps at addresses, for clusters without a shared disk. A step reads and writes local files: its inputs are
//! downloaded first, and its output is uploaded as a whole at the end.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::{fs, io};

use anyhow::{Context, Result, bail, ensure};
use config::Config;
use config::files::{address_of, sha256_of};
use errors::{Problem, Stopped, mark_begun};
use input::objects::UploadFile;
use input::source::{addresses_like, objects, open};
use modelstore::Store;
use segment::collect::Segments;
use segment::file::StepFile;
use segment::identity::{SiteShare, StepIdentity, StepKind};
use segment::settle::{SettledSites, settle_sites};
use segment::work_folder::WorkFolder;

use crate::output_paths::{CommandPaths, OutputKind};
use crate::run::RunRequest;
use crate::run::target::work_folder;

/// Checks the paths of a step that reads files and writes one.
pub(crate) fn check_paths(config: &Config, paths: &[PathBuf], out: &Path) -> Result<()> {
    let files = paths.iter().fold(CommandPaths::default(), |all, path| all.reads("a file", path));
    files.reads("--models", &config.run.models).writes("--out", out, OutputKind::Step).check()
}

#[derive(Debug, Default)]
pub(crate) struct Files {
    pub(crate) surveys: Vec<StepFile>,
    pub(crate) learnt: Vec<StepFile>,
    pub(crate) applied: Vec<StepFile>,
    pub(crate) described: Vec<StepFile>,
}

impl Files {
    /// Opens files in any order, and checks that they are of the same version, crawl and settings.
    pub(crate) fn open(paths: &[PathBuf], config: &Config) -> Result<Self> {
        ensure!(!paths.is_empty(), "no files: name those that `sitegrove survey` wrote");
        let expected = StepIdentity::of(StepKind::Survey, 0, config, Vec::new());
        let mut files = Self::default();
        let mut seen: BTreeSet<&Path> = BTreeSet::new();
        for path in paths.iter().filter(|path| seen.insert(path)) {
            let file = StepFile::open(path)?;
            let (own, shown) = (file.identity(), path.display());
            if own.version != expected.version {
                bail!(
                    "{shown} was written by sitegrove {}, this is {}",
                    own.version,
                    expected.version
                );
            }
            if own.settings != expected.settings {
                bail!(
                    "{shown} was written with other settings: give all steps the same settings, outputs \
                     (--sinks, --markdown, --passages) included"
                );
            }
            match own.step {
                StepKind::Survey => files.surveys.push(file),
                StepKind::Learn => files.learnt.push(file),
                StepKind::Apply => files.applied.push(file),
                StepKind::Describe => files.described.push(file),
            }
        }
        mark_begun();
        for made in [&mut files.learnt, &mut files.applied, &mut files.described] {
            check_twice(made)?;
        }
        let own = |file: &StepFile| file.identity().surveys.first().cloned().unwrap_or_default();
        files.surveys.sort_by_key(own);
        if let Some(pair) = files.surveys.windows(2).find(|pair| own(&pair[0]) == own(&pair[1])) {
            let [one, other] = [0, 1].map(|at: usize| pair[at].path().display());
            bail!("{one} and {other} are surveys of the same inputs: name one of them");
        }
        Ok(files)
    }

    /// The files of `learn` and `apply`.
    pub(crate) fn made(&self) -> impl Iterator<Item = &StepFile> {
        self.learnt.iter().chain(&self.applied)
    }

    /// Checks that files were made from the given files, not from others of the same steps.
    pub(crate) fn check_causes(&self) -> Result<()> {
        // The first that fails belongs to the first step that has to be repeated.
        let mut made: Vec<&StepFile> = self.made().collect();
        made.sort_by_key(|file| (file.identity().round, file.identity().step));
        for file in made.into_iter().chain(&self.described) {
            for other in self.made().filter(|other| is_made_of(file, other)) {
                ensure!(
                    file.identity().made_of.contains(&other.identity().digest()),
                    "{} was not made of {}, but of another file of `sitegrove {}`: {} again",
                    file.path().display(),
                    other.path().display(),
                    other.identity().step.as_str(),
                    match (file.identity().step, file.identity().round) {
                        (StepKind::Learn, _) => "learn the second round",
                        (StepKind::Apply, 1) => "apply the models",
                        (StepKind::Apply, _) => "apply the models of the second round",
                        _ => "describe the articles",
                    }
                );
            }
        }
        Ok(())
    }

    /// The identity of a file made from all of these.
    pub(crate) fn identity(&self, step: StepKind, round: u8, config: &Config) -> StepIdentity {
        let mut made_of: Vec<String> = self.made().map(|file| file.identity().digest()).collect();
        made_of.sort_unstable();
        StepIdentity { made_of, ..StepIdentity::of(step, round, config, self.digests()) }
    }

    pub(crate) fn digests(&self) -> Vec<String> {
        self.surveys.iter().flat_map(|file| file.identity().surveys.clone()).collect()
    }

    /// Checks that all surveys that the sites were learnt from are given, and that all files belong together.
    pub(crate) fn check_complete(&self) -> Result<()> {
        ensure!(
            !self.surveys.is_empty(),
            "no survey among the files: name those that `sitegrove survey` wrote"
        );
        let all = self.digests();
        for file in self.learnt.iter().chain(&self.described) {
            ensure!(
                file.identity().surveys == all,
                "{} was made of {} surveys, and {} are named, or other ones: name the same, all of them",
                file.path().display(),
                file.identity().surveys.len(),
                all.len()
            );
        }
        for file in &self.applied {
            let known = file.identity().surveys.iter().all(|digest| all.contains(digest));
            ensure!(known, "{} is of a survey that is not named", file.path().display());
        }
        self.check_causes()
    }

    /// Checks that every share of the sites was learnt exactly once in a round.
    pub(crate) fn check_learnt(&self, round: u8) -> Result<()> {
        let of_round = self.learnt.iter().filter(|file| file.identity().round == round);
        ensure!(
            all_shares(of_round, &format!("round {round} of `sitegrove learn`"))?,
            "round {round} of learning is missing: no file of `sitegrove learn` of it is named"
        );
        Ok(())
    }

    /// Whether articles were described; checks that those of every share were, exactly once.
    pub(crate) fn check_described(&self) -> Result<bool> {
        all_shares(self.described.iter(), "`sitegrove describe`")
    }

    /// The model store that sites were learnt with.
    pub(crate) fn store(&self) -> Result<LearntWith> {
        let state = |file: &StepFile| file.identity().store.clone();
        let first = self.learnt.first();
        let (state_then, file) = (first.and_then(state), first.map(StepFile::path));
        if let Some(file) = self.learnt.iter().find(|file| state(file) != state_then) {
            bail!(
                "{} was learnt when the store of models held something else than for {}: learn all shares again",
                file.path().display(),
                self.learnt[0].path().display()
            );
        }
        Ok(LearntWith { state: state_then, file: file.unwrap_or(Path::new("")).to_owned() })
    }

    /// Checks that models of a round were applied to the pages of every survey.
    pub(crate) fn check_applied(&self, round: u8) -> Result<()> {
        let done: BTreeSet<&String> = (self.applied.iter().map(StepFile::identity))
            .filter(|own| own.round == round)
            .flat_map(|own| &own.surveys)
            .collect();
        let is_done =
            |file: &&StepFile| file.identity().surveys.iter().all(|own| done.contains(own));
        match self.surveys.iter().find(|file| !is_done(file)) {
            Some(file) => bail!(
                "models of round {round} were not applied to the pages of {}: `sitegrove apply` it",
                file.path().display()
            ),
            None => Ok(()),
        }
    }
}

#[derive(Debug)]
pub(crate) struct LearntWith {
    /// Its state then; `None` without a store.
    pub(crate) state: Option<String>,
    /// A file of `learn` that names it.
    file: PathBuf,
}

impl LearntWith {
    /// Checks that a store has the same state as then.
    pub(crate) fn check(&self, store: &Store) -> Result<()> {
        ensure!(
            Some(store.state()?) == self.state,
            "{} changed after the sites were learnt, those of {} among them: learn all of them again",
            store.path().display(),
            self.file.display()
        );
        Ok(())
    }
}

/// Whether a file must have been made from another: the second round of learning from all of the first round, `apply` from
/// `learn`, and descriptions from everything.
fn is_made_of(file: &StepFile, other: &StepFile) -> bool {
    let (file, other) = (file.identity(), other.identity());
    match file.step {
        StepKind::Learn => other.round < file.round,
        StepKind::Apply => other.step == StepKind::Learn && other.round <= file.round,
        _ => true,
    }
}

/// Checks that no two files are of the same part of the same step.
fn check_twice(files: &mut [StepFile]) -> Result<()> {
    fn key(file: &StepFile) -> (u8, SiteShare, &[String]) {
        let own = file.identity();
        (own.round, own.share, &own.surveys)
    }
    files.sort_by(|a, b| key(a).cmp(&key(b)));
    if let Some(pair) = files.windows(2).find(|pair| key(&pair[0]) == key(&pair[1])) {
        let [one, other] = [0, 1].map(|at: usize| pair[at].path().display());
        let step = pair[0].identity().step.as_str();
        bail!(
            "{one} and {other} are both of the same part of `sitegrove {step}`: name one of them"
        );
    }
    Ok(())
}

fn all_shares<'a>(files: impl Iterator<Item = &'a StepFile>, step: &str) -> Result<bool> {
    let shares: BTreeSet<SiteShare> = files.map(|file| file.identity().share).collect();
    let Some(of) = shares.first().map(|share| share.of) else { return Ok(false) };
    if let Some(other) = shares.iter().find(|share| share.of != of) {
        bail!("{step} was given shares of different numbers: of {of}, and {other}");
    }
    let missing = (1..=of).map(|part| SiteShare { part, of }).find(|share| !shares.contains(share));
    match missing {
        Some(share) => bail!("share {share} of {step} is missing: run it with --share {share}"),
        None => Ok(true),
    }
}

/// Groups the pages of a crawl into sites, and keeps the sites whose hashes are wanted. Reads only the heads of pages, one part
/// of the sites at a time.
pub(crate) fn settle_crawl(
    surveys: Vec<StepFile>,
    wants: &dyn Fn(u64) -> bool,
    folder: &Path,
    RunRequest { config, observer, .. }: RunRequest<'_>,
) -> io::Result<SettledSites> {
    let bytes = surveys.iter().map(StepFile::size).sum();
    observer.reading(surveys.len(), bytes);
    let sites = settle_sites(Segments::of_files(surveys), &config.group, Some(folder), wants)?;
    observer.read(bytes);
    Ok(sites)
}

/// Bytes copied between two checks of the stop flag.
const CHUNK: u64 = 4 << 20;

/// The local files of a step: named ones, and copies of those at addresses.
pub(crate) struct LocalFiles {
    /// The files that the step reads.
    pub(crate) paths: Vec<PathBuf>,
    /// The file that it writes.
    pub(crate) out: PathBuf,
    /// The address to upload it to.
    address: Option<String>,
    /// The folder of the copies, removed on drop.
    _folder: Option<WorkFolder>,
}

impl LocalFiles {
    /// Downloads the files at addresses, including folders and patterns.
    pub(crate) fn fetch(request: RunRequest<'_>, named: &[PathBuf], out: &Path) -> Result<Self> {
        let address = address_of(out);
        let (mut paths, mut out) = (Vec::with_capacity(named.len()), out.to_owned());
        if address.is_none() && named.iter().all(|path| address_of(path).is_none()) {
            paths.extend_from_slice(named);
            return Ok(Self { paths, out, address: None, _folder: None });
        }
        let address = address.map(str::to_owned);
        let all: Vec<_> = named.iter().chain([&out]).map(|own| own.to_string_lossy()).collect();
        let work = work_folder(request.config);
        // A repeated step removes what a killed one left.
        let name = format!(".sitegrove-step-{}", &sha256_of(&all.join("\n"))[..16]);
        let folder = WorkFolder::create(work.join(name))?;
        for path in named {
            match address_of(path) {
                None => paths.push(path.clone()),
                Some(address) => fetch(address, folder.path(), request.stop, &mut paths)
                    .with_context(|| format!("cannot read {address}"))?,
            }
        }
        if let Some(address) = &address {
            let Some((_, name)) = divided(address) else {
                let next = "give one such as s3://BUCKET/steps/NAME.parquet";
                bail!(Problem::new(address, "is not the address of a file", next));
            };
            out = folder.path().join(name);
        }
        Ok(Self { paths, out, address, _folder: Some(folder) })
    }

    /// Uploads the output of the step to its address.
    pub(crate) fn put(self, stop: &AtomicBool) -> Result<()> {
        let Some((above, name)) = self.address.as_deref().and_then(divided) else { return Ok(()) };
        let cannot = || format!("cannot write {above}/{name}");
        let bytes = fs::metadata(&self.out)?.len();
        let file = UploadFile { from: self.out.clone(), name: name.to_owned(), bytes };
        let bucket = objects(above).with_context(cannot)?;
        if let Some((_, error)) = bucket.upload(&[file], stop, &mut |_| ()).into_iter().next() {
            return Err(error).with_context(cannot);
        }
        Stopped::check(stop)?;
        Ok(())
    }
}

/// Splits an address into prefix and object name; `None` if it ends with a slash.
fn divided(address: &str) -> Option<(&str, &str)> {
    address.rsplit_once('/').filter(|(_, name)| !name.is_empty())
}

/// Downloads the files that an address stands for.
fn fetch(address: &str, folder: &Path, stop: &AtomicBool, to: &mut Vec<PathBuf>) -> Result<()> {
    for address in addresses_like(address, &|name| name.ends_with(".parquet"))? {
        let name = address.rsplit('/').next().unwrap_or_default();
        let path = folder.join(format!("{}-{name}", to.len()));
        let mut from = open(Path::new(&address))?;
        let mut file = File::create(&path)?;
        while io::copy(&mut from.by_ref().take(CHUNK), &mut file)? == CHUNK {
            Stopped::check(stop)?;
        }
        file.flush()?;
        to.push(path);
    }
    Ok(())
}
