//! Recognises where a record starts, and finds the next start after damage; reads the heads of ARC records.

use memchr::{memchr, memmem};

use crate::{Headers, RecordKind, parse_date};

/// Maximum size of a head that is read to confirm a record, in bytes.
const LOOK: usize = 64 << 10;

/// Maximum length of a line that may be the head of an ARC record, in bytes.
const LONGEST_ARC_LINE: usize = 64 << 10;

/// The format of record heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `WARC/1.0` and named fields.
    Warc,
    /// One line of fields separated by spaces.
    Arc,
}

/// The result of looking for a record at the start of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    Record(Dialect),
    /// More bytes are needed to tell.
    Unsure,
    None,
}

/// Checks whether `bytes` begin with a record. `complete` means that nothing can follow them.
pub(crate) fn recognise(bytes: &[u8], complete: bool) -> Start {
    let begins = &bytes[..bytes.len().min(5)];
    let may_be_warc = b"WARC/".get(..begins.len()).is_some_and(|w| w.eq_ignore_ascii_case(begins));
    if bytes.len() < 5 && !complete && may_be_warc {
        return Start::Unsure;
    }
    let limit = if may_be_warc { 32 } else { LONGEST_ARC_LINE };
    let Some(end) = memchr(b'\n', &bytes[..bytes.len().min(limit)]) else {
        return if bytes.len() < limit && !complete { Start::Unsure } else { Start::None };
    };
    if is_version(&bytes[..end]) {
        Start::Record(Dialect::Warc)
    } else if arc_fields(&bytes[..end]).is_some() {
        Start::Record(Dialect::Arc)
    } else {
        Start::None
    }
}

/// Whether a line is `WARC/` and a version number.
fn is_version(line: &[u8]) -> bool {
    let Some((b"WARC/" | b"warc/" | b"Warc/", version)) = line.split_at_checked(5) else {
        return false;
    };
    let version = version.trim_ascii_end();
    version.contains(&b'.')
        && version.first().is_some_and(u8::is_ascii_digit)
        && version.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

/// The result of a search for the next record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartSearch {
    At(usize),
    /// Not before this index. The search continues there when there are more bytes.
    NotBefore(usize),
}

/// The positions at which a search accepts a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartPlace {
    /// On a new line: inside a block, whose text may mention records.
    Line,
    /// Anywhere: between records, where junk may end in the middle of a line.
    Anywhere,
}

/// Finds the first index ≥ `from` at which a record certainly starts: with a head that names its
/// type. `complete` means that nothing can follow `bytes`.
pub(crate) fn find_record(
    bytes: &[u8],
    from: usize,
    dialect: Dialect,
    place: StartPlace,
    complete: bool,
) -> StartSearch {
    let anywhere = place == StartPlace::Anywhere;
    let mut at = from;
    // The first `WARC/` after `at`, once it has been searched for.
    let mut version: Option<usize> = None;
    loop {
        let begins_line = at == 0 || bytes.get(at - 1) == Some(&b'\n');
        if anywhere || begins_line {
            // An ARC line has no marker at its start by which it could be recognised inside another line.
            let sought = if begins_line { dialect } else { Dialect::Warc };
            match is_record_start(&bytes[at.min(bytes.len())..], sought, complete) {
                Some(true) => return StartSearch::At(at),
                Some(false) => {}
                None => return StartSearch::NotBefore(at),
            }
        }
        if version.is_none_or(|found| found <= at) {
            // The first byte of the rest has been checked already.
            let found = match anywhere {
                true => either_case(bytes.get(at + 1..).unwrap_or_default(), b"WARC/"),
                false => either_case(bytes.get(at..).unwrap_or_default(), b"\nWARC/"),
            };
            version = Some(found.map_or(usize::MAX, |index| at + index + 1));
        }
        let line = match dialect {
            Dialect::Warc => None,
            Dialect::Arc => memchr(b'\n', bytes.get(at..).unwrap_or_default()),
        };
        match version.into_iter().chain(line.map(|index| at + index + 1)).min() {
            Some(next) if next < usize::MAX => at = next,
            // The last bytes may be the beginning of "\nWARC/".
            _ => return StartSearch::NotBefore(from.max(bytes.len().saturating_sub(5))),
        }
    }
}

/// Finds the version in upper or lower case: some writers use lower case.
fn either_case(bytes: &[u8], capitals: &[u8]) -> Option<usize> {
    let found = memmem::find(bytes, capitals);
    let before = &bytes[..found.unwrap_or(bytes.len())];
    memmem::find(before, &capitals.to_ascii_lowercase()).or(found)
}

/// Whether `bytes` certainly begin with a record, including its head; `None` if more bytes are
/// needed.
pub(crate) fn is_record_start(bytes: &[u8], dialect: Dialect, complete: bool) -> Option<bool> {
    match recognise(bytes, complete) {
        Start::Record(Dialect::Warc) => names_type(bytes, complete),
        Start::Record(Dialect::Arc) => Some(dialect == Dialect::Arc),
        Start::Unsure => None,
        Start::None => Some(false),
    }
}

