//! Every pair of the options of a run that have to do with its outputs, read back, and every command
//! that reads a run folder on each.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use archive::{Limits, RecordKind, RecordReader};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use serde_json::{Map, Value};

mod common;
use common::crawl::Crawl;
use common::program::{parts, sitegrove};
use common::prose;
use common::results::{files, parse, text};

/// The outputs that can be chosen.
const SINKS: [&str; 9] =
    ["jsonl", "csv", "parquet", "bulk", "warc", "sqlite", "index", "siteconfig", "report"];

/// The other options and their values; the first of each is the default.
const OPTIONS: [(&str, &[&str]); 16] = [
    ("emit.markdown", &["false", "true"]),
    ("emit.jsonl", &["plain", "zstd"]),
    ("emit.csv", &["plain", "mark"]),
    ("emit.bulk", &["elasticsearch", "opensearch", "quickwit", "meilisearch"]),
    ("emit.warc", &["html", "text"]),
    ("emit.archive", &["", "elsewhere"]),
    ("emit.index", &["", "elsewhere"]),
    ("rank.engine", &["grove", "forest"]),
    // So little that all pages wait on disk.
    ("--memory", &["", "1kB"]),
    ("--spool", &["", "elsewhere"]),
    ("--jobs", &["1", "3"]),
    ("--feeds", &["", "given"]),
    ("--signifiers", &["tfidf", "feeds"]),
    ("--wrappers-from", &["", "given"]),
    ("--metrics", &["", "elsewhere"]),
    // Into the folder of a run with another engine and all outputs.
    ("--overwrite", &["", "given"]),
];

/// A run: two outputs, or one, or all; and a value of each option.
#[derive(Clone, Debug)]
struct Combination {
    sinks: Vec<&'static str>,
    values: BTreeMap<&'static str, &'static str>,
}

impl Combination {
    fn has(&self, sink: &str) -> bool {
        self.sinks.contains(&sink)
    }

    fn is(&self, option: &str, value: &str) -> bool {
        self.values[option] == value
    }

    /// What it covers, each as a name and a value.
    fn settings(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let sinks = self.sinks.iter().map(|sink| (*sink, "chosen"));
        sinks.chain(self.values.iter().map(|(option, value)| (*option, *value)))
    }

