//! Names similar to one that does not exist.

use std::path::Path;

use errors::Problem;
use report::readable::count;

/// Maximum number of names.
const MOST: usize = 5;

pub(super) fn no_site(run: &Path, named: &str, sites: &[String]) -> Problem {
    let next = match &nearest(named, sites)[..] {
        [] => "it has no sites at all".to_owned(),
        near => {
            format!("of its {}, these are nearest: {}", count(sites.len(), "site"), near.join(", "))
        }
    };
    Problem::new(run.display(), format!("the run has no site `{named}`"), next)
}

pub(crate) fn no_article(archive: &Path, named: &str, key: &str, keys: &[String]) -> Problem {
    let next = match &nearest(key, keys)[..] {
        [] => "it has no articles at all".to_owned(),
        near => format!("these addresses are nearest: {}", near.join(", ")),
    };
    Problem::new(
        archive.display(),
        format!("the archive has no article with the address {named}"),
        next,
    )
}

/// The names most similar to one, the most similar first: names that contain it or are contained in it, then
/// by edit distance.
fn nearest<'a>(name: &str, names: &'a [String]) -> Vec<&'a str> {
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    let lower: String = wanted.iter().collect();
    let mut ranked: Vec<(bool, usize, &str)> = names
        .iter()
        .map(|other| {
            let holds =
                !lower.is_empty() && (other.contains(&lower) || lower.contains(other.as_str()));
            (!holds, changes(&wanted, other), other.as_str())
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().take(MOST).map(|(_, _, name)| name).collect()
}

/// Levenshtein distance of characters.
fn changes(a: &[char], b: &str) -> usize {
    let mut row: Vec<usize> = (0..=a.len()).collect();
    for (above, letter) in b.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = above + 1;
        for (at, own) in a.iter().enumerate() {
            let change = diagonal + usize::from(*own != letter);
            diagonal = row[at + 1];
            row[at + 1] = change.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[a.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_first() {
        let names: Vec<String> =
            ["zeta.example", "blog.example", "harbour-gazette.example", "block.example"]
                .map(String::from)
                .into();
        assert_eq!(nearest("blig.example", &names)[..2], ["blog.example", "block.example"]);
        assert_eq!(nearest("gazette", &names)[0], "harbour-gazette.example");
        assert_eq!(changes(&['a', 'b', 'c'], "xbcd"), 2);
        assert!(nearest("x", &[]).is_empty());
    }
}
