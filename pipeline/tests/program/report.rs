//! The report of a run: its contents, that they come only from the run folder, and that text from
//! pages is always shown as text.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::crawl::Crawl;
use crate::common::program::{
    call, check_in_browser, in_repository, parts, run, sitegrove, succeed, write_file,
};
use crate::common::prose;
use crate::common::results::{Results, figures, files, parse, text};

fn archive(sites: &[&str]) -> (TempDir, PathBuf, PathBuf) {
    let mut crawl = Crawl::new();
    for (at, site) in sites.iter().enumerate() {
        for n in 0..4 {
            crawl.page(&format!("https://{site}/notes/{n}"), &prose::post(at * 10 + n));
        }
    }
    crawl.placed("some.warc.gz")
}

fn report(folder: &Path) -> String {
    fs::read_to_string(folder.join("report/index.html")).unwrap()
}

/// The rows in the data of the report's script.
fn rows(html: &str) -> Vec<Value> {
    let (_, rows) = html.split_once("<script type=\"application/json\" id=\"rows\">").unwrap();
    let (rows, _) = rows.split_once("</script>").unwrap();
    parse(rows).as_array().unwrap().clone()
}

/// The figure of a tile.
fn tile<'a>(html: &'a str, name: &str) -> &'a str {
    let (_, rest) = html.split_once(&format!("<dt>{name}</dt><dd><b>")).unwrap();
    rest.split_once("</b>").unwrap().0
}

fn sum(figures: &[Value], field: &str) -> u64 {
    figures.iter().map(|row| row[field].as_u64().unwrap()).sum()
}

fn run_sample(out: &Path) -> Results {
    let [crawl, pages, feeds] =
        ["data/crawl", "data/pages/lighthouse-almanac.example", "data/feeds"].map(in_repository);
    run(&[&crawl, &pages], out, &["--feeds", feeds.to_str().unwrap()])
}

#[test]
fn its_numbers_are_those_of_the_ledger_and_the_articles() {
    let folder = tempfile::tempdir().unwrap();
    let results = run_sample(&folder.path().join("out"));
    let (html, figures) = (report(&results.folder), figures(&results.folder));
    for (name, field) in [("Articles", "articles"), ("Pages", "pages"), ("Sites", "sites")] {
        assert_eq!(tile(&html, name), results.count(field).to_string(), "{name}");
    }
    assert_eq!(tile(&html, "Dropped"), results.dropped.len().to_string());
    assert!(html.contains("Every input was read to its end, and every output written."));
    for (reason, n) in results.drops_by_reason() {
        let row = format!("<tr><th scope=\"row\"><bdi>{reason}</bdi>");
        let (_, rest) = html.split_once(&row).unwrap();
        let (bar, _) = rest.split_once("</tr>").unwrap();
        assert!(bar.ends_with(&format!("<span>{n}</span></td>")), "{reason}: {bar}");
    }
    for (stage, seconds) in results.ledger["stage_seconds"].as_object().unwrap() {
        let name = stage;
        let (_, rest) = html.split_once(&format!("<bdi>{name}</bdi>")).unwrap();
        let shown = format!("<span>{:.0} ms</span>", seconds.as_f64().unwrap() * 1000.0);
        let (bar, _) = rest.split_once("</tr>").unwrap();
        assert!(seconds.as_f64().unwrap() > 0.99 || bar.contains(&shown), "{stage}: {bar}");
    }
    // The figures by site add up to the run's.
    assert_eq!(figures.len() as u64, results.count("sites"));
    assert_eq!(sum(&figures, "articles"), results.count("articles"));
    assert_eq!(sum(&figures, "pages"), results.count("pages"));
    // Site by site they are those of its articles.
    let mut by_site: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for article in &results.articles {
        by_site.entry(text(article, "site")).or_default().push(article);
    }
    for row in &figures {
        let own = &by_site[text(row, "site")];
        assert_eq!(row["articles"], own.len());
        assert_eq!(row["doubtful"], own.iter().filter(|a| a["doubtful"] == true).count());
        let sum: f64 = own.iter().map(|a| a["confidence"].as_f64().unwrap()).sum();
        let mean = row["confidence"].as_f64().unwrap();
        assert!((mean - sum / own.len() as f64).abs() < 1e-4, "{row}");
        let mut lengths: BTreeMap<String, u64> = BTreeMap::new();
        for article in own {
            let letters = text(article, "text").chars().count() as u64;
            let classes = row["lengths"].as_object().unwrap().keys();
            let lowers = classes.map(|class| class.parse::<u64>().unwrap());
            let class = lowers.filter(|&lower| lower <= letters).max().unwrap();
            *lengths.entry(class.to_string()).or_default() += 1;
        }
        assert_eq!(row["lengths"], json!(lengths), "{row}");
        let confidences = row["confidences"].as_object().unwrap();
        let counted: u64 = confidences.values().map(|n| n.as_u64().unwrap()).sum();
        assert_eq!(counted, own.len() as u64);
        let wrappers = format!("wrappers/{}.json", text(row, "site"));
        match fs::read_to_string(results.folder.join(wrappers)) {
            Ok(learnt) => {
                let templates = &parse(&learnt)["templates"];
                assert_eq!(row["layouts"], templates.as_array().unwrap().len());
            }
            Err(_) => assert_eq!(row["wrappers"], 0, "{row}"),
        }
    }
    // The table has them all, those with the most articles first, both for the script and without
    // it.
    let rows = rows(&html);
    let counts: Vec<u64> = rows.iter().map(|row| row[2][0].as_u64().unwrap()).collect();
    assert_eq!(rows.len(), figures.len());
    assert!(counts.is_sorted_by(|a, b| a >= b), "{counts:?}");
    let (_, table) = html.split_once("<table id=\"table\">").unwrap();
    let (table, _) = table.split_once("</table>").unwrap();
    for row in &rows {
        let head = format!("<tr><th scope=\"row\"><bdi>{}</bdi>", row[0].as_str().unwrap());
        assert!(table.contains(&head), "{head}");
    }
}

