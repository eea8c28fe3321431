//! The same page on several nights: what was read differently, and reading captures again with `--reextract`.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::common::nights::{crawl_of, posts, url};
use crate::common::program::{call, json_lines, parts, succeed};
use crate::common::results::Results;

/// A folder with a store of models and an archive.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Runs; gives the folder of the results.
    fn run(&self, out: &str, more: &[&str]) -> PathBuf {
        let out = self.path(out);
        succeed(&[&["run", "--out", &out], more].concat());
        out.into()
    }

    fn lines(&self, command: &[&str]) -> Vec<Value> {
        let archive = self.path("archive.sqlite");
        let all = [command, &["--archive", &archive, "--format", "json"]].concat();
        json_lines(&all)
    }

    fn kinds(&self, more: &[&str]) -> Vec<String> {
        let all = self.lines(&[&["changes", "--since", "2026-01-01"], more].concat());
        all.iter().map(|own| own["kind"].as_str().unwrap().to_owned()).collect()
    }

    fn history(&self, n: usize) -> Vec<Value> {
        self.lines(&["history", &url(n)])
    }
}

#[test]
fn a_page_that_is_the_same_but_read_differently_is_no_new_version() {
    let place = Place::new();
    let (models, archive) = (place.path("models.sqlite"), place.path("archive.sqlite"));
    let fixed = ["--models", &models, "--archive", &archive];
    let first = crawl_of(place.0.path(), "2026-03-01", &posts(0..9));
    let second = crawl_of(place.0.path(), "2026-03-02", &posts(0..9));
    place.run("one", &[&[first.to_str().unwrap()], &fixed[..]].concat());
    // Another engine reads menus into the text.
    let other = ["--engine", "euclid"];
    let out = place.run("two", &[&[second.to_str().unwrap()], &fixed[..], &other].concat());
    let kinds = place.kinds(&[]);
    let of = |kind: &str| kinds.iter().filter(|own| *own == kind).count();
    assert_eq!((of("new"), of("changed"), of("unclear")), (9, 0, 0), "{kinds:?}");
    assert!(of("reread") > 0, "{kinds:?}");
    assert_eq!(place.kinds(&["--kinds", "new,changed,unclear"]), vec!["new"; 9]);
    assert_eq!(place.kinds(&["--kinds", "reread"]).len(), of("reread"));
    let history = place.history(3);
    assert_eq!(history.len(), 1);
    assert_eq!((&history[0]["visits"], &history[0]["model_revision"]), (&2.into(), &1.into()));
    let reading = &history[0]["readings"][0];
    assert_eq!((&reading["model_revision"], &reading["replaced"]), (&2.into(), &false.into()));
    assert!(reading["diff"].as_str().unwrap().contains("@@"));
    let night = Results::read(&out);
    assert_ne!(night.article(&url(3))["text"], history[0]["text"]);
    let (code, told, _) = parts(&call(&["history", &url(3), "--archive", &archive]));
    assert!(code == 0 && told.contains("read differently  2026-03-02T"), "{told}");
    assert!(told.contains("model revision: 1"), "{told}");
}

#[test]
fn captures_are_read_again_on_purpose() {
    let place = Place::new();
    let (models, archive) = (place.path("models.sqlite"), place.path("archive.sqlite"));
    let old = crawl_of(place.0.path(), "2026-03-01", &posts(0..5));
    let old = old.to_str().unwrap();
    place.run("old", &[old, "--engine", "euclid", "--archive", &archive]);
    let before = place.history(3)[0]["text"].clone();
    let new = crawl_of(place.0.path(), "2026-03-02", &posts(3..12));
    place.run("new", &[new.to_str().unwrap(), "--models", &models]);
    let store = fs::read(&models).unwrap();

    let again = ["--reextract", "--models", &models, "--archive", &archive];
    let out = place.run("again", &[&[old], &again[..]].concat());
    let articles = Results::read(&out);
    let history = place.history(3);
    assert_eq!(history.len(), 1);
    assert_eq!(history[0]["text"], articles.article(&url(3))["text"]);
    assert_ne!(history[0]["text"], before);
    assert_eq!((&history[0]["visits"], &history[0]["model_revision"]), (&1.into(), &1.into()));
    assert_eq!(history[0]["readings"][0]["replaced"], true);
    assert_eq!(articles.article(&url(3))["model_revision"], 1);
    let health = fs::read_to_string(out.join("health.jsonl")).unwrap();
    assert!(health.contains("\"decision\":\"keep\",\"reason\":\"read again\""), "{health}");

    // Without inputs what the store retains is read: other captures, some of the same articles.
    let out = place.run("retained", &again);
    assert_eq!(Results::read(&out).articles.len(), 9);
    assert_eq!(place.history(3)[0]["visits"], 2);
    assert_eq!(place.history(11)[0]["visits"], 1);
    assert_eq!(fs::read(&models).unwrap(), store, "the store stays as it is");

    let out = place.path("none");
    let none = place.path("none.sqlite");
    let (code, _, errors) = parts(&call(&["run", "--reextract", "--models", &none, "--out", &out]));
    assert!(code == 2 && errors.contains("none.sqlite"), "{errors}");
}
