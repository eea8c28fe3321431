//! Conformance of the tree with the html5lib tree-construction tests.
//!
//! The cases in `tests/data`, written for this project in the same format, always run. Those of
//! html5lib are in a separate repository: their tests are ignored by default, and fail if
//! `HTML5LIB_TESTS` does not name a checkout of html5lib-tests (`scripts/slow-checks html5lib`).
//! What the tree leaves out is not compared: comments, doctypes, the contents of templates and the
//! text of scripts, styles and frames. Cases for fragments and for scripting switched on are
//! skipped. The counts are printed.

#![allow(clippy::print_stdout)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use sitegrove_dom::{Keep, ParseOptions, parse_with};
use support::dat::{Case, cases};
use support::tree::{Line, expected, of_document};

/// Cases that are known to differ when every element is kept: file, index from 0, and reason. All
/// are due to this crate; html5ever 0.40 provides what they need.
const KNOWN: &[(&str, usize, &str)] = &[
    ("webkit02.dat", 44, COPIED_OPTION),
    ("webkit02.dat", 45, COPIED_OPTION),
    ("webkit02.dat", 46, COPIED_OPTION),
    ("webkit02.dat", 47, COPIED_OPTION),
];

/// A tree of readable content has no `<select>`, so the copy would be dropped again.
const COPIED_OPTION: &str = "the chosen option is not copied into <selectedcontent>";

/// The cases of this project.
fn own() -> Vec<PathBuf> {
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data"))
}

/// The cases of a checkout of html5lib-tests, which must exist.
fn html5lib() -> Vec<PathBuf> {
    files(&support::dat::html5lib_tests().join("tree-construction"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "dat"))
        .collect();
    files.sort();
    files
}

#[derive(Default)]
struct Tally {
    passed: usize,
    known: usize,
    fragments: usize,
    scripting: usize,
    failures: Vec<String>,
}

fn check(case: &Case, keep: Keep) -> Result<(), String> {
    let config = ParseOptions { keep, ..ParseOptions::CONTENT };
    let wanted: Vec<Line> = expected(&case.document, keep);
    let got = of_document(&parse_with(&case.data, &config));
    if wanted == got {
        return Ok(());
    }
    let show = |lines: &[Line]| lines.iter().map(|l| format!("{l}\n")).collect::<String>();
    Err(format!("{:?}\nwanted\n{}got\n{}", case.data, show(&wanted), show(&got)))
}

fn run(files: &[PathBuf], keep: Keep, least: usize) {
    let mut tally = Tally::default();
    for path in files {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        for (index, case) in cases(&text).iter().enumerate() {
            if case.fragment {
                tally.fragments += 1;
                continue;
            }
            if case.script_on {
                tally.scripting += 1;
                continue;
            }
            let known = KNOWN.iter().find(|k| k.0 == file && k.1 == index);
            match (check(case, keep), known) {
                (Ok(()), _) => tally.passed += 1,
                (Err(_), Some((_, _, reason))) => {
                    println!("{file} #{index}: {reason}");
                    tally.known += 1;
                }
                (Err(difference), None) => {
                    tally.failures.push(format!("{file} #{index}: {difference}"));
                }
            }
        }
    }
    let Tally { passed, known, fragments, scripting, failures } = &tally;
    println!(
        "{keep:?}: {passed} passed, {known} differ as known, {} failed; skipped {fragments} of \
         fragments and {scripting} with scripting",
        failures.len()
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(*passed >= least, "only {passed} cases ran");
}

#[test]
fn our_cases_with_every_element() {
    run(&own(), Keep::Everything, 12);
}

#[test]
fn our_cases_with_readable_content() {
    run(&own(), Keep::Content, 12);
}

#[test]
#[ignore = "needs a checkout of html5lib-tests: scripts/slow-checks html5lib"]
fn cases_of_html5lib_with_every_element() {
    run(&html5lib(), Keep::Everything, 1000);
}

#[test]
#[ignore = "needs a checkout of html5lib-tests: scripts/slow-checks html5lib"]
fn cases_of_html5lib_with_readable_content() {
    run(&html5lib(), Keep::Content, 1000);
}
