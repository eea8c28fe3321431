//! Addresses without a page: in the archive, in an index that grows, and in the records of a run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::crawl::Crawl;
use crate::common::program::{call, json_lines, parts, run, sitegrove, succeed, word};
use crate::common::prose;
use crate::common::results::{parse, text};
use crate::common::unfinished::{kill_process, run_command, wait_for_a_site};

const SITE: &str = "https://notes.example";

fn url(n: usize) -> String {
    format!("{SITE}/notes/{n}")
}

/// What the crawl gets for a note.
#[derive(Clone, Copy)]
enum Answer {
    Page,
    Status(u16),
    Moved(u16, &'static str),
}

use Answer::{Moved, Page, Status};

/// A night of a crawl.
fn night(folder: &Path, day: &'static str, answers: &[(usize, Answer)]) -> PathBuf {
    let mut crawl = Crawl::of_day(day);
    for &(n, answer) in answers {
        match answer {
            Page => crawl.page(&url(n), &prose::post(n)),
            Status(status) => {
                let head = format!("HTTP/1.1 {status} No\r\nContent-Type: text/html\r\n");
                crawl.response(&url(n), &head, b"<p>There is nothing here.</p>")
            }
            Moved(status, to) => {
                let head = format!("HTTP/1.1 {status} Moved\r\nLocation: {to}\r\n");
                crawl.response(&url(n), &head, b"")
            }
        };
    }
    crawl.write(folder, &format!("{day}.warc.gz"))
}

fn first(folder: &Path) -> PathBuf {
    night(folder, "2024-05-01", &[0, 1, 2, 3, 4, 5, 6, 7].map(|n| (n, Page)))
}

/// Two notes are gone, two moved, two are said to be elsewhere but are not; an address was never known.
fn second(folder: &Path) -> PathBuf {
    let answers = [
        (0, Page),
        (2, Status(404)),
        (3, Status(410)),
        (4, Moved(301, "/archive/4")),
        (5, Moved(302, "https://elsewhere.example/5")),
        (6, Moved(301, "http://www.notes.example/notes/6/?utm_source=x")),
        (7, Status(500)),
        (99, Status(404)),
    ];
    night(folder, "2024-05-02", &answers)
}

/// Two are back, and one of the others is still gone.
fn third(folder: &Path) -> PathBuf {
    night(folder, "2024-05-03", &[(2, Page), (4, Page), (3, Status(410))])
}

/// An archive, an index, and runs that add to both.
struct Grown<'a> {
    folder: &'a Path,
    name: &'static str,
}

impl Grown<'_> {
    fn archive(&self) -> PathBuf {
        self.folder.join(format!("{}.sqlite", self.name))
    }

    fn index(&self) -> PathBuf {
        self.folder.join(format!("{}.index", self.name))
    }

    fn add(&self, inputs: &[&Path], more: &[&str]) -> crate::common::results::Results {
        let (archive, index) = (self.archive(), self.index());
        let grown = ["--archive", word(&archive), "--index", word(&index), "--overwrite"];
        run(inputs, &self.folder.join("out"), &[&grown, more].concat())
    }

    /// What the index has: by address the status of what is gone.
    fn search(&self, more: &[&str]) -> BTreeMap<String, Option<String>> {
        let index = self.index();
        let arguments = ["search", word(&index), "*", "--limit", "100", "--format", "json"];
        let (code, stdout, stderr) =
            parts(&sitegrove().args(arguments).args(more).output().unwrap());
        assert_eq!(code, 0, "{stderr}");
        let answer = parse(&stdout);
        let hits = answer["hits"].as_array().unwrap().iter();
        let status = |hit: &Value| {
            let to = hit["moved_to"].as_str().unwrap_or("nowhere");
            hit["gone"].as_str().map(|at| format!("{at} {} {to}", hit["gone_status"]))
        };
        hits.map(|hit| (text(hit, "url").to_owned(), status(hit))).collect()
    }

    fn found(&self) -> Vec<usize> {
        (0..100).filter(|&n| self.search(&[]).contains_key(&url(n))).collect()
    }

    /// Kinds and addresses of what changed.
    fn changes(&self, since: &str) -> Vec<String> {
        let archive = self.archive();
        let changes = json_lines(&[
            "changes",
            "--since",
            since,
            "--archive",
            word(&archive),
            "--format",
            "json",
        ]);
        let shown = |change: &Value| {
            let (kind, url) = (text(change, "kind"), text(change, "url").replace(SITE, ""));
            let to = change["moved_to"].as_str().map_or(String::new(), |to| format!(" {to}"));
            let status = change["status"].as_i64().map_or(String::new(), |own| format!(" {own}"));
            format!("{} {kind} {url}{status}{to}", &text(change, "first_seen")[..10])
        };
        changes.iter().map(shown).collect()
    }
}

