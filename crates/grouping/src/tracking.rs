//! Normalises URLs, with tracking parameters separated from the others.

use percent_encoding::percent_decode_str;
use url::Url;

use crate::address::Address;

/// Query parameters that usually do not change the content of a page.
#[derive(Clone, Debug)]
pub struct Tracking {
    exact: Vec<String>,
    prefixes: Vec<String>,
}

impl Tracking {
    /// Builds the list from names in lower case; a trailing `*` matches any ending.
    pub fn new(names: &[String]) -> Self {
        let (mut exact, mut prefixes) = (Vec::new(), Vec::new());
        for name in names {
            match name.strip_suffix('*') {
                Some(prefix) => prefixes.push(prefix.to_lowercase()),
                None => exact.push(name.to_lowercase()),
            }
        }
        Self { exact, prefixes }
    }

    fn is_tracking(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.exact.contains(&name) || self.prefixes.iter().any(|p| name.starts_with(p.as_str()))
    }

    /// The parts of an address: without scheme, `www.`, default port, fragment and trailing slash;
    /// percent-encoding and case of the host normalised; parameters in order, tracking parameters separate.
    /// `None` if it is no URL with a host.
    pub fn address(&self, url: &str) -> Option<Address> {
        let url = Url::parse(url.trim()).ok()?;
        if url.scheme() == "file" {
            return Some(Address { key: url.path().to_owned(), tracked: Vec::new() });
        }
        let host = url.host_str()?.trim_end_matches('.');
        let mut key = host.strip_prefix("www.").unwrap_or(host).to_owned();
        if let Some(port) = url.port() {
            key.push_str(&format!(":{port}"));
        }
        let path = percent_decode_str(url.path()).decode_utf8_lossy();
        key.push_str(path.trim_end_matches('/'));
        let pairs = url.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        let (mut query, mut tracked) = (Vec::new(), Vec::new());
        for pair in pairs {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if self.is_tracking(name) {
                tracked.push(format!("{}={value}", name.to_lowercase()));
            } else {
                query.push(pair);
            }
        }
        query.sort_unstable();
        if !query.is_empty() {
            key.push('?');
            key.push_str(&query.join("&"));
        }
        tracked.sort_unstable();
        tracked.dedup();
        Some(Address { key, tracked })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_pages_have_the_same_key() {
        let tracking = Tracking::new(&["utm_*".into(), "fbclid".into()]);
        let key = |u: &str| tracking.address(u).unwrap().key;
        let plain = key("https://example.org/a%C3%A9/b");
        for same in [
            "http://www.example.org/a%c3%a9/b/",
            "http://EXAMPLE.org:80/aé/b#top",
            "https://example.org/aé/b?utm_source=rss&UTM_Medium=x&fbclid=1",
        ] {
            assert_eq!(key(same), plain, "{same}");
        }
        assert_eq!(key("http://e.org/?b=2&a=1"), key("http://www.e.org?a=1&b=2"));
        assert_ne!(key("http://e.org/?id=1"), key("http://e.org/?id=2"));
        assert_ne!(key("http://e.org:8080/"), key("http://e.org/"));
        let tracked = |u: &str| tracking.address(u).unwrap().tracked;
        assert_eq!(tracked("http://e.org/?UTM_x=B&id=1&fbclid&UTM_x=B"), ["fbclid=", "utm_x=B"]);
    }
}
