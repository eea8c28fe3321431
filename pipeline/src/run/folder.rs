//! Locks a run folder and determines whether it contains a run to resume: one of the same version, settings, outputs and
//! inputs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result, bail};
use config::files::file_hash;
use config::{Config, SinkName};
use errors::Problem;
use input::selection::selection_of;
use input::{InputKind, InputState};
use segment::collect::last_in;
use serde::{Deserialize, Serialize};
use sink::{AtomicFile, Ledger, PageSelection, RunState};
use xxhash_rust::xxh3::xxh3_64;

use super::site_results::SiteResults;

/// Subfolder of a run folder with the state of an unfinished run.
pub(crate) const STATE: &str = ".sitegrove";

#[derive(Debug)]
pub(crate) struct RunFolder {
    path: PathBuf,
    _lock: File,
    /// Whether the folder is locked; some file systems have no locks.
    is_locked: bool,
}

/// What a run has to do in its folder.
#[derive(Debug)]
pub(crate) enum Claim {
    Begin(RunFolder),
    Resume(RunFolder),
    /// Nothing: the folder contains this run, complete.
    Done(Box<Ledger>),
}

const LOCK: &str = "lock";
const IDENTITY: &str = "run.json";
/// File with the digest of an unfinished merge.
const MERGE: &str = "merge";
const RESULTS: &str = "results";
const SEGMENTS: &str = "segments";

impl RunFolder {
    /// Locks a run folder. It must be absent, empty, or contain this run, finished or not; with `overwrite`, it
    /// may contain another run or other files.
    pub(crate) fn claim(config: &Config, identity: &Identity, overwrite: bool) -> Result<Claim> {
        let path = config.run.out.as_path();
        let shown = path.display();
        if path.is_file() {
            bail!("the output folder {shown} is a file; choose another with --out");
        }
        let finished = Ledger::read(path).filter(|ledger| ledger.state == RunState::Complete);
        let unfinished = unfinished(path);
        let occupied = holds_files(path);
        if !overwrite {
            if holds_merge(path) {
                bail!(Problem::new(
                    shown,
                    "the output folder contains an unfinished merge",
                    "give its command again, choose another folder with --out, or start over with --overwrite"
                ));
            }
            // A finished run with failed outputs does not prevent one with other outputs.
            let in_part = finished.as_ref().is_some_and(|ledger| !ledger.failed_sinks.is_empty());
            if let Some(before) = unfinished.as_ref().filter(|_| !in_part)
                && !identity.is_that_of(before)
                && !before.has_stream()
            {
                let differences = identity.differences(before);
                bail!(
                    "the output folder {shown} contains a different unfinished run: \
                     {differences}. Resume it with its own command, choose another folder with \
                     --out, or start over with --overwrite"
                );
            }
            match &finished {
                Some(ledger) => {
                    fits(ledger, identity, config, &shown)?;
                    let chosen = config.emit.chosen();
                    let is_there = |name: &SinkName| name.path(path, &config.emit).exists();
                    if is_done(ledger, identity)
                        && chosen.iter().all(is_there)
                        && unfinished.is_none()
                    {
                        Self::tidy(path)?;
                        return Ok(Claim::Done(Box::new(ledger.clone())));
                    }
                }
                None if occupied && unfinished.is_none() => bail!(
                    "the output folder {shown} is not empty and contains no finished run; \
                     choose another with --out, or write into it with --overwrite"
                ),
                None => {}
            }
        }
        let folder = Self::lock(path)?;
        let goes_on = !identity.has_stream()
            && unfinished.as_ref().is_some_and(|before| identity.is_that_of(before));
        if !goes_on {
            folder.clear()?;
        }
        if !goes_on || unfinished.as_ref() != Some(identity) {
            let json = serde_json::to_vec_pretty(identity).unwrap_or_default();
            AtomicFile::write_whole(&folder.state().join(IDENTITY), &json)?;
        }
        Ok(if goes_on { Claim::Resume(folder) } else { Claim::Begin(folder) })
    }

