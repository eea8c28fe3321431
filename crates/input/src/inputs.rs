//! Expands the inputs that the user named to a list of files to read, and examines the files.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use archive::{PayloadKind, sniff_html};
use config::files::{address_of, read_small_text, read_stdin_text};
use serde::{Deserialize, Serialize};

use crate::cdx::{self, ExtraOfRecords, ListedArchive, ListedArchives};
use crate::parts::{RecordAt, digest_of};
use crate::source::{addresses_like, state};
use crate::table::{TableKind, is_table, kind_of_table};
use crate::waiting::is_stream;

/// Maximum size of a list of inputs, in bytes.
const LIST_BYTES: u64 = 64 << 20;
/// Maximum number of lines in all lists of inputs together.
const LIST_LINES: usize = 10_000_000;
/// Maximum depth of lists that name other lists.
const LIST_DEPTH: usize = 16;

/// Name of standard input among the inputs. A file with this name is written as `./-`.
const STDIN: &str = "-";

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Input {
    /// A web archive, with any compression.
    Archive(PathBuf),
    /// Records of a web archive that an index lists.
    Records {
        /// The archive.
        path: PathBuf,
        /// The records, sorted, each once.
        records: Arc<[RecordAt]>,
        /// Extra columns from the index rows of the records.
        extra: Arc<ExtraOfRecords>,
        /// The indexes that list the records.
        indexes: Vec<PathBuf>,
    },
    /// A saved page.
    Html {
        /// Path of the file.
        path: PathBuf,
        /// Path within the named folder, with `/`; or the file name.
        name: String,
        /// Name of the folder; may be empty.
        folder: String,
    },
    /// A table of pages.
    Table(PathBuf),
    /// A feed.
    Feed(PathBuf),
    /// A store of site models: the pages that it keeps are read again.
    Retained(PathBuf),
    /// A file or folder within a folder that cannot be read. The problem is reported while reading.
    Unreadable {
        /// Path of the file or folder.
        path: PathBuf,
        /// Why it cannot be read.
        why: String,
    },
}

impl Input {
    /// Whether it is standard input rather than a file.
    pub fn is_stdin(&self) -> bool {
        matches!(self, Self::Archive(path) | Self::Feed(path) if path.as_os_str() == STDIN)
    }

    /// Path of the file; `-` for standard input.
    pub fn path(&self) -> &Path {
        match self {
            Self::Archive(path)
            | Self::Feed(path)
            | Self::Table(path)
            | Self::Retained(path)
            | Self::Records { path, .. }
            | Self::Html { path, .. }
            | Self::Unreadable { path, .. } => path,
        }
    }

    /// Format that it is read as, for messages.
    pub fn format(&self) -> &'static str {
        let path = self.path();
        let name = lower_name(path);
        match self {
            Self::Records { .. } => "records",
            Self::Archive(_) if self.is_stdin() => "archive",
            Self::Archive(_) if name.ends_with(".wacz") => "WACZ",
            Self::Archive(_) if name.contains(".arc") => "ARC",
            Self::Archive(_) if name.contains(".warc") => "WARC",
            Self::Archive(_) => "archive",
            Self::Html { .. } if has_extension(path, &["mhtml", "mht"]) => "MHTML",
            Self::Html { .. } => "HTML",
            Self::Feed(_) => "feed",
            Self::Table(_) => "table of pages",
            Self::Retained(_) => "models",
            Self::Unreadable { .. } => "unreadable",
        }
    }
}

/// The name of a file, in lower case.
pub(crate) fn lower_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let name = lower_name(path);
    extensions.iter().any(|e| name.ends_with(&format!(".{e}")))
}

fn is_html(path: &Path) -> bool {
    has_extension(path, &["html", "htm", "xhtml", "shtml", "mhtml", "mht"])
}

/// Whether a file name is that of an archive.
pub fn is_archive(path: &Path) -> bool {
    const COMPRESSED: [&str; 5] = [".gz", ".zst", ".lz4", ".bz2", ".xz"];
    let name = lower_name(path);
    let bare = COMPRESSED.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    [".warc", ".arc"].iter().any(|end| bare.ends_with(end)) || name.ends_with(".wacz")
}

