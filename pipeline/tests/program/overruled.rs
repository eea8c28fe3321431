//! Site configs that no longer fit: compared with what the engine finds.

use std::fs;
use std::path::Path;

use crate::common::crawl::Crawl;
use crate::common::program::{succeed, write_file};
use crate::common::prose;
use crate::common::results::{Results, parse, text};

fn url(n: usize) -> String {
    format!("https://old.example/notes/{n:03}")
}

/// Runs over ten posts with a site config of these lines; gives what it printed and the results.
fn run(folder: &Path, lines: &str, more: &[&str]) -> (String, Results) {
    let mut crawl = Crawl::of_day("2026-03-01");
    for n in 0..10 {
        crawl.page(&url(n), &prose::post(n));
    }
    let archive = crawl.write(folder, "old.warc.gz");
    let config = write_file(folder, "old.example.txt", lines);
    let out = folder.join("out");
    let paths = [archive.to_str().unwrap(), "--out", out.to_str().unwrap(), "--overwrite"];
    let given = ["--site-configs", config.to_str().unwrap()];
    let told = succeed(&[&["run"], &paths[..], &given, more].concat());
    let site = fs::read_to_string(out.join("wrappers/old.example.json")).unwrap();
    let used = &parse(&site)["site_configs"][0];
    assert_eq!((&used["pages"], &used["matched"]), (&10.into(), &10.into()));
    let results = Results::read(&out);
    assert_eq!(used["overruled"], results.ledger["counts"]["pages_overruled"]);
    (told, results)
}

#[test]
fn a_host_with_several_bodies_is_not_satisfied_by_a_headline() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "body: //h1\nbody: //p[@class='gone']\nbody: //div[@class='entry']\n";
    let (told, results) = run(folder.path(), lines, &[]);
    for n in 0..10 {
        let article = results.article(&url(n));
        assert_eq!(text(article, "text"), prose::text(n));
        assert_eq!(text(article, "engine"), "site-config");
        assert_eq!(text(article, "site_config"), "used");
        assert_eq!(article["xpath"][0], "//div[@class='entry']");
        assert!(article["confidence"].as_f64().unwrap() > 0.8, "{article}");
    }
    assert!(!told.contains("Site configs:"), "{told}");
}

#[test]
fn a_page_on_which_it_finds_next_to_nothing_falls_back_to_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("models.sqlite");
    for more in [&[][..], &["--models", store.to_str().unwrap()]] {
        let (told, results) = run(folder.path(), "body: //h1\n", more);
        for n in 0..10 {
            let article = results.article(&url(n));
            assert!(text(article, "text").ends_with(&prose::text(n)), "{article}");
            assert_eq!(text(article, "engine"), "grove");
            assert_eq!(text(article, "site_config"), "overruled");
        }
        assert_eq!(results.count("pages_overruled"), 10);
        assert!(told.contains("Site configs: on 10 pages"), "{told}");
    }
}

#[test]
fn what_forbids_other_methods_is_kept_with_the_confidence_it_deserves() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "body: //h1\nautodetect_on_failure: no\n";
    let (_, results) = run(folder.path(), lines, &[]);
    for n in 0..10 {
        let article = results.article(&url(n));
        assert_eq!(text(article, "text"), prose::title(n));
        assert!(article["confidence"].as_f64().unwrap() < 0.7, "{article}");
    }
    assert_eq!(results.count("pages_overruled"), 0);
}
