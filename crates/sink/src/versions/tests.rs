//! Visits in any order, splits, joins, and files of other kinds.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use model::{Article, Charset, CharsetEvidence, Field, Metadata, Origin, Overruled, Route, Source};
use rusqlite::Connection;
use tempfile::TempDir;

use super::{ArticleArchive, ArticleKey, Version, VersionsSink};
use crate::Sink;
use model::SiteResult;

fn article(day: Option<u32>, text: &str) -> Article {
    article_at("https://a.example/1", day, text)
}

fn article_at(url: &str, day: Option<u32>, text: &str) -> Article {
    let field = |value: &str| Some(Field { value: value.to_owned(), source: Source::Page });
    Article {
        url: url.into(),
        site: "a.example".into(),
        template: "t1".into(),
        page_type: None,
        origin: Origin {
            file: format!("night-{}.warc.gz", day.unwrap_or_default()).into(),
            offset: 7,
            record_id: day.map_or_else(String::new, |day| format!("urn:uuid:{day}")),
            truncated: None,
        },
        fetched: day.map(|day| format!("2026-01-{day:02}T03:00:00Z").parse().unwrap()),
        charset: Charset {
            name: "UTF-8",
            evidence: CharsetEvidence::Http,
            overruled: Overruled::default(),
        },
        metadata: Metadata { title: field("Title"), ..Metadata::default() },
        text: text.to_owned(),
        html: format!("<p>{text}</p>"),
        markdown: None,
        xpath: vec!["//p".into()],
        prune: Vec::new(),
        cut: None,
        comments: String::new(),
        posts: Vec::new(),
        engine: "grove".into(),
        route: Route::Wrapper,
        wrapper_version: 1,
        confidence: 0.9,
        doubtful: false,
        model_revision: None,
        health: None,
    }
}

/// The key function for addresses whose parameters may all be tracking parameters.
fn key(url: &str, canonical: Option<&str>) -> ArticleKey {
    let stripped = |url: &str| url.split('?').next().unwrap_or_default().to_owned();
    let named = canonical.filter(|named| *named != url && stripped(named) == stripped(url));
    let named = named.map(str::to_owned);
    ArticleKey { own: url.to_owned(), named, stripped: stripped(url) }
}

fn open(path: &Path) -> VersionsSink {
    VersionsSink::open(path, Arc::new(key)).unwrap()
}

fn add(path: &Path, article: Article) {
    add_all(path, vec![article]);
}

fn add_all(path: &Path, articles: Vec<Article>) {
    let mut sink = open(path);
    sink.take(&SiteResult::of_articles("a.example", articles), &[]).unwrap();
    Box::new(sink).finish().unwrap();
}

fn versions(path: &Path) -> Vec<Version> {
    versions_of(path, "https://a.example/1")
}

fn versions_of(path: &Path, url: &str) -> Vec<Version> {
    ArticleArchive::open(path).unwrap().history(&key(url, None), url).unwrap()
}

/// Dates, visits, files, texts and diffs: everything that must not depend on the order of runs.
fn told(versions: &[Version]) -> Vec<String> {
    let day = |date: &Option<String>| date.as_deref().map_or("-", |d| &d[8..10]).to_owned();
    let line = |v: &Version| {
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
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("archive.sqlite");
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
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("archive.sqlite");
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
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("archive.sqlite");
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
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("archive.sqlite");
    drop(open(&path));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
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
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("archive.sqlite");
    let refused = |path: &Path| {
        let before = std::fs::read(path).unwrap();
        let error = VersionsSink::open(path, Arc::new(key)).unwrap_err().to_string();
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

fn cut(day: u32, text: &str) -> Article {
    let mut article = article(Some(day), text);
    article.origin.truncated = Some("length".into());
    article
}

#[test]
fn truncated_visits_change_nothing_in_any_order() {
    let visits = [cut(1, "A be"), article(Some(2), "A"), cut(4, "A b"), article(Some(6), "B")];
    let mut seen = BTreeSet::new();
    for order in 0..24 {
        let mut left: Vec<&Article> = visits.iter().collect();
        let mut number = order;
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("archive.sqlite");
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
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("archive.sqlite");
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
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("archive.sqlite");
    let at = |tag: &str, day, text, title: &str, canonical: &str| {
        let mut article = article_at(&format!("https://a.example/1?{tag}"), Some(day), text);
        let field = |value: &str| Field { value: value.to_owned(), source: Source::Page };
        article.metadata.title = Some(field(title));
        article.metadata.canonical = (!canonical.is_empty()).then(|| field(canonical));
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

#[test]
fn an_archive_of_the_schema_before_is_read_and_grows() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("archive.sqlite");
    add(&path, article(Some(1), "A"));
    let db = Connection::open(&path).unwrap();
    let view: String = db
        .query_row("SELECT sql FROM sqlite_schema WHERE name = 'history'", [], |row| row.get(0))
        .unwrap();
    db.execute_batch(&format!(
        "DROP VIEW history; DROP INDEX articles_by_stripped; DROP INDEX versions_by_digest;
        ALTER TABLE articles DROP COLUMN stripped; ALTER TABLE versions DROP COLUMN truncated;
        ALTER TABLE visits DROP COLUMN truncated; {}; PRAGMA user_version = 1;",
        view.replace(", versions.truncated", "")
    ))
    .unwrap();
    drop(db);
    assert_eq!(versions(&path).len(), 1);
    drop(open(&path));
    let version = |path: &Path| -> i64 {
        let db = Connection::open(path).unwrap();
        db.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(version(&path), 1, "a run that is given up leaves no trace");
    add(&path, cut(2, "A cut"));
    add(&path, article(Some(3), "B"));
    assert_eq!(version(&path), 2);
    let texts: Vec<String> = versions(&path).into_iter().map(|version| version.text).collect();
    assert_eq!(texts, ["A", "B"]);
}
