//! Tables as inputs: lists of records, and pages.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::arrow::ArrowWriter;
use serde::Serialize;
use serde_arrow::schema::{SchemaLike, TracingOptions};
use serde_json::{Value, json};

use crate::cdx::{NOTES, archive, url};
use crate::common::crawl::gzip;
use crate::common::program::{call, parts, refuse, run, succeed, word, write_file};
use crate::common::prose;
use crate::common::results::parse;

#[derive(Serialize)]
struct IndexRow {
    url: String,
    warc_filename: String,
    warc_record_offset: i32,
    warc_record_length: i32,
    crawl: &'static str,
}

fn index_rows(places: &[(u64, u64)], notes: &[usize]) -> Vec<IndexRow> {
    let row = |&n: &usize| IndexRow {
        url: url(n),
        warc_filename: "crawl-data/notes.warc.gz".to_owned(),
        warc_record_offset: places[n].0 as i32,
        warc_record_length: places[n].1 as i32,
        crawl: "NOTES-2024-18",
    };
    notes.iter().map(row).collect()
}

#[derive(Serialize)]
pub(crate) struct PageRow {
    url: String,
    html: Option<String>,
    fetched: Option<String>,
    note: u32,
}

pub(crate) fn page_row(n: usize, html: &str) -> PageRow {
    PageRow {
        url: url(n),
        html: Some(html.to_owned()),
        fetched: Some(format!("2024-05-01T00:00:0{n}Z")),
        note: 7,
    }
}

fn page_rows() -> Vec<PageRow> {
    (0..NOTES).map(|n| page_row(n, &prose::post(n))).collect()
}

pub(crate) fn write_parquet(path: &Path, rows: &[impl Serialize]) {
    let options =
        TracingOptions::default().allow_null_fields(true).string_dictionary_encoding(true);
    let fields = Vec::<arrow_schema::FieldRef>::from_samples(rows, options).unwrap();
    let batch = serde_arrow::to_record_batch(&fields, &rows).unwrap();
    let file = fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, Arc::clone(&batch.schema()), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn json_lines(rows: &[impl Serialize]) -> String {
    rows.iter().map(|row| serde_json::to_string(row).unwrap() + "\n").collect()
}

fn csv_lines(rows: &[impl Serialize]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.iter().for_each(|row| writer.serialize(row).unwrap());
    writer.into_inner().unwrap()
}

/// The same rows as a file of each form.
fn tables(folder: &Path, name: &str, rows: &[impl Serialize]) -> Vec<PathBuf> {
    let at = |end: &str| folder.join(format!("{name}.{end}"));
    write_parquet(&at("parquet"), rows);
    fs::write(at("jsonl"), json_lines(rows)).unwrap();
    fs::write(at("ndjson.gz"), gzip(json_lines(rows).as_bytes())).unwrap();
    fs::write(at("csv"), csv_lines(rows)).unwrap();
    fs::write(at("csv.zst"), zstd::encode_all(&csv_lines(rows)[..], 3).unwrap()).unwrap();
    ["parquet", "jsonl", "ndjson.gz", "csv", "csv.zst"].map(at).into()
}

fn drops(out: &Path) -> Vec<Value> {
    let lines = fs::read_to_string(out.join("dropped.jsonl")).unwrap();
    lines.lines().map(parse).collect()
}

#[test]
fn the_records_that_a_table_lists_are_read_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let base = root.join("mirror");
    let places = archive(&base.join("crawl-data"));
    let whole = run(&[&base.join("crawl-data/notes.warc.gz")], &root.join("whole"), &[]);
    let rows = index_rows(&places, &[4, 1, 3, 1]);
    let mut expected = None;
    for table in tables(root, "rows", &rows) {
        let out = root.join("out");
        let base = base.to_str().unwrap();
        let results = run(&[&table], &out, &["--overwrite", "--input-base", base]);
        let mut urls: Vec<_> = results.articles.iter().map(|own| own["url"].clone()).collect();
        urls.sort_by_key(Value::to_string);
        assert_eq!(urls, [url(1), url(3), url(4)], "{}", table.display());
        for article in &results.articles {
            let url = article["url"].as_str().unwrap();
            assert_eq!(article["origin"], whole.article(url)["origin"]);
        }
        let input = &results.ledger["inputs"][0];
        let needed: u64 = [1, 3, 4].iter().map(|&n: &usize| places[n].1).sum();
        assert_eq!(input["bytes"], needed);
        let bytes = fs::read(out.join("articles.jsonl")).unwrap();
        assert_eq!(*expected.get_or_insert(bytes.clone()), bytes, "{}", table.display());
        // The same table again is the same run.
        let arguments = ["run", table.to_str().unwrap(), "--input-base", base, "--out"];
        let again = [&arguments[..], &[out.to_str().unwrap()]].concat();
        assert_eq!(parts(&call(&again)).0, 0);
    }
    let extracted = parts(&call(&[
        "extract",
        root.join("rows.csv").to_str().unwrap(),
        "--input-base",
        base.to_str().unwrap(),
        "--format",
        "json",
    ]));
    assert!(extracted.0 == 0 && extracted.1.contains(&url(3)), "{extracted:?}");
}

