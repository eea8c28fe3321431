//! What sites serve instead of articles: consent forms, bot checks, error pages, paywalls.

use std::collections::BTreeMap;

use crate::common::crawl::Crawl;
use crate::common::program::{in_repository, run};
use crate::common::prose;
use crate::common::results::{Results, parse, text};

const PAGES: usize = 8;

/// A page of a site with its own title and address, and this in its article element.
fn page(n: usize, title: &str, inside: &str) -> (String, String) {
    let slug = prose::title(n).to_lowercase().replace(' ', "-");
    let html = format!(
        "<!doctype html><html lang=en><head><title>{title}</title></head><body>\n\
         <ul class=menu><li><a href=/>Home</a><li><a href=/news>News</a></ul>\n\
         <article><h1>{title}</h1>{}</article>\n\
         <p class=foot>All rights reserved by nobody in particular. <a href=/terms>Terms</a></p></body></html>",
        inside.replace("SLUG", &slug)
    );
    (slug, html)
}

const WALLS: [(&str, &str, &str); 5] = [
    (
        "consent-wall",
        "Before you continue",
        "<p>We and our 842 partners store cookies on your device, and process personal data for personalised \
         advertising and audience research.</p><p>You may click to consent to this processing, or refuse it.</p>\
         <button>Accept all</button>",
    ),
    (
        "bot-check",
        "Just a moment...",
        "<p>Checking your browser before you visit the site. This takes up to five seconds.</p>\
         <p>Please verify you are human.</p><p>Ray ID: <code>8f3aSLUG11</code></p>",
    ),
    (
        "soft-404",
        "Page not found",
        "<p>Sorry, the page /SLUG that you asked for does not exist, or has been moved to another place.</p>\
         <p>Try the search, or go back to the home page to read what is new in town.</p>",
    ),
    (
        "paywall-stub",
        "",
        "<div class=wall><p>This article is for subscribers only. Subscribe now to read this story and all others \
         from just one pound a week.</p><p>Already a subscriber? Sign in to continue reading.</p></div>",
    ),
    (
        "duplicate-text",
        "A quiet day",
        "<p>The quiet harbour rests today while the painters work on the long wall by the water, and there is \
         nothing else to see here until the ferry is back from the yard on the other side.</p>",
    ),
];

/// How often each site gave an article, or a drop with a reason.
fn outcomes(results: &Results) -> BTreeMap<(String, String), usize> {
    let mut counts = BTreeMap::new();
    let articles = results.articles.iter().map(|article| (text(article, "site"), "article"));
    let drops = results.dropped.iter().map(|drop| (text(drop, "site"), text(drop, "reason")));
    for (site, outcome) in articles.chain(drops) {
        *counts.entry((site.to_owned(), outcome.to_owned())).or_insert(0) += 1;
    }
    counts
}

#[test]
fn walls_are_no_articles() {
    let mut crawl = Crawl::new();
    for (reason, title, inside) in WALLS {
        for n in 0..PAGES {
            let own = prose::title(n + 40);
            let title = if title.is_empty() { &own } else { title };
            let (slug, html) = page(n, title, inside);
            crawl.page(&format!("https://{reason}.example/{slug}"), &html);
        }
    }
    // A site with articles, some of which are behind a paywall.
    for n in 0..PAGES {
        let paragraphs: String =
            prose::paragraphs(n + 60).iter().map(|p| format!("<p>{p}</p>")).collect();
        let (slug, html) = page(n, &prose::title(n + 60), &paragraphs);
        crawl.page(&format!("https://mixed.example/{slug}"), &html);
        // The beginning of an article, then the paywall: there is something to read.
        let begun = format!("<p>{}</p>{}", prose::paragraphs(n + 80)[0], WALLS[3].2);
        let (slug, html) = page(n, &prose::title(n + 80), &begun);
        crawl.page(&format!("https://partial.example/{slug}"), &html);
        if n % 2 == 0 {
            let (slug, html) = page(n + 20, &prose::title(n + 90), WALLS[3].2);
            crawl.page(&format!("https://mixed.example/{slug}"), &html);
        }
    }
    // Versions of one story are no wall.
    let (slug, story) =
        page(7, "A story", &format!("<p>{}</p>", prose::paragraphs(99).join("</p><p>")));
    for address in
        [slug.clone(), format!("amp/{slug}"), format!("{slug}/print"), format!("phone/{slug}")]
    {
        crawl.page(&format!("https://versions.example/{address}"), &story);
    }
    let results = crawl.run(&[]);
    let mut expected: BTreeMap<(String, String), usize> = WALLS
        .iter()
        .map(|(reason, ..)| ((format!("{reason}.example"), (*reason).to_owned()), PAGES))
        .collect();
    let mut expect = |site: &str, outcome: &str, pages| {
        expected.insert((format!("{site}.example"), outcome.to_owned()), pages);
    };
    expect("mixed", "article", PAGES);
    expect("mixed", "paywall-stub", PAGES / 2);
    expect("partial", "article", PAGES);
    expect("versions", "article", 4);
    assert_eq!(outcomes(&results), expected);
}

