//! Describe: describes the articles of a share of the sites, so that duplicates are found across shares.
//!
//! If several processes merge, each needs the descriptions of all articles of the crawl, about 750 bytes per article.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use config::Config;
use duplicates::ArticleDescription;
use segment::duplicates::{Comparisons, Descriptions, marks_of};
use segment::file::{StepFile, StepWriter};
use segment::identity::{SiteShare, StepIdentity, StepKind};
use segment::marks::Marks;
use segment::row::{RowKind, hash_of, packed_row, unpacked};
use segment::work_folder::WorkFolder;
use site::clock::Clock;

use super::addresses::LocalFiles;
use super::assemble::Assembly;
use super::files::{Files, check_paths};
use crate::run::RunRequest;

/// Describes the articles of a share of the sites of a crawl, given all files of its steps in any order, and writes the
/// descriptions to `to`. Returns the number of articles. It is 0, and the file empty, if the settings look for neither
/// duplicates nor shared text.
///
/// # Errors
/// If files are missing or do not belong together, or cannot be read; if the file cannot be written.
pub fn describe(
    request: RunRequest<'_>,
    paths: &[PathBuf],
    share: SiteShare,
    to: &Path,
) -> Result<u64> {
    let config = request.config;
    let local = LocalFiles::fetch(request, paths, to)?;
    let (paths, to) = (&local.paths[..], &*local.out);
    check_paths(config, paths, to)?;
    let describer = config.emit.describer(&config.group.tracking_parameters);
    let files = Files::open(paths, config)?;
    files.check_complete()?;
    files.check_learnt(1)?;
    ensure!(
        files.store()?.state.is_none(),
        "with a store of models, one process merges all sites, and describes their articles itself"
    );
    let identity = StepIdentity { share, ..files.identity(StepKind::Describe, 0, config) };
    let folder = WorkFolder::beside(to)?;
    let clock = Clock::default();
    let assembly = Assembly { request, share, clock: &clock };
    let cannot = || format!("cannot write {}", to.display());
    let mut writer = StepWriter::create(to, &identity).with_context(cannot)?;
    let mut articles = 0;
    if let Some(describer) = describer {
        let (made, mut sites) = assembly.open(files, folder.path())?;
        assembly.each(&mut sites, &made, None, &mut |part, result| {
            let of_site: Vec<ArticleDescription> =
                result.articles.iter().map(|article| describer.describe(article)).collect();
            articles += of_site.len() as u64;
            let row = packed_row(RowKind::Described, &result.site, part as u64, &of_site);
            row.and_then(|row| writer.push(row)).with_context(cannot)
        })?;
    }
    writer.finish().with_context(cannot)?;
    local.put(request.stop)?;
    Ok(articles)
}

pub(super) struct DescriptionFiles {
    files: Vec<StepFile>,
    /// File and row of each part of each site, in the order of outputs.
    rows: BTreeMap<(u64, String, u64), (usize, u32)>,
}

impl DescriptionFiles {
    pub(super) fn list(files: Vec<StepFile>) -> Result<Self> {
        let mut rows = BTreeMap::new();
        for (number, file) in files.iter().enumerate() {
            file.each(false, &|_, _| true, &mut |row| {
                rows.insert((hash_of(&row.site), row.site, row.id), (number, row.number));
                Ok(())
            })
            .with_context(|| format!("cannot read {}", file.path().display()))?;
        }
        Ok(Self { files, rows })
    }

    /// The marks for the articles of a share. Data that does not fit into memory is spilled to `folder`.
    pub(super) fn marks(self, share: SiteShare, folder: &Path, config: &Config) -> Result<Marks> {
        let compare = || -> io::Result<Marks> {
            let mut described = Descriptions::new(folder, Comparisons::of(&config.emit))?;
            let mut before = 0;
            for ((hash, ..), (file, row)) in &self.rows {
                let record = self.files[*file].record(*row)?;
                let of_site: Vec<ArticleDescription> = unpacked(&record)?;
                of_site.iter().try_for_each(|evidence| described.add(evidence))?;
                before += if share.is_after(*hash) { of_site.len() as u64 } else { 0 };
            }
            let mut marks = marks_of(described)?;
            // Shares are ranges in the order of outputs.
            marks.pass(before)?;
            Ok(marks)
        };
        compare().context("cannot compare the articles of all shares")
    }
}
