//! Authors: sets of names, independent of how they are listed and formatted.

use std::collections::BTreeSet;

use crate::{Score, words::words};

use super::FieldScore;

/// Words before a name that are not part of it.
const BEFORE: [&str; 9] = ["by", "von", "par", "por", "dr", "prof", "mr", "mrs", "ms"];

/// Separators between two names.
const JOINTS: [&str; 6] = [" and ", " & ", " und ", " et ", " with ", " és "];

/// Compares authors as sets of names. `None` if the gold has no name.
///
/// Both gold and output may be a byline or a list in one string; they are split at semicolons,
/// bars, commas, and "and" and its equivalents in four languages. "Doe, Jane" alone is one name in
/// reverse order. Labels ("By"), titles ("Dr"), text in brackets, degrees after a name (words in
/// capitals: "MD", "CPA"), punctuation and case are ignored. An organisation, a role or a lone
/// first name in the gold counts like any other name.
pub fn authors(gold: &[String], output: &[String]) -> Option<FieldScore> {
    let (gold, output) = (names(gold), names(output));
    let common = gold.intersection(&output).count();
    let graded = Score::of_counts(common, output.len(), gold.len())?.f1;
    Some(FieldScore { exact: gold == output, graded })
}

/// Whether the values contain any name.
pub fn has_names(values: &[String]) -> bool {
    !names(values).is_empty()
}

fn names(values: &[String]) -> BTreeSet<Vec<String>> {
    let mut names = BTreeSet::new();
    for value in values {
        let text = without_brackets(value);
        for part in text.split([';', '|', '\n', '/']) {
            names.extend(list(part).iter().map(|name| name_of(name)).filter(|n| !n.is_empty()));
        }
    }
    names
}

/// Splits a list of names at commas and "and".
fn list(part: &str) -> Vec<String> {
    let pieces: Vec<&str> = part.split(',').map(str::trim).filter(|p| !p.is_empty()).collect();
    if let [last, first] = pieces[..]
        && words(last).len() == 1
        && (1..=2).contains(&words(first).len())
        && !is_degree(first)
    {
        return vec![format!("{first} {last}")];
    }
    let mut names: Vec<String> = Vec::new();
    for (at, piece) in pieces.into_iter().enumerate() {
        if at > 0 && is_degree(piece) {
            continue;
        }
        let mut piece = format!(" {piece}");
        for joint in JOINTS {
            piece = piece.replace(joint, "\n");
        }
        names.extend(piece.lines().map(str::to_owned));
    }
    names
}

fn without_brackets(text: &str) -> String {
    let mut depth = 0u32;
    let outside = text.chars().filter(|c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => {
                depth = depth.saturating_sub(1);
                return false;
            }
            _ => {}
        }
        depth == 0
    });
    outside.collect()
}

/// The words of a name in alphabetical order, so that "Doe, Jane" equals "Jane Doe".
fn name_of(text: &str) -> Vec<String> {
    let mut spelt: Vec<&str> = text.split_whitespace().collect();
    // "Jeff Doe CPP": a degree without a comma, unless the whole name is in capitals.
    while spelt.len() > 2
        && is_degree(spelt[spelt.len() - 1])
        && !spelt[..2].iter().any(|w| is_degree(w))
    {
        spelt.pop();
    }
    let mut name = words(&spelt.join(" "));
    while name.len() > 1 && BEFORE.contains(&&*name[0]) {
        name.remove(0);
    }
    name.sort();
    name
}

/// One word of at least two capitals and at most one other letter: "MD", "PhD", "CEPF®", "Ph.D.".
fn is_degree(piece: &str) -> bool {
    let letters = piece.chars().filter(|c| c.is_alphabetic());
    let capitals = letters.clone().filter(|c| c.is_uppercase()).count();
    piece.split_whitespace().count() == 1
        && capitals >= 2
        && letters.count() <= capitals + 1
        && piece.chars().count() <= 8
}
