//! The site of a URL, and addresses for saved files without one.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use url::{Host, Url};

/// Characters that have another meaning in the path of an address.
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

/// The address of a saved page: its path in the folder that was named. Files without a folder belong to the
/// site `files`.
pub fn address_of_file(folder: &str, path: &str) -> String {
    let folder = if folder.is_empty() { "files" } else { folder };
    let [folder, path] = [folder, path].map(|part| utf8_percent_encode(part, NOT_IN_PATHS));
    format!("file:///{folder}/{path}")
}

/// The key of the site a URL belongs to: the registrable domain by the public suffix list (private suffixes
/// count, so `a.blogspot.com` and `b.blogspot.com` are two sites), the bare host if there is no suffix, the
/// address for IP addresses, the folder for files. `None` if there is none of these.
pub fn site_key(url: &str) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites() {
        let site = |u: &str| site_key(u).unwrap_or_default();
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
        assert_eq!(site_key(&address).unwrap(), "old blog");
        assert_eq!(site_key(&address_of_file("", "a.html")).unwrap(), "files");
        assert_eq!(site_key(&address_of_file("..%2fup", "a.html")).unwrap(), "..%2fup");
    }
}
