//! The search index of a run, and an index to which several runs add.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::crawl::Crawl;
use crate::common::program::{call, in_repository, parts, refuse, run, sitegrove, succeeded, word};
use crate::common::prose;
use crate::common::results::{Results, files, parse, text};
use crate::common::unfinished::{run_command, signal, wait_for};

/// Searches and returns the answer; must succeed.
fn search(index: &Path, query: &str, more: &[&str]) -> Value {
    let arguments = ["search", word(index), query, "--format", "json"];
    let (code, stdout, stderr) = parts(&sitegrove().args(arguments).args(more).output().unwrap());
    assert_eq!(code, 0, "{query}: {stderr}");
    parse(&stdout)
}

fn urls(answer: &Value) -> Vec<&str> {
    answer["hits"].as_array().unwrap().iter().map(|hit| text(hit, "url")).collect()
}

fn total(answer: &Value) -> u64 {
    answer["total"].as_u64().unwrap()
}

/// A crawl of a site; `seeds` are (number of the page, seed of its text).
fn crawl(folder: &Path, name: &str, site: &str, seeds: &[(usize, usize)]) -> PathBuf {
    // What is crawled later replaces what was crawled before.
    let mut crawl =
        Crawl::of_day(if name.starts_with("monday") { "2024-05-01" } else { "2024-05-02" });
    for &(n, seed) in seeds {
        crawl.page(&format!("https://{site}/notes/{n}"), &prose::post(seed));
    }
    crawl.write(folder, name)
}

#[test]
fn articles_are_found_in_their_own_languages() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let archives = [1, 2, 3].map(|n| in_repository(&format!("data/crawl/sample-{n}.warc.gz")));
    let archives: Vec<&Path> = archives.iter().map(PathBuf::as_path).collect();
    let results = run(&archives, &out, &["--sinks", "jsonl,index"]);
    let find = |query: &str, more: &[&str]| search(&out, query, more);

    // Every article but copies of others is in the index, with its values from articles.jsonl.
    let all = find("*", &["--limit", "1000"]);
    let originals = results.articles.iter().filter(|article| article["duplicate_of"].is_null());
    assert_eq!(urls(&all).len(), originals.count());
    for hit in all["hits"].as_array().unwrap() {
        let article = results.article(text(hit, "url"));
        for field in ["site", "title", "authors", "template"] {
            assert_eq!(hit[field], article[field], "{field} of {}", hit["url"]);
        }
        assert_eq!(hit["published"].is_null(), article["published"].is_null());
    }
    let by_site: u64 =
        all["sites"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(by_site, total(&all));
    assert!(all["languages"].as_object().unwrap().len() >= 6, "{}", all["languages"]);

    // Inflected forms in the query that do not occur in the text.
    for (query, language) in [
        ("bridging", "en"),
        ("Gemeinden", "de"),
        ("d'encres", "fr"),
        ("石拱桥", "zh"),
        ("桥", "zh"),
        ("灯台守", "ja"),
        ("الواحة", "ar"),
    ] {
        let found = find(query, &["--lang", language]);
        assert!(total(&found) > 0, "{query}: {found}");
        let hits = found["hits"].as_array().unwrap();
        assert!(hits.iter().all(|hit| hit["language"] == language), "{query}: {found}");
        // Also without specifying the language.
        assert!(total(&find(query, &[])) >= total(&found), "{query}");
    }

    let bridge = find("\"swing bridge\"", &["--site", "harbour-gazette.example", "--limit", "3"]);
    assert!(total(&bridge) >= 1 && urls(&bridge).len() <= 3);
    let snippet = text(&bridge["hits"][0], "snippet");
    assert!(snippet.contains("<b>"), "{snippet}");
    assert_eq!(total(&find("\"bridge swing\"", &["--site", "harbour-gazette.example"])), 0);
    assert_eq!(total(&find("title:bridge AND -title:bridge", &[])), 0);
    let dated = find("published:[2026-01-01T00:00:00Z TO 2026-02-01T00:00:00Z]", &[]);
    assert!(total(&dated) > 0 && total(&dated) < total(&all));
    let since = find("*", &["--since", "2026-01-01", "--limit", "1000"]);
    assert!(total(&since) > 0 && total(&since) < total(&all));
    let year = |hit: &Value| text(hit, "published") >= "2026";
    assert!(since["hits"].as_array().unwrap().iter().all(year));

    let shown = call(&["search", word(&out), "harbour", "--limit", "2"]);
    let (code, stdout, _) = parts(&shown);
    assert!(code == 0 && stdout.contains("By language: en"), "{stdout}");
    assert!(stdout.contains("**") && stdout.contains("\n2. "), "{stdout}");
}

