//! General behaviour of the command line.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

use crate::common::crawl::{Crawl, gzip, small};
use crate::common::help::{all_commands, assert_has_one_format, assert_help_is_not_ragged};
use crate::common::program::{PATH, call, parts, refuse, succeed, word, write_file};
use crate::common::prose;
use crate::common::results::{parse, text};

const COMMANDS: [&str; 20] = [
    "run", "survey", "learn", "apply", "describe", "merge", "status", "extract", "export",
    "search", "inspect", "labels", "report", "wrappers", "models", "history", "changes", "correct",
    "completions", "man",
];

#[test]
fn help_of_every_command_shows_examples() {
    let stdout = succeed(&["--help"]);
    for command in COMMANDS {
        assert!(stdout.contains(&format!("\n  {command} ")), "--help lacks {command}\n{stdout}");
        let (code, stdout, stderr) = parts(&call(&[command, "--help"]));
        assert_eq!((code, stderr.as_str()), (0, ""), "{command}");
        assert!(stdout.contains("Example"), "{command} --help has no examples");
        assert!(stdout.contains(&format!("  sitegrove {command} ")), "{command}: {stdout}");
    }
    let listed =
        stdout.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| !l.is_empty());
    assert_eq!(listed.count(), COMMANDS.len() + 1, "a command is not tested here\n{stdout}");
    let (_, help, _) = parts(&call(&["run", "--help"]));
    for code in ["0 success", "1 finished", "2 could not run", "130 stopped"] {
        assert!(help.contains(code), "exit code `{code}` is not documented\n{help}");
    }
}

#[test]
fn version_is_that_of_the_package() {
    for arguments in [&["--version"][..], &["run", "--version"]] {
        let stdout = succeed(arguments);
        assert!(stdout.starts_with("sitegrove") && stdout.contains(env!("CARGO_PKG_VERSION")));
    }
}

#[test]
fn completions_for_the_usual_shells() {
    for shell in ["bash", "zsh", "fish"] {
        let (code, script, stderr) = parts(&call(&["completions", shell]));
        assert_eq!((code, stderr.as_str()), (0, ""), "{shell}");
        for word in COMMANDS.iter().chain(&["overwrite", "log-format"]) {
            assert!(script.contains(word), "{shell} does not complete {word}");
        }
        // If the shell is installed, it must accept the script.
        let folder = tempfile::tempdir().unwrap();
        let file = write_file(folder.path(), "script", script);
        if let Ok(status) = Command::new(shell).arg("-n").arg(&file).status() {
            assert!(status.success(), "{shell} finds the script malformed");
        }
    }
    assert_eq!(parts(&call(&["completions", "abacus"])).0, 2);
}

#[test]
fn every_command_has_a_man_page() {
    let folder = tempfile::tempdir().unwrap();
    let man = folder.path().join("share/man1");
    let (code, stdout, stderr) = parts(&call(&["man", word(&man)]));
    assert_eq!((code, stderr.as_str()), (0, ""));
    let pages: BTreeMap<String, String> = (fs::read_dir(&man).unwrap().flatten())
        .map(|entry| {
            (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap())
        })
        .collect();
    assert!(stdout.starts_with(&format!("{} man pages in ", pages.len())), "{stdout}");
    assert!(pages.contains_key("sitegrove.1"));
    for command in COMMANDS {
        let page = &pages[&format!("sitegrove-{command}.1")];
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES"] {
            assert!(
                page.contains(&format!(".SH {section}\n")),
                "{command} has no {section}\n{page}"
            );
        }
    }
    let run = &pages["sitegrove-run.1"];
    assert!(run.contains(".SH \"EXIT STATUS\"") && run.contains("\\-\\-compare"), "{run}");
    // Commands of commands have pages, too.
    assert!(pages.contains_key("sitegrove-wrappers-export.1"));
    // If a formatter is installed, it finds nothing wrong, and examples are lines of their own.
    for (name, page) in &pages {
        let file = man.join(name);
        let Ok(shown) =
            Command::new("groff").args(["-man", "-Tutf8", "-ww", "-Kutf8"]).arg(&file).output()
        else {
            continue;
        };
        let (code, text, warnings) = parts(&shown);
        assert_eq!((code, warnings.as_str()), (0, ""), "{name}");
        let plain: String = text
            .split('\x1b')
            .map(|part| part.split_once('m').map_or(part, |(_, rest)| rest))
            .collect();
        let examples = page.matches("\n  sitegrove ").count();
        let lines = plain.lines().filter(|line| line.trim_start().starts_with("sitegrove "));
        assert!(lines.count() >= examples, "{name}: {plain}");
    }
    // The same bytes every time.
    let again = folder.path().join("again");
    assert_eq!(parts(&call(&["man", word(&again)])).0, 0);
    assert_eq!(fs::read(again.join("sitegrove.1")).unwrap(), pages["sitegrove.1"].as_bytes());
    // A file in the way is named.
    let (code, _, stderr) = parts(&call(&["man", word(&man.join("sitegrove.1"))]));
    assert!(code == 2 && stderr.contains("sitegrove.1"), "{stderr}");
}

