//! An article as one HTML page, to be read and printed.

use std::borrow::Cow;
use std::fmt::Write as _;

use askama::Template;
use data_encoding::BASE64;
use model::Article;
use terms::is_right_to_left;

use crate::xhtml::{escaped, write_below};
use crate::{
    PictureFiles, attribute, body, byline, finish, fragment, heading, is, parsed, picture,
};

/// The style sheet, for screens of any size and for print.
const STYLE: &str = include_str!("../templates/page.css");

#[derive(Template)]
#[template(path = "page.html")]
struct ArticlePage<'a> {
    article: &'a Article,
    is_rtl: bool,
    byline: String,
    body: String,
}

/// Writes the article as one page. Pictures with a file in `pictures` are embedded; others keep their addresses.
pub fn to_html(article: &Article, pictures: &PictureFiles) -> String {
    let (is_rtl, byline) = (is_right_to_left(&article.text), byline(article));
    let page = ArticlePage { article, is_rtl, byline, body: body_of(article, pictures) };
    finish(&page)
}

/// The summary, unless it is long or repeats a part of the text, as summaries of feeds often do.
fn standfirst(article: &Article) -> Option<&str> {
    let summary = article.description.as_deref().filter(|summary| summary.len() <= 400)?;
    let repeats = article.text.contains(summary.trim_end_matches(['…', '.']));
    (!repeats).then_some(summary)
}

/// The fragment with embedded pictures.
fn body_of(article: &Article, pictures: &PictureFiles) -> String {
    let html = fragment(article);
    let document = parsed(&html);
    let mut out = String::with_capacity(html.len());
    write_below(&document, body(&document), &mut out, |id, element, out| {
        let own = is(&document, id, "img").then(|| picture(&document, id, pictures)).flatten();
        let _ = write!(out, "<{}", element.name);
        for (name, value) in element.attributes() {
            let value: Cow<'_, str> = match (&**name, &own) {
                ("srcset", Some(_)) => continue,
                ("src", Some((_, picture))) => {
                    format!("data:{};base64,{}", picture.media_type, BASE64.encode(&picture.bytes))
                        .into()
                }
                _ => value.into(),
            };
            let _ = write!(out, " {name}=\"{}\"", escaped(&value));
        }
        if is(&document, id, "img") && attribute(&document, id, "loading").is_none() {
            out.push_str(" loading=\"lazy\"");
        }
        if is(&document, id, "details") && attribute(&document, id, "open").is_none() {
            // Opened, because closed content is not printed.
            out.push_str(" open=\"\"");
        }
        out.push('>');
        if is(&document, id, "pre") {
            // Parsers ignore a line feed directly after the tag: this one protects a line feed of the text.
            out.push('\n');
        }
        let mut close = format!("</{}>", element.name);
        if matches!(&**element.name, "video" | "audio") {
            let source = attribute(&document, id, "src").unwrap_or_default();
            let shown = attribute(&document, id, "title").map(|title| format!("{title}: "));
            let shown = escaped(&format!("{}{source}", shown.unwrap_or_default()));
            let _ = write!(close, "<span class=\"on-paper\">{shown}</span>");
        }
        (!dom::is_void(element.name)).then_some(close)
    });
    out
}
