//! Output has no effect on a terminal, whatever pages, addresses and file names contain.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

mod common;
use common::crawl::Crawl;
use common::program::{parts, sitegrove};
use common::prose;
use common::results::parse;

/// Colours, a window title, a cleared screen, a bell, the same with C1 controls, and all characters
/// that change the direction of text.
const HARM: &str = "\u{1b}[31m\u{1b}]0;owned\u{7}\u{1b}c\u{8}\u{7f}\u{9b}2J\u{9d}0;owned\u{9c}\u{85}\
    \u{202a}\u{202b}\u{202d}\u{202e}gnp\u{202c}\u{2066}\u{2067}\u{2068}i\u{2069}\u{200e}\u{200f}\u{61c}\
    \u{2028}\u{2029}\u{e0041}\u{feff}";

/// The part of it that is possible in the address of a record, which is one line of ASCII or UTF-8.
const IN_ADDRESS: &str = "\u{1b}[31m\u{7}\u{9b}2J\u{202e}gnp\u{2066}\u{200f}\u{2028}\u{7f}";

/// The part of it that is possible in the name of a file or folder.
const IN_NAME: &str = "e\u{202e}vil\u{1b}[31m\u{7}\u{9b}2J\u{2066}";

/// Whether a character is safe to print.
fn is_harmless(c: char) -> bool {
    let turns = matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}');
    let marks =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    matches!(c, '\n' | '\t') || !(c.is_control() || turns || marks)
}

/// Calls the binary and checks all its output. Returns its exit code and both streams.
#[track_caller]
fn look<S: AsRef<OsStr>>(arguments: &[S]) -> (i32, String, String) {
    let (code, stdout, stderr) = parts(&sitegrove().args(arguments).output().unwrap());
    let shown: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).collect();
    for (name, text) in [("stdout", &stdout), ("stderr", &stderr)] {
        if let Some((at, bad)) = text.char_indices().find(|(_, c)| !is_harmless(*c)) {
            let before: String = text[..at].chars().rev().take(60).collect();
            let before: String = before.chars().rev().collect();
            panic!("{shown:?}: {bad:?} in {name} after {before:?}");
        }
    }
    (code, stdout, stderr)
}

/// A post with the harmful characters in title, text, attributes and author.
fn post(n: usize) -> String {
    let head = format!(
        "<meta name=author content=\"Ann {HARM} Other\"><meta property='og:title' content=\"{HARM}\">\
         <meta property='article:published_time' content='2024-04-03'>\
         <meta name=description content=\"{HARM}\">"
    );
    let inside = format!(
        "<p class=\"{HARM}\" id='a\u{202e}b'><img alt=\"{HARM}\" src='/{HARM}.png'>\
         <a href='/{HARM}'>link {HARM}</a></p>"
    );
    let page = prose::post_with(n, &head, &inside);
    let (title, paragraph) = (prose::title(n), &prose::paragraphs(n)[0]);
    let harmful = format!("Harmful {HARM} words &#27;[31m &#x202e; of number {n}. {paragraph}");
    // The wrapper uses the entry's class.
    page.replace(&title, &format!("{title} {HARM} end"))
        .replace(paragraph, &harmful)
        .replace("class=entry", "class='entry\u{202e} e\u{1b}x'")
}

struct Hostile {
    folder: tempfile::TempDir,
    archive: PathBuf,
    pages: PathBuf,
}