#[test]
fn an_index_grows_and_an_address_is_in_it_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let index = at("grows/articles.index");
    fs::create_dir(at("grows")).unwrap();
    let monday =
        crawl(folder.path(), "monday.warc.gz", "a.example", &[0, 1, 2, 3, 4].map(|n| (n, n)));
    // The third note was rewritten, and three are new.
    let tuesday: Vec<(usize, usize)> =
        [(2, 32)].into_iter().chain([5, 6, 7].map(|n| (n, n))).collect();
    let tuesday = crawl(folder.path(), "tuesday.warc.gz", "a.example", &tuesday);
    let other =
        crawl(folder.path(), "other.warc.gz", "b.example", &[40, 41, 42, 43].map(|n| (n, n)));
    let night = |archive: &Path, out: &str| {
        run(&[archive], &at(out), &["--index", word(&index), "--overwrite"]);
        assert!(!at(out).join("index").exists());
    };
    night(&monday, "out-1");
    let first = search(&index, "*", &["--limit", "100"]);
    assert_eq!(urls(&first).len(), 5);
    night(&tuesday, "out-2");
    night(&other, "out-3");
    let all = search(&index, "*", &["--limit", "100"]);
    assert_eq!(urls(&all).len(), 12, "{:?}", urls(&all));
    assert_eq!(all["sites"], serde_json::json!({"a.example": 8, "b.example": 4}));
    let third = search(&index, "url:\"https://a.example/notes/2\"", &[]);
    assert_eq!(third["hits"][0]["title"], prose::title(32));
    // The same night again changes nothing; neither does a run that writes no index.
    night(&tuesday, "out-2");
    run(&[&tuesday], &at("out-2"), &["--sinks", "csv", "--overwrite"]);
    assert_eq!(urls(&search(&index, "*", &["--limit", "100"])), urls(&all));

    // Removed from the files, too.
    let title = prose::title(41);
    let holds = |word: &str| {
        files(&index)
            .values()
            .any(|bytes| bytes.windows(word.len()).any(|window| window == word.as_bytes()))
    };
    let url = "https://b.example/notes/41";
    assert!(holds("b.example"));
    let forget = |more: &[&str]| {
        parts(&sitegrove().args(["search", word(&index)]).args(more).output().unwrap())
    };
    assert_eq!(forget(&["--forget-url", url]).1, "1 article removed, 11 remain\n");
    assert_eq!(total(&search(&index, &format!("\"{title}\""), &["--site", "b.example"])), 0);
    assert_eq!(forget(&["--forget-site", "b.example"]).1, "3 articles removed, 8 remain\n");
    assert!(!holds("b.example"), "forgotten, but still on disk");
    // Removed articles may be added again.
    night(&other, "out-3");
    assert_eq!(total(&search(&index, "*", &[])), 12);
}

#[test]
fn texts_are_not_lost_to_notices_at_their_addresses() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("articles.index");
    let night = |archive: &Path| {
        let out = folder.path().join("out");
        run(&[archive], &out, &["--index", word(&index), "--overwrite"]);
        Results::read(&out).articles.len()
    };
    let monday =
        crawl(folder.path(), "monday.warc.gz", "a.example", &[0, 1, 2, 3, 4].map(|n| (n, n)));
    assert_eq!(night(&monday), 5);
    // Three addresses have the same short text, and one has become shorter.
    let mut tuesday = Crawl::of_day("2024-05-02");
    let text = |n: usize| format!("<p>{}</p>", prose::paragraphs(n).join("</p>\n<p>"));
    let short = |n: usize, inside: &str| {
        let html = prose::post(n).replace(&text(n), inside);
        assert!(html.contains(inside), "{html}");
        html
    };
    let notice = "<p>The crew has been informed, please come again in a few minutes.</p>";
    for n in 0..3 {
        let html = short(n, notice).replace(&prose::title(n), "Something went wrong");
        tuesday.page(&format!("https://a.example/notes/{n}"), &html);
    }
    for n in 5..12 {
        tuesday.page(&format!("https://a.example/notes/{n}"), &prose::post(n));
    }
    let all = night(&tuesday.write(folder.path(), "tuesday.warc.gz"));
    assert_eq!(all, 10, "the notices are articles without a store");
    let found = search(&index, "*", &["--limit", "100"]);
    assert_eq!(total(&found), 12);
    for n in 0..3 {
        let own = search(&index, &format!("url:\"https://a.example/notes/{n}\""), &[]);
        assert_eq!(own["hits"][0]["title"], prose::title(n));
    }
}

