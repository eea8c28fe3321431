//! Runs the commands of `sitegrove-lab` in README.md and docs/, and those of the program before them.

use std::collections::BTreeSet;

mod common;
use common::documents::{as_given_here, assert_ends_well, blocks, commands, files, shell};

/// Commands that are not run here, by their beginnings, and the reasons.
const ELSEWHERE: [(&str, &str); 2] = [
    ("sitegrove-lab train ", "fitting takes minutes; train.rs does it on fewer pages"),
    ("sitegrove-lab bench ", "it takes minutes; bench.rs runs it once"),
];

#[test]
fn commands_do_what_they_are_shown_to_do() {
    let (mut ran, mut left) = (0, BTreeSet::new());
    for block in blocks().iter().filter(|block| block.language.is_empty()) {
        let lines: Vec<String> = commands(block).iter().map(|own| as_given_here(own)).collect();
        if !lines.iter().any(|line| line.starts_with("sitegrove-lab ")) {
            continue;
        }
        let folder = files();
        for line in lines {
            if let Some((begins, _)) = ELSEWHERE.iter().find(|own| line.starts_with(own.0)) {
                left.insert(*begins);
                continue;
            }
            let line = line.replace("sitegrove run ", "sitegrove-lab run ");
            if line.starts_with("sitegrove-lab ") {
                let shown = format!("{}:{}: {line}", block.document, block.line);
                assert!(!assert_ends_well(&shell(folder.path(), &line), &shown).is_empty());
                ran += usize::from(!line.starts_with("sitegrove-lab run "));
            }
        }
    }
    assert!(ran >= 4, "only {ran} commands were run");
    assert_eq!(left.len(), ELSEWHERE.len(), "the documents show no more what is left out here");
}