    /// The options that decide the articles.
    const DECISIVE: [&'static str; 4] =
        ["rank.engine", "--feeds", "--signifiers", "--wrappers-from"];

    /// What decides the articles.
    fn of_results(&self) -> [&'static str; 4] {
        Self::DECISIVE.map(|option| self.values[option])
    }
}

type Setting = (&'static str, &'static str);

/// Every pair of outputs, each output alone, and all of them; with values of the options so that every
/// pair of settings is in one of them.
fn combinations() -> Vec<Combination> {
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

#[test]
fn every_pair_of_settings_is_among_the_combinations() {
    let of_runs: Vec<BTreeSet<Setting>> =
        combinations().iter().map(|one| one.settings().collect()).collect();
    let sinks = SINKS.iter().map(|sink| (*sink, "chosen"));
    let values = OPTIONS.iter().flat_map(|(option, values)| values.iter().map(|v| (*option, *v)));
    let all: Vec<Setting> = sinks.chain(values).collect();
    for (at, a) in all.iter().enumerate() {
        for b in all[at + 1..].iter().filter(|b| b.0 != a.0) {
            assert!(of_runs.iter().any(|run| run.contains(a) && run.contains(b)), "{a:?} {b:?}");
        }
    }
}

/// The inputs that all runs share, and what each way of finding articles makes of them.
struct Inputs {
    folder: tempfile::TempDir,
    archive: PathBuf,
    feed: PathBuf,
    wrappers: PathBuf,
    gold: PathBuf,
    references: Mutex<BTreeMap<[&'static str; 4], &'static OnceLock<Reference>>>,
}

/// Lines of `articles.jsonl`, with `markdown`; and the files that every run writes.
struct Reference {
    articles: Vec<Value>,
    always: BTreeMap<String, Vec<u8>>,
    exported: String,
}

impl Inputs {
    fn make() -> Self {
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

    /// The arguments of a run. Folders of its own lie beside its run folder.
    fn arguments(&self, one: &Combination, own: &Path) -> Vec<String> {
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
    fn run_before(&self, out: &Path) {
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

    /// What the articles must be.
    fn reference(&self, one: &Combination) -> &'static Reference {
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

/// The files that every run writes, but for the ledger with its times.
fn always(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = files(out);
    all.retain(|name, _| name.starts_with("wrappers/") || name == "dropped.jsonl");
    all
}

fn call(arguments: &[String]) -> (i32, String, String) {
    parts(&sitegrove().args(arguments).output().unwrap())
}

/// An article as the outputs have it: with `markdown` only where it was asked for.
fn article(of: &Value, one: &Combination) -> Map<String, Value> {
    let mut fields = of.as_object().unwrap().clone();
    if one.is("emit.markdown", "false") {
        fields.remove("markdown");
    }
    fields
}

/// A row of a Parquet file as JSON, without what is null.
fn row_json(row: &Row) -> Value {
    let cell = |(name, cell): (&String, &Field)| {
        let value = match cell {
            Field::Null => return None,
            Field::Bool(value) => (*value).into(),
            Field::Int(value) => (*value).into(),
            Field::Long(value) | Field::TimestampMicros(value) => (*value).into(),
            Field::Double(value) => (*value).into(),
            Field::Str(value) => value.as_str().into(),
            Field::Group(row) => row_json(row),
            Field::ListInternal(list) => list
                .elements()
                .iter()
                .map(|element| match element {
                    Field::Str(value) => Value::from(value.as_str()),
                    other => panic!("{other:?}"),
                })
                .collect(),
            other => panic!("{other:?}"),
        };
        Some((name.clone(), value))
    };
    Value::Object(row.get_column_iter().filter_map(cell).collect())
}

/// Reads every output of a run back.
fn check_outputs(one: &Combination, own: &Path, reference: &Reference) {
    let out = own.join("out");
    let articles: Vec<Map<String, Value>> =
        reference.articles.iter().map(|of| article(of, one)).collect();
    let there: BTreeSet<String> = files(&out).into_keys().collect();
    let expect = |sink: &str, file: &str, wanted: bool| {
        let found = there.iter().any(|name| name == file || name.starts_with(&format!("{file}/")));
        assert_eq!(found, one.has(sink) && wanted, "{file}: {there:?}");
        found
    };
    let zstd = one.is("emit.jsonl", "zstd");
    let mut lines = Vec::new();
    if expect("jsonl", "articles.jsonl", !zstd) {
        lines = fs::read(out.join("articles.jsonl")).unwrap();
    }
    if expect("jsonl", "articles.jsonl.zst", zstd) {
        lines = zstd::decode_all(File::open(out.join("articles.jsonl.zst")).unwrap()).unwrap();
    }
    if one.has("jsonl") {
        let lines = String::from_utf8(lines).unwrap();
        let found: Vec<Value> = lines.lines().map(parse).collect();
        assert!(
            found.iter().eq(articles.iter().cloned().map(Value::Object).collect::<Vec<_>>().iter())
        );
    }
    if expect("csv", "articles.csv", true) {
        let bytes = fs::read(out.join("articles.csv")).unwrap();
        assert_eq!(bytes.starts_with("\u{feff}".as_bytes()), one.is("emit.csv", "mark"));
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let names = reader.headers().unwrap().clone();
        assert!(names.iter().all(|name| name != "markdown"), "documented so");
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), articles.len());
        for (row, article) in rows.iter().zip(&articles) {
            assert_eq!(&row[0], article["url"]);
            let cell = row.iter().nth(names.iter().position(|name| name == "text").unwrap());
            assert_eq!(cell.unwrap(), article["text"]);
        }
    }
    if expect("parquet", "articles.parquet", true) {
        let file = File::open(out.join("articles.parquet")).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let rows: Vec<Value> =
            reader.get_row_iter(None).unwrap().map(|row| row_json(&row.unwrap())).collect();
        assert_eq!(rows.len(), articles.len());
        for (mut row, article) in rows.into_iter().zip(&articles) {
            let fields = row.as_object_mut().unwrap();
            fields.retain(|name, _| !name.ends_with("_at"));
            let mut expected = article.clone();
            expected.retain(|_, value| !value.is_null());
            assert_eq!(*fields, expected);
        }
    }
    if expect("bulk", "articles.bulk.ndjson", true) {
        let lines = fs::read_to_string(out.join("articles.bulk.ndjson")).unwrap();
        let mut lines = lines.lines().map(parse);
        for article in &articles {
            let mut line = lines.next().unwrap();
            match one.values["emit.bulk"] {
                "elasticsearch" | "opensearch" => {
                    assert_eq!(text(&line["index"], "_id").len(), 32);
                    line = lines.next().unwrap();
                }
                _ => assert!(line.as_object_mut().unwrap().remove("id").is_some()),
            }
            assert_eq!(line.as_object().unwrap(), article);
        }
        assert_eq!(lines.next(), None);
    }
    if expect("warc", "articles.warc.gz", true) {
        let bytes = fs::read(out.join("articles.warc.gz")).unwrap();
        let reader = RecordReader::new(bytes.as_slice(), &Limits::USUAL).with_bodies_of(|_| true);
        let records = reader.map(Result::unwrap).filter(|r| r.kind == RecordKind::Conversion);
        let field = one.values["emit.warc"];
        let found: Vec<(String, String)> = records
            .map(|r| (r.target_uri.clone().unwrap(), String::from_utf8(r.body.to_vec()).unwrap()))
            .collect();
        let expected: Vec<(String, String)> = articles
            .iter()
            .map(|a| [&a["url"], &a[field]].map(|value| value.as_str().unwrap().to_owned()).into())
            .collect();
        assert_eq!(found, expected);
        let index = fs::read_to_string(out.join("articles.cdxj")).unwrap();
        assert_eq!(index.lines().count(), articles.len());
    }
    expect("warc", "articles.cdxj", true);
    let inside = one.is("emit.archive", "");
    expect("sqlite", "archive.sqlite", inside);
    if one.has("sqlite") {
        let path = if inside { out.join("archive.sqlite") } else { own.join("emit.archive") };
        let archive = rusqlite::Connection::open(path).unwrap();
        let mut query = archive.prepare("SELECT url, text, html FROM history").unwrap();
        let rows = query.query_map((), |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?])).unwrap();
        let found: BTreeSet<[String; 3]> = rows.map(Result::unwrap).collect();
        let expected: BTreeSet<[String; 3]> = articles
            .iter()
            .map(|a| ["url", "text", "html"].map(|f| a[f].as_str().unwrap().to_owned()))
            .collect();
        assert_eq!(found, expected);
    }
    expect("index", "index", one.is("emit.index", ""));
    if expect("siteconfig", "site-config", true) {
        assert!(there.contains("site-config/a.example.txt"), "{there:?}");
    }
    if expect("report", "report/index.html", true) {
        let html = fs::read_to_string(out.join("report/index.html")).unwrap();
        assert!(html.contains("a.example") && html.contains("b.example"));
    }
    expect("report", "report/sites.jsonl", true);
    assert!(always(&out) == reference.always, "what every run writes is not the same");
    assert!(there.iter().all(|name| !name.contains(".partial") && !name.contains(".sitegrove")));
    let spool = fs::read_dir(own.join("spool"));
    assert_eq!(spool.map_or(0, Iterator::count), 0, "the spool was left behind");
    assert_eq!(own.join("metrics").is_file(), one.is("--metrics", "elsewhere"));
}

/// Calls every command that reads a run folder.
fn check_commands(one: &Combination, own: &Path, inputs: &Inputs, reference: &Reference) {
    let out = own.join("out").to_str().unwrap().to_owned();
    let archive = inputs.archive.to_str().unwrap();
    let settings = own.join("settings.toml").to_str().unwrap().to_owned();
    // What a command prints if it must succeed; that it says what to do, if it cannot.
    let tell = |arguments: &[&str], wanted: bool, advice: &str| -> String {
        let (code, stdout, stderr) = parts(&sitegrove().args(arguments).output().unwrap());
        assert_eq!(code, if wanted { 0 } else { 2 }, "{arguments:?}: {stdout}{stderr}");
        assert!(wanted || stderr.contains(advice), "{arguments:?}: {stderr}");
        if wanted { stdout } else { String::new() }
    };
    let (kept, asked) = (one.has("jsonl"), "run it again with jsonl among its --sinks");
    assert!(tell(&["status", &out], true, "").starts_with("complete: "));
    assert_eq!(parse(&tell(&["status", &out, "--json"], true, ""))["state"], "complete");

    let page = ["inspect", &out, "a.example", "--config", &settings, "--out", "-"];
    assert_eq!(tell(&page, kept, asked).contains("www.a.example/posts/3"), kept);
    tell(&["inspect", &out, "--all", "--config", &settings], kept, asked);
    let sites = Path::new(&out).join("report/sites");
    assert_eq!(sites.join("b.example.html").exists(), kept);
    if kept {
        let all = fs::read_to_string(sites.join("a.example.html")).unwrap();
        assert!(all.contains("www.a.example/posts/3") && all == tell(&page, true, ""));
    }
    tell(&["report", &out], one.has("report"), "run it again with report among its --sinks");

    assert!(tell(&["wrappers", "list", &out], true, "").contains("a.example"));
    assert!(tell(&["wrappers", "show", &out, "a.example"], true, "").contains("content"));
    let json = tell(&["wrappers", "export", &out, "--format", "json", "a.example"], true, "");
    assert_eq!(text(&parse(&json), "site"), "a.example");
    let files_of_wrappers = kept || one.has("siteconfig");
    let exported = tell(&["wrappers", "export", &out], files_of_wrappers, asked);
    if one.has("siteconfig") {
        let own = fs::read_to_string(Path::new(&out).join("site-config/a.example.txt")).unwrap();
        assert!(exported.contains(&own));
    } else if kept {
        assert_eq!(exported, reference.exported);
    }
    let test = ["wrappers", "test", &out, archive, "--format", "json"];
    tell(&test, files_of_wrappers, asked);
    let hand = inputs.wrappers.to_str().unwrap();
    let test = ["wrappers", "test", hand, archive, "--format", "json", "--run", &out];
    let fared = tell(&test, kept, asked);
    if kept {
        let fared = parse(&fared);
        let same = if one.is("--wrappers-from", "given") { 4 } else { 0 };
        assert!(fared["articles"] == 4 && fared["same_text"].as_u64() >= Some(same), "{fared}");
    }

    let gold = inputs.gold.to_str().unwrap();
    let evaluate = ["evaluate", &out, "--gold", gold, "--format", "json", "--measures", "words"];
    let report = tell(&evaluate, kept, asked);
    if kept {
        let f1 = report.split("\"f1\": ").nth(1);
        assert!(f1.is_some() && !report.contains("\"records\": 0"), "{report}");
    }

    let index = match one.is("emit.index", "") {
        true => out.clone(),
        false => own.join("emit.index").to_str().unwrap().to_owned(),
    };
    let found = tell(&["search", &index, "*", "--json"], one.has("index"), "index");
    if one.has("index") {
        assert_eq!(parse(&found)["total"], reference.articles.len());
    }
    let archive = match one.is("emit.archive", "") {
        true => Path::new(&out).join("archive.sqlite"),
        false => own.join("emit.archive"),
    };
    let archive = archive.to_str().unwrap();
    let kept = one.has("sqlite");
    let history = ["history", "a.example/posts/3", "--archive", archive, "--json"];
    let version = tell(&history, kept, archive);
    if kept {
        assert!(text(&parse(&version), "url").ends_with("/posts/3"));
    }
    let changes = tell(&["changes", "--since", "2024-01-01", "--archive", archive], kept, archive);
    assert_eq!(changes.lines().count(), if kept { reference.articles.len() } else { 0 });
}

/// Does something with each of many, on as many threads as there are cores.
fn on_all_cores<T: Sync>(all: &[T], work: impl Fn(usize, &T) + Sync) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(one) = all.get(at) else { break };
                    work(at, one);
                }
            });
        }
    });
}