#[test]
fn quiet_is_silent_and_a_pipe_gets_no_colours() {
    let (folder, archive, _) = small();
    let call_run = |out: &str, more: &[&str]| {
        let out = folder.path().join(out);
        let mut arguments = vec!["run", word(&archive), "--out", word(&out)];
        arguments.extend(more);
        parts(&call(&arguments))
    };
    assert_eq!(call_run("quiet", &["--quiet"]), (0, String::new(), String::new()));
    let (code, stdout, stderr) = call_run("loud", &[]);
    assert_eq!((code, stderr.as_str()), (0, ""), "nothing but the summary is said");
    assert!(stdout.starts_with("4 articles from 4 pages of 1 site in"), "{stdout}");
    assert!(stdout.contains("small.example") && stdout.contains("articles.jsonl"), "{stdout}");
    assert!(!stdout.contains('\x1b') && !stdout.contains('\r'));
    // Errors are printed nevertheless, and without colours.
    let missing = folder.path().join("missing.warc");
    let stderr = refuse(&["run", word(&missing), "--quiet"]);
    assert!(stderr.contains("missing.warc") && !stderr.contains('\x1b'), "{stderr:?}");
}

#[test]
fn log_lines_are_json_where_asked() {
    for arguments in [
        &["--log-format", "json", "run", "missing.warc"][..],
        &["run", "missing.warc", "--log-format", "json"],
        &["extract", "missing.html", "--log-format", "json"],
    ] {
        let (code, stdout, stderr) = parts(&call(arguments));
        assert_eq!((code, stdout.as_str()), (2, ""));
        assert!(!stderr.is_empty());
        for line in stderr.lines().map(parse) {
            assert_eq!(line["level"], "ERROR");
            assert!(text(&line["fields"], "message").contains("missing"), "{line}");
        }
    }
}

#[test]
fn a_reader_that_stops_reading_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    // More than a pipe buffer, so that the writer must notice.
    let long = format!("<p>{}</p>", "Long words about long things, and so on. ".repeat(3000));
    for n in 0..4 {
        let page = prose::post_with(n, "", &long);
        fs::write(folder.path().join(format!("{n}.html")), page).unwrap();
    }
    let place = word(folder.path());
    for arguments in [
        &["extract", place][..],
        &["extract", place, "--format", "json"],
        &["extract", place, "--format", "html"],
        &["completions", "bash"],
        &["run", place, "--overwrite", "--out", &format!("{place}/out")],
        &["--help"],
    ] {
        for first in [0, 10] {
            let mut child = Command::new(PATH)
                .args(arguments)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut stdout = child.stdout.take().unwrap();
            stdout.read_exact(&mut vec![0; first]).unwrap();
            drop(stdout);
            let (code, _, stderr) = parts(&child.wait_with_output().unwrap());
            assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
        }
    }
}

#[test]
fn help_is_not_ragged() {
    let commands = all_commands();
    assert!(commands.len() > 30, "{commands:?}");
    for command in std::iter::once(Vec::new()).chain(commands) {
        assert_help_is_not_ragged(&command);
    }
}

#[test]
fn one_option_for_the_output_format() {
    // Their output is a script, a page, documents, or a file of corrections.
    let others = ["completions", "man", "inspect", "report", "export article", "correct"];
    for command in all_commands() {
        if !others.contains(&&*command.join(" ")) {
            assert_has_one_format(&command);
        }
    }
}

#[test]
fn messages_have_a_level_a_place_and_a_next_step() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.sqlite");
    let missing = word(&missing);
    let arguments = ["history", "--archive", missing, "a.example/1"];
    let (code, stdout, stderr) = parts(&call(&arguments));
    assert_eq!((code, stdout.as_str()), (2, ""));
    let next = "`sitegrove run … --archive FILE` makes one";
    assert_eq!(stderr, format!("error: {missing}: there is no such archive; {next}\n"));
    let (_, _, stderr) = parts(&call(&[&arguments[..], &["--log-format", "json"]].concat()));
    let event = parse(stderr.trim());
    let fields = &event["fields"];
    assert_eq!(event["level"], "ERROR");
    assert_eq!(fields["message"], "there is no such archive");
    assert_eq!((&fields["at"], &fields["next"]), (&missing.into(), &next.into()));
    // Wrong arguments are messages, too.
    let stderr = refuse(&["run", "--colour", "--log-format", "json"]);
    let fields = &parse(stderr.trim())["fields"];
    assert_eq!(fields["message"], "unexpected argument '--colour' found");
    assert_eq!(fields["next"], "to pass '--colour' as a value, use '-- --colour'");
}

