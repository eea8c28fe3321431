//! Articles as Markdown.

use url::Url;

use model::Article;

use crate::fragment::{body, parsed};
use crate::{byline, fragment, heading};

/// The article as Markdown: headline, byline, body and address, with a line break at the end.
pub fn markdown(text: &Article) -> String {
    let plain = dom::markdown_of_text;
    let mut parts = vec![format!("# {}", plain(heading(text)))];
    let byline = byline(text);
    if !byline.is_empty() {
        parts.push(plain(&byline));
    }
    match Url::parse(&text.url) {
        Ok(base) => {
            let document = parsed(&fragment(text));
            parts.push(dom::markdown_of(&document, &[body(&document)], &[], &base));
            parts.push(format!("<{base}>"));
        }
        Err(_) => parts.push(plain(&text.text)),
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n") + "\n"
}
