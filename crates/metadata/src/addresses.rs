//! Addresses: absolute and comparable.

use url::Url;

/// An absolute http(s) address, resolved against `base`, without fragment.
pub(crate) fn absolute(base: Option<&Url>, href: &str) -> Option<String> {
    let href = href.trim();
    if href.is_empty() || href.len() > 4_000 {
        return None;
    }
    let mut url = match base {
        Some(base) => base.join(href).ok()?,
        None => Url::parse(href).ok()?,
    };
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return None;
    }
    url.set_fragment(None);
    Some(url.into())
}

/// Host without `www.` and path without its last slash, then the query.
pub(crate) fn key(url: &str) -> (&str, &str, &str) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or(rest);
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, path) = place.split_once('/').unwrap_or((place, ""));
    (host.strip_prefix("www.").unwrap_or(host), path.trim_end_matches('/'), query)
}

/// Whether two addresses name the same page, scheme, `www.`, last slash and fragment aside;
/// a query counts only if both have one.
pub(crate) fn same_page(a: &str, b: &str) -> bool {
    let ((host_a, path_a, query_a), (host_b, path_b, query_b)) = (key(a), key(b));
    host_a.eq_ignore_ascii_case(host_b)
        && path_a == path_b
        && (query_a == query_b || query_a.is_empty() || query_b.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_compared_by_what_they_name() {
        assert!(same_page("http://www.example.org/a/", "https://example.org/a#top"));
        assert!(same_page("http://example.org/a?utm=1", "http://example.org/a"));
        assert!(!same_page("http://example.org/?p=1", "http://example.org/?p=2"));
        assert!(!same_page("http://example.org/a", "http://example.org/b"));
    }

    #[test]
    fn only_http_addresses_come_out() {
        let base = Url::parse("http://example.org/a/b").ok();
        assert_eq!(absolute(base.as_ref(), "../c#d").as_deref(), Some("http://example.org/c"));
        assert_eq!(absolute(base.as_ref(), "data:image/png;base64,AA"), None);
        assert_eq!(absolute(base.as_ref(), "javascript:x()"), None);
    }
}
