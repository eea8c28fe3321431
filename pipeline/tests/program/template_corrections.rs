//! Corrections of templates: marks of one page decide for its siblings, tonight and on later nights; labels become marks.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::crawl::Crawl;
use crate::common::nights::{DAYS, Nights, url};
use crate::common::program::{call, parts, succeed, word};
use crate::common::prose;
use crate::common::results::{Results, parse, text};

const NAMES: [&str; 4] = ["Zelda Quill", "Omar Lindqvist", "Petra Novak", "Ivo Baskin"];

/// A post with a paragraph of its own in a box that belongs to the house, and a name at the foot.
fn page(n: usize) -> (String, String) {
    let boxed = &prose::paragraphs(1_000 + n)[0];
    let inside = format!("<div class=box><p>{boxed}</p></div><p class=who>{}</p>", NAMES[n % 4]);
    (url(n), prose::post_with(n, "", &inside))
}

fn has_box(results: &Results, n: usize) -> bool {
    text(results.article(&url(n)), "text").contains(&prose::paragraphs(1_000 + n)[0])
}

fn correction(n: usize, marks: &[(&str, &str)]) -> Value {
    let block = |(xpath, mark): &(&str, &str)| json!({"xpath": xpath, "mark": mark});
    let blocks: Vec<Value> = marks.iter().map(block).collect();
    json!({"url": url(n), "by": "jane", "at": "2026-03-01T10:00:00Z", "reason": "house", "blocks": blocks})
}