#[test]
fn many_nights_leave_few_segments() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("articles.index");
    for night in 0..12 {
        let seeds = [0, 1, 2].map(|n| (night * 3 + n, night * 3 + n));
        let archive = crawl(folder.path(), "night.warc.gz", "a.example", &seeds);
        let flags = ["--overwrite", "--index", word(&index), "--quiet"];
        run(&[&archive], &folder.path().join("out"), &flags);
    }
    let meta = parse(&fs::read_to_string(index.join("meta.json")).unwrap());
    let segments = meta["segments"].as_array().unwrap().len();
    assert!((1..=8).contains(&segments), "{segments} segments");
    assert_eq!(total(&search(&index, "*", &[])), 36);
    assert_eq!(total(&search(&index, "url:\"https://a.example/notes/7\"", &[])), 1);
}

#[test]
fn a_killed_run_leaves_an_index_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (out, index) = (at("out"), at("articles.index"));
    let small = crawl(folder.path(), "small.warc.gz", "a.example", &[0, 1, 2, 3].map(|n| (n, n)));
    let mut large = Crawl::new();
    for site in 0..60 {
        for n in 0..20 {
            large.page(&format!("https://s{site}.example/{n}"), &prose::post(site * 20 + n));
        }
    }
    let large = large.write(folder.path(), "large.warc.gz");
    for (name, code) in [("-KILL", -1), ("-INT", 130)] {
        for existing in [false, true] {
            let case = format!("{name}, index {existing}");
            if existing {
                run(&[&small], &out, &["--overwrite", "--index", word(&index)]);
            }
            let before = existing.then(|| search(&index, "*", &[]));
            let options = ["--overwrite", "--quiet", "--jobs", "1", "--index", word(&index)];
            let mut child = run_command(&[&large], &out, &options).spawn().unwrap();
            let begun = || out.join(".dropped.jsonl.partial").exists();
            wait_for(&mut child, &format!("its outputs: {case}"), begun);
            signal(&child, name);
            assert_eq!(parts(&child.wait_with_output().unwrap()).0, code, "{case}");
            match before {
                Some(before) => assert_eq!(search(&index, "*", &[]), before, "{case}"),
                None => assert!(!index.exists(), "{case}"),
            }
        }
        // No lock and no incomplete index are left behind, and leftovers are removed.
        run(&[&small], &out, &["--overwrite", "--index", word(&index)]);
        assert_eq!(total(&search(&index, "*", &[])), 4);
        fs::remove_dir_all(&index).unwrap();
    }
    let left: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".partial"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn two_runs_do_not_build_one_new_index() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let index = at("below/articles.index");
    let small = crawl(folder.path(), "small.warc.gz", "a.example", &[0, 1, 2, 3].map(|n| (n, n)));
    // Large enough that the first run can be paused in the middle of its work.
    let mut large = Crawl::new();
    for page in 0..400 {
        large.page(&format!("https://s{}.example/{page}", page / 8), &prose::post(page));
    }
    let large = large.write(folder.path(), "large.warc.gz");
    let options = ["--quiet", "--jobs", "1", "--index", word(&index)];
    let mut first = run_command(&[&large], &at("first"), &options).spawn().unwrap();
    let begun = || at("below/.articles.index.partial").exists();
    wait_for(&mut first, "its index", begun);
    signal(&first, "-STOP");
    let second = |out: &str| {
        let mut call = sitegrove();
        call.args(["run", "--out", word(&at(out)), "--index", word(&index), word(&small)]);
        parts(&call.output().unwrap())
    };
    let (code, _, stderr) = second("second");
    assert!(code == 1 && stderr.contains("another program is writing to the index"), "{stderr}");
    assert!(stderr.contains("wait for it") && at("second/articles.jsonl").exists(), "{stderr}");
    signal(&first, "-CONT");
    succeeded(&first.wait_with_output().unwrap());
    let of_first = total(&search(&index, "*", &[]));
    assert!(of_first > 300, "{of_first}");
    // Once the first is done, the same command writes what was refused.
    let (code, _, stderr) = second("second");
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(total(&search(&index, "*", &[])), of_first + 4);
    let left: Vec<_> = fs::read_dir(at("below")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["articles.index"]);
}

#[test]
fn an_index_in_a_run_folder_is_of_that_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let one = crawl(folder.path(), "one.warc.gz", "a.example", &[0, 1, 2, 3].map(|n| (n, n)));
    let two = crawl(folder.path(), "two.warc.gz", "b.example", &[4, 5, 6].map(|n| (n, n)));
    run(&[&one], &out, &["--sinks", "jsonl,index"]);
    run(&[&two], &out, &["--sinks", "jsonl,index", "--overwrite"]);
    assert_eq!(search(&out, "*", &[])["sites"], serde_json::json!({"b.example": 3}));
    run(&[&two], &out, &["--sinks", "jsonl", "--overwrite"]);
    assert!(!out.join("index").exists());
    assert_eq!(fs::read_dir(&out).unwrap().count(), 4);
}

