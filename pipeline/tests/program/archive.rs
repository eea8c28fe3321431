//! An archive of articles over several nights: `--archive`, `history`, `changes`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::crawl::Crawl;
use crate::common::program::{
    call, in_repository, json_lines, parts, refuse, run, word, write_file,
};
use crate::common::prose;
use crate::common::results::{Results, files, text};
use crate::common::rows::{all_rows, column};
use crate::common::unfinished::{kill_process, run_command};

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// An article of a first run in a new layout of its site: other elements, classes and menus,
/// adverts and comments around the same text.
fn redesigned(article: &Value, body: &str, n: usize) -> String {
    let title = escaped(text(article, "title"));
    let published = article["published"].as_str().map_or_else(String::new, |date| {
        format!("<meta property='article:published_time' content='{date}'>")
    });
    let authors: String = article["authors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|author| {
            format!("<meta name=author content=\"{}\">", escaped(author.as_str().unwrap()))
        })
        .collect();
    let paragraphs: String = body
        .split("\n\n")
        .map(|p| format!("<p class=absatz>{}</p>\n", escaped(p).replace('\n', "<br>")))
        .collect();
    let language = article["language"].as_str().unwrap_or("en");
    format!(
        "<!doctype html><html lang='{language}'><head><meta charset=utf-8><title>{title}</title>\
         {published}{authors}</head><body><header class=top-{}><a href=/>Start</a> <a href=/all>All</a> \
         <a href=/shop>Shop</a></header><main><h1 class=kopf>{title}</h1>\
         <section class=lesetext>\n{paragraphs}</section>\
         <aside class=anzeige><a href=/buy/{n}>Buy {n} of these now!</a></aside>\
         <section class=comments><h2>Comments</h2><div class=comment><p>Reader {n}: I never liked it \
         and number {n} is worst of all.</p></div></section></main>\
         <footer>New look, same old house. <a href=/imprint>Imprint</a></footer></body></html>",
        n % 3
    )
}

/// The sample crawl, a day later, in new layouts; `edit` may change the text of an article.
fn second_night(first: &Results, folder: &Path, edit: &dyn Fn(usize, &str) -> String) -> PathBuf {
    let mut crawl = Crawl::of_day("2026-10-06");
    for (n, article) in first.articles.iter().enumerate() {
        let page = redesigned(article, &edit(n, text(article, "text")), n);
        crawl.page(text(article, "url"), &page);
    }
    crawl.write(folder, "second.warc.gz")
}

/// Every 11th article, ten in all.
fn is_edited(n: usize) -> bool {
    n % 11 == 5 && n < 110
}

fn edit(n: usize, body: &str) -> String {
    if !is_edited(n) {
        return body.to_owned();
    }
    let mut paragraphs: Vec<String> = body.split("\n\n").map(str::to_owned).collect();
    let at = paragraphs.len() / 2;
    paragraphs[at].push_str(" Correction: it was Tuesday.");
    paragraphs.join("\n\n")
}

