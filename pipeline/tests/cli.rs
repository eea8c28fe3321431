//! General behaviour of the command line.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

mod common;
use common::crawl::Crawl;
use common::program::{PATH, call, parts};
use common::prose;
use common::results::{parse, text};

const COMMANDS: [&str; 19] = [
    "run",
    "survey",
    "learn",
    "apply",
    "merge",
    "status",
    "extract",
    "export",
    "search",
    "inspect",
    "report",
    "wrappers",
    "models",
    "history",
    "changes",
    "evaluate",
    "train",
    "bench",
    "completions",
];

/// A folder with a small archive in it.
fn small() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let mut crawl = Crawl::new();
    for n in 0..4 {
        crawl.page(&format!("https://small.example/notes/{n}"), &prose::post(n));
    }
    let archive = crawl.write(folder.path(), "small.warc.gz");
    (folder, archive)
}

fn words(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn help_of_every_command_shows_examples() {
    let (code, stdout, _) = parts(&call(&["--help"]));
    assert_eq!(code, 0);
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
        let (code, stdout, _) = parts(&call(arguments));
        assert_eq!(code, 0);
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
        let file = folder.path().join("script");
        fs::write(&file, script).unwrap();
        if let Ok(status) = Command::new(shell).arg("-n").arg(&file).status() {
            assert!(status.success(), "{shell} finds the script malformed");
        }
    }
    assert_eq!(parts(&call(&["completions", "abacus"])).0, 2);
}

#[test]
fn quiet_is_silent_and_a_pipe_gets_no_colours() {
    let (folder, archive) = small();
    let call_run = |out: &str, more: &[&str]| {
        let out = folder.path().join(out);
        let mut arguments = vec!["run", words(&archive), "--out", words(&out)];
        arguments.extend(more);
        parts(&call(&arguments))
    };
    assert_eq!(call_run("quiet", &["--quiet"]), (0, String::new(), String::new()));
    let (code, stdout, stderr) = call_run("loud", &[]);
    assert_eq!((code, stderr.as_str()), (0, ""), "nothing but the summary is said");
    assert!(stdout.starts_with("4 articles from 4 pages of 1 sites"), "{stdout}");
    assert!(stdout.contains("small.example") && stdout.contains("articles.jsonl"), "{stdout}");
    assert!(!stdout.contains('\x1b') && !stdout.contains('\r'));
    // Errors are printed nevertheless, and without colours.
    let missing = folder.path().join("missing.warc");
    let (code, _, stderr) = parts(&call(&["run", words(&missing), "--quiet"]));
    assert_eq!(code, 2);
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
    let place = words(folder.path());
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
