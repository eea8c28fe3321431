//! Handwritten site configs, and learnt wrappers exported for other programs.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::crawl::Crawl;
use crate::common::program::{
    call, in_repository, parts, refuse, run, sitegrove, succeed, write_file,
};
use crate::common::prose;
use crate::common::results::{Results, files, parse, text};

/// Eight posts on each of two hosts, and a page of another layout.
fn archive() -> (TempDir, PathBuf, PathBuf) {
    let mut crawl = Crawl::new();
    for n in 0..8 {
        for (host, offset) in [("www.hand.example", 0), ("notes.hand.example", 50)] {
            let head = "<meta property='article:published_time' content='2024-04-03'>";
            let inside =
                "<p class=more>Read on about the harbour tomorrow, dear readers of ours.</p>";
            let page = prose::post_with(n + offset, head, inside);
            crawl.page(&format!("https://{host}/posts/{n}"), &page);
        }
    }
    crawl.placed("hand.warc.gz")
}

fn wrapper_file(folder: &Path, name: &str, lines: &str) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    write_file(folder, name, lines)
}

/// Values of a post that the site config gives.
const BY_HAND: &str = "# by hand\ntitle: //h1\ndate: //meta[@property='article:published_time']/@content\n\
    body: //article[@id='nowhere']\nbody: //div[@class='entry']\nstrip: //p[@class='more']\nprune: no\n\
    test_url: https://hand.example/posts/3\ntest_contains: The\ntest_url: https://hand.example/posts/99\n";

#[test]
fn a_fixed_wrapper_takes_the_place_of_the_learnt_one() {
    let (folder, archive, _) = archive();
    let hand = wrapper_file(&folder.path().join("hand"), "hand.example.txt", BY_HAND);
    let learnt = run(&[&archive], &folder.path().join("learnt"), &[]);
    let fixed = run(
        &[&archive],
        &folder.path().join("configured"),
        &["--site-configs", hand.parent().unwrap().to_str().unwrap()],
    );
    assert_eq!(fixed.articles.len(), learnt.articles.len());
    assert_ne!(fixed.ledger["config_hash"], learnt.ledger["config_hash"]);
    let article = fixed.article("https://www.hand.example/posts/3");
    assert_eq!(text(article, "engine"), "site-config");
    assert_eq!(text(article, "route"), "wrapper");
    assert_eq!(text(article, "text"), prose::text(3));
    assert_eq!(article["xpath"][0], "//div[@class='entry']");
    assert_eq!(article["prune"][1], "//p[@class='more']");
    assert_eq!(text(article, "published"), "2024-04-03");
    assert_eq!(text(&article["sources"]["title"], "source"), "site-config");
    assert_eq!(text(&article["sources"]["published"], "source"), "site-config");
    // The other host has no file: `hand.example.txt` is not for the hosts below it.
    let other = fixed.article("https://notes.hand.example/posts/3");
    assert_eq!(text(other, "engine"), "grove");
    let site = fs::read_to_string(fixed.folder.join("wrappers/hand.example.json")).unwrap();
    let site = parse(&site);
    assert_eq!(site["site_configs"][0]["host"], "hand.example");
    assert_eq!(
        (&site["site_configs"][0]["pages"], &site["site_configs"][0]["matched"]),
        (&8.into(), &8.into())
    );
}

#[test]
fn a_page_without_a_match_goes_the_learnt_way_unless_that_is_forbidden() {
    let (folder, archive, _) = archive();
    let lines = "body: //article[@id='gone']\nstrip: //p[@class='more']\n";
    let file = wrapper_file(folder.path(), ".hand.example.txt", lines);
    let below =
        run(&[&archive], &folder.path().join("below"), &["--site-configs", file.to_str().unwrap()]);
    // `strip` applies nevertheless. The file is only for the hosts below.
    for (url, stripped) in
        [("https://www.hand.example/posts/1", false), ("https://notes.hand.example/posts/1", true)]
    {
        let article = below.article(url);
        assert_eq!(text(article, "engine"), "grove");
        let prune = article["prune"].as_array().unwrap();
        assert_eq!(prune.contains(&"//p[@class='more']".into()), stripped, "{url}");
        assert!(!stripped || !text(article, "text").contains("Read on"));
    }
    let lines = format!("{lines}autodetect_on_failure: no\n");
    wrapper_file(folder.path(), ".hand.example.txt", &lines);
    let none =
        run(&[&archive], &folder.path().join("none"), &["--site-configs", file.to_str().unwrap()]);
    assert_eq!(none.articles.len(), 8);
    let dropped = none.drops("no-article");
    assert_eq!(dropped.len(), 8);
    assert!(dropped.iter().all(|drop| text(drop, "url").contains("notes.")));
}

