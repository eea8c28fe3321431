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

/// Makes the address of a saved page from its path in the given folder. Files without a folder belong to the site
/// `files`.
pub fn address_of_file(folder: &str, path: &str) -> String {
    let folder = if folder.is_empty() { "files" } else { folder };
    let [folder, path] = [folder, path].map(|part| utf8_percent_encode(part, NOT_IN_PATHS));
    format!("file:///{folder}/{path}")
}

/// Returns the key of the site that a URL belongs to: the registrable domain by the public suffix list (private suffixes
/// count, so `a.blogspot.com` and `b.blogspot.com` are two sites), the bare host if there is no suffix, the address for
/// IP addresses, the folder for files. `None` if the URL has none of these.
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
