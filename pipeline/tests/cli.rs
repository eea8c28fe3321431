//! The command line as people expect it.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

mod common;
use common::crawl::Crawl;
use common::program::{PATH, call, parts, run, sitegrove};
use common::prose;
use common::results::{files, parse, text};

const COMMANDS: [&str; 5] = ["run", "extract", "evaluate", "bench", "completions"];

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
    for code in ["0 done", "1 done", "2 could not run", "130 stopped"] {
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
        // Where the shell is there, it must find the script well-formed.
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("script");
        fs::write(&file, script).unwrap();
        if let Ok(status) = Command::new(shell).arg("-n").arg(&file).status() {
            assert!(status.success(), "{shell} finds the script malformed");
        }
    }
    assert_eq!(parts(&call(&["completions", "abacus"])).0, 2);
}

/// Calls `run` with something wrong: exit code 2, a message that names it, and no output folder.
fn refused(arguments: &[&str], named: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut all = vec!["run", "--out", words(&out)];
    all.extend(arguments);
    let (code, stdout, stderr) = parts(&call(&all));
    assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}: {stderr}");
    for name in named {
        assert!(
            stderr.contains(name),
            "{arguments:?}: the message does not say `{name}`: {stderr}"
        );
    }
    assert!(!stderr.contains('\x1b') && !stderr.contains("panicked"), "{stderr}");
    assert!(!out.exists(), "{arguments:?}: the output folder was made all the same");
}

#[test]
fn what_is_wrong_is_said_before_any_work() {
    let (folder, archive) = small();
    let (place, archive) = (folder.path(), words(&archive));
    let missing = place.join("missing.warc.gz");
    refused(&[archive, words(&missing)], &["missing.warc.gz"]);
    refused(&[archive, "--feeds", words(&place.join("nofeeds"))], &["nofeeds"]);
    refused(&[words(&place.join("*.zip"))], &["*.zip"]);
    refused(&[words(&place.join("no.toml"))], &["no.toml"]);
    refused(&[], &["inputs"]);
    let empty = place.join("empty");
    fs::create_dir(&empty).unwrap();
    refused(&[words(&empty)], &["empty", "archives or HTML"]);
    refused(&[archive, "--feeds", words(&empty)], &["empty", "feeds"]);
    // Every problem at once.
    refused(&[words(&missing), words(&place.join("*.zip"))], &["missing.warc.gz", "*.zip"]);

    refused(&[archive, "--colour", "red"], &["--colour"]);
    refused(&[archive, "--engine", "oracle"], &["oracle", "forest", "euclid"]);
    refused(&[archive, "--signifiers", "stars"], &["stars", "tfidf", "feeds"]);
    refused(&[archive, "--jobs", "many"], &["many", "--jobs"]);
    assert_eq!(parts(&call(&["harvest"])).0, 2);
    let (code, _, stderr) = parts(&call::<&str>(&[]));
    assert_eq!(code, 2);
    assert!(stderr.contains("Usage"), "{stderr}");
}

#[test]
fn what_is_wrong_in_a_configuration_is_named() {
    let (folder, archive) = small();
    for (settings, named) in [
        ("[signify]\ntopp = 3", &["signify.topp", "weighting"][..]),
        ("[signfy]\ntop = 3", &["signfy", "signify"]),
        ("[run]\njobs = 'four'", &["jobs"]),
        ("[signify]\nsource = 'stars'", &["stars", "tfidf"]),
        ("[rank]\nengine = 'oracle'", &["oracle", "forest"]),
        ("signify = 3", &["signify", "table"]),
        ("[signify\ntop = 3", &["c.toml", "line 1"]),
        ("[run]\ninputs = ['missing.warc']", &["missing.warc"]),
    ] {
        let file = folder.path().join("c.toml");
        fs::write(&file, settings).unwrap();
        let named: Vec<&str> = named.iter().copied().collect();
        refused(&[words(&file), words(&archive)], &named);
    }
    // Paths are relative to the file, flags win over it.
    let file = folder.path().join("good.toml");
    fs::write(&file, "[run]\ninputs = ['small.warc.gz']\nout = 'there'\n[rank]\nengine = 'blocks'")
        .unwrap();
    assert_eq!(parts(&call(&["run", words(&file)])).0, 0);
    let there = common::results::Results::read(&folder.path().join("there"));
    assert_eq!((there.articles.len(), text(&there.ledger, "engine")), (4, "blocks"));
    let results = run(&[&file], &folder.path().join("here"), &["--engine", "density"]);
    assert_eq!(text(&results.ledger, "engine"), "density");
}