/// Bytes that are examined to recognise a file without an extension.
const FIRST: u64 = 4 << 10;

/// Recognises a file without an extension by its first bytes; [`PayloadKind::Other`] is an archive.
fn kind_of(path: &Path) -> Option<PayloadKind> {
    if path.extension().is_some() || is_stream(path) {
        return None;
    }
    let mut first = Vec::new();
    fs::File::open(path).ok()?.take(FIRST).read_to_end(&mut first).ok()?;
    let kind = sniff_html(None, &first);
    (kind != PayloadKind::Other || archive::begins_as_archive(&first)).then_some(kind)
}

fn is_feed(path: &Path) -> bool {
    has_extension(path, &["rss", "atom", "xml", "rdf", "json"])
}

/// Where to look for inputs, and where not.
#[derive(Clone, Copy, Debug)]
pub struct InputPlaces<'a> {
    /// The folder that the run writes to, which is skipped without a warning; empty if there is none.
    pub own: &'a Path,
    /// Folder or address that archive names in indexes are relative to; empty for the folder of the index.
    pub base: &'a Path,
    /// Extra columns of tables to keep.
    pub extra: &'a [String],
}

impl Default for InputPlaces<'_> {
    fn default() -> Self {
        Self { own: Path::new(""), base: Path::new(""), extra: &[] }
    }
}

/// Expands files, folders and globs to a sorted list without repetitions. Unreadable files are included: reading
/// them fails later.
///
/// # Errors
/// If a file does not exist or is also a feed, or a glob matches nothing. Reports all problems at once, before any work is
/// done.
pub fn expand(inputs: &[String], feeds: &[String], places: InputPlaces<'_>) -> Result<Vec<Input>> {
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let mut lists = OpenLists::default();
    for (named, as_feed) in inputs.iter().map(|n| (n, false)).chain(feeds.iter().map(|n| (n, true)))
    {
        match expand_one(named, as_feed, places, &mut lists) {
            Ok(files) => found.extend(files),
            Err(error) => problems.push(format!("{error:#}")),
        }
    }
    let is_feed = |input: &&Input| matches!(input, Input::Feed(_));
    let as_feeds: BTreeSet<&Path> = found.iter().filter(is_feed).map(Input::path).collect();
    let as_others = found.iter().filter(|input| !is_feed(input)).map(Input::path);
    let twice: BTreeSet<&Path> = as_others.filter(|path| as_feeds.contains(path)).collect();
    problems.extend(
        twice
            .into_iter()
            .map(|path| format!("{}: is an input and in --feeds; name it once", path.display())),
    );
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    found.sort();
    found.dedup();
    Ok(join_records(found))
}

/// Joins the records that several indexes list for one archive. Leaves them out if the archive is read as a whole anyway.
fn join_records(inputs: Vec<Input>) -> Vec<Input> {
    let whole = inputs.iter().filter(|input| matches!(input, Input::Archive(_)));
    let whole: BTreeSet<PathBuf> = whole.map(|input| input.path().to_owned()).collect();
    let mut joined: Vec<Input> = Vec::with_capacity(inputs.len());
    for input in inputs {
        match (joined.last_mut(), input) {
            (_, Input::Records { path, .. }) if whole.contains(&path) => {}
            (
                Some(Input::Records { path: last, records, extra, indexes }),
                Input::Records { path, records: more, extra: more_extra, indexes: more_indexes },
            ) if *last == path => {
                let mut all: Vec<RecordAt> = records.iter().chain(more.iter()).copied().collect();
                all.sort_unstable();
                all.dedup();
                *records = all.into();
                let more = more_extra.iter().map(|(at, values)| (*at, values.clone()));
                Arc::make_mut(extra).extend(more);
                indexes.extend(more_indexes);
            }
            (_, input) => joined.push(input),
        }
    }
    joined
}

#[derive(Default)]
struct OpenLists {
    /// Lists that are being read, the outermost first.
    open: Vec<String>,
    /// Number of lines read, from all lists so far.
    lines: usize,
}