const SECOND: [&str; 4] = [
    "2024-05-02 gone /notes/2 404",
    "2024-05-02 gone /notes/3 410",
    "2024-05-02 moved /notes/4 301 https://notes.example/archive/4",
    "2024-05-02 moved /notes/5 302 https://elsewhere.example/5",
];

#[test]
fn gone_pages_are_marked_until_they_are_back() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second, third) =
        (first(folder.path()), second(folder.path()), third(folder.path()));
    let grown = Grown { folder: folder.path(), name: "grown" };
    let of_first = grown.add(&[&first], &[]);
    assert_eq!(of_first.articles.len(), 8);
    assert!(of_first.articles.iter().all(|article| article["gone"].is_null()));
    grown.add(&[&second], &[]);
    assert_eq!(grown.changes("2024-05-02"), SECOND);
    assert_eq!(grown.found(), [0, 1, 6, 7]);
    let all = grown.search(&["--gone"]);
    assert_eq!(all.len(), 8);
    let marks = [
        (1, None),
        (2, Some("2024-05-02T00:00:01Z 404 nowhere")),
        (3, Some("2024-05-02T00:00:02Z 410 nowhere")),
        (4, Some("2024-05-02T00:00:03Z 301 https://notes.example/archive/4")),
        (5, Some("2024-05-02T00:00:04Z 302 https://elsewhere.example/5")),
    ];
    for (n, mark) in marks {
        assert_eq!(all[&url(n)].as_deref(), mark, "{n}");
    }
    // Found by its words, although it was marked by another run than the one that added it.
    let index = grown.index();
    let of_text =
        text(of_first.article(&url(2)), "text").split_whitespace().max_by_key(|w| w.len());
    let words = ["search", word(&index), of_text.unwrap(), "--gone", "--format", "json"];
    let found = parse(&parts(&call(&words)).1);
    let hits = found["hits"].as_array().unwrap();
    assert!(hits.iter().any(|hit| hit["url"] == url(2)), "{found}");

    let archive = grown.archive();
    let history =
        || json_lines(&["history", &url(3), "--archive", word(&archive), "--format", "json"]);
    let spans = |version: &Value| version["gone"].as_array().unwrap().clone();
    assert_eq!(spans(&history()[0])[0]["first_seen"], "2024-05-02T00:00:02Z");
    let shown = parts(&call(&["history", &url(4), "--archive", word(&archive)])).1;
    let line = "gone  2024-05-02T00:00:03Z  (status 301, moved to https://notes.example/archive/4)";
    assert!(shown.contains(line), "{shown}");

    // The same night again changes nothing.
    let before = (grown.changes("2024-01-01"), grown.search(&["--gone"]));
    grown.add(&[&second], &[]);
    assert_eq!((grown.changes("2024-01-01"), grown.search(&["--gone"])), before);

    grown.add(&[&third], &[]);
    let third_night = ["2024-05-03 back /notes/2", "2024-05-03 back /notes/4"];
    assert_eq!(grown.changes("2024-05-03"), third_night);
    assert_eq!(grown.found(), [0, 1, 2, 4, 6, 7]);
    let [span] = &spans(&history()[0])[..] else { panic!("{:?}", history()) };
    assert_eq!(span["last_seen"], "2024-05-03T00:00:02Z");

    // Older nights override nothing, in whatever order they come.
    let before = (grown.changes("2024-01-01"), grown.search(&["--gone"]));
    for older in [&second, &first] {
        grown.add(&[older], &[]);
        assert_eq!((grown.changes("2024-01-01"), grown.search(&["--gone"])), before);
    }
    let turned = Grown { folder: folder.path(), name: "turned" };
    for night in [&first, &third, &second] {
        turned.add(&[night], &[]);
    }
    assert_eq!(turned.changes("2024-01-01"), before.0);
    assert_eq!(turned.found(), grown.found());
}

#[test]
fn one_run_over_both_nights_marks_its_articles() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (first(folder.path()), second(folder.path()));
    let apart = Grown { folder: folder.path(), name: "apart" };
    apart.add(&[&first], &[]);
    apart.add(&[&second], &[]);
    let together = Grown { folder: folder.path(), name: "together" };
    let results = together.add(&[&first, &second], &["--sinks", "jsonl,csv,bulk"]);
    // The second capture of a note is the one that is kept.
    let changes = together.changes("2024-05-02");
    assert_eq!(
        changes.split_first().unwrap(),
        (&"2024-05-02 new /notes/0".to_owned(), &SECOND.map(str::to_owned)[..])
    );
    assert_eq!(together.search(&["--gone"]), apart.search(&["--gone"]));
    let moved = results.article(&url(5));
    assert_eq!(text(moved, "gone"), "2024-05-02T00:00:04Z");
    assert_eq!(moved["gone_status"], 302);
    assert_eq!(text(moved, "moved_to"), "https://elsewhere.example/5");
    assert!(results.article(&url(6))["gone"].is_null());
    // An index of one run, in its folder.
    let out = folder.path().join("alone");
    run(&[&first, &second], &out, &["--sinks", "index"]);
    let found = parse(&parts(&call(&["search", word(&out), "*", "--format", "json"])).1);
    assert_eq!((&found["total"], &found["articles"]), (&Value::from(4), &Value::from(8)));
}

