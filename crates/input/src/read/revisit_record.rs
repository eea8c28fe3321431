//! Reads the reference to the original from a revisit record (WARC 1.1 §6.7).

use archive::Record;
use grouping::Revisit;
use model::Origin;

/// The revisit of a record; `digest` is that of the payload.
pub(super) fn revisit_of(
    url: String,
    digest: Option<u128>,
    record: &Record,
    origin: Origin,
) -> Revisit {
    let bare = |value: &str| value.trim_matches(['<', '>', ' ']).to_owned();
    let field = |name| record.headers.get(name).map(bare);
    let profile = field("WARC-Profile").unwrap_or_default();
    let date = field("WARC-Refers-To-Date");
    Revisit {
        url,
        date: record.date,
        origin,
        digest,
        record: field("WARC-Refers-To"),
        visit: (
            field("WARC-Refers-To-Target-URI"),
            date.and_then(|date| archive::parse_date(&date)),
        ),
        not_modified: profile.ends_with("server-not-modified"),
    }
}