#[test]
fn an_output_folder_that_holds_something_else_is_left_alone() {
    let (folder, archive) = small();
    let out = folder.path().join("out");
    run(&[&archive], &out, &[]);
    let before = files(&out);
    // The same run again is welcome.
    run(&[&archive], &out, &[]);
    let attempt = |more: &[&str]| {
        let mut arguments = vec!["run", words(&archive), "--out", words(&out)];
        arguments.extend(more);
        parts(&call(&arguments))
    };
    let (code, _, stderr) = attempt(&["--engine", "density"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("--overwrite") && stderr.contains(words(&out)), "{stderr}");
    let after = files(&out);
    assert_eq!(before["articles.jsonl"], after["articles.jsonl"]);
    assert_eq!(attempt(&["--engine", "density", "--overwrite"]).0, 0);
    assert_ne!(before["articles.jsonl"], files(&out)["articles.jsonl"]);

    // Other inputs of the same name are another run.
    let mut crawl = Crawl::new();
    crawl.page("https://other.example/notes/1", &prose::post(1));
    crawl.write(folder.path(), "small.warc.gz");
    assert_eq!(attempt(&["--engine", "density"]).0, 2);
    assert_eq!(attempt(&["--engine", "density", "--overwrite"]).0, 0);
    let wrappers = files(&out.join("wrappers"));
    assert_eq!(wrappers.keys().collect::<Vec<_>>(), ["other.example.json"], "stale wrappers stay");

    // Somebody's folder.
    let theirs = folder.path().join("theirs");
    fs::create_dir(&theirs).unwrap();
    fs::write(theirs.join("thesis.tex"), "years of work").unwrap();
    let arguments = ["run", words(&archive), "--out", words(&theirs)];
    let (code, _, stderr) = parts(&call(&arguments));
    assert_eq!(code, 2, "{stderr}");
    assert_eq!(files(&theirs).len(), 1);
    run(&[&archive], &theirs, &["--overwrite"]);
    assert_eq!(fs::read_to_string(theirs.join("thesis.tex")).unwrap(), "years of work");
}

#[test]
fn an_output_place_that_cannot_be() {
    let (folder, archive) = small();
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    for (out, named) in [(file.clone(), "is a file"), (file.join("below"), "cannot create")] {
        let (code, _, stderr) = parts(&call(&["run", words(&archive), "--out", words(&out)]));
        assert_eq!(code, 2);
        assert!(stderr.contains(named) && stderr.contains(words(&out)), "{stderr}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "x");
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
    // Errors are said even so, and without colours.
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
    // More than a pipe holds, so that the writer must notice.
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

#[cfg(target_os = "linux")]
#[test]
fn an_input_that_cannot_be_read_to_its_end_gives_exit_code_1() {
    let (folder, archive) = small();
    // Opens, but its first page cannot be read.
    let broken = folder.path().join("broken.warc");
    std::os::unix::fs::symlink("/proc/self/mem", &broken).unwrap();
    let out = folder.path().join("out");
    let mut command = sitegrove();
    command.arg("run").args([&archive, &broken]).arg("--out").arg(&out);
    let (code, _, stderr) = parts(&command.output().unwrap());
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("broken.warc"), "{stderr}");
    let results = common::results::Results::read(&out);
    assert_eq!(results.articles.len(), 4);
    assert!(results.ledger["unreadable"][0].as_str().unwrap().contains("broken.warc"));
    // One that cannot be opened stops the run before it begins.
    fs::remove_file(&broken).unwrap();
    fs::write(&broken, "x").unwrap();
    fs::set_permissions(&broken, std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    if fs::File::open(&broken).is_err() {
        refused(&[words(&archive), words(&broken)], &["broken.warc", "cannot read"]);
    }
}
