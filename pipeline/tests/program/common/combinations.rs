//! Runs with all pairs of options, and their common inputs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use serde_json::Value;

use super::crawl::Crawl;
use super::program::{parts, sitegrove};
use super::prose;
use super::results::{files, parse, text};

/// The outputs that can be selected.
pub(crate) const SINKS: [&str; 9] =
    ["jsonl", "csv", "parquet", "bulk", "warc", "sqlite", "index", "siteconfig", "report"];

/// The other options and their values; the first of each is the default.
pub(crate) const OPTIONS: [(&str, &[&str]); 18] = [
    ("emit.markdown", &["false", "true"]),
    ("emit.jsonl", &["plain", "zstd"]),
    ("emit.csv", &["plain", "mark"]),
    ("emit.bulk", &["elasticsearch", "opensearch", "quickwit", "meilisearch"]),
    ("emit.warc", &["html", "text"]),
    ("emit.archive", &["", "elsewhere"]),
    ("emit.index", &["", "elsewhere"]),
    ("rank.engine", &["grove", "forest"]),
    // So little that all pages are on disk.
    ("--memory", &["", "1kB"]),
    ("--spool", &["", "elsewhere"]),
    ("--jobs", &["1", "3"]),
    ("--feeds", &["", "given"]),
    ("--signifiers", &["tfidf", "feeds"]),
    ("--site-configs", &["", "given"]),
    // All but threads, which there are none of.
    ("--page-types", &["", "article,documentation,service,collection,listing,product"]),
    ("--duplicates", &["flag", "drop", "keep"]),
    ("--metrics", &["", "elsewhere"]),
    // Into the folder of a run with another engine and all outputs.
    ("--overwrite", &["", "given"]),
];

/// A run: two outputs, or one, or all; and a value of each option.
#[derive(Clone, Debug)]
pub(crate) struct Combination {
    pub(crate) sinks: Vec<&'static str>,
    pub(crate) values: BTreeMap<&'static str, &'static str>,
}

impl Combination {
    pub(crate) fn has(&self, sink: &str) -> bool {
        self.sinks.contains(&sink)
    }

    pub(crate) fn is(&self, option: &str, value: &str) -> bool {
        self.values[option] == value
    }

    /// The settings it covers, each as a name and a value.
    pub(crate) fn settings(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let sinks = self.sinks.iter().map(|sink| (*sink, "chosen"));
        sinks.chain(self.values.iter().map(|(option, value)| (*option, *value)))
    }

    /// The options that affect the articles.
    pub(crate) const DECISIVE: [&'static str; 6] = [
        "rank.engine", "--feeds", "--signifiers", "--site-configs", "--page-types", "--duplicates",
    ];

    /// The values of the options that affect the articles.
    pub(crate) fn of_results(&self) -> [&'static str; 6] {
        Self::DECISIVE.map(|option| self.values[option])
    }
}

pub(crate) type Setting = (&'static str, &'static str);

/// Every pair of outputs, each output alone, and all of them; with values of the options so that every
/// pair of settings is in one of them.
pub(crate) fn combinations() -> Vec<Combination> {
    let mut all: Vec<Vec<&'static str>> = vec![SINKS.to_vec()];
    for (at, first) in SINKS.iter().enumerate() {
        all.push(vec![first]);
        all.extend(SINKS[at + 1..].iter().map(|second| vec![*first, *second]));
    }
    let mut covered: BTreeSet<(Setting, Setting)> = BTreeSet::new();
    let mut uses: BTreeMap<Setting, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for sinks in all {
        let mut one = Combination { sinks, values: BTreeMap::new() };
        for (option, values) in OPTIONS {
            let gain = |value: &&&'static str| {
                let setting = (option, **value);
                let new = one.settings().filter(|other| !covered.contains(&(*other, setting)));
                (new.count(), std::cmp::Reverse(uses.get(&setting).copied().unwrap_or_default()))
            };
            let best = *values.iter().max_by_key(gain).unwrap();
            let setting = (option, best);
            covered.extend(one.settings().map(|other| (other, setting)));
            *uses.entry(setting).or_default() += 1;
            one.values.insert(option, best);
        }
        found.push(one);
    }
    found
}

/// The common inputs of all runs, and the articles found in each way.
pub(crate) struct Inputs {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) archive: PathBuf,
    pub(crate) feed: PathBuf,
    pub(crate) wrappers: PathBuf,
    #[allow(dead_code, reason = "for the tests of the lab")]
    pub(crate) gold: PathBuf,
    pub(crate) references: Mutex<BTreeMap<[&'static str; 6], &'static OnceLock<Reference>>>,
}

/// Lines of `articles.jsonl`, with `markdown`; and the files that every run writes.
pub(crate) struct Reference {
    pub(crate) articles: Vec<Value>,
    pub(crate) always: BTreeMap<String, Vec<u8>>,
    pub(crate) exported: String,
}

