//! Reads the folder of a finished run, in whatever form its articles were written: lines of JSON, plain or compressed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use anyhow::{Context, Result, bail, ensure};
use config::{Config, SinkName};
use errors::Problem;
use grouping::site_key;
use input::table::unpacked;
use model::{Origin, SiteSummary};
use report::foreign_line;
use report::readable::count;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sink::{Ledger, RunState, site_file_name};

use crate::emit::{WRAPPER_FOLDER, WRAPPER_LINES};
use crate::run::folder::holds_merge;

/// Returns the error of a folder without a ledger: it does not contain `what`, a run or a finished run.
pub(crate) fn no_ledger(folder: &Path, what: &str) -> Problem {
    let (what, next) = match std::fs::metadata(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            ("the folder does not exist".to_owned(), "")
        }
        Err(error) => (format!("the folder cannot be read: {error}"), ""),
        Ok(found) if !found.is_dir() => ("is a file, not the folder of a run".to_owned(), ""),
        Ok(_) if folder.join(Ledger::FILE).exists() => {
            (format!("contains no {what} that this version of sitegrove can read"), "")
        }
        Ok(_) if holds_merge(folder) => {
            ("contains an unfinished merge".to_owned(), "give its command again")
        }
        Ok(_) => (format!("contains no {what}"), "`sitegrove run … --out DIR` makes one"),
    };
    Problem::new(folder.display(), what, next)
}

/// Reads the ledger of a finished run.
///
/// # Errors
/// If the folder contains no finished run.
pub fn finished_ledger(folder: &Path) -> Result<Ledger> {
    let ledger = Ledger::read(folder).ok_or_else(|| no_ledger(folder, "finished run"))?;
    if ledger.state != RunState::Complete {
        let shown = folder.display();
        let next =
            format!("give its command again to resume it, or see `sitegrove status {shown}`");
        bail!(Problem::new(shown, "contains an unfinished run", next));
    }
    Ok(ledger)
}

/// Reads the ledger of the earlier run that a run is compared with.
pub(crate) fn earlier_ledger(run: &Path, earlier: &Path) -> Result<Ledger> {
    let own = std::fs::canonicalize(run).ok();
    ensure!(
        own.is_none() || own != std::fs::canonicalize(earlier).ok(),
        "--compare names the folder of the run itself, {}: name that of an earlier run",
        earlier.display()
    );
    finished_ledger(earlier)
}

/// Checks that a run can be compared with the earlier one that its settings name, if any.
pub(crate) fn check_earlier(config: &Config) -> Result<()> {
    let Some(earlier) = config.run.earlier() else { return Ok(()) };
    earlier_ledger(&config.run.out, earlier).context("--compare")?;
    Ok(())
}

#[derive(Clone, Debug)]
pub(crate) struct Results {
    folder: PathBuf,
    ledger: Arc<Ledger>,
    /// The index of the wrappers by site, if the run wrote them as lines of one file.
    wrapper_lines: Option<Arc<LineIndex>>,
}

