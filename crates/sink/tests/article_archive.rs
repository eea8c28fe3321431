//! Visits in any order, splits, joins, and files of other kinds.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use database::WaitPolicy;
use model::{Article, CharsetEvidence, Extracted, Origin, Route, SiteResult, Source, Sources};
use rusqlite::Connection;
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_128;

use sitegrove_sink::{
    ArticleArchive, ArticleChange, ArticleKey, ArticleVersion, ChangeKind, Sink, SinkError,
    VersionsSink,
};

fn article(day: Option<u32>, text: &str) -> Extracted {
    article_at("https://a.example/1", day, text)
}

fn article_at(url: &str, day: Option<u32>, text: &str) -> Extracted {
    let article = Article {
        url: url.into(),
        site: "a.example".into(),
        template: "t1".into(),
        title: Some("Title".into()),
        text: text.to_owned(),
        html: format!("<p>{text}</p>"),
        xpath: vec!["//p".into()],
        engine: "grove".into(),
        route: Route::Wrapper,
        wrapper_version: 1,
        confidence: 0.9,
        sources: Sources { title: Some(Source::Page.into()), ..Sources::default() },
        fetched: day.map(|day| format!("2026-01-{day:02}T03:00:00Z").parse().unwrap()),
        charset: "UTF-8",
        charset_evidence: CharsetEvidence::Http,
        origin: Origin {
            file: format!("night-{}.warc.gz", day.unwrap_or_default()).into(),
            offset: 7,
            record_id: day.map_or_else(String::new, |day| format!("urn:uuid:{day}")),
            truncated: None,
        },
        ..Article::default()
    };
    let payload = xxh3_128(text.as_bytes()).to_be_bytes();
    Extracted { article, payload, ..Extracted::default() }
}

/// The key function for addresses whose parameters may all be tracking parameters.
fn key(url: &str, canonical: Option<&str>) -> ArticleKey {
    let stripped = |url: &str| url.split('?').next().unwrap_or_default().to_owned();
    let named = canonical.filter(|named| *named != url && stripped(named) == stripped(url));
    let named = named.map(str::to_owned);
    ArticleKey { own: url.to_owned(), named, stripped: stripped(url) }
}

/// Never set.
static NEVER: AtomicBool = AtomicBool::new(false);

/// Nobody else is there to wait for.
const ALONE: WaitPolicy<'_> = WaitPolicy {
    stop: &NEVER,
    tell: |path, obstacle| panic!("{}: {obstacle:?}", path.display()),
    patience: Duration::from_secs(60),
};

/// A new folder, and the path of an archive in it.
fn place() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("archive.sqlite");
    (folder, path)
}

fn open(path: &Path) -> VersionsSink<'static> {
    VersionsSink::open(path, Arc::new(key), false, ALONE).unwrap()
}

fn add(path: &Path, article: Extracted) {
    add_all(path, vec![article]);
}

fn add_all(path: &Path, articles: Vec<Extracted>) {
    let mut sink = open(path);
    sink.take(&SiteResult::from_articles("a.example", articles), &[]).unwrap();
    Box::new(sink).finish().unwrap();
}

fn versions(path: &Path) -> Vec<ArticleVersion> {
    versions_of(path, "https://a.example/1")
}

fn versions_of(path: &Path, url: &str) -> Vec<ArticleVersion> {
    ArticleArchive::open(path).unwrap().history(&key(url, None), url).unwrap()
}

/// Dates, visits, files, texts and diffs: everything that must not depend on the order of runs.
fn told(versions: &[ArticleVersion]) -> Vec<String> {
    let day = |date: &Option<String>| date.as_deref().map_or("-", |d| &d[8..10]).to_owned();
    let line = |v: &ArticleVersion| {
        let (first, last) = (day(&v.first_seen), day(&v.last_seen));
        format!("{first}-{last} {} {} {} {:?}", v.visits, v.file, v.text, v.diff)
    };
    versions.iter().map(line).collect()
}

