//! Writes the templates and wrappers of sites: one file per site in `wrappers/` or, in a run with many sites, one line per site
//! in `wrappers.jsonl`. Sites about which nothing was learnt are left out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use model::SiteSummary;
use sink::{AtomicFile, SinkError, make_folder, site_file_name};

/// Name of the folder with a file for each site.
pub(crate) const FOLDER: &str = "wrappers";
/// Name of the file with a line for each site.
pub(crate) const LINES: &str = "wrappers.jsonl";
/// Runs with more sites write lines.
const MOST_FILES: usize = 1_000;

/// How the wrappers of a run are written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum WrapperForm {
    Files,
    Lines,
}

impl WrapperForm {
    /// The form for a run with this number of sites.
    pub(crate) fn of(sites: usize) -> Self {
        if sites > MOST_FILES { Self::Lines } else { Self::Files }
    }

    /// Renders the templates and wrappers of a site; `None` if nothing was learnt about it.
    pub(crate) fn render(self, summary: &SiteSummary) -> Option<Vec<u8>> {
        let is_learnt = summary.templates.iter().any(|template| {
            template.wrapper.is_some() || !template.fields.is_empty() || template.pages > 1
        });
        if !is_learnt && summary.site_configs.is_empty() {
            return None;
        }
        let mut json = match self {
            Self::Files => serde_json::to_vec_pretty(summary),
            Self::Lines => serde_json::to_vec(summary),
        }
        .unwrap_or_default();
        json.push(b'\n');
        Some(json)
    }
}

pub(super) struct WrapperFiles {
    folder: PathBuf,
    /// Files of sites, which are renamed when all outputs are complete.
    sites: Vec<AtomicFile>,
    lines: Option<AtomicFile>,
    /// Files of an earlier run.
    stale: BTreeSet<PathBuf>,
}

impl WrapperFiles {
    /// Begins the files in a run folder, which must exist.
    pub(super) fn create(run: &Path, form: WrapperForm) -> Result<Self, SinkError> {
        let folder = run.join(FOLDER);
        let files = fs::read_dir(&folder).into_iter().flatten().flatten().map(|e| e.path());
        // Files with other names do not belong to a run.
        let stale = files
            .filter(|path| path.extension().is_some_and(|end| end == "json" || end == "partial"));
        let mut stale: BTreeSet<PathBuf> = stale.collect();
        let lines = run.join(LINES);
        let lines = match form {
            WrapperForm::Files => {
                make_folder(&folder)?;
                stale.extend([AtomicFile::temporary(&lines), lines]);
                None
            }
            WrapperForm::Lines => Some(AtomicFile::create(&lines)?),
        };
        Ok(Self { folder, sites: Vec::new(), lines, stale })
    }

    pub(super) fn write(&mut self, site: &str, rendered: &[u8]) -> Result<(), SinkError> {
        if let Some(lines) = &mut self.lines {
            return lines.write_bytes(rendered);
        }
        let mut file =
            AtomicFile::create(&self.folder.join(format!("{}.json", site_file_name(site))))?;
        file.write_bytes(rendered)?;
        file.close()?;
        self.stale.remove(file.path());
        self.stale.remove(&AtomicFile::temporary(file.path()));
        self.sites.push(file);
        Ok(())
    }

    /// Renames all files to their final names and removes those of an earlier run that this one does not write.
    pub(super) fn finish(self) -> Result<(), SinkError> {
        AtomicFile::finish_all(self.sites)?;
        if let Some(lines) = self.lines {
            lines.finish()?;
        }
        // A leftover that cannot be removed does no harm.
        for stale in self.stale {
            let _ = fs::remove_file(stale);
        }
        let _ = fs::remove_dir(self.folder);
        Ok(())
    }
}