fn expand_one(
    named: &str,
    as_feed: bool,
    places: InputPlaces<'_>,
    lists: &mut OpenLists,
) -> Result<Vec<Input>> {
    let path = Path::new(named);
    if let Some(list) = named.strip_prefix('@').filter(|_| is_missing(path)) {
        if lists.open.iter().any(|open| open == list) {
            bail!("the list {list} names itself: {} -> {list}", lists.open.join(" -> "));
        }
        ensure!(
            lists.open.len() < LIST_DEPTH,
            "more than {LIST_DEPTH} lists name each other: {} -> {list}",
            lists.open.join(" -> ")
        );
        lists.open.push(list.to_owned());
        let found = listed(list, as_feed, places, lists);
        lists.open.pop();
        return found;
    }
    if address_of(path).is_some() {
        let wanted = |name: &str| is_wanted_name(Path::new(name), as_feed);
        let found = addresses_like(named, &wanted);
        let found = found.with_context(|| format!("cannot read {named}"))?;
        return inputs_of(found.into_iter().map(PathBuf::from), as_feed, places);
    }
    if named == STDIN {
        return Ok(vec![classify(path, path, as_feed)]);
    }
    let mut files = Vec::new();
    let paths = if !is_missing(path) {
        vec![path.to_owned()]
    } else if named.contains(['*', '?', '[']) {
        let found = glob::glob(named).with_context(|| format!("`{named}` is not a valid glob"))?;
        let mut matches = Vec::new();
        for found in found {
            match found {
                Ok(path) => matches.push(path),
                Err(error) => files.push(unreadable(error.path(), error.error())),
            }
        }
        if matches.is_empty() && files.is_empty() {
            bail!("nothing matches `{named}`");
        }
        matches
    } else {
        bail!("no such file or folder: {named}");
    };
    let mut runs = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = files.len();
            walk(&path, &path, (as_feed, places.own), &mut files, &mut runs);
            warn_of_runs(&path, &std::mem::take(&mut runs));
            if files.len() == before {
                let wanted = if as_feed { "feeds" } else { "archives or HTML files" };
                files.push(unreadable(&path, format!("the folder contains no {wanted}")));
            }
        } else {
            files.extend(inputs_of([path], as_feed, places)?);
        }
    }
    Ok(files)
}

/// Turns named files into inputs. Indexes and tables are recognised here, but not in folders.
fn inputs_of(
    paths: impl IntoIterator<Item = PathBuf>,
    as_feed: bool,
    places: InputPlaces<'_>,
) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for path in paths {
        let may_list = !as_feed && !is_stream(&path);
        if may_list && is_table(&path) && kind_of_table(&path)? == TableKind::Pages {
            inputs.push(Input::Table(path));
        } else if may_list && (is_table(&path) || cdx::is_index(&path)) {
            let ListedArchives { archives, unusable } =
                cdx::expand(&path, places.base, places.extra)?;
            let of = |own: ListedArchive| Input::Records {
                path: own.path,
                records: own.records.into(),
                extra: Arc::new(own.extra),
                indexes: vec![path.clone()],
            };
            inputs.extend(archives.into_iter().map(of));
            let problems = unusable.into_iter();
            inputs.extend(problems.map(|(path, why)| Input::Unreadable { path, why }));
        } else {
            inputs.push(classify(&path, &path, as_feed));
        }
    }
    Ok(inputs)
}

/// Reads inputs from a list, one per line; skips empty lines and lines that begin with `#`.
/// Paths are relative to the current folder, as on the command line.
fn listed(
    list: &str,
    as_feed: bool,
    places: InputPlaces<'_>,
    lists: &mut OpenLists,
) -> Result<Vec<Input>> {
    let text = match list {
        STDIN => read_stdin_text(LIST_BYTES),
        file => read_small_text(Path::new(file), LIST_BYTES),
    };
    let text = text.with_context(|| format!("cannot read the list of inputs {list}"))?;
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for line in text.lines() {
        lists.lines += 1;
        ensure!(
            lists.lines <= LIST_LINES,
            "the lists of inputs have more than {LIST_LINES} lines; the last one is {list}: name folders or globs"
        );
        let name = line.trim();
        if name.is_empty() || name.starts_with('#') {
            continue;
        }
        match expand_one(name, as_feed, places, lists) {
            Ok(found) => files.extend(found),
            Err(error) => problems.push(format!("{error:#}, named in {list}")),
        }
    }
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    Ok(files)
}

