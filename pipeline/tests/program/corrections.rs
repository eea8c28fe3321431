//! Corrections of articles: `correct`, and what exports, other commands and later runs make of them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::crawl::Crawl;
use crate::common::program::{call, json_lines, parts, run, succeed, word, write_file};
use crate::common::prose;
use crate::common::results::{Results, parse, text};

const URL: &str = "https://mended.example/notes/3";

/// A night of a site. `title` is that of page 3.
fn night(folder: &Path, day: &'static str, title: &str) -> PathBuf {
    let mut crawl = Crawl::of_day(day);
    for n in 0..8 {
        let author = ["Dee Ray", "Eve Orr", "Flo Ash", "Ann Lee"][n % 4];
        let html = prose::post_with(n, &format!("<meta name=author content='{author}'>"), "");
        let html = if n == 3 { html.replace(&prose::title(3), title) } else { html };
        crawl.page(&format!("https://mended.example/notes/{n}"), &html);
    }
    crawl.write(folder, &format!("{day}.warc.gz"))
}

fn correct(archive: &Path, arguments: &[&str]) -> (i32, String, String) {
    let all = ["correct", "--archive", word(archive), "--at", "2026-11-01T10:00:00Z"];
    parts(&call(&[&all, arguments].concat()))
}

fn corrected(archive: &Path, arguments: &[&str]) -> String {
    let (code, stdout, stderr) = correct(archive, arguments);
    assert_eq!(code, 0, "{arguments:?}: {stderr}");
    stdout
}

fn history(archive: &Path) -> Vec<Value> {
    json_lines(&["history", URL, "--archive", word(archive), "--format", "json"])
}

fn changes(archive: &Path, kinds: &str) -> Vec<Value> {
    let of = ["changes", "--since", "2026-10-01", "--archive", word(archive), "--format", "json"];
    json_lines(&[&of[..], &["--kinds", kinds]].concat())
}

/// The article as a document of the form that the ending of a name stands for.
fn document(archive: &Path, ending: &str, more: &[&str]) -> String {
    let out = archive.with_extension(ending);
    let arguments = ["export", "article", URL, "--archive", word(archive), "--out", word(&out)];
    succeed(&[&arguments, more].concat());
    fs::read_to_string(out).unwrap()
}

fn export(archive: &Path, more: &[&str]) -> Value {
    parse(&document(archive, "json", more))
}

/// An archive of one night, with the command of any night.
fn archive() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("articles.sqlite");
    let first = night(folder.path(), "2026-10-05", &prose::title(3));
    let more = ["--archive", word(&archive), "--corrections", word(&archive)];
    run(&[&first], &folder.path().join("first"), &more);
    (folder, archive)
}

#[test]
fn a_correction_is_shown_with_what_was_extracted_and_exported() {
    let (_folder, archive) = archive();
    let told = corrected(
        &archive,
        &[
            URL, "--title", " A better  title ", "--authors", "Bo Dean", "--authors", "Cy Reed",
            "--published", "2026-01-12", "--by", "anna", "--reason", "see imprint",
        ],
    );
    assert_eq!(told, format!("{URL}: corrected title, authors, published\n"));
    let versions = history(&archive);
    let own = versions[0]["corrections"].as_array().unwrap();
    assert_eq!(versions.len(), 1);
    assert_eq!(versions[0]["title"], prose::title(3), "what was extracted stays");
    assert_eq!(own[0]["value"], "A better title");
    assert_eq!(own[0]["extracted"], prose::title(3));
    let said = ["by", "reason", "at"].map(|name| text(&own[0], name));
    assert_eq!(said, ["anna", "see imprint", "2026-11-01T10:00:00Z"]);
    assert_eq!(own[1]["value"], json!(["Bo Dean", "Cy Reed"]));

    let shown = changes(&archive, "corrected");
    assert_eq!(shown.len(), 3);
    assert_eq!(shown[0]["changed"], json!(["authors"]));
    let diff = text(&shown[0], "diff");
    assert!(
        diff.contains("-authors: Ann Lee") && diff.contains("+authors: Bo Dean; Cy Reed"),
        "{diff}"
    );
    assert_eq!((text(&shown[0], "by"), text(&shown[0], "reason")), ("anna", "see imprint"));
    let (_, plain, _) = parts(&call(&["history", URL, "--archive", word(&archive)]));
    assert!(
        plain.contains("title corrected  2026-11-01T10:00:00Z by anna: see imprint"),
        "{plain}"
    );
    let (_, plain, _) =
        parts(&call(&["changes", "--since", "2026-10-01", "--archive", word(&archive)]));
    assert!(plain.contains("corrected  https://mended.example/notes/3"), "{plain}");

    let exported = export(&archive, &[]);
    assert_eq!(
        (text(&exported, "title"), text(&exported, "published")),
        ("A better title", "2026-01-12")
    );
    assert_eq!(exported["corrections"][0]["by"], "anna");
    assert!(document(&archive, "html", &[]).contains("A better title"));
    let tei = document(&archive, "xml", &[]);
    assert!(tei.contains("title (anna, 2026-11-01)"), "{tei}");
}

