//! The Dockerfile, and what cargo packages.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::program::{in_repository, parts, repository, succeeded};
use crate::common::results::{parse, text};

/// The instructions of the Dockerfile, continued lines joined.
fn instructions() -> Vec<Vec<String>> {
    let text = fs::read_to_string(in_repository("Dockerfile")).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let joined = lines.join("\n").replace("\\\n", " ");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
    joined.lines().filter(|line| !line.trim().is_empty()).map(words).collect()
}

/// What the Dockerfile copies from the repository.
fn copied() -> Vec<String> {
    let copies = instructions().into_iter().filter(|words| words[0] == "COPY");
    let own = copies.filter(|words| !words[1].starts_with("--from"));
    own.flat_map(|words| words[1..words.len() - 1].to_vec()).collect()
}

#[test]
fn the_dockerfile_copies_what_the_build_needs() {
    let copied = copied();
    let ignore = fs::read_to_string(in_repository(".dockerignore")).unwrap();
    let let_in: BTreeSet<&str> = ignore.lines().filter_map(|line| line.strip_prefix('!')).collect();
    assert!(ignore.lines().any(|line| line == "*"));
    for path in &copied {
        assert!(in_repository(path).exists(), "the Dockerfile copies {path}, which does not exist");
        assert!(let_in.contains(path.as_str()), ".dockerignore leaves out {path}");
    }
    for path in &let_in {
        assert!(copied.iter().any(|own| own == path), "{path} is sent, but not copied");
    }
    // All members of the workspace, and every file that the code includes.
    let is_copied = |path: &Path| {
        let path = path.strip_prefix(repository()).unwrap();
        copied.iter().any(|own| path.starts_with(own))
    };
    let mut included = 0;
    for package in metadata()["packages"].as_array().unwrap() {
        let folder = Path::new(text(package, "manifest_path")).parent().unwrap();
        assert!(is_copied(folder), "{}", folder.display());
        for source in sources(&folder.join("src")) {
            let code = fs::read_to_string(&source).unwrap();
            for (name, path) in included_files(folder, &source, &code) {
                let is_there = path.is_file() && is_copied(&path);
                assert!(is_there, "{} includes {name}", source.display());
                included += 1;
            }
        }
    }
    assert!(included >= 5, "{included}");
}

