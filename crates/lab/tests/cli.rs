//! The command line of `sitegrove-lab`. What it shares with that of the program is tested there.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::process::ExitStatusExt;

mod common;
use common::help::{all_commands, assert_has_one_format, assert_help_is_not_ragged};
use common::program::{call, in_repository, parts};
use common::prose;
use common::results::{parse, text};
use common::terminal::{HARM, Hostile, IN_ADDRESS, IN_NAME, look, words};
use common::waiting::{ended, waiting, with_pipe};

const COMMANDS: [&str; 6] = ["evaluate", "recover", "train", "calibrate", "corrections", "bench"];

#[test]
fn help_of_every_command_shows_examples() {
    let (code, stdout, _) = parts(&call(&["--help"]));
    assert_eq!(code, 0);
    assert!(stdout.contains("Examples:\n  sitegrove-lab evaluate "), "{stdout}");
    for command in COMMANDS {
        let (code, stdout, stderr) = parts(&call(&[command, "--help"]));
        assert_eq!((code, stderr.as_str()), (0, ""), "{command}");
        assert!(stdout.contains(&format!("\n  sitegrove-lab {command} ")), "{command}: {stdout}");
    }
    assert_eq!(all_commands(), COMMANDS.map(|name| vec![name.to_owned()]), "{stdout}");
    for command in all_commands() {
        assert_help_is_not_ragged(&command);
        assert_has_one_format(&command);
    }
    assert_help_is_not_ragged(&[]);
}

#[test]
fn version_is_that_of_the_package() {
    for arguments in [&["--version"][..], &["evaluate", "--version"]] {
        let (code, stdout, _) = parts(&call(arguments));
        assert_eq!(code, 0);
        assert!(stdout.starts_with("sitegrove-lab") && stdout.contains(env!("CARGO_PKG_VERSION")));
    }
}

#[test]
fn numbers_that_are_none_are_told_in_plain_words() {
    let (code, _, stderr) = parts(&call(&["bench", "a.warc.gz", "--rounds", "1.5"]));
    let told = "'--rounds <N>': give a whole number\n";
    assert!(code == 2 && stderr.contains(told), "{stderr}");
}

#[test]
fn log_lines_are_json_where_asked() {
    let arguments = ["bench", "missing.warc", "--log-format", "json"];
    let (code, stdout, stderr) = parts(&call(&arguments));
    assert_eq!((code, stdout.as_str()), (2, ""));
    let event = parse(stderr.trim());
    assert_eq!(event["level"], "ERROR");
    assert!(text(&event["fields"], "message").contains("missing"), "{event}");
}

#[test]
fn a_signal_ends_commands_that_have_nothing_to_tidy_up() {
    let (_folder, pipe) = with_pipe();
    let pipe = pipe.to_str().unwrap();
    let train = ["train", pipe, "--gold", pipe, "--out", "weights"];
    let status = ended(waiting(&train), "-TERM").status;
    assert_eq!(status.signal(), Some(15), "{status}");
    let list = format!("@{pipe}");
    let (code, _, stderr) = parts(&ended(waiting(&["bench", &list]), "-TERM"));
    assert_eq!(code, 130, "{stderr}");
}

/// As with the program's own commands, an output replaces neither an input nor a file of another kind.
#[test]
fn outputs_replace_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let gold = in_repository("data/gold.jsonl").to_str().unwrap().to_owned();
    let own_gold = at("gold.jsonl");
    fs::copy(&gold, &own_gold).unwrap();
    let crawl = in_repository("data/crawl").to_str().unwrap().to_owned();
    let (run, models) = (at("run"), at("models.sqlite"));
    assert_eq!(parts(&call(&["run", &crawl, "--out", &run, "--models", &models])).0, 0);
    let (new, articles) = (at("new.json"), at("run/articles.jsonl"));
    for (arguments, named) in [
        (
            vec!["train", "--gold", &own_gold, "--out", &own_gold, &crawl],
            ["gold.jsonl (--out)", "gold.jsonl (--gold)"],
        ),
        (
            vec!["train", "--gold", &own_gold, "--out", &new, "--held-out", &new, &crawl],
            ["new.json (--out)", "new.json (--held-out)"],
        ),
        (
            vec!["evaluate", &run, "--gold", &gold, "--out", &models],
            ["models.sqlite", "is a model store, not text"],
        ),
        (vec!["evaluate", &run, "--gold", &gold, "--out", &articles], ["(--out)", "(RUN)"]),
    ] {
        let (code, _, stderr) = parts(&call(&arguments));
        assert!(code == 2 && named.iter().all(|name| stderr.contains(name)), "{code}: {stderr}");
    }
    assert_eq!(fs::read(&own_gold).unwrap(), fs::read(&gold).unwrap());
}

#[test]
fn nothing_of_a_page_or_of_gold_acts_on_the_terminal() {
    let hostile = Hostile::make();
    let out = hostile.at("out");
    look(words!["run", hostile.archive, hostile.pages, "--out", out]);
    look(words!["recover", hostile.archive, hostile.pages, "--together", "1", "--worst", "9"]);
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
        words![format!("--{gone}")],
        words!["evaluate", gone, "--gold", gone],
        words!["recover", gone],
        words!["train", gone, "--gold", gone, "--out", "weights.json"],
        words!["bench", gone],
    ] {
        let (code, _, stderr) = look(arguments);
        assert_eq!(code, 2, "{arguments:?}");
        let is_shown = stderr.contains("202e}vil") || stderr.contains("202evil");
        assert!(is_shown, "{arguments:?}: {stderr}");
    }
}