    /// Locks a folder for the merge with this digest. It must be absent, empty, or contain what this merge left when it
    /// was interrupted; with `overwrite`, it may contain another run. An interrupted merge starts from the beginning.
    pub(crate) fn claim_for_merge(path: &Path, digest: &str, overwrite: bool) -> Result<Self> {
        let shown = path.display();
        let left = fs::read_to_string(path.join(STATE).join(MERGE)).ok();
        let is_run = left.is_some() || path.join(STATE).join(IDENTITY).exists();
        let holds = match fs::read_dir(path) {
            Ok(entries) => entries.flatten().any(|entry| entry.file_name() != STATE),
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(error).with_context(|| format!("cannot read {shown}")),
        };
        match (is_run, Ledger::read(path).is_some()) {
            _ if left.as_deref() == Some(digest) => {}
            (false, false) if holds => {
                bail!("{shown} is not empty and contains no run; name another folder")
            }
            (true, false) if !overwrite => bail!(
                "{shown} contains another unfinished merge or run; give its own command again, name another folder, \
                 or replace it with --overwrite"
            ),
            (is_run, true) if !overwrite => {
                if !is_run {
                    Self::tidy(path)?;
                }
                bail!("{shown} contains a run; --overwrite replaces it")
            }
            _ => {}
        }
        Self::lock(path)
    }

    pub(crate) fn begin_merge(&self, digest: &str) -> Result<()> {
        Ok(AtomicFile::write_whole(&self.state().join(MERGE), digest.as_bytes())?)
    }

    /// Removes the state of a complete run that was killed while it cleaned up.
    fn tidy(path: &Path) -> Result<()> {
        if !path.join(STATE).exists() {
            return Ok(());
        }
        Self::lock(path).ok().filter(|own| own.is_locked).map_or(Ok(()), Self::finish)
    }

    fn lock(path: &Path) -> Result<Self> {
        let shown = path.display();
        let state = path.join(STATE);
        fs::create_dir_all(&state)
            .with_context(|| format!("cannot create the output folder {shown}"))?;
        let name = state.join(LOCK);
        let open = File::options().create(true).truncate(false).read(true).write(true).open(&name);
        let mut file = open.with_context(|| format!("cannot write {}", name.display()))?;
        let locked = file.try_lock();
        let is_locked = locked.is_ok();
        match locked {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut by = String::new();
                let _ = file.read_to_string(&mut by);
                bail!(
                    "another run (process {}) is writing to {shown}; wait for it, or choose \
                     another folder with --out",
                    by.trim()
                );
            }
            // Some network file systems have no locks.
            Err(TryLockError::Error(error)) => {
                tracing::warn!(
                    at = %shown,
                    next = "make sure that no other run writes to it",
                    "cannot lock the output folder: {error}"
                );
            }
        }
        let emptied = file.set_len(0).and_then(|()| file.rewind());
        emptied
            .and_then(|()| writeln!(file, "{}", std::process::id()))
            .with_context(|| format!("cannot write {}", name.display()))?;
        Ok(Self { path: path.to_owned(), _lock: file, is_locked })
    }

    /// Whether another process has locked a run folder.
    pub(crate) fn is_held(path: &Path) -> bool {
        let Ok(file) = File::open(path.join(STATE).join(LOCK)) else { return false };
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.path.join(STATE)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder for pages that do not fit into memory: one in the run folder, or a subfolder of `named`, which
    /// other runs may use too.
    pub(crate) fn work_folder(&self, named: &Path) -> PathBuf {
        if named.as_os_str().is_empty() {
            return self.state().join(SEGMENTS);
        }
        let whole = std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone());
        let hash = xxh3_64(whole.as_os_str().as_encoded_bytes());
        named.join(format!("sitegrove-spool-{hash:016x}"))
    }

    pub(crate) fn results(&self) -> PathBuf {
        self.state().join(RESULTS)
    }

    /// Whether an earlier process left results of sites.
    pub(crate) fn has_results(&self) -> bool {
        has_results(&self.state())
    }

    /// Removes the state of an unfinished run, except the lock.
    fn clear(&self) -> Result<()> {
        let state = self.state();
        let listed =
            fs::read_dir(&state).with_context(|| format!("cannot list {}", state.display()));
        for entry in listed?.flatten() {
            let path = entry.path();
            let removed = match path {
                _ if entry.file_name() == LOCK => Ok(()),
                _ if path.is_dir() => fs::remove_dir_all(&path),
                _ => fs::remove_file(&path),
            };
            removed.with_context(|| format!("cannot remove {}", path.display()))?;
        }
        Ok(())
    }

    /// Removes the state of a run that is finished.
    pub(crate) fn finish(self) -> Result<()> {
        self.clear()?;
        let state = self.state();
        // Nothing depends on these two: ignore errors.
        let _ = fs::remove_file(state.join(LOCK));
        let _ = fs::remove_dir(&state);
        Ok(())
    }
}