#[test]
fn every_pair_of_output_options_is_written_and_read_by_every_command() {
    let inputs = Inputs::make();
    let (all, failed) = (combinations(), Mutex::new(Vec::new()));
    on_all_cores(&all, |number, one| {
        let own = inputs.folder.path().join(number.to_string());
        fs::create_dir(&own).unwrap();
        let arguments = inputs.arguments(one, &own);
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            if one.is("--overwrite", "given") {
                inputs.run_before(&own.join("out"));
            }
            let (code, stdout, stderr) = call(&arguments);
            assert_eq!(code, 0, "{stdout}{stderr}");
            let markdown = one.is("emit.markdown", "true");
            let has_it = ["jsonl", "parquet", "bulk"].iter().any(|sink| one.has(sink));
            assert_eq!(
                stderr.contains("no output of this run holds Markdown"),
                markdown && !has_it
            );
            let reference = inputs.reference(one);
            check_outputs(one, &own, reference);
            check_commands(one, &own, &inputs, reference);
            let again: Vec<String> =
                arguments.iter().filter(|word| *word != "--overwrite").cloned().collect();
            let (code, again, stderr) = call(&again);
            assert!(code == 0 && again.starts_with("Nothing to do"), "{again}{stderr}");
        }));
        if checked.is_err() {
            failed.lock().unwrap().push(arguments.join(" "));
        }
        fs::remove_dir_all(&own).unwrap();
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), all.len(), failed.join("\n"));
}