#[test]
fn a_wall_without_siblings_is_known_by_its_phrases() {
    let mut crawl = Crawl::new();
    for (reason, title, inside) in &WALLS[..3] {
        let (slug, html) = page(1, title, inside);
        crawl.page(&format!("https://{reason}.example/{slug}"), &html);
    }
    let news = "<p>The council talked about cookies for an hour. The mayor wants a new bakery on the square, and the \
                bakers want the mayor to eat more of what they already have on their shelves every morning.</p>";
    let (slug, html) = page(2, "Cookies on the agenda", news);
    crawl.page(&format!("https://news.example/{slug}"), &html);
    let results = crawl.run(&[]);
    let dropped: Vec<&str> = results.dropped.iter().map(|drop| text(drop, "reason")).collect();
    assert_eq!(dropped.len(), 3);
    for reason in ["consent-wall", "bot-check", "soft-404"] {
        assert!(dropped.contains(&reason), "{dropped:?}");
    }
    assert_eq!(results.articles.len(), 1);
}

/// Pages without siblings whose texts are those of widespread services and programs, and articles about them.
#[test]
fn widespread_walls_are_known_alone_and_articles_about_them_are_read() {
    let walls = [
        (
            "bot-check",
            "Sorry, you have been blocked",
            "<p>This website is using a security service.</p>",
        ),
        (
            "bot-check",
            "Unavailable",
            "<p>This content is not available in your region, says the law.</p>",
        ),
        (
            "soft-404",
            "Oops! That page can’t be found.",
            "<p>Maybe try a search or a link below?</p>",
        ),
        (
            "soft-404",
            "Sidan hittades inte",
            "<p>Kontrollera adressen, eller sök efter det du letar efter.</p>",
        ),
        (
            "consent-wall",
            "Vi värnar om din integritet",
            "<p>Vi och våra partner använder kakor.</p>",
        ),
    ];
    let mut crawl = Crawl::new();
    for (n, (reason, title, inside)) in walls.iter().enumerate() {
        let (slug, html) = page(n, title, inside);
        crawl.page(&format!("https://{reason}-{n}.example/{slug}"), &html);
    }
    let about = "<p>The code 404 says that a page was not found. It no longer exists, or has been moved, and nobody has \
                 told the server where to. Most visitors leave within a few seconds of seeing it, a study found.</p>";
    let titles = ["Why pages go missing", "What we learnt from a page not found"];
    for (n, title) in titles.iter().enumerate() {
        let more = [prose::paragraphs(n + 30), prose::paragraphs(n + 40)].concat();
        let paragraphs = format!("{about}<p>{}</p>", more.join("</p><p>"));
        let (slug, html) = page(n + 10, title, &paragraphs);
        crawl.page(&format!("https://about-{n}.example/{slug}"), &html);
    }
    let results = crawl.run(&[]);
    let mut expected: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (n, (reason, ..)) in walls.iter().enumerate() {
        expected.insert((format!("{reason}-{n}.example"), (*reason).to_owned()), 1);
    }
    for n in 0..titles.len() {
        expected.insert((format!("about-{n}.example"), "article".to_owned()), 1);
    }
    assert_eq!(outcomes(&results), expected);
}

