//! Runs larger than memory give the same results as runs in memory, and report their progress.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::common::crawl::{Crawl, HTML};
use crate::common::program::{in_repository, parts, run, sitegrove, write_file};
use crate::common::prose;
use crate::common::results::{Results, assert_same, parse, text};

#[test]
fn pages_on_disk_give_the_same_bytes_as_pages_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let [crawl, pages, feeds] =
        ["data/crawl", "data/pages/lighthouse-almanac.example", "data/feeds"].map(in_repository);
    let inputs = [crawl.as_path(), pages.as_path()];
    let flags = |memory: &'static str, more: &[&'static str]| {
        let feeds = feeds.to_str().unwrap().to_owned();
        let flags = ["--feeds", "", "--memory", memory, "--sinks", "jsonl,csv,report"];
        let mut flags: Vec<String> = flags.map(str::to_owned).into();
        flags[1] = feeds;
        flags.extend(more.iter().map(|flag| (*flag).to_owned()));
        flags
    };
    let run = |name: &str, flags: Vec<String>| {
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        run(&inputs, &out(name), &flags)
    };
    let held = run("held", flags("1GiB", &[]));
    assert!(held.articles.len() > 80);
    // The run removes its spool at the end.
    let elsewhere = out("spools");
    let spooled = run("spooled", flags("64kB", &["--jobs", "1"]));
    assert_same(&held.outcome(), &spooled.outcome(), "64 kB");
    assert!(!out("spooled").join(".sitegrove").exists());
    let mut flags = flags("64kB", &["--jobs", "3", "--spool"]);
    flags.push(elsewhere.to_str().unwrap().to_owned());
    assert_same(&held.outcome(), &run("elsewhere", flags).outcome(), "a spool elsewhere");
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0, "the spool was left behind");
}

/// Pages of one site: two layouts, a list, and a few pages of other layouts.
fn large_site(pages: usize) -> Crawl {
    let mut crawl = Crawl::new();
    for n in 0..pages {
        crawl.page(&format!("https://large.example/notes/{n:04}"), &prose::post(n));
    }
    let links: String = (0..40)
        .map(|n| format!("<li><a href=\"/notes/{n:04}\">Note {n} of many</a></li>"))
        .collect();
    crawl.page("https://large.example/", &format!("<html><body><ul>{links}</ul></body></html>"));
    crawl.page("https://small.example/a/1", &prose::post(1));
    crawl.page("https://small.example/a/2", &prose::post(2));
    crawl
}

/// Articles and drops, one line each, in order: those of an oversized site come batch by batch.
fn lines(results: &Results) -> Vec<String> {
    let all = results.articles.iter().chain(&results.dropped);
    let mut lines: Vec<String> = all.map(ToString::to_string).collect();
    lines.sort();
    lines
}

/// The templates of a site by id, with the pages of each.
fn templates(results: &Results, site: &str) -> BTreeMap<String, serde_json::Value> {
    let file = fs::read_to_string(results.folder.join(format!("wrappers/{site}.json"))).unwrap();
    let record = parse(&file);
    let templates = record["templates"].as_array().unwrap().iter();
    templates.map(|t| (text(t, "id").to_owned(), t.clone())).collect()
}

#[test]
fn an_oversized_site_gives_what_it_gives_as_a_whole() {
    let (folder, archive, _) = large_site(300).placed("large.warc.gz");
    let settings = write_file(folder.path(), "parts.toml", "[run]\nbatch_bytes = 100_000\n");
    let whole = run(&[&archive], &folder.path().join("whole"), &[]);
    let in_parts =
        |name: &str, more: &[&str]| run(&[&settings, &archive], &folder.path().join(name), more);
    let parts = in_parts("parts", &[]);
    assert_eq!(lines(&whole), lines(&parts));
    assert_eq!(templates(&whole, "large.example"), templates(&parts, "large.example"));
    assert_eq!(whole.count("pages"), parts.count("pages"));
    for (memory, jobs) in [("1MiB", "1"), ("1MiB", "4"), ("2GiB", "2")] {
        let name = format!("{memory}-{jobs}");
        let again = in_parts(&name, &["--memory", memory, "--jobs", jobs]);
        assert_same(&parts.outcome(), &again.outcome(), &name);
    }
    // The site's file and row cover all its batches.
    let file = fs::read_to_string(parts.folder.join("wrappers/large.example.json")).unwrap();
    let record = parse(&file);
    let templates = record["templates"].as_array().unwrap();
    let pages: u64 = templates.iter().map(|t| t["pages"].as_u64().unwrap()).sum();
    assert_eq!(pages, 301);
    assert!(templates.iter().any(|t| t["wrapper"]["content"].is_array()));
    let rows = fs::read_to_string(parts.folder.join("report/sites.jsonl")).unwrap();
    let rows: Vec<_> = rows.lines().map(parse).collect();
    let row = rows.iter().find(|row| row["site"] == "large.example").unwrap();
    assert_eq!((row["pages"].as_u64(), rows.len()), (Some(301), 2));
    let urls: BTreeSet<&str> = parts.articles.iter().map(|a| text(a, "url")).collect();
    assert_eq!(row["articles"].as_u64().unwrap() + 2, urls.len() as u64);
}

