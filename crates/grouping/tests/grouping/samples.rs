//! Pages and feed items for tests.

use model::{Charset, CharsetEvidence, FeedItem, Origin, Overruled, Page};

/// A page of this address and HTML.
pub(crate) fn page(url: &str, html: &str) -> Page {
    Page {
        url: url.to_owned(),
        site: String::new(),
        fetched: None,
        origin: Origin { file: "a".into(), offset: 0, record_id: String::new(), truncated: None },
        charset: Charset {
            name: "UTF-8",
            evidence: CharsetEvidence::ValidUtf8,
            overruled: Overruled::default(),
        },
        notes: None,
        html: html.into(),
    }
}

/// A feed item with this link and title.
pub(crate) fn feed_item(link: &str, title: &str) -> FeedItem {
    FeedItem { link: link.to_owned(), title: title.to_owned(), ..FeedItem::default() }
}
