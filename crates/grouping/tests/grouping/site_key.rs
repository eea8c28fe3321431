//! The site of an address.

use sitegrove_grouping::{address_of_file, site_key};
use url::Url;

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
