//! Conformance of the tree with the html5lib tree-construction tests.
//!
//! `HTML5LIB_TESTS` names the folder of a checkout of html5lib-tests (the one that contains
//! `tree-construction/`). Without it only the cases in `tests/data` run, written by us in the
//! same format. Left out of the comparison is what the tree leaves out: comments, doctypes,
//! the contents of templates and the text of scripts, styles and frames. Cases for fragments and
//! for scripting switched on are skipped. The counts are printed.

#![allow(clippy::print_stdout)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use sitegrove_dom::{Keep, ParseConfig, parse_with};
use support::dat::{Case, cases};
use support::tree::{Line, expected, of_document};

/// Cases that are known to differ when every element is kept: file, index from 0, and reason.
/// All are ours; html5ever 0.40 offers what they need.
const KNOWN: &[(&str, usize, &str)] = &[
    ("webkit02.dat", 44, COPIED_OPTION),
    ("webkit02.dat", 45, COPIED_OPTION),
    ("webkit02.dat", 46, COPIED_OPTION),
    ("webkit02.dat", 47, COPIED_OPTION),
];

/// A tree of readable content has no `<select>`, so the copy would only be dropped again.
const COPIED_OPTION: &str = "the chosen option is not copied into <selectedcontent>";

fn files() -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let folder = std::env::var_os("HTML5LIB_TESTS")
        .map_or(own, |folder| PathBuf::from(folder).join("tree-construction"));
    let mut files: Vec<_> = fs::read_dir(&folder)
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
    let config = ParseConfig { keep, ..ParseConfig::CONTENT };
    let wanted: Vec<Line> = expected(&case.document, keep);
    let got = of_document(&parse_with(&case.data, &config));
    if wanted == got {
        return Ok(());
    }
    let show = |lines: &[Line]| lines.iter().map(|l| format!("{l}\n")).collect::<String>();
    Err(format!("{:?}\nwanted\n{}got\n{}", case.data, show(&wanted), show(&got)))
}

fn run(keep: Keep) {
    let mut tally = Tally::default();
    for path in files() {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
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
    assert!(*passed >= 12, "only {passed} cases ran");
}

#[test]
fn every_element() {
    run(Keep::Everything);
}

#[test]
fn readable_content() {
    run(Keep::Content);
}
