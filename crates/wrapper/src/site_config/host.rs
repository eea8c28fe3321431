//! Names of hosts and of files. `example.com.txt` is for example.com and www.example.com,
//! `.example.com.txt` for the hosts below it.

use std::collections::{BTreeMap, BTreeSet};

/// Longest host name that the format's readers look for.
const MAX_LENGTH: usize = 200;

/// The form in which a host is looked up: lower case, without `www.`.
fn bare(host: &str) -> String {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    host.strip_prefix("www.").unwrap_or(&host).to_owned()
}

/// Whether a name is a host name: labels of letters, digits and inner hyphens.
fn is_host(name: &str) -> bool {
    let is_label = |label: &str| {
        let inner = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
        !label.is_empty()
            && label.bytes().all(inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.len() <= MAX_LENGTH && name.split('.').all(is_label)
}

/// The host of a file, by the file's name: `example.com`, or `.example.com` for the hosts below it.
/// `None` if it is not such a name.
pub fn host_of_file(file: &str) -> Option<String> {
    let stem = file.to_ascii_lowercase();
    let stem = stem.strip_suffix(".txt")?;
    let name = match stem.strip_prefix('.') {
        Some(below) => format!(".{below}"),
        None => bare(stem),
    };
    is_host(name.trim_start_matches('.')).then_some(name).filter(|name| !name.starts_with(".."))
}

/// The possible file names of a host, the most specific first: `a.b.example`, `.b.example`,
/// `.example`. Other readers go up one level; here all are tried.
pub fn lookup_names(host: &str) -> Vec<String> {
    let host = bare(host);
    let mut names = vec![host.clone()];
    let mut rest = host.as_str();
    while let Some((_, above)) = rest.split_once('.') {
        names.push(format!(".{above}"));
        rest = above;
    }
    names
}

/// The files that cover a site's hosts: the file name without `.txt`, and the indices of the hosts
/// in the given list. Several hosts of one parent domain share a file; a single one, and a site's
/// bare domain, have their own. Names that are not host names get no file.
pub fn file_hosts(hosts: &[&str]) -> BTreeMap<String, Vec<usize>> {
    let mut siblings: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let all: BTreeSet<String> = hosts.iter().map(|host| bare(host)).collect();
    let above = |host: &str| host.split_once('.').map(|(_, above)| above.to_owned());
    for host in &all {
        if let Some(above) = above(host) {
            siblings.entry(above).or_default().insert(host.clone());
        }
    }
    let mut files: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, host) in hosts.iter().enumerate() {
        let host = bare(host);
        if !is_host(&host) {
            continue;
        }
        // The parent is never a bare public suffix: all hosts of a site end in the same domain, and
        // a bare domain has no sibling there.
        let shared = above(&host).filter(|above| siblings[above].len() > 1);
        let name = shared.map_or(host, |above| format!(".{above}"));
        files.entry(name).or_default().push(at);
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_hosts() {
        let host = |file| host_of_file(file);
        assert_eq!(host("Example.com.txt").as_deref(), Some("example.com"));
        assert_eq!(host(".example.com.txt").as_deref(), Some(".example.com"));
        assert_eq!(host("www.example.com.txt").as_deref(), Some("example.com"));
        for file in ["example.com", "..txt", ".txt", "a b.txt", "../x.txt", "..a.txt", "-a.txt"] {
            assert_eq!(host(file), None, "{file}");
        }
        assert_eq!(
            lookup_names("www.News.example.org"),
            ["news.example.org", ".example.org", ".org"]
        );
    }

    #[test]
    fn hosts_share_files_with_their_siblings() {
        let hosts = ["www.a.example", "x.a.example", "y.a.example", "z.b.a.example", "[::1]"];
        let files: Vec<(String, Vec<usize>)> = file_hosts(&hosts).into_iter().collect();
        assert_eq!(
            files,
            [
                (".a.example".to_owned(), vec![1, 2]),
                ("a.example".to_owned(), vec![0]),
                ("z.b.a.example".to_owned(), vec![3]),
            ]
        );
    }
}