#[test]
fn pages_of_one_article_are_joined_where_the_crawl_has_them() {
    let mut crawl = Crawl::new();
    let url = |n: usize| format!("https://parts.example/story?page={n}");
    for n in 1..=6 {
        // 1 → 2 → 3; 4 links to a missing page, 5 and 6 to each other.
        let to = [2, 3, 0, 9, 6, 5][n - 1];
        let next = format!("<a class=next href='?page={to}'>next</a>");
        crawl.page(&url(n), &prose::post_with(n, "", if to > 0 { &next } else { "" }));
    }
    let print = "<a class=print href='/print/8'>print</a>";
    crawl.page("https://parts.example/story/8", &prose::post_with(8, "", print));
    crawl.page("https://parts.example/print/8", &prose::post_with(80, "", ""));
    let (folder, archive, out) = crawl.placed("parts.warc.gz");
    let lines = "body: //div[@class='entry']\nstrip: //a[@class]\nnext_page_link: //a[@class='next']\n\
        single_page_link: //a[@class='print']/@href\nif_page_contains: //a[@class='print']\n";
    let file = wrapper_file(folder.path(), "parts.example.txt", lines);
    let results = run(&[&archive], &out, &["--site-configs", file.to_str().unwrap()]);
    let whole = results.article(&url(1));
    assert_eq!(text(whole, "text"), [1, 2, 3].map(prose::text).join("\n\n"));
    assert_eq!(text(whole, "html").matches("<p>").count(), 9);
    for n in 4..=6 {
        assert_eq!(text(results.article(&url(n)), "text"), prose::text(n));
    }
    assert_eq!(text(results.article("https://parts.example/print/8"), "text"), prose::text(80));
    let joined: Vec<(&str, &str)> = results
        .drops("joined-page")
        .into_iter()
        .map(|drop| (text(drop, "url"), text(drop, "detail")))
        .collect();
    let of_first = format!("part of {}", url(1));
    assert_eq!(
        joined,
        [
            ("https://parts.example/story/8", "part of https://parts.example/print/8"),
            (&*url(2), &*of_first),
            (&*url(3), &*of_first),
        ]
    );
}

#[test]
fn the_configuration_names_files_too() {
    let (folder, ..) = archive();
    wrapper_file(&folder.path().join("w"), "hand.example.txt", BY_HAND);
    wrapper_file(&folder.path().join("w"), "global.txt", "strip: //p[1]\n");
    let config = "[run]\ninputs = ['hand.warc.gz']\nout = 'out'\n[wrap]\nsite_configs = ['w']\n";
    let path = wrapper_file(folder.path(), "c.toml", config);
    succeed(&["run".as_ref(), path.as_os_str()]);
    let results = Results::read(&folder.path().join("out"));
    let article = results.article("https://www.hand.example/posts/3");
    // global.txt removes the first paragraph, too.
    let rest: Vec<String> = prose::paragraphs(3).drain(1..).collect();
    assert_eq!(text(article, "text"), rest.join("\n\n"));
    let stderr = refuse(&["run", "x.warc", "--site-configs", "nowhere"]);
    assert!(stderr.contains("nowhere"), "{stderr}");
}