#[test]
fn revisits_redirects_and_saved_files_are_resolved_on_disk_too() {
    let mut crawl = Crawl::of_posts("https://blog.example/notes/", 0..30);
    crawl.response(
        "https://blog.example/old/3",
        "HTTP/1.1 301 Moved\r\nLocation: /notes/3\r\n",
        b"",
    );
    crawl.response("https://blog.example/empty", HTML, b"  ");
    let (folder, archive, _) = crawl.placed("crawl.warc.gz");
    let saved = folder.path().join("saved");
    fs::create_dir(&saved).unwrap();
    for n in 0..5 {
        let canonical =
            format!("<link rel=canonical href='https://saved.example/posts/{}'>", n.min(3));
        fs::write(saved.join(format!("{n}.html")), prose::post_with(n, &canonical, "")).unwrap();
    }
    let feed = folder.path().join("feed.xml");
    let item = "<item><title>Old</title><link>https://blog.example/old/3</link></item>\
                <item><title>Far</title><link>https://far.example/1</link></item>";
    fs::write(&feed, format!("<rss version='2.0'><channel><title>t</title>{item}</channel></rss>"))
        .unwrap();
    let inputs = [archive.as_path(), saved.as_path()];
    let with = |name: &str, memory: &str| {
        let feed = feed.to_str().unwrap();
        run(&inputs, &folder.path().join(name), &["--feeds", feed, "--memory", memory])
    };
    let (held, spooled) = (with("held", "1GiB"), with("spooled", "1kB"));
    assert_same(&held.outcome(), &spooled.outcome(), "1 kB");
    assert_eq!((held.count("feed_items"), held.count("feed_items_elsewhere")), (1, 1));
    // Two files name one address: neither has it.
    let urls = spooled.urls();
    assert!(urls.contains("https://saved.example/posts/2"), "{urls:?}");
    assert!(!urls.contains("https://saved.example/posts/3"), "{urls:?}");
}

#[test]
fn metrics_are_what_prometheus_reads() {
    let (folder, archive, out) = large_site(20).placed("large.warc.gz");
    let metrics = folder.path().join("run.prom");
    let results = run(&[&archive], &out, &["--metrics", metrics.to_str().unwrap()]);
    let told = fs::read_to_string(&metrics).unwrap();
    let mut values: BTreeMap<&str, f64> = BTreeMap::new();
    let mut family = "";
    for line in told.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert!(matches!(kind, "gauge" | "counter"), "{line}");
            family = name;
        } else if !line.starts_with("# HELP ") {
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert!(name.starts_with(family), "{line} is not of {family}");
            values.insert(name, value.parse().unwrap());
        }
    }
    assert_eq!(values["sitegrove_articles_total"], results.count("articles") as f64);
    assert_eq!(values["sitegrove_run_state{state=\"complete\"}"], 1.0);
    assert_eq!(values["sitegrove_run_state{state=\"running\"}"], 0.0);
    assert!(values["sitegrove_peak_memory_bytes"] > 1e6);
}