#[test]
fn runs_apply_corrections_and_the_archive_keeps_what_was_extracted() {
    let (folder, archive) = archive();
    let file = write_file(
        folder.path(),
        "text.txt",
        "Another text & more.\n\nIn two paragraphs.\nOf two lines.\n",
    );
    corrected(
        &archive,
        &[URL, "--title", "A better title", "--text-file", word(&file), "--by", "anna"],
    );
    let second = night(folder.path(), "2026-10-06", &prose::title(3));
    let plain = run(&[&second], &folder.path().join("plain"), &["--markdown"]);
    let own = [
        "--corrections",
        word(&archive),
        "--archive",
        word(&archive),
        "--markdown",
        "--sinks",
        "jsonl,csv,sqlite",
    ];
    let out = folder.path().join("second");
    let results = run(&[&second], &out, &own);
    for (article, before) in results.articles.iter().zip(&plain.articles) {
        if article["url"] != URL {
            assert_eq!(article, before);
        }
    }
    let article = results.article(URL);
    assert_eq!(text(article, "title"), "A better title");
    assert_eq!(text(article, "text"), "Another text & more.\n\nIn two paragraphs.\nOf two lines.");
    assert_eq!(
        text(article, "html"),
        "<p>Another text &amp; more.</p><p>In two paragraphs.<br>Of two lines.</p>"
    );
    assert!(text(article, "markdown").starts_with("Another text"));
    assert_eq!(article["word_count"], 9);
    assert_eq!(article["sources"]["title"], json!({"source": "correction", "confidence": 1.0}));
    let noted = json!([
        {"field": "title", "by": "anna", "at": "2026-11-01T10:00:00Z"},
        {"field": "text", "by": "anna", "at": "2026-11-01T10:00:00Z"},
    ]);
    assert_eq!(article["corrections"], noted);
    assert!(fs::read_to_string(out.join("articles.csv")).unwrap().contains("A better title"));
    assert_eq!(results.ledger["counts"]["corrected"], 1);
    let versions = history(&archive);
    assert_eq!((versions.len(), &versions[0]["visits"]), (1, &json!(2)));
    assert_eq!(versions[0]["title"], prose::title(3));
    // The same command again does nothing; other corrections are another run.
    let again = [&["run", word(&second), "--out", word(&out)][..], &own].concat();
    let (code, stdout, _) = parts(&call(&again));
    assert!(code == 0 && stdout.contains("Nothing to do"), "{stdout}");
    corrected(&archive, &[URL, "--title", "The best title"]);
    succeed(&again);
    let results = Results::read(&out);
    assert_eq!(text(results.article(URL), "title"), "The best title");
}

#[test]
fn a_run_finds_the_article_of_a_correction_by_other_forms_of_its_address() {
    let folder = tempfile::tempdir().unwrap();
    let archive = night(folder.path(), "2026-10-06", &prose::title(3));
    let bare = URL.split_once("://").unwrap().1;
    for (n, url) in [format!("www.{bare}"), format!("{URL}?utm_source=letter")].iter().enumerate() {
        let line = json!({"url": url, "title": "A better title"}).to_string();
        let file = write_file(folder.path(), format!("{n}.jsonl"), &line);
        let out = folder.path().join(n.to_string());
        let results = run(&[&archive], &out, &["--corrections", word(&file)]);
        assert_eq!(text(results.article(URL), "title"), "A better title", "{url}");
        assert_eq!(results.ledger["counts"]["corrected"], 1);
    }
}

