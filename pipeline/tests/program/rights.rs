//! What pages and servers say of the use of texts: recorded, counted, and a reason to leave articles out only if asked for.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use tempfile::TempDir;

use crate::common::crawl::{Crawl, HTML};
use crate::common::program::{call, parts, run, succeed};
use crate::common::prose;

const SITE: &str = "https://notes.example";

fn url(n: usize) -> String {
    format!("{SITE}/on-bridges-{n}")
}

/// A crawl of one site: with directives in headers and pages, a robots.txt and a tdmrep.json.
fn crawl() -> (TempDir, PathBuf, PathBuf) {
    let mut crawl = Crawl::new();
    let text = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";
    let robots = "User-agent: *\nDisallow: /on-bridges-5\n\nUser-agent: OwnBot\nDisallow: /on-bridges-4\n\
                  License: https://notes.example/license.xml\n";
    crawl.response(&format!("{SITE}/robots.txt"), text, b"User-agent: *\nDisallow: /");
    for n in 0..6 {
        let html = match n {
            1 => {
                prose::post(n).replace("<head>", "<head><meta name=robots content='noindex, noai'>")
            }
            _ => prose::post(n),
        };
        assert!(n != 1 || html.contains("noai"));
        let head = match n {
            2 => format!("{HTML}X-Robots-Tag: ownbot: noarchive\r\nX-Robots-Tag: noimageai\r\n"),
            3 => format!("{HTML}tdm-reservation: 1\r\ntdm-policy: /policy.json\r\n"),
            _ => HTML.to_owned(),
        };
        crawl.response(&url(n), &head, html.as_bytes());
    }
    // The later one counts.
    crawl.response(&format!("{SITE}/robots.txt"), text, robots.as_bytes());
    let tdm = "[{\"location\": \"/on-bridges-4\", \"tdm-reservation\": 1}]";
    crawl.response(&format!("{SITE}/.well-known/tdmrep.json"), text, tdm.as_bytes());
    crawl.placed("notes.warc.gz")
}

#[test]
fn what_is_said_is_recorded_and_counted() {
    let (_folder, crawl, out) = crawl();
    let results = run(&[&crawl], &out, &[]);
    let of = |n: usize| {
        let mut rights = results.article(&url(n))["rights"].clone();
        assert_eq!(rights["rsl"], json!(["https://notes.example/license.xml"]));
        rights.as_object_mut().unwrap().remove("rsl");
        rights
    };
    assert_eq!(of(0), json!({ "robots_txt": "allowed" }));
    assert_eq!(of(1), json!({ "robots": ["noindex", "noai"], "robots_txt": "allowed" }));
    assert_eq!(of(2), json!({ "robots": ["noimageai"], "robots_txt": "allowed" }));
    let policy = "https://notes.example/policy.json";
    assert_eq!(
        of(3),
        json!({ "tdm_reserved": true, "tdm_policy": policy, "robots_txt": "allowed" })
    );
    assert_eq!(of(4), json!({ "tdm_reserved": true, "robots_txt": "allowed" }));
    assert_eq!(of(5), json!({ "robots_txt": "disallowed" }));
    let counts = json!({ "noindex": 1, "noai": 1, "tdm": 2, "rsl": 6, "robots": 1 });
    assert_eq!(results.ledger["counts"]["articles_by_rights"], counts);
    let report = fs::read_to_string(out.join("report/index.html")).unwrap();
    assert!(report.contains("noindex") && report.contains("Rights"), "the report has the counts");
}

#[test]
fn the_rules_for_a_robot_count_if_it_is_named() {
    let (_folder, crawl, out) = crawl();
    let results = run(&[&crawl], &out, &["--robot", "OwnBot"]);
    let of = |n: usize, key: &str| results.article(&url(n))["rights"][key].clone();
    assert_eq!(of(2, "own_robot"), json!(["noarchive"]));
    assert_eq!((of(4, "robots_txt"), of(5, "robots_txt")), (json!("disallowed"), json!("allowed")));
}

#[test]
fn articles_are_left_out_only_if_asked_for() {
    let (folder, crawl, _) = crawl();
    let left = |skip: &str| {
        let out = folder.path().join(skip);
        let results = run(&[&crawl], &out, &["--skip", skip]);
        let mut own: Vec<(String, String)> = results
            .drops("rights")
            .into_iter()
            .map(|drop| {
                let text = |key: &str| drop[key].as_str().unwrap().to_owned();
                (text("url"), text("detail"))
            })
            .collect();
        own.sort();
        assert_eq!(results.articles.len() + own.len(), 6);
        own
    };
    let drop = |n: usize, why: &str| (url(n), why.to_owned());
    assert_eq!(left("noindex,noai,noarchive"), [drop(1, "noindex, noai")]);
    assert_eq!(left("tdm,robots"), [drop(3, "tdm"), drop(4, "tdm"), drop(5, "robots")]);
    let (code, _, stderr) = parts(&call(&["run", crawl.to_str().unwrap(), "--skip", "nothing"]));
    assert!(code == 2 && stderr.contains("noindex, noarchive, noai, tdm, rsl, robots"), "{stderr}");
}

/// The files of a site reach its pages whatever way they take.
#[test]
fn steps_and_little_memory_record_the_same() {
    let (folder, crawl, whole) = crawl();
    run(&[&crawl], &whole, &[]);
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (survey, learnt, applied) = (at("s.parquet"), at("l.parquet"), at("a.parquet"));
    let (again, rest, merged) = (at("again.parquet"), at("rest.parquet"), at("merged"));
    succeed(&["survey", crawl.to_str().unwrap(), "--out", &survey]);
    succeed(&["learn", &survey, "--out", &learnt]);
    succeed(&["apply", &survey, &learnt, "--out", &applied]);
    succeed(&["learn", &survey, &learnt, &applied, "--out", &again]);
    succeed(&["apply", &survey, &learnt, &again, "--out", &rest]);
    succeed(&["merge", &survey, &learnt, &applied, &again, &rest, "--out", &merged]);
    let read = |folder: &Path| fs::read(folder.join("articles.jsonl")).unwrap();
    assert!(read(&whole) == read(Path::new(&merged)));
}