fn classify(path: &Path, root: &Path, as_feed: bool) -> Input {
    if as_feed {
        return Input::Feed(path.to_owned());
    }
    if is_html(path) || kind_of(path) == Some(PayloadKind::Html) {
        let inside = path.strip_prefix(root).ok().filter(|p| !p.as_os_str().is_empty());
        let name = inside.unwrap_or(Path::new(path.file_name().unwrap_or_default()));
        let name = name.components().map(|part| part.as_os_str().to_string_lossy());
        let name = name.collect::<Vec<_>>().join("/");
        let folder = match inside {
            Some(_) => root.file_name(),
            None => path.parent().and_then(Path::file_name),
        };
        let folder = folder.unwrap_or_default().to_string_lossy().to_lowercase();
        return Input::Html { path: path.to_owned(), name, folder };
    }
    Input::Archive(path.to_owned())
}

/// Whether a file in a folder is to be read, by its name.
fn is_wanted_name(path: &Path, as_feed: bool) -> bool {
    if as_feed { is_feed(path) } else { is_html(path) || is_archive(path) }
}

/// Whether there is nothing at this path. If that cannot be determined, something is assumed to exist.
fn is_missing(path: &Path) -> bool {
    fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

fn unreadable(path: &Path, why: impl ToString) -> Input {
    Input::Unreadable { path: path.to_owned(), why: why.to_string() }
}

/// Whether a folder contains a run, finished or not.
pub fn is_run_folder(folder: &Path) -> bool {
    let holds = |name: &str| folder.join(name).exists();
    holds(".sitegrove") || holds("ledger.json") && holds("dropped.jsonl")
}

/// Maximum number of skipped folders that a warning names.
const RUNS_NAMED: usize = 3;

/// Warns that folders of earlier runs in a folder were skipped.
fn warn_of_runs(root: &Path, runs: &[PathBuf]) {
    let next = "name files in them to read them";
    let named: Vec<_> = runs.iter().take(RUNS_NAMED).map(|run| run.display().to_string()).collect();
    let named = named.join(", ");
    let at = root.display();
    let more = match runs.len().saturating_sub(RUNS_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    match runs.len() {
        0 => {}
        1 => tracing::warn!(at = named, next, "skipping the folder of an earlier run"),
        n => tracing::warn!(%at, next, "skipping {n} folders of earlier runs: {named}{more}"),
    }
}

/// Collects the inputs in a folder, and the folders of earlier runs that it contains.
fn walk(
    folder: &Path,
    root: &Path,
    (as_feed, own): (bool, &Path),
    files: &mut Vec<Input>,
    runs: &mut Vec<PathBuf>,
) {
    let listed = fs::read_dir(folder).and_then(|entries| entries.collect::<io::Result<Vec<_>>>());
    let mut entries = match listed {
        Ok(entries) => entries,
        Err(error) => return files.push(unreadable(folder, error)),
    };
    entries.sort_by_key(fs::DirEntry::file_name);
    // The pages of its report are not inputs.
    if is_run_folder(folder) {
        let real = |path: &Path| fs::canonicalize(path).ok();
        if own.as_os_str().is_empty() || real(own) != real(folder) {
            runs.push(folder.to_owned());
        }
        return;
    }
    for entry in entries {
        let path = entry.path();
        let wanted = is_wanted_name(&path, as_feed)
            || kind_of(&path).is_some_and(|kind| as_feed == (kind == PayloadKind::Feed));
        match (entry.file_type(), fs::metadata(&path)) {
            (Ok(kind), _) if kind.is_dir() => {
                let before = files.len();
                walk(&path, root, (as_feed, own), files, runs);
                // An empty folder is normal beside saved pages (for images), but not if it has the name of an
                // archive.
                if files.len() == before && !as_feed && is_archive(&path) {
                    files.push(unreadable(&path, "it is a folder, and contains no archives"));
                }
            }
            // Links to folders are not followed, since they may form circles.
            (Ok(_), Ok(of)) if of.is_dir() => {
                if !as_feed && is_archive(&path) {
                    files.push(unreadable(&path, "it is a link to a folder"));
                } else {
                    tracing::warn!(
                        at = %path.display(),
                        next = "name it among the inputs to read what is there",
                        "links to folders are not followed"
                    );
                }
            }
            _ if !wanted => {}
            (Ok(_), Ok(of)) if !of.is_file() => {
                files.push(unreadable(
                    &path,
                    "it is not a regular file; name it among the inputs to read it",
                ));
            }
            (Ok(_), Ok(_)) => files.push(classify(&path, root, as_feed)),
            (Err(error), _) | (_, Err(error)) => files.push(unreadable(&path, error)),
        }
    }
}

/// The state of an input before it is read.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct InputState {
    /// Path as named, or address: the name of the input in the ledger.
    pub file: String,
    /// Whether it can be read, and how often.
    pub kind: InputKind,
    /// Length in bytes; 0 if unknown.
    pub bytes: u64,
    /// Time of the last change, in nanoseconds since 1970; `None` if unknown.
    pub modified: Option<i64>,
    /// Digest of the positions of the listed records, if only these are read.
    pub listed: Option<String>,
}

/// The kind of an input.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum InputKind {
    /// A file, which can be compared with its earlier state and read again.
    File,
    /// Standard input, a pipe or the like, which can be read only once.
    Stream,
    /// An input that could not be opened.
    Unreadable,
}

