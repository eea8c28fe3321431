//! Locks a run folder and determines whether it contains a run to resume.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use sink::AtomicFile;
use xxhash_rust::xxh3::xxh3_64;

use crate::config::Config;
use crate::digests::file_hash;
use crate::error_chain::Problem;
use crate::inputs::Input;
use crate::progress::ledger::{Ledger, State};
use crate::report;
use crate::selection::Selection;
use crate::sink_name::SinkName;
use crate::source::state;
use crate::waiting::is_stream;

/// Subfolder of a run folder with the state of an unfinished run.
pub(crate) const STATE: &str = ".sitegrove";

/// Identity of a run: version, settings, outputs and inputs.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Identity {
    version: String,
    config_hash: String,
    outputs: String,
    #[serde(default)]
    selection: Selection,
    inputs: Vec<InputState>,
}

/// An input as it was found.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct InputState {
    pub(crate) file: String,
    pub(crate) kind: Kind,
    pub(crate) bytes: u64,
    /// Time of the last change, in nanoseconds since 1970; `None` if unknown.
    pub(crate) modified: Option<i64>,
}

/// The kind of an input.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// A file: it can be compared with its earlier state, and read again.
    File,
    /// The standard input, a pipe or the like: it can be read only once.
    Stream,
    /// It could not be opened.
    Unreadable,
}

impl Identity {
    /// The identity of a run with these inputs.
    ///
    /// # Errors
    /// If the settings choose pages by no site or no date.
    pub(crate) fn of(config: &Config, inputs: Vec<InputState>) -> Result<Self> {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let (config_hash, outputs) = (config.hash(), config.emit.hash());
        let selection = Selection::of(&config.run)?;
        Ok(Self { version, config_hash, outputs, selection, inputs })
    }

    /// The pages that are chosen.
    pub(crate) fn selection(&self) -> &Selection {
        &self.selection
    }

    /// Bytes of all inputs.
    pub(crate) fn bytes(&self) -> u64 {
        self.inputs.iter().map(|input| input.bytes).sum()
    }

    /// The inputs.
    pub(crate) fn inputs(&self) -> &[InputState] {
        &self.inputs
    }

    /// Whether some input can be read only once.
    pub(crate) fn has_stream(&self) -> bool {
        self.inputs.iter().any(|input| input.kind == Kind::Stream)
    }

    /// Whether an earlier run has the same identity. An input that either run could not open is no
    /// difference: the inputs are then compared after reading.
    fn is_that_of(&self, before: &Self) -> bool {
        self.differences(before).is_empty()
    }