/// Short notices that end with the same long paragraph on every page keep their own.
#[test]
fn notices_are_more_than_their_headlines() {
    let mut crawl = Crawl::new();
    let about = prose::paragraphs(300).concat();
    let own: Vec<String> = (0..PAGES).map(|n| prose::paragraphs(n + 200)[0].clone()).collect();
    for (n, own) in own.iter().enumerate() {
        let inside = format!("<p>{own}</p><h2>About the harbour board</h2><p>{about}</p>");
        let (slug, html) = page(n, &prose::title(n), &inside);
        crawl.page(&format!("https://notices.example/{slug}"), &html);
    }
    let results = crawl.run(&[]);
    assert_eq!(results.articles.len(), PAGES);
    for own in &own {
        let found = results.articles.iter().any(|article| text(article, "text").contains(own));
        assert!(found, "{own}");
    }
}

#[test]
fn the_sample_sites_with_walls_give_what_is_expected() {
    let folder = tempfile::tempdir().unwrap();
    let results = run(&[&in_repository("data/walls")], &folder.path().join("out"), &[]);
    let expected = std::fs::read_to_string(in_repository("data/walls/expected.jsonl")).unwrap();
    let mut found: BTreeMap<&str, (&str, Option<&str>)> = BTreeMap::new();
    for article in &results.articles {
        found.insert(text(article, "url"), ("article", article["access"].as_str()));
    }
    for drop in &results.dropped {
        found.insert(text(drop, "url"), (text(drop, "reason"), None));
    }
    let rows: Vec<_> = expected.lines().map(parse).collect();
    assert_eq!(rows.len(), 79);
    for row in &rows {
        let of_row = (text(row, "outcome"), row["access"].as_str());
        assert_eq!(found.get(text(row, "url")), Some(&of_row), "{row}");
    }
}

#[test]
fn pages_that_scripts_draw_are_script_shells() {
    let shell = |inside: &str| {
        format!(
            "<!doctype html><html lang=en><head><title>The harbour news</title>\
             <script src=/runtime.js></script></head><body>{inside}</body></html>"
        )
    };
    let script =
        "<script>window.__STATE__ = {\"a\": \"<p>text that only the script reads</p>\"}</script>";
    let pages = [
        ("root", format!("<div id=root></div>{script}"), "script-shell"),
        (
            "loading",
            format!("<div id=app><div class=spinner></div>Loading…</div>{script}"),
            "script-shell",
        ),
        (
            "custom",
            "<app-root></app-root><SCRIPT src=/main.js></SCRIPT>".to_owned(),
            "script-shell",
        ),
        // Pages with hardly any text that are no shells: a picture, an empty page, a note with a place for comments.
        ("picture", format!("<div id=ad></div><img src=/boat.jpg alt=''>{script}"), "no-content"),
        ("empty", script.to_owned(), "no-content"),
        (
            "note",
            format!(
                "<p>The ferry does not run on Sunday, since the crew is at the fair.</p><div id=talk></div>{script}"
            ),
            "no-content",
        ),
    ];
    let mut crawl = Crawl::new();
    for (name, inside, _) in &pages {
        crawl.page(&format!("https://{name}.example/2026/a-story"), &shell(inside));
        for n in 0..4 {
            crawl.page(&format!("https://{name}-siblings.example/2026/story-{n}"), &shell(inside));
        }
    }
    let results = crawl.run(&[]);
    let mut expected = BTreeMap::new();
    for (name, _, reason) in &pages {
        expected.insert((format!("{name}.example"), (*reason).to_owned()), 1);
        expected.insert((format!("{name}-siblings.example"), (*reason).to_owned()), 4);
    }
    assert_eq!(outcomes(&results), expected);
}
