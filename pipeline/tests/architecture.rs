//! The rules of the house that no compiler checks: which crate may know which, who does IO, how
//! long and how named files are.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

mod common;
use common::program::repository;
use common::results::{parse, text};

/// The layers, lowest first: a crate may use crates of lower layers only.
const LAYERS: [&[&str]; 6] = [
    &["model"],
    &["charset"],
    &["dom", "terms", "archive", "feed", "score"],
    &["metadata", "forest", "pagewise", "wrapper", "sink"],
    &["grove", "index"],
    &["sitegrove"],
];

/// Crates that turn values into values: bindings and cluster jobs stand on them.
const ENGINES: [&str; 8] =
    ["forest", "pagewise", "wrapper", "terms", "dom", "metadata", "score", "grove"];

/// What an engine must not pull in: IO, threads, the command line, outputs.
const NOT_IN_ENGINES: [&str; 22] = [
    "archive",
    "feed",
    "sink",
    "anyhow",
    "clap",
    "clap_complete",
    "csv",
    "ctrlc",
    "flate2",
    "glob",
    "indicatif",
    "object_store",
    "parquet",
    "arrow",
    "rayon",
    "tempfile",
    "tikv-jemallocator",
    "tokio",
    "tracing",
    "tracing-subscriber",
    "warc",
    "zstd",
];

/// A package of the workspace, as cargo describes it.
struct Package {
    /// Our short name: without `sitegrove-`.
    name: String,
    folder: PathBuf,
    /// Dependencies by short name, those of tests included, with their kind (`null` for normal).
    dependencies: Vec<(String, Value)>,
    licence: Value,
}

fn short(name: &str) -> String {
    name.strip_prefix("sitegrove-").unwrap_or(name).to_owned()
}