#[test]
fn what_was_removed_is_the_boilerplate() {
    let (_folder, archive, out) = archive(&["one.example"]);
    let results = run(&[&archive], &out, &[]);
    let figures = figures(&results.folder);
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count() as u64;
    let kept: u64 = results.articles.iter().map(|a| letters(text(a, "text"))).sum();
    // The complete text of a post's body: menu, heading, paragraphs, foot.
    let boilerplate = "HomeAboutusAllrightsreservedbynobodyinparticular.Terms";
    let all: u64 = (0..4)
        .map(|n| letters(&prose::text(n)) + letters(&prose::title(n)) + letters(boilerplate))
        .sum();
    assert_eq!(figures[0]["characters"], json!({"pages": all, "kept": kept}));
    let share = 100.0 * (all - kept) as f64 / all as f64;
    assert_eq!(tile(&report(&results.folder), "Site boilerplate"), format!("{share:.0} %"));
}

const HOSTILE: &str = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'`--><!--&";

/// A report in which every name, expression and path is hostile, checked as text.
fn hostile() -> (Results, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    // Folders of saved pages give names of sites; class names become part of expressions.
    let mut inputs = Vec::new();
    for name in ["<script>alert(1)</script><img src=x onerror=alert(2)>\"'&", "e\u{202e}vil--><!--"]
    {
        let pages = folder.path().join(name.replace('/', "\u{2215}"));
        fs::create_dir(&pages).unwrap();
        for seed in 0..6 {
            let escaped = HOSTILE.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
            let open = format!("<div id=\"{escaped}\" class=\"x{escaped}\">");
            let page = prose::post(seed).replace("<div class=entry>", &open);
            fs::write(pages.join(format!("{seed}<b>.html")), page).unwrap();
        }
        inputs.push(pages);
    }
    let broken =
        write_file(folder.path(), "<img src=x onerror=alert(3)>.warc.gz", [0x1f, 0x8b, 8, 0, 0, 0]);
    let out = folder.path().join("<i>out'");
    let mut command = sitegrove();
    command.arg("run").args(&inputs).arg(&broken).arg("--out").arg(&out);
    let (code, stdout, stderr) = parts(&command.output().unwrap());
    assert!(code <= 1, "{stdout}\n{stderr}");
    let results = Results::read(&out);
    assert_eq!(results.articles.len(), 12, "{:?}", results.dropped);
    let html = report(&results.folder);
    assert!(html.contains("&lt;script&gt;"), "{html}");
    check_markup(&html);
    // The script gets the names unchanged, except for characters that change the direction of text.
    let named: Vec<String> = rows(&html).iter().map(|r| r[0].as_str().unwrap().into()).collect();
    assert!(named.iter().any(|name| name.contains("<script>")), "{named:?}");
    assert!(named.iter().any(|name| name.contains("⟨U+202E⟩")), "{named:?}");
    assert!(html.contains("sitegrove inspect &#39;"), "the path is not quoted");
    // Also with single-site pages, and these names in links.
    succeed(&["inspect", out.to_str().unwrap(), "--all"]);
    let html = report(&results.folder);
    check_markup(&html);
    assert_eq!(links(&html).len(), 2);
    check_links(&results.folder, &html);
    (results, folder)
}

