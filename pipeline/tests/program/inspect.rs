//! Contents of `sitegrove inspect`, and that text from pages is always shown as text.

use std::fs;
use std::path::Path;

use crate::common::crawl::Crawl;
use crate::common::program::{check_in_browser, in_repository, parts, run, sitegrove, write_file};
use crate::common::prose;
use crate::common::results::{parse, text};

const FOREST: [&str; 2] = ["--engine", "forest"];

/// `sitegrove inspect` to standard output: exit code, document, messages.
fn inspect(folder: &Path, site: &str, more: &[&str]) -> (i32, String, String) {
    let output = sitegrove()
        .arg("inspect")
        .arg(folder)
        .arg(site)
        .args(["--out", "-"])
        .args(more)
        .output()
        .unwrap();
    parts(&output)
}

/// The document of a site, which must exist.
fn document(folder: &Path, site: &str) -> String {
    let (code, document, messages) = inspect(folder, site, &[]);
    assert_eq!(code, 0, "{messages}");
    document
}

/// Number of occurrences of a text.
fn times(document: &str, what: &str) -> usize {
    document.matches(what).count()
}

#[test]
fn the_sample_crawl_reads_as_the_run_left_it() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = in_repository("data/crawl");
    let feeds = in_repository("data/feeds");
    let more = ["--feeds", feeds.to_str().unwrap(), "--engine", "forest"];
    let results = run(&[&crawl], &folder.path().join("out"), &more);
    let site = "harbour-gazette.example";
    let html = document(&results.folder, site);
    let wrappers = fs::read_to_string(results.folder.join(format!("wrappers/{site}.json")));
    let wrappers = parse(&wrappers.unwrap());
    for template in wrappers["templates"].as_array().unwrap() {
        let id = text(template, "id");
        assert!(html.contains(&format!("<section id=\"{id}\">")), "{id}");
        let ranked = template["patterns"].as_array().unwrap().len();
        assert!(template["wrapper"].is_null() || (1..=5).contains(&ranked), "{id}: {ranked}");
        for expression in template["wrapper"]["content"].as_array().into_iter().flatten() {
            let shown = expression.as_str().unwrap().replace('\'', "&#39;");
            assert!(html.contains(&shown), "{shown}");
        }
    }
    // Five pages of each of the four layouts with articles, or all if there are fewer.
    let pages = times(&html, "<details class=\"page\"");
    assert!((15..=20).contains(&pages), "{pages}");
    assert!(times(&html, "<p class=\"kept\"") > 5 * pages, "hardly anything is kept");
    assert!(times(&html, "<p class=\"outside") > 5 * pages, "hardly any boilerplate");
    assert!(html.contains("It came first with relevance"));
    assert!(html.contains("terms signify") && html.contains("<dt>Signifiers</dt>"));
    assert!(html.contains("<small>from json-ld, 0."));
    // The run and the pages read again agree.
    for doubt in ["other settings", "another text", "could not be read again", "has changed"] {
        assert!(!html.contains(doubt), "{doubt}");
    }
    // And one of the layout of lists.
    let (code, one, _) = inspect(&results.folder, site, &["--pages", "1"]);
    assert_eq!((code, times(&one, "<details class=\"page\"")), (0, 5));
    assert!(one.len() < html.len());
}

#[test]
fn kept_blocks_are_the_articles_text() {
    let results = Crawl::of_posts("https://blog.example/notes/", 0..4).run(&FOREST);
    let html = document(&results.folder, "blog.example");
    let kept: Vec<&str> = html
        .split("<p class=\"kept\" data-block=\"")
        .skip(1)
        .filter_map(|rest| rest.split_once("\" tabindex=\"0\">")?.1.split("<i>").next())
        .collect();
    let expected: Vec<String> = (0..4).flat_map(prose::paragraphs).collect();
    let mut sorted: Vec<&str> = kept.clone();
    sorted.sort_unstable();
    let mut expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    expected.sort_unstable();
    assert_eq!(sorted, expected);
    let menu = html.find("About us").unwrap();
    let folded = html[..menu].rfind("<details class=\"outside\">").unwrap();
    assert!(!html[folded..menu].contains("</details>"), "the menu is not folded away");
}

const HOSTILE: &str =
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'`--><!--\u{202e}txt";

