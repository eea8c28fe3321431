//! Revisits find their originals.

use std::convert::Infallible;

use proptest::prelude::*;

use jiff::Timestamp;
use model::{DropReason, Origin};
use sitegrove_grouping::matching::{
    Offer, Original, OriginalCandidate, Resolved, RevisitAnswer, RevisitRequest, Settled, Settling,
    answer, offers, requests,
};
use sitegrove_grouping::{NameFilter, Revisit, payload_digest};

const DAY: i64 = 86_400;

/// Decides on revisits, all in memory.
fn match_all<P: Clone + Ord>(
    revisits: Vec<Revisit>,
    candidates: &[(OriginalCandidate<'_>, Original<P>)],
) -> Vec<Settled<P>> {
    if revisits.is_empty() {
        return Vec::new();
    }
    let (mut asked, mut offered) = (NameFilter::default(), NameFilter::default());
    revisits.iter().for_each(|revisit| asked.add_names_of(revisit));
    let mut offers: Vec<Offer<P>> = candidates
        .iter()
        .flat_map(|(of, original)| offers(of, &asked, &mut offered, || original.clone()))
        .collect();
    offers.sort_unstable();
    let mut requests: Vec<RevisitRequest> = (0..)
        .zip(&revisits)
        .flat_map(|(number, revisit)| requests(number, revisit, &offered))
        .collect();
    requests.sort_unstable();
    let mut answers: Vec<RevisitAnswer<P>> = Vec::new();
    let Ok(()) = answer::<P, Infallible>(
        requests.into_iter().map(Ok),
        offers.into_iter().map(Ok),
        &mut |answer| {
            answers.push(answer);
            Ok(())
        },
    );
    answers.sort_unstable();
    answers.dedup_by_key(|answer| answer.revisit);
    let mut answers = answers.into_iter().peekable();
    let resolve = |(number, revisit)| {
        let answer = answers.next_if(|answer| answer.revisit == number);
        Resolved::new(revisit, answer.map(|answer| answer.original))
    };
    let mut resolved: Vec<Resolved<P>> = (0..).zip(revisits).map(resolve).collect();
    resolved.sort_unstable();
    let mut settling = Settling::default();
    resolved.into_iter().map(|revisit| settling.next(revisit)).collect()
}

fn origin(file: &str, record_id: &str) -> Origin {
    Origin { file: file.into(), offset: 0, record_id: record_id.to_owned(), truncated: None }
}

fn day(day: i64) -> Option<Timestamp> {
    Timestamp::from_second(day * DAY).ok()
}

fn revisit(url: &str, on: i64) -> Revisit {
    Revisit {
        url: url.to_owned(),
        date: day(on),
        origin: origin("revisits", &format!("visit-{on}")),
        digest: None,
        record: None,
        visit: (None, None),
        not_modified: false,
    }
}

/// A page as its record has it, with its number.
#[derive(Clone, Debug)]
struct Record {
    origin: Origin,
    url: String,
    fetched: Option<Timestamp>,
    digest: Option<u128>,
}

fn record(url: &str, on: i64, id: &str) -> Record {
    Record { origin: origin("pages", id), url: url.to_owned(), fetched: day(on), digest: None }
}

/// The page each revisit finds, by the address and day of the visit: its record id.
fn found(revisits: &[Revisit], records: &[Record]) -> Vec<(String, Option<String>)> {
    let candidates: Vec<(OriginalCandidate<'_>, Original<String>)> = records
        .iter()
        .map(|record| {
            let Record { origin, url, fetched, digest } = record;
            let url = Some(url.as_str());
            let of = OriginalCandidate {
                origin,
                url,
                is_page: true,
                fetched: *fetched,
                digest: *digest,
            };
            (of, Original::Page(origin.record_id.clone()))
        })
        .collect();
    let settled = match_all(revisits.to_vec(), &candidates);
    let found = settled.into_iter().map(|settled| match settled {
        Settled::Page(visited, page) => (visited.origin.record_id, Some(page)),
        Settled::Drop(drop) => (drop.origin.record_id, None),
    });
    found.collect()
}

fn one(revisit: Revisit, records: &[Record]) -> Option<String> {
    found(&[revisit], records).remove(0).1
}

#[test]
fn originals_are_known_by_record_by_visit_and_by_payload() {
    let (a, b) = ("https://e.org/a", "https://e.org/b");
    let digest = Some(payload_digest("sha1:ABCDEF"));
    let of_payload = Record { digest, ..record(b, 2, "two") };
    let records = [record(a, 1, "one"), of_payload, record(a, 3, "three")];
    let plain = revisit(a, 9);
    assert_eq!(one(plain.clone(), &records), None, "an address alone tells nothing");
    let unmodified = Revisit { not_modified: true, ..plain.clone() };
    assert_eq!(one(unmodified, &records).as_deref(), Some("three"), "the latest");
    let visited = Revisit { visit: (None, day(1)), ..plain.clone() };
    assert_eq!(one(visited, &records).as_deref(), Some("one"));
    let named = Revisit { record: Some("three".to_owned()), ..plain.clone() };
    assert_eq!(one(named.clone(), &records).as_deref(), Some("three"));
    // The payload digest is more reliable than a record id.
    let both = Revisit { digest, ..named };
    assert_eq!(one(both.clone(), &records).as_deref(), Some("three"), "but not of another address");
    let there = Revisit { visit: (Some(b.to_owned()), None), ..both };
    assert_eq!(one(there, &records).as_deref(), Some("two"));
    // A record with another payload is not the original.
    let other = Revisit { digest: Some(payload_digest("sha1:ABCDEE")), ..plain };
    assert_eq!(one(Revisit { visit: (Some(b.to_owned()), day(2)), ..other }, &records), None);
}

#[test]
fn the_earliest_complete_record_counts_wherever_it_lies() {
    let digest = Some(payload_digest("sha1:ABCDEF"));
    let records = |files: [&str; 3]| {
        let of = |day, id, file| Record {
            digest,
            origin: origin(file, id),
            ..record("https://e.org/a", day, id)
        };
        let mut cut = of(1, "cut", files[0]);
        cut.origin.truncated = Some("length".to_owned());
        [cut, of(2, "early", files[1]), of(3, "late", files[2])]
    };
    let asking = Revisit { digest, ..revisit("https://e.org/x", 9) };
    for files in [["a", "b", "c"], ["c", "b", "a"]] {
        assert_eq!(one(asking.clone(), &records(files)).as_deref(), Some("early"), "{files:?}");
    }
    let drop = origin("dropped", "");
    let of_drop =
        OriginalCandidate { origin: &drop, url: None, is_page: false, fetched: None, digest };
    let page = origin("z", "page");
    let of_page = OriginalCandidate { origin: &page, fetched: day(5), ..of_drop };
    let candidates = [
        (of_drop, Original::Drop(DropReason::HttpStatus, "404".to_owned())),
        (of_page, Original::Page(())),
    ];
    assert!(matches!(&match_all(vec![asking.clone()], &candidates)[..], [Settled::Page(..)]));
    let Settled::Drop(dropped) = match_all(vec![asking], &candidates[..1]).remove(0) else {
        panic!("a page was found");
    };
    assert_eq!(
        (dropped.reason, &*dropped.detail),
        (DropReason::HttpStatus, "as its original: 404")
    );
}

#[test]
fn of_several_visits_of_an_address_the_latest_gives_the_page() {
    let revisits: Vec<Revisit> =
        (2..5).map(|on| Revisit { not_modified: true, ..revisit("https://e.org/a", on) }).collect();
    let came = found(&revisits, &[record("https://e.org/a", 1, "one")]);
    let of = |visit: &str, page: Option<&str>| (visit.to_owned(), page.map(str::to_owned));
    assert_eq!(came, [of("visit-4", Some("one")), of("visit-3", None), of("visit-2", None)]);
}

proptest! {
    #[test]
    fn the_order_of_records_and_their_files_does_not_matter(
        records in prop::collection::vec((0_i64..3, 0_u8..3, 0_u8..3), 1..12),
        visits in prop::collection::vec((0_i64..3, 0_u8..3, any::<bool>()), 1..8),
        order in prop::collection::vec(any::<u64>(), 12),
        file in "[a-z]{3}",
    ) {
        let url = |n: u8| format!("https://e.org/{n}");
        let records: Vec<Record> = (records.iter().enumerate())
            .map(|(at, &(on, address, payload))| {
                let digest = Some(payload_digest(&format!("x:{payload}")));
                Record { digest, ..record(&url(address), on, &format!("{at:02}")) }
            })
            .collect();
        let revisits: Vec<Revisit> = (visits.iter().enumerate())
            .map(|(at, &(on, address, not_modified))| {
                let digest = (at % 2 == 0).then(|| payload_digest(&format!("x:{}", at % 3)));
                let mut visit = Revisit { digest, not_modified, ..revisit(&url(address), 10) };
                visit.origin.record_id = format!("{at:02}");
                visit.visit.1 = day(on);
                visit
            })
            .collect();
        let mut shuffled: Vec<(u64, Record)> = order.into_iter().zip(records.clone()).collect();
        shuffled.sort_by_key(|(by, _)| *by);
        let shuffled: Vec<Record> = (shuffled.into_iter().enumerate())
            .map(|(at, (_, mut record))| {
                record.origin.file = format!("{file}{at}").into();
                record
            })
            .collect();
        let turned: Vec<Revisit> = revisits.iter().rev().cloned().collect();
        prop_assert_eq!(found(&revisits, &records), found(&turned, &shuffled));
    }
}

#[test]
fn of_several_payloads_of_a_name_the_one_with_its_digest_is_found() {
    let [first, second] = ["sha1:short", "sha1:shirt"].map(|text| Some(payload_digest(text)));
    let pages: Vec<Record> = [(first, "a"), (first, "b"), (second, "c")]
        .map(|(digest, id)| Record { digest, ..record("https://e.org/1", 1, id) })
        .to_vec();
    // Only the visit names them: their addresses differ from that of the revisit.
    let asks = |digest| Revisit {
        digest,
        visit: (Some("https://e.org/1".to_owned()), day(1)),
        ..revisit("https://e.org/2", 3)
    };
    assert_eq!(one(asks(second), &pages).as_deref(), Some("c"));
    assert_eq!(one(asks(first), &pages).as_deref(), Some("a"));
}