/// Calls every command that takes the folder of a finished run; each must refuse and say why.
fn every_command_refuses(out: &Path, site: &str, inputs: &Inputs, why: &str) {
    let (out, archive) = (out.to_str().unwrap(), inputs.archive.to_str().unwrap());
    let (gold, hand) = (inputs.gold.to_str().unwrap(), inputs.wrappers.to_str().unwrap());
    for arguments in [
        &["inspect", out, site, "--out", "-"][..],
        &["inspect", out, "--all"],
        &["report", out],
        &["wrappers", "list", out],
        &["wrappers", "show", out, site],
        &["wrappers", "export", out],
        &["wrappers", "export", out, "--format", "json"],
        &["wrappers", "test", out, archive],
        &["wrappers", "test", hand, archive, "--run", out],
        &["evaluate", out, "--gold", gold],
    ] {
        let (code, stdout, stderr) = parts(&sitegrove().args(arguments).output().unwrap());
        assert!(code == 2 && stdout.is_empty(), "{arguments:?}: {stdout}{stderr}");
        assert!(stderr.contains(why), "{arguments:?}: {stderr}");
    }
}

#[cfg(unix)]
#[test]
fn no_command_takes_an_unfinished_run_for_a_finished_one() {
    use common::program::PATH;
    use common::unfinished::{signal, wait_for_a_site};

    let inputs = Inputs::make();
    let mut crawl = Crawl::new();
    for site in 0..400 {
        for n in 0..4 {
            let url = format!("https://site-{site}.example/notes/{n}");
            crawl.page(&url, &prose::post(site * 4 + n));
        }
    }
    let archive = crawl.write(inputs.folder.path(), "large.warc.gz");
    for (number, (sent, more)) in
        [("-INT", ["--memory", "1GiB"]), ("-KILL", ["--memory", "1kB"])].into_iter().enumerate()
    {
        let out = inputs.folder.path().join(format!("unfinished-{number}"));
        let mut child = std::process::Command::new(PATH)
            .args(["run", "--quiet", "--jobs", "1", "--sinks", "all", "--out"])
            .args([&out, &archive])
            .args(more)
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        wait_for_a_site(&mut child, &out);
        signal(&child, sent);
        let _ = child.wait().unwrap();
        assert_eq!(call(&["status".to_owned(), out.to_str().unwrap().to_owned()]).0, 1);
        every_command_refuses(&out, "site-1.example", &inputs, "not finished");
        let search = ["search", out.to_str().unwrap(), "word"].map(str::to_owned);
        assert_eq!(call(&search).0, 2);
    }
}