#[test]
fn gone_pages_are_forgotten_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second, third) =
        (first(folder.path()), second(folder.path()), third(folder.path()));
    let grown = Grown { folder: folder.path(), name: "grown" };
    grown.add(&[&first], &[]);
    grown.add(&[&second], &["--forget-gone"]);
    assert_eq!(grown.search(&["--gone"]).len(), 4);
    assert_eq!(grown.found(), [0, 1, 6, 7]);
    // The archive keeps them, and they come back.
    assert_eq!(grown.changes("2024-05-02"), SECOND);
    grown.add(&[&third], &["--forget-gone"]);
    assert_eq!(grown.found(), [0, 1, 2, 4, 6, 7]);
    // Those that an earlier run marked.
    let marked = Grown { folder: folder.path(), name: "marked" };
    marked.add(&[&first], &[]);
    marked.add(&[&second], &[]);
    let index = marked.index();
    let said = parts(&call(&["search", word(&index), "--forget-gone"]));
    assert_eq!((said.0, &*said.1), (0, "4 articles removed, 4 remain\n"), "{}", said.2);
    assert_eq!(marked.search(&["--gone"]).len(), 4);
    let out = folder.path().join("none");
    let refused = parts(&call(&["run", word(&first), "--out", word(&out), "--forget-gone"]));
    assert!(refused.0 == 2 && refused.2.contains("--index"), "{}", refused.2);
    let together = Grown { folder: folder.path(), name: "together" };
    together.add(&[&first, &second], &["--forget-gone"]);
    assert_eq!(together.search(&["--gone"]).len(), 4);
}

#[test]
fn runs_that_are_killed_and_steps_give_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut inputs = vec![first(folder.path()), second(folder.path())];
    // Many sites and answers, so that the run is interrupted in the middle.
    let mut many = Crawl::of_day("2024-05-02");
    for n in 0..400 {
        let head = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n";
        many.response(&format!("https://s{n}.example/old"), head, b"<p>No.</p>");
        many.page(&format!("https://s{n}.example/new"), &prose::post(5_000 + n));
    }
    inputs.push(many.write(folder.path(), "many.warc.gz"));
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let sinks = ["--sinks", "jsonl,csv,report,sqlite,index"];
    run(&inputs, &at("whole"), &sinks);
    let articles = |out: &Path| std::fs::read(out.join("articles.jsonl")).unwrap();
    let rows = |out: &Path| {
        let db = rusqlite::Connection::open(out.join("archive.sqlite")).unwrap();
        let sql = "SELECT key, since, status, coalesce(moved_to, '') FROM gone ORDER BY key";
        let mut statement = db.prepare(sql).unwrap();
        let row = |row: &rusqlite::Row<'_>| {
            let (status, to): (i64, String) = (row.get(2)?, row.get(3)?);
            Ok(format!("{} {} {status} {to}", row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        };
        let rows = statement.query_map([], row).unwrap();
        rows.collect::<Result<Vec<String>, _>>().unwrap()
    };
    assert_eq!(rows(&at("whole")).len(), 4, "{:?}", rows(&at("whole")));

    let killed = at("killed");
    let mut child = run_command(&inputs, &killed, &sinks).spawn().unwrap();
    wait_for_a_site(&mut child, &killed);
    kill_process(child);
    run(&inputs, &killed, &sinks);
    assert!(articles(&killed) == articles(&at("whole")));
    assert_eq!(rows(&killed), rows(&at("whole")));

    let (a, b, c, d) = (at("a.parquet"), at("b.parquet"), at("c.parquet"), at("steps"));
    let (survey, learnt, applied, out) = (word(&a), word(&b), word(&c), word(&d));
    let named: Vec<&str> = inputs.iter().map(|input| word(input)).collect();
    succeed(&[&["survey"], &named[..], &sinks, &["--out", survey]].concat());
    succeed(&[&["learn", survey], &sinks[..], &["--out", learnt]].concat());
    succeed(&[&["apply", survey, learnt], &sinks[..], &["--out", applied]].concat());
    succeed(&[&["merge", survey, learnt, applied], &sinks[..], &["--out", out]].concat());
    assert!(articles(&d) == articles(&at("whole")));
    assert_eq!(rows(&d), rows(&at("whole")));
}