#[test]
fn a_page_that_changes_makes_its_correction_outdated() {
    let (folder, archive) = archive();
    corrected(&archive, &[URL, "--title", "A better title", "--authors", "Bo Dean"]);
    let second = night(folder.path(), "2026-10-06", "Something else altogether");
    let add = ["--archive", word(&archive), "--corrections", word(&archive)];
    let out = folder.path().join("second");
    let arguments = [&["run", word(&second), "--out", word(&out)][..], &add].concat();
    let (code, _, stderr) = parts(&call(&arguments));
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("correction outdated: another title is extracted now"), "{stderr}");
    assert!(stderr.contains("outdated corrections: 1"), "{stderr}");
    let results = Results::read(&out);
    assert_eq!(text(results.article(URL), "title"), "A better title", "it stays in force");
    assert_eq!(results.article(URL)["corrections"][0]["outdated"], true);
    assert_eq!(results.ledger["counts"]["corrections_outdated"], 1);
    let outdated = changes(&archive, "outdated");
    assert_eq!(outdated.len(), 1);
    assert_eq!(outdated[0]["changed"], json!(["title"]));
    assert_eq!(outdated[0]["first_seen"], "2026-10-06T00:00:03Z");
    let (_, plain, _) = parts(&call(&["history", URL, "--archive", word(&archive)]));
    assert!(plain.contains("correction outdated: another title since 2026-10-06"), "{plain}");

    // Earlier versions have it as far as they have what was corrected.
    assert_eq!(export(&archive, &["--version", "1"])["title"], "A better title");
    assert_eq!(export(&archive, &[])["title"], "A better title");
    corrected(&archive, &[URL, "--title", "Something better"]);
    assert_eq!(export(&archive, &["--version", "1"])["title"], prose::title(3));
    assert_eq!(export(&archive, &["--version", "2"])["title"], "Something better");
    assert!(changes(&archive, "outdated").is_empty());
    let all = folder.path().join("all/");
    let exported = [
        "export",
        "article",
        URL,
        "--archive",
        word(&archive),
        "--all-versions",
        "--format",
        "json",
        "--out",
        word(&all),
    ];
    let (code, stdout, stderr) = parts(&call(&exported));
    assert!(code == 0 && stdout.starts_with("2 documents"), "{stdout}{stderr}");
    let (code, _, stderr) =
        parts(&call(&[&exported[..5], &["--version", "7", "--out", word(&all)]].concat()));
    assert!(code == 2 && stderr.contains("has no version 7"), "{stderr}");
}

#[test]
fn corrections_are_reverted_and_stay_in_the_history() {
    let (_folder, archive) = archive();
    corrected(
        &archive,
        &["mended.example/notes/3/", "--title", "A better title", "--published", ""],
    );
    assert_eq!(export(&archive, &[])["published"], Value::Null);
    let told = corrected(&archive, &[URL, "--revert", "title", "--by", "bo"]);
    assert_eq!(told, format!("{URL}: reverted title\n"));
    assert_eq!(export(&archive, &[])["title"], prose::title(3));
    let own = &history(&archive)[0]["corrections"][0];
    assert_eq!((text(own, "reverted_by"), text(own, "ended")), ("bo", "2026-11-01T10:00:00Z"));
    let reverted = changes(&archive, "reverted");
    assert_eq!((reverted.len(), text(&reverted[0], "by")), (1, "bo"));
    let (code, _, stderr) = correct(&archive, &[URL, "--revert", "title,text"]);
    assert!(code == 2 && stderr.contains("no correction of these fields is in force"), "{stderr}");
    corrected(&archive, &[URL, "--revert", "all"]);
    let listed = json_lines(&["correct", "--archive", word(&archive), "--list"]);
    assert!(listed.is_empty());
}