#[test]
fn folders_that_hold_no_run_are_refused() {
    let inputs = Inputs::make();
    let out = inputs.folder.path().join("empty");
    fs::create_dir(&out).unwrap();
    let (code, _, stderr) = call(&["inspect", out.to_str().unwrap(), "--all"].map(str::to_owned));
    assert!(code == 2 && stderr.contains("holds no finished run"), "{stderr}");
    let gold = inputs.gold.to_str().unwrap();
    let evaluate = ["evaluate", out.to_str().unwrap(), "--gold", gold].map(str::to_owned);
    let (code, _, stderr) = call(&evaluate);
    assert!(code == 2 && stderr.contains("holds no articles"), "{stderr}");
}

#[test]
fn articles_that_could_not_be_written_are_not_taken_from_an_earlier_run() {
    let inputs = Inputs::make();
    let out = inputs.folder.path().join("out");
    inputs.run_before(&out);
    // The file of an earlier run in one form, and something in the way of the other.
    fs::create_dir_all(out.join("articles.jsonl.zst/in-the-way")).unwrap();
    let settings = inputs.folder.path().join("zstd.toml");
    fs::write(&settings, "[emit]\njsonl = 'zstd'\n").unwrap();
    let (settings, archive) = (settings.to_str().unwrap(), inputs.archive.to_str().unwrap());
    let run = ["run", settings, archive, "--overwrite", "--out", out.to_str().unwrap()];
    let (code, _, stderr) = call(&run.map(str::to_owned));
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("the output jsonl could not be written"), "{stderr}");
    let (out, gold) = (out.to_str().unwrap(), inputs.gold.to_str().unwrap());
    for arguments in [
        &["inspect", out, "a.example", "--out", "-"][..],
        &["inspect", out, "--all"],
        &["wrappers", "export", out],
        &["wrappers", "test", inputs.wrappers.to_str().unwrap(), archive, "--run", out],
        &["evaluate", out, "--gold", gold],
    ] {
        let (code, _, stderr) = parts(&sitegrove().args(arguments).output().unwrap());
        assert!(code == 2 && stderr.contains("could not write its articles"), "{stderr}");
    }
}

#[test]
fn a_failed_output_leaves_no_file_of_an_earlier_run() {
    let inputs = Inputs::make();
    let out = inputs.folder.path().join("out");
    inputs.run_before(&out);
    // The index cannot be put in place: both files of `warc` must go, not one of them.
    fs::remove_file(out.join("articles.cdxj")).unwrap();
    fs::create_dir_all(out.join("articles.cdxj/in-the-way")).unwrap();
    let archive = inputs.archive.to_str().unwrap();
    let run =
        ["run", archive, "--overwrite", "--sinks", "jsonl,warc", "--out", out.to_str().unwrap()];
    let (code, _, stderr) = call(&run.map(str::to_owned));
    assert!(code == 1 && stderr.contains("the output warc could not be written"), "{stderr}");
    assert!(!out.join("articles.warc.gz").exists());
}
