//! Rules that the compiler does not check: dependencies between crates, which crates do IO, and the names of files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::program::repository;
use crate::common::results::{parse, text};

/// The layers, lowest first: a crate may use crates of lower layers only.
const LAYERS: [&[&str]; 12] = [
    &["model", "errors"],
    &["charset", "database"],
    &["dom", "terms", "archive", "feed", "score", "grouping"],
    &["duplicates", "metadata", "forest", "pagewise", "region", "document", "wrapper", "sink"],
    &["grove", "index", "modelstore"],
    &["sitemodel"],
    &["config", "report"],
    &["input", "terminal"],
    &["segment"],
    &["site"],
    &["sitegrove"],
    &["lab", "python"],
];

/// Crates without side effects, which bindings and cluster jobs depend on.
const ENGINES: [&str; 11] = [
    "duplicates", "forest", "pagewise", "region", "wrapper", "terms", "dom", "metadata", "score",
    "grove", "grouping",
];

/// Packages that an engine must not depend on: IO, threads, the command line, outputs.
const NOT_IN_ENGINES: [&str; 21] = [
    "archive", "sink", "anyhow", "clap", "clap_complete", "csv", "ctrlc", "flate2", "glob",
    "indicatif", "object_store", "parquet", "arrow", "rayon", "tempfile", "tikv-jemallocator",
    "tokio", "tracing", "tracing-subscriber", "warc", "zstd",
];

/// A package of the workspace, as cargo describes it.
struct Package {
    /// Its short name: without `sitegrove-`.
    name: String,
    folder: PathBuf,
    /// Dependencies by short name, including those of tests, with their kind (`null` for normal).
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
    engines.retain(|own| ENGINES.contains(&own.name.as_str()));
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
                "std::fs", "std::net", "std::thread", "std::process", "SystemTime::now",
                "Instant::now",
            ] {
                assert!(is_test || !code.contains(word), "{} uses {word}", file.display());
            }
        }
    }
}

/// Packages that learning and applying must build without, directly or indirectly: the program, its
/// outputs, and packages with global state in a process.
const NOT_IN_THE_SITE_MODEL: [&str; 12] = [
    "anyhow", "arrow", "clap", "ctrlc", "forust-ml", "indicatif", "parquet", "rusqlite",
    "sitegrove-index", "sitegrove-sink", "tikv-jemallocator", "tracing-subscriber",
];

#[test]
fn the_site_model_builds_without_the_program() {
    let names = packages_below("sitegrove-sitemodel");
    assert!(names.contains("sitegrove-grove") && names.contains("tantivy"), "{names:?}");
    for name in NOT_IN_THE_SITE_MODEL {
        assert!(!names.contains(name), "the site model pulls in `{name}`");
    }
    let sources = rust_files(&repository().join("crates/sitemodel/src"));
    for file in sources {
        let source = fs::read_to_string(&file).unwrap();
        for word in ["std::fs", "std::env", "std::thread", "std::time", "std::process", "std::net"]
        {
            assert!(!source.contains(word), "{} uses {word}", file.display());
        }
    }
}

/// Packages that only measuring and training need.
const NOT_IN_THE_PROGRAM: [&str; 4] = ["forust-ml", "general-sam", "rapidfuzz", "sitegrove-score"];

#[test]
fn the_program_builds_without_the_lab() {
    for package in ["sitegrove", "sitegrove-python"] {
        let names = packages_below(package);
        assert!(names.contains("sitegrove-sitemodel"), "{names:?}");
        for name in NOT_IN_THE_PROGRAM {
            assert!(!names.contains(name), "{package} pulls in `{name}`");
        }
    }
    let names = packages_below("sitegrove-lab");
    assert!(NOT_IN_THE_PROGRAM.iter().all(|name| names.contains(*name)), "{names:?}");
}

