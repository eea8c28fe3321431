//! Pages chosen by site, date and number.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::common::crawl::Crawl;
use crate::common::program::{call, parts, sitegrove, succeed, write_file};
use crate::common::prose;
use crate::common::results::{Results, parse};

/// Two days of two sites, in two archives.
fn crawl() -> (TempDir, [PathBuf; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let day = |day, name: &str, from: u32| {
        let mut crawl = Crawl::of_day(day);
        for n in from..from + 6 {
            crawl.page(&format!("https://www.one.example/posts/{n}"), &prose::post(n as usize));
            crawl.page(&format!("https://two.example/notes/{n}"), &prose::post(n as usize + 50));
        }
        crawl.response("https://two.example/gone", "HTTP/1.1 404 Gone\r\n", b"<p>no");
        crawl.write(folder.path(), name)
    };
    let archives = [day("2026-10-05", "a.warc.gz", 0), day("2026-10-06", "b.warc.gz", 10)];
    (folder, archives)
}

fn run(inputs: &[PathBuf], out: &Path, more: &[&str]) -> (i32, String, String) {
    let output = sitegrove().arg("run").args(inputs).arg("-o").arg(out).args(more).output();
    parts(&output.unwrap())
}

fn urls(out: &Path) -> Vec<String> {
    Results::read(out).urls().iter().map(ToString::to_string).collect()
}

#[test]
fn sites_and_dates() {
    let (folder, archives) = crawl();
    let out = folder.path().join("out");
    let chosen = |more: &[&str]| {
        let (code, _, stderr) = run(&archives, &out, &[more, &["--overwrite"]].concat());
        assert_eq!((code, stderr.as_str()), (0, ""), "{more:?}");
        (urls(&out), Results::read(&out).ledger)
    };
    let (all, ledger) = chosen(&[]);
    assert_eq!(all.len(), 24);
    assert!(ledger["inputs"][0].get("chosen").is_none(), "{ledger}");
    let (one, ledger) = chosen(&["--site", "www.one.example"]);
    assert_eq!(one.len(), 12);
    assert!(one.iter().all(|url| url.contains("one.example")), "{one:?}");
    assert_eq!(ledger["drops"]["other-site"], 14, "pages and drops of the other site: {ledger}");
    assert_eq!(ledger["counts"]["dropped"], 14);
    assert_eq!(ledger["inputs"][0]["chosen"]["left_out"]["other-site"], 7);
    assert_eq!(fs::read_to_string(out.join("dropped.jsonl")).unwrap(), "", "they are not listed");
    let report = fs::read_to_string(out.join("report/index.html")).unwrap();
    assert!(report.contains("The run took pages of one.example; 14 other records"), "{report}");
    assert!(!report.contains("other-site"), "they are no drops among the pages");
    let both = chosen(&["--site", "one.example", "--site", "https://two.example/x"]).0;
    assert_eq!(both, all);
    let (first, ledger) = chosen(&["--until", "2026-10-05"]);
    assert!(first.len() == 12 && first.iter().all(|url| url.ends_with(char::is_numeric)));
    assert_eq!(ledger["drops"]["other-date"], 12);
    let (second, _) = chosen(&["--since", "2026-10-06"]);
    assert!(second.len() == 12 && second.iter().all(|url| !first.contains(url)));
    assert_eq!(chosen(&["--since", "2026-10-05", "--until", "2026-10-06"]).0, all);
    // The same settings in a file.
    let file = write_file(
        folder.path(),
        "own.toml",
        "[run]\nsites = ['one.example']\nsince = '2026-10-06'\n",
    );
    let inputs = [&[file][..], &archives].concat();
    assert_eq!(run(&inputs, &out, &["--overwrite"]).0, 0);
    assert_eq!(urls(&out).len(), 6);
}

#[test]
fn the_first_pages_are_the_same_for_any_threads_and_order() {
    let (folder, [a, b]) = crawl();
    let mut outcomes = Vec::new();
    for (n, (inputs, jobs)) in
        [([a.clone(), b.clone()], "1"), ([b.clone(), a.clone()], "8")].into_iter().enumerate()
    {
        let out = folder.path().join(format!("out-{n}"));
        let (code, _, stderr) = run(&inputs, &out, &["--limit", "15", "-j", jobs]);
        assert_eq!((code, stderr.as_str()), (0, ""));
        let ledger = Results::read(&out).ledger;
        assert_eq!(ledger["counts"]["pages"], 15);
        // Nine pages and a record that is no page come after them.
        assert_eq!(ledger["drops"]["over-limit"], 10, "{ledger}");
        outcomes.push(fs::read(out.join("articles.jsonl")).unwrap());
    }
    assert!(outcomes[0] == outcomes[1] && !outcomes[0].is_empty());
    let (code, _, stderr) = run(&[a], &folder.path().join("x"), &["--limit", "0"]);
    assert!(code == 2 && stderr.contains("--limit"), "{stderr}");
}

#[test]
fn another_choice_is_another_run() {
    let (folder, archives) = crawl();
    let out = folder.path().join("out");
    assert_eq!(run(&archives, &out, &["--site", "one.example"]).0, 0);
    let (code, stdout, _) = run(&archives, &out, &["--site", "www.one.example"]);
    assert!(code == 0 && stdout.starts_with("Nothing to do"), "{stdout}");
    let (code, _, stderr) = run(&archives, &out, &["--limit", "3"]);
    assert_eq!(code, 2);
    for part in ["pages of one.example", "the first 3 pages", "--overwrite"] {
        assert!(stderr.contains(part), "{stderr}");
    }
    assert_eq!(run(&archives, &out, &["--limit", "3", "--overwrite"]).0, 0);
    assert_eq!(urls(&out).len(), 3);
    for (option, value) in [("--since", "yesterday"), ("--until", "soon"), ("--site", "")] {
        let (code, _, stderr) = run(&archives, &out, &[option, value]);
        assert!(code == 2 && stderr.contains(option), "{stderr}");
    }
    // A site that is not there is reported.
    let (_, _, stderr) = run(&archives, &out, &["--site", "three.example", "--overwrite"]);
    assert!(stderr.starts_with("warning: three.example: "), "{stderr}");
}

#[test]
fn choices_meet_models_archives_and_indexes() {
    let (folder, archives) = crawl();
    let place = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (store, archive, index) = (place("m.sqlite"), place("a.sqlite"), place("i.index"));
    let with = ["--models", &store, "--archive", &archive, "--index", &index];
    for (night, choice) in [["--site", "one.example"], ["--site", "two.example"]].iter().enumerate()
    {
        let out = folder.path().join(format!("night-{night}"));
        let (code, _, stderr) = run(&archives, &out, &[&with[..], choice].concat());
        assert_eq!((code, stderr.as_str()), (0, ""));
    }
    // Both are nights of their own, though their inputs are the same.
    let (_, listed, _) = parts(&call(&["models", "list", &store, "--format", "json"]));
    let sites: Vec<_> = listed.lines().map(|line| parse(line)["site"].clone()).collect();
    assert_eq!(sites, ["one.example", "two.example"]);
    let (_, found, _) = parts(&call(&["search", &index, "*", "--format", "json", "--limit", "99"]));
    assert_eq!(parse(&found)["articles"], 24);
    let since = ["changes", "--since", "2026", "--archive", &archive, "--format", "json"];
    assert_eq!(parts(&call(&since)).1.lines().count(), 24);
}

#[test]
fn a_dry_run_says_what_a_run_would_read_and_writes_nothing() {
    let (folder, archives) = crawl();
    let out = folder.path().join("out");
    let (code, stdout, stderr) = run(&archives, &out, &["--dry-run"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    for part in ["24 pages of 2 sites", "memory: about ", "disk for the results: about ", "WARC"] {
        assert!(stdout.contains(part), "{stdout}");
    }
    assert!(stdout.lines().all(|line| line.chars().count() <= 80), "{stdout}");
    let chosen = ["--dry-run", "--site", "one.example", "--limit", "5", "--format", "json"];
    let (code, stdout, _) = run(&archives, &out, &chosen);
    let forecast = parse(stdout.trim());
    assert_eq!((code, &forecast["pages"], &forecast["sites"]), (0, &5.into(), &1.into()));
    assert_eq!(forecast["inputs"][0]["left_out"]["other-site"], 7);
    assert_eq!(forecast["out_holds"], "new");
    assert!(!out.exists());
    // What it counts is what the run then has.
    assert_eq!(run(&archives, &out, &chosen[1..5]).0, 0);
    assert_eq!(Results::read(&out).ledger["counts"]["pages"], 5);
    let (_, stdout, _) = run(&archives, &out, &chosen);
    assert_eq!(parse(stdout.trim())["out_holds"], "finished run");
}

#[test]
fn a_dry_run_names_inputs_that_are_none_and_ends_as_the_run_would() {
    let (folder, archives) = crawl();
    let out = folder.path().join("out");
    let words = write_file(folder.path(), "words.warc.gz", "only words");
    let is_text = |stdout: &str| stdout.contains("is text, not an archive or an HTML page");
    let both = [archives[0].clone(), words.clone()];
    let (code, stdout, _) = run(&both, &out, &["--dry-run"]);
    assert!(code == 0 && is_text(&stdout), "{code}: {stdout}");
    assert_eq!(run(&both, &out, &[]).0, 0);
    let (code, stdout, _) = run(std::slice::from_ref(&words), &out, &["--dry-run"]);
    assert!(code == 1 && is_text(&stdout), "{code}: {stdout}");
    // Records that are no pages are a night without pages, which is a success.
    let mut night = Crawl::new();
    night.response("https://one.example/gone", "HTTP/1.1 404 Gone\r\n", b"<p>no");
    let bare = night.write(folder.path(), "bare.warc.gz");
    assert_eq!(run(std::slice::from_ref(&bare), &folder.path().join("empty"), &[]).0, 0);
    let (code, stdout, _) = run(std::slice::from_ref(&bare), &out, &["--dry-run"]);
    assert_eq!(code, 0, "{stdout}");
    // Damage without a page is none.
    let both = [bare, words];
    assert_eq!(run(&both, &folder.path().join("damaged"), &[]).0, 1);
    let (code, stdout, _) = run(&both, &out, &["--dry-run"]);
    assert_eq!(code, 1, "{stdout}");
}

#[test]
fn a_survey_takes_the_same_choices() {
    let (folder, archives) = crawl();
    let place = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    for (n, choice) in [
        &["--site", "one.example", "--since", "2026-10-06"][..],
        &["--limit", "15"],
        &["--until", "2026-10-05", "--limit", "4"],
    ]
    .into_iter()
    .enumerate()
    {
        let place = |name: &str| place(&format!("{n}-{name}"));
        let out = place("run");
        assert_eq!(run(&archives, Path::new(&out), choice).0, 0);
        let step = |arguments: &[&str]| {
            let (code, _, stderr) = parts(&call(arguments));
            assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
        };
        let (survey, learnt, merged) = (place("s.parquet"), place("l.parquet"), place("merged"));
        let inputs = archives.each_ref().map(|path| path.to_str().unwrap());
        step(&[&["survey", "-o", &survey], &inputs[..], choice].concat());
        step(&["learn", &survey, "-o", &learnt]);
        step(&["merge", &survey, &learnt, "-o", &merged]);
        let (own, theirs) = (Results::read(Path::new(&out)), Results::read(Path::new(&merged)));
        assert_eq!(own.ledger["drops"], theirs.ledger["drops"], "{choice:?}");
        assert_eq!(own.ledger["inputs"], theirs.ledger["inputs"], "{choice:?}");
        let articles = |of: &str| fs::read(Path::new(of).join("articles.jsonl")).unwrap();
        assert!(articles(&out) == articles(&merged), "{choice:?}");
    }
}

#[test]
fn inspect_reads_the_chosen_pages_again() {
    let (folder, archives) = crawl();
    let out = folder.path().join("out");
    assert_eq!(run(&archives, &out, &["--limit", "15"]).0, 0);
    let ledger = Results::read(&out).ledger;
    let taken = |input: usize| ledger["inputs"][input]["chosen"]["taken"].clone();
    assert_eq!((taken(0), taken(1)), (12.into(), 3.into()));
    let page = folder.path().join("one.html");
    let arguments = [
        "inspect",
        out.to_str().unwrap(),
        "one.example",
        "--pages",
        "99",
        "--out",
        page.to_str().unwrap(),
    ];
    succeed(&arguments);
    let html = fs::read_to_string(&page).unwrap();
    // Six pages of the first day and two of the second.
    assert!(html.contains("8 articles") && html.contains("posts/11"), "{html}");
    assert!(!html.contains("posts/12"), "{html}");
}
