//! Outputs at an address: the run writes to a local folder, and its files are uploaded when all are complete, the
//! ledger last.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, io};

use anyhow::{Context, Result, bail, ensure};
use config::files::{address_of, sha256_of};
use config::{Config, SinkName};
use errors::{Problem, Stopped};
use input::objects::{Objects, UploadFile};
use input::source::objects;
use sink::Ledger;
use xxhash_rust::xxh3::xxh3_64;

use super::folder::{Identity, STATE, fits, is_done};
use super::nightly::night_name;
use super::{PreparedRun, RunReport, RunRequest, Upload, run as run_locally, run_prepared};
use crate::output_paths::run_entries;

/// Object that names the run being written to a prefix, until it is complete.
const MARK: &str = ".sitegrove/run.json";

/// Outputs at an address, and the local folder for them.
#[derive(Debug)]
pub(crate) struct RemoteTarget {
    /// The settings, with local folders in place of addresses.
    config: Config,
    address: String,
    out: Box<dyn Objects>,
    /// Where the files of a data set go, if that is an address, too.
    dataset: Option<(String, Box<dyn Objects>)>,
    /// The local folder.
    work: PathBuf,
}

/// Runs the pipeline, as [`crate::run::run`] does, with outputs in a folder or at an address.
///
/// # Errors
/// Those of [`crate::run::run`]; also if the address cannot be accessed or holds something else. Objects that cannot be
/// written later are not an error: the report names them.
pub fn run(request: RunRequest<'_>, overwrite: bool) -> Result<RunReport> {
    let Some(target) = RemoteTarget::of(request.config)? else {
        return run_locally(request, overwrite);
    };
    let request = RunRequest { config: target.config(), ..request };
    let prepared = PreparedRun::of(request)?;
    let _lock = target.lock()?;
    let overwrite = match target.claim(&prepared.identity, overwrite)? {
        ControlFlow::Continue(overwrite) => overwrite,
        ControlFlow::Break(ledger) => {
            if request.config.run.earlier().is_some() {
                tracing::warn!(at = target.address, "the run is complete, and is not compared");
            }
            // Left by a process that died while cleaning up.
            let _ = fs::remove_dir_all(&target.work);
            return Ok(RunReport::of_finished(ledger));
        }
    };
    let report = run_prepared(request, &prepared, overwrite)?;
    target.upload(report, request.stop)
}

/// The folder for local copies of files at addresses.
pub(crate) fn work_folder(config: &Config) -> PathBuf {
    match config.run.work.as_os_str().is_empty() {
        true => std::env::temp_dir(),
        false => config.run.work.clone(),
    }
}