    /// The differences between another run and this one, for people.
    fn differences(&self, before: &Self) -> String {
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
                Some(other) if [other.kind, input.kind].contains(&Kind::Unreadable) => {}
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

/// Maximum number of differences in a message.
const MOST_TOLD: usize = 5;

impl InputState {
    /// Examines an input. Returns it with an error, if it cannot be opened.
    pub(crate) fn of(input: &Input) -> (Self, Option<io::Error>) {
        let path = input.path();
        let file = path.to_string_lossy().into_owned();
        // Of an index, the records that it lists belong to the identity.
        let file = match input {
            Input::Records { records, .. } => {
                let listed: String =
                    records.iter().map(|own| format!("{} {} ", own.offset, own.length)).collect();
                let digest = xxhash_rust::xxh3::xxh3_64(listed.as_bytes());
                format!("{file} ({} records, {digest:016x})", records.len())
            }
            _ => file,
        };
        let none = |kind| Self { file: file.clone(), kind, bytes: 0, modified: None };
        let of = match input {
            Input::Unreadable { why, .. } => Err(io::Error::other(why.as_str())),
            // Opening a pipe has an effect: the writer would assume that it is read.
            _ if input.is_stdin() || is_stream(path) => return (none(Kind::Stream), None),
            _ => state(path),
        };
        let of = match of {
            Ok(of) => of,
            Err(error) => return (none(Kind::Unreadable), Some(error)),
        };
        let (bytes, modified) = of;
        (Self { file, kind: Kind::File, bytes, modified }, None)
    }
}

/// A run folder, locked until this is dropped.
#[derive(Debug)]
pub(crate) struct RunFolder {
    path: PathBuf,
    _lock: File,
}

/// What to do in a run folder.
#[derive(Debug)]
pub(crate) enum Claim {
    /// Start a run from the beginning.
    Begin(RunFolder),
    /// Resume the unfinished run in it.
    Resume(RunFolder),
    /// Nothing: the folder contains this run, complete.
    Done(Box<Ledger>),
}

const LOCK: &str = "lock";
const IDENTITY: &str = "run.json";
const JOURNAL: &str = "journal";
const SPOOL: &str = "spool";
const READ: &str = "read";
const CATALOGUE: &str = "catalogue";
/// File in a spool that marks that everything was read.
pub(crate) const COMPLETE: &str = "complete.json";

impl RunFolder {
    /// Locks a run folder, which must be absent, empty, or contain this run, finished or not; or another one,
    /// if it may be overwritten.
    ///
    /// # Errors
    /// If it contains something else, another process writes to it, or it cannot be written to.
    pub(crate) fn claim(config: &Config, identity: &Identity, overwrite: bool) -> Result<Claim> {
        let path = config.run.out.as_path();
        let shown = path.display();
        if path.is_file() {
            bail!("the output folder {shown} is a file; choose another with --out");
        }
        let finished = Ledger::read(path).filter(|ledger| ledger.state == State::Complete);
        let unfinished = unfinished(path);
        let occupied = holds_files(path);
        if !overwrite {
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
                Some(ledger)
                    if !ledger.inputs.is_empty() && ledger.selection() != identity.selection =>
                {
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
                Some(ledger) if !ledger.is_same_work(&identity.config_hash, &identity.inputs) => {
                    bail!(
                        "the output folder {shown} contains a run with other inputs or settings; \
                         choose another with --out, or replace it with --overwrite"
                    )
                }
                Some(ledger) => {
                    let whole = ledger.failed_sinks.is_empty() && ledger.unreadable.is_empty();
                    let same = ledger.outputs_hash == identity.outputs
                        && ledger.version == identity.version
                        && !identity.has_stream();
                    let chosen = config.emit.chosen();
                    let is_there = |name: &SinkName| name.path(path, &config.emit).exists();
                    if whole && same && chosen.iter().all(is_there) && unfinished.is_none() {
                        // Left by a process that died while cleaning up.
                        if path.join(STATE).exists()
                            && let Ok(folder) = Self::lock(path)
                        {
                            folder.finish()?;
                        }
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

    fn lock(path: &Path) -> Result<Self> {
        let shown = path.display();
        let state = path.join(STATE);
        fs::create_dir_all(&state)
            .with_context(|| format!("cannot create the output folder {shown}"))?;
        let name = state.join(LOCK);
        let open = File::options().create(true).truncate(false).read(true).write(true).open(&name);
        let mut file = open.with_context(|| format!("cannot write {}", name.display()))?;
        match file.try_lock() {
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
        Ok(Self { path: path.to_owned(), _lock: file })
    }

    /// Whether another process has locked a run folder.
    pub(crate) fn is_held(path: &Path) -> bool {
        let Ok(file) = File::open(path.join(STATE).join(LOCK)) else { return false };
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    /// The folder of the state.
    pub(crate) fn state(&self) -> PathBuf {
        self.path.join(STATE)
    }

    /// The run folder itself.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Folder for pages that do not fit into memory: in the run folder, or a subfolder of `named`, which
    /// other runs may use too.
    pub(crate) fn spool(&self, named: &Path) -> PathBuf {
        if named.as_os_str().is_empty() {
            return self.state().join(SPOOL);
        }
        let whole = std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone());
        let hash = xxh3_64(whole.as_os_str().as_encoded_bytes());
        named.join(format!("sitegrove-spool-{hash:016x}"))
    }

    /// The journal.
    pub(crate) fn journal(&self) -> PathBuf {
        self.state().join(JOURNAL)
    }

    /// The catalogue, used if pages are in memory.
    pub(crate) fn catalogue(&self) -> PathBuf {
        self.state().join(CATALOGUE)
    }

    /// Whether the journal belongs to the inputs with this digest.
    pub(crate) fn is_of(&self, digest: &str) -> bool {
        fs::read_to_string(self.state().join(READ)).is_ok_and(|before| before == digest)
    }

    /// Removes the journal unless it belongs to the inputs with this digest: an input may have been missing,
    /// or changed unnoticed.
    pub(crate) fn of_what_was_read(&self, digest: &str) -> Result<()> {
        if self.is_of(digest) {
            return Ok(());
        }
        let path = self.state().join(READ);
        let journal = self.journal();
        if journal.exists() {
            tracing::warn!(next = "processing all sites again", "the inputs have changed");
            fs::remove_file(&journal)
                .with_context(|| format!("cannot remove {}", journal.display()))?;
        }
        Ok(AtomicFile::write_whole(&path, digest.as_bytes())?)
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

    /// Removes the state: the run is finished.
    pub(crate) fn finish(self) -> Result<()> {
        self.clear()?;
        let state = self.state();
        // Nothing depends on these two: ignore errors.
        let _ = fs::remove_file(state.join(LOCK));
        let _ = fs::remove_dir(&state);
        Ok(())
    }
}

/// The unfinished run in a folder, if it has results worth keeping.
fn unfinished(path: &Path) -> Option<Identity> {
    let state = path.join(STATE);
    let text = fs::read(state.join(IDENTITY)).ok()?;
    let begun = fs::metadata(state.join(JOURNAL)).is_ok_and(|of| of.len() > 0);
    (begun || state.join(SPOOL).join(COMPLETE).exists())
        .then(|| serde_json::from_slice(&text).ok())
        .flatten()
}

impl Ledger {
    /// Whether a run had these settings and inputs. A file with another time of change is compared by its
    /// digest.
    fn is_same_work(&self, config_hash: &str, inputs: &[InputState]) -> bool {
        let before: BTreeMap<_, _> = self.inputs.iter().map(|i| (i.file.as_str(), i)).collect();
        let now: BTreeSet<&str> = inputs.iter().map(|input| input.file.as_str()).collect();
        self.config_hash == config_hash
            && before.len() + self.unreadable.len() >= inputs.len()
            && before.keys().all(|file| now.contains(file))
            && inputs.iter().all(|input| match before.get(input.file.as_str()) {
                // It was not read to its end in that run.
                None => true,
                Some(then) => {
                    then.bytes == input.bytes
                        && (then.modified == input.modified && then.modified.is_some()
                            || file_hash(Path::new(&input.file))
                                .is_ok_and(|now| now == then.sha256))
                        || input.kind == Kind::Stream
                }
            })
    }
}

/// Whether a folder contains more than a stopped run leaves: unfinished files, its state and ledger, and the
/// folders of wrappers and the report. An archive of articles, with its log, belongs to no single run: it is
/// extended, never replaced.
fn holds_files(folder: &Path) -> bool {
    let counts = |entry: fs::DirEntry| {
        let name = entry.file_name();
        let ours = name == "wrappers" || name == "site-config" || name == report::FOLDER;
        if ours && entry.path().is_dir() {
            holds_files(&entry.path())
        } else {
            let name = name.to_string_lossy();
            let left = name.ends_with(".partial")
                || name == STATE
                || name == crate::progress::ledger::FILE;
            !left && !name.starts_with(SinkName::Sqlite.files()[0])
        }
    };
    fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(counts))
}

/// The error of a failed access to the state.
pub(crate) fn state_error(what: &str, path: &Path, error: io::Error) -> anyhow::Error {
    anyhow::Error::new(error).context(format!("{what} {}", path.display()))
}