#[test]
fn hostile_names_and_expressions_stay_text() {
    hostile();
}

#[test]
#[ignore = "needs Chromium and Python: scripts/slow-checks browser"]
fn a_browser_finds_nothing_wrong_with_hostile_names() {
    let (results, _folder) = hostile();
    check_in_browser("test_report", "--run", &results.folder);
}

/// Only the two scripts of the program, and no other tags or attributes than its own.
fn check_markup(html: &str) {
    let count = |what: &str| html.matches(what).count();
    assert_eq!((count("<script"), count("</script")), (2, 2));
    for harm in ["<img", "<i>", "<b>alert", "\u{202e}", "-->", "<!--", "javascript:"] {
        assert!(!html.contains(harm), "{harm:?}");
    }
    let policy = html.find("Content-Security-Policy").unwrap();
    let style = html.find("<style>").unwrap();
    assert!(policy < style, "the policy must come before what it is for");
    for part in [
        "default-src 'none'; style-src &#39;sha256-",
        "; script-src &#39;sha256-",
        "; require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'",
    ] {
        assert!(html[policy..style].contains(part), "{}", &html[policy..style]);
    }
    let markup = &html[html.find("<body>").unwrap()..html.find("<script type").unwrap()];
    for (at, _) in markup.match_indices('<') {
        let tag = &markup[at..at + markup[at..].find('>').unwrap()];
        let names: String = tag.split('"').step_by(2).collect();
        for name in names.trim_start_matches(['<', '/']).split([' ', '=']).skip(1) {
            let bad = name.starts_with("on") || ["style", "src", "srcdoc"].contains(&name);
            assert!(!bad && !name.contains(['\'', '`', '<', '&']), "{name:?} in {tag}>");
        }
    }
}