impl RemoteTarget {
    /// The target from the settings; `None` if all outputs are local.
    pub(crate) fn of(config: &Config) -> Result<Option<Self>> {
        let (run, emit) = (&config.run, &config.emit);
        for path in [&emit.archive, &emit.index, &run.models, &run.metrics, &run.spool, &run.work] {
            if let Some(address) = address_of(path) {
                let what = "is changed in place, so it has to be a local file or folder";
                bail!(Problem::new(address, what, ""));
            }
        }
        let dataset = address_of(&emit.dataset).map(|address| address.trim_end_matches('/'));
        let Some(address) = address_of(&run.out) else {
            if let Some(dataset) = dataset {
                let what = "a data set can be at an address only if the run is at one, too";
                bail!(Problem::new(dataset, what, "give --out an address"));
            }
            return Ok(None);
        };
        let address = address.trim_end_matches('/').to_owned();
        let open = |address: &str| -> Result<Box<dyn Objects>> {
            if !["s3://", "hdfs://"].iter().any(|kind| address.starts_with(kind)) {
                bail!(Problem::new(
                    address,
                    "outputs can be written to s3:// and hdfs:// only",
                    ""
                ));
            }
            objects(address).map_err(|error| Problem::new(address, error.to_string(), "").into())
        };
        if let Some(dataset) = dataset
            && format!("{dataset}/").starts_with(&format!("{address}/"))
        {
            let what = format!("lies below {address}, whose objects are replaced by the next run");
            bail!(Problem::new(dataset, what, "choose another prefix"));
        }
        let work =
            work_folder(config).join(format!("sitegrove-out-{:016x}", xxh3_64(address.as_bytes())));
        let mut local = config.clone();
        local.run.out = work.join("run");
        local.emit.dataset_made_in = dataset.map(|_| work.join("dataset"));
        Ok(Some(Self {
            config: local,
            out: open(&address)?,
            dataset: dataset.map(|at| Ok((at.to_owned(), open(at)?)) as Result<_>).transpose()?,
            address,
            work,
        }))
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// Checks what is at the address and marks it as being written by this run, so that missing permissions are found before
    /// any work. Returns whether a different run in the local folder may be replaced, or `Break` if the run is already there.
    fn claim(&self, identity: &Identity, overwrite: bool) -> Result<ControlFlow<Ledger, bool>> {
        let shown = &self.address;
        let access = || format!("cannot write to {shown}");
        let there = self.out.list().with_context(access)?;
        let read = |name: &str| there.contains_key(name).then(|| self.out.get(name)).transpose();
        let mark = read(MARK).with_context(access)?;
        let before: Option<Identity> = mark.and_then(|json| serde_json::from_slice(&json).ok());
        let ledger = read(Ledger::FILE).with_context(access)?;
        let is_same = before.as_ref().is_some_and(|before| identity.is_that_of(before));
        // An interrupted upload continues, even if the run replaces another.
        let goes_on =
            is_same && ledger.is_none() && self.config.run.out.join(Ledger::FILE).exists();
        if !overwrite {
            match ledger {
                Some(json) => {
                    let ledger: Ledger = serde_json::from_slice(&json).with_context(|| {
                        format!("{shown}/{} is no ledger of this version", Ledger::FILE)
                    })?;
                    fits(&ledger, identity, &self.config, shown)?;
                    if is_done(&ledger, identity) && self.has_outputs(&there)? {
                        return Ok(ControlFlow::Break(ledger));
                    }
                }
                None if is_same || there.keys().all(|name| name == MARK) => {}
                None => match before {
                    Some(before) => bail!(
                        "{shown} contains a different unfinished run: {}. Finish it with its own command, \
                         choose another place with --out, or start over with --overwrite",
                        identity.differences(&before)
                    ),
                    None => bail!(
                        "{shown} is not empty and contains no finished run; choose another place with \
                         --out, or write to it with --overwrite"
                    ),
                },
            }
        }
        let json = serde_json::to_vec_pretty(identity).unwrap_or_default();
        self.out.put(MARK, json).with_context(access)?;
        Ok(ControlFlow::Continue(overwrite && !goes_on))
    }

    /// Like [`claim`](Self::claim), for the merge with this digest, which always starts from the beginning.
    pub(crate) fn claim_for_merge(&self, digest: &str, overwrite: bool) -> Result<()> {
        let shown = &self.address;
        let access = || format!("cannot write to {shown}");
        let there = self.out.list().with_context(access)?;
        let mark = there.contains_key(MARK).then(|| self.out.get(MARK)).transpose();
        let is_same = mark.with_context(access)?.is_some_and(|mark| mark == digest.as_bytes());
        if !is_same && !overwrite {
            ensure!(
                !there.contains_key(Ledger::FILE),
                "{shown} contains a run; --overwrite replaces it"
            );
            ensure!(
                there.is_empty(),
                "{shown} is not empty and contains no finished run; choose another place with --out, or write to it \
                 with --overwrite"
            );
        }
        self.out.put(MARK, digest.as_bytes().to_vec()).with_context(access)
    }

    /// Whether all chosen outputs exist.
    fn has_outputs(&self, there: &BTreeMap<String, u64>) -> Result<bool> {
        let emit = &self.config.emit;
        for name in emit.chosen() {
            let path = name.path(Path::new(""), emit);
            let shown = path.to_string_lossy();
            let is_there = match (&self.dataset, name) {
                (Some((at, dataset)), SinkName::Dataset) => {
                    let listed = dataset.list();
                    !listed.with_context(|| format!("cannot read {at}"))?.is_empty()
                }
                _ if name.is_in_run_folder(emit) => {
                    there.keys().any(|own| *own == *shown || own.starts_with(&format!("{shown}/")))
                }
                _ => path.exists(),
            };
            if !is_there {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Creates the local folder, accessible to its owner only, and locks it until the returned file is dropped.
    pub(crate) fn lock(&self) -> Result<File> {
        let shown = self.work.display();
        make_private(&self.work).with_context(|| format!("cannot create {shown}"))?;
        let path = self.work.join("lock");
        let open = File::options().create(true).truncate(false).write(true).open(&path);
        let file = open.with_context(|| format!("cannot write {}", path.display()))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            bail!("another run is writing to {}, in {shown}; wait for it", self.address);
        }
        Ok(file)
    }
}

/// Creates a folder that others cannot read, or checks that an existing one is such.
fn make_private(folder: &Path) -> Result<()> {
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        done => return Ok(done?),
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let of = fs::symlink_metadata(folder)?;
        let own = rustix::process::geteuid().as_raw();
        if !of.is_dir() || of.uid() != own || of.mode() & 0o077 != 0 {
            bail!("it exists, and others may write or read there; name another with --work");
        }
    }
    Ok(())
}

/// File with the names of what was uploaded.
const UPLOADED: &str = "uploaded";

/// Files to upload to one place.
struct UploadShare<'a> {
    address: &'a str,
    objects: &'a dyn Objects,
    files: Vec<UploadFile>,
}

impl RemoteTarget {
    /// Uploads the finished run from the local folder, and removes the folder if everything was uploaded.
    pub(crate) fn upload(&self, mut report: RunReport, stop: &AtomicBool) -> Result<RunReport> {
        let mut upload = Upload { to: self.address.clone(), ..Upload::default() };
        let run = &self.config.run.out;
        let unread = |folder: &Path| format!("cannot read {}", folder.display());
        let mut shares = Vec::new();
        if let (Some((address, objects)), Some(folder)) =
            (&self.dataset, &self.config.emit.dataset_made_in)
        {
            let files = files_in(folder).with_context(|| unread(folder))?;
            shares.push(UploadShare { address, objects: &**objects, files });
        }
        let mut files = files_in(run).with_context(|| unread(run))?;
        files.retain(|file| file.name != Ledger::FILE);
        shares.push(UploadShare { address: &self.address, objects: &*self.out, files });
        self.transfer(&shares, &report.ledger, &mut upload, stop)?;
        if upload.failed.is_empty()
            && let Err(error) = self.complete(&shares, &report.ledger)
        {
            upload.failed.push((format!("{}/{}", self.address, Ledger::FILE), error.to_string()));
        }
        let ledger = &report.ledger;
        // The same command then writes what is missing.
        let lacks_outputs = !ledger.failed_sinks.is_empty() && ledger.unread().is_empty();
        if upload.failed.is_empty() && !lacks_outputs {
            // A folder that cannot be removed does no harm.
            let _ = fs::remove_dir_all(&self.work);
        } else {
            upload.kept = Some(run.clone());
        }
        report.nothing_to_do = false;
        report.upload = Some(upload);
        Ok(report)
    }