#[test]
fn hostile_pages_stay_text() {
    let folder = tempfile::tempdir().unwrap();
    let mut crawl = Crawl::new();
    let escaped = HOSTILE.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    for seed in 0..4 {
        let head = format!(
            "<meta name=author content=\"Eve {escaped}\">\
             <meta property='article:tag' content=\"{escaped}\">\
             <link rel=canonical href='javascript:alert(3)'>"
        );
        let inside = format!(
            "<p class=\"x{escaped}\" id=\"{escaped}\" style='position:fixed' onclick=alert(4)>\
             Number {seed} says {escaped} and <a href='javascript:alert(5)'>this</a> at length.</p>"
        );
        let page = prose::post_with(seed, &head, &inside)
            .replace(&prose::title(seed), &format!("{} {escaped}", prose::title(seed)))
            .replace("<div class=entry>", &format!("<div class=\"entry {escaped}\">"));
        crawl.page(&format!("https://eve.example/{seed}?\"><script>alert(6)</script>"), &page);
    }
    crawl.page("https://eve.example/'onmouseover=alert(7)/<b>", "<p>Short");
    let archive = crawl.write(folder.path(), "<b>\"eve'.warc.gz");
    for engine in ["forest", "grove"] {
        let out = folder.path().join(engine);
        let results = run(&[&archive], &out, &["--engine", engine]);
        assert!(results.articles.len() >= 4, "{engine}: {:?}", results.dropped);
        let html = document(&results.folder, "eve.example");
        assert!(html.contains("&lt;script&gt;alert(1)"), "{engine}: the hostile text is not there");
        let html = without_scripts(&html);
        for harm in ["<script", "<img", "<b>", "javascript:alert(3)", "\u{202e}", "-->", "<!--"] {
            assert!(!html.contains(harm), "{engine}: {harm:?}");
        }
        assert!(html.contains("⟨U+202E⟩"), "{engine}");
        check_markup(&html);
    }
}

/// The document without the script that marks blocks, and its data, in which there is nothing but JSON.
fn without_scripts(html: &str) -> String {
    let (before, rest) =
        html.split_once("<script type=\"application/json\" id=\"markable\">").unwrap();
    let (data, rest) = rest.split_once("</script>").unwrap();
    assert!(!data.contains(['<', '>', '\u{202e}']), "{data}");
    assert!(serde_json::from_str::<serde_json::Value>(data).unwrap().is_array());
    let (between, rest) = rest.split_once("<script>").unwrap();
    let (script, after) = rest.split_once("</script>").unwrap();
    assert!(script.starts_with("\"use strict\";"));
    [before, between, after].concat()
}

/// Every tag of the document must be one that the program writes, with its attributes.
fn check_markup(html: &str) {
    let style = html.find("<style>").unwrap()..html.find("</style>").unwrap();
    for (at, _) in
        html.match_indices('<').filter(|(at, _)| !style.contains(at) || *at == style.start)
    {
        let tag = &html[at..at + html[at..].find('>').unwrap()];
        let mut names = String::new();
        // Without its quoted values, a tag consists of names.
        for (n, part) in tag.split('"').enumerate() {
            if n % 2 == 0 {
                names.push_str(part);
            }
        }
        for name in names.trim_start_matches(['<', '/', '!']).split([' ', '=']).skip(1) {
            let ours = [
                "", "aria-label", "charset", "class", "content", "data-block", "dir", "href",
                "html", "http-equiv", "id", "lang", "name", "open", "rel", "role", "scope",
                "tabindex", "title",
            ];
            assert!(ours.contains(&name), "attribute {name:?} in {tag}>");
        }
        if let Some(address) = tag.split("href=\"").nth(1) {
            let inside = address.starts_with('#');
            assert!(
                inside || address.starts_with("http://") || address.starts_with("https://"),
                "{tag}"
            );
            assert!(inside || tag.contains("rel=\"noopener noreferrer\""), "{tag}");
        }
    }
    let policy = html.find("Content-Security-Policy").unwrap();
    assert!(policy < style.start, "the policy must come before what it is for");
    let strict = "content=\"default-src 'none'; style-src &#39;sha256-";
    assert!(html[policy..style.start].contains(strict), "{}", &html[policy..style.start]);
}

