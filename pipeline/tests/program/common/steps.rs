//! A crawl in steps of several processes, and its comparison with one run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use archive::{RecordKind, Wrapping};

use super::crawl::{self, RESPONSE};
use super::program::{in_repository, parts, run, sitegrove};
use super::results::Results;
pub(crate) use super::results::assert_same;

/// The files that must be the same, without those that have times.
pub(crate) fn bytes(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let results = Results::read(folder);
    let mut files = results.outcome();
    for part in ["inputs", "config_hash"] {
        files.insert(format!("{part} of the ledger"), results.ledger[part].to_string().into());
    }
    files
}

/// Inputs of a survey: files, and feeds.
pub(crate) type Inputs = (Vec<PathBuf>, Vec<PathBuf>);

/// A run in steps: one survey for each of these inputs, and so many shares of sites. Files are named in an order that
/// depends on `turn`.
pub(crate) struct Steps<'a> {
    pub(crate) folder: PathBuf,
    pub(crate) settings: &'a [&'a str],
    pub(crate) surveys: Vec<Inputs>,
    pub(crate) shares: usize,
    pub(crate) turn: usize,
}

impl Steps<'_> {
    /// Calls a step, which must succeed; gives what it says.
    pub(crate) fn call(
        &self,
        step: &str,
        files: &[PathBuf],
        more: &[String],
        out: &Path,
    ) -> String {
        let mut files = files.to_vec();
        let middle = self.turn % files.len().max(1);
        files.rotate_left(middle);
        let output = sitegrove()
            .arg(step)
            .args(&files)
            .args(more)
            .args(self.settings)
            .arg("--out")
            .arg(out)
            .output()
            .unwrap();
        let (code, stdout, stderr) = parts(&output);
        assert_eq!(code, 0, "{step} failed\n{stdout}\n{stderr}");
        stdout
    }

    pub(crate) fn out(&self, name: &str, number: usize) -> PathBuf {
        self.folder.join(format!("steps/{name}-{number}.parquet"))
    }

    pub(crate) fn survey(&self) -> Vec<PathBuf> {
        let survey = |(number, (files, feeds)): (usize, &Inputs)| {
            let out = self.out("survey", number);
            let feeds = feeds
                .iter()
                .flat_map(|feed| ["--feeds".to_owned(), feed.to_str().unwrap().to_owned()]);
            self.call("survey", files, &feeds.collect::<Vec<_>>(), &out);
            out
        };
        self.surveys.iter().enumerate().map(survey).collect()
    }

    /// Learns all shares; gives what the steps say, too.
    pub(crate) fn learn(&self, name: &str, files: &[PathBuf]) -> (Vec<PathBuf>, String) {
        let learn = |number: usize| {
            let out = self.out(name, number);
            let share = format!("{number}/{}", self.shares);
            let said = self.call("learn", files, &["--share".to_owned(), share], &out);
            (out, said)
        };
        let (files, said): (Vec<PathBuf>, Vec<String>) = (1..=self.shares).map(learn).unzip();
        (files, said.concat())
    }

    pub(crate) fn apply(
        &self,
        name: &str,
        surveys: &[PathBuf],
        learnt: &[PathBuf],
    ) -> Vec<PathBuf> {
        let apply = |(number, survey): (usize, &PathBuf)| {
            let out = self.out(name, number);
            self.call("apply", &[std::slice::from_ref(survey), learnt].concat(), &[], &out);
            out
        };
        surveys.iter().enumerate().map(apply).collect()
    }

    /// Whether shares of the results make up the whole.
    pub(crate) fn check_shares(&self, files: &[PathBuf], whole: &Path) {
        let describe = |share: usize| {
            let out = self.out("describe", share);
            self.call("describe", files, &["--share".to_owned(), format!("{share}/2")], &out);
            out
        };
        let files = &[files.to_vec(), (1..=2).map(describe).collect()].concat();
        let merge = |share: usize| {
            let out = self.folder.join(format!("share-{share}"));
            self.call("merge", files, &["--share".to_owned(), format!("{share}/3")], &out);
            out
        };
        let shares: Vec<PathBuf> = (1..=3).map(merge).collect();
        for name in ["articles.jsonl", "dropped.jsonl"] {
            let lines = |folder: &PathBuf| fs::read(folder.join(name)).unwrap();
            let all: Vec<u8> = shares.iter().flat_map(lines).collect();
            assert!(all == fs::read(whole.join(name)).unwrap(), "{name} of shares");
        }
        let pages = |folder: &PathBuf| Results::read(folder).count("pages");
        assert_eq!(shares.iter().map(pages).sum::<u64>(), pages(&whole.to_owned()));
    }

    /// All steps; gives the run folder, and whether the second round had something to do.
    pub(crate) fn run(&self) -> (PathBuf, bool) {
        let surveys = self.survey();
        let (learnt, _) = self.learn("learn", &surveys);
        let applied = self.apply("apply", &surveys, &learnt);
        let first = [surveys.clone(), learnt.clone(), applied].concat();
        let (again, said) = self.learn("again", &first);
        let rest = self.apply("rest", &surveys, &[learnt, again.clone()].concat());
        let out = self.folder.join("merged");
        let all = [first, again, rest].concat();
        self.call("merge", &all, &[], &out);
        if !self.settings.contains(&"--models") {
            self.check_shares(&all, &out);
        }
        let have = said.lines().any(|line| !line.contains(", 0 need another round"));
        (out, have)
    }
}