/// The links of the report's table, without those into the table and those to pages of sites further up.
fn links(html: &str) -> Vec<&str> {
    let (_, table) = html.split_once("<table id=\"table\">").unwrap();
    table.split("href=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0).collect()
}

/// Every link of markup and script must lead to a file.
fn check_links(run: &Path, html: &str) {
    let of_script: Vec<String> = (rows(html).iter())
        .filter_map(|row| row[1].as_str().filter(|page| !page.is_empty()))
        .map(|page| format!("sites/{page}.html"))
        .collect();
    for link in links(html).into_iter().chain(of_script.iter().map(String::as_str)) {
        let name = link.strip_prefix("sites/").unwrap().replace("%25", "%");
        assert!(run.join("report/sites").join(&name).is_file(), "a dead link: {link}");
    }
}

#[test]
fn it_links_pages_that_are_there_and_no_others() {
    let sites = ["one.example", "two.example", "three.example"];
    let (_folder, archive, out) = archive(&sites);
    let results = run(&[&archive], &out, &[]);
    let shown = out.to_str().unwrap();
    let html = report(&out);
    assert_eq!(links(&html), Vec::<&str>::new());
    let command = format!("<code class=\"command\">sitegrove inspect {shown} --all</code>");
    assert!(html.contains(&command), "no word of how to get pages of the sites");
    // One page, then all.
    let stdout = succeed(&["inspect", shown, "two.example"]);
    assert_eq!(stdout.trim_end(), out.join("report/sites/two.example.html").to_str().unwrap());
    let html = report(&out);
    assert_eq!(links(&html), ["sites/two.example.html"]);
    assert!(html.contains(&command));
    let single = fs::read(out.join("report/sites/two.example.html")).unwrap();
    let stdout = succeed(&["inspect", shown, "--all"]);
    assert!(stdout.starts_with("3 pages in "), "{stdout}");
    let html = report(&out);
    assert_eq!(links(&html).len(), 3);
    assert!(!html.contains(&command));
    check_links(&out, &html);
    // A page is the same however it was requested.
    assert!(fs::read(out.join("report/sites/two.example.html")).unwrap() == single);
    // A removed page is not linked any more.
    fs::remove_file(out.join("report/sites/one.example.html")).unwrap();
    let (code, stdout, stderr) = parts(&call(&["report", shown]));
    assert_eq!((code, stdout.trim_end()), (0, out.join("report/index.html").to_str().unwrap()));
    assert_eq!(stderr, "");
    assert_eq!(links(&report(&out)).len(), 2);
    // Pages of an earlier run are not used for another run.
    let again = run(&[&archive], &out, &["--overwrite"]);
    assert_eq!(links(&report(&out)).len(), 0);
    assert!(!out.join("report/sites").exists());
    assert_eq!(again.articles.len(), results.articles.len());
}

#[test]
fn drawn_again_it_is_the_same() {
    let (_folder, archive, out) = archive(&["one.example"]);
    let results = run(&[&archive], &out, &[]);
    let before = files(&results.folder);
    succeed(&["report", results.folder.to_str().unwrap()]);
    assert!(files(&results.folder) == before);
}

#[test]
fn a_run_without_report_leaves_none_and_says_so_when_asked() {
    let (folder, archive, out) = archive(&["one.example"]);
    let shown = out.to_str().unwrap();
    run(&[&archive], &out, &[]);
    assert_eq!(parts(&call(&["inspect", shown, "--all"])).0, 0);
    run(&[&archive], &out, &["--sinks", "jsonl", "--overwrite"]);
    assert!(!out.join("report").exists());
    let (code, _, stderr) = parts(&call(&["report", shown]));
    assert!(code == 2 && stderr.contains("report in --sinks"), "{stderr}");
    // Single-site pages are available nevertheless.
    let (code, stdout, _) = parts(&call(&["inspect", shown, "--all"]));
    assert!(code == 0 && !stdout.contains("links them"), "{stdout}");
    let (code, _, stderr) = parts(&call(&["report", folder.path().to_str().unwrap()]));
    assert!(code == 2 && stderr.contains("no finished run"), "{stderr}");
}

#[test]
fn a_report_that_cannot_be_written_leaves_the_others_whole() {
    let (folder, archive, _) = archive(&["one.example"]);
    // Its folder cannot be created; the page itself cannot be moved to its place.
    for (at, in_the_way) in ["report", "report/index.html/x"].iter().enumerate() {
        let out = folder.path().join(at.to_string());
        let path = out.join(in_the_way);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
        let with = |sinks: &str| {
            let mut command = sitegrove();
            command.args(["run", "--overwrite", "--sinks", sinks, "--out"]).args([&out, &archive]);
            parts(&command.output().unwrap())
        };
        let (code, stdout, stderr) = with("jsonl,report");
        assert_eq!(code, 1, "{stdout}\n{stderr}");
        assert!(stderr.contains("cannot write the output report"), "{stderr}");
        assert!(!stdout.contains("index.html"), "{stdout}");
        let results = Results::read(&out);
        assert_eq!(results.articles.len(), 4);
        assert!(text(&results.ledger["failed_sinks"], "report").contains("report"));
        // Without any other output, the run fails.
        fs::remove_file(out.join("ledger.json")).unwrap();
        let (code, _, stderr) = with("report");
        assert_eq!(code, 2, "{stderr}");
        let ledger = fs::read_to_string(out.join("ledger.json")).unwrap();
        assert!(ledger.contains("\"state\": \"stopped\""), "{ledger}");
    }
}

#[test]
fn problems_come_first() {
    let (folder, archive, out) = archive(&["one.example"]);
    fs::create_dir_all(out.join("articles.csv/in-the-way")).unwrap();
    let mut command = sitegrove();
    command.args(["run", "--overwrite", "--sinks", "all", "--out"]).args([&out, &archive]);
    assert_eq!(parts(&command.output().unwrap()).0, 1);
    let html = report(&out);
    assert!(!html.contains("every output written"));
    let problem = html.find("Cannot write the output csv").unwrap();
    assert!(html.contains("1 problem</h2>") && problem < html.find("class=\"tiles\"").unwrap());
    // Half an archive.
    let whole = fs::read(&archive).unwrap();
    fs::write(&archive, &whole[..whole.len() / 2]).unwrap();
    let cut = folder.path().join("cut");
    let (code, _, stderr) =
        parts(&call(&["run".as_ref(), archive.as_os_str(), "--out".as_ref(), cut.as_os_str()]));
    assert_eq!(code, 1, "{stderr}");
    let html = report(&cut);
    assert!(html.contains(" is cut short at byte "), "{html}");
    assert!(html.contains("The inputs are damaged in 1 place (cut-short 1;"), "{html}");
    assert!(!html.contains("Every input was read to its end"));
    // A run without a page has a report, too.
    fs::write(folder.path().join("empty.warc"), "").unwrap();
    let empty = folder.path().join("empty");
    let mut command = sitegrove();
    command.arg("run").arg(folder.path().join("empty.warc")).arg("--out").arg(&empty);
    assert_eq!(parts(&command.output().unwrap()).0, 1);
    let html = report(&empty);
    assert!(html.contains("No page was found in the inputs"));
    assert_eq!((tile(&html, "Articles"), rows(&html).len()), ("0", 0));
    check_markup(&html);
}
