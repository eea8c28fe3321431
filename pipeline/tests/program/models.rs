//! `sitegrove models`, the file described in docs/NIGHTLY.md, and two runs on one store.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::common::crawl::Crawl;
use crate::common::program::{call, in_repository, parts, word};
use crate::common::prose;
use crate::common::results::parse;
use crate::common::rows::column;
use crate::common::unfinished::run_command;

const SITE: &str = "posts.example";

/// A store after two nights, the second with pages of a new layout.
fn store(folder: &Path) -> PathBuf {
    let store = folder.join("models.sqlite");
    for (night, day) in ["2026-03-01", "2026-03-02"].into_iter().enumerate() {
        let archive = archive(folder, day, night);
        let out = folder.join(format!("out-{night}"));
        let (code, _, errors) = run(&archive, &out, &store);
        assert_eq!(code, 0, "{errors}");
    }
    store
}

fn archive(folder: &Path, day: &'static str, night: usize) -> PathBuf {
    let mut crawl = Crawl::of_day(day);
    crawl.posts(&format!("https://{SITE}/notes/"), 10 * night..10 * night + 9);
    for n in 0..4 * night {
        let text: String = prose::paragraphs(n).iter().map(|p| format!("<dd>{p}</dd>")).collect();
        let html = format!("<table><tr><td class=m>menu<td><dl id=e>{text}</dl></table>");
        crawl.page(&format!("https://{SITE}/tables/{n}"), &html);
    }
    crawl.write(folder, &format!("{night}.warc.gz"))
}

fn run(archive: &Path, out: &Path, store: &Path) -> (i32, String, String) {
    let [archive, out, store] = [archive, out, store].map(|path| path.to_str().unwrap());
    parts(&call(&["run", archive, "--out", out, "--models", store]))
}

/// `sitegrove models` with these arguments.
fn models(arguments: &[&str]) -> (i32, String, String) {
    parts(&call(&[&["models"], arguments].concat()))
}

#[test]
fn a_store_is_listed_shown_compared_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let store = store.to_str().unwrap();
    let (code, listed, _) = models(&["list", store]);
    assert!(code == 0 && listed.contains(SITE) && listed.contains("2 revisions"), "{listed}");
    let (_, listed, _) = models(&["list", store, "--format", "json"]);
    assert_eq!(
        (&parse(&listed)["revision"], &parse(&listed)["last_seen"]),
        (&2.into(), &"2026-03-02".into())
    );

    let (_, shown, _) = models(&["show", store, SITE, "--revision", "1"]);
    assert!(shown.contains("revision 1 of 2026-03-01, no model"), "{shown}");
    assert!(shown.contains("content  //"), "{shown}");
    let (_, shown, _) = models(&["show", store, SITE, "--format", "json"]);
    assert_eq!(parse(&shown)["templates"].as_array().unwrap().len(), 2);

    let (_, history, _) = models(&["history", store, SITE]);
    for part in ["pages of new layouts", "learn-fresh: no model", "add-templates"] {
        assert!(history.contains(part), "{history}");
    }
    let (_, history, _) = models(&["history", store, SITE, "--format", "json"]);
    assert_eq!(parse(&history)["nights"][1]["decision"], "add-templates");

    let (code, diff, _) = models(&["diff", store, SITE]);
    assert!(code == 1 && diff.contains("added (0 → 4 pages)"), "{diff}");
    let (code, diff, _) = models(&["diff", store, SITE, "--from", "2", "--to", "2"]);
    assert!(code == 0 && diff.contains("compared with itself"), "{diff}");

    let (code, checked, _) = models(&["check", store]);
    assert!(code == 0 && checked.contains("2 models") && checked.contains("0 faults"), "{checked}");
    let (code, _, errors) = models(&["show", store, "other.example"]);
    assert!(code == 2 && errors.contains("there is no model of other.example"), "{errors}");
    let (code, _, errors) = models(&["list", "none.sqlite"]);
    assert!(code == 2 && errors.contains("no model store at none.sqlite"), "{errors}");

    Connection::open(store)
        .unwrap()
        .execute_batch("UPDATE models SET blob = x'00' WHERE revision = 1")
        .unwrap();
    let (code, checked, _) = models(&["check", store]);
    assert!(code == 1 && checked.contains("1 faults") && checked.contains(SITE), "{checked}");
}