/// Deals inputs out to so many surveys.
pub(crate) fn dealt(
    inputs: &[PathBuf],
    feeds: &[PathBuf],
    surveys: usize,
    turn: usize,
) -> Vec<Inputs> {
    let mut dealt = vec![Inputs::default(); surveys];
    for (number, input) in inputs.iter().enumerate() {
        dealt[(number * (turn + 1) + turn) % surveys].0.push(input.clone());
    }
    for (number, feed) in feeds.iter().enumerate() {
        dealt[(number + turn) % surveys].1.push(feed.clone());
    }
    dealt.retain(|(files, feeds)| !files.is_empty() || !feeds.is_empty());
    dealt
}

/// Whether steps give the bytes of a run, for each number of surveys and shares. Gives the results of the run, and
/// whether the second round had something to do.
pub(crate) fn check(
    inputs: &[PathBuf],
    feeds: &[PathBuf],
    settings: &str,
    more: &[&str],
    splits: &[(usize, usize)],
) -> (Results, bool) {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("settings.toml");
    fs::write(&config, settings).unwrap();
    let mut files: Vec<&Path> = vec![&config];
    files.extend(inputs.iter().map(PathBuf::as_path));
    let mut flags = more.to_vec();
    feeds.iter().for_each(|feed| flags.extend(["--feeds", feed.to_str().unwrap()]));
    let whole = run(&files, &folder.path().join("run"), &flags);
    assert!(whole.articles.len() > 10);
    let (results, whole) = (Results::read(&whole.folder), bytes(&whole.folder));
    let mut left = false;
    let mut flags = vec!["--config", config.to_str().unwrap()];
    flags.extend(more);
    for (turn, &(surveys, shares)) in splits.iter().enumerate() {
        let steps = Steps {
            folder: folder.path().join(format!("{surveys}-{shares}-{turn}")),
            settings: &flags,
            surveys: dealt(inputs, feeds, surveys, turn),
            shares,
            turn,
        };
        let what = format!("{surveys} surveys, {shares} shares; {settings}");
        let (merged, has_left) = steps.run();
        assert_same(&whole, &bytes(&merged), &what);
        left |= has_left;
    }
    (results, left)
}

pub(crate) fn entries(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(in_repository(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// A record in a gzip member; its number gives date and id.
pub(crate) fn record(
    kind: RecordKind,
    url: &str,
    number: usize,
    fields: &[(&str, &str)],
    block: &str,
) -> Vec<u8> {
    let (day, minute, second) = (1 + number / 3600, number / 60 % 60, number % 60);
    let (id, date) =
        (format!("{number:08}"), format!("2024-05-{day:02}T10:{minute:02}:{second:02}Z"));
    let named = (&*id, &*date);
    crawl::record(Wrapping::Gzip, kind, named, url, RESPONSE, fields, block.as_bytes())
}

/// The head of a page.
pub(crate) const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
