//! Suggests names that are similar to one that does not exist.

use std::path::Path;

use errors::Problem;
use report::readable::count;

/// Maximum number of suggested names.
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

/// Returns the names most similar to `name`, the most similar first: those that contain it or are contained in
/// it, then by edit distance.
fn nearest<'a>(name: &str, names: &'a [String]) -> Vec<&'a str> {
    let lower = name.to_lowercase();
    let mut ranked: Vec<(bool, usize, &str)> = names
        .iter()
        .map(|other| {
            let holds =
                !lower.is_empty() && (other.contains(&lower) || lower.contains(other.as_str()));
            (!holds, strsim::levenshtein(&lower, other), other.as_str())
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().take(MOST).map(|(_, _, name)| name).collect()
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
        assert!(nearest("x", &[]).is_empty());
    }
}