impl Results {
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let ledger = Arc::new(finished_ledger(folder)?);
        let lines = folder.join(WRAPPER_LINES);
        let wrapper_lines = match lines.is_file() {
            true => Some(Arc::new(LineIndex::read(LineFile(lines), None)?)),
            false => None,
        };
        Ok(Self { folder: folder.to_owned(), ledger, wrapper_lines })
    }

    pub(crate) fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    /// Reads the templates and wrappers of all sites that something was learnt about, sorted by key.
    pub(crate) fn site_records(&self) -> Result<Vec<SiteSummary>> {
        if let Some(lines) = &self.wrapper_lines {
            return lines.sites().map(|site| self.site_record(site)).collect();
        }
        let folder = self.folder.join(WRAPPER_FOLDER);
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => {
                entries.with_context(|| format!("cannot read the folder {}", folder.display()))?
            }
        };
        let files = entries.flatten().map(|entry| entry.path());
        let mut sites: Vec<SiteSummary> = files
            .filter(|path| path.extension().is_some_and(|e| e == "json"))
            .map(|path| read_site_record(&path))
            .collect::<Result<_>>()?;
        sites.sort_by(|a, b| a.site.cmp(&b.site));
        Ok(sites)
    }

    /// Returns the keys of all sites, sorted: those that something was learnt about, and those with articles or drops.
    pub(crate) fn sites(&self) -> Result<Vec<String>> {
        let mut sites: BTreeSet<String> =
            self.site_records()?.into_iter().map(|own| own.site).collect();
        for file in self.articles().into_iter().chain([self.dropped()]) {
            let lines = LineIndex::read(file, None)?;
            sites.extend(lines.sites().filter(|site| !site.is_empty()).map(str::to_owned));
        }
        Ok(sites.into_iter().collect())
    }

    /// Finds a site by its key, a host or an address, and returns its key. The error of an unknown site suggests similar names.
    pub(crate) fn find_site(&self, named: &str) -> Result<String> {
        let bare = named.trim_end_matches('/');
        let meant = [Some(bare.to_owned()), site_key(named), site_key(&format!("http://{bare}/"))];
        for site in meant.iter().flatten() {
            // Return the key in the record: the file name may differ from it.
            let own = self.site_record(site)?;
            if !own.templates.is_empty() || !own.site_configs.is_empty() {
                return Ok(own.site);
            }
        }
        let all = self.sites()?;
        let known = meant.into_iter().flatten().find(|site| all.binary_search(site).is_ok());
        known.ok_or_else(|| no_site(&self.folder, named, &all).into())
    }

    /// Reads the templates and wrappers of a site; there are none if nothing was learnt about it.
    pub(crate) fn site_record(&self, site: &str) -> Result<SiteSummary> {
        let none = || SiteSummary { site: site.to_owned(), ..SiteSummary::default() };
        let Some(lines) = &self.wrapper_lines else {
            let folder = self.folder.join(WRAPPER_FOLDER);
            let path = folder.join(format!("{}.json", site_file_name(site)));
            return if path.is_file() { read_site_record(&path) } else { Ok(none()) };
        };
        Ok(lines.lines(site)?.into_iter().next().unwrap_or_else(none))
    }

    /// Returns the file of drops, which every run writes.
    pub(crate) fn dropped(&self) -> LineFile {
        LineFile(self.folder.join("dropped.jsonl"))
    }

    pub(crate) fn articles(&self) -> Result<LineFile> {
        articles_in(&self.folder, Some(&self.ledger))
    }
}

fn read_site_record(path: &Path) -> Result<SiteSummary> {
    let shown = path.display();
    let bytes = fs::read(path).with_context(|| format!("cannot read {shown}"))?;
    let site: SiteSummary = serde_json::from_slice(&bytes)
        .with_context(|| format!("{shown}: not in the format of this version of sitegrove"))?;
    ensure!(
        site.schema.0 == sink::SCHEMA,
        "{shown} has schema {}; this version reads schema {}",
        site.schema.0,
        sink::SCHEMA
    );
    Ok(site)
}

/// Returns the file with the articles of a folder, which a run has finished, or another program has written in
/// the same form, without a ledger. [`open`] reads the file.
///
/// # Errors
/// If the folder contains an unfinished run, or no such file.
pub fn articles_of(folder: &Path) -> Result<PathBuf> {
    let articles = match folder.join(Ledger::FILE).exists() {
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
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn each<T: DeserializeOwned>(
        &self,
        mut take: impl FnMut(T, &str) -> Result<()>,
    ) -> Result<()> {
        let shown = self.0.display();
        let file = open(&self.0).with_context(|| format!("cannot read {shown}"))?;
        for (number, line) in (1..).zip(file.lines()) {
            let line = line.with_context(|| format!("cannot read {shown}"))?;
            let parsed =
                serde_json::from_str(&line).with_context(|| foreign_line(&self.0, number))?;
            take(parsed, &line)?;
        }
        Ok(())
    }
}

/// Maximum number of suggested names.
const MOST: usize = 5;

fn no_site(run: &Path, named: &str, sites: &[String]) -> Problem {
    let next = match &nearest(named, sites)[..] {
        [] => "it has no sites at all".to_owned(),
        near => {
            format!("of its {}, these are nearest: {}", count(sites.len(), "site"), near.join(", "))
        }
    };
    Problem::new(run.display(), format!("the run has no site `{named}`"), next)
}

pub(crate) fn no_article(archive: &Path, named: &str, key: &str, keys: &[String]) -> Problem {
    let next = match &nearest(key, keys)[..] {
        [] => "it has no articles at all".to_owned(),
        near => format!("these addresses are nearest: {}", near.join(", ")),
    };
    Problem::new(
        archive.display(),
        format!("the archive has no article with the address {named}"),
        next,
    )
}

/// Returns the names most similar to `name`, the most similar first: those that contain it or are contained in
/// it, then by edit distance.
fn nearest<'a>(name: &str, names: &'a [String]) -> Vec<&'a str> {
    let lower = name.to_lowercase();
    let mut ranked: Vec<(bool, usize, &str)> = names
        .iter()
        .map(|other| {
            let holds =
                !lower.is_empty() && (other.contains(&lower) || lower.contains(other.as_str()));
            (!holds, strsim::levenshtein(&lower, other), other.as_str())
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().take(MOST).map(|(_, _, name)| name).collect()
}

/// Magic number of a zstd frame (RFC 8878 §3.1.1).
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Opens a file; gzip and zstd are recognised by their first bytes, not by the file name.
///
/// # Errors
/// If the file cannot be read. Damage is an error when it is reached, not before.
pub fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    unpacked(File::open(path)?)
}