#[test]
fn rows_that_list_nothing_cost_only_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let places = archive(&root.join("crawl-data"));
    let end = places[NOTES - 1].0 + places[NOTES - 1].1;
    let name = "crawl-data/notes.warc.gz";
    let row = |offset: Value, length: Value| json!({ "filename": name, "offset": offset, "length": length });
    let place = |n: usize| (json!(places[n].0.to_string()), json!(places[n].1.to_string()));
    let lines: Vec<String> = [
        row(place(0).0, place(0).1),
        row(json!(null), json!(5)),
        row(json!(end + 100), json!(50)),
        json!({ "filename": "crawl-data/gone.warc.gz", "offset": 0, "length": 9 }),
        row(place(5).0, place(5).1),
    ]
    .iter()
    .map(ToString::to_string)
    .chain(["no JSON".to_owned()])
    .collect();
    let table = write_file(root, "rows.jsonl", lines.join("\n"));
    let out = root.join("out");
    let arguments = ["run", table.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let (code, _, stderr) = parts(&call(&arguments));
    assert_eq!(code, 1, "{stderr}");
    for part in ["2 of its rows list no record: row 2", "gone.warc.gz", "ends before this record"] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
    let articles = fs::read_to_string(out.join("articles.jsonl")).unwrap();
    assert!(
        articles.lines().count() == 2 && articles.contains(&url(0)) && articles.contains(&url(5))
    );
    let lost: Vec<Value> =
        drops(&out).into_iter().filter(|drop| drop["reason"] == "unreadable-record").collect();
    assert!(lost.len() == 1 && lost[0]["origin"]["offset"] == end + 100, "{lost:?}");
}

#[test]
fn pages_of_a_table_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    archive(root);
    let whole = run(&[&root.join("notes.warc.gz")], &root.join("whole"), &[]);
    let rows = page_rows();
    let mut expected = None;
    for table in tables(root, "pages", &rows) {
        let out = root.join("out");
        let results = run(&[&table], &out, &["--overwrite"]);
        assert_eq!(results.articles.len(), NOTES, "{}", table.display());
        for article in &results.articles {
            let other = whole.article(article["url"].as_str().unwrap());
            for field in ["title", "text", "html", "fetched", "template", "confidence"] {
                assert_eq!(article[field], other[field], "{field}");
            }
            assert_eq!(article["origin"]["file"], table.to_str().unwrap());
        }
        let without_origin = |article: &Value| json!({ "a": article, "origin": null, "b": article["origin"]["offset"] });
        let mut own: Vec<Value> = results.articles.iter().map(without_origin).collect();
        own.iter_mut().for_each(|own| own["a"]["origin"] = Value::Null);
        assert_eq!(*expected.get_or_insert(own.clone()), own, "{}", table.display());
        // What was learnt can be looked at: the pages are found again.
        let page = root.join("page.html");
        let inspect = [
            "inspect",
            out.to_str().unwrap(),
            "notes.example",
            "--pages",
            "9",
            "--out",
            page.to_str().unwrap(),
        ];
        let (code, _, stderr) = parts(&call(&inspect));
        assert!(code == 0 && !stderr.contains("cannot"), "{stderr}");
        assert!(fs::read_to_string(&page).unwrap().contains(&url(2)));
    }
    let (code, stdout, _) = parts(&call(&[
        "extract",
        root.join("pages.parquet").to_str().unwrap(),
        "--format",
        "json",
    ]));
    assert!(code == 0 && stdout.contains(&url(5)));
}