fn write_lines(path: &Path, lines: &[Value]) -> String {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    fs::write(path, lines.join("\n")).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Runs over twelve posts; gives the code, what it warned of, and the results.
fn run(folder: &Path, out: &str, more: &[&str]) -> (i32, String, Results) {
    let mut crawl = Crawl::of_day("2026-03-01");
    for (url, html) in (0..12).map(page) {
        crawl.page(&url, &html);
    }
    let archive = crawl.write(folder, "posts.warc.gz");
    let out = folder.join(out);
    let fixed = ["run", archive.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let (code, _, errors) = parts(&call(&[&fixed[..], more].concat()));
    (code, errors, Results::read(&out))
}

const BOX: (&str, &str) = ("//div[@class='box']", "not-content");

#[test]
fn marks_of_one_page_decide_for_its_siblings() {
    let folder = tempfile::tempdir().unwrap();
    let (_, _, plain) = run(folder.path(), "plain", &[]);
    assert!((0..12).all(|n| has_box(&plain, n)), "the engine alone finds out");
    let marks = [BOX, ("//p[@class='who']", "author")];
    let file = write_lines(&folder.path().join("c.jsonl"), &[correction(3, &marks)]);
    let (code, errors, corrected) = run(folder.path(), "corrected", &["--corrections", &file]);
    assert_eq!((code, errors.as_str()), (0, ""));
    for n in 0..12 {
        let article = corrected.article(&url(n));
        assert!(!has_box(&corrected, n), "{n}: {article}");
        assert!(text(article, "text").contains(&prose::text(n)), "{n}: {article}");
        assert_eq!(article["authors"], json!([NAMES[n % 4]]), "{n}: {article}");
    }
    assert_eq!(corrected.count("corrections_unmatched"), 0);
    assert_ne!(plain.ledger["config_hash"], corrected.ledger["config_hash"]);
}

#[test]
fn the_page_of_a_site_shows_what_marks_decide() {
    let folder = tempfile::tempdir().unwrap();
    let file = write_lines(&folder.path().join("c.jsonl"), &[correction(3, &[BOX])]);
    run(folder.path(), "plain", &[]);
    run(folder.path(), "corrected", &["--corrections", &file]);
    let page = |run: &str| {
        let run = folder.path().join(run);
        let arguments = ["inspect", run.to_str().unwrap(), "posts.example", "--out", "-"];
        let (code, page, errors) = parts(&call(&arguments));
        assert_eq!((code, errors.as_str()), (0, ""));
        page
    };
    let (plain, corrected) = (page("plain"), page("corrected"));
    let told = format!("Learnt with 1 mark of {} by jane, 2026-03-01T10:00:00Z: house.", url(3));
    assert!(corrected.contains(&told) && !plain.contains("Learnt with"), "{corrected}");
    // No block is kept though its score is low, or not kept though it is high.
    for doubt in ["kept low\"", "outside high\"", "pruned high\""] {
        assert!(!corrected.contains(doubt), "{doubt}: {corrected}");
    }
}

fn headline(n: usize, at: usize) -> String {
    prose::title(100 * n + 7 * at)
}

/// A page of headlines, which is dropped as a list.
fn list(n: usize) -> (String, String) {
    let item = |at| format!("<li><a href=\"{}\">{}</a></li>", url(at), headline(n, at));
    let items: String = (0..12).map(item).collect();
    let html =
        format!("<html><body><h1>Topic {n}</h1><ol class=stories>{items}</ol></body></html>");
    (format!("https://posts.example/topics/{n}"), html)
}

#[test]
fn pages_that_are_dropped_for_their_kind_are_records_where_content_is_marked() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut crawl = Crawl::of_day("2026-03-01");
    for (url, html) in (0..12).map(page).chain((0..6).map(list)) {
        crawl.page(&url, &html);
    }
    let archive = crawl.write(folder.path(), "lists.warc.gz");
    let run = |out: &str, more: &[&str]| {
        let fixed = ["run", archive.to_str().unwrap(), "--out", &at(out)];
        let (code, _, errors) = parts(&call(&[&fixed[..], more].concat()));
        assert_eq!(code, 0, "{errors}");
        (errors, Results::read(&folder.path().join(out)))
    };
    let (_, plain) = run("plain", &[]);
    assert_eq!((plain.articles.len(), plain.drops("list-page").len()), (12, 6));
    let (_, shown, _) = parts(&call(&["inspect", &at("plain"), "posts.example", "--out", "-"]));
    assert!((0..6).any(|n| shown.contains(&format!("\"url\":\"{}\"", list(n).0))), "{shown}");
    let marks = |mark: &str| {
        let block = json!({"xpath": "//ol[@class='stories']", "mark": mark});
        let line = json!({"url": list(2).0, "blocks": [block]});
        write_lines(&folder.path().join(format!("{mark}.jsonl")), &[line])
    };
    let (errors, corrected) = run("corrected", &["--corrections", &marks("content")]);
    assert_eq!((errors.as_str(), corrected.drops("list-page").len()), ("", 0));
    for n in 0..6 {
        let found = text(corrected.article(&list(n).0), "text");
        assert!((0..12).all(|at| found.contains(&headline(n, at))), "{n}: {found}");
    }
    // No block is content: nothing is brought back, and a warning says so.
    let (errors, dropped) = run("dropped", &["--corrections", &marks("not-content")]);
    assert_eq!((dropped.articles.len(), dropped.drops("list-page").len()), (12, 6));
    assert!(errors.contains("none of its blocks is content"), "{errors}");
    // A type that is not asked for stays left out.
    let listing = text(corrected.article(&list(2).0), "page_type");
    let others = if listing == "forum" { "documentation" } else { "forum" };
    let marked = marks("content");
    let more = ["--corrections", &marked, "--page-types", others];
    let (errors, typed) = run("typed", &more);
    assert!(typed.urls().is_empty() && errors.contains("of a type that"), "{errors}");
}

#[test]
fn of_marks_of_one_block_the_last_counts() {
    let folder = tempfile::tempdir().unwrap();
    let lines = [correction(3, &[(BOX.0, "not-content")]), correction(3, &[(BOX.0, "content")])];
    for (name, lines) in
        [("kept", lines.clone()), ("left-out", [lines[1].clone(), lines[0].clone()])]
    {
        let file = write_lines(&folder.path().join("c.jsonl"), &lines);
        let (_, errors, results) = run(folder.path(), name, &["--corrections", &file]);
        assert_eq!(errors, "");
        assert!((0..12).all(|n| has_box(&results, n) == (name == "kept")), "{name}");
    }
}

#[test]
fn what_matches_nothing_is_named_and_a_line_that_is_no_correction_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let strange = json!({"url": url(99), "blocks": [{"xpath": "/html/body/p", "mark": "content"}]});
    let file = write_lines(&folder.path().join("c.jsonl"), &[strange]);
    let (code, errors, results) = run(folder.path(), "strange", &["--corrections", &file]);
    assert_eq!(code, 0, "{errors}");
    for told in [&*url(99), "/html/body/p", "has no effect", "mark the page again"] {
        assert!(errors.contains(told), "{told}: {errors}");
    }
    assert_eq!(results.count("corrections_unmatched"), 1);
    for (out, xpath, why) in [
        ("torn", "//p[", "its XPath cannot be read"),
        ("none", "//q", "its page has no element at the XPath"),
    ] {
        let file =
            write_lines(&folder.path().join("c.jsonl"), &[correction(3, &[(xpath, "content")])]);
        let (_, errors, results) = run(folder.path(), out, &["--corrections", &file]);
        assert!(errors.contains(why), "{errors}");
        assert_eq!(results.count("corrections_unmatched"), 1);
    }
    fs::write(folder.path().join("bad.jsonl"), "{\"url\": 3}\n").unwrap();
    let bad = folder.path().join("bad.jsonl");
    let (code, _, errors) =
        parts(&call(&["run", "x.warc", "--corrections", bad.to_str().unwrap()]));
    assert!(code == 2 && errors.contains("bad.jsonl: line 1"), "{errors}");
}

