//! Checks the examples in README.md and docs/: every command in the folder that a reader would use,
//! every query, every setting, and every option of a script.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

mod common;
use common::crawl::Crawl;
use common::program::{PATH, in_repository, parts, repository};
use common::prose;
use common::results::parse;

/// A block between fences.
struct Block {
    /// The document, from the repository's folder.
    document: String,
    /// Number of its first line in the document.
    line: usize,
    /// The language after the opening fence.
    language: String,
    text: String,
}

fn documents() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = ["docs", "docs/figures"]
        .iter()
        .flat_map(|folder| fs::read_dir(in_repository(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    found.extend(
        ["README.md", "CONTRIBUTING.md", "data/README.md", "fuzz/README.md"].map(in_repository),
    );
    found.sort();
    assert!(found.len() >= 17, "{found:?}");
    found
}

fn blocks() -> Vec<Block> {
    let mut found = Vec::new();
    for path in documents() {
        let document = path.strip_prefix(repository()).unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let mut open: Option<Block> = None;
        for (at, line) in text.lines().enumerate() {
            match (line.trim().strip_prefix("```"), &mut open) {
                (Some(language), None) => {
                    open = Some(Block {
                        document: document.clone(),
                        line: at + 2,
                        language: language.to_owned(),
                        text: String::new(),
                    });
                }
                (Some(_), Some(_)) => found.extend(open.take()),
                (None, Some(block)) => block.text += &format!("{line}\n"),
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{document}: a fence is not closed");
    }
    assert!(found.len() >= 35, "only {} blocks were found", found.len());
    found
}

/// The commands of a block: comments are removed, continued lines are joined.
fn commands(block: &Block) -> Vec<String> {
    let joined = block.text.replace("\\\n", " ");
    let mut found: Vec<String> = Vec::new();
    for line in joined.lines() {
        match found.last_mut() {
            // An open quotation continues on the next line.
            Some(last) if last.matches('"').count() % 2 == 1 => *last += &format!("\n{line}"),
            _ if line.trim().is_empty() => {}
            _ => found.push(without_remark(line)),
        }
    }
    found
}

/// A line without the comment at its end.
fn without_remark(line: &str) -> String {
    line.split(" # ").next().unwrap_or(line).trim().to_owned()
}

fn is_of_the_program(command: &str) -> bool {
    command.starts_with("sitegrove ") || command.starts_with("cargo run ")
}

/// Placeholders of the documents, and their values here.
const PLACES: [(&str, &str); 13] = [
    ("crawl/2026-10-", "nights/2026-10-"),
    ("WARC…", "crawl/*.warc.gz"),
    ("ALL_ARCHIVES", "crawl/*.warc.gz"),
    ("out/peers-metadata/*.jsonl", "out/tonight"),
    ("GOLD.jsonl", "gold.jsonl"),
    ("DEV/", "dev/"),
    (" --datasets $DATASETS", ""),
    ("$sweep", "signifiers"),
    (" [--out FILE] [--pages N] [--config FILE]", ""),
    (" [--pages N] [--config FILE]", ""),
    ("RUN_DIR SITE", "out/tonight blog.example"),
    ("RUN_DIR", "out/tonight"),
    ("NAME", "forest"),
];

/// Commands that are not run here, by their beginnings, and the reasons.
const ELSEWHERE: [(&str, &str); 2] = [
    ("sitegrove train ", "fitting takes minutes; pipeline/tests/train.rs does it on fewer pages"),
    ("cargo run --release -- bench ", "it takes minutes; pipeline/tests/bench.rs runs it once"),
];

/// A folder with the files that the documents assume: archives, feeds, saved pages, gold, wrappers,
/// and the previous night's run.
fn workplace() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let copy = |from: &str, to: &str| {
        fs::create_dir_all(place(to).parent().unwrap()).unwrap();
        fs::copy(in_repository(from), place(to)).unwrap();
    };
    for n in 1..=3 {
        let archive = format!("data/crawl/sample-{n}.warc.gz");
        for to in ["crawl/", "dev/", "dev/warcs/", "nights/2026-10-05/", "nights/2026-10-06/"] {
            copy(&archive, &format!("{to}sample-{n}.warc.gz"));
        }
    }
    // The second night has one more site.
    let mut crawl = Crawl::of_day("2026-10-06");
    for n in 0..4 {
        crawl.page(&format!("https://new.example/notes/{n}"), &prose::post(n));
    }
    crawl.write(&place("nights/2026-10-06"), "new.warc.gz");
    for name in ["configs", "data"] {
        std::os::unix::fs::symlink(in_repository(name), place(name)).unwrap();
    }
    for (name, to) in [("feeds", "feeds"), ("pages", "saved-pages"), ("feeds", "dev/feeds")] {
        std::os::unix::fs::symlink(in_repository("data").join(name), place(to)).unwrap();
    }
    for to in ["gold.jsonl", "dev/gold.jsonl"] {
        copy("data/gold.jsonl", to);
    }
    let pages = in_repository("data/pages/lighthouse-almanac.example");
    let mut pages: Vec<PathBuf> =
        fs::read_dir(pages).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    for (n, page) in pages.iter().take(3).enumerate() {
        fs::copy(page, place(&format!("post-{}.html", n + 1))).unwrap();
    }
    for (name, fast_path) in [("four-fast.toml", true), ("four-judged.toml", false)] {
        let settings = format!("[rank]\nlearn_from = 4\nfast_path = {fast_path}\n");
        fs::write(place(name), settings).unwrap();
    }
    fs::create_dir_all(place("docs/figures")).unwrap();
    let run = "sitegrove run crawl/*.warc.gz --out out/tonight --sinks all --quiet";
    assert_ends_well(&shell(folder.path(), run), run);
    let night = "sitegrove run crawl/*.warc.gz --models models.sqlite --out out/last-night --quiet";
    assert_ends_well(&shell(folder.path(), night), night);
    std::os::unix::fs::symlink("last-night", place("out/yesterday")).unwrap();
    let export = "sitegrove wrappers export out/tonight --out my-wrappers/";
    assert_ends_well(&shell(folder.path(), export), export);
    folder
}

/// Runs a command line in a folder, with the program on the path.
fn shell(folder: &Path, line: &str) -> Output {
    let bin = Path::new(PATH).parent().unwrap().to_str().unwrap();
    let path = format!("{bin}:{}", std::env::var("PATH").unwrap());
    let line = format!("set -e -o pipefail; {line}");
    let mut command = Command::new("timeout");
    command.args(["300", "bash", "-c", &line]).current_dir(folder).env("PATH", path);
    command.env_remove("RUST_LOG").output().unwrap()
}

fn assert_ends_well(output: &Output, what: &str) -> String {
    let (code, stdout, stderr) = parts(output);
    assert_eq!(code, 0, "{what}\n{stdout}\n{stderr}");
    stdout
}

#[test]
fn commands_do_what_they_are_shown_to_do() {
    let (mut ran, mut left, mut wrong) = (0, BTreeSet::new(), String::new());
    for block in blocks() {
        let commands = commands(&block);
        if !block.language.is_empty() || !commands.iter().any(|line| is_of_the_program(line)) {
            continue;
        }
        let folder = workplace();
        for command in commands {
            let shown = format!("{}:{}: {command}", block.document, block.line);
            if let Some((begins, _)) = ELSEWHERE.iter().find(|(b, _)| command.starts_with(b)) {
                left.insert(*begins);
                continue;
            }
            if !is_of_the_program(&command) {
                continue;
            }
            let mut line = command.replace("cargo run --release -- ", "sitegrove ");
            for (name, here) in PLACES {
                line = line.replace(name, here);
            }
            // Consecutive examples are alternatives, not one night.
            if line.starts_with("sitegrove run ") {
                line = line.replace(';', " --overwrite;") + " --overwrite";
            }
            let (code, stdout, stderr) = parts(&shell(folder.path(), &line));
            if code != 0 || stdout.is_empty() || stdout.contains("\"total\": 0") {
                wrong += &format!("{shown}\nexit code {code}\n{stdout}{stderr}\n");
            }
            ran += 1;
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(ran >= 40, "only {ran} commands were run");
    assert_eq!(left.len(), ELSEWHERE.len(), "the documents show no more what is left out here");
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

#[cfg(feature = "sqlite")]
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
            let file = folder.path().join("own.toml");
            fs::write(&file, format!("[{section}]\n{key} = {value}\n")).unwrap();
            let parsed = sitegrove::config::Config::load(Some(&file));
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
            // Options that a script passes on to another program.
            let inner = fs::read_to_string(in_repository("scripts/peers.d/bench.py")).unwrap();
            for option in words.filter(|word| word.starts_with("--")) {
                assert!(text.contains(option) || inner.contains(option), "{shown}: no {option}");
            }
            seen += 1;
        }
    }
    assert!(seen >= 12, "only {seen} commands were found");
}
