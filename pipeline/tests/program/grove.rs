//! The default engine inside an article: prune, comments, endings, texts that occur elsewhere.

use serde_json::Value;
use tempfile::TempDir;

use crate::common::crawl::Crawl;
use crate::common::program::run;
use crate::common::prose;
use crate::common::results::{Results, text};

/// Runs a crawl of pages of one site; returns its results in the order of the pages.
fn results(pages: &[String], configuration: Option<&str>) -> (Results, TempDir) {
    let mut crawl = Crawl::new();
    for (n, page) in pages.iter().enumerate() {
        crawl.page(&format!("https://posts.example/notes/{n:02}"), page);
    }
    let (folder, archive, out) = crawl.placed("posts.warc.gz");
    let own = folder.path().join("own.toml");
    let mut inputs = Vec::new();
    if let Some(configuration) = configuration {
        std::fs::write(&own, configuration).unwrap();
        inputs.push(own.as_path());
    }
    inputs.push(&archive);
    (run(&inputs, &out, &[]), folder)
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect()
}

#[test]
fn comments_are_a_field_of_their_own() {
    let comments = |n: usize| {
        let one = |k: usize| {
            let words = &prose::paragraphs(500 + 7 * n + k)[0];
            format!(
                "<li class=comment><p class=comment-author>Reader {k} wrote:</p><p>{words}</p></li>"
            )
        };
        let all: String = (0..4).map(one).collect();
        format!("</div><div id=comments class=comments-area><h3>4 comments</h3><ol>{all}</ol>")
    };
    let pages: Vec<String> = (0..8).map(|n| prose::post_with(n, "", &comments(n))).collect();
    let (results, _folder) = results(&pages, None);
    assert_eq!(results.articles.len(), 8);
    for article in &results.articles {
        let n: usize = text(article, "url").rsplit('/').next().unwrap().parse().unwrap();
        let own = text(article, "text");
        let comment = &prose::paragraphs(500 + 7 * n)[0];
        assert!(prose::paragraphs(n).iter().all(|p| own.contains(p.as_str())), "{own}");
        assert!(!own.contains(comment.as_str()), "a comment is in the text\n{own}");
        assert!(text(article, "comments").contains(comment.as_str()), "{article}");
    }
}

#[test]
fn an_article_that_its_page_has_twice_is_written_once() {
    let pages: Vec<String> = (0..8)
        .map(|n| {
            let copy =
                prose::paragraphs(n).iter().map(|p| format!("<p>{p}</p>")).collect::<String>();
            let copies = format!("<div class=narrow>{copy}</div><div class=wide>{copy}</div>");
            let title = prose::title(n);
            format!("<title>{title}</title><article><h1>{title}</h1>{copies}</article>")
        })
        .collect();
    let (results, _folder) = results(&pages, None);
    assert_eq!(results.articles.len(), 8);
    for article in &results.articles {
        let n: usize = text(article, "url").rsplit('/').next().unwrap().parse().unwrap();
        for paragraph in prose::paragraphs(n) {
            assert_eq!(text(article, "text").matches(paragraph.as_str()).count(), 1, "{article}");
        }
    }
}

#[test]
fn what_is_the_same_on_every_page_is_taken_out_of_the_article() {
    let notice = "<div class=support><p>Please support this site with a gift of any size, because \
                  nobody else pays for what you read here every week.</p></div>";
    let pages: Vec<String> = (0..8)
        .map(|n| {
            // Between the paragraphs, so that the article does not end before it.
            let page = prose::post(n);
            page.replacen("</p>\n<p>", &format!("</p>\n{notice}\n<p>"), 1)
        })
        .collect();
    let (results, _folder) = results(&pages, None);
    assert_eq!(results.articles.len(), 8);
    for article in &results.articles {
        let n: usize = text(article, "url").rsplit('/').next().unwrap().parse().unwrap();
        let own = text(article, "text");
        assert!(prose::paragraphs(n).iter().all(|p| own.contains(p.as_str())), "{own}");
        assert!(!own.contains("gift of any size"), "{own}");
        assert_eq!(article["route"], "wrapper");
        let paths = strings(&article["xpath"]).len() + strings(&article["prune"]).len();
        assert!((1..=6).contains(&paths), "{article}");
    }
}

