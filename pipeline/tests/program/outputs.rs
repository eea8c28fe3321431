//! Every pair of the options of a run that affect its outputs, read back, and every command that
//! reads a run folder on each.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Mutex;

use archive::{Limits, RecordKind, RecordReader};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use serde_json::{Map, Value};

use crate::common::combinations::{
    Combination, Inputs, OPTIONS, Reference, SINKS, Setting, always, call, combinations,
};
use crate::common::program::{parts, sitegrove};
use crate::common::results::{files, parse, text};

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

/// An article as in the outputs: with `markdown` only if it was requested.
fn article(of: &Value, one: &Combination) -> Map<String, Value> {
    let mut fields = of.as_object().unwrap().clone();
    if one.is("emit.markdown", "false") {
        fields.remove("markdown");
    }
    fields
}

/// A row of a Parquet file as JSON, without nulls.
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
            .map(|r| {
                let block = String::from_utf8(r.body.to_vec()).unwrap();
                let shown =
                    if field == "html" { sink::fragment_of(&block).to_owned() } else { block };
                (r.target_uri.clone().unwrap(), shown)
            })
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
            .filter(|a| a.get("duplicate_of").is_none())
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
    // The output of a command that must succeed; or a check that its error says what to do.
    let tell = |arguments: &[&str], wanted: bool, advice: &str| -> String {
        let (code, stdout, stderr) = parts(&sitegrove().args(arguments).output().unwrap());
        assert_eq!(code, if wanted { 0 } else { 2 }, "{arguments:?}: {stdout}{stderr}");
        assert!(wanted || stderr.contains(advice), "{arguments:?}: {stderr}");
        if wanted { stdout } else { String::new() }
    };
    let (kept, asked) = (one.has("jsonl"), "run it again with jsonl in --sinks");
    assert!(tell(&["status", &out], true, "").starts_with("complete: "));
    assert_eq!(parse(&tell(&["status", &out, "--format", "json"], true, ""))["state"], "complete");

    let page = ["inspect", &out, "a.example", "--out", "-"];
    assert_eq!(tell(&page, kept, asked).contains("www.a.example/posts/3"), kept);
    tell(&["inspect", &out, "--all"], kept, asked);
    let sites = Path::new(&out).join("report/sites");
    assert_eq!(sites.join("b.example.html").exists(), kept);
    if kept {
        let all = fs::read_to_string(sites.join("a.example.html")).unwrap();
        assert!(all.contains("www.a.example/posts/3") && all == tell(&page, true, ""));
    }
    tell(&["report", &out], one.has("report"), "run it again with report in --sinks");

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
    let outcome = tell(&test, kept, asked);
    if kept {
        let outcome = parse(&outcome);
        let same = if one.is("--site-configs", "given") { 4 } else { 0 };
        assert!(
            outcome["articles"] == 4 && outcome["same_text"].as_u64() >= Some(same),
            "{outcome}"
        );
    }

    let index = match one.is("emit.index", "") {
        true => out.clone(),
        false => own.join("emit.index").to_str().unwrap().to_owned(),
    };
    let is_duplicate = |article: &&Value| article.get("duplicate_of").is_some();
    let once = reference.articles.len() - reference.articles.iter().filter(is_duplicate).count();
    let found = tell(&["search", &index, "*", "--format", "json"], one.has("index"), "index");
    if one.has("index") {
        assert_eq!(parse(&found)["total"], once);
    }
    let archive = match one.is("emit.archive", "") {
        true => Path::new(&out).join("archive.sqlite"),
        false => own.join("emit.archive"),
    };
    let archive = archive.to_str().unwrap();
    let kept = one.has("sqlite");
    let history = ["history", "a.example/posts/3", "--archive", archive, "--format", "json"];
    let version = tell(&history, kept, archive);
    if kept {
        assert!(text(&parse(&version), "url").ends_with("/posts/3"));
    }
    let changes = tell(&["changes", "--since", "2024-01-01", "--archive", archive], kept, archive);
    assert_eq!(changes.lines().count(), if kept { once } else { 0 });
}

/// Applies a function to each item, on as many threads as there are cores.
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
            assert_eq!(stderr.contains("--markdown: has no effect"), markdown && !has_it);
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