impl Hostile {
    fn make() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut crawl = Crawl::new();
        for n in 0..8 {
            crawl.page(&format!("https://evil.example/notes/{n}?{IN_ADDRESS}"), &post(n));
        }
        crawl.page("https://evil.example/empty", &format!("<title>{HARM}</title>"));
        let archive = crawl.write(folder.path(), &format!("{IN_NAME}.warc.gz"));
        let pages = folder.path().join(IN_NAME);
        fs::create_dir(&pages).unwrap();
        for n in 0..6 {
            fs::write(pages.join(format!("{n}{IN_NAME}.html")), post(n + 20)).unwrap();
        }
        Self { folder, archive, pages }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// A list of arguments of different types.
macro_rules! words {
    ($($word:expr),* $(,)?) => { &[$(OsStr::new(&$word)),*][..] };
}

#[test]
fn nothing_of_a_page_acts_on_the_terminal() {
    let hostile = Hostile::make();
    let (archive, pages, out) = (&hostile.archive, &hostile.pages, hostile.at("out"));
    let sqlite = out.join("archive.sqlite");
    // A truncated archive is named on standard error.
    let whole = fs::read(archive).unwrap();
    let short = hostile.at(&format!("short{IN_NAME}.warc.gz"));
    fs::write(&short, &whole[..whole.len() - 40]).unwrap();
    // The next capture has other words and titles.
    let mut crawl = Crawl::of_day("2024-05-02");
    for n in 0..8 {
        crawl.page(&format!("https://evil.example/notes/{n}?{IN_ADDRESS}"), &post(n + 8));
    }
    let later = crawl.write(hostile.folder.path(), "later.warc.gz");

    let (code, stdout, stderr) =
        look(words!["run", archive, short, pages, "--sinks", "all", "--markdown", "--out", out]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("evil.example") && stdout.contains("\\u{202e}vil"), "{stdout}");
    look(words!["run", archive, short, pages, "--sinks", "all", "--markdown", "--out", out]);
    look(words!["run", later, "--archive", sqlite, "--out", hostile.at("later")]);
    look(words!["run", archive, "--log-format", "json", "--out", out]);
    look(words!["status", out]);
    let (code, stdout, _) = look(words!["status", out, "--format", "json"]);
    assert!(code == 0 && stdout.contains("\\u202evil"), "{stdout}");
    // Escaped or not, the values are those of the file.
    assert_eq!(parse(&stdout), parse(&fs::read_to_string(out.join("ledger.json")).unwrap()));
    look(words!["report", out]);

    for format in ["text", "json", "html", "markdown"] {
        let (code, stdout, _) = look(words!["extract", pages, "--format", format]);
        assert!(code == 0 && stdout.contains("of number 2"), "{format}: {stdout}");
        let named = match format {
            "json" => "\\u202egnp",
            "html" => "&#x202e;gnp",
            _ => "\\u{202e}gnp",
        };
        assert!(stdout.contains(named), "{format}: {stdout}");
        assert!(stdout.contains('\n'), "{format}: {stdout}");
    }

    let (code, stdout, _) = look(words!["search", out, "harmful"]);
    assert!(
        code == 0 && stdout.contains("**Harmful**") && stdout.contains("\\u{1b}[31m"),
        "{stdout}"
    );
    let (code, stdout, _) = look(words!["search", out, "harmful", "--format", "json"]);
    let answer = parse(&stdout);
    assert!(code == 0 && answer["hits"][0]["title"].as_str().unwrap().contains('\u{202e}'));
    look(words!["search", out, format!("\"unclosed {HARM}")]);

    let site = "evil.example";
    let (code, stdout, _) = look(words!["inspect", out, site, "--out", "-"]);
    assert!(code == 0 && stdout.contains("of number 2"));
    look(words!["inspect", out, site]);
    assert_eq!(look(words!["inspect", out, "--all"]).0, 0);
    assert_eq!(look(words!["inspect", out, format!("no{IN_NAME}")]).0, 2);

    let (code, stdout, _) = look(words!["wrappers", "list", out]);
    assert!(code == 0 && stdout.contains("\\u{202e}vil"), "{stdout}");
    let (code, stdout, _) = look(words!["wrappers", "show", out, site]);
    assert!(code == 0 && stdout.contains("examples"), "{stdout}");
    let folder_site = pages.file_name().unwrap().to_string_lossy().to_lowercase();
    assert_eq!(look(words!["wrappers", "show", out, folder_site]).0, 0);
    assert_eq!(look(words!["wrappers", "show", out, format!("no{IN_NAME}")]).0, 2);
    for format in ["site-config", "json"] {
        let (code, stdout, _) = look(words!["wrappers", "export", out, "--format", format]);
        assert!(code == 0 && stdout.contains("evil.example"), "{stdout}");
    }
    for format in ["text", "json"] {
        let (_, stdout, _) =
            look(words!["wrappers", "test", out, archive, "--run", out, "--format", format]);
        assert!(stdout.contains("evil.example"), "{stdout}");
    }
    let hand = hostile.at(&format!("{IN_NAME}.txt"));
    fs::write(
        &hand,
        format!(
            "body: //div\nst{HARM}ript: //b\nstrip: //a[{HARM}\ntest_url: http://a.example/{HARM}\n"
        ),
    )
    .unwrap();
    for format in ["text", "json"] {
        look(words!["wrappers", "check", hand, "--all", "--format", format]);
    }
    let failing = hostile.at("evil.example.txt");
    let test =
        format!("test_url: https://evil.example/notes/1?{IN_ADDRESS}\ntest_contains: n{HARM}o\n");
    fs::write(&failing, format!("body: //div\n{test}")).unwrap();
    look(words!["wrappers", "test", failing, archive]);

    let address = format!("https://evil.example/notes/1?{IN_ADDRESS}");
    let (code, stdout, stderr) = look(words!["history", address, "--archive", sqlite]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("version 2") && stdout.contains("\\u{202e}"), "{stdout}");
    assert_eq!(look(words!["history", address, "--archive", sqlite, "--format", "json"]).0, 0);
    assert_eq!(look(words!["history", format!("a.example/{HARM}"), "--archive", sqlite]).0, 2);
    let (code, stdout, _) = look(words!["changes", "--since", "2024-05-01", "--archive", sqlite]);
    assert!(code == 0 && stdout.contains("\\u{1b}[31m"), "{stdout}");
    look(words!["changes", "--since", "2024-05-01", "--archive", sqlite, "--format", "json"]);

    let gold = hostile.at("gold.jsonl");
    let line = |n: usize| {
        let url = format!("https://evil.example/notes/{n}?{IN_ADDRESS}");
        serde_json::json!({
            "url": url, "dataset": format!("set{HARM}"), "template": format!("t{HARM}"), "gold_title": HARM,
            "gold_text": format!("{}\n\nOther {HARM} words", prose::text(n)), "gold_author": HARM,
        })
        .to_string()
            + "\n"
    };
    fs::write(&gold, (0..8).map(line).collect::<String>()).unwrap();
    for more in [
        &["--worst", "3"][..],
        &["--format", "csv"],
        &["--format", "json", "--worst", "3"],
        &["--metadata", "--worst", "3"],
        &["--metadata", "--format", "json"],
        &["--datasets", HARM],
        &["--measures", HARM],
    ] {
        let named = format!("r{HARM}={}", out.display());
        let mut arguments = vec!["evaluate", &named, "--gold", gold.to_str().unwrap()];
        arguments.extend(more);
        let (_, stdout, stderr) = look(&arguments);
        assert!(!stdout.is_empty() || !stderr.is_empty(), "{more:?}");
    }
}

#[test]
fn nothing_in_an_argument_acts_on_the_terminal() {
    let gone = format!("{IN_NAME}.warc.gz");
    for arguments in [
        words!["run", gone],
        words!["run", gone, "--log-format", "json"],
        words!["run", format!("{gone}.toml")],
        words![format!("--{gone}")],
        words!["run", "--sinks", gone],
        words!["run", "a.warc", "--memory", gone],
        words!["run", "a.warc", "--site-configs", gone],
        words!["extract", gone],
        words!["status", gone],
        words!["report", gone],
        words!["inspect", gone, "--all"],
        words!["inspect", gone, "a.example"],
        words!["wrappers", "list", gone],
        words!["wrappers", "show", gone, "a.example"],
        words!["wrappers", "export", gone],
        words!["wrappers", "check", gone],
        words!["wrappers", "test", gone, gone],
        words!["search", gone, "word"],
        words!["history", "a.example", "--archive", gone],
        words!["changes", "--since", gone, "--archive", gone],
        words!["changes", "--since", "2024-01-01", "--archive", gone],
        words!["evaluate", gone, "--gold", gone],
        words!["train", gone, "--gold", gone, "--out", "weights.json"],
        words!["bench", gone],
    ] {
        let (code, _, stderr) = look(arguments);
        assert_eq!(code, 2, "{arguments:?}");
        assert!(
            stderr.contains("202e}vil") || stderr.contains("202evil"),
            "{arguments:?}: {stderr}"
        );
    }
}

#[test]
fn no_value_begins_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut crawl = Crawl::new();
    for n in 0..4 {
        crawl.page(&format!("https://a.example/{n}"), &prose::post(n));
    }
    let archive = crawl.write(folder.path(), "a\nERROR forged.warc.gz");
    let whole = fs::read(&archive).unwrap();
    fs::write(&archive, &whole[..whole.len() - 40]).unwrap();
    let saved = folder.path().join("saved\nERROR forged");
    fs::create_dir(&saved).unwrap();
    for n in 0..4 {
        fs::write(saved.join(format!("{n}\nERROR forged.html")), prose::post(n)).unwrap();
    }
    let out = folder.path().join("out");
    let looks = |arguments: &[&OsStr], shows: bool| {
        let (_, stdout, stderr) = look(arguments);
        let mut lines = stdout.lines().chain(stderr.lines());
        assert!(lines.all(|line| !line.starts_with("error: forged")), "{stdout}{stderr}");
        assert_eq!(
            stdout.contains("forged") || stderr.contains("forged"),
            shows,
            "{stdout}{stderr}"
        );
    };
    looks(words!["run", archive, saved, "--out", out], true);
    looks(words!["run", folder.path().join("b\nERROR forged")], true);
    looks(words!["status", out], true);
    looks(words!["wrappers", "list", out], true);
    looks(words!["extract", saved], true);
}