#[test]
fn quality_has_the_share_of_paragraphs_that_siblings_have() {
    let words = "Twice a month we write down what readers ask us most, and answer it below as well as we can.";
    let page = |n: usize| match n % 4 {
        1 => prose::post(n).replacen("</p>\n<p>", &format!("</p>\n<p>{words}</p>\n<p>"), 1),
        _ => prose::post(n),
    };
    let (siblings, _folder) = results(&(0..8).map(page).collect::<Vec<_>>(), None);
    for (n, article) in siblings.articles.iter().enumerate() {
        let all = text(article, "text");
        let share = words.split(' ').count() as f64 / all.split_whitespace().count() as f64;
        let expected = if all.contains(words) { share } else { 0.0 };
        assert_eq!(all.contains(words), n % 4 == 1);
        let share = article["quality"]["boilerplate"].as_f64().unwrap();
        assert!((share - expected).abs() < 0.01, "{share}, expected {expected}");
    }
    let (lone, _folder) = results(&[page(1)], None);
    assert!(lone.articles[0]["quality"].get("boilerplate").is_none(), "there are no siblings");
}

#[test]
fn a_text_that_is_only_in_the_json_ld_is_taken_from_there() {
    let notice = "<p>Please enable scripts to read this page, and reload it when you have done so, or write to us for \
                  help with your browser.</p>";
    for shown in [notice, "", "<nav><a href=/>Home</a></nav>"] {
        only_in_json_ld(shown);
    }
}

fn only_in_json_ld(shown: &str) {
    let pages: Vec<String> = (0..3)
        .map(|n| {
            let body = prose::paragraphs(n).join(" ").repeat(2);
            let title = prose::title(n);
            format!(
                "<!doctype html><title>{title}</title><script type='application/ld+json'>\
                 {{\"@context\":\"https://schema.org\",\"@type\":\"NewsArticle\",\
                 \"headline\":\"{title}\",\"articleBody\":\"{body}\"}}</script>\
                 <body><div id=app></div>{shown}</body>"
            )
        })
        .collect();
    let (results, _folder) = results(&pages, None);
    assert_eq!(results.articles.len(), 3, "{:?}", results.urls());
    for article in &results.articles {
        assert_eq!(article["route"], "json-ld");
        assert!(text(article, "text").starts_with("The "), "{article}");
        assert!(strings(&article["xpath"]).is_empty());
    }
}

/// Comments whose names say nothing, after the only `article` element.
#[test]
fn what_follows_the_only_article_element_is_no_part_of_it() {
    let comments = |n: usize| -> String {
        let comment = |at: usize| {
            let words = &prose::paragraphs(600 + 10 * n + at)[0];
            format!(
                "<div class=x2><b>{}</b> <time>3 May 2026</time><p>{words}</p></div>",
                prose::title(at)
            )
        };
        (0..5).map(comment).collect()
    };
    let page = |n: usize| {
        let text = prose::paragraphs(n).join("</p><p>");
        let title = prose::title(n);
        format!(
            "<!doctype html><html lang=en><title>{title}</title><body><nav><a href=/>Home</a></nav>\
             <article><h1>{title}</h1><p>{text}</p></article><section class=x1><h3>5 of you</h3>{}</section></body>",
            comments(n)
        )
    };
    let (results, _folder) = results(&(0..8).map(page).collect::<Vec<_>>(), None);
    assert_eq!(results.articles.len(), 8);
    for article in &results.articles {
        let is_whole = (0..8).any(|n| text(article, "text").ends_with(&prose::text(n)));
        assert!(is_whole, "{article}");
    }
}

/// Readers see a declarative shadow root as the page's own content.
#[test]
fn texts_in_shadow_roots_are_read() {
    let in_shadow = |n: usize| {
        let post = prose::post(n);
        let (before, rest) = post.split_once("<h1>").unwrap();
        let (inside, after) = rest.split_once("<p class=foot>").unwrap();
        let shadow = "<x-post><template shadowrootmode=open><style>h1 { color: red }</style><h1>";
        format!("{before}{shadow}{inside}</template></x-post><p class=foot>{after}")
    };
    let (results, _folder) = results(&(0..4).map(in_shadow).collect::<Vec<_>>(), None);
    assert_eq!(results.articles.len(), 4);
    for n in 0..4 {
        let found = results.articles.iter().any(|own| text(own, "text").ends_with(&prose::text(n)));
        assert!(found, "{n}: {:?}", results.articles);
    }
    assert!(results.articles.iter().all(|article| article["route"] == "wrapper"));
}

#[test]
fn doubtful_articles_are_marked_and_kept() {
    let pages: Vec<String> = (0..4).map(prose::post).collect();
    let (sure, _folder) = results(&pages, None);
    assert!(sure.articles.iter().all(|a| a["doubtful"] == false));
    let (doubtful, _folder) = results(&pages, Some("[extract]\ndoubtful_below = 1.0\n"));
    assert_eq!(doubtful.articles.len(), sure.articles.len());
    assert!(doubtful.articles.iter().all(|a| a["doubtful"] == true));
}