/// Whether the head at the start of `bytes` has a `WARC-Type`; `None` if more bytes are needed.
fn names_type(bytes: &[u8], complete: bool) -> Option<bool> {
    let mut at = 0;
    while let Some(length) = memchr(b'\n', &bytes[at..bytes.len().min(LOOK)]) {
        let line = bytes[at..at + length].trim_ascii();
        // A version line inside a head begins another candidate.
        if line.is_empty() || at > 0 && line.starts_with(b"WARC/") {
            return Some(false);
        }
        if line.get(..10).is_some_and(|name| name.eq_ignore_ascii_case(b"warc-type:")) {
            return Some(true);
        }
        at += length + 1;
    }
    if complete || bytes.len() >= LOOK { Some(false) } else { None }
}

/// The fields of a record's head that the reader needs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RecordHead {
    pub(crate) kind: RecordKind,
    pub(crate) headers: Headers,
    pub(crate) target_uri: Option<String>,
    pub(crate) date: Option<jiff::Timestamp>,
    /// Declared length of the block, if it can be read. Some ARC writers write -1.
    pub(crate) length: Option<u64>,
}

/// Parses the head of an ARC record: a line without its line feed.
pub(crate) fn arc_head(line: &[u8]) -> Option<RecordHead> {
    let ArcFields { url, ip, date, media_type, length } = arc_fields(line)?;
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
    let date = parse_date(&String::from_utf8_lossy(date));
    Some(RecordHead { kind, headers, target_uri: Some(url), date, length })
}

struct ArcFields<'a> {
    url: &'a [u8],
    ip: &'a [u8],
    date: &'a [u8],
    media_type: &'a [u8],
    length: Option<u64>,
}

/// Splits a head line, `URL IP date type length`. Version 2 has five more fields before the length. The URL may contain
/// spaces, so fields are counted from the right.
fn arc_fields(line: &[u8]) -> Option<ArcFields<'_>> {
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
        is_head.then_some(ArcFields { url, ip, date, media_type, length })
    })
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn versions() {
        for (bytes, start) in [
            (&b"WARC/1.0\r\n"[..], Start::Record(Dialect::Warc)),
            (b"WARC/0.17 \n", Start::Record(Dialect::Warc)),
            (b"warc/1.0\r\n", Start::Record(Dialect::Warc)),
            (b"WARC/one\r\n", Start::None),
            (b"WAR", Start::Unsure),
            (b"WARC/1.", Start::Unsure),
            (b"http://a.org/ 1.2.3.4 20080430204825 text/html 12\n", Start::Record(Dialect::Arc)),
            (b"<html>\n", Start::None),
        ] {
            assert_eq!(recognise(bytes, false), start, "{:?}", bytes.escape_ascii().to_string());
        }
    }

    #[test]
    fn search_wants_a_head_and_within_blocks_a_new_line() {
        let cut = "x WARC/1.0\r\nWARC-Type: a\r\n\r\nWARC/1.0\r\nfoo: bar\r\n\r\nWARC/1.1\r\nwarc-type: b";
        let (at, whole) = (cut.find("WARC/1.1").unwrap(), format!("{cut}\r\n"));
        assert_eq!(
            find_record(cut.as_bytes(), 0, Dialect::Warc, StartPlace::Line, false),
            StartSearch::NotBefore(at)
        );
        assert_eq!(
            find_record(whole.as_bytes(), 0, Dialect::Warc, StartPlace::Line, false),
            StartSearch::At(at)
        );
        let joined = b"junkWARC/1.0\r\nWARC-Type: a\r\n\r\n";
        let found = |place| find_record(joined, 0, Dialect::Warc, place, true);
        assert_eq!(found(StartPlace::Anywhere), StartSearch::At(4));
        assert!(matches!(found(StartPlace::Line), StartSearch::NotBefore(_)));
    }

    #[test]
    fn both_versions_and_urls_with_spaces() {
        let one = arc_head(b"http://a.org/x y 1.2.3.4 20080430204825 text/html 12").unwrap();
        assert_eq!((one.target_uri.as_deref(), one.length), (Some("http://a.org/x y"), Some(12)));
        assert_eq!(one.date.unwrap().to_string(), "2008-04-30T20:48:25Z");
        assert_eq!(one.headers.get("content-type"), Some("text/html"));
        let two = b"https://a.org/ 1.2.3.4 20080430204825 text/html 200 sum - 55 a.arc 120";
        let two = arc_head(two).unwrap();
        assert_eq!((two.kind, two.length), (RecordKind::Response, Some(120)));
        assert_eq!(two.headers.get("Content-Type"), Some("text/html"));
        assert_eq!(arc_head(b"http://a.org/ 1.2.3.4 null text/html -1"), None);
        assert_eq!(
            arc_head(b"filedesc://a.arc 1.2.3.4 20140301000000 text/plain -1").unwrap().length,
            None
        );
        assert_eq!(arc_head(b"a sentence of five words"), None);
    }
}
