//! Addresses as indexes of web archives sort them, with the labels of the host reversed (SURT), in
//! the canonical form used by pywb and the Wayback Machine.

use std::fmt::Write;

use percent_encoding::percent_decode;
use url::{Host, Url};

/// The key of an address in a CDX index: `org,example)/news?a=1&b=2` for
/// `https://www.Example.org/News/?b=2&a=1#top`. Scheme, user, `www.`, default port, fragment,
/// session ids and a trailing slash of the path are removed; the rest is lower-case, with the
/// parameters sorted. An address that is not a web address is returned unchanged.
pub fn surt(address: &str) -> String {
    let Ok(url) = Url::parse(address.trim()) else { return address.to_owned() };
    if !matches!(url.scheme(), "http" | "https" | "ftp") {
        return address.to_owned();
    }
    let mut key = match url.host() {
        Some(Host::Domain(host)) => reverse_labels(without_www(host.trim_end_matches('.'))),
        Some(Host::Ipv4(address)) => reverse_labels(&address.to_string()),
        Some(Host::Ipv6(address)) => address.to_string(),
        None => return address.to_owned(),
    };
    if let Some(port) = url.port() {
        // Writing to a string does not fail.
        let _ = write!(key, ":{port}");
    }
    key.push(')');
    let path = normalize(url.path()).to_ascii_lowercase();
    // Empty segments are removed, and with them a trailing slash; so is an ASP.NET session.
    let segments = path.split('/').filter(|s| !s.is_empty() && !is_aspnet_session(s));
    key.push('/');
    key.push_str(&segments.collect::<Vec<_>>().join("/"));
    let query = normalize(url.query().unwrap_or_default()).to_ascii_lowercase();
    let mut parameters: Vec<&str> = query.split('&').filter(|pair| !is_session(pair)).collect();
    if query.rsplit('&').next().is_some_and(is_session) && !parameters.is_empty() {
        // Like other tools, which remove a parameter and leave the separator before it.
        parameters.push("");
    }
    // By name, then by value, as if `=` sorted lowest.
    parameters.sort_by_key(|pair| pair.split_once('=').map_or((*pair, ""), |(n, v)| (n, v)));
    let query = parameters.join("&");
    if !query.is_empty() {
        key.push('?');
        key.push_str(&query);
    }
    key
}

fn reverse_labels(host: &str) -> String {
    host.rsplit('.').collect::<Vec<_>>().join(",")
}

/// A host without `www.`, `www2.` and the like before a name.
fn without_www(host: &str) -> &str {
    let Some(rest) = host.strip_prefix("www") else { return host };
    match rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('.') {
        Some(rest) if !rest.is_empty() => rest,
        _ => host,
    }
}

/// Percent-decodes as far as possible, then encodes again where necessary.
fn normalize(part: &str) -> String {
    let mut bytes = part.as_bytes().to_vec();
    // A doubly encoded address names the same page. The limit bounds the time for hostile
    // addresses.
    for _ in 0..8 {
        let decoded: Vec<u8> = percent_decode(&bytes).collect();
        if decoded == bytes {
            break;
        }
        bytes = decoded;
    }
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte <= b' ' || byte >= 0x7f || byte == b'#' || byte == b'%' {
            let _ = write!(out, "%{byte:02x}");
        } else {
            out.push(char::from(byte));
        }
    }
    out
}

/// Whether a segment is `(S(…))`.
fn is_aspnet_session(segment: &str) -> bool {
    let inner = segment.strip_prefix('(').and_then(|s| s.strip_suffix(')'));
    inner.is_some_and(|inner| {
        let token = inner.strip_prefix("s(").and_then(|s| s.strip_suffix(')')).unwrap_or(inner);
        is_token(token, 24)
    })
}

fn is_token(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

fn is_session(pair: &str) -> bool {
    let Some((name, value)) = pair.split_once('=') else { return false };
    match name {
        "jsessionid" | "phpsessid" | "sid" => is_token(value, 32),
        "aspsessionid" | "cfid" | "cftoken" => true,
        _ => name.starts_with("aspsessionid") && value.len() == 24,
    }
}

#[cfg(test)]
mod tests {
    use super::surt;

    #[test]
    fn keys() {
        for (address, expected) in [
            ("https://www.Example.org/News/?b=2&a=1#top", "org,example)/news?a=1&b=2"),
            ("http://example.org", "org,example)/"),
            ("http://example.org:8080/a//", "org,example:8080)/a"),
            ("https://example.org:443/?", "org,example)/"),
            ("http://www2.example.co.uk/x.html", "uk,co,example)/x.html"),
            ("http://192.168.0.1/x", "1,0,168,192)/x"),
            ("http://user:pass@example.org/", "org,example)/"),
            ("http://example.org/a%C3%A9%20b", "org,example)/a%c3%a9%20b"),
            (
                "http://example.org/?PHPSESSID=0123456789abcdefabcd0123456789ab&x=1",
                "org,example)/?x=1",
            ),
            ("file:///a/b", "file:///a/b"),
        ] {
            assert_eq!(surt(address), expected, "{address}");
        }
    }
}