/// The place of lines in a file that is plain or consists of zstd frames.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LinesPlace {
    /// Offset of the frame that contains the first line; 0 in a plain file.
    frame: u64,
    /// Range of the bytes in the decompressed data, relative to the start of that frame.
    bytes: Range<u64>,
}

impl LinesPlace {
    /// Adds the lines at `next` if they follow these; returns whether they do.
    fn join(&mut self, next: &Self) -> bool {
        let follows = self.frame == next.frame && self.bytes.end == next.bytes.start;
        if follows {
            self.bytes.end = next.bytes.end;
        }
        follows
    }
}

/// Reads a file frame by frame and calls `take` for each line with its place. Needs the memory of one frame;
/// a run writes one per site.
fn each_line<E: From<io::Error>>(
    path: &Path,
    mut take: impl FnMut(LinesPlace, &[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut file = BufReader::new(File::open(path)?);
    if !file.fill_buf()?.starts_with(&ZSTD) {
        let (mut at, mut line) = (0, Vec::new());
        while let length @ 1.. = file.read_until(b'\n', &mut line)? as u64 {
            take(LinesPlace { frame: 0, bytes: at..at + length }, &line)?;
            at += length;
            line.clear();
        }
        return Ok(());
    }
    // In files that other programs compressed, a line may continue in the next frame.
    let (mut text, mut first, mut skipped) = (Vec::new(), 0, 0);
    loop {
        let frame = file.stream_position()?;
        if file.fill_buf()?.is_empty() {
            break;
        }
        if text.is_empty() {
            (first, skipped) = (frame, 0);
        }
        let mut decoder = zstd::Decoder::with_buffer(file)?.single_frame();
        decoder.read_to_end(&mut text)?;
        file = decoder.finish();
        let mut at = 0;
        while let Some(end) = text[at..].iter().position(|&byte| byte == b'\n') {
            let line = at..at + end + 1;
            let bytes = skipped + line.start as u64..skipped + line.end as u64;
            take(LinesPlace { frame: first, bytes }, &text[line.clone()])?;
            at = line.end;
        }
        text.drain(..at);
        skipped += at as u64;
    }
    if text.is_empty() {
        return Ok(());
    }
    let bytes = skipped..skipped + text.len() as u64;
    take(LinesPlace { frame: first, bytes }, &text)
}

fn line_at(path: &Path, place: &LinesPlace) -> io::Result<Vec<u8>> {
    let mut file = BufReader::new(File::open(path)?);
    let compressed = file.fill_buf()?.starts_with(&ZSTD);
    let LinesPlace { frame, bytes } = place;
    let mut reader: Box<dyn Read> = if compressed {
        file.seek(SeekFrom::Start(*frame))?;
        let mut decoder = zstd::Decoder::with_buffer(file)?;
        io::copy(&mut decoder.by_ref().take(bytes.start), &mut io::sink())?;
        Box::new(decoder)
    } else {
        file.seek(SeekFrom::Start(bytes.start))?;
        Box::new(file)
    };
    let length = bytes.end - bytes.start;
    let mut found = Vec::new();
    reader.by_ref().take(length).read_to_end(&mut found)?;
    if found.len() as u64 == length { Ok(found) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// The fields that determine the site of a line, which is an article, a drop, or the wrappers of a site.
#[derive(Deserialize)]
struct LineSite {
    site: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    origin: Origin,
}

impl LineSite {
    /// Returns the key of the site. For drops before grouping, computes it from the address.
    fn key(&self) -> String {
        let own = if self.site.is_empty() { site_key(&self.url) } else { None };
        own.unwrap_or_else(|| self.site.clone())
    }
}

#[derive(Debug)]
pub(crate) struct LineIndex {
    file: LineFile,
    places: BTreeMap<String, Vec<LinesPlace>>,
    /// For each input file, the address of a page in it.
    pub(crate) addresses: BTreeMap<String, String>,
}

impl LineIndex {
    /// Finds the lines of all sites, or of one.
    pub(crate) fn read(file: LineFile, only: Option<&str>) -> Result<Self> {
        let (mut places, mut addresses) =
            (BTreeMap::<String, Vec<LinesPlace>>::new(), BTreeMap::new());
        let mut number = 0;
        let read = each_line(file.path(), |place, line| -> Result<()> {
            number += 1;
            let of: LineSite =
                serde_json::from_slice(line).with_context(|| foreign_line(file.path(), number))?;
            let key = of.key();
            if only.is_some_and(|only| only != key) {
                return Ok(());
            }
            let places = places.entry(key).or_default();
            if !places.last_mut().is_some_and(|last| last.join(&place)) {
                places.push(place);
            }
            addresses.entry(of.origin.file.to_string()).or_insert(of.url);
            Ok(())
        });
        read.with_context(|| format!("cannot read {}", file.path().display()))?;
        Ok(Self { file, places, addresses })
    }

    pub(crate) fn sites(&self) -> impl Iterator<Item = &str> {
        self.places.keys().map(String::as_str)
    }

    /// Reads the lines of a site, in the order of the file.
    pub(crate) fn lines<T: DeserializeOwned>(&self, site: &str) -> Result<Vec<T>> {
        let shown = self.file.path().display();
        let mut found = Vec::new();
        for place in self.places.get(site).into_iter().flatten() {
            let text =
                line_at(self.file.path(), place).with_context(|| format!("cannot read {shown}"))?;
            for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                found.push(serde_json::from_slice(line).with_context(|| {
                    format!("{shown}: a line is not in the format of this version of sitegrove")
                })?);
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn near_names_come_first() {
        let names: Vec<String> =
            ["zeta.example", "blog.example", "harbour-gazette.example", "block.example"]
                .map(String::from)
                .into();
        assert_eq!(nearest("blig.example", &names)[..2], ["blog.example", "block.example"]);
        assert_eq!(nearest("gazette", &names)[0], "harbour-gazette.example");
        assert!(nearest("x", &[]).is_empty());
    }

    fn read(bytes: &[u8]) -> io::Result<String> {
        let mut file = tempfile::NamedTempFile::new()?;
        file.write_all(bytes)?;
        let mut text = String::new();
        open(file.path())?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn compressions_are_known_by_their_bytes() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(b"{}\n").unwrap();
        let gzip = gzip.finish().unwrap();
        let zstd = zstd::encode_all(&b"{}\n"[..], 1).unwrap();
        for bytes in [b"{}\n{}\n".to_vec(), gzip.repeat(2), zstd.repeat(2)] {
            assert_eq!(read(&bytes).unwrap(), "{}\n{}\n");
        }
        assert_eq!(read(b"").unwrap(), "");
        for whole in [gzip, zstd] {
            assert!(read(&whole[..whole.len() - 3]).is_err());
        }
    }
    #[test]
    fn lines_are_found_again_in_any_form() {
        let lines: Vec<String> = (0..40).map(|n| format!("{n} {}\n", "x".repeat(n * 7))).collect();
        let whole = lines.concat();
        let frame = |text: &str| zstd::encode_all(text.as_bytes(), 1).unwrap();
        let one_each: Vec<u8> = lines.iter().flat_map(|line| frame(line)).collect();
        // Cut anywhere, with empty frames between.
        let (left, right) = whole.split_at(whole.len() / 3);
        let cut = [frame(""), frame(left), frame(""), frame(right)].concat();
        for stored in [whole.clone().into_bytes(), frame(&whole), one_each, cut] {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(&stored).unwrap();
            let mut places = Vec::new();
            let take = |place, line: &[u8]| -> io::Result<()> {
                places.push((place, String::from_utf8(line.to_vec()).unwrap()));
                Ok(())
            };
            each_line(file.path(), take).unwrap();
            assert!(places.iter().map(|(_, line)| line).eq(&lines));
            for (place, line) in &places {
                assert_eq!(line_at(file.path(), place).unwrap(), line.as_bytes());
            }
            let mut joined = places[20].0.clone();
            if joined.join(&places[21].0) {
                assert_eq!(
                    line_at(file.path(), &joined).unwrap(),
                    lines[20..22].concat().as_bytes()
                );
            }
            assert!(!joined.join(&places[30].0));
            // Cut off, it is an error unless what is left is whole lines.
            file.as_file().set_len(stored.len() as u64 - 3).unwrap();
            let mut last = Vec::new();
            let short = each_line(file.path(), |_, line: &[u8]| -> io::Result<()> {
                last = line.to_vec();
                Ok(())
            });
            assert!(short.is_err() || !last.ends_with(b"\n"));
        }
    }
}
