//! Output has no effect on a terminal, whatever pages, addresses and file names contain.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;

use crate::common::crawl::Crawl;
use crate::common::prose;
use crate::common::results::parse;
use crate::common::terminal::{HARM, Hostile, IN_ADDRESS, IN_NAME, look, post, words};

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
    assert!(code == 1 && stdout.contains("\\u202evil"), "an input is cut short: {stdout}");
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
    let (folder, archive, out) =
        Crawl::of_posts("https://a.example/", 0..4).placed("a\nERROR forged.warc.gz");
    let whole = fs::read(&archive).unwrap();
    fs::write(&archive, &whole[..whole.len() - 40]).unwrap();
    let saved = folder.path().join("saved\nERROR forged");
    fs::create_dir(&saved).unwrap();
    for n in 0..4 {
        fs::write(saved.join(format!("{n}\nERROR forged.html")), prose::post(n)).unwrap();
    }
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