#[test]
fn a_redesign_with_ten_edits_gives_ten_versions() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("articles.sqlite");
    let add = ["--archive", word(&archive), "--duplicates", "keep"];
    let first = run(&[&in_repository("data/crawl")], &folder.path().join("first"), &add);
    assert!(first.articles.len() > 100, "{}", first.articles.len());
    let second = second_night(&first, folder.path(), &edit);
    let second = run(&[&second], &folder.path().join("second"), &add);
    assert_eq!(second.articles.len(), first.articles.len());

    let all = json_lines(&[
        "changes",
        "--since",
        "2026-01-01",
        "--archive",
        word(&archive),
        "--format",
        "json",
    ]);
    assert_eq!(all.iter().filter(|c| c["kind"] == "new").count(), first.articles.len());
    let since = ["changes", "--since", "2026-10-06", "--archive", word(&archive)];
    let changes = json_lines(&[&since[..], &["--format", "json"]].concat());
    let changed: BTreeSet<&str> = changes.iter().map(|c| text(c, "url")).collect();
    let edited: BTreeSet<&str> = (first.articles.iter().enumerate())
        .filter(|(n, _)| is_edited(*n))
        .map(|(_, article)| text(article, "url"))
        .collect();
    assert_eq!(edited.len(), 10);
    for change in &changes {
        assert!(edited.contains(text(change, "url")), "{change:#}");
        assert_eq!(
            (&change["kind"], &change["changed"]),
            (&"changed".into(), &serde_json::json!(["text"]))
        );
        assert!(text(change, "diff").contains("Correction: it was Tuesday."), "{change}");
    }
    assert_eq!(changed, edited);
    let (code, plain, _) = parts(&call(&since));
    assert_eq!((code, plain.lines().count()), (0, 10));
    let of_site = [&since[..], &["--site", text(&changes[0], "site")]].concat();
    let lines = parts(&call(&of_site)).1;
    assert!(lines.contains(text(&changes[0], "url")) && lines.lines().count() < 10, "{lines}");

    // A different form of an address names the same article.
    let url =
        changes[0]["url"].as_str().unwrap().replace("https://", "http://www.") + "?utm_source=x";
    let history = json_lines(&["history", &url, "--archive", word(&archive), "--format", "json"]);
    assert_eq!(history.len(), 2);
    assert_eq!((&history[0]["number"], &history[1]["number"]), (&1.into(), &2.into()));
    assert_eq!(history[0]["diff"], Value::Null);
    assert!(text(&history[1], "first_seen").starts_with("2026-10-06"));
    assert_ne!(history[0]["wrapper"], history[1]["wrapper"]);
    assert!(text(&history[1], "record_id").starts_with("urn:uuid:"));
    let (_, shown, _) = parts(&call(&["history", &url, "--archive", word(&archive)]));
    assert!(shown.contains("version 2") && shown.contains("changed: text"), "{shown}");
    let (code, _, stderr) =
        parts(&call(&["history", "https://nowhere.example/", "--archive", word(&archive)]));
    assert_eq!(code, 2);
    assert!(stderr.contains("nowhere.example"), "{stderr}");

    // The same nights again add nothing, and in reverse order they give the same versions.
    let before = all_rows(&archive);
    let night = folder.path().join("second.warc.gz");
    run(&[&night], &folder.path().join("second"), &add);
    assert!(all_rows(&archive) == before, "a run that was there already added rows");
    let other = folder.path().join("other.sqlite");
    let add = ["--archive", word(&other), "--duplicates", "keep"];
    run(&[&night], &folder.path().join("b2"), &add);
    run(&[&in_repository("data/crawl")], &folder.path().join("b1"), &add);
    let of_other = json_lines(&["history", &url, "--archive", word(&other), "--format", "json"]);
    assert_eq!(of_other, history);
    let of_other = json_lines(&[
        "changes",
        "--since",
        "2026-10-06",
        "--archive",
        word(&other),
        "--format",
        "json",
    ]);
    assert_eq!(of_other, changes);
    // The same runs in the same order give the same rows, for any number of threads.
    let again = folder.path().join("again.sqlite");
    let add = ["--archive", word(&again), "--jobs", "1", "--duplicates", "keep"];
    run(&[&in_repository("data/crawl")], &folder.path().join("c1"), &add);
    run(&[&night], &folder.path().join("c2"), &add);
    assert!(all_rows(&again) == before, "the same runs gave other rows");
}

fn blog(folder: &Path, day: &'static str, pages: usize, name: &str) -> PathBuf {
    let mut crawl = Crawl::of_day(day);
    crawl.posts("https://grown.example/notes/", 0..pages);
    crawl.write(folder, name)
}

