//! `sitegrove-lab recover` on an invented site.

use serde_json::Value;
use tempfile::TempDir;

mod common;
use common::crawl::Crawl;
use common::program::{call, parts};
use common::prose;

/// Articles that declare their metadata in all ways. The last shows no author, the one before it only in its text; one shows another
/// day beside the headline.
fn archive(folder: &TempDir) -> String {
    let mut crawl = Crawl::new();
    for (n, name) in (1..).zip(["Jo Field", "Ann Brook", "Max Heath", "Ida Marsh"]) {
        let (title, day) = (prose::title(n), 10 + n);
        let head = format!(
            "<meta charset=utf-8><META Property=og:title content=\"{title}\">\r\n\
             <meta name=author content='Desk of the Harbour'><meta property=og:type content=article>\
             <meta http-equiv=last-modified content='2024-04-{day}T09:00:00Z'>\
             <script type='application/ld+json'>{{\"@type\": \"NewsArticle\", \"headline\": \"{title}\",\
             \"author\": {{\"@type\": \"Person\", \"name\": \"{name}\"}},\
             \"datePublished\": \"2024-04-{day}T08:00:00Z\", \"articleSection\": \"Boats\"}}</script>"
        );
        let byline = match n {
            1 => format!("<p class=byline>By <a rel=author href=/authors/1>{name}</a></p>"),
            2 => format!("<p class=byline itemprop=author>By {name}</p>"),
            _ => format!("<meta itemprop=author content='{name}'>"),
        };
        let shown = if n == 2 { 22 } else { day };
        let told = match n {
            2 => "The old ferry had been at the quay since April 12, 2024.".to_owned(),
            3 => format!("Nobody but {name} knew when it would leave the harbour."),
            _ => String::new(),
        };
        let lines = format!(
            "</h1>\r\n{byline}<time itemprop=datePublished datetime=2024-04-{day}>April {shown}, 2024</time><p>{told}</p>"
        );
        let html = prose::post_with(n, &head, "").replacen("</h1>", &lines, 1);
        crawl.page(&format!("https://quay.example/boats/story-{n}"), &html);
    }
    let path = crawl.write(folder.path(), "quay.warc.gz");
    path.to_str().unwrap().to_owned()
}

fn report(archive: &str, options: &[&str]) -> String {
    let (code, printed, errors) = parts(&call(&[&["recover", archive], options].concat()));
    assert_eq!(code, 0, "{errors}");
    printed
}

/// Values expected, exact, missing and wrong.
#[track_caller]
fn check_counts(report: &Value, field: &str, together: Option<u64>, expected: [u64; 4]) {
    let rows = report["rows"].as_array().unwrap();
    let is_it = |row: &&Value| row["field"] == field && row["together"].as_u64() == together;
    let row = rows.iter().find(is_it).unwrap_or_else(|| panic!("no {field} in {report}"));
    let counts = ["gold", "exact", "missing", "wrong"].map(|name| row[name].as_u64().unwrap());
    assert_eq!(counts, expected, "{row}");
}

#[test]
fn what_is_hidden_is_found_only_where_it_is_shown() {
    let folder = TempDir::new().unwrap();
    let printed = report(&archive(&folder), &["--together", "1,4", "--format", "json"]);
    let report: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!((&report["sites"], &report["articles"]), (&Value::from(1), &Value::from(4)));
    assert_eq!(report["leaks"], 0);
    for (field, shown) in [("title", 4), ("authors", 3), ("date", 4)] {
        check_counts(&report, field, None, [shown, shown, 0, 0]);
    }
    let rows = report["rows"].as_array().unwrap().iter();
    let not_shown = rows.filter(|row| row["field"] == "authors").map(|row| &row["not_shown"]);
    assert!(not_shown.eq([1, 1, 1].map(Value::from).iter()), "{report}");
    for together in [1, 4] {
        check_counts(&report, "title", Some(together), [4, 4, 0, 0]);
        check_counts(&report, "authors", Some(together), [3, 2, 1, 0]);
        check_counts(&report, "date", Some(together), [4, 3, 0, 1]);
    }
    // What all pages of a site declare is no gold.
    assert!(!printed.contains("\"section\""), "{printed}");
}

#[test]
fn tables_are_printed_with_what_is_wrong() {
    let folder = TempDir::new().unwrap();
    let text = report(&archive(&folder), &["--together", "2,4", "--worst", "5"]);
    assert!(
        text.contains("| authors | with declarations | 3 | 3 | 0 | 0 | 100.0 | 100.0 |"),
        "{text}"
    );
    assert!(text.contains("| authors | 2 | 3 | 2 | 1 | 0 | 100.0 | 66.7 |"), "{text}");
    assert!(text.contains("| as most siblings | 4 | 0 |"), "{text}");
    let wrong = "- date: https://quay.example/boats/story-2: declared 2024-04-12T08:00:00Z, found 2024-04-22 (page)";
    assert!(text.contains(wrong), "{text}");
}

#[test]
fn sites_with_too_few_articles_are_refused() {
    let folder = TempDir::new().unwrap();
    let (code, _, errors) = parts(&call(&["recover", &archive(&folder)]));
    assert!(code == 2 && errors.contains("no site has 10 articles"), "{errors}");
}