#[test]
fn a_store_keeps_corrections_for_later_nights() {
    let mut nights = Nights::new();
    let first: Vec<_> = (0..12).map(page).collect();
    let plain = nights.night(&first);
    assert!(has_box(&plain.results, 3));
    let file = write_lines(&nights.folder.path().join("c.jsonl"), &[correction(14, &[BOX])]);
    let second: Vec<_> = (10..22).map(page).collect();
    let archive = nights.crawl(DAYS[1], &second);
    let corrected = nights.run(&archive, "corrected", &["--corrections", &file]);
    assert_eq!(corrected.decision(), "correct", "{:?}", corrected.health);
    assert!((10..22).all(|n| !has_box(&corrected.results, n)));
    // Without the file, and without the page that was marked.
    let third: Vec<_> = (30..42).map(page).collect();
    let archive = nights.crawl(DAYS[2], &third);
    let later = nights.run(&archive, "later", &[]);
    assert_eq!(later.decision(), "keep", "{:?}", later.health);
    assert!((30..42).all(|n| !has_box(&later.results, n)));
    // The file again changes nothing.
    let fourth: Vec<_> = (50..62).map(page).collect();
    let archive = nights.crawl(DAYS[3], &fourth);
    let again = nights.run(&archive, "again", &["--corrections", &file]);
    assert_eq!(again.decision(), "keep", "{:?}", again.health);
    assert_eq!(again.results.count("corrections_unmatched"), 0);
}

#[test]
fn marks_that_cost_most_words_are_named_and_can_be_taken_back() {
    let mut nights = Nights::new();
    let pages = |of: std::ops::Range<usize>| of.map(page).collect::<Vec<_>>();
    nights.night(&pages(0..12));
    nights.night(&pages(12..24));
    let bad = correction(30, &[("//div[@class='entry']", "not-content")]);
    let bad = write_lines(&nights.folder.path().join("bad.jsonl"), &[bad]);
    let archive = nights.crawl(DAYS[2], &pages(24..36));
    let worse = nights.run(&archive, "bad", &["--corrections", &bad]);
    assert_eq!(worse.decision(), "correct", "{:?}", worse.health);
    let site = "posts.example";
    assert!(
        worse.of(site, "reason").contains("by corrections, its texts have"),
        "{:?}",
        worse.health
    );
    let later = nights.night(&pages(36..48));
    for night in [&worse, &later] {
        assert_eq!(night.verdict(), "broken", "{:?}", night.health);
        assert!(night.of(site, "next").contains("began with corrections"), "{:?}", night.health);
    }
    let back = write_lines(&nights.folder.path().join("back.jsonl"), &[correction(30, &[])]);
    let archive = nights.crawl(DAYS[4], &pages(48..60));
    let good = nights.run(&archive, "good", &["--corrections", &back]);
    assert_eq!(good.decision(), "correct", "{:?}", good.health);
    assert_eq!(good.results.count("corrections_unmatched"), 0);
    for n in 48..60 {
        assert!(text(good.results.article(&url(n)), "text").contains(&prose::text(n)), "{n}");
    }
}