/// The files that a source file includes by a macro, and the templates that it names.
fn included_files<'a>(
    package: &'a Path,
    source: &'a Path,
    code: &'a str,
) -> impl Iterator<Item = (&'a str, PathBuf)> {
    let beside = source.parent().unwrap().to_owned();
    let calls = [
        ("include_str!(\"", beside.clone()),
        ("include_bytes!(\"", beside),
        ("#[template(path = \"", package.join("templates")),
    ];
    calls.into_iter().flat_map(move |(call, folder)| {
        code.split(call).skip(1).map(move |rest| {
            let name = rest.split('"').next().unwrap();
            (name, plain(&folder.join(name)))
        })
    })
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn the_image_has_the_program_alone_and_no_rights() {
    let all = instructions();
    let of = |name: &str| all.iter().filter(|words| words[0] == name).collect::<Vec<_>>();
    let stages = of("FROM");
    assert_eq!(stages.len(), 2);
    assert!(stages[1][1].contains("distroless") && stages[1].len() == 2, "{:?}", stages[1]);
    assert_eq!(of("USER").len(), 1);
    assert!(of("USER")[0][1].split(':').all(|id| id.parse::<u32>().is_ok_and(|id| id > 0)));
    assert!(of("ENTRYPOINT")[0][1].contains("/usr/local/bin/sitegrove"));
    let program = of("COPY").into_iter().find(|words| words[1] == "--from=build").unwrap();
    assert!(program[2].ends_with("/target/release/sitegrove"), "{program:?}");
    // The Rust of the image is new enough.
    let version = |text: &str| -> Vec<u32> {
        text.split(['.', '-']).map_while(|part| part.parse().ok()).collect()
    };
    let (_, image) = stages[0][1].split_once(':').unwrap();
    for package in metadata()["packages"].as_array().unwrap() {
        assert!(version(image) >= version(text(package, "rust_version")), "{image}");
    }
}

/// Categories of crates.io (https://crates.io/category_slugs) that fit.
const CATEGORIES: [&str; 3] = ["command-line-utilities", "text-processing", "web-programming"];

#[test]
fn every_crate_can_be_published_but_the_python_module() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap();
    let kept = |package: &&Value| package["publish"].is_array();
    let kept: Vec<&str> = packages.iter().filter(kept).map(|own| text(own, "name")).collect();
    assert_eq!(kept, ["sitegrove-python"]);
    for package in packages.iter().filter(|package| !package["publish"].is_array()) {
        let name = text(package, "name");
        let description = text(package, "description");
        assert!((20..=200).contains(&description.len()), "{name}: {description:?}");
        assert_eq!(text(package, "license"), "MIT OR Apache-2.0", "{name}");
        assert!(text(package, "repository").starts_with("https://"), "{name}");
        let readme =
            Path::new(text(package, "manifest_path")).with_file_name(text(package, "readme"));
        assert!(readme.is_file(), "{name}: {}", readme.display());
        let list = |field: &str| package[field].as_array().unwrap().clone();
        let keywords = list("keywords");
        assert!((1..=5).contains(&keywords.len()), "{name}");
        for word in keywords.iter().map(|word| word.as_str().unwrap()) {
            let is_plain = |c: char| c.is_ascii_lowercase() || c == '-';
            assert!(word.len() <= 20 && word.chars().all(is_plain), "{name}: {word}");
        }
        let categories = list("categories");
        assert!(!categories.is_empty(), "{name}");
        for category in &categories {
            assert!(CATEGORIES.contains(&category.as_str().unwrap()), "{name}: {category}");
        }
        // Features are documented, too.
        if package["features"].as_object().is_some_and(|features| !features.is_empty()) {
            assert_eq!(package["metadata"]["docs"]["rs"]["all-features"], true, "{name}");
        }
        // Dependencies within the workspace have versions: that of the package.
        for dependency in package["dependencies"].as_array().unwrap() {
            if dependency["path"].is_string() && dependency["kind"].is_null() {
                let wanted = format!("^{}", text(package, "version"));
                assert_eq!(text(dependency, "req"), wanted, "{name}: {}", dependency["name"]);
            }
        }
    }
}

#[test]
fn packages_have_every_file_that_their_code_includes() {
    for package in metadata()["packages"].as_array().unwrap() {
        if package["publish"].is_array() {
            continue;
        }
        let name = text(package, "name");
        let folder = Path::new(text(package, "manifest_path")).parent().unwrap().to_owned();
        let output = Command::new(env!("CARGO"))
            .args(["package", "--list", "--allow-dirty", "--offline", "--package", name])
            .current_dir(repository())
            .output()
            .unwrap();
        let (code, stdout, stderr) = parts(&output);
        assert_eq!(code, 0, "{name}: {stderr}");
        let listed: BTreeSet<&str> = stdout.lines().collect();
        assert!(listed.contains("Cargo.toml") && listed.contains("README.md"), "{name}: {stdout}");
        for source in sources(&folder.join("src")) {
            let code = fs::read_to_string(&source).unwrap();
            for (included, path) in included_files(&folder, &source, &code) {
                let inside = path.strip_prefix(&folder).ok().and_then(Path::to_str);
                let is_there = inside.is_some_and(|inside| listed.contains(inside));
                assert!(is_there, "{name}: {} includes {included}", source.display());
            }
        }
    }
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--manifest-path"])
        .arg(repository().join("Cargo.toml"))
        .output()
        .unwrap();
    let stdout = succeeded(&output);
    parse(&stdout)
}