/// Whether a folder contains results of an unfinished merge.
pub(crate) fn holds_merge(path: &Path) -> bool {
    path.join(STATE).join(MERGE).exists()
}

/// Returns the unfinished run in a folder, if it has results worth keeping.
fn unfinished(path: &Path) -> Option<Identity> {
    let state = path.join(STATE);
    let text = fs::read(state.join(IDENTITY)).ok()?;
    (has_results(&state) || last_in(&state.join(SEGMENTS)).is_some())
        .then(|| serde_json::from_slice(&text).ok())
        .flatten()
}

fn has_results(state: &Path) -> bool {
    fs::metadata(state.join(RESULTS)).is_ok_and(|of| of.len() > SiteResults::EMPTY)
}

/// Whether a folder contains more than a stopped run leaves, which is unfinished files, its state and ledger, and
/// folders of wrappers and the report. An archive of articles, with its log, does not count: runs extend it and
/// never replace it.
fn holds_files(folder: &Path) -> bool {
    let counts = |entry: fs::DirEntry| {
        let name = entry.file_name();
        let ours = name == "wrappers" || name == "site-config" || name == report::FOLDER;
        if ours && entry.path().is_dir() {
            holds_files(&entry.path())
        } else {
            let name = name.to_string_lossy();
            let left = name.ends_with(".partial") || name == STATE || name == sink::Ledger::FILE;
            !left && !name.starts_with(SinkName::Sqlite.files()[0])
        }
    };
    fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(counts))
}

/// Returns the error of a failed access to the state.
pub(crate) fn state_error(what: &str, path: &Path, error: io::Error) -> anyhow::Error {
    anyhow::Error::new(error).context(format!("{what} {}", path.display()))
}

/// Checks that the finished run at `shown` had the settings and inputs of this one, and that none of its outputs would be lost.
pub(crate) fn fits(
    ledger: &Ledger,
    identity: &Identity,
    config: &Config,
    shown: &dyn Display,
) -> Result<()> {
    if !ledger.inputs.is_empty() && ledger.selection() != identity.selection {
        bail!(Problem::new(
            shown,
            format!(
                "the output folder contains a run that took {}, and this one takes {}",
                ledger.selection(),
                identity.selection
            ),
            "choose another with --out, or replace it with --overwrite"
        ))
    }
    if !is_same_work(ledger, &identity.config_hash, &identity.inputs) {
        bail!(
            "the output folder {shown} contains a run with other inputs or settings; choose another with \
             --out, or replace it with --overwrite"
        )
    }
    let replaced = config.replaced_outputs(&ledger.settings).into_iter().map(SinkName::as_str);
    let lost: Vec<&str> =
        replaced.filter(|name| !ledger.failed_sinks.contains_key(*name)).collect();
    if !lost.is_empty() {
        bail!(Problem::new(
            shown,
            format!(
                "the output folder contains this run with outputs that would be lost or written with other \
                 settings: {}",
                lost.join(", ")
            ),
            "choose another with --out, or replace it with --overwrite"
        ))
    }
    Ok(())
}

/// Whether a finished run that `fits` leaves nothing to do, provided that its outputs still exist.
pub(crate) fn is_done(ledger: &Ledger, identity: &Identity) -> bool {
    ledger.failed_sinks.is_empty()
        && ledger.unread().is_empty()
        && ledger.outputs_hash == identity.outputs
        && ledger.version == identity.version
        && !identity.has_stream()
}

