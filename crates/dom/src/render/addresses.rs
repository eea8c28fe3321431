//! Addresses of links and pictures.

use html5ever::local_name;
use url::Url;

use crate::Element;

/// The target of a link, if its scheme is allowed.
pub(super) fn link_target(element: Element<'_>, base: &Url) -> Option<String> {
    let url = absolute(element.attribute(&local_name!("href"))?, base)?;
    let stays = matches!(url.scheme(), "http" | "https" | "ftp" | "mailto" | "tel");
    stays.then(|| url.into())
}

/// The address of a picture on the web.
pub(super) fn picture(element: Element<'_>, base: &Url) -> Option<String> {
    let url = absolute(element.attribute(&local_name!("src"))?, base)?;
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}

fn absolute(link: &str, base: &Url) -> Option<Url> {
    let link = link.trim();
    (!link.is_empty()).then(|| base.join(link).ok()).flatten()
}