#[test]
fn what_has_grown_is_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let first = blog(folder.path(), "2024-05-01", 4, "first.warc.gz");
    let second = blog(folder.path(), "2024-05-02", 6, "second.warc.gz");
    let out = folder.path().join("out");
    run(&[&first], &out, &["--sinks", "jsonl,sqlite"]);
    let count = |expected: usize| {
        let archive = out.join("archive.sqlite");
        let found = json_lines(&[
            "changes",
            "--since",
            "2024",
            "--archive",
            word(&archive),
            "--format",
            "json",
        ]);
        assert_eq!(found.len(), expected);
    };
    count(4);
    // Other inputs into the same folder: the run is replaced, and the archive grows.
    run(&[&second], &out, &["--sinks", "jsonl,sqlite", "--overwrite"]);
    count(6);
    // If not selected, the archive is unchanged.
    run(&[&first], &out, &["--sinks", "jsonl", "--overwrite"]);
    count(6);
    assert_eq!(
        files(&out).keys().map(String::as_str).collect::<Vec<_>>(),
        [
            "archive.sqlite", "articles.jsonl", "dropped.jsonl", "ledger.json",
            "wrappers/grown.example.json"
        ]
    );
    // A file that is not an archive is left alone, before any work.
    let diary = write_file(folder.path(), "diary.txt", "Dear diary, ".repeat(100));
    let arguments =
        ["run", word(&first), "--out", word(&out), "--overwrite", "--archive", word(&diary)];
    let stderr = refuse(&arguments);
    assert!(
        stderr.contains("diary.txt: is text, not an archive of articles, and was left as it is"),
        "{stderr}"
    );
    assert_eq!(fs::read_to_string(&diary).unwrap(), "Dear diary, ".repeat(100));
    assert_eq!(Results::read(&out).articles.len(), 4);
}

/// An archive that keeps a run busy: many sites, long pages.
fn large(folder: &Path) -> PathBuf {
    let mut crawl = Crawl::of_day("2024-05-03");
    for page in 0..1500 {
        let paragraph = |n| format!("<p>{}</p>", prose::paragraphs(2000 + 60 * page + n).join(" "));
        let inside: String = (0..60).map(paragraph).collect();
        let url = format!("https://large-{}.example/notes/{}", page / 10, page % 10);
        crawl.page(&url, &prose::post_with(page, "", &inside));
    }
    crawl.write(folder, "large.warc.gz")
}

#[test]
#[cfg(unix)]
fn killed_in_the_middle_it_holds_what_it_held_and_readers_see_that() {
    let folder = tempfile::tempdir().unwrap();
    let first = blog(folder.path(), "2024-05-01", 4, "first.warc.gz");
    let large = large(folder.path());
    for (round, grown) in [(0, 0), (1, 4)] {
        let archive = folder.path().join(format!("articles-{round}.sqlite"));
        if grown > 0 {
            run(
                &[&first],
                &folder.path().join("first"),
                &["--archive", word(&archive), "--overwrite"],
            );
        }
        let out = folder.path().join(format!("out-{round}"));
        let more = ["--jobs", "2", "--archive", word(&archive)];
        let mut child = run_command(&[&large], &out, &more).spawn().unwrap();
        // Once some sites have their wrapper files, the run has uncommitted articles.
        let wrappers = out.join("wrappers");
        let begun = Instant::now();
        while fs::read_dir(&wrappers).map_or(0, Iterator::count) < 10 {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
            assert!(begun.elapsed() < Duration::from_secs(120), "it never got going");
            std::thread::sleep(Duration::from_millis(1));
        }
        // A reader in the middle of the run sees the previous state.
        let changes =
            ["changes", "--since", "2024", "--archive", word(&archive), "--format", "json"];
        if grown > 0 {
            assert_eq!(json_lines(&changes).len(), grown);
        } else {
            assert!(parts(&call(&changes)).2.contains("no run has added to it"));
        }
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
        kill_process(child);
        if grown > 0 {
            assert_eq!(json_lines(&changes).len(), grown);
        }
        // The same run again needs no --overwrite, and its outputs are complete.
        let results = run(&[&large], &out, &["--archive", word(&archive)]);
        assert_eq!(results.articles.len(), 1500);
        assert_eq!(json_lines(&changes).len(), 1500 + grown);
        assert_eq!(column::<String>(&archive, "PRAGMA integrity_check"), ["ok"]);
        let log = folder.path().join(format!("articles-{round}.sqlite-wal"));
        assert!(!log.exists(), "the log stays behind");
    }
}