#[test]
fn rows_without_a_page_are_drops() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let table = root.join("pages.jsonl");
    let post = prose::post(1);
    let lines = [
        json!({ "url": url(1), "html": post, "fetched": 1_714_521_600 }),
        json!({ "url": "no address", "html": post }),
        json!({ "html": post }),
        json!({ "url": url(4), "html": null }),
        json!({ "url": url(5), "html": ["a"] }),
        json!({ "url": url(6), "html": "%PDF-1.7", "content_type": "application/pdf" }),
        json!(["not", "an", "object"]),
    ];
    let mut text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    text.push_str("{\"url\": \"cut\n");
    fs::write(&table, text).unwrap();
    let out = root.join("out");
    let results = run(&[&table], &out, &[]);
    assert_eq!(results.articles.len(), 1);
    assert_eq!(results.articles[0]["fetched"], "2024-05-01T00:00:00Z");
    let found: Vec<_> = drops(&out)
        .iter()
        .map(|drop| {
            (
                drop["origin"]["offset"].as_u64().unwrap(),
                drop["reason"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    let expected = [
        (1, "bad-url"),
        (2, "bad-url"),
        (3, "empty-payload"),
        (4, "empty-payload"),
        (5, "content-type"),
        (6, "bad-record"),
        (7, "bad-record"),
    ];
    let mut found = found;
    found.sort();
    assert_eq!(found, expected.map(|(row, reason)| (row, reason.to_owned())));
}

#[test]
fn tables_that_cannot_be_used_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = write_file(folder.path(), name, bytes);
        path.to_str().unwrap().to_owned()
    };
    let out = folder.path().join("out");
    let out = out.to_str().unwrap();
    let lacking = write("sizes.csv", b"url,bytes\nhttps://a.example/,5\n");
    let said = refuse(&["run", &lacking, "--out", out]);
    for part in [
        "sizes.csv has the columns url, bytes",
        "lacks warc_filename, warc_record_offset, warc_record_length",
        "as a table of pages html",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let damaged = write("pages.parquet", b"PAR1 and nothing else");
    assert!(refuse(&["run", &damaged, "--out", out]).contains("cannot read the table"));
    let empty = write("pages.jsonl", b"");
    assert!(refuse(&["run", &empty, "--out", out]).contains("it has no row"));
    let nowhere =
        write("rows.csv", b"warc_filename,warc_record_offset,warc_record_length\na.warc.gz,0,9\n");
    assert!(
        refuse(&["run", &nowhere, "--out", out]).contains("names a.warc.gz, which is not there")
    );
    let open = write(
        "open.csv",
        &[&b"url,html\n\"https://a.example/"[..], &vec![b'x'; 70 << 20]].concat(),
    );
    let said = parts(&call(&["run", &open, "--out", out]));
    assert!(said.2.contains("is a quotation mark missing?"), "{said:?}");
}

#[test]
fn columns_are_kept_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let places = archive(&root.join("crawl-data"));
    let extra = |results: &crate::common::results::Results, n: usize| {
        results.article(&url(n)).get("extra").cloned().unwrap_or_default()
    };
    let listed = |keys: &[(&str, &str)]| -> Value {
        keys.iter().map(|(key, value)| json!({ "key": key, "value": value })).collect()
    };
    for table in tables(root, "rows", &index_rows(&places, &[0, 3])) {
        let more = ["--overwrite", "--extra", "crawl,nothing,url_surtkey"];
        let results = run(&[&table], &root.join("out"), &more);
        let key = "example,notes)/on-bridges-3";
        assert_eq!(extra(&results, 3), listed(&[("crawl", "NOTES-2024-18"), ("url_surtkey", key)]));
    }
    write_parquet(&root.join("pages.parquet"), &page_rows());
    let results = run(&[&root.join("pages.parquet")], &root.join("pages"), &["--extra", "note"]);
    assert_eq!(extra(&results, 2), listed(&[("note", "7")]));
    // Without a table, what the address and the path of the archive say.
    let archives = root.join("crawl-data/CC-MAIN-2024-18/segments");
    archive(&archives);
    let archive = archives.join("notes.warc.gz");
    let results = run(&[&archive], &root.join("archive"), &["--extra", "crawl"]);
    assert_eq!(extra(&results, 1), listed(&[("crawl", "CC-MAIN-2024-18")]));
    let results = run(&[&archive], &root.join("plain"), &[]);
    assert_eq!(extra(&results, 1), Value::Null);
}

#[test]
fn indexes_may_share_archives() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let places = archive(&root.join("crawl-data"));
    let table = |name: &str, notes: &[usize]| {
        write_file(root, name, json_lines(&index_rows(&places, notes)))
    };
    let (one, other) = (table("one.jsonl", &[0, 2, 3]), table("other.jsonl", &[3, 5]));
    let results = run(&[&one, &other], &root.join("both"), &[]);
    let inputs = results.ledger["inputs"].as_array().unwrap();
    assert!(results.articles.len() == 4 && inputs.len() == 1);
    assert_eq!(inputs[0]["listed"]["indexes"], json!([one, other]));
    // In steps, each index is surveyed alone.
    let survey = |input: &Path, out: &str| {
        let out = root.join(out);
        let arguments = ["survey", input.to_str().unwrap(), "--out", out.to_str().unwrap()];
        assert_eq!(parts(&call(&arguments)).0, 0);
        out
    };
    let surveys = [survey(&one, "s0.parquet"), survey(&other, "s1.parquet")];
    let learnt = root.join("l.parquet");
    let [s0, s1] = surveys.each_ref().map(|path| path.to_str().unwrap());
    succeed(&["learn", s0, s1, "--out", learnt.to_str().unwrap()]);
    // What is read as a whole needs no index.
    let whole = root.join("crawl-data/notes.warc.gz");
    let results = run(&[&one, &whole], &root.join("whole"), &[]);
    assert_eq!(results.articles.len(), NOTES);
}