#[test]
fn amounts_of_memory_are_checked() {
    let archive = in_repository("data/crawl");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    for wrong in ["much", "10XB", ""] {
        let arguments = ["run", archive.to_str().unwrap(), "--out", out.to_str().unwrap()];
        let output = sitegrove().args(arguments).args(["--memory", wrong]).output().unwrap();
        let (code, _, stderr) = parts(&output);
        match wrong {
            "" => assert_eq!(code, 0, "{stderr}"),
            _ => assert!(
                code == 2 && stderr.contains(wrong) && stderr.contains("800MiB"),
                "{stderr}"
            ),
        }
    }
    // Less than any run needs: it works nevertheless, with everything on disk, in a separate
    // folder.
    let ample = Results::read(&out);
    let little = run(&[&archive], &folder.path().join("little"), &["--memory", "1MB"]);
    assert!(ample.articles.len() >= 100, "{}", ample.articles.len());
    assert_same(&ample.outcome(), &little.outcome(), "1 MB");
}

#[test]
fn an_oversized_site_joins_the_parts_of_articles() {
    let mut crawl = Crawl::new();
    let url = |story: usize, part: usize| {
        // The parts of a story are far apart in the order of addresses.
        format!("https://parts.example/{part}/story-{story:02}")
    };
    for story in 0..40 {
        for part in 1..=3 {
            let next = format!("<a class=next href='{}'>next</a>", url(story, part + 1));
            let inside = if part < 3 { next.as_str() } else { "" };
            crawl.page(&url(story, part), &prose::post_with(story * 3 + part, "", inside));
        }
    }
    let (folder, archive, _) = crawl.placed("parts.warc.gz");
    let site_config = folder.path().join("parts.example.txt");
    let lines_of =
        "body: //div[@class='entry']\nstrip: //a[@class]\nnext_page_link: //a[@class='next']\n";
    fs::write(&site_config, lines_of).unwrap();
    let with = |name: &str, batch_bytes: u64, memory: &str| {
        let settings = write_file(
            folder.path(),
            format!("{name}.toml"),
            format!("[run]\nbatch_bytes = {batch_bytes}\n"),
        );
        let out = folder.path().join(name);
        let site_config = site_config.to_str().unwrap();
        run(&[&settings, &archive], &out, &["--site-configs", site_config, "--memory", memory])
    };
    let small = with("small", 1 << 30, "1GiB");
    assert_eq!(small.articles.len(), 40);
    for story in 0..40 {
        let whole: Vec<String> = (1..=3).map(|part| prose::text(story * 3 + part)).collect();
        assert_eq!(text(small.article(&url(story, 1)), "text"), whole.join("\n\n"));
    }
    for (batch_bytes, memory) in [(20_000, "1GiB"), (20_000, "1MB"), (60_000, "1MB")] {
        let oversized = with(&format!("{batch_bytes}-{memory}"), batch_bytes, memory);
        assert_eq!(lines(&small), lines(&oversized), "{batch_bytes} {memory}");
    }
}

#[test]
fn pages_that_rel_next_leads_through_are_joined_if_that_is_asked_for() {
    let mut crawl = Crawl::new();
    let url = |story: usize, part: usize| format!("https://next.example/{story:02}/page-{part}");
    for story in 0..12 {
        for part in 1..=3 {
            let next = format!("<link rel=next href='/{story:02}/page-{}'>", part + 1);
            let head = if part < 3 { next.as_str() } else { "" };
            crawl.page(&url(story, part), &prose::post_with(story * 3 + part, head, ""));
        }
    }
    let (folder, archive, _) = crawl.placed("next.warc.gz");
    let with = |name: &str, settings: &str| {
        let file = write_file(folder.path(), format!("{name}.toml"), settings);
        run(&[&file, &archive], &folder.path().join(name), &[])
    };
    assert_eq!(with("apart", "").articles.len(), 36);
    let joined = with("joined", "[group]\njoin_parts = \"rel-next\"\n");
    assert_eq!((joined.articles.len(), joined.drops("joined-page").len()), (12, 24));
    for story in 0..12 {
        let found = text(joined.article(&url(story, 1)), "text");
        (1..=3).for_each(|part| assert!(found.contains(&prose::text(story * 3 + part)), "{found}"));
    }
    let oversized =
        with("oversized", "[group]\njoin_parts = \"rel-next\"\n[run]\nbatch_bytes = 20_000\n");
    assert_eq!(lines(&joined), lines(&oversized));
}