    /// Uploads everything but the ledger, except for what an earlier process uploaded.
    fn transfer(
        &self,
        shares: &[UploadShare<'_>],
        ledger: &Ledger,
        upload: &mut Upload,
        stop: &AtomicBool,
    ) -> Result<()> {
        let path = self.work.join(UPLOADED);
        let run = sha256_of(&ledger.to_json());
        let (mut noted, done) =
            noted(&path, &run).with_context(|| format!("cannot write {}", path.display()))?;
        for UploadShare { address, objects, files } in shares {
            // Objects that were removed since are uploaded again.
            let there = match objects.list() {
                Ok(there) => there,
                Err(error) => {
                    upload.failed.push(((*address).to_owned(), error.to_string()));
                    continue;
                }
            };
            let is_there = |file: &UploadFile| {
                done.contains(&format!("{address}/{}", file.name))
                    && there.get(&file.name) == Some(&file.bytes)
            };
            let left: Vec<UploadFile> =
                files.iter().filter(|file| !is_there(file)).cloned().collect();
            if left.is_empty() {
                continue;
            }
            // Without a ledger, an incomplete upload does not look like a finished run.
            if there.contains_key(Ledger::FILE)
                && let Err(error) = objects.delete(Ledger::FILE)
            {
                upload.failed.push((format!("{address}/{}", Ledger::FILE), error.to_string()));
                continue;
            }
            tracing::info!(at = address, "uploading {} files", left.len());
            let problems = objects.upload(&left, stop, &mut |file| {
                upload.objects += 1;
                upload.bytes += file.bytes;
                // Without the note, it is uploaded again.
                let _ = writeln!(noted, "{address}/{}", file.name);
            });
            let described = |(name, error): (String, io::Error)| {
                (format!("{address}/{name}"), error.to_string())
            };
            upload.failed.extend(problems.into_iter().map(described));
            if stop.load(Ordering::Relaxed) {
                let what = format!("after {} files were uploaded to {address}", upload.objects);
                bail!(Stopped::Kept(what));
            }
        }
        Ok(())
    }

    /// Removes objects of an earlier run, and writes the ledger, which marks the run as complete.
    fn complete(&self, shares: &[UploadShare<'_>], ledger: &Ledger) -> io::Result<()> {
        let part = format!("part-{}.parquet", night_name(&ledger.inputs));
        for UploadShare { objects, files, address } in shares {
            let own: BTreeSet<&str> = files.iter().map(|file| &*file.name).collect();
            let is_run = *address == self.address;
            for name in objects.list()?.keys().filter(|name| !own.contains(name.as_str())) {
                // A data set has files of other nights, too.
                let is_old = match is_run {
                    true => is_of_run(name),
                    false => name.rsplit('/').next() == Some(&*part),
                };
                if is_old {
                    objects.delete(name)?;
                }
            }
        }
        self.out.put(Ledger::FILE, fs::read(self.config.run.out.join(Ledger::FILE))?)?;
        self.out.delete(MARK)
    }
}

/// Whether a run writes an object of this name.
fn is_of_run(name: &str) -> bool {
    let first = name.split('/').next().unwrap_or(name);
    run_entries().any(|(entry, _)| entry == first && entry != STATE)
}

/// Opens the list of uploaded files of the run with this digest, and returns its entries.
fn noted(path: &Path, run: &str) -> io::Result<(File, BTreeSet<String>)> {
    let lines: Vec<String> = match File::open(path) {
        Ok(file) => BufReader::new(file).lines().collect::<io::Result<_>>()?,
        Err(_) => Vec::new(),
    };
    if lines.first().is_some_and(|first| first == run) {
        // A kill may have left half a line, which names no object.
        let mut file = File::options().append(true).open(path)?;
        writeln!(file)?;
        return Ok((file, lines.into_iter().skip(1).collect()));
    }
    let mut file = File::create(path)?;
    writeln!(file, "{run}")?;
    Ok((file, BTreeSet::new()))
}

/// All files in a folder and below it, except the state of a run, by their paths.
fn files_in(folder: &Path) -> io::Result<Vec<UploadFile>> {
    let (mut open, mut found) = (vec![(folder.to_owned(), String::new())], BTreeMap::new());
    while let Some((folder, before)) = open.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let name = format!("{before}{}", entry.file_name().to_string_lossy());
            let of = entry.metadata()?;
            if name == STATE {
                continue;
            }
            if of.is_dir() {
                open.push((entry.path(), format!("{name}/")));
            } else {
                found
                    .insert(name.clone(), UploadFile { from: entry.path(), name, bytes: of.len() });
            }
        }
    }
    Ok(found.into_values().collect())
}