#[test]
fn models_are_moved_and_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let store = store.to_str().unwrap();
    let file = folder.path().join("tables/models.parquet");
    let table = file.to_str().unwrap();
    let export = |more: &[&str]| models(&[&["export", store, "--out", table], more].concat());
    let (code, _, errors) = export(&["other.example"]);
    assert!(code == 2 && errors.contains("has no site other.example"), "{errors}");
    let (code, said, errors) = export(&["--since", "2026-03-02"]);
    assert!(code == 0 && said.starts_with("1 revision "), "{said}{errors}");
    let (code, said, errors) = export(&[SITE]);
    assert!(code == 0 && said.starts_with("2 revisions"), "{said}{errors}");

    let other = folder.path().join("other.sqlite");
    let other = other.to_str().unwrap();
    let (code, said, errors) = models(&["import", other, table]);
    assert!(code == 0 && said == "2 revisions added, 0 known already\n", "{said}{errors}");
    let (code, said, errors) = models(&["import", other, table]);
    assert!(code == 0 && said == "0 revisions added, 2 known already\n", "{said}{errors}");
    let blobs = |store: &str| -> Vec<Vec<u8>> {
        column(store, "SELECT blob FROM models ORDER BY site, revision")
    };
    assert_eq!(blobs(other), blobs(store), "the same bytes");
    let content = |store: &str| {
        let (_, shown, _) = models(&["show", store, SITE, "--revision", "1", "--format", "json"]);
        parse(&shown)["templates"].clone()
    };
    assert_eq!(content(other), content(store));
    // A night continues from an imported model.
    let archive = archive(folder.path(), "2026-03-03", 0);
    let out = folder.path().join("out-other");
    assert_eq!(run(&archive, &out, Path::new(other)).0, 0);
    let health = parse(&fs::read_to_string(out.join("health.jsonl")).unwrap());
    assert_eq!(health["decision"], "keep", "{health}");

    let whole = fs::read(&file).unwrap();
    for damaged in [&b"something else"[..], &whole[..whole.len() / 2], b""] {
        fs::write(&file, damaged).unwrap();
        let (code, _, errors) = models(&["import", other, table]);
        assert!(code == 2 && errors.contains("is not a table of models"), "{errors}");
    }
    Connection::open(other)
        .unwrap()
        .execute_batch("UPDATE models SET blob = x'00' WHERE revision = 1")
        .unwrap();
    fs::write(&file, whole).unwrap();
    let (code, _, errors) = models(&["import", other, table]);
    assert!(code == 2 && errors.contains("has another revision 1 of posts.example"), "{errors}");
    let (code, said, _) = models(&["forget", other, SITE]);
    assert!(code == 0 && said.contains("forgotten"), "{said}");
    let (code, _, errors) = models(&["forget", other, SITE]);
    assert!(code == 2 && errors.contains("is not in this model store"), "{errors}");
}

#[test]
fn the_file_is_what_the_documents_say() {
    let folder = tempfile::tempdir().unwrap();
    let db = Connection::open(store(folder.path())).unwrap();
    let text = fs::read_to_string(in_repository("docs/NIGHTLY.md")).unwrap();
    let queries: Vec<&str> = text.split("```sql\n").skip(1).collect();
    assert!(queries.len() >= 3);
    for query in queries {
        let query = query.split("```").next().unwrap();
        let mut statement = db.prepare(query).unwrap();
        statement.query_map([], |_| Ok(())).unwrap().for_each(|row| row.unwrap());
    }
    let (_, text) = text.split_once("\nThe store is an SQLite 3").unwrap();
    let tables = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')";
    let mut statement = db.prepare(tables).unwrap();
    let tables = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    for table in tables.map(Result::unwrap) {
        let row = text.lines().find(|line| line.starts_with(&format!("| `{table}`")));
        let row = row.unwrap_or_else(|| panic!("{table} is not in the document"));
        let columns = row.split('|').nth(3).unwrap();
        let named: BTreeSet<&str> = columns.split('`').skip(1).step_by(2).collect();
        let statement = db.prepare(&format!("SELECT * FROM {table}")).unwrap();
        assert_eq!(named, statement.column_names().collect(), "{table}");
    }
}

#[test]
fn a_run_waits_for_another_one_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let other = Connection::open(&store).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let archive = archive(folder.path(), "2026-03-03", 0);
    let out = folder.path().join("out");
    let mut child = run_command(&[&archive], &out, &["--models", word(&store)]).spawn().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let mut told = Vec::new();
    while !String::from_utf8_lossy(&told).contains("waiting for it") {
        let mut byte = [0];
        assert_eq!(stderr.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&told));
        told.push(byte[0]);
    }
    assert!(child.try_wait().unwrap().is_none(), "it waits");
    other.execute_batch("ROLLBACK").unwrap();
    drop(other);
    stderr.read_to_end(&mut told).unwrap();
    assert!(child.wait().unwrap().success(), "{}", String::from_utf8_lossy(&told));
}
