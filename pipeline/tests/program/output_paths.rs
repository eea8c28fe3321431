//! Before any work, each output is checked against what is at its path, and against all other paths of the command.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::common::crawl::Crawl;
use crate::common::program::{call, parts, run, succeed};
use crate::common::results::files;

/// A folder with a small crawl, a model store, an archive of articles, a run, and other files.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let crawl = Crawl::of_posts("https://small.example/notes/", 0..4);
        let archive = crawl.write(folder.path(), "crawl.warc.gz");
        let place = Self { folder };
        let (models, articles) = (place.at("models.sqlite"), place.at("articles.sqlite"));
        let outputs =
            ["--models", &models, "--archive", &articles, "--metrics", &place.at("run.prom")];
        let sinks = ["--sinks", "jsonl,csv,parquet,warc,report,siteconfig"];
        run(&[&archive], Path::new(&place.at("before")), &[&outputs[..], &sinks].concat());
        for (name, text) in
            [("notes.txt", "years of work"), ("weights.json", "{}"), ("gold.jsonl", "{}\n")]
        {
            fs::write(place.at(name), text).unwrap();
        }
        place
    }

    fn at(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        files(self.folder.path())
    }

    /// Calls the program, whose arguments have `@` for the folder, with an error that says all of these; nothing is
    /// changed.
    fn refuses(&self, arguments: &str, said: &[&str]) {
        let before = self.files();
        let arguments: Vec<String> =
            arguments.split(' ').map(|own| own.replace('@', &self.at(""))).collect();
        let (code, stdout, stderr) = parts(&call(&arguments));
        assert_eq!((code, &*stdout), (2, ""), "{arguments:?}: {stderr}");
        for text in said {
            assert!(stderr.contains(text), "{arguments:?} does not say `{text}`: {stderr}");
        }
        assert_eq!(stderr.lines().count(), 1, "{arguments:?}: {stderr}");
        let after = self.files();
        let names = |of: &BTreeMap<String, Vec<u8>>| of.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&before), names(&after), "{arguments:?}");
        assert!(before == after, "{arguments:?} changed a file");
    }
}

#[test]
fn a_run_replaces_nothing_but_its_own_kind() {
    let place = Place::new();
    let run = |more: &str, said: &[&str]| {
        place.refuses(&format!("run @crawl.warc.gz --out @out {more}"), said);
    };
    run(
        "--index @articles.sqlite",
        &["articles.sqlite: is a file (an archive of articles), not a search index", "--index"],
    );
    run("--dataset @notes.txt", &["notes.txt: is a file (text), not a data set", "--dataset"]);
    run("--metrics @models.sqlite", &["models.sqlite: is a model store", "--metrics"]);
    run("--metrics @notes.txt", &["notes.txt: is text, not a file of metrics", "--metrics"]);
    run("--metrics @before", &["is a folder"]);
    run("--metrics /dev/null", &["not a regular file"]);
    run("--archive @models.sqlite", &["is a model store, not an archive of articles"]);
    run("--models @articles.sqlite", &["is an archive of articles, not a model store"]);
    run("--models @before/articles.parquet", &["is a Parquet file"]);
    run("--models @crawl.warc.gz", &["crawl.warc.gz: is a WARC archive in a gzip file"]);
    run("--archive @before", &["before: is a folder, not an archive of articles"]);
    run("--index @before", &["holds something else than a search index"]);
    run("--dataset @before", &["and is no data set of articles"]);
    run("--spool @notes.txt", &["notes.txt: is a file (text), not a folder"]);
    let (dry, said) = ("run --dry-run @crawl.warc.gz --out @out", "is a model store");
    place.refuses(&format!("{dry} --metrics @models.sqlite"), &[said]);
}

#[test]
fn no_two_paths_of_a_run_are_in_each_others_way() {
    let place = Place::new();
    let run = |more: &str, said: &[&str]| {
        place.refuses(&format!("run @crawl.warc.gz --out @out {more}"), said);
    };
    run(
        "--models @new.sqlite --archive @new.sqlite",
        &["new.sqlite (--models)", "new.sqlite (--archive)"],
    );
    run("--models @new.sqlite --archive @before/../new.sqlite", &["(--models)", "(--archive)"]);
    run(
        "--archive @out/articles.jsonl",
        &["out/articles.jsonl (--archive)", "(articles.jsonl of --out)"],
    );
    // Files of outputs that are not chosen are removed from a run folder.
    run("--metrics @out/articles.csv", &["(--metrics)", "(articles.csv of --out)"]);
    run("--metrics @out/ledger.json", &["(--metrics)", "(ledger.json of --out)"]);
    run("--models @out/wrappers/a.sqlite", &["(--models)", "lies in", "out/wrappers"]);
    run("--index @new --dataset @new", &["new (--index)", "new (--dataset)"]);
    run("--index @out", &["out (--index)", "out (--out)"]);
    run("--index @new --dataset @new/below", &["(--dataset)", "lies in", "new (--index)"]);
    run("--index @new --metrics @new/run.prom", &["(--metrics)", "lies in", "new (--index)"]);
    run("--index @out/mine", &["out/mine (--index)", "lies in the run folder"]);

    symlink("models.sqlite", place.at("link.sqlite")).unwrap();
    fs::hard_link(place.at("models.sqlite"), place.at("hard.sqlite")).unwrap();
    run("--models @models.sqlite --archive @link.sqlite", &["is a model store"]);
    symlink("crawl.warc.gz", place.at("crawl-link")).unwrap();
    run("--metrics @crawl-link", &["a WARC archive in a gzip file"]);
    fs::write(place.at("empty"), "").unwrap();
    fs::hard_link(place.at("empty"), place.at("empty-too")).unwrap();
    run("--metrics @empty --models @empty-too", &["empty (--metrics)", "empty-too (--models)"]);

    // Inputs, feeds, site configs, and the run to compare with.
    let own = "run --overwrite --out @before --sinks jsonl";
    place.refuses(
        &format!("{own} @before/articles.warc.gz"),
        &["(articles.warc.gz of --out)", "(an input)"],
    );
    place.refuses(
        &format!("{own} @crawl.warc.gz --site-configs @before/site-config"),
        &["(site-config of --out)", "(--site-configs)"],
    );
    fs::write(place.at("feed.xml"), "").unwrap();
    run("--feeds @feed.xml --metrics @feed.xml", &["(--metrics)", "(an input)"]);
    run("--compare @before --metrics @before/ledger.json", &["ledger.json"]);
}

