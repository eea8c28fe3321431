/*!
Defines what is known of an article besides its text.
*/

mod authors;
mod date_text;
mod dates;
mod evidence;
mod heading;
mod json_ld;
mod json_ld_article;
mod lines;
mod links;
mod moment;
mod months;
mod names;
mod scan;
mod site;
mod summary;
mod text;
mod title;

use jiff::Timestamp;
use model::{FeedItem, Metadata};

use crate::evidence::Evidence;

pub use json_ld_article::{JsonLdArticle, json_ld_article, page_types};

/// A page and what is known of it.
#[derive(Clone, Copy)]
pub struct PageContext<'a> {
    /// The parsed page.
    pub document: &'a dom::Document,
    /// Its address.
    pub url: &'a str,
    /// When it was fetched: no date after it is believed.
    pub fetched: Option<Timestamp>,
    /// Feed items that point to it.
    pub feed_items: &'a [&'a FeedItem],
    /// Nodes of the extracted body, in any order; may be empty.
    pub body: Option<&'a [dom::NodeId]>,
    /// Language detected from the body's text (BCP 47).
    pub text_language: Option<&'a str>,
    /// The body's text.
    pub body_text: &'a str,
}

/// What is known of an article besides its text. Linear in the size of the page.
pub fn metadata(page: &PageContext<'_>) -> Metadata {
    let evidence = Evidence::new(page);
    let language = summary::language(&evidence);
    let tag = language.as_ref().map(|l| l.value.as_str());
    let published = dates::published(&evidence, tag);
    let modified = dates::modified(&evidence, tag, published.as_ref().map(|p| p.value.as_str()));
    Metadata {
        title: title::title(&evidence),
        authors: authors::authors(&evidence),
        published,
        modified,
        language,
        description: summary::description(&evidence),
        image: summary::image(&evidence),
        tags: summary::tags(&evidence),
        canonical: links::canonical(&evidence),
        site_name: site::site_name(&evidence),
    }
}
