//! The paths that a command reads, and those that it writes, each with the kind of file that it may replace. They are
//! checked before any work, so that no output destroys another file, an input or another output.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use config::files::{address_of, without_detours};
use config::{Config, EmitConfig, RunConfig, SinkName};
use errors::Problem;
use input::Input;
use input::file_type::{first_bytes, what_is};
use sink::Ledger;

use crate::run::folder::STATE;

/// What a command writes at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// Metrics for Prometheus.
    Metrics,
    /// A store of site models, which is extended.
    Models,
    /// An archive of articles, which is extended.
    Archive,
    /// A search index in a folder, which is extended.
    Index,
    /// A data set in a folder, which is extended.
    Dataset,
    /// A file that a step of a distributed run writes.
    Step,
    /// A table of models.
    ModelsTable,
    /// HTML.
    Html,
    /// XML.
    Xml,
    /// JSON, or JSON lines.
    Json,
    /// An EPUB.
    Book,
    /// Text for people or programs.
    Text,
    /// A file of a run folder, which is replaced with the run.
    RunFile,
    /// A folder in a run folder, which is replaced with the run.
    RunPart,
    /// A run folder, in which a run writes files with fixed names.
    RunFolder,
    /// A folder in which a command creates files or folders; it may contain others.
    Folder,
}