/// A blog with a pull quote in each post and readers' comments inside the posts' own element.
fn blog_with_comments() -> Crawl {
    let mut crawl = Crawl::new();
    for seed in 0..6 {
        let comments: String = (0..4)
            .map(|n| format!("<p>{}</p>", prose::paragraphs(seed * 10 + n + 1000)[0]))
            .collect();
        let inside = format!(
            "<div class=share><a href=/s>Share this</a> <a href=/t>Send it on</a></div>\
             <div id=comments class=comments><h3>Comments</h3>{comments}</div>"
        );
        let url = format!("https://blog.example/notes/{seed}");
        crawl.page(&url, &prose::post_with(seed, "", &inside));
    }
    crawl
}

#[test]
fn the_default_engine_shows_what_it_judged() {
    let results = blog_with_comments().run(&["--engine", "grove"]);
    assert_eq!(results.articles.len(), 6);
    let html = document(&results.folder, "blog.example");
    check_markup(&without_scripts(&html));
    assert!(html.contains("Patterns kept and pruned"));
    assert!(html.contains("Kept: its words score above the threshold"), "{html}");
    let blocks = times(&html, "\" tabindex=\"0\"><em>");
    assert_eq!(times(&html, "\" tabindex=\"0\">"), blocks, "a block without a score");
    assert!(times(&html, "<p class=\"comment") >= 5, "no comment is distinguished from the rest");
    assert!(!html.contains("another text than the run"));
    assert_eq!(html, document(&results.folder, "blog.example"));
}

#[test]
#[ignore = "needs Chromium and Python: scripts/slow-checks browser"]
fn a_browser_finds_nothing_wrong_with_it() {
    let (folder, archive, out) = blog_with_comments().placed("blog.warc.gz");
    let results = run(&[&archive], &out, &["--engine", "grove"]);
    let path = write_file(folder.path(), "blog.html", document(&results.folder, "blog.example"));
    check_in_browser("test_inspect", "--page", &path);
}

#[test]
fn unknown_sites_and_folders_are_refused() {
    let mut crawl = Crawl::new();
    for seed in 0..3 {
        crawl.page(&format!("https://www.blog.example/notes/{seed}"), &prose::post(seed));
        crawl.page(&format!("https://zeta.example/notes/{seed}"), &prose::post(seed + 9));
    }
    let (folder, archive, out) = crawl.placed("two.warc.gz");
    let results = run(&[&archive], &out, &FOREST);
    let (code, document, message) = inspect(&results.folder, "blgo.example", &[]);
    assert_eq!((code, document.as_str()), (2, ""));
    assert!(
        message.contains("`blgo.example`") && message.contains("nearest: blog.example"),
        "{message}"
    );
    // A host or an address identifies its site.
    for named in ["www.blog.example", "https://www.blog.example/notes/1", "blog.example/"] {
        let (code, document, message) = inspect(&results.folder, named, &[]);
        assert!(code == 0 && document.contains("<bdi>blog.example</bdi>"), "{named}: {message}");
    }
    let (code, _, message) = inspect(folder.path(), "blog.example", &[]);
    assert!(code == 2 && message.contains("no finished run"), "{message}");
}

#[test]
fn inputs_that_are_gone_or_changed_are_named() {
    let crawl = Crawl::of_posts("https://blog.example/notes/", 0..4);
    let (_folder, archive, out) = crawl.placed("blog.warc.gz");
    let results = run(&[&archive], &out, &FOREST);
    let whole = fs::read(&archive).unwrap();
    // Other bytes with the same pages.
    fs::write(&archive, [whole.as_slice(), &crawl.members()[0]].concat()).unwrap();
    let html = document(&results.folder, "blog.example");
    assert!(html.contains("has changed since the run"));
    // Another text at the page's position.
    let mut other = Crawl::new();
    for seed in 0..4 {
        other.page(&format!("https://blog.example/notes/{seed}"), &prose::post(seed + 20));
    }
    let fewer = [&other.members()[0][..], &whole[..0]].concat();
    fs::write(&archive, fewer).unwrap();
    let html = document(&results.folder, "blog.example");
    assert!(html.contains("give another text than the run wrote down"));
    assert!(html.contains("3 of 4 pages with an article could not be read again"));
    fs::remove_file(&archive).unwrap();
    let (code, html, messages) = inspect(&results.folder, "blog.example", &[]);
    assert_eq!(code, 0, "{messages}");
    assert!(html.contains("does not exist") && messages.contains("does not exist"), "{messages}");
    assert!(html.contains("4 of 4 pages with an article could not be read again"));
    // The run folder alone still has the wrapper and the text.
    assert!(html.contains("It came first") || html.contains("only pattern"));
    let first = &prose::paragraphs(0)[0];
    assert!(html.contains(first.as_str()));
    assert_eq!(times(&html, "<p class=\"outside"), 0);
}

