//! Consecutive nights over a site, with a store of models.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::crawl::Crawl;
use super::program::{call, parts};
use super::prose;
use super::results::{Results, parse, text};

/// A folder with a store, and consecutive nights.
pub(crate) struct Nights {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) count: usize,
}

/// The results of a night.
pub(crate) struct Night {
    pub(crate) code: i32,
    pub(crate) told: String,
    pub(crate) results: Results,
    pub(crate) health: BTreeMap<String, Value>,
}

pub(crate) const DAYS: [&str; 12] = [
    "2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05", "2026-03-06",
    "2026-03-07", "2026-03-08", "2026-03-09", "2026-03-10", "2026-03-11", "2026-03-12",
];

/// Writes an archive of pages of a day into a folder.
pub(crate) fn crawl_of(folder: &Path, day: &'static str, pages: &[(String, String)]) -> PathBuf {
    Crawl::of_pages(day, pages).write(folder, &format!("{day}.warc.gz"))
}

impl Nights {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), count: 0 }
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.folder.path().join("models.sqlite")
    }

    /// Crawls pages of the next day, or of a later one.
    pub(crate) fn crawl(&mut self, day: &'static str, pages: &[(String, String)]) -> PathBuf {
        self.count += 1;
        let name = format!("night-{}.warc.gz", self.count);
        Crawl::of_pages(day, pages).write(self.folder.path(), &name)
    }

    /// Runs over an archive.
    pub(crate) fn run(&self, archive: &Path, out: &str, more: &[&str]) -> Night {
        let out = self.folder.path().join(out);
        let store = self.store();
        let fixed = ["run", archive.to_str().unwrap(), "--out", out.to_str().unwrap()];
        let models = ["--models", store.to_str().unwrap()];
        let (code, told, errors) = parts(&call(&[&fixed[..], &models, more].concat()));
        assert!(code < 2, "{told}\n{errors}");
        let lines = fs::read_to_string(out.join("health.jsonl")).unwrap();
        let site = |line| {
            let line: Value = parse(line);
            (text(&line, "site").to_owned(), line)
        };
        let health = lines.lines().map(site).collect();
        Night { code, told, results: Results::read(&out), health }
    }

    /// Crawls and runs.
    pub(crate) fn night(&mut self, pages: &[(String, String)]) -> Night {
        let archive = self.crawl(DAYS[self.count], pages);
        self.run(&archive, &format!("out-{}", self.count), &[])
    }
}

impl Night {
    pub(crate) fn of(&self, site: &str, field: &str) -> String {
        match &self.health[site][field] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }

    pub(crate) fn decision(&self) -> String {
        self.of("posts.example", "decision")
    }

    pub(crate) fn verdict(&self) -> String {
        self.of("posts.example", "health")
    }

    /// Asserts the text of a post, which may be preceded by its title.
    pub(crate) fn has_text_of(&self, n: usize) {
        let found = text(self.results.article(&url(n)), "text");
        let rest = found.strip_suffix(&*prose::text(n));
        let fits = rest.is_some_and(|rest| rest.is_empty() || rest.trim() == prose::title(n));
        assert!(fits, "{n}: {found}\n{:?}", self.health);
    }
}

pub(crate) fn url(n: usize) -> String {
    format!("https://posts.example/notes/{n:03}")
}

pub(crate) fn posts(of: impl Iterator<Item = usize>) -> Vec<(String, String)> {
    of.map(|n| (url(n), prose::post(n))).collect()
}
