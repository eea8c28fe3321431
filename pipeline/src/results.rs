//! The folder of a finished run, read back: in whatever form its articles were written.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use serde::de::DeserializeOwned;

use crate::lines;
use crate::progress::ledger::Ledger;
use crate::sink_name::SinkName;

/// The folder of a finished run.
#[derive(Clone, Debug)]
pub(crate) struct Results {
    folder: PathBuf,
    ledger: Arc<Ledger>,
}

impl Results {
    /// Opens the folder of a run.
    ///
    /// # Errors
    /// If it holds no finished run.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let ledger = Arc::new(Ledger::of_run(folder)?);
        Ok(Self { folder: folder.to_owned(), ledger })
    }

    /// The run's ledger.
    pub(crate) fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    /// The folder of the wrappers, which every run writes.
    pub(crate) fn wrappers(&self) -> PathBuf {
        self.folder.join("wrappers")
    }

    /// The lines of what was left out, which every run writes.
    pub(crate) fn dropped(&self) -> LineFile {
        LineFile(self.folder.join("dropped.jsonl"))
    }

    /// The lines of articles.
    ///
    /// # Errors
    /// If the run did not write them.
    pub(crate) fn articles(&self) -> Result<LineFile> {
        articles_in(&self.folder, Some(&self.ledger))
    }
}

/// The file with the articles of a folder: of a finished run, or of another program that writes its results
/// as a run does, without a ledger. [`lines::open`] reads it.
///
/// # Errors
/// If the folder holds a run that is not finished, or no such file.
pub fn articles_of(folder: &Path) -> Result<PathBuf> {
    let articles = match folder.join(crate::progress::ledger::FILE).exists() {
        true => Results::open(folder)?.articles(),
        false => articles_in(folder, None),
    };
    Ok(articles?.0)
}

fn articles_in(folder: &Path, ledger: Option<&Ledger>) -> Result<LineFile> {
    let (name, shown) = (SinkName::Jsonl, folder.display());
    if let Some(problem) = ledger.and_then(|ledger| ledger.failed_sinks.get(name.as_str())) {
        bail!("the run in {shown} could not write its articles ({problem}); run it again");
    }
    let mut forms = name.files().iter().map(|file| folder.join(file));
    if let Some(path) = forms.find(|path| path.is_file()) {
        return Ok(LineFile(path));
    }
    let files = name.files().join(" or ");
    match ledger {
        Some(_) => bail!(
            "the run in {shown} was made without the output {name} (no {files}); run it again with \
             {name} in --sinks"
        ),
        None => bail!("{shown} contains no articles (no {files})"),
    }
}

/// A file of JSON lines that a run wrote, plain or compressed.
#[derive(Clone, Debug)]
pub(crate) struct LineFile(PathBuf);

impl LineFile {
    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Calls for each line.
    ///
    /// # Errors
    /// If the file cannot be read, a line is not as it should be, or `take` fails.
    pub(crate) fn each<T: DeserializeOwned>(
        &self,
        mut take: impl FnMut(T, &str) -> Result<()>,
    ) -> Result<()> {
        let shown = self.0.display();
        let file = lines::open(&self.0).with_context(|| format!("cannot read {shown}"))?;
        for (number, line) in (1..).zip(file.lines()) {
            let line = line.with_context(|| format!("cannot read {shown}"))?;
            let parsed = serde_json::from_str(&line).with_context(|| unlike(&self.0, number))?;
            take(parsed, &line)?;
        }
        Ok(())
    }
}

/// Said of a line that cannot be read.
pub(crate) fn unlike(path: &Path, number: usize) -> String {
    let shown = path.display();
    format!("{shown}, line {number}: not in the format of this version of sitegrove")
}