#[test]
fn pages_found_unchanged_are_read_again_too() {
    let folder = tempfile::tempdir().unwrap();
    let mut crawl = Crawl::new();
    for seed in 0..4 {
        let url = format!("https://blog.example/notes/{seed}");
        let block = format!("{}\r\n{}", crate::common::crawl::HTML, prose::post(seed));
        let kind = archive::RecordKind::Response;
        crawl.record(kind, &url, "application/http; msgtype=response", block.as_bytes());
    }
    // All in one archive, with an unchanged second copy of the last page.
    let last = "https://blog.example/notes/3";
    let head = b"HTTP/1.1 304 Not Modified\r\n\r\n";
    let profile = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";
    let mut writer = archive::RecordWriter::new(Vec::new(), archive::Wrapping::Gzip);
    let record = archive::NewRecord {
        kind: archive::RecordKind::Revisit,
        record_id: "urn:uuid:00000000-0000-4000-8000-000000000099",
        date: "2024-06-01T00:00:00Z".parse().unwrap(),
        target_uri: Some(last),
        content_type: "application/http; msgtype=response",
        fields: &[("WARC-Profile", profile)],
        body: head,
    };
    writer.write(&record).unwrap();
    crawl.write(folder.path(), "first.warc.gz");
    fs::write(folder.path().join("second.warc.gz"), writer.finish().unwrap()).unwrap();
    let inputs = [folder.path().join("first.warc.gz"), folder.path().join("second.warc.gz")];
    let results = run(&[&inputs[0], &inputs[1]], &folder.path().join("out"), &FOREST);
    assert_eq!(results.articles.len(), 4, "{:?}", results.dropped);
    let html = document(&results.folder, "blog.example");
    assert!(!html.contains("could not be read again"), "{html}");
    assert_eq!(times(&html, "<details class=\"page\""), 4);
}

#[test]
fn settings_are_those_of_the_run() {
    let (folder, archive, out) =
        Crawl::of_posts("https://blog.example/notes/", 0..4).placed("blog.warc.gz");
    let (config, weights) =
        (folder.path().join("own.toml"), folder.path().join("own-weights.json"));
    fs::write(&config, "[signify]\ntop = 7\n[emit]\nmarkdown = true\n").unwrap();
    run(&[&config, &archive], &out, &FOREST);
    let ledger = parse(&fs::read_to_string(out.join("ledger.json")).unwrap());
    assert_eq!(ledger["settings"]["signify"], serde_json::json!({"top": 7}));
    assert_eq!(ledger["settings"]["rank"]["engine"], "forest");
    let (code, html, messages) = inspect(&out, "blog.example", &[]);
    assert!(code == 0 && messages.is_empty() && !html.contains("may differ"), "{messages}");
    // What the settings name has changed, or is gone.
    fs::copy(in_repository("configs/weights.json"), &weights).unwrap();
    let shown = weights.to_str().unwrap();
    fs::write(&config, format!("[grove]\nweights = {shown:?}\n")).unwrap();
    run(&[&config, &archive], &out, &["--overwrite"]);
    let (_, html, messages) = inspect(&out, "blog.example", &[]);
    assert!(messages.is_empty() && !html.contains("may differ"), "{messages}");
    fs::remove_file(&weights).unwrap();
    let (_, html, messages) = inspect(&out, "blog.example", &[]);
    assert!(html.contains("cannot be used") && messages.contains(shown), "{messages}");
}

#[test]
fn a_run_with_a_store_is_shown_with_the_models_it_applied() {
    let folder = tempfile::tempdir().unwrap();
    let (store, out) = (folder.path().join("models.sqlite"), folder.path().join("out"));
    let night = |posts: std::ops::Range<usize>| {
        Crawl::of_posts("https://blog.example/notes/", posts.clone())
            .write(folder.path(), &format!("night-{}.warc.gz", posts.start))
    };
    let models = ["--models", store.to_str().unwrap()];
    run(&[&night(0..8)], &folder.path().join("first"), &models);
    // Two pages of a layout that is known: alone, they would teach little.
    run(&[&night(8..10)], &out, &models);
    let (code, html, messages) = inspect(&out, "blog.example", &[]);
    assert_eq!((code, messages.as_str()), (0, ""));
    assert!(!html.contains("may differ"));
    // The next night changes the store.
    run(&[&night(10..14)], &folder.path().join("third"), &models);
    let (_, html, messages) = inspect(&out, "blog.example", &[]);
    assert!(html.contains("has changed since the run"), "{messages}");
    assert!(messages.contains("models.sqlite has changed since the run"), "{messages}");
}