fn packages() -> Vec<Package> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--manifest-path"])
        .arg(repository().join("Cargo.toml"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata = parse(&String::from_utf8(output.stdout).unwrap());
    let package = |package: &Value| Package {
        name: short(text(package, "name")),
        folder: Path::new(text(package, "manifest_path")).parent().unwrap().to_owned(),
        dependencies: (package["dependencies"].as_array().unwrap().iter())
            .map(|d| (short(text(d, "name")), d["kind"].clone()))
            .collect(),
        licence: package["license"].clone(),
    };
    metadata["packages"].as_array().unwrap().iter().map(package).collect()
}

#[test]
fn dependencies_point_one_way() {
    let layer_of: BTreeMap<&str, usize> = LAYERS
        .iter()
        .enumerate()
        .flat_map(|(i, names)| names.iter().map(move |n| (*n, i)))
        .collect();
    let packages = packages();
    assert!(packages.len() >= 12, "cargo names only {} packages", packages.len());
    for package in &packages {
        let name = package.name.as_str();
        let layer = layer_of.get(name).unwrap_or_else(|| panic!("`{name}` has no layer: name one"));
        for (dependency, _) in &package.dependencies {
            if let Some(below) = layer_of.get(dependency.as_str()) {
                assert!(below < layer, "`{name}` must not depend on `{dependency}`");
            }
        }
    }
}

#[test]
fn engines_do_no_io() {
    let mut engines = packages();
    engines.retain(|package| ENGINES.contains(&package.name.as_str()));
    assert_eq!(engines.len(), ENGINES.len(), "an engine has another name");
    for package in engines {
        for (dependency, kind) in &package.dependencies {
            let allowed = kind == "dev" || !NOT_IN_ENGINES.contains(&dependency.as_str());
            assert!(allowed, "the engine `{}` must not pull in `{dependency}`", package.name);
        }
        for file in rust_files(&package.folder.join("src")) {
            let source = fs::read_to_string(&file).unwrap();
            let code = source.split("#[cfg(test)]").next().unwrap_or_default();
            let is_test = file.file_stem().is_some_and(|s| s.to_string_lossy().ends_with("_tests"));
            for word in [
                "std::fs",
                "std::net",
                "std::thread",
                "std::process",
                "SystemTime::now",
                "Instant::now",
            ] {
                assert!(is_test || !code.contains(word), "{} uses {word}", file.display());
            }
        }
    }
}

#[test]
fn every_crate_inherits_lints_licence_and_version() {
    for package in packages() {
        assert_eq!(package.licence, "MIT OR Apache-2.0", "{}", package.name);
        let manifest = fs::read_to_string(package.folder.join("Cargo.toml")).unwrap();
        let manifest: toml::Table = toml::from_str(&manifest).unwrap();
        let inherits = |table: &str, key: &str| {
            let mut value = manifest.get(table);
            if !key.is_empty() {
                value = value.and_then(|v| v.get(key));
            }
            value.and_then(|v| v.get("workspace")) == Some(&toml::Value::Boolean(true))
        };
        assert!(inherits("lints", ""), "{} lacks [lints] workspace = true", package.name);
        for key in ["license", "version", "edition", "rust-version", "repository"] {
            assert!(inherits("package", key), "{} lacks {key}.workspace = true", package.name);
        }
        // One place says which version of a crate is used.
        for table in ["dependencies", "dev-dependencies"] {
            for key in
                manifest.get(table).and_then(|t| t.as_table()).into_iter().flat_map(|t| t.keys())
            {
                assert!(inherits(table, key), "{}: {key} names a version of its own", package.name);
            }
        }
    }
}

#[test]
fn files_are_short_and_named_for_what_they_do() {
    for file in sources() {
        let shown = file.display();
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
        for word in ["util", "utils", "helper", "helpers", "manager", "misc", "processor", "common"]
        {
            assert_ne!(stem, word, "{shown}: name it for what it does");
        }
        if has_extension(&file, &["rs", "py", "sh"]) {
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            assert!(lines <= 500, "{shown} has {lines} lines; 500 is the limit, 300 the aim");
        }
    }
}

#[test]
fn stages_say_what_they_take_give_and_drop() {
    let stages = repository().join("pipeline/src/stages");
    let names: Vec<PathBuf> =
        rust_files(&stages).into_iter().filter(|f| f.parent() == Some(&stages)).collect();
    assert_eq!(names.len(), 9, "eight stages, the fifth in two forms: {names:?}");
    for file in names {
        let source = fs::read_to_string(&file).unwrap();
        let head: Vec<&str> = source.lines().take_while(|l| l.starts_with("//!")).collect();
        for part in ["//! Stage ", "//! Takes: ", "//! Gives: ", "//! Why: ", "//! Drops: "] {
            let said = head.iter().any(|line| line.starts_with(part));
            assert!(said, "{} opens without a line `{part}…`", file.display());
        }
        assert!(source.lines().count() <= 300, "{} is longer than 300 lines", file.display());
    }
}

#[test]
fn nothing_refers_to_a_place_on_our_machines() {
    for file in sources() {
        // Texts of the sample crawl are prose: a path in them is part of a story.
        let of_sample = file.starts_with(repository().join("data"));
        if of_sample && !has_extension(&file, &["py", "md"]) {
            continue;
        }
        let Ok(source) = fs::read_to_string(&file) else { continue };
        for (number, line) in source.lines().enumerate() {
            let place = machine_path(line);
            assert_eq!(place, None, "{}:{}: {line}", file.display(), number + 1);
        }
    }
}

#[test]
fn machine_paths_are_told_from_addresses() {
    for (line, place) in [
        (concat!("cd /wo", "rk/main"), Some("work")),
        (concat!("path = '/ro", "ot/.cargo'"), Some("root")),
        (concat!("(/ho", "me/ola)"), Some("home")),
        (concat!("https://b.example/ho", "me/2"), None),
        (concat!("../wo", "rk/x and /ho", "mestead/x"), None),
    ] {
        assert_eq!(machine_path(line), place, "{line}");
    }
}

/// The first absolute path into somebody's own folders.
fn machine_path(line: &str) -> Option<&'static str> {
    ["root", "home", "work"].into_iter().find(|top| {
        let path = format!("/{top}/");
        line.match_indices(&path).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            before.is_none_or(|c| {
                !c.is_alphanumeric() && !matches!(c, '.' | '/' | '}' | '>' | '_' | '-')
            })
        })
    })
}

fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    file.extension().is_some_and(|e| extensions.iter().any(|x| e == *x))
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    walk(folder, &mut files);
    files.retain(|f| has_extension(f, &["rs"]));
    files
}

/// Every file of the repository that git would track.
fn sources() -> Vec<PathBuf> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(repository())
        .output();
    let mut files: Vec<PathBuf> = match listed {
        Ok(output) if output.status.success() => (output.stdout.split(|b| *b == 0))
            .filter(|name| !name.is_empty())
            .map(|name| repository().join(String::from_utf8_lossy(name).as_ref()))
            .collect(),
        // Out of a source archive there is no git.
        _ => {
            let mut files = Vec::new();
            walk(&repository(), &mut files);
            files
        }
    };
    files.retain(|f| f.is_file());
    assert!(files.len() > 100, "only {} files found", files.len());
    files
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["target", "out", ".git", "__pycache__"].contains(&name.as_str()) {
                walk(&path, files);
            }
        } else {
            files.push(path);
        }
    }
}