/// Whether a run had these settings and inputs. A file with a different modification time is compared by
/// digest.
fn is_same_work(ledger: &Ledger, config_hash: &str, inputs: &[InputState]) -> bool {
    let before: BTreeMap<_, _> = ledger.inputs.iter().map(|i| (i.file.as_str(), i)).collect();
    let now: BTreeSet<&str> = inputs.iter().map(|input| input.file.as_str()).collect();
    ledger.config_hash == config_hash
        && before.len() + ledger.unread().len() >= inputs.len()
        && before.keys().all(|file| now.contains(file))
        && inputs.iter().all(|input| match before.get(input.file.as_str()) {
            // The earlier run did not read it.
            None => true,
            Some(then) => {
                let is_unchanged = match (&then.listed, &input.listed) {
                    // Sizes may differ, as records can be lost. The modification time of archives at addresses is unknown.
                    (Some(then_listed), Some(places)) => {
                        then_listed.places == *places && then.modified == input.modified
                    }
                    (None, None) => {
                        then.bytes == input.bytes
                            && (then.modified == input.modified && then.modified.is_some()
                                || file_hash(Path::new(&input.file))
                                    .is_ok_and(|now| now == then.sha256))
                    }
                    _ => false,
                };
                is_unchanged || input.kind == InputKind::Stream
            }
        })
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Identity {
    pub(crate) version: String,
    pub(crate) config_hash: String,
    pub(crate) outputs: String,
    #[serde(default)]
    pub(crate) selection: PageSelection,
    pub(crate) inputs: Vec<InputState>,
}

impl Identity {
    pub(crate) fn of(config: &Config, inputs: Vec<InputState>) -> Result<Self> {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let (config_hash, outputs) = (config.hash(), config.outputs_hash());
        let selection = selection_of(&config.run)?;
        Ok(Self { version, config_hash, outputs, selection, inputs })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.inputs.iter().map(|input| input.bytes).sum()
    }

    fn has_stream(&self) -> bool {
        self.inputs.iter().any(|input| input.kind == InputKind::Stream)
    }

    /// Whether an earlier run has the same identity. Inputs that either run could not open are not compared here, but after
    /// reading.
    pub(crate) fn is_that_of(&self, before: &Self) -> bool {
        self.differences(before).is_empty()
    }

    /// Describes how this run differs from an earlier one.
    pub(crate) fn differences(&self, before: &Self) -> String {
        let mut differences = Vec::new();
        if before.version != self.version {
            differences.push(format!("sitegrove was {} then", before.version));
        }
        if before.config_hash != self.config_hash {
            differences.push("other settings decided the results".to_owned());
        }
        if before.outputs != self.outputs {
            differences.push("other outputs were chosen".to_owned());
        }
        if before.selection != self.selection {
            let (then, now) = (&before.selection, &self.selection);
            differences.push(format!("it took {then}, and this one takes {now}"));
        }
        let by_name = |of: &Self| -> BTreeMap<String, InputState> {
            of.inputs.iter().map(|input| (input.file.clone(), input.clone())).collect()
        };
        let (then, now) = (by_name(before), by_name(self));
        for (file, input) in &now {
            match then.get(file) {
                None => differences.push(format!("{file} is new")),
                Some(other) if [other.kind, input.kind].contains(&InputKind::Unreadable) => {}
                Some(other) if other.listed != input.listed => {
                    differences.push(format!("other records of {file} were listed"));
                }
                Some(other) if other.bytes != input.bytes => differences
                    .push(format!("{file} had {} bytes and has {}", other.bytes, input.bytes)),
                Some(other) if other.modified != input.modified => {
                    differences.push(format!("{file} was changed since"));
                }
                Some(_) => {}
            }
        }
        let gone = then.keys().filter(|file| !now.contains_key(*file));
        differences.extend(gone.map(|file| format!("{file} is no longer an input")));
        let more = differences.len().saturating_sub(MOST_TOLD);
        differences.truncate(MOST_TOLD);
        if more > 0 {
            differences.push(format!("and {more} more"));
        }
        differences.join("; ")
    }
}

const MOST_TOLD: usize = 5;