#[test]
fn the_order_of_runs_does_not_matter() {
    // Day by day: A A B A, with another A in between.
    let visits = [(1, "A"), (3, "A"), (5, "B"), (7, "A"), (9, "A")];
    let mut orders = vec![Vec::new()];
    for n in 0..visits.len() {
        // Every order of the previous ones, with this one at every position.
        let with = |order: &Vec<usize>| {
            let at = |place| {
                let mut longer = order.clone();
                longer.insert(place, n);
                longer
            };
            (0..=n).map(at).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(with).collect();
    }
    assert_eq!(orders.len(), 120);
    let (_folder, path) = place();
    let url = |at: usize| format!("https://a.example/{at}");
    let of_order = |(at, order): (usize, &Vec<usize>)| {
        let visit = |&n: &usize| article_at(&url(at), Some(visits[n].0), visits[n].1);
        order.iter().map(visit).collect::<Vec<_>>()
    };
    add_all(&path, orders.iter().enumerate().flat_map(of_order).collect());
    let mut seen: BTreeSet<_> =
        (0..orders.len()).map(|at| told(&versions_of(&path, &url(at)))).collect();
    assert_eq!(seen.len(), 1, "{seen:#?}");
    let lines = seen.pop_first().unwrap();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("01-03 2 night-1.warc.gz A None"), "{lines:?}");
    assert!(lines[1].starts_with("05-05 1 night-5.warc.gz B"), "{lines:?}");
    assert!(lines[2].contains("-B\\n+A\\n"), "{lines:?}");
}