#[test]
fn decisions_against_the_score_are_marked() {
    let results = Crawl::of_posts("https://blog.example/notes/", 0..8).run(&[]);
    let plain = document(&results.folder, "blog.example");
    let (low, high) = ("<p class=\"kept low", "<p class=\"outside high");
    assert_eq!((times(&plain, low), times(&plain, high)), (0, 0));
    assert!(!plain.contains("class=\"marked\""));
    // As if the run had kept the foot and dropped the posts.
    let path = results.folder.join("articles.jsonl");
    let lines = fs::read_to_string(&path).unwrap();
    let changed: String = lines
        .lines()
        .map(|line| {
            let mut article = parse(line);
            article["xpath"] = serde_json::json!([
                "//p[contains(concat(' ',normalize-space(@class),' '),' foot ')]"
            ]);
            format!("{article}\n")
        })
        .collect();
    fs::write(&path, changed).unwrap();
    let html = document(&results.folder, "blog.example");
    let pages = times(&html, "<details class=\"page\"");
    assert_eq!(times(&html, low), pages, "{html}");
    assert_eq!(times(&html, high), 3 * pages, "{html}");
    let said = "1 block kept though the score is low, 3 blocks not kept though the score is high";
    assert_eq!(times(&html, said), pages, "{html}");
    // What is marked is not folded away.
    let at = html.find(high).unwrap();
    let before = &html[..at];
    assert_eq!(
        times(before, "<details class=\"outside\">"),
        times(before, "</summary>\n<div class=\"group\">")
    );
    assert!(before.rfind("</details>") > before.rfind("<details class=\"outside\">"));
}

#[test]
fn what_pages_share_is_shown_once() {
    let results = Crawl::of_posts("https://blog.example/notes/", 0..5).run(&[]);
    let html = document(&results.folder, "blog.example");
    assert_eq!(times(&html, "All rights reserved by nobody"), 1, "{html}");
    assert_eq!(times(&html, "outside the article, ") - times(&html, "shown above"), 2, "{html}");
    // A pattern is written once for the paragraphs that have it.
    let group =
        html.split("<div class=\"group\">").skip(1).find(|group| group.contains("class=\"kept"));
    let group = group.unwrap();
    assert_eq!((times(group, "class=\"kept"), times(group, "<code>")), (3, 1), "{group}");
}

#[test]
fn same_run_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = in_repository("data/crawl");
    let results = run(&[&crawl], &folder.path().join("out"), &FOREST);
    let first = document(&results.folder, "harbour-gazette.example");
    for threads in ["1", "4"] {
        let path = folder.path().join(format!("{threads}.html"));
        let output = sitegrove()
            .env("RAYON_NUM_THREADS", threads)
            .arg("inspect")
            .arg(&results.folder)
            .arg("harbour-gazette.example")
            .arg("--out")
            .arg(&path)
            .output()
            .unwrap();
        assert!(output.status.success());
        assert_eq!(fs::read_to_string(&path).unwrap(), first, "{threads} threads");
    }
}

#[test]
fn huge_pages_make_no_huge_file() {
    let mut crawl = Crawl::new();
    for seed in 0..3 {
        let long = |n: usize| prose::paragraphs(1_000_000 * (seed + 1) + n).join(" ").repeat(2);
        let many: String = (0..4000).map(|n| format!("<p>Entry {n}. {}</p>", long(n))).collect();
        let menu: String = (0..6000).map(|n| format!("<li><a href=/{n}>Item {n}</a>")).collect();
        let page =
            prose::post_with(seed, "", &many).replace("<ul class=menu>", &format!("<ul>{menu}"));
        crawl.page(&format!("https://long.example/notes/{seed}"), &page);
    }
    let (folder, archive, _) = crawl.placed("long.warc.gz");
    let results = run(&[&archive], &folder.path().join("out"), &FOREST);
    let html = document(&results.folder, "long.example");
    assert!(html.len() < 5_000_000, "{} bytes", html.len());
    assert!(html.contains("more blocks outside the article left out"));
    assert!(html.contains("more blocks in the article left out"));
    assert!(html.contains("more letters</small>"));
}