impl Inputs {
    pub(crate) fn make() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut crawl = Crawl::new();
        let address = |n: usize| match n {
            0..6 => format!("https://www.a.example/posts/{n}"),
            _ => format!("https://b.example/notes/{n}"),
        };
        let (mut items, mut gold) = (String::new(), String::new());
        for n in 0..10 {
            let head = "<meta property='article:published_time' content='2024-04-03'>\
                        <meta name=author content='Ann Other'>";
            let page = prose::post_with(n, head, "").replacen("<p>The ", "<p><b>The</b> ", 1);
            crawl.page(&address(n), &page);
            let (title, link) = (prose::title(n), address(n));
            write!(items, "<item><title>{title}</title><link>{link}</link></item>").unwrap();
            let line = serde_json::json!({"url": link, "gold_text": prose::text(n)});
            writeln!(gold, "{line}").unwrap();
        }
        crawl.page("https://www.a.example/amp/posts/2", &prose::post(2));
        crawl.page("https://b.example/nothing", "<p>Nothing</p>");
        let feed = format!("<rss version='2.0'><channel><title>f</title>{items}</channel></rss>");
        fs::write(at("feed.xml"), feed).unwrap();
        fs::write(at("gold.jsonl"), gold).unwrap();
        fs::create_dir(at("hand")).unwrap();
        fs::write(at("hand/b.example.txt"), "body: //div[@class='entry']\nprune: no\n").unwrap();
        let (feed, wrappers, gold) = (at("feed.xml"), at("hand"), at("gold.jsonl"));
        let archive = crawl.write(folder.path(), "crawl.warc.gz");
        Self { archive, feed, wrappers, gold, folder, references: Mutex::default() }
    }

    /// The arguments of a run. Its other folders are beside its run folder.
    pub(crate) fn arguments(&self, one: &Combination, own: &Path) -> Vec<String> {
        let word = |path: &Path| path.to_str().unwrap().to_owned();
        let mut tables: BTreeMap<&str, String> = BTreeMap::new();
        let mut arguments = Vec::new();
        let mut flags = vec!["--sinks".to_owned(), one.sinks.join(",")];
        for (option, value) in &one.values {
            let value = match *value {
                "elsewhere" => word(&own.join(option.trim_start_matches("--"))),
                "given" if *option == "--feeds" => word(&self.feed),
                "given" => word(&self.wrappers),
                value => value.to_owned(),
            };
            match option.split_once('.') {
                None if value.is_empty() => {}
                None if *option == "--overwrite" => flags.push((*option).to_owned()),
                None => flags.extend([(*option).to_owned(), value]),
                Some((table, key)) => {
                    let quoted = if table == "emit" && key == "markdown" { "" } else { "'" };
                    writeln!(tables.entry(table).or_default(), "{key} = {quoted}{value}{quoted}")
                        .unwrap();
                }
            }
        }
        let settings: String =
            tables.iter().map(|(table, lines)| format!("[{table}]\n{lines}\n")).collect();
        fs::write(own.join("settings.toml"), settings).unwrap();
        arguments.extend(["run".to_owned(), word(&own.join("settings.toml")), word(&self.archive)]);
        arguments.extend(flags);
        arguments.extend(["--out".to_owned(), word(&own.join("out"))]);
        arguments
    }

    /// Another run in a folder, with all outputs but the archive, which no run removes.
    pub(crate) fn run_before(&self, out: &Path) {
        let sinks = SINKS.join(",").replace("sqlite,", "");
        let run = ["run", self.archive.to_str().unwrap(), "--engine", "euclid", "--sinks", &sinks];
        for arguments in [&run[..], &["inspect", "--all"]] {
            let mut command = sitegrove();
            command.args(arguments);
            let out = if arguments[0] == "run" {
                command.arg("--out").arg(out)
            } else {
                command.arg(out)
            };
            let (code, _, stderr) = parts(&out.output().unwrap());
            assert_eq!(code, 0, "{stderr}");
        }
    }

    /// The expected articles.
    pub(crate) fn reference(&self, one: &Combination) -> &'static Reference {
        let key = one.of_results();
        let cell = *self
            .references
            .lock()
            .unwrap()
            .entry(key)
            .or_insert_with(|| Box::leak(Box::new(OnceLock::new())));
        cell.get_or_init(|| {
            let own = self.folder.path().join(format!("reference-{}", key.join("-")));
            fs::create_dir(&own).unwrap();
            let mut plain = one.clone();
            plain.sinks = vec!["jsonl"];
            for (option, values) in OPTIONS {
                if !Combination::DECISIVE.contains(&option) {
                    plain.values.insert(option, values[0]);
                }
            }
            plain.values.insert("emit.markdown", "true");
            let (code, _, stderr) = call(&self.arguments(&plain, &own));
            assert_eq!(code, 0, "{stderr}");
            let out = own.join("out");
            let lines = fs::read_to_string(out.join("articles.jsonl")).unwrap();
            let articles: Vec<Value> = lines.lines().map(parse).collect();
            assert!(articles.len() >= 10, "{}", articles.len());
            assert!(articles.iter().all(|article| !text(article, "markdown").is_empty()));
            let (code, exported, stderr) =
                call(&["wrappers", "export", out.to_str().unwrap()].map(str::to_owned));
            assert_eq!(code, 0, "{stderr}");
            Reference { articles, always: always(&out), exported }
        })
    }
}

/// The files that every run writes, except the ledger with its times.
pub(crate) fn always(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = files(out);
    all.retain(|name, _| name.starts_with("wrappers/") || name == "dropped.jsonl");
    all
}

/// Calls the binary. Returns its exit code and both streams.
pub(crate) fn call(arguments: &[String]) -> (i32, String, String) {
    parts(&sitegrove().args(arguments).output().unwrap())
}
