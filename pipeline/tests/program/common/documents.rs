//! The examples of README.md and docs/, and a folder with the files that they assume.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use super::crawl::Crawl;
use super::program::{PATH, in_repository, parts, repository};

/// A block between fences.
pub(crate) struct Block {
    /// The document, from the repository's folder.
    pub(crate) document: String,
    /// Number of its first line in the document.
    pub(crate) line: usize,
    /// The language after the opening fence.
    pub(crate) language: String,
    pub(crate) text: String,
}

pub(crate) fn documents() -> Vec<PathBuf> {
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

pub(crate) fn blocks() -> Vec<Block> {
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
pub(crate) fn commands(block: &Block) -> Vec<String> {
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
    (" [--out FILE] [--pages N]", ""),
    (" [--pages N]", ""),
    ("RUN_DIR SITE", "out/tonight blog.example"),
    ("RUN_DIR", "out/tonight"),
    ("NAME", "forest"),
];

/// A command of the documents as it is given in a [`workplace`].
pub(crate) fn as_given_here(command: &str) -> String {
    let mut line = command.replace("cargo quickstart", "sitegrove run configs/quickstart.toml");
    line = line.replace("cargo run --release -- ", "sitegrove ");
    line = line.replace("cargo run --release -p sitegrove-lab -- ", "sitegrove-lab ");
    for (name, here) in PLACES {
        line = line.replace(name, here);
    }
    // Consecutive examples are alternatives, not one night.
    if line.starts_with("sitegrove run ") {
        line = line.replace(';', " --overwrite;") + " --overwrite";
    }
    line
}

/// A folder with the files that the documents assume, and the runs of the last nights.
pub(crate) fn workplace() -> TempDir {
    let folder = files();
    let run = "sitegrove run crawl/*.warc.gz --out out/tonight --sinks all --quiet";
    assert_ends_well(&shell(folder.path(), run), run);
    let night = "sitegrove run crawl/*.warc.gz --models models.sqlite --out out/last-night --quiet";
    assert_ends_well(&shell(folder.path(), night), night);
    std::os::unix::fs::symlink("last-night", folder.path().join("out/yesterday")).unwrap();
    let export = "sitegrove wrappers export out/tonight --out my-wrappers/";
    assert_ends_well(&shell(folder.path(), export), export);
    folder
}

/// A folder with the files that the documents assume: archives, feeds, saved pages, gold, settings.
pub(crate) fn files() -> TempDir {
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
    crawl.posts("https://new.example/notes/", 0..4);
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
    // A correction of a page of the crawl, and an answer of a model.
    let page = "http://www.starfield-society.example/articles/dark_nights_calend.htm";
    let marked = r#""blocks": [{"xpath": "/html/body", "mark": "content"}]"#;
    fs::write(place("corrections.jsonl"), format!("{{\"url\": \"{page}\", {marked}}}\n")).unwrap();
    let answer = format!("{{\"url\": \"{page}\", \"answer\": \"1other2main\"}}\n");
    fs::write(place("answers.jsonl"), answer).unwrap();
    fs::create_dir_all(place("docs/figures")).unwrap();
    folder
}

/// Runs a command line in a folder, with the program on the path.
pub(crate) fn shell(folder: &Path, line: &str) -> Output {
    let bin = Path::new(PATH).parent().unwrap().to_str().unwrap();
    let path = format!("{bin}:{}", std::env::var("PATH").unwrap());
    let line = format!("set -e -o pipefail; {line}");
    let mut command = Command::new("timeout");
    command.args(["300", "bash", "-c", &line]).current_dir(folder).env("PATH", path);
    command.env_remove("RUST_LOG").output().unwrap()
}

pub(crate) fn assert_ends_well(output: &Output, what: &str) -> String {
    let (code, stdout, stderr) = parts(output);
    assert_eq!(code, 0, "{what}\n{stdout}\n{stderr}");
    stdout
}
