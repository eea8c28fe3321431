//! An article as an HTML page: its fragment with a head that says what it is.

use std::fmt::Write as _;

use model::Article;
use terms::is_right_to_left;

/// The page with this fragment as its body. Its language and direction are declared, and the head has title, authors, dates,
/// description and canonical address, as far as they are known. What is between `<body>` and `</body>` is the fragment.
pub fn html_page(article: &Article, fragment: &str) -> String {
    let value = |field: &Option<String>| field.as_deref().map(escaped);
    let mut page = String::with_capacity(fragment.len() + 1_024);
    page.push_str("<!doctype html>\n<html");
    if let Some(language) = value(&article.language) {
        let _ = write!(page, " lang=\"{language}\"");
    }
    if is_right_to_left(&article.text) {
        page.push_str(" dir=\"rtl\"");
    }
    let title = value(&article.title).unwrap_or_else(|| escaped(&article.url));
    let _ = write!(page, ">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n");
    for author in &article.authors {
        let _ = writeln!(page, "<meta name=\"author\" content=\"{}\">", escaped(author));
    }
    let metas = [
        ("property", "article:published_time", value(&article.published)),
        ("property", "article:modified_time", value(&article.modified)),
        ("name", "description", value(&article.description)),
        ("property", "og:site_name", value(&article.site_name)),
    ];
    for (kind, name, content) in metas {
        if let Some(content) = content {
            let _ = writeln!(page, "<meta {kind}=\"{name}\" content=\"{content}\">");
        }
    }
    let canonical = value(&article.canonical).unwrap_or_else(|| escaped(&article.url));
    let _ = write!(
        page,
        "<link rel=\"canonical\" href=\"{canonical}\">\n</head>\n<body>{fragment}</body>\n</html>\n"
    );
    page
}

/// The fragment in a page that [`html_page`] made.
pub fn fragment_of(page: &str) -> &str {
    let body = page.split_once("<body>").map_or("", |parts| parts.1);
    body.strip_suffix("</body>\n</html>\n").unwrap_or(body)
}

/// Text that has no markup, also within quotes.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