impl InputState {
    /// Examines an input. If it cannot be opened, returns the error, too.
    pub fn of(input: &Input) -> (Self, Option<io::Error>) {
        let path = input.path();
        let file = path.to_string_lossy().into_owned();
        let listed = match input {
            Input::Records { records, .. } => Some(digest_of(records)),
            _ => None,
        };
        let own = Self { file, kind: InputKind::File, bytes: 0, modified: None, listed };
        let of = match input {
            Input::Unreadable { why, .. } => Err(io::Error::other(why.as_str())),
            // A pipe must not be opened: the writer would assume that someone reads from it.
            _ if input.is_stdin() || is_stream(path) => {
                return (Self { kind: InputKind::Stream, ..own }, None);
            }
            // Hundreds of archives are not examined at their addresses one after the other.
            Input::Records { .. } if address_of(path).is_some() => Ok((0, None)),
            _ => state(path),
        };
        let (mut bytes, modified) = match of {
            Ok(of) => of,
            Err(error) => return (Self { kind: InputKind::Unreadable, ..own }, Some(error)),
        };
        if let Input::Records { records, .. } = input {
            bytes = records.iter().map(|own| own.length).sum();
        }
        (Self { bytes, modified, ..own }, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_globs_and_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("Blog");
        std::fs::create_dir_all(root.join("2024")).unwrap();
        for name in ["a.warc.gz", "2024/b.html", "c.txt", "feed.xml"] {
            std::fs::write(root.join(name), "x").unwrap();
        }
        let text = root.to_string_lossy().into_owned();
        let named = std::slice::from_ref(&text);
        let found = expand(named, named, InputPlaces::default()).unwrap();
        assert_eq!(found.len(), 3);
        assert!(found.contains(&Input::Html {
            path: root.join("2024/b.html"),
            name: "2024/b.html".into(),
            folder: "blog".into()
        }));
        let glob = format!("{text}/*.gz");
        assert_eq!(expand(&[glob.clone(), glob], &[], InputPlaces::default()).unwrap().len(), 1);
        let error =
            expand(&["nowhere.warc".into(), format!("{text}/*.zip")], &[], InputPlaces::default())
                .unwrap_err();
        let error = error.to_string();
        assert!(error.contains("nowhere.warc") && error.contains("*.zip"), "{error}");
    }
}