#[test]
fn what_a_run_wrote_is_written_again() {
    let place = Place::new();
    let args = |out: &str, more: &str| {
        let line = format!("run @crawl.warc.gz --out @{out} {more}");
        let all: Vec<String> = line.split(' ').map(|own| own.replace('@', &place.at(""))).collect();
        succeed(&all);
    };
    let grown =
        "--models @models.sqlite --archive @articles.sqlite --index @index --dataset @dataset";
    args("one", &format!("{grown} --metrics @run.prom"));
    args("two", &format!("{grown} --metrics @two/run.prom --compare @one --spool @two"));
    // Without --overwrite, nothing of another run is replaced; with it, the run is.
    args("two", "--overwrite --sinks csv");
    fs::write(place.at("prepared"), "").unwrap();
    args("three", "--metrics @prepared");
    assert!(fs::read_to_string(place.at("prepared")).unwrap().contains("sitegrove_articles_total"));
}

#[test]
fn other_commands_replace_nothing_but_their_own_kind() {
    let place = Place::new();
    let page = fs::read(place.at("before/report/index.html")).unwrap();
    fs::write(place.at("page.html"), page).unwrap();
    place.refuses("survey @crawl.warc.gz --out @crawl.warc.gz", &["a WARC archive in a gzip file"]);
    place.refuses("survey @crawl.warc.gz --out @before/articles.parquet", &["is a Parquet file"]);
    let survey = PathBuf::from(place.at("survey.parquet"));
    let steps = |arguments: &str| {
        let all: Vec<String> =
            arguments.split(' ').map(|own| own.replace('@', &place.at(""))).collect();
        assert_eq!(parts(&call(&all)).0, 0, "{arguments}");
    };
    steps("survey @crawl.warc.gz --out @survey.parquet");
    let before = fs::read(&survey).unwrap();
    steps("survey @crawl.warc.gz --out @survey.parquet");
    assert!(before == fs::read(&survey).unwrap());
    steps("learn @survey.parquet --out @learnt.parquet");
    for step in ["learn @survey.parquet", "apply @survey.parquet @learnt.parquet"] {
        place.refuses(
            &format!("{step} --out @survey.parquet"),
            &["survey.parquet (--out)", "survey.parquet (a file)"],
        );
    }
    place.refuses(
        "describe @survey.parquet @learnt.parquet --out @models.sqlite",
        &["is a model store, not a file of a step"],
    );
    let merge = "merge @survey.parquet @learnt.parquet --out @merged";
    place.refuses(&format!("{merge} --models @survey.parquet"), &["is a file of a step"]);
    place.refuses(
        &format!("{merge} --archive @merged/dropped.jsonl"),
        &["(dropped.jsonl of --out)"],
    );

    place.refuses("models export @models.sqlite --out @models.sqlite", &["is a model store"]);
    place.refuses("models export @models.sqlite --out @survey.parquet", &["is a file of a step"]);
    steps("models export @models.sqlite --out @models.parquet");
    steps("models export @models.sqlite --out @models.parquet");
    place.refuses(
        "learn @survey.parquet --out @models.parquet",
        &["is a table of models, not a file of a step"],
    );

    let article = "export article https://small.example/notes/1 --run @before --out";
    place.refuses(
        &format!("{article} @notes.txt --format html"),
        &["notes.txt: is text, not an HTML page"],
    );
    place.refuses(
        &format!("{article} @articles.sqlite --format html"),
        &["is an archive of articles"],
    );
    place.refuses(
        &format!("{article} @before/articles.jsonl --format json"),
        &["(RUN_DIR)", "(--out)"]
            .map(|text| text.replace("RUN_DIR", "--run"))
            .each_ref()
            .map(String::as_str),
    );
    steps(&format!("{article} @page.html"));
    steps(&format!("{article} @page.html"));
    steps(&format!("{article} @page.epub"));
    steps(&format!("{article} @page.epub"));
    place.refuses(
        "inspect @before small.example --out @weights.json",
        &["weights.json: is text, not an HTML page"],
    );
    place.refuses(
        "inspect @before small.example --out @before/articles.jsonl",
        &["articles.jsonl: is text, not an HTML page"],
    );
    steps("inspect @before small.example --out @page.html");
    place.refuses(
        "wrappers export @before --out @notes.txt",
        &["notes.txt: is a file (text), not a folder"],
    );
    place.refuses("man @notes.txt", &["notes.txt: is a file (text), not a folder"]);
}