/// Tables are files of others: whatever bytes they have, a run ends with an answer.
#[test]
fn damaged_tables_lose_no_more_than_what_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let path = root.join("pages.parquet");
    write_parquet(&path, &page_rows());
    let whole = fs::read(&path).unwrap();
    for step in 0..40 {
        let mut bytes = whole.clone();
        let at = step * bytes.len() / 40;
        bytes[at] ^= 0x55;
        if step % 4 == 0 {
            bytes.truncate(at);
        }
        fs::write(&path, &bytes).unwrap();
        let out = root.join(format!("out-{step}"));
        let (code, _, stderr) =
            parts(&call(&["run", path.to_str().unwrap(), "--out", out.to_str().unwrap()]));
        assert!((0..=2).contains(&code), "{step}: {stderr}");
        assert!(!stderr.contains("please report"), "{step}: {stderr}");
    }
}

#[test]
fn lengths_that_are_too_small_are_the_fault_of_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let places = archive(&root.join("crawl-data"));
    let short: Vec<(u64, u64)> = places.iter().map(|(at, length)| (*at, length - 30)).collect();
    let table = write_file(root, "rows.csv", csv_lines(&index_rows(&short, &[0, 1, 2])));
    let out = root.join("out");
    let (code, _, stderr) = parts(&call(&["run", word(&table), "-o", word(&out)]));
    assert_eq!(code, 1, "{stderr}");
    let told = format!("longer than the {} bytes that {} gives", short[0].1, table.display());
    assert!(stderr.contains(&told) && !stderr.contains("fetch the archive"), "{stderr}");
    let articles = fs::read_to_string(out.join("articles.jsonl")).unwrap().lines().count();
    assert_eq!(articles + drops(&out).len(), 3, "each record is counted once");
}

#[test]
fn a_table_that_ends_within_a_row_is_cut_short() {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<PageRow> =
        page_rows().into_iter().map(|row| PageRow { note: 7, ..row }).collect();
    let (json, csv) = (json_lines(&rows).into_bytes(), csv_lines(&rows));
    let within = |whole: &[u8]| whole[..whole.len() - 200].to_vec();
    // Without a line break, the last row is whole.
    let trimmed = |whole: &[u8]| whole.trim_ascii_end().to_vec();
    for (name, bytes, is_cut) in [
        ("a.jsonl", within(&json), true),
        ("b.jsonl", trimmed(&json), false),
        ("a.csv", within(&csv), true),
        ("b.csv", trimmed(&csv), false),
    ] {
        let table = write_file(folder.path(), name, bytes);
        let out = folder.path().join(format!("out-{name}"));
        let (code, _, stderr) = parts(&call(&["run", word(&table), "-o", word(&out)]));
        let told = format!("it is cut short in row {NOTES}");
        assert_eq!((code == 1, stderr.contains(&told)), (is_cut, is_cut), "{name}: {stderr}");
        let articles = fs::read_to_string(out.join("articles.jsonl")).unwrap().lines().count();
        assert_eq!(articles, NOTES - usize::from(is_cut), "{name}");
    }
    let empty = write_file(folder.path(), "empty.csv", "");
    assert!(refuse(&["run", word(&empty)]).contains("is empty"));
}
