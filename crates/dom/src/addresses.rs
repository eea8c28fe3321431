//! Resolves addresses in attributes.

use html5ever::local_name;
use url::Url;

use crate::Element;

/// Resolves an address against `base`; `None` if it is empty or invalid.
pub fn absolute_url(link: &str, base: &Url) -> Option<Url> {
    let link = link.trim();
    (!link.is_empty()).then(|| base.join(link).ok()).flatten()
}

/// Resolves an address; `None` unless its scheme is `http` or `https`.
pub fn web_url(link: &str, base: &Url) -> Option<Url> {
    absolute_url(link, base).filter(|url| matches!(url.scheme(), "http" | "https"))
}

/// Returns the target of a link if its scheme is safe to follow: `http`, `https`, `ftp`, `mailto`, `tel`.
pub fn link_target(element: Element<'_>, base: &Url) -> Option<Url> {
    let url = absolute_url(element.attribute(&local_name!("href"))?, base)?;
    matches!(url.scheme(), "http" | "https" | "ftp" | "mailto" | "tel").then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_allowed_schemes_only() {
        let base = Url::parse("https://a.example/b/").unwrap();
        for (link, target, on_the_web) in [
            ("c", true, true),
            (" //x.example/y ", true, true),
            ("mailto:a@b.example", true, false),
            ("tel:1", true, false),
            ("ftp://a.example/", true, false),
            ("javascript:x()", false, false),
            ("data:text/html,x", false, false),
            ("", false, false),
        ] {
            let page = crate::parse(&format!("<a href='{link}'>x</a>"));
            let a = page.ids().find(|&id| page.is(id, &local_name!("a"))).unwrap();
            assert_eq!(link_target(page.element(a).unwrap(), &base).is_some(), target, "{link}");
            assert_eq!(web_url(link, &base).is_some(), on_the_web, "{link}");
        }
    }
}