#[test]
fn files_of_corrections_are_read_and_written() {
    let (folder, archive) = archive();
    let file = folder.path().join("corrections.jsonl");
    let lines = [
        json!({"url": URL, "title": "Ä better title", "by": "anna", "at": "2026-10-31T00:00:00Z"}),
        json!({"url": "https://mended.example/notes/4", "authors": []}),
        json!({"url": URL, "blocks": [{"xpath": "/html/body/p", "mark": "content"}]}),
    ];
    fs::write(&file, lines.map(|line| format!("{line}\n\n")).concat()).unwrap();
    let told = corrected(&archive, &["--from", word(&file), "--by", "bo"]);
    assert_eq!(told.lines().count(), 2, "{told}");
    let listed = json_lines(&["correct", "--archive", word(&archive), "--list"]);
    assert_eq!(listed.len(), 2);
    assert_eq!((text(&listed[0], "title"), text(&listed[0], "by")), ("Ä better title", "anna"));
    assert_eq!(text(&listed[0], "at"), "2026-10-31T00:00:00Z");
    assert_eq!(listed[0]["extracted"], json!({"title": prose::title(3)}));
    assert_eq!((&listed[1]["authors"], text(&listed[1], "by")), (&json!([]), "bo"));
    // Once more changes nothing.
    let told = corrected(&archive, &["--from", word(&file), "--by", "bo"]);
    assert_eq!(told.matches("corrected so already").count(), 2, "{told}");
    assert_eq!(changes(&archive, "corrected").len(), 2);
    // A run takes the file, also without any archive.
    let list = write_file(
        folder.path(),
        "list.jsonl",
        listed.iter().map(|line| format!("{line}\n")).collect::<String>(),
    );
    let second = night(folder.path(), "2026-10-06", "Something else altogether");
    let results = run(&[&second], &folder.path().join("second"), &["--corrections", word(&list)]);
    let article = results.article(URL);
    assert_eq!(text(article, "title"), "Ä better title");
    assert_eq!(article["corrections"][0]["outdated"], true);
    let other = results.article("https://mended.example/notes/4");
    assert_eq!(other["authors"], json!([]));
    assert!(other["sources"].get("authors").is_none());
    assert_eq!(results.ledger["counts"]["corrections_outdated"], 1);
}

#[test]
fn what_cannot_be_corrected_is_said() {
    let (folder, archive) = archive();
    let line = |text: &str| {
        let file = write_file(folder.path(), "line.jsonl", format!("\n{text}\n"));
        let (code, _, stderr) = correct(&archive, &["--from", word(&file)]);
        assert_eq!(code, 2, "{stderr}");
        stderr
    };
    for (found, expected) in [
        (
            correct(&archive, &["https://mended.example/note/3", "--title", "x"]).2,
            "nearest: mended.example/notes/3",
        ),
        (
            correct(&archive, &["https://other.example/", "--title", "x"]).2,
            "has no article with the address",
        ),
        (correct(&archive, &[URL, "--published", "12.1.2026"]).2, "invalid date `12.1.2026`"),
        (correct(&archive, &[URL]).2, "nothing to correct it to"),
        (correct(&archive, &[]).2, "<URL>"),
        (
            correct(&folder.path().join("none.sqlite"), &[URL, "--title", "x"]).2,
            "there is no such archive",
        ),
        (line(r#"{"url": "x", "tittle": "y"}"#), "line 2 is no correction: unknown key `tittle`"),
        (line(r#"{"url": "x"}"#), "needs `url` and a value"),
        (line(r#"{"url": "x", "text": " "}"#), "the text is empty"),
        (line("oops"), "line 2 is no correction"),
    ] {
        assert!(found.contains(expected), "{expected}: {found}");
    }
    // Nothing of a file is applied if one line cannot be.
    let file = folder.path().join("half.jsonl");
    let lines =
        [json!({"url": URL, "title": "x"}), json!({"url": "https://no.example/", "title": "x"})];
    fs::write(&file, lines.map(|line| format!("{line}\n")).concat()).unwrap();
    assert_eq!(correct(&archive, &["--from", word(&file)]).0, 2);
    assert!(changes(&archive, "corrected").is_empty());
}