/// The packages that a package is built from, with its default features.
fn packages_below(package: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--edges", "normal", "--prefix", "none", "--no-dedupe"])
        .args(["--package", package, "--manifest-path"])
        .arg(repository().join("Cargo.toml"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).unwrap();
    tree.lines().filter_map(|line| Some(line.split(' ').next()?.to_owned())).collect()
}

/// Types passed between stages belong to the stages, not to an output. Only reading fills what the ledger says of an input.
#[test]
fn stages_know_no_output() {
    for name in [
        "crates/site/src/lib", "crates/site/src/captures", "crates/site/src/learn",
        "crates/site/src/apply", "crates/segment/src/group",
    ] {
        let source = repository().join(format!("{name}.rs"));
        let source = fs::read_to_string(&source).unwrap();
        assert!(!source.contains("sink::"), "{name} uses a type of an output");
    }
}

/// Files that import each other can only be understood together. Parents and children are one module.
#[test]
fn no_file_is_imported_by_what_it_imports() {
    for package in packages() {
        let source = package.folder.join("src");
        let modules: BTreeMap<Vec<String>, String> = rust_files(&source)
            .into_iter()
            .filter(|file| !file.file_stem().unwrap().to_string_lossy().ends_with("tests"))
            .map(|file| {
                let code = fs::read_to_string(&file).unwrap();
                (module_of(&source, &file), without_comments(&code))
            })
            .collect();
        let mut imports: BTreeMap<&[String], BTreeSet<&[String]>> = BTreeMap::new();
        for (module, code) in &modules {
            let mut of_module = BTreeSet::new();
            for path in paths_in(code, module) {
                let file = (0..=path.len())
                    .rev()
                    .find_map(|length| modules.get_key_value(&path[..length]))
                    .map(|(file, _)| file.as_slice());
                of_module.extend(file.filter(|f| !f.starts_with(module) && !module.starts_with(f)));
            }
            imports.insert(module, of_module);
        }
        // A file that imports none of the remaining ones is in no cycle.
        loop {
            let left: BTreeSet<&[String]> = imports.keys().copied().collect();
            imports.retain(|_, of_module| of_module.iter().any(|file| left.contains(file)));
            if imports.len() == left.len() {
                break;
            }
        }
        let circles: Vec<String> = imports.keys().map(|module| module.join("/")).collect();
        assert!(circles.is_empty(), "{}: in or above a circle: {circles:?}", package.name);
    }
}

#[test]
fn paths_are_found_in_code() {
    let module = ["a".to_owned(), "b".to_owned()];
    let found = |code: &str| {
        let paths = paths_in(&without_comments(code), &module);
        paths.into_iter().map(|path| path.join("/")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(found("use crate::x::{y, z::{self, w}};"), "x/y x/z x/z/w");
    assert_eq!(found("use super::c::d; self::e::f();"), "a/c/d a/b/e/f");
    assert_eq!(found("super::super::g(); // crate::h\n/* crate::i */ my_crate::j();"), "g");
    assert_eq!(found("crate::k(); #[cfg(test)]\nmod tests { use crate::l; }"), "k");
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
        // The version of a crate is stated in a single place.
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
fn files_are_named_for_what_they_do() {
    for file in sources() {
        let shown = file.display();
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
        for word in ["util", "utils", "helper", "helpers", "manager", "misc", "processor", "common"]
        {
            assert_ne!(stem, word, "{shown}: name it for what it does");
        }
    }
}

#[test]
fn stages_say_what_they_take_give_and_drop() {
    let stages = repository().join("crates/sitemodel/src/stages");
    let site_model: Vec<PathBuf> =
        rust_files(&stages).into_iter().filter(|f| f.parent() == Some(&stages)).collect();
    assert_eq!(site_model.len(), 6, "cluster, signify, rank, judge, wrap, extract: {site_model:?}");
    let others = [
        "crates/input/src/read.rs", "crates/segment/src/group.rs", "crates/site/src/learn.rs",
        "crates/site/src/apply.rs", "pipeline/src/emit.rs",
    ];
    let others = others.map(|file| repository().join(file));
    for file in site_model.into_iter().chain(others) {
        let source = fs::read_to_string(&file).unwrap();
        let head: Vec<&str> = source.lines().take_while(|l| l.starts_with("//!")).collect();
        for part in ["//! Takes: ", "//! Gives: ", "//! Why: ", "//! Drops: "] {
            let said = head.iter().any(|line| line.starts_with(part));
            assert!(said, "{} opens without a line `{part}…`", file.display());
        }
    }
}

/// A reader who meets a type knows it. `Error` is each crate's own, by convention.
#[test]
fn a_type_name_is_used_once() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages() {
        for file in rust_files(&package.folder.join("src")) {
            if file.file_stem().unwrap().to_string_lossy().ends_with("tests") {
                continue;
            }
            let source = fs::read_to_string(&file).unwrap();
            for (number, line) in without_comments(&source).lines().enumerate() {
                if let Some(name) = declared_type(line).filter(|name| *name != "Error") {
                    let place = format!("{}:{}", file.display(), number + 1);
                    places.entry(name.to_owned()).or_default().push(place);
                }
            }
        }
    }
    assert!(places.len() > 500, "only {} types were found", places.len());
    places.retain(|_, of_name| of_name.len() > 1);
    assert!(places.is_empty(), "names of several types: {places:#?}");
}

/// The name of the type that a line declares. Associated types, which are indented, are not declared by their line.
fn declared_type(line: &str) -> Option<&str> {
    let words = line.trim_start();
    let words = match words.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.strip_prefix(' ')?,
        None => words,
    };
    let (keyword, rest) = words.split_once(' ')?;
    let declares = matches!(keyword, "struct" | "enum" | "trait" | "union")
        || keyword == "type" && !line.starts_with(' ');
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    (declares && end > 0).then_some(&rest[..end])
}

#[test]
fn declared_types_are_found() {
    for (line, name) in [
        ("pub(crate) struct Page<'a> {", Some("Page")),
        ("    enum Form {", Some("Form")),
        ("pub trait Sink: Send {", Some("Sink")),
        ("type Rows = Vec<Row>;", Some("Rows")),
        ("    type Item = u8;", None),
        ("use a::struct_of;", None),
        ("publish the page", None),
    ] {
        assert_eq!(declared_type(line), name, "{line}");
    }
}

#[test]
fn headings_of_doc_comments_are_lines_of_their_own() {
    for file in sources().into_iter().filter(|file| has_extension(file, &["rs"])) {
        for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            let comment = line.trim_start();
            let heading = comment.strip_prefix("/// # ").or_else(|| comment.strip_prefix("//! # "));
            let rest = heading.and_then(|heading| {
                ["Errors", "Panics", "Safety", "Examples"]
                    .iter()
                    .find_map(|name| heading.strip_prefix(name))
            });
            // rustdoc would make a heading of the whole sentence.
            assert!(rest.is_none_or(str::is_empty), "{}:{}: {line}", file.display(), number + 1);
        }
    }
}

/// What a template writes without escaping: our style sheet, script and its data, and what another template has written.
#[test]
fn templates_escape_all_but_four_values() {
    let mut safe = Vec::new();
    for file in sources().into_iter().filter(|file| has_extension(file, &["html"])) {
        if file.parent().is_some_and(|folder| folder.ends_with("report/templates")) {
            let template = fs::read_to_string(&file).unwrap();
            let marked = template.split("{{").filter(|value| value.contains("|safe }}"));
            safe.extend(
                marked.filter_map(|value| value.split('|').next()).map(|v| v.trim().to_owned()),
            );
            let others =
                ["|safe", "escape", "{% filter"].map(|word| template.matches(word).count());
            assert_eq!(others, [template.matches("|safe }}").count(), 0, 0], "{}", file.display());
        }
    }
    safe.sort_unstable();
    assert_eq!(
        safe,
        [
            "code.script", "code.style", "sample", "self.blocks_for_script()",
            "self.rows_for_script()"
        ]
    );
}

#[test]
fn nothing_refers_to_a_place_on_our_machines() {
    for file in sources() {
        // Texts of the sample crawl are prose, which may contain a path.
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

/// The first absolute path into a home directory.
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

/// The path of a file's module within its crate.
fn module_of(source: &Path, file: &Path) -> Vec<String> {
    let path = file.strip_prefix(source).unwrap().with_extension("");
    let mut names: Vec<String> =
        path.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if matches!(names.last().map(String::as_str), Some("lib" | "main" | "mod")) {
        names.pop();
    }
    names
}

/// Code up to its tests, without comments.
fn without_comments(code: &str) -> String {
    let mut rest = code.split("#[cfg(test)]").next().unwrap_or_default();
    let mut left = String::new();
    while let Some(at) = rest.find('/') {
        let (before, comment) = rest.split_at(at);
        left.push_str(before);
        let end = match comment.as_bytes().get(1) {
            Some(b'/') => comment.find('\n'),
            Some(b'*') => comment.find("*/").map(|end| end + 2),
            _ => {
                left.push('/');
                Some(1)
            }
        };
        rest = end.map_or("", |end| &comment[end..]);
    }
    left + rest
}

/// The paths within the crate that occur in the code of a module.
fn paths_in(code: &str, module: &[String]) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            // `my_crate::x`, and the second `super` of `super::super`
            let before = &code[..at];
            if before.ends_with(is_name) || before.ends_with("::") {
                continue;
            }
            let (mut base, mut rest) = (module.to_vec(), &code[at..]);
            if let Some(of_crate) = rest.strip_prefix("crate::") {
                (base, rest) = (Vec::new(), of_crate);
            }
            while let Some(above) = rest.strip_prefix("super::") {
                base.pop();
                rest = above;
            }
            expand(rest.strip_prefix("self::").unwrap_or(rest), base, &mut paths);
        }
    }
    paths
}

/// Appends the paths of a tree such as `x::{y, z::w}`; returns the number of bytes read.
fn expand(tree: &str, mut base: Vec<String>, paths: &mut Vec<Vec<String>>) -> usize {
    let mut at = 0;
    loop {
        let rest = &tree[at..];
        if rest.starts_with('{') {
            at += 1;
            while at < tree.len() && !tree[at..].starts_with('}') {
                let skipped = tree[at..].find(|c: char| !c.is_whitespace() && c != ',');
                at += skipped.unwrap_or(tree.len() - at);
                if tree[at..].starts_with('}') {
                    break;
                }
                at += expand(&tree[at..], base.clone(), paths).max(1);
            }
            return at + 1;
        }
        let name = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        if rest[..name] != *"self" && name > 0 {
            base.push(rest[..name].to_owned());
        }
        at += name;
        if !tree[at..].starts_with("::") {
            paths.push(base);
            return at;
        }
        at += 2;
    }
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

/// All files of the repository that git would track.
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
        // In a source archive there is no git.
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
