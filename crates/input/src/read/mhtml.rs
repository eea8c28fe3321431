//! Pages that browsers save as MHTML (RFC 2557): the page is a part of a MIME message, together with its images
//! and styles.

use jiff::Timestamp;
use mailparse::{MailHeaderMap, ParsedMail, dateparse, parse_mail};
use memchr::memmem;
use model::Origin;
use url::Url;

use super::reading::{FileReading, Media};

/// Maximum size of the header of the message, in bytes.
const HEAD: usize = 16 << 10;

struct SavedPage {
    html: Vec<u8>,
    /// Address of the page, if it is a web address.
    url: Option<String>,
    fetched: Option<Timestamp>,
    media: Media,
}

impl FileReading<'_, '_> {
    /// Passes on a saved page, HTML or MHTML. Its address is `url` unless it contains another one.
    pub(super) fn saved_page(&mut self, url: String, origin: Origin, bytes: Vec<u8>) {
        self.contained(&url.clone(), origin.clone(), |reading| match saved_page(&bytes) {
            Some(page) => {
                let url = page.url.unwrap_or(url);
                reading.page(url, page.fetched, origin, page.html, &page.media);
            }
            None => reading.page(url, None, origin, bytes, &Media::default()),
        });
    }
}

/// Whether bytes are a multipart MIME message.
fn is_mhtml(bytes: &[u8]) -> bool {
    let head = bytes[..bytes.len().min(HEAD)].to_ascii_lowercase();
    let head =
        &head[..memmem::find(&head, b"\n\r\n").or(memmem::find(&head, b"\n\n")).unwrap_or(0)];
    memmem::find(head, b"mime-version:").is_some() && memmem::find(head, b"multipart/").is_some()
}

/// The page in an MHTML file: the root part (RFC 2387 §3.2), or the first part that is HTML. `None` for
/// anything else.
fn saved_page(bytes: &[u8]) -> Option<SavedPage> {
    let message = is_mhtml(bytes).then(|| parse_mail(bytes).ok())??;
    let is_html = |part: &&ParsedMail<'_>| {
        matches!(&*part.ctype.mimetype, "text/html" | "application/xhtml+xml")
    };
    let root = message.ctype.params.get("start");
    let is_root = |part: &&ParsedMail<'_>| {
        root.is_some() && part.headers.get_first_value("Content-ID").as_ref() == root
    };
    let page = message.parts().filter(is_html).find(is_root);
    let page = page.or_else(|| message.parts().find(is_html))?;
    let of_web = |address: String| {
        let url = Url::parse(address.trim()).ok()?;
        (matches!(url.scheme(), "http" | "https") && url.has_host()).then(|| url.into())
    };
    let url = message
        .headers
        .get_first_value("Snapshot-Content-Location")
        .and_then(of_web)
        .or_else(|| page.headers.get_first_value("Content-Location").and_then(of_web));
    let date = message.headers.get_first_value("Date");
    let fetched = date.and_then(|date| Timestamp::from_second(dateparse(&date).ok()?).ok());
    let charset = page.ctype.params.get("charset");
    let content_type = charset.map(|charset| format!("text/html; charset={charset}"));
    let media = Media { content_type, ..Media::default() };
    Some(SavedPage { html: page.get_body_raw().ok()?, url, fetched, media })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAVED: &str = "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://e.org/news/1\r\n\
        Subject: News\r\nDate: Mon, 2 Nov 2026 10:00:00 -0000\r\nMIME-Version: 1.0\r\n\
        Content-Type: multipart/related;\r\n\ttype=\"text/html\";\r\n\tboundary=\"--b\"\r\n\r\n\r\n\
        ----b\r\nContent-Type: text/html\r\nContent-ID: <frame-1@mhtml.blink>\r\n\
        Content-Transfer-Encoding: quoted-printable\r\nContent-Location: https://e.org/news/1\r\n\r\n\
        <meta charset=3D\"utf-8\"><p>Caf=C3=A9 =\r\nopens\r\n----b\r\nContent-Type: image/png\r\n\
        Content-Transfer-Encoding: base64\r\nContent-Location: https://e.org/a.png\r\n\r\niVBORw0K\r\n\
        ----b--\r\n";

    #[test]
    fn what_a_browser_saves() {
        let page = saved_page(SAVED.as_bytes()).unwrap();
        assert_eq!(
            String::from_utf8(page.html).unwrap().trim(),
            "<meta charset=\"utf-8\"><p>Café opens"
        );
        assert_eq!(page.url.as_deref(), Some("https://e.org/news/1"));
        assert_eq!(page.fetched.unwrap().to_string(), "2026-11-02T10:00:00Z");
    }

    #[test]
    fn the_root_part_is_the_page() {
        let saved = SAVED.replace("type=\"text/html\"", "start=\"<frame-1@mhtml.blink>\"").replace(
            "\r\n\r\n\r\n----b",
            "\r\n\r\n----b\r\nContent-Type: text/html\r\n\r\n<p>a frame\r\n----b",
        );
        let page = saved_page(saved.as_bytes()).unwrap();
        assert!(String::from_utf8(page.html).unwrap().contains("Café"));
    }

    #[test]
    fn anything_else() {
        for bytes in
            [&b""[..], b"<html>", b"MIME-Version: 1.0\n\nmultipart/", &SAVED.as_bytes()[..120]]
        {
            assert!(saved_page(bytes).is_none());
        }
        let without = SAVED.replace("text/html", "text/plain");
        assert!(saved_page(without.as_bytes()).is_none());
    }
}
