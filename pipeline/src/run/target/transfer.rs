//! Uploads a finished run: its files, then its ledger.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use config::files::sha256_of;
use errors::Stopped;
use input::objects::{Objects, UploadFile};
use sink::Ledger;

use crate::output_paths::run_entries;
use crate::run::folder::STATE;
use crate::run::nightly::night_name;
use crate::run::target::{MARK, RemoteTarget};
use crate::run::{RunReport, Upload};

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
            let told = |(name, error): (String, io::Error)| {
                (format!("{address}/{name}"), error.to_string())
            };
            upload.failed.extend(problems.into_iter().map(told));
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
