//! Addresses in attributes.

use dom::{Element, local_name};
use url::Url;

/// The absolute form of an address.
pub(crate) fn absolute(link: &str, base: &Url) -> Option<Url> {
    let link = link.trim();
    (!link.is_empty()).then(|| base.join(link).ok()).flatten()
}

/// The absolute form of the address of something on the web.
pub(crate) fn on_the_web(link: &str, base: &Url) -> Option<Url> {
    absolute(link, base).filter(|url| matches!(url.scheme(), "http" | "https"))
}

/// The target of a link, if its scheme is allowed.
pub(crate) fn link_target(element: Element<'_>, base: &Url) -> Option<Url> {
    let url = absolute(element.attribute(&local_name!("href"))?, base)?;
    matches!(url.scheme(), "http" | "https" | "ftp" | "mailto" | "tel").then_some(url)
}

/// The value of the first of these attributes that the element has and that is not empty. Names are compared as text:
/// interning those of lazy loading for every picture would cost more.
pub(crate) fn first_of<'a>(element: Element<'a>, names: &[&str]) -> Option<&'a str> {
    let value =
        |name: &&str| element.attributes().find(|(n, _)| ***n == **name).map(|a| a.1.trim());
    names.iter().find_map(|name| value(name).filter(|value| !value.is_empty()))
}

/// A length in pixels: the digits that an attribute begins with.
pub(crate) fn pixels(element: Element<'_>, name: &str) -> Option<u32> {
    let value = first_of(element, &[name])?;
    let value = value.trim().trim_end_matches("px");
    value
        .parse::<f64>()
        .ok()
        .filter(|pixels| (1.0..100_000.0).contains(pixels))
        .map(|pixels| pixels as u32)
}
