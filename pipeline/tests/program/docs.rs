//! Checks the examples in README.md and docs/: every command in the folder that a reader would use,
//! every query, every setting, and every option of a script.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::documents::{
    Block, as_given_here, assert_ends_well, blocks, commands, documents, shell, workplace,
};
use crate::common::program::{in_repository, parts, repository, write_file};
use crate::common::results::parse;

/// Whether a command is of the program. `crates/lab/tests/docs.rs` runs those of the lab.
fn is_of_the_program(command: &str) -> bool {
    as_given_here(command).starts_with("sitegrove ")
}

#[test]
fn commands_do_what_they_are_shown_to_do() {
    let (mut ran, mut wrong) = (0, String::new());
    for block in blocks() {
        let commands = commands(&block);
        if !block.language.is_empty() || !commands.iter().any(|line| is_of_the_program(line)) {
            continue;
        }
        let folder = workplace();
        for command in commands {
            let shown = format!("{}:{}: {command}", block.document, block.line);
            if !is_of_the_program(&command) {
                continue;
            }
            let line = as_given_here(&command);
            let (code, stdout, stderr) = parts(&shell(folder.path(), &line));
            if code != 0 || stdout.is_empty() || stdout.contains("\"total\": 0") {
                wrong += &format!("{shown}\nexit code {code}\n{stdout}{stderr}\n");
            }
            ran += 1;
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(ran >= 40, "only {ran} commands were run");
}

#[test]
fn jq_finds_what_it_is_shown_to_look_for() {
    assert!(Command::new("jq").arg("--version").output().is_ok(), "this test needs jq");
    let folder = workplace();
    let run = "sitegrove run configs/quickstart.toml --out out/quickstart";
    assert_ends_well(&shell(folder.path(), run), run);
    let mut ran = 0;
    for block in blocks().iter().filter(|block| block.text.starts_with("jq ")) {
        for command in commands(block) {
            let stdout = assert_ends_well(&shell(folder.path(), &command), &command);
            // The sample crawl has no page without an article.
            let expects_none = command.contains("\"no-article\"");
            assert_eq!(stdout.is_empty(), expects_none, "{command}\n{stdout}");
            assert!(!stdout.contains(": null"), "{command}\n{stdout}");
            ran += 1;
        }
    }
    assert!(ran >= 3, "only {ran} commands were run");
}

/// Writes a program for the path of a folder's [`shell`].
fn program_in(folder: &Path, name: &str, script: &str) {
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).unwrap();
    fs::write(bin.join(name), format!("#!/bin/bash\n{script}")).unwrap();
    fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_script_of_a_night_keeps_what_it_promises() {
    let (is_script, folder) = (|text: &str| text.starts_with("#!/bin/sh"), workplace());
    let script = blocks().into_iter().find(|block| is_script(&block.text)).unwrap().text;
    let place = folder.path().to_str().unwrap();
    let script = script.replace("/srv/articles", place);
    assert!(script.contains(place));
    fs::write(folder.path().join("nightly.sh"), script).unwrap();
    fs::copy(in_repository("configs/nightly.toml"), folder.path().join("nightly.toml")).unwrap();
    program_in(folder.path(), "mail", "cat > mailed");
    program_in(folder.path(), "date", "cat day");
    let night = |day: &str| {
        fs::write(folder.path().join("day"), day).unwrap();
        parts(&shell(folder.path(), "PATH=$PWD/bin:$PATH sh nightly.sh"))
    };
    let ledger = |day: &str| {
        let path = folder.path().join("out").join(day).join("ledger.json");
        parse(&fs::read_to_string(path).unwrap())
    };
    let mailed = folder.path().join("mailed");
    fs::remove_dir_all(folder.path().join("out")).unwrap();
    fs::create_dir_all(folder.path().join("out/2026-09-01")).unwrap();
    let (code, stdout, stderr) = night("2026-10-05");
    assert_eq!((code, mailed.exists()), (0, false), "{stdout}{stderr}");
    // A folder of three weeks ago is removed, the newest one is compared with.
    let old = "touch -d '22 days ago' out/2026-09-01";
    assert_ends_well(&shell(folder.path(), old), old);
    let (code, stdout, stderr) = night("2026-10-06");
    assert_eq!((code, mailed.exists()), (0, false), "{stdout}{stderr}");
    assert_eq!(ledger("2026-10-06")["compared"]["folder"], "out/2026-10-05");
    assert!(ledger("2026-10-05")["compared"].is_null());
    assert!(!folder.path().join("out/2026-09-01").exists());
    // An archive that is cut short is a mail, and the exit code.
    let archive = fs::read(folder.path().join("crawl/sample-1.warc.gz")).unwrap();
    fs::write(folder.path().join("crawl/sample-1.warc.gz"), &archive[..60_000]).unwrap();
    let (code, stdout, stderr) = night("2026-10-07");
    assert_eq!(code, 1, "{stdout}{stderr}");
    let mailed = fs::read_to_string(mailed).unwrap();
    assert!(mailed.starts_with("sitegrove ended with 1\n"), "{mailed}");
    assert!(mailed.contains("sample-1.warc.gz"), "{mailed}");
}

#[test]
fn jobs_of_slurm_are_steps_of_a_crawl() {
    let block = blocks().into_iter().find(|block| block.text.starts_with("sbatch ")).unwrap();
    let folder = workplace();
    // Runs the tasks of `--array=FIRST-LAST --wrap COMMAND` one after the other.
    let sbatch = "set -e; array=${1#--array=}\n\
        for task in $(seq ${array%-*} ${array#*-}); do SLURM_ARRAY_TASK_ID=$task bash -ec \"$3\"; done\n";
    program_in(folder.path(), "sbatch", sbatch);
    fs::create_dir_all(folder.path().join("lists")).unwrap();
    fs::create_dir_all(folder.path().join("steps")).unwrap();
    for n in 0..3 {
        let archive = format!("crawl/sample-{}.warc.gz\n", n + 1);
        fs::write(folder.path().join(format!("lists/{n}")), archive).unwrap();
    }
    for command in commands(&block) {
        // Three archives and two shares instead of 64.
        let fewer = command.replace("0-63", "0-2").replace("1-64", "1-2").replace("/64", "/2");
        assert_ne!(fewer, command);
        let line = format!("PATH=$PWD/bin:$PATH; {fewer}");
        assert_ends_well(&shell(folder.path(), &line), &line);
    }
    let merge = "sitegrove merge steps/*.parquet --out out/merged";
    assert_ends_well(&shell(folder.path(), merge), merge);
    let whole = "sitegrove run crawl/*.warc.gz --out out/whole";
    assert_ends_well(&shell(folder.path(), whole), whole);
    let articles = |run: &str| fs::read(folder.path().join(run).join("articles.jsonl")).unwrap();
    assert!(articles("out/merged") == articles("out/whole"));
}

/// The beginnings of shell scripts in the documents, and what runs them.
const SCRIPTS: [(&str, &str); 7] = [
    ("#!/bin/sh", "the_script_of_a_night_keeps_what_it_promises"),
    ("sbatch ", "jobs_of_slurm_are_steps_of_a_crawl"),
    ("pip install ", "crates/python/tests/test_spark.py runs the same job without a command line"),
    ("sitegrove run s3://", "scripts/check/test_remote.py runs it; the tests have no network"),
    ("sitegrove survey s3://", "addresses_of_outputs runs the same in a bucket of its own"),
    (
        "sitegrove run rows.parquet",
        "addresses_of_inputs and scripts/check/test_tables.py run the same on other archives",
    ),
    ("docker build ", "nothing runs it; scripts/check/test_dockerfile.py lints the Dockerfile"),
];

#[test]
fn no_shell_script_is_left_out_silently() {
    let is_shell = |block: &Block| matches!(&*block.language, "sh" | "bash");
    let mut found = BTreeSet::new();
    for block in blocks().into_iter().filter(is_shell) {
        let known = SCRIPTS.iter().find(|(begins, _)| block.text.starts_with(begins));
        found.insert(known.unwrap_or_else(|| panic!("{}:{}", block.document, block.line)));
    }
    assert_eq!(found.len(), SCRIPTS.len(), "{found:?}");
}

#[test]
fn queries_of_the_archive_run() {
    let folder = workplace();
    let run = "sitegrove run crawl/ --out out/a --archive articles.sqlite";
    assert_ends_well(&shell(folder.path(), run), run);
    let archive = rusqlite::Connection::open(folder.path().join("articles.sqlite")).unwrap();
    let mut ran = 0;
    for block in blocks() {
        for command in commands(&block).iter().filter(|line| line.starts_with("sqlite3 ")) {
            let query = command.split('"').nth(1).unwrap();
            let mut statement = archive.prepare(query).unwrap();
            let columns = statement.column_count();
            let rows = statement.query_map([], |_| Ok(())).unwrap().count();
            assert!(columns >= 2 && rows == 0, "{query}: the first night has no corrections");
            ran += 1;
        }
    }
    assert!(ran >= 1);
    // The tables and columns in docs/ARCHIVE.md are the existing ones.
    let text = fs::read_to_string(in_repository("docs/ARCHIVE.md")).unwrap();
    let text = text.split_once("\n## The file\n").unwrap().1;
    for table in ["articles", "versions", "visits", "absences", "files"] {
        let row = text.lines().find(|line| line.starts_with(&format!("| `{table}` |"))).unwrap();
        let columns = row.split('|').nth(3).unwrap();
        let named: BTreeSet<&str> = columns.split('`').skip(1).step_by(2).collect();
        let statement = archive.prepare(&format!("SELECT * FROM {table}")).unwrap();
        assert_eq!(named, statement.column_names().collect(), "{table}");
    }
}

#[test]
fn json_is_json() {
    let mut values = 0;
    for block in blocks().iter().filter(|block| block.language == "json") {
        match serde_json::from_str::<Value>(&block.text) {
            Ok(_) => values += 1,
            Err(_) => values += block.text.lines().map(parse).count(),
        }
    }
    assert!(values >= 6, "{values}");
}

#[test]
fn settings_that_are_named_are_there() {
    let text = fs::read_to_string(in_repository("configs/default.toml")).unwrap();
    let defaults: toml::Table = toml::from_str(&text).unwrap();
    let mut settings: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in documents() {
        let document = path.strip_prefix(repository()).unwrap().to_string_lossy().into_owned();
        for quoted in fs::read_to_string(&path).unwrap().split('`').skip(1).step_by(2) {
            let name = quoted.split([' ', '=']).next().unwrap();
            let Some((section, key)) = name.split_once('.') else { continue };
            let is_key =
                !key.is_empty() && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
            let is_file = ["rs", "py", "json", "toml", "md"].contains(&key);
            if defaults.contains_key(section) && is_key && !is_file {
                settings.entry(quoted.to_owned()).or_default().push(document.clone());
            }
        }
    }
    assert!(settings.len() >= 20, "{settings:?}");
    let folder = tempfile::tempdir().unwrap();
    for (quoted, named_in) in settings {
        let (name, value) = quoted.split_once(" = ").unwrap_or((&quoted, ""));
        let (section, key) = name.split_once('.').unwrap();
        let known = defaults[section].as_table().unwrap().contains_key(key);
        assert!(known, "{named_in:?}: there is no setting {name}");
        if !value.is_empty() {
            let file =
                write_file(folder.path(), "own.toml", format!("[{section}]\n{key} = {value}\n"));
            let parsed = config::Config::load(Some(&file));
            assert!(parsed.is_ok(), "{named_in:?}: {quoted}: {:?}", parsed.err());
        }
    }
}

#[test]
fn scripts_that_are_shown_have_these_options() {
    let mut seen = 0;
    for block in blocks().iter().filter(|block| block.language.is_empty()) {
        for command in commands(block) {
            let mut words = command.split_whitespace();
            let Some(script) = words.next().filter(|word| word.starts_with("scripts/")) else {
                continue;
            };
            let shown = format!("{}:{}: {command}", block.document, block.line);
            let text = fs::read_to_string(in_repository(script));
            let text = text.unwrap_or_else(|_| panic!("{shown}: there is no {script}"));
            for option in words.filter(|word| word.starts_with("--")) {
                assert!(text.contains(option), "{shown}: no {option}");
            }
            seen += 1;
        }
    }
    assert!(seen >= 12, "only {seen} commands were found");
}

/// A paragraph of a document, with the number of its first line.
struct Paragraph {
    document: String,
    line: usize,
    words: Vec<String>,
}

/// Paragraphs and list items, without headings, tables and blocks between fences.
fn paragraphs(path: &Path) -> Vec<Paragraph> {
    let document = path.strip_prefix(repository()).unwrap().to_string_lossy().into_owned();
    let mut found: Vec<Paragraph> = Vec::new();
    let (mut is_fenced, mut is_open) = (false, false);
    for (at, line) in fs::read_to_string(path).unwrap().lines().enumerate() {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        let is_item = line.trim_start().starts_with("- ");
        if is_fence || is_fenced || line.trim().is_empty() || line.starts_with(['|', '#']) {
            is_open = false;
            continue;
        }
        if !is_open || is_item {
            found.push(Paragraph { document: document.clone(), line: at + 1, words: Vec::new() });
            is_open = true;
        }
        let words = line.split_whitespace().map(str::to_lowercase);
        found.last_mut().unwrap().words.extend(words);
    }
    found
}

/// Whether most sequences of five words of the shorter paragraph are in the longer one.
fn is_written_again(one: &Paragraph, other: &Paragraph) -> bool {
    let sequences =
        |of: &Paragraph| of.words.windows(5).map(<[_]>::to_vec).collect::<BTreeSet<_>>();
    let (one, other) = (sequences(one), sequences(other));
    10 * one.intersection(&other).count() > 6 * one.len().min(other.len())
}

#[test]
fn no_paragraph_is_written_twice() {
    let all: Vec<Paragraph> = documents().iter().flat_map(|path| paragraphs(path)).collect();
    let long: Vec<&Paragraph> = all.iter().filter(|of| of.words.len() >= 20).collect();
    assert!(long.len() >= 200, "only {} paragraphs were found", long.len());
    let mut of_words: BTreeMap<&[String], Vec<usize>> = BTreeMap::new();
    for (at, paragraph) in long.iter().enumerate() {
        for words in paragraph.words.windows(5) {
            of_words.entry(words).or_default().push(at);
        }
    }
    let pairs: BTreeSet<(usize, usize)> = of_words
        .values()
        .flat_map(|at| at.iter().flat_map(|&one| at.iter().map(move |&other| (one, other))))
        .filter(|(one, other)| one < other)
        .collect();
    for (one, other) in pairs {
        let (one, other) = (long[one], long[other]);
        let (first, second) = ((&one.document, one.line), (&other.document, other.line));
        assert!(!is_written_again(one, other), "{first:?} and {second:?} say the same");
    }
}