#[test]
fn learnt_wrappers_are_written_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let sample = in_repository("data/crawl");
    let results = run(&[&sample], &out, &["--sinks", "jsonl,siteconfig"]);
    let written: Vec<String> =
        files(&out).into_keys().filter(|name| name.starts_with("site-config/")).collect();
    assert!(written.len() >= 9, "{written:?}");
    assert!(written.iter().all(|name| name.ends_with(".txt")));
    // Every directive that we write is honoured, or needs no action.
    let (code, stdout, stderr) =
        parts(&call(&["wrappers".as_ref(), "check".as_ref(), out.join("site-config").as_os_str()]));
    assert_eq!(code, 0, "{stdout}{stderr}");
    // They give the same articles as the run, nearly always on the sample crawl.
    let arguments = ["wrappers", "test", "--format", "json", "--run"];
    let output = sitegrove()
        .args(arguments)
        .args([&out, &out.join("site-config"), &sample])
        .output()
        .unwrap();
    let (_, stdout, stderr) = parts(&output);
    let outcome: Vec<_> = stdout.lines().map(parse).collect();
    let sum = |field: &str| outcome.iter().map(|f| f[field].as_u64().unwrap()).sum::<u64>();
    assert_eq!(outcome.len(), written.len(), "{stderr}");
    let by_wrapper = results.articles.iter().filter(|a| a["route"] == "wrapper").count() as u64;
    assert!(sum("articles") >= by_wrapper, "{stdout}");
    assert!(
        sum("same_text") * 100 >= by_wrapper * 90,
        "{} of {by_wrapper}\n{stdout}",
        sum("same_text")
    );
    assert!(sum("tests_held") * 100 >= sum("tests") * 90 && sum("tests") >= 20, "{stdout}");
    // And as site configs of another run.
    let again = run(
        &[&sample],
        &folder.path().join("again"),
        &["--site-configs", out.join("site-config").to_str().unwrap()],
    );
    let same = again
        .articles
        .iter()
        .filter(|a| a["engine"] == "site-config")
        .filter(|a| results.articles.iter().any(|b| a["url"] == b["url"] && a["text"] == b["text"]))
        .count() as u64;
    assert!(same * 100 >= by_wrapper * 90, "{same} of {by_wrapper}");
    // A run without this output removes them.
    run(&[&sample], &out, &["--sinks", "jsonl", "--overwrite"]);
    assert!(!out.join("site-config").exists());
}

#[test]
fn files_are_the_same_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let sample = in_repository("data/crawl");
    let files_of = |jobs: &str| {
        let out = folder.path().join(jobs);
        run(&[&sample], &out, &["--sinks", "siteconfig", "--jobs", jobs]);
        let mut all = files(&out);
        all.retain(|name, _| name.starts_with("site-config/"));
        all
    };
    assert_eq!(files_of("1"), files_of("3"));
}

#[test]
fn runs_are_listed_shown_and_exported() {
    let (folder, archive, out) = archive();
    run(&[&archive], &out, &[]);
    let wrappers = |more: &[&str]| {
        let output = sitegrove().arg("wrappers").args(more).output().unwrap();
        let (code, stdout, stderr) = parts(&output);
        assert_eq!(code, 0, "{more:?}\n{stdout}{stderr}");
        stdout
    };
    let run_dir = out.to_str().unwrap();
    let list = wrappers(&["list", run_dir]);
    assert!(list.contains("hand.example") && list.contains("  //"), "{list}");
    let shown = wrappers(&["show", run_dir, "https://www.hand.example/posts/3"]);
    assert!(shown.contains(": article, 16 pages") && shown.contains("learnt from"), "{shown}");
    let json = wrappers(&["export", run_dir, "--format", "json", "hand.example"]);
    let ours = fs::read_to_string(out.join("wrappers/hand.example.json")).unwrap();
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(value(&json), value(&ours));
    let to = folder.path().join("exported");
    wrappers(&["export", run_dir, "--out", to.to_str().unwrap()]);
    let names: Vec<String> = files(&to).into_keys().collect();
    assert_eq!(names, ["hand.example.txt", "notes.hand.example.txt"]);
    let text = fs::read_to_string(to.join("hand.example.txt")).unwrap();
    assert!(
        text.contains("\nbody: //") && text.contains("\ntest_url: https://www.hand.example/posts/"),
        "{text}"
    );
    // Wrappers of a run can be tested directly.
    let (archive, run_dir) = (archive.to_str().unwrap(), run_dir);
    let outcome = wrappers(&["test", run_dir, archive, "--run", run_dir]);
    assert!(outcome.contains("8 of 8") && outcome.lines().count() == 4, "{outcome}");
    let stderr = refuse(&["wrappers", "show", run_dir, "nowhere.example"]);
    assert!(stderr.contains("nowhere.example"), "{stderr}");
}

