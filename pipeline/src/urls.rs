//! Comparing URLs: which site they belong to, and whether two name the same page.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use url::{Host, Url};

use crate::address::Address;

/// What would mean something else in the path of an address.
const NOT_IN_PATHS: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'\\')
    .add(b'`')
    .add(b'{')
    .add(b'}');

/// The address of a page by itself: its path in a folder that was named. Files without one (named
/// from within their folder) belong together as `files`.
pub fn address_of_file(folder: &str, path: &str) -> String {
    let folder = if folder.is_empty() { "files" } else { folder };
    let [folder, path] = [folder, path].map(|part| utf8_percent_encode(part, NOT_IN_PATHS));
    format!("file:///{folder}/{path}")
}

/// The site a URL belongs to: the registrable domain by the public suffix list (private suffixes
/// count, so `a.blogspot.com` and `b.blogspot.com` are two sites), the bare host where there is no
/// suffix, the address for IP addresses, the folder for files. `None` if there is none of these.
pub fn site_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    if url.scheme() == "file" {
        let folder = url.path_segments()?.next().unwrap_or_default();
        let folder = percent_decode_str(folder).decode_utf8_lossy().into_owned();
        return Some(if folder.is_empty() { "files".to_owned() } else { folder });
    }
    match url.host()? {
        Host::Domain(host) => {
            let host = host.trim_end_matches('.');
            let domain = psl::domain(host.as_bytes()).map(|d| d.as_bytes());
            let domain = domain.and_then(|d| std::str::from_utf8(d).ok()).unwrap_or(host);
            (!domain.is_empty()).then(|| domain.to_lowercase())
        }
        address => Some(address.to_string()),
    }
}

/// Query parameters that mostly do not change what a page shows.
#[derive(Clone, Debug)]
pub struct Tracking {
    exact: Vec<String>,
    prefixes: Vec<String>,
}

impl Tracking {
    /// Takes names, lower-case; a trailing `*` stands for any ending.
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
    /// percent-encoding and case of the host normalised; parameters in order, those of tracking apart.
    /// `None` for what is no URL with a host.
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
    fn sites() {
        let site = |u: &str| site_of(u).unwrap_or_default();
        assert_eq!(site("https://www.news.example.co.uk/a"), "example.co.uk");
        assert_eq!(site("http://a.blogspot.com/1"), "a.blogspot.com");
        assert_eq!(site("http://x.harbour.example:8080/"), "harbour.example");
        assert_eq!(site("http://localhost/"), "localhost");
        assert_eq!(site("http://[::1]/x"), "[::1]");
        assert_eq!(site("http://192.168.0.1/x"), "192.168.0.1");
        assert_eq!(site("file:///blog/2024/x.html"), "blog");
        assert_eq!(site("nonsense"), "");
    }

    #[test]
    fn files_have_addresses_of_their_own() {
        let address = address_of_file("old blog", "2009/no #1?.html");
        assert_eq!(address, "file:///old%20blog/2009/no%20%231%3F.html");
        assert_eq!(Url::parse(&address).unwrap().as_str(), address);
        assert_eq!(site_of(&address).unwrap(), "old blog");
        assert_eq!(site_of(&address_of_file("", "a.html")).unwrap(), "files");
        assert_eq!(site_of(&address_of_file("..%2fup", "a.html")).unwrap(), "..%2fup");
    }

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
