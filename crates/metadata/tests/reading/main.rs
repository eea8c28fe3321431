//! The metadata of pages, as HTML.

use model::Metadata;
use sitegrove_metadata::{PageContext, metadata};

mod disagreeing;
mod pages;
mod seen;

const FILLER: &str = "<p>Pears ripened early this year, and growers said that the frost had done little harm to them.";

fn context<'a>(document: &'a dom::Document, url: &'a str) -> PageContext<'a> {
    let fetched = "2020-06-01T00:00:00Z".parse().ok();
    PageContext { fetched, ..PageContext::new(document, url) }
}

fn page(document: &dom::Document) -> PageContext<'_> {
    context(document, "https://www.orchard-post.example/pears")
}

fn read(html: &str) -> Metadata {
    metadata(&page(&dom::parse(html)))
}

#[track_caller]
fn published(html: &str, expected: &str) {
    let found = read(html).published.map(|field| field.value);
    assert_eq!(found.as_deref(), Some(expected).filter(|e| !e.is_empty()));
}

#[track_caller]
fn title(html: &str, expected: &str) {
    let found = read(html).title.map(|field| field.value);
    assert_eq!(found.as_deref(), Some(expected).filter(|e| !e.is_empty()));
}

#[track_caller]
fn authors(html: &str, expected: &[&str]) {
    let found = read(html).authors.map(|field| field.value).unwrap_or_default();
    assert_eq!(found, expected);
}
