//! Reads the heads of ARC records: one line of fields separated by spaces.
//!
//! Version 1 is `URL IP date type length`; version 2 has five more fields before the length. The
//! URL may contain spaces, so fields are counted from the right.

use crate::date;
use crate::{Headers, RecordKind};

/// The fields of the head of an ARC record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ArcHead {
    pub(crate) kind: RecordKind,
    pub(crate) url: String,
    pub(crate) date: Option<jiff::Timestamp>,
    /// `None` if it is not a number; some writers write -1.
    pub(crate) length: Option<u64>,
    pub(crate) headers: Headers,
}

/// Whether a line (without its line feed) is the head of an ARC record.
pub(crate) fn is_head(line: &[u8]) -> bool {
    fields(line).is_some()
}

/// Reads a head line.
pub(crate) fn head(line: &[u8]) -> Option<ArcHead> {
    let Fields { url, ip, date, media_type, length } = fields(line)?;
    let url = String::from_utf8_lossy(url).trim().to_owned();
    let scheme = url.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let kind = match scheme.as_str() {
        "http" | "https" => RecordKind::Response,
        "filedesc" => RecordKind::Warcinfo,
        _ => RecordKind::Other,
    };
    let mut headers = Headers::default();
    for (name, value) in [("IP-Address", ip), ("Archive-Date", date), ("Content-Type", media_type)]
    {
        headers.push(name.to_owned(), String::from_utf8_lossy(value).into_owned());
    }
    let date = date::parse(&String::from_utf8_lossy(date));
    Some(ArcHead { kind, url, date, length, headers })
}

struct Fields<'a> {
    url: &'a [u8],
    ip: &'a [u8],
    date: &'a [u8],
    media_type: &'a [u8],
    length: Option<u64>,
}

fn fields(line: &[u8]) -> Option<Fields<'_>> {
    let line = line.trim_ascii_end();
    let length = line.rsplit(|byte| *byte == b' ').next()?;
    let length = std::str::from_utf8(length).ok()?.parse().ok();
    // Version 1 has two fields between date and length, version 2 has seven.
    [1, 6].into_iter().find_map(|between| {
        let mut parts = line.rsplitn(between + 4, |byte| *byte == b' ').skip(between);
        let media_type = parts.next()?;
        let (date, ip, url) = (parts.next()?, parts.next()?, parts.next()?);
        // Either the date or the length may be unreadable, but not both.
        let dated = (8..=20).contains(&date.len()) && date.iter().all(u8::is_ascii_digit);
        let placed = ip.iter().all(|byte| byte.is_ascii_hexdigit() || b".:".contains(byte))
            && ip.iter().any(|byte| b".:".contains(byte));
        let named = url.iter().position(|byte| *byte == b':').is_some_and(|colon| {
            colon > 1
                && url[..colon].iter().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b))
        });
        let is_head = named && (dated && length.is_some() || placed && (dated || length.is_some()));
        is_head.then_some(Fields { url, ip, date, media_type, length })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_and_urls_with_spaces() {
        let one = head(b"http://a.org/x y 1.2.3.4 20080430204825 text/html 12").unwrap();
        assert_eq!((one.url.as_str(), one.length), ("http://a.org/x y", Some(12)));
        assert_eq!(one.date.unwrap().to_string(), "2008-04-30T20:48:25Z");
        assert_eq!(one.headers.get("content-type"), Some("text/html"));
        let two = b"https://a.org/ 1.2.3.4 20080430204825 text/html 200 sum - 55 a.arc 120";
        let two = head(two).unwrap();
        assert_eq!((two.kind, two.length), (RecordKind::Response, Some(120)));
        assert_eq!(two.headers.get("Content-Type"), Some("text/html"));
        assert_eq!(head(b"http://a.org/ 1.2.3.4 null text/html -1"), None);
        assert_eq!(
            head(b"filedesc://a.arc 1.2.3.4 20140301000000 text/plain -1").unwrap().length,
            None
        );
        assert_eq!(head(b"a sentence of five words"), None);
    }
}
