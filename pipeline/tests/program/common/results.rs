//! Reads a run folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

/// The results of a run.
pub(crate) struct Results {
    pub(crate) folder: PathBuf,
    pub(crate) articles: Vec<Value>,
    pub(crate) dropped: Vec<Value>,
    pub(crate) ledger: Value,
    /// What deletes the folder with these results.
    pub(crate) _temporary: Option<TempDir>,
}

impl Results {
    /// Reads a run folder; every line must be JSON. Without `articles.jsonl`, no articles.
    pub(crate) fn read(folder: &Path) -> Self {
        let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let lines = |name: &str| text(name).lines().map(parse).collect();
        let jsonl = folder.join("articles.jsonl").exists();
        Self {
            folder: folder.to_owned(),
            articles: if jsonl { lines("articles.jsonl") } else { Vec::new() },
            dropped: lines("dropped.jsonl"),
            ledger: parse(&text("ledger.json")),
            _temporary: None,
        }
    }

    /// The article of a URL.
    pub(crate) fn article(&self, url: &str) -> &Value {
        let of_url: Vec<&Value> = self.articles.iter().filter(|a| a["url"] == url).collect();
        let [article] = of_url[..] else {
            let drops: Vec<_> = self.dropped.iter().filter(|d| d["url"] == url).collect();
            panic!("{} articles of {url}; dropped: {drops:?}", of_url.len())
        };
        article
    }

    /// The drops of this reason.
    pub(crate) fn drops(&self, reason: &str) -> Vec<&Value> {
        self.dropped.iter().filter(|d| d["reason"] == reason).collect()
    }

    /// Lines of `dropped.jsonl` by reason.
    pub(crate) fn drops_by_reason(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for drop in &self.dropped {
            *counts.entry(text(drop, "reason").to_owned()).or_default() += 1;
        }
        counts
    }

    /// The URLs of the articles.
    pub(crate) fn urls(&self) -> BTreeSet<&str> {
        self.articles.iter().map(|a| text(a, "url")).collect()
    }

    /// What another run with the same results has, too: the files without those that contain times, and the counts.
    pub(crate) fn outcome(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = files(&self.folder);
        assert!(files.remove("ledger.json").is_some());
        files.remove("report/index.html");
        for part in ["counts", "drops"] {
            files.insert(format!("{part} of the ledger"), self.ledger[part].to_string().into());
        }
        files
    }

    /// A count of the ledger.
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.ledger["counts"][name].as_u64().unwrap()
    }
}

/// A field that must be text.
pub(crate) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_else(|| panic!("no text `{field}` in {value}"))
}

/// The lines of `report/sites.jsonl`.
pub(crate) fn figures(folder: &Path) -> Vec<Value> {
    let lines = fs::read_to_string(folder.join("report/sites.jsonl")).unwrap();
    lines.lines().map(parse).collect()
}

/// Parses JSON; must succeed.
pub(crate) fn parse(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_else(|e| panic!("{e}: {json}"))
}

/// Asserts that two folders have the same files; says where one differs.
pub(crate) fn assert_same(
    a: &BTreeMap<String, Vec<u8>>,
    b: &BTreeMap<String, Vec<u8>>,
    what: &str,
) {
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>(), "{what}");
    for (name, bytes) in a {
        if *bytes == b[name] {
            continue;
        }
        let lines = |bytes: &[u8]| -> Vec<String> {
            String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
        };
        let (one, other) = (lines(bytes), lines(&b[name]));
        let at = one.iter().zip(&other).position(|(a, b)| a != b);
        let shown = |lines: &[String]| at.and_then(|at| lines.get(at)).cloned();
        panic!("{what}: {name} differs at {at:?}:\n{:?}\n{:?}", shown(&one), shown(&other));
    }
}

/// Every file in a folder, by its path in it, with its bytes.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    collect(folder, folder, &mut found);
    found
}

fn collect(folder: &Path, root: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, root, found);
        } else {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            found.insert(name, fs::read(&path).unwrap());
        }
    }
}