impl OutputKind {
    fn noun(self) -> &'static str {
        match self {
            Self::Metrics => "a file of metrics",
            Self::Models => "a model store",
            Self::Archive => "an archive of articles",
            Self::Index => "a search index",
            Self::Dataset => "a data set of articles",
            Self::Step => "a file of a step",
            Self::ModelsTable => "a table of models",
            Self::Html => "an HTML page",
            Self::Xml => "an XML document",
            Self::Json => "JSON",
            Self::Book => "an EPUB book",
            Self::Text => "text",
            Self::RunFile => "a file of a run",
            Self::RunPart => "a part of a run folder",
            Self::RunFolder => "a run folder",
            Self::Folder => "a folder",
        }
    }

    fn is_folder(self) -> bool {
        use OutputKind::{Dataset, Folder, Index, RunFolder, RunPart};
        matches!(self, Index | Dataset | RunPart | RunFolder | Folder)
    }

    /// Whether the folder may contain other files.
    fn is_shared(self) -> bool {
        matches!(self, Self::RunFolder | Self::Folder)
    }

    /// Whether the output may replace or extend a file that begins with `first` and that `file_type` describes as `found`.
    fn replaces(self, first: &[u8], found: &str) -> bool {
        let is_json = || matches!(first.trim_ascii_start().first(), Some(b'{' | b'['));
        let is_text = || found == "text";
        match self {
            _ if first.is_empty() => true,
            Self::Models | Self::Archive => found == self.noun() || found == "an empty database",
            Self::Step | Self::ModelsTable | Self::Html | Self::Xml => found == self.noun(),
            Self::Metrics => first.starts_with(b"# HELP sitegrove_"),
            Self::Json => is_text() && is_json(),
            Self::Text => is_text(),
            Self::Book => found == "an EPUB book",
            _ => false,
        }
    }

    /// Returns why the output cannot be written at an existing path; `None` if it can.
    fn conflict_with_existing(self, path: &Path) -> Option<String> {
        if matches!(self, Self::RunFile | Self::RunPart) {
            // `--overwrite` decides whether the contents of a run folder are replaced.
            return None;
        }
        let of = fs::metadata(path).ok()?;
        let unlike = |found: &str| Some(format!("is {found}, not {}", self.noun()));
        match (self.is_folder(), of.is_dir()) {
            (true, false) => unlike(&match what_is(path) {
                Ok(found) if of.is_file() => format!("a file ({found})"),
                _ => "a file".to_owned(),
            }),
            (false, true) => unlike("a folder"),
            (true, true) => match self {
                Self::Index if !is_empty(path) && !index::is_index(path) => {
                    Some("holds something else than a search index".to_owned())
                }
                Self::Dataset => {
                    let foreign = sink::foreign_to_dataset(path).ok().flatten();
                    foreign.map(|name| format!("holds {name}, and is no data set of articles"))
                }
                _ => None,
            },
            (false, false) if !of.is_file() => {
                Some(format!("is not a regular file, so it cannot be {}", self.noun()))
            }
            (false, false) => {
                let first = first_bytes(path).ok()?;
                let found = what_is(path).ok()?;
                if self.replaces(&first, &found) { None } else { unlike(&found) }
            }
        }
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// A path, with the option or the entry of the run folder that it comes from.
#[derive(Debug)]
struct NamedPath {
    by: String,
    path: PathBuf,
    /// What is written there; `None` if it is read.
    output: Option<OutputKind>,
}

impl NamedPath {
    fn shown(&self) -> String {
        format!("{} ({})", self.path.display(), self.by)
    }
}

/// All paths that a command reads or writes.
#[derive(Debug, Default)]
pub struct CommandPaths(Vec<NamedPath>);

impl CommandPaths {
    /// Adds a path that is read. Addresses, `-` and empty paths are left out.
    #[must_use]
    pub fn reads(self, by: &str, path: &Path) -> Self {
        self.add(by, path, None)
    }

    /// Adds the files of a run folder as paths that are read.
    #[must_use]
    pub fn reads_run(self, by: &str, run: &Path) -> Self {
        if run.as_os_str().is_empty() {
            return self;
        }
        let entries = run_entries().filter(|(_, output)| *output == OutputKind::RunFile);
        entries.fold(self, |paths, (name, _)| paths.reads(by, &run.join(name)))
    }

    /// Adds a path that is written.
    #[must_use]
    pub fn writes(self, by: &str, path: &Path, output: OutputKind) -> Self {
        self.add(by, path, Some(output))
    }

    fn add(mut self, by: &str, path: &Path, output: Option<OutputKind>) -> Self {
        let is_none = path.as_os_str().is_empty() || path.as_os_str() == "-";
        if !is_none && address_of(path).is_none() {
            self.0.push(NamedPath { by: by.to_owned(), path: path.to_owned(), output });
        }
        self
    }

    /// Collects all paths of a run with these settings and inputs.
    pub(crate) fn of_run(config: &Config, inputs: &[Input]) -> Self {
        // Each setting is named, so that a new one with a path is not forgotten.
        let RunConfig {
            inputs: named_inputs,
            input_base: _,
            feeds,
            out,
            spool,
            work,
            metrics,
            compare,
            corrections,
            models,
            reextract,
            jobs: _,
            memory: _,
            batch_bytes: _,
            models_size: _,
            retire_after: _,
            sites: _,
            since: _,
            until: _,
            limit: _,
        } = &config.run;
        let EmitConfig {
            archive,
            index,
            dataset,
            dataset_made_in,
            sinks: _,
            page_types: _,
            skip: _,
            markdown: _,
            passages: _,
            warc: _,
            jsonl: _,
            csv: _,
            bulk: _,
            index_memory: _,
            duplicates: _,
            duplicate_similarity: _,
            find_shared_text: _,
            forget_gone: _,
        } = &config.emit;
        let chosen = config.emit.chosen();
        let mut paths = Self::default()
            .writes("--out", out, OutputKind::RunFolder)
            .writes("--spool", spool, OutputKind::Folder)
            .writes("--work", work, OutputKind::Folder)
            .writes("--metrics", metrics, OutputKind::Metrics);
        paths = match reextract {
            true => paths.reads("--models", models),
            false => paths.writes("--models", models, OutputKind::Models),
        };
        for (name, option, path, output) in [
            (SinkName::Sqlite, "--archive", archive, OutputKind::Archive),
            (SinkName::Index, "--index", index, OutputKind::Index),
            (
                SinkName::Dataset,
                "--dataset",
                dataset_made_in.as_ref().unwrap_or(dataset),
                OutputKind::Dataset,
            ),
        ] {
            if chosen.contains(&name) {
                paths = paths.writes(option, path, output);
            }
        }
        for (entry, output) in run_entries() {
            let is_own_archive = output == OutputKind::Archive
                && chosen.contains(&SinkName::Sqlite)
                && archive.as_os_str().is_empty();
            if output != OutputKind::Archive || is_own_archive {
                paths = paths.writes(&format!("{entry} of --out"), &out.join(entry), output);
            }
        }
        for path in named_inputs.iter().chain(feeds) {
            // The list itself is read, too.
            paths = paths.reads("an input", Path::new(path.strip_prefix('@').unwrap_or(path)));
        }
        for input in inputs.iter().filter(|input| !matches!(input, Input::Retained(_))) {
            paths = paths.reads("an input", input.path());
        }
        // A run may add to the archive whose corrections it applies.
        let archive = place_of(&SinkName::Sqlite.path(out, &config.emit));
        for path in corrections.iter().filter(|path| place_of(path) != archive) {
            paths = paths.reads("--corrections", path);
        }
        for path in &config.wrap.site_configs {
            paths = paths.reads("--site-configs", path);
        }
        paths
            .reads("--compare", compare)
            .reads_run("--compare", compare)
            .reads("grove.weights", &config.grove.weights)
    }

    /// Checks that nothing is destroyed: that each output may replace what is at its path, and that no two paths
    /// conflict.
    ///
    /// # Errors
    /// If an output would destroy something. The message names the path, or both paths.
    pub fn check(&self) -> Result<()> {
        for named in &self.0 {
            if let Some(output) = named.output
                && let Some(why) = output.conflict_with_existing(&named.path)
            {
                let by = &named.by;
                anyhow::bail!(Problem::new(
                    named.path.display(),
                    format!("{why}, and was left as it is"),
                    format!("name another path for {by}, or remove what is there"),
                ));
            }
        }
        self.check_pairs()
    }

    fn check_pairs(&self) -> Result<()> {
        let mut by_place: BTreeMap<PathBuf, &NamedPath> = BTreeMap::new();
        let mut by_file: BTreeMap<(u64, u64), &NamedPath> = BTreeMap::new();
        let (written, read): (Vec<&NamedPath>, Vec<&NamedPath>) =
            self.0.iter().partition(|named| named.output.is_some());
        let mut inside = Vec::new();
        for named in written {
            let place = place_of(&named.path);
            if let Some(file) = file_id(&named.path)
                && let Some(other) = by_file.insert(file, named)
            {
                return Err(same(other, named));
            }
            if let Some(other) = by_place.get(&place) {
                if !is_shared(other) || !is_shared(named) {
                    return Err(same(other, named));
                }
            } else {
                by_place.insert(place.clone(), named);
            }
            inside.push((place, named));
        }
        for named in read {
            let place = place_of(&named.path);
            let other = by_place.get(&place).filter(|other| !is_shared(other));
            let other = other.or_else(|| file_id(&named.path).and_then(|file| by_file.get(&file)));
            if let Some(other) = other {
                return Err(same(other, named));
            }
            inside.push((place, named));
        }
        for (place, named) in inside {
            for above in place.ancestors().skip(1) {
                if let Some(outer) = by_place.get(above)
                    && is_in_the_way(outer, named)
                {
                    return Err(within(outer, named));
                }
            }
        }
        Ok(())
    }
}

fn is_shared(named: &NamedPath) -> bool {
    named.output.is_some_and(OutputKind::is_shared)
}

/// Whether the path `inner` must not lie within the output `outer`.
fn is_in_the_way(outer: &NamedPath, inner: &NamedPath) -> bool {
    let grows = matches!(inner.output, Some(OutputKind::Index | OutputKind::Dataset));
    match outer.output {
        Some(OutputKind::RunFolder) => grows,
        Some(output) => !output.is_shared(),
        None => false,
    }
}

fn same(one: &NamedPath, other: &NamedPath) -> anyhow::Error {
    let what = format!("is also {}, and one of them would replace the other", other.shown());
    Problem::new(one.shown(), what, "give each a path of its own").into()
}

fn within(outer: &NamedPath, inner: &NamedPath) -> anyhow::Error {
    let what = match outer.output {
        Some(OutputKind::RunFolder) => format!(
            "lies in the run folder {}, whose files are replaced by the next run",
            outer.path.display()
        ),
        _ => format!("lies in {}, which belongs to that output alone", outer.shown()),
    };
    Problem::new(inner.shown(), what, "choose a path elsewhere").into()
}

/// Lists the entries that a run writes in its folder, or removes there.
pub(crate) fn run_entries() -> impl Iterator<Item = (&'static str, OutputKind)> {
    let of_sinks = SinkName::ALL.iter().copied().flat_map(|sink| {
        let output = match sink {
            SinkName::Index | SinkName::SiteConfig => OutputKind::RunPart,
            SinkName::Sqlite => OutputKind::Archive,
            _ => OutputKind::RunFile,
        };
        // The report is in its folder, which is listed below.
        let files = sink.files().iter().filter(move |_| sink != SinkName::Report);
        files.map(move |file| (*file, output))
    });
    of_sinks.chain([
        ("dropped.jsonl", OutputKind::RunFile),
        ("health.jsonl", OutputKind::RunFile),
        ("comparison.json", OutputKind::RunFile),
        (Ledger::FILE, OutputKind::RunFile),
        ("wrappers", OutputKind::RunPart),
        ("wrappers.jsonl", OutputKind::RunPart),
        (report::FOLDER, OutputKind::RunPart),
        (STATE, OutputKind::RunPart),
    ])
}

/// Maximum number of symbolic links that are followed to a path that does not exist yet.
const LINKS: usize = 40;

/// Resolves the symbolic links of a path, even if it does not exist yet.
fn place_of(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (mut at, mut rest) = (whole.clone(), Vec::new());
    let mut links = 0;
    loop {
        if let Ok(real) = fs::canonicalize(&at) {
            return rest.iter().rev().fold(real, |place, name| place.join(name));
        }
        let target = fs::read_link(&at).ok().filter(|_| links < LINKS);
        at = match (target, at.parent(), at.file_name()) {
            (Some(target), Some(above), _) => {
                links += 1;
                above.join(target)
            }
            (None, Some(above), Some(name)) => {
                rest.push(name.to_owned());
                above.to_owned()
            }
            _ => return without_detours(&whole),
        };
    }
}

/// Returns the device and inode number of a regular file, which all its names share.
#[cfg(unix)]
fn file_id(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let of = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some((of.dev(), of.ino()))
}

#[cfg(not(unix))]
fn file_id(_: &Path) -> Option<(u64, u64)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_known_before_they_exist() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join("real")).unwrap();
        assert_eq!(place_of(&root.join("new/../a")), root.join("a"));
        assert_eq!(place_of(&root.join("new/deep/a")), root.join("new/deep/a"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("real", root.join("link")).unwrap();
            std::os::unix::fs::symlink("real/later", root.join("dangling")).unwrap();
            std::os::unix::fs::symlink("loop", root.join("loop")).unwrap();
            assert_eq!(place_of(&root.join("link/a")), root.join("real/a"));
            assert_eq!(place_of(&root.join("dangling")), root.join("real/later"));
            assert_eq!(place_of(&root.join("loop")).file_name(), Some("loop".as_ref()));
        }
    }
}