#[test]
fn tests_that_do_not_hold_are_named() {
    let (folder, archive, _) = archive();
    let file = wrapper_file(folder.path(), "hand.example.txt", BY_HAND);
    let test = |file: &Path| {
        let output =
            sitegrove().args(["wrappers", "test"]).args([file, &archive]).output().unwrap();
        parts(&output)
    };
    let (code, stdout, _) = test(&file);
    assert_eq!(code, 0, "{stdout}");
    // The page of the other test is not in the archive.
    assert!(stdout.contains("1 of 1") && stdout.contains("100%"), "{stdout}");
    wrapper_file(
        folder.path(),
        "hand.example.txt",
        &format!(
            "{BY_HAND}test_url: https://hand.example/posts/5/\ntest_contains: no such words\n"
        ),
    );
    let (code, stdout, _) = test(&file);
    assert_eq!(code, 1);
    assert!(stdout.contains("1 of 2") && stdout.contains("lacks \"no such words\""), "{stdout}");
    wrapper_file(folder.path(), "hand.example.txt", "body: //article\n");
    assert_eq!(test(&file).0, 1);
    let elsewhere = wrapper_file(folder.path(), "else.example.txt", "body: //article\n");
    let (code, _, stderr) = test(&elsewhere);
    assert_eq!(code, 2);
    assert!(stderr.contains("no page"), "{stderr}");
}

#[test]
fn check_says_what_is_not_honoured() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "body: //div\nhttp_header(cookie): a=b\ntidy: no\nstrip: //a[\nstript: //b\n";
    let file = wrapper_file(folder.path(), "a.example.txt", lines);
    let check = |more: &[&str]| {
        let output =
            sitegrove().args(["wrappers", "check"]).arg(&file).args(more).output().unwrap();
        parts(&output)
    };
    let (code, stdout, _) = check(&[]);
    assert_eq!(code, 1);
    for said in [
        ":2: http_header: not honoured (nothing is fetched",
        ":4: strip: not honoured (not XPath",
        ":5: stript:",
        "1 files, 0 of them",
    ] {
        assert!(stdout.contains(said), "{said}\n{stdout}");
    }
    assert!(!stdout.contains(":1:"));
    let (_, stdout, _) = check(&["--all", "--format", "json"]);
    let records: Vec<_> = stdout.lines().map(parse).collect();
    let verdicts: Vec<&str> = records.iter().map(|r| text(r, "verdict")).collect();
    assert_eq!(verdicts, ["honoured", "not honoured", "needless", "not honoured", "not honoured"]);
    fs::write(&file, "body: //div\ntidy: no\n").unwrap();
    assert_eq!(check(&[]).0, 0);
    let nameless = wrapper_file(folder.path(), "my wrapper.txt", "body: //div\n");
    let (code, stdout, _) =
        parts(&call(&["wrappers".as_ref(), "check".as_ref(), nameless.as_os_str()]));
    assert_eq!(code, 1);
    assert!(stdout.contains("contains no host"), "{stdout}");
}

/// A reader compares the confidence of a wrapper with those of its articles: both mean the same.
#[test]
fn a_wrapper_is_as_confident_as_its_articles() {
    let folder = tempfile::tempdir().unwrap();
    let results = run(&[&in_repository("data/crawl")], &folder.path().join("out"), &[]);
    let mut compared = 0;
    for (_, site) in files(&folder.path().join("out/wrappers")) {
        let site = parse(&String::from_utf8(site).unwrap());
        for template in site["templates"].as_array().unwrap() {
            let Some(wrapper) = template["wrapper"].as_object() else { continue };
            let is_of = |article: &&Value| article["template"] == template["id"];
            let of_articles: Vec<f64> = (results.articles.iter().filter(is_of))
                .map(|article| article["confidence"].as_f64().unwrap())
                .collect();
            if wrapper["support"]["learnt_from"].as_u64() != Some(of_articles.len() as u64) {
                continue;
            }
            let mean = of_articles.iter().sum::<f64>() / of_articles.len() as f64;
            let own = wrapper["confidence"].as_f64().unwrap();
            assert!((own - mean).abs() < 1e-3, "{}: {own} and {mean}", template["id"]);
            let exact = wrapper["support"]["exact"].as_f64().unwrap();
            assert!((0.5..=1.0).contains(&exact), "{exact}");
            compared += 1;
        }
    }
    assert!(compared >= 6, "only {compared} wrappers were compared");
}
