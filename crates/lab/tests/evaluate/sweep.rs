//! The sweeps over the sample crawl.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::common::program::sitegrove;
use super::{call, parts};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data");

/// Runs a sweep over two small layouts; returns the printed output and every file written.
fn sweep(arguments: &str, threads: usize) -> (String, BTreeMap<String, String>) {
    let folder = TempDir::new().unwrap();
    let gold = fs::read_to_string(format!("{DATA}/gold.jsonl")).unwrap();
    let wanted = ["starfield-society.example#table", "harbour-gazette.example#print"];
    let few: Vec<&str> =
        gold.lines().filter(|line| wanted.iter().any(|name| line.contains(name))).collect();
    let path = folder.path().join("gold.jsonl");
    fs::write(&path, few.join("\n")).unwrap();
    let output = sitegrove()
        .args(["evaluate", "--pages", &format!("{DATA}/crawl"), "--gold"])
        .arg(&path)
        .arg("--out")
        .arg(folder.path().join("out"))
        .args(arguments.split_whitespace())
        .env("RAYON_NUM_THREADS", threads.to_string())
        .output()
        .unwrap();
    let (code, printed, messages) = parts(&output);
    assert_eq!(code, 0, "{messages}");
    let files = fs::read_dir(folder.path().join("out")).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, fs::read_to_string(path).unwrap())
    });
    (printed.replace(&*folder.path().to_string_lossy(), "@"), files.collect())
}

/// Rows of a CSV file without its header, after checking its columns and shares.
fn rows(file: &str, axis: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(file.as_bytes());
    let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!((head[0].as_str(), head.len()), (axis, 7));
    assert_eq!(head[2..], ["groups", "scored_pages", "precision", "recall", "f1"]);
    let rows: Vec<Vec<String>> =
        reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    for share in rows.iter().flat_map(|row| &row[4..]) {
        assert!((0.0..=1.0).contains(&share.parse::<f64>().unwrap()), "{share}");
    }
    rows
}

/// The distinct values of the first column, in order: ascending numbers.
fn rising(rows: &[Vec<String>]) -> Vec<u32> {
    let mut values: Vec<u32> = rows.iter().map(|row| row[0].parse().unwrap()).collect();
    values.dedup();
    assert!(values.is_sorted_by(|a, b| a < b), "{values:?}");
    values
}

/// Asserts that elements are properly nested, attributes are quoted, and no value is NaN.
#[track_caller]
fn check_svg(svg: &str) {
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox="));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let mut open: Vec<&str> = Vec::new();
    for piece in svg.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').expect("a tag ends");
        assert!(!text.contains('>'), "{text}");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        match tag.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed)),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split(' ').next().unwrap()),
        }
    }
    assert_eq!(open, [] as [&str; 0]);
}

#[test]
fn siblings_of_the_sample() {
    let feeds = format!("--sweep siblings --feeds {DATA}/feeds");
    let (printed, files) = sweep(&feeds, 1);
    assert_eq!(files.keys().collect::<Vec<_>>(), ["few.csv", "siblings.csv", "siblings.svg"]);
    let few = rows(&files["few.csv"], "pages");
    assert_eq!((rising(&few), few.len()), (vec![1, 2, 3, 4, 5], 5 * 6));
    assert!(
        printed.contains("\nLess euclid, in points, [95 % interval over groups]:\n"),
        "{printed}"
    );
    let rows = rows(&files["siblings.csv"], "pages");
    assert_eq!(rising(&rows), [1, 2, 3, 4, 5, 6, 8, 10, 15, 20]);
    assert_eq!(rows.len(), 10 * 6);
    // Layouts of 4 and 8 pages: from n = 8 on nothing changes, and the scored pages are those
    // learnt from.
    let of = |n: &str| {
        let found = rows.iter().filter(|row| row[0] == n && row[1] == "forest (tf-idf)");
        found.map(|row| (row[3].clone(), row[6].clone())).next().unwrap()
    };
    let pages = ["1", "2", "4", "5", "8", "20"].map(|n| of(n).0);
    assert_eq!(pages, ["2", "4", "8", "9", "12", "12"]);
    assert_eq!(of("8"), of("20"));
    // The ratchet checks the quality of Forest; here it only has to work.
    assert!(of("8").1.parse::<f64>().unwrap() > 0.5, "{}", of("8").1);
    assert!(
        printed.contains("2 groups of 12 sibling pages, of 12 pages of @/gold.jsonl"),
        "{printed}"
    );
    assert!(printed.contains("\n| pages | forest (tf-idf) | forest (feeds) |"), "{printed}");
    check_svg(&files["siblings.svg"]);

    assert_eq!(sweep(&feeds, 2), (printed, files), "one thread gives what two give");
}

#[test]
fn signifiers_without_feeds() {
    let (printed, files) = sweep("--sweep signifiers --min-group 5", 2);
    let names = ["measures.csv", "measures.svg", "signifiers.csv", "signifiers.svg"];
    assert_eq!(files.keys().collect::<Vec<_>>(), names);
    let signifiers = rows(&files["signifiers.csv"], "signifiers");
    assert_eq!(rising(&signifiers), [1, 2, 3, 5, 8, 10, 15, 20, 30, 50]);
    assert_eq!(signifiers.len(), 10 * 2, "no feeds, no methods that need them");
    let measures = rows(&files["measures.csv"], "method");
    let names: Vec<_> = measures.iter().map(|row| [&row[0][..], &row[1], &row[2]]).collect();
    let expected = ["J", "U", "I = J×U"].map(|measure| ["forest (tf-idf)", measure, "1"]);
    assert_eq!(names, expected);
    // The default k is among the values: the same forest in both files.
    let at_ten = signifiers.iter().find(|row| row[0] == "10").unwrap();
    assert_eq!(at_ten[1..], [&["forest (tf-idf)".to_owned()], &measures[2][2..]].concat());
    assert!(printed.contains("\n| method | J: P / R / F1 |"), "{printed}");
    check_svg(&files["signifiers.svg"]);
    check_svg(&files["measures.svg"]);
}

#[test]
fn wrong_combinations_are_refused() {
    let gold = format!("{DATA}/gold.jsonl");
    let refused = |arguments: &str, expected: &str| {
        let command = format!("evaluate --gold {gold} {arguments}");
        let (code, _, error) = parts(&call(&command.split_whitespace().collect::<Vec<_>>()));
        assert_eq!(code, 2, "{arguments}");
        assert!(error.contains(expected), "{arguments}: {error}");
    };
    refused("", "<RUN>");
    refused("--sweep siblings --out x", "--pages <PATH>");
    refused("--sweep siblings --pages x", "--out <FILE>");
    refused("some/run --pages x", "--sweep <SWEEP>");
    refused("some/run --sweep siblings --pages x --out y", "cannot be used with");
    refused("--sweep siblings --pages x --out y --worst 3", "cannot be used with");
    refused("--sweep siblings --pages nowhere.warc --out y", "nowhere.warc");
    refused("--sweep both --pages x --out y", "siblings, signifiers");
    let few = TempDir::new().unwrap();
    let out = few.path().join("out");
    let none =
        format!("--sweep siblings --min-group 99 --pages {DATA}/crawl --out {}", out.display());
    refused(&none, "no layout of the gold has 99 pages in the archives");
    assert!(!Path::new(&out).exists());
}