#[test]
fn labels_go_out_and_come_back_as_corrections_of_a_crawl_without_their_page() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), "plain", &[]);
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (plain, labels, answers) = (at("plain"), at("labels.jsonl"), at("answers.jsonl"));
    let export = |form: &str| {
        let more = ["--below", "1.01", "--form", form, "--out", &labels];
        let (code, told, errors) =
            parts(&call(&[&["labels", "export", &plain], &more[..]].concat()));
        assert_eq!(code, 0, "{errors}");
        assert!(told.contains("1 page of 1 template"), "{told}");
        parse(fs::read_to_string(&labels).unwrap().trim())
    };
    assert!(text(&export("blocks"), "text").contains("\n2 [li] About us\n"));
    let task = export("items");
    let html = text(&task, "html").to_owned();
    assert!(html.contains("<p _item_id=\"") && html.contains(" class=\"foot\""), "{html}");
    // A recorded answer: paragraphs are content, but for that in the box.
    let n: usize = text(&task, "url")[url(0).len() - 3..].parse().unwrap();
    let boxed = &prose::paragraphs(1_000 + n)[0];
    let mut answer = serde_json::Map::new();
    for (number, line) in html.lines().skip(1).take_while(|line| line.starts_with('<')).enumerate()
    {
        let is_text = prose::paragraphs(n).iter().any(|own| line.contains(own.as_str()));
        let label = if is_text && !line.contains(boxed.as_str()) { "main" } else { "other" };
        if !line.starts_with("</body") {
            answer.insert((number + 1).to_string(), label.into());
        }
    }
    let lines = [
        json!({"url": task["url"], "answer": answer}),
        json!({"url": task["url"], "answer": "I am sorry."}),
        json!({"url": "https://else.example/", "answer": "1main"}),
        json!({"url": task["url"], "answer": "99999main"}),
    ];
    write_lines(Path::new(&answers), &lines);
    let corrections = at("corrections.jsonl");
    let import = ["labels", "import", &labels, "--answers", &answers, "--out", &corrections];
    let (code, told, errors) = parts(&call(&[&import[..], &["--format", "json"]].concat()));
    assert_eq!(code, 0, "{errors}");
    let counts = &parse(told.trim())["counts"];
    assert_eq!((&counts["unreadable"], &counts["unknown_pages"]), (&1.into(), &1.into()), "{told}");
    assert_eq!(counts["unknown_items"], 1, "{told}");
    assert!(errors.contains("line 2") && errors.contains("else.example"), "{errors}");
    // The page is not in the other crawl.
    let mut crawl = Crawl::of_day("2026-03-02");
    for (url, html) in (20..32).map(page) {
        crawl.page(&url, &html);
    }
    let archive = crawl.write(folder.path(), "others.warc.gz");
    let out = folder.path().join("others");
    let fixed = ["run", archive.to_str().unwrap(), "--out", out.to_str().unwrap()];
    succeed(&[&fixed[..], &["--corrections", &corrections]].concat());
    let results = Results::read(&out);
    for n in 20..32 {
        assert!(!has_box(&results, n), "{n}");
        assert!(text(results.article(&url(n)), "text").contains(&prose::text(n)), "{n}");
    }
}

#[test]
fn labels_of_a_crawl_that_is_gone_are_an_error() {
    let (folder, archive, out) =
        Crawl::of_posts("https://a.example/notes/", 0..6).placed("crawl.warc.gz");
    succeed(&["run", word(&archive), "--out", word(&out)]);
    fs::remove_file(&archive).unwrap();
    let labels = folder.path().join("labels.jsonl");
    let export = ["labels", "export", word(&out), "--below", "1.01", "--out", word(&labels)];
    let (code, stdout, stderr) = parts(&call(&export));
    assert!(code == 1 && stdout.starts_with("0 pages of 1 template below"), "{stdout}{stderr}");
    let told =
        format!("warning: {}: the input {} does not exist\n", out.display(), archive.display());
    assert_eq!(stderr, told);
}
