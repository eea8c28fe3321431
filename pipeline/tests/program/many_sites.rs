//! Runs with many small sites: their wrappers are lines of one file, and sites of which nothing was learnt have none.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::crawl::Crawl;
use crate::common::program::{call, parts, run, succeed};
use crate::common::prose;
use crate::common::results::parse;

/// A crawl with sites of one page, and two sites with siblings.
fn crawl(folder: &Path, sites: usize) -> std::path::PathBuf {
    let mut crawl = Crawl::new();
    for n in 0..sites {
        crawl.page(&format!("https://lone-{n}.example/on-bridges"), &prose::post(n % 7));
    }
    for site in ["notes", "walks"] {
        crawl.posts(&format!("https://{site}.example/on-bridges-"), 0..5);
    }
    crawl.write(folder, "crawl.warc.gz")
}

/// What commands say of the sites, the same for both forms.
fn check_commands(out: &Path) -> Vec<String> {
    let run = out.to_str().unwrap();
    let list = succeed(&["wrappers", "list", run, "--format", "json"]);
    let sites: Vec<Value> = list.lines().map(parse).collect();
    let keys: Vec<&str> = sites.iter().map(|site| site["site"].as_str().unwrap()).collect();
    assert_eq!(keys, ["notes.example", "walks.example"]);
    let show = succeed(&["wrappers", "show", run, "https://notes.example/on-bridges-1"]);
    assert!(show.contains("content"), "{show}");
    let lone = succeed(&["wrappers", "show", run, "lone-3.example"]);
    let page = out.with_extension("html");
    for site in ["notes.example", "lone-3.example"] {
        succeed(&["inspect", run, site, "--out", page.to_str().unwrap()]);
        assert!(fs::read_to_string(&page).unwrap().contains(site), "{site}");
    }
    let exported = out.with_extension("exported");
    succeed(&["wrappers", "export", run, "--out", exported.to_str().unwrap()]);
    assert_eq!(fs::read_dir(&exported).unwrap().count(), 2);
    let (code, _, stderr) = parts(&call(&["wrappers", "show", run, "lone-x.example"]));
    assert!(code == 2 && stderr.contains("lone-"), "{stderr}");
    succeed(&["report", run]);
    vec![list, show, lone]
}

#[test]
fn sites_of_which_nothing_was_learnt_have_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let results = run(&[&crawl(folder.path(), 20)], &out, &[]);
    assert_eq!(results.ledger["counts"]["sites"], 22);
    let mut files: Vec<_> = fs::read_dir(out.join("wrappers"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["notes.example.json", "walks.example.json"]);
    check_commands(&out);
}

#[test]
fn wrappers_of_many_sites_are_lines() {
    let folder = tempfile::tempdir().unwrap();
    let many = folder.path().join("many");
    fs::create_dir_all(&many).unwrap();
    let small = folder.path().join("out-few");
    run(&[&crawl(folder.path(), 20)], &small, &[]);
    let before = check_commands(&small);
    let crawl = crawl(&many, 1_010);
    let out = folder.path().join("out");
    run(&[&crawl], &out, &["--sinks", "jsonl,report"]);
    assert!(!out.join("wrappers").exists());
    let lines = fs::read_to_string(out.join("wrappers.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 2);
    assert_eq!(check_commands(&out), before);
    // A run in the same folder with few sites leaves no lines behind, and the other way round.
    let notes = ["--overwrite", "--site", "notes.example"];
    run(&[&crawl], &out, &notes);
    assert!(
        !out.join("wrappers.jsonl").exists() && out.join("wrappers/notes.example.json").exists()
    );
    run(&[&crawl], &out, &["--overwrite"]);
    assert!(out.join("wrappers.jsonl").exists() && !out.join("wrappers").exists());
}