#[test]
fn nothing_is_added_twice() {
    let (_folder, path) = place();
    for _ in 0..2 {
        for (day, text) in [(1, "A"), (2, "B"), (3, "B")] {
            add(&path, article(Some(day), text));
        }
    }
    // With a different extraction, it is still the same visit.
    add(&path, article(Some(2), "C"));
    assert_eq!(versions(&path).iter().map(|v| v.visits).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn pages_without_a_date_come_first_in_the_order_given() {
    let (_folder, path) = place();
    add(&path, article(Some(1), "C"));
    for text in ["A", "B", "A", "B"] {
        add(&path, article(None, text));
    }
    let found = versions(&path);
    let texts: Vec<&str> = found.iter().map(|v| v.text.as_str()).collect();
    assert_eq!(texts, ["A", "B", "C"]);
    assert_eq!(found[0].first_seen, None);
    assert_eq!(found[2].number, 3);
}

#[test]
fn a_run_that_is_given_up_leaves_no_trace() {
    let (folder, path) = place();
    drop(open(&path));
    // The file stays: another run may have it open.
    let error = ArticleArchive::open(&path).unwrap_err().to_string();
    assert!(error.contains("no run has added to it yet"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    add(&path, article(Some(1), "A"));
    let before = std::fs::read(&path).unwrap();
    drop(open(&path));
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert_eq!(versions(&path).len(), 1);
    assert_eq!(std::fs::read(&path).unwrap().len(), before.len());
}

#[test]
fn files_of_other_kinds_are_left_alone() {
    let (_folder, path) = place();
    let refused = |path: &Path| {
        let before = std::fs::read(path).unwrap();
        let error =
            VersionsSink::open(path, Arc::new(key), false, ALONE).err().unwrap().to_string();
        assert_eq!(std::fs::read(path).unwrap(), before, "{error}");
        assert!(error.contains("archive.sqlite"), "{error}");
        error
    };
    std::fs::write(&path, "a diary\n".repeat(1000)).unwrap();
    assert!(refused(&path).contains("not a database"));
    std::fs::remove_file(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE mine (x)").unwrap();
    assert!(refused(&path).contains("another program"));
    std::fs::remove_file(&path).unwrap();
    add(&path, article(Some(1), "A"));
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(refused(&path).contains("schema is 99"));
    assert!(ArticleArchive::open(&path).is_err());
}

fn cut(day: u32, text: &str) -> Extracted {
    let mut article = article(Some(day), text);
    article.origin.truncated = Some("length".into());
    article
}

#[test]
fn truncated_visits_change_nothing_in_any_order() {
    let visits = [cut(1, "A be"), article(Some(2), "A"), cut(4, "A b"), article(Some(6), "B")];
    let mut seen = BTreeSet::new();
    for order in 0..24 {
        let mut left: Vec<&Extracted> = visits.iter().collect();
        let mut number = order;
        let (_folder, path) = place();
        while !left.is_empty() {
            let next = left.remove(number % left.len());
            number /= left.len() + 1;
            add(&path, next.clone());
        }
        let found = versions(&path);
        assert!(found.iter().all(|version| version.truncated.is_none()), "{order}");
        let db = Connection::open(&path).unwrap();
        let sql = "SELECT group_concat(visits.fetched || ' ' || versions.text, ', '
            ORDER BY visits.fetched) FROM visits JOIN versions ON versions.id = visits.version";
        let of_visits: String = db.query_row(sql, [], |row| row.get(0)).unwrap();
        seen.insert((told(&found), of_visits));
    }
    assert_eq!(seen.len(), 1, "{seen:#?}");
    let (lines, of_visits) = seen.pop_first().unwrap();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("02-02 1 night-2.warc.gz A None"), "{lines:?}");
    let texts: Vec<&str> = of_visits.split(", ").map(|visit| &visit[21..]).collect();
    assert_eq!(texts, ["A", "A", "A", "B"]);
}

#[test]
fn truncated_visits_alone_are_versions_until_a_whole_one_comes() {
    let (_folder, path) = place();
    add(&path, cut(1, "A b"));
    add(&path, cut(3, "A be"));
    let reasons: Vec<_> = versions(&path).into_iter().map(|version| version.truncated).collect();
    assert_eq!(reasons, [Some("length".to_owned()), Some("length".to_owned())]);
    add(&path, article(Some(2), "A begin and end"));
    let [version] = &versions(&path)[..] else { panic!("{:?}", versions(&path)) };
    assert_eq!((&*version.text, &version.truncated, version.visits), ("A begin and end", &None, 1));
}

#[test]
fn tracking_parameters_are_ignored_where_that_is_proved() {
    let (_folder, path) = place();
    let at = |tag: &str, day, text, title: &str, canonical: &str| {
        let mut article = article_at(&format!("https://a.example/1?{tag}"), Some(day), text);
        article.title = Some(title.to_owned());
        article.canonical = (!canonical.is_empty()).then(|| canonical.to_owned());
        article
    };
    let all = |tag: &str| versions_of(&path, &format!("https://a.example/1?{tag}")).len();
    add(&path, at("x=1", 1, "A", "T", ""));
    add(&path, at("x=2", 2, "A", "T", ""));
    add(&path, at("x=3", 3, "B", "T", ""));
    // The second has the content of the first; the third is a separate article.
    assert_eq!(
        (all("x=1"), all("x=3"), versions_of(&path, "https://a.example/1").len()),
        (1, 1, 0)
    );
    // Articles with different titles cannot all be at the address they name.
    let named = "https://a.example/1";
    add_all(&path, vec![at("x=4", 4, "D", "T4", named), at("x=5", 4, "E", "T5", named)]);
    assert_eq!((all("x=4"), all("x=5")), (1, 1));
    add(&path, at("x=6", 5, "F", "T6", named));
    add(&path, at("x=7", 6, "G", "T7", named));
    assert_eq!(versions_of(&path, named).len(), 2);
}

/// A visit that reads the payload of another one differently, by another revision of the model.
fn read_by(revision: u32, day: u32, payload: &str, text: &str) -> Extracted {
    let mut extracted = article(Some(day), text);
    extracted.model_revision = Some(revision);
    extracted.payload = xxh3_128(payload.as_bytes()).to_be_bytes();
    extracted
}

fn changes(path: &Path) -> Vec<(ChangeKind, i64, Option<i64>)> {
    let mut all = Vec::new();
    let archive = ArticleArchive::open(path).unwrap();
    let take = |change: ArticleChange| -> Result<(), SinkError> {
        all.push((change.kind, change.number, change.model_revision));
        Ok(())
    };
    archive.changes("", None, take).unwrap();
    all
}

#[test]
fn the_same_payload_is_never_a_new_version() {
    let visits = [
        read_by(1, 1, "page", "A"),
        read_by(1, 3, "page", "A"),
        read_by(2, 5, "page", "A longer"),
        read_by(2, 7, "page", "A longer"),
        read_by(2, 9, "another page", "B"),
        read_by(3, 11, "a third page", "C"),
    ];
    let mut seen = BTreeSet::new();
    for turned in [false, true] {
        let (_folder, path) = place();
        let mut order: Vec<&Extracted> = visits.iter().collect();
        if turned {
            order.reverse();
        }
        order.into_iter().for_each(|visit| add(&path, visit.clone()));
        let found = versions(&path);
        let readings: Vec<_> = found[0].readings.iter().map(|own| own.diff.clone()).collect();
        assert_eq!(readings, ["@@ -1 +1 @@\n-A\n+A longer\n"]);
        assert_eq!(found[0].model_revision, Some(1));
        let kinds: Vec<ChangeKind> = changes(&path).into_iter().map(|own| own.0).collect();
        seen.insert((told(&found), format!("{kinds:?}")));
    }
    assert_eq!(seen.len(), 1, "{seen:#?}");
    let (lines, kinds) = seen.pop_first().unwrap();
    assert!(lines[0].starts_with("01-07 4 night-1.warc.gz A None"), "{lines:?}");
    // The second payload was read by another revision than the first reading of the first.
    assert_eq!(kinds, "[New, Reread, Unclear, Unclear]");
}

#[test]
fn what_one_model_finds_in_another_payload_is_a_change_of_the_page() {
    let (_folder, path) = place();
    add(&path, read_by(4, 1, "page", "A"));
    add(&path, read_by(4, 2, "page 2", "B"));
    add(&path, read_by(0, 3, "page 3", "C"));
    add(&path, read_by(0, 4, "page 4", "D"));
    let expected = [
        (ChangeKind::New, 1, Some(4)),
        (ChangeKind::Changed, 2, Some(4)),
        (ChangeKind::Unclear, 3, Some(0)),
        // A model that is not kept is another every night.
        (ChangeKind::Unclear, 4, Some(0)),
    ];
    assert_eq!(changes(&path), expected);
}

fn reread(path: &Path, articles: Vec<Extracted>) {
    let mut sink = VersionsSink::open(path, Arc::new(key), true, ALONE).unwrap();
    sink.take(&SiteResult::from_articles("a.example", articles), &[]).unwrap();
    Box::new(sink).finish().unwrap();
}

#[test]
fn what_is_read_again_replaces_what_was_read() {
    let (folder, path) = place();
    // One page, and another, which the first model read as two texts, and a correction.
    for (day, payload, text) in
        [(1, "p1", "A cut"), (2, "p1", "A cut"), (3, "p2", "A cut off"), (4, "p3", "B cut")]
    {
        add(&path, read_by(1, day, payload, text));
    }
    assert_eq!(versions(&path).len(), 3);
    let again = [(1, "p1", "A"), (2, "p1", "A"), (3, "p2", "A"), (4, "p3", "B")]
        .map(|(day, payload, text)| read_by(2, day, payload, text));
    for turned in [false, true] {
        let path = folder.path().join(format!("{turned}.sqlite"));
        std::fs::copy(folder.path().join("archive.sqlite"), &path).unwrap();
        let mut order = again.to_vec();
        if turned {
            order.reverse();
        }
        // One after the other, and all once more, which changes nothing.
        order.iter().for_each(|visit| reread(&path, vec![visit.clone()]));
        let lines = told(&versions(&path));
        reread(&path, order);
        assert_eq!(told(&versions(&path)), lines);
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].starts_with("01-03 3 night-1.warc.gz A None"), "{lines:?}");
        assert!(lines[1].starts_with("04-04 1 night-4.warc.gz B"), "{lines:?}");
        let found = versions(&path);
        assert!(found.iter().all(|own| own.model_revision == Some(2)));
        assert!(found.iter().all(|own| own.readings.iter().all(|own| own.replaced)));
        assert_eq!(found[1].changed, ["text"]);
    }
}

#[test]
fn one_of_several_visits_read_again_leaves_the_others() {
    let (_folder, path) = place();
    for (day, payload) in [(1, "p1"), (2, "p2"), (3, "p3")] {
        add(&path, read_by(1, day, payload, "A"));
    }
    add(&path, cut(4, "A cu"));
    reread(&path, vec![read_by(2, 2, "p2", "A and more")]);
    let texts: Vec<(String, i64)> =
        versions(&path).into_iter().map(|own| (own.text, own.visits)).collect();
    let expected = [("A", 1), ("A and more", 1), ("A", 1)];
    assert_eq!(texts, expected.map(|(text, visits)| (text.to_owned(), visits)));
    // Read as before, they are one again; a truncated visit says nothing, read again or not.
    reread(&path, vec![read_by(3, 2, "p2", "A"), cut(4, "A c")]);
    let found = versions(&path);
    assert_eq!((found.len(), found[0].visits), (1, 3));
}