#[test]
fn verbosity() {
    let (folder, archive, _) = small();
    let earlier = folder.path().join("out");
    assert_eq!(parts(&call(&["run", word(&archive), "-o", word(&earlier), "-q"])).0, 0);
    let inputs = word(folder.path());
    let again = |more: &[&str]| {
        let out = folder.path().join("again");
        let arguments =
            [&["run", inputs, "-j", "1", "--overwrite", "-o", word(&out)], more].concat();
        parts(&call(&arguments))
    };
    let (_, stdout, stderr) = again(&[]);
    let skipped = format!("warning: {}: skipping the folder of an earlier run", word(&earlier));
    assert!(stderr.starts_with(&skipped) && !stdout.is_empty(), "{stderr}");
    // Its own folder, which is among the inputs, is no surprise.
    let (_, _, stderr) = again(&[]);
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert_eq!(again(&["--quiet"]), (0, String::new(), String::new()));
    let (run, page) = (word(&earlier), folder.path().join("page.html"));
    for arguments in [
        &["report", run][..],
        &["inspect", run, "small.example", "--out", word(&page)],
        &["wrappers", "export", run, "--out", word(&folder.path().join("wrappers"))],
        &["export", "article", "--run", run, "--out", word(&folder.path().join("documents"))],
        &["man", word(&folder.path().join("man"))],
    ] {
        let (code, stdout, _) = parts(&call(arguments));
        assert!(code == 0 && !stdout.is_empty(), "{arguments:?}");
        let quiet = parts(&call(&[arguments, &["-q"]].concat()));
        assert_eq!(quiet, (0, String::new(), String::new()), "{arguments:?}");
    }
    let (code, _, stderr) = again(&["-q", "-v"]);
    assert!(code == 2 && stderr.contains("cannot be used with"), "{stderr}");
    assert_eq!(again(&["-vv"]).0, 0);
}

#[test]
fn settings_without_effect_are_reported() {
    let (folder, archive, out) = small();
    let settings = folder.path().join("own.toml");
    for (text, more, expected) in [
        (
            "[signify]\ntop = 50\n",
            &["--engine", "euclid"][..],
            "warning: signify.top: has no effect with the engine euclid; these engines use it: forest, ",
        ),
        (
            "[rank]\nfast_path = false\n",
            &["--engine", "forest"],
            "warning: rank.fast_path: has no effect with the engine forest; these engines use it: grove\n",
        ),
        (
            "[signify]\ntop = 50\n",
            &[],
            "warning: signify.top: has no effect with the engine grove; these engines use it: forest, ",
        ),
        ("[signify]\ntop = 10\n", &["--engine", "euclid"], ""),
    ] {
        fs::write(&settings, text).unwrap();
        let arguments =
            [&["run", word(&settings), word(&archive), "--overwrite", "-o", word(&out)], more];
        let (code, _, stderr) = parts(&call(&arguments.concat()));
        assert_eq!(code, 0, "{stderr}");
        assert!(
            stderr.starts_with(expected) && stderr.is_empty() == expected.is_empty(),
            "{stderr}"
        );
    }
}

#[test]
fn an_input_that_is_no_archive_is_named_with_what_it_is() {
    let (folder, archive, out) = small();
    let write = |name: &str, bytes: &[u8]| write_file(folder.path(), name, bytes);
    for (name, bytes, what) in [
        ("paper.pdf", &b"%PDF-1.7 ..."[..], "is a PDF document, not an archive or an HTML page"),
        ("empty.warc.gz", b"", "is an empty file, not an archive or an HTML page"),
        ("a.warc", b"only words", "is text, not an archive or an HTML page"),
        ("c.warc.gz", &gzip(b"words"), "is text in a gzip file, not an archive or an HTML page"),
    ] {
        let bad = write(name, bytes);
        let expected = format!("warning: {}: {what}; no page was read from it\n", word(&bad));
        let with = ["run", word(&archive), word(&bad), "--overwrite", "-o", word(&out)];
        let (code, _, stderr) = parts(&call(&with));
        assert_eq!((code, stderr.as_str()), (0, &*expected), "beside a good one");
        let alone = ["run", word(&bad), "--overwrite", "-o", word(&out)];
        let (code, _, stderr) = parts(&call(&alone));
        assert!(code == 1 && stderr.starts_with(&expected), "{stderr}");
        assert!(stderr.contains("\nerror: no page was found in the inputs; give "), "{stderr}");
    }
    let cut = write("b.warc", b"WARC/1.1\r\n");
    let with = ["run", word(&archive), word(&cut), "--overwrite", "-o", word(&out)];
    let (_, _, stderr) = parts(&call(&with));
    let told = "b.warc: is a WARC archive without a readable record; no page was read from it";
    assert!(stderr.contains(told), "{stderr}");
}