#[test]
fn refusals_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let archive = crawl(folder.path(), "one.warc.gz", "a.example", &[0, 1, 2].map(|n| (n, n)));
    let out = at("out");
    let attempt = |more: &[&str]| {
        let arguments = ["run", "--overwrite", "--out", word(&out), word(&archive)];
        parts(&sitegrove().args(arguments).args(more).output().unwrap())
    };
    let (code, _, stderr) = attempt(&["--index", word(&out.join("mine"))]);
    assert!(code == 2 && stderr.contains("lies in the run folder"), "{stderr}");
    assert!(!out.exists());
    let config = at("small.toml");
    fs::write(&config, "[emit]\nsinks = ['index']\nindex_memory = 1000\n").unwrap();
    let (code, _, stderr) = parts(&call(&["run", word(&config), word(&archive)]));
    assert!(code == 2 && stderr.contains("emit.index_memory is 1000"), "{stderr}");

    // A folder with other files is unchanged, before any work.
    fs::create_dir(at("letters")).unwrap();
    fs::write(at("letters/dear.txt"), "dear").unwrap();
    let (code, _, stderr) = attempt(&["--index", word(&at("letters"))]);
    assert!(code == 2 && stderr.contains("letters: holds something else"), "{stderr}");
    assert_eq!(files(&at("letters")).len(), 1);
    assert!(!out.exists());

    // So is an index of another program, or one made by other analysis rules.
    let index = at("articles.index");
    assert_eq!(attempt(&["--index", word(&index)]).0, 0);
    let meta = fs::read_to_string(index.join("meta.json")).unwrap();
    for (from, to, said) in [
        ("sitegrove_index", "somebodys_index", "made by another version"),
        ("rules 1", "rules 0", "it can be searched, but not extended"),
    ] {
        assert!(meta.contains(from), "{meta}");
        fs::write(index.join("meta.json"), meta.replace(from, to)).unwrap();
        let (code, _, stderr) = attempt(&["--index", word(&index)]);
        assert!(code == 1 && stderr.contains(said), "{stderr}");
        let searched = call(&["search", word(&index), "*"]).status.code();
        assert_eq!(searched, Some(if from == "rules 1" { 0 } else { 2 }));
    }
    fs::write(index.join("meta.json"), meta).unwrap();

    assert!(refuse(&["search", word(&at("nowhere")), "x"]).contains("the folder does not exist"));
    let plain = at("without-an-index");
    run(&[&archive], &plain, &[]);
    let stderr = refuse(&["search", word(&plain), "x"]);
    let name = word(&plain);
    let expected = format!("error: {name}: this run has no search index; make one by giving ");
    assert!(stderr.starts_with(&expected) && stderr.contains("--index DIR"), "{stderr}");
    let empty = at("empty");
    fs::create_dir(&empty).unwrap();
    assert!(refuse(&["search", word(&empty), "x"]).contains("the folder contains no search index"));
    assert!(refuse(&["search", word(&index), "colour:red"]).contains("colour"));
    assert!(refuse(&["search", word(&index), "(("]).contains("cannot understand the query"));
    assert!(refuse(&["search", word(&index), "x", "--since", "yesterday"]).contains("2026-01-31"));
    assert!(refuse(&["search", word(&index)]).contains("required"));
}

#[test]
fn an_index_is_searched_where_nothing_can_be_locked() {
    let folder = tempfile::tempdir().unwrap();
    let archive = crawl(folder.path(), "monday.warc.gz", "a.example", &[(0, 0), (1, 1), (2, 2)]);
    let index = folder.path().join("articles.index");
    run(&[&archive], &folder.path().join("out"), &["--index", word(&index)]);
    // As on a read-only file system, no lock can be made.
    let lock = index.join(".tantivy-meta.lock");
    let _ = fs::remove_file(&lock);
    fs::create_dir_all(lock.join("in-the-way")).unwrap();
    assert_eq!(total(&search(&index, "*", &[])), 3);
    let writer = index.join(".tantivy-writer.lock");
    let _ = fs::remove_file(&writer);
    fs::create_dir_all(writer.join("in-the-way")).unwrap();
    let stderr = refuse(&["search", word(&index), "--forget-site", "a.example"]);
    assert!(!stderr.contains("another program") && stderr.contains("directory"), "{stderr}");
}

#[test]
fn a_query_without_words_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let archive = crawl(folder.path(), "monday.warc.gz", "a.example", &[(0, 0), (1, 1), (2, 2)]);
    let out = folder.path().join("out");
    run(&[&archive], &out, &["--sinks", "index"]);
    for (query, is_told) in [("the", true), ("", true), ("bridge", false), ("*", false)] {
        let (code, _, stderr) = parts(&call(&["search", word(&out), query]));
        assert_eq!(
            (code, stderr.contains("only words that every text has")),
            (0, is_told),
            "{query}: {stderr}"
        );
    }
}
