//! Links in README.md and docs/ lead to files of the repository, and to headings that these have.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::program::in_repository;

/// The lines of a document outside of blocks of code.
fn lines(document: &Path) -> Vec<String> {
    let text = fs::read_to_string(document).unwrap();
    let mut in_code = false;
    let mut prose = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            prose.push(line.to_owned());
        }
    }
    prose
}

/// The anchors of a document's headings, made as GitHub and crates.io make them.
fn anchors(document: &Path) -> BTreeSet<String> {
    let headings = lines(document).into_iter().filter(|line| line.starts_with('#'));
    let anchor = |line: String| -> String {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
        title.chars().filter(kept).collect::<String>().replace(' ', "-")
    };
    headings.map(anchor).collect()
}

/// The targets of links in a document.
fn targets(document: &Path) -> Vec<String> {
    let target = |rest: &str| rest.split([')', ' ']).next().unwrap_or_default().to_owned();
    let of_line = |line: String| line.split("](").skip(1).map(target).collect::<Vec<_>>();
    lines(document).into_iter().flat_map(of_line).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut documents: Vec<PathBuf> = fs::read_dir(in_repository("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    documents.extend(
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "data/README.md"].map(in_repository),
    );
    let (mut checked, mut broken) = (0, Vec::new());
    for document in &documents {
        for target in targets(document) {
            if target.starts_with("http://") || target.starts_with("https://") {
                continue;
            }
            checked += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let at = match file {
                "" => document.clone(),
                _ => document.parent().unwrap().join(file),
            };
            let leads = at.exists()
                && (anchor.is_empty()
                    || at.extension().is_none_or(|extension| extension != "md")
                    || anchors(&at).contains(anchor));
            if !leads {
                broken.push(format!("{}: {target}", document.display()));
            }
        }
    }
    assert!(checked > 100, "only {checked} links");
    assert!(broken.is_empty(), "{broken:#?}");
}