#[test]
fn the_summary_fits_the_terminal() {
    let mut crawl = Crawl::new();
    for n in 0..4 {
        let wrap = |html: String| html.replace("<p>", "<p class='a-rather-long-name-of-a-class'>");
        let site = "https://a-rather-long-name-of-a-site-on-the-web.example";
        crawl.page(&format!("{site}/notes/{n}"), &wrap(prose::post(n)));
    }
    let (_folder, archive, out) = crawl.placed("long.warc.gz");
    // Not a terminal: 80 columns. Paths cannot be broken.
    let stdout = succeed(&["run", word(&archive), "-o", word(&out)]);
    let fits = |line: &&str| line.chars().count() <= 80 || line.contains(word(&out));
    assert!(stdout.lines().all(|line| fits(&line)), "{stdout}");
    assert!(
        stdout.contains("a-rather-long…-web.example"),
        "the name is shortened in the middle: {stdout}"
    );
    assert!(!stdout.contains("normalize-space"), "{stdout}");
    let (_, stdout, _) =
        parts(&call(&["run", word(&archive), "-o", word(&out), "--overwrite", "--format", "json"]));
    let summary = parse(stdout.trim());
    assert_eq!(summary["counts"]["articles"], 4);
    assert!(summary["outputs"]["jsonl"].as_str().unwrap().ends_with("articles.jsonl"));
}

#[test]
fn progress_is_a_line_every_ten_seconds_without_a_terminal() {
    let (_folder, archive, out) = small();
    let bytes = fs::read(&archive).unwrap();
    for (more, expected) in [(&[][..], "reading "), (&["--log-format", "json"], "{")] {
        let mut child = Command::new(PATH)
            .args(["run", "-", "--overwrite", "-o", word(&out)])
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, &bytes[..bytes.len() / 2]).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(10_500));
        std::io::Write::write_all(&mut stdin, &bytes[bytes.len() / 2..]).unwrap();
        drop(stdin);
        let (code, _, stderr) = parts(&child.wait_with_output().unwrap());
        assert_eq!((code, stderr.lines().count()), (0, 1), "{stderr}");
        assert!(stderr.starts_with(expected), "{stderr}");
        if expected == "{" {
            let fields = &parse(stderr.trim())["fields"];
            assert_eq!((&fields["phase"], &fields["of"]), (&"reading".into(), &0.into()));
            assert!(fields["bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{stderr}");
        }
    }
}

/// A summary that cannot be printed does not make a run fail whose files are complete.
#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_a_warning_where_the_results_are_files() {
    let (folder, archive, out) = small();
    let to_full = |arguments: &[&str]| {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        parts(&Command::new(PATH).args(arguments).stdout(full).output().unwrap())
    };
    let run = ["run", word(&archive), "--out", word(&out)];
    let (code, _, stderr) = to_full(&run);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("warning: cannot print") && stderr.contains("complete"), "{stderr}");
    let book = folder.path().join("book.epub");
    let export = ["export", "article", "--run", word(&out), "--out", word(&book)];
    let (code, _, stderr) = to_full(&export);
    assert_eq!((code, book.exists()), (0, true), "{stderr}");
    // What a command prints is its result.
    let (code, _, stderr) = to_full(&["extract", word(&archive)]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("No space left on device"), "{stderr}");
}

/// Messages that cannot be printed end nothing.
#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_error_changes_nothing() {
    let (folder, archive, out) = small();
    let to_full = |arguments: &[&str]| {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        Command::new(PATH).args(arguments).stderr(full).output().unwrap().status.code()
    };
    let run = ["run", word(&archive), "--memory", "1MB", "--out", word(&out)];
    for format in ["text", "json"] {
        let warned = [&run[..], &["--overwrite", "--log-format", format]].concat();
        assert_eq!(to_full(&warned), Some(0), "{format}");
        assert!(out.join("articles.jsonl").exists());
    }
    let nowhere = folder.path().join("nowhere");
    assert_eq!(to_full(&["run", word(&nowhere)]), Some(2));
    assert_eq!(to_full(&["status", word(&nowhere)]), Some(2));
}
