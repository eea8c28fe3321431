//! Tests of complete files, read back with the row reader of the same crate.

use std::fs::{self, File};
use std::path::Path;

use jiff::Timestamp;
use model::{
    Article, CharsetEvidence, CorrectedField, Doubt, ExtraValue, Extracted, FieldCorrection,
    FieldKind, FieldSource, Origin, Overruled, PageType, Passage, PassageKind, Post, RecordField,
    Rights, RobotsRule, Route, SiteResult, Source, Sources,
};
use parquet::basic::LogicalType;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field as Cell, Row};
use parquet::schema::types::Type;
use proptest::prelude::*;
use serde_json::Value;

use sitegrove_sink::{ParquetSink, Sink, TableBuilder, parse_instant};

/// An article with all fields.
fn full() -> Article {
    let list = |l: &[&str]| l.iter().map(|s| (*s).to_owned()).collect::<Vec<String>>();
    let text = |s: &str| Some(s.to_owned());
    let sure = FieldSource {
        confidence: Some(0.96875),
        agree: Some(3),
        differ: Some(1),
        xpath: text("//p[1]"),
        ..FieldSource::from(Source::Page)
    };
    Article {
        url: "https://a.example/1".into(),
        site: "a.example".into(),
        template: "t1".into(),
        page_type: Some(PageType::Forum),
        page_type_probability: Some(0.75),
        title: text("Title"),
        authors: list(&["A", "B"]),
        author_kinds: vec![model::AuthorKind::Person, model::AuthorKind::Account],
        published: text("2026-01-12"),
        modified: text("2026-01-12T06:30:00+02:00"),
        language: text("en"),
        language_score: Some(0.875),
        description: text("D"),
        image: text("https://a.example/i.png"),
        tags: list(&["x", "y", "z"]),
        canonical: text("https://a.example/1"),
        site_name: text("A"),
        section: text("S"),
        access: Some(model::Access::Partial),
        license: text("https://a.example/licence"),
        word_count: 1,
        content_hash: "0123".into(),
        text: "Text".into(),
        html: "<p>Text</p>".into(),
        images: vec![model::Image {
            url: "https://a.example/i.png".into(),
            caption: text("C"),
            credit: text("D"),
            width: Some(640),
            record: Some(model::RecordPlace {
                url: "https://a.example/i.png".into(),
                file: "a.warc.gz".into(),
                offset: 1_234,
            }),
            ..model::Image::default()
        }],
        tables: vec![model::Table {
            caption: None,
            header_rows: 1,
            rows: vec![list(&["a", "b"]), list(&["1", ""])],
        }],
        embeds: vec![model::Embed {
            kind: model::EmbedKind::Video,
            url: "https://a.example/v".into(),
            title: None,
        }],
        footnotes: vec![model::Footnote { id: "n1".into(), label: "1".into(), text: "N".into() }],
        markdown: text("**Text**"),
        comments: "No.".into(),
        posts: vec![
            Post { author: text("ann"), date: None, text: "One.".into() },
            Post { author: None, date: text("2020-01-02"), text: "Two.".into() },
        ],
        passages: vec![Passage {
            ordinal: 0,
            headings: list(&["A", "B"]),
            kind: PassageKind::Table,
            start: 3,
            end: 7,
            words: 2,
            hash: "0".repeat(32),
        }],
        xpath: list(&["//p"]),
        prune: list(&["//b", "//i"]),
        cut: text("//div[2]"),
        engine: "grove".into(),
        route: Route::Wrapper,
        wrapper_version: 1,
        confidence: 0.87965,
        doubtful: true,
        doubt: Some(Doubt::TooMuch),
        site_config: Some(model::SiteConfigRole::Overruled),
        model_revision: Some(7),
        health: Some(model::Verdict::Drifting),
        cluster: text("0123456789abcdef"),
        duplicate_of: text("https://e.org/first"),
        similarity: Some(0.9375),
        gone: Some("2026-02-01T03:00:00Z".parse().unwrap()),
        gone_status: Some(301),
        moved_to: text("https://a.example/2"),
        sources: Sources {
            title: Some(sure),
            authors: Some(Source::Meta.into()),
            access: Some(Source::JsonLd),
            ..Sources::default()
        },
        corrections: vec![FieldCorrection {
            field: CorrectedField::Title,
            by: text("ann"),
            at: Some("2026-01-13T00:00:01Z".parse().unwrap()),
            reason: text("seen"),
            outdated: Some(true),
        }],
        fetched: Some("2026-01-13T00:00:01.123456789Z".parse().unwrap()),
        charset: "UTF-8",
        charset_evidence: CharsetEvidence::ValidUtf8,
        charset_overruled: Overruled {
            http: Some("windows-1252"),
            meta: Some("GBK"),
            xml: Some("KOI8-R"),
        },
        origin: Origin {
            file: "a.warc".into(),
            offset: 7,
            record_id: "urn:uuid:1".into(),
            truncated: Some("length".into()),
        },
        rights: Some(Rights {
            robots: list(&["noindex", "noai"]),
            own_robot: list(&["nofollow"]),
            tdm_reserved: Some(true),
            tdm_policy: text("https://x.example/policy.json"),
            rsl: list(&["https://x.example/rsl.xml"]),
            robots_txt: Some(RobotsRule::Allowed),
        }),
        extra: vec![ExtraValue { key: "crawl".into(), value: "CC-MAIN-2026-21".into() }],
        ..Article::default()
    }
}

/// An article without any optional field.
fn bare(number: usize) -> Article {
    Article { url: format!("https://a.example/{number}"), ..Article::default() }
}

fn write(path: &Path, articles: Vec<Article>) {
    let mut sink = Box::new(ParquetSink::create(path).unwrap());
    let articles = articles.into_iter().map(Extracted::from).collect();
    sink.take(&SiteResult::from_articles("a.example", articles), b"").unwrap();
    assert!(!path.exists());
    sink.finish().unwrap();
}

/// A row as JSON, without nulls.
fn json(row: &Row) -> Value {
    let cells = row.get_column_iter().filter(|(_, cell)| !matches!(cell, Cell::Null));
    Value::Object(cells.map(|(name, cell)| (name.clone(), cell_json(cell))).collect())
}

fn cell_json(cell: &Cell) -> Value {
    match cell {
        Cell::Bool(value) => (*value).into(),
        Cell::Int(value) => (*value).into(),
        Cell::Long(value) | Cell::TimestampMicros(value) => (*value).into(),
        Cell::Double(value) => (*value).into(),
        Cell::Str(value) => value.as_str().into(),
        Cell::Group(row) => json(row),
        Cell::ListInternal(list) => list.elements().iter().map(cell_json).collect(),
        other => panic!("unexpected {other:?}"),
    }
}

/// The expected rows: the lines of `articles.jsonl` with instants.
fn expected(articles: &[Article]) -> Vec<Value> {
    fn without_nulls(value: Value) -> Value {
        match value {
            Value::Object(fields) => {
                let there = fields.into_iter().filter(|(_, value)| !value.is_null());
                Value::Object(there.map(|(name, value)| (name, without_nulls(value))).collect())
            }
            other => other,
        }
    }
    let line = |article: &Article| {
        let mut line = serde_json::to_value(article).unwrap();
        for (date, at) in [
            ("published", "published_at"),
            ("modified", "modified_at"),
            ("gone", "gone_at"),
            ("fetched", "fetched_at"),
        ] {
            let instant = line[date].as_str().and_then(parse_instant);
            line[at] = instant.map(Timestamp::as_microsecond).into();
        }
        without_nulls(line)
    };
    articles.iter().map(line).collect()
}

fn check(articles: &[Article]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("articles.parquet");
    write(&path, articles.to_vec());
    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    let rows: Vec<Value> =
        reader.get_row_iter(None).unwrap().map(|row| json(&row.unwrap())).collect();
    assert_eq!(rows, expected(articles));
    let again = folder.path().join("again.parquet");
    write(&again, articles.to_vec());
    assert!(fs::read(&path).unwrap() == fs::read(&again).unwrap(), "other bytes");
}

#[test]
fn every_field_comes_back() {
    check(&[full(), bare(2), bare(3), full(), bare(4)]);
    check(&[]);
    let instants = expected(&[full()]);
    assert_eq!(instants[0]["fetched_at"], 1_768_262_401_123_456_i64);
    assert_eq!(instants[0]["modified_at"], 1_768_192_200_000_000_i64);
    assert_eq!(instants[0]["published_at"], 1_768_176_000_000_000_i64);
}

/// The element of a list.
fn element(list: &Type) -> &Type {
    &list.get_fields()[0].get_fields()[0]
}

/// The columns of a group, with their types as written in `docs/FORMATS.md`.
fn columns(group: &Type, prefix: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for field in group.get_fields() {
        let name = format!("{prefix}{}", field.name());
        let info = field.get_basic_info();
        let is_list = |field: &Type| {
            matches!(field.get_basic_info().logical_type_ref(), Some(LogicalType::List))
        };
        let mut kind = match info.logical_type_ref() {
            Some(LogicalType::List) if is_list(element(field)) => {
                "LIST of LIST of STRING".to_owned()
            }
            Some(LogicalType::List) if element(field).is_group() => "LIST of group".to_owned(),
            Some(LogicalType::List) => "LIST of STRING".to_owned(),
            Some(LogicalType::String) => "STRING".to_owned(),
            Some(LogicalType::Timestamp(_)) => "TIMESTAMP".to_owned(),
            _ if field.is_group() => "group".to_owned(),
            _ => field.get_physical_type().to_string(),
        };
        if field.is_optional() {
            kind += ", optional";
        }
        let is_group = kind.starts_with("group");
        let is_list_of_groups = kind.starts_with("LIST of group");
        all.push((name.clone(), kind));
        if is_list_of_groups {
            all.extend(columns(element(field), &format!("{name}.")));
        }
        if is_group {
            all.extend(columns(field, &format!("{name}.")));
        }
    }
    all
}

#[test]
fn the_columns_are_those_of_the_documents() {
    let text = fs::read_to_string("../../docs/FORMATS.md").unwrap();
    let section = text.split("\n## `articles.parquet`").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let documented: Vec<(String, String)> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | "))
        .map(|(name, kind)| (name.to_owned(), kind.to_owned()))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("articles.parquet");
    write(&path, Vec::new());
    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    assert_eq!(columns(reader.metadata().file_metadata().schema(), ""), documented);
}

/// The keys of a record that are not among its fields.
fn unknown_keys(value: &Value, kind: &FieldKind, path: &str) -> Vec<String> {
    match (value, kind) {
        (Value::Object(values), FieldKind::Record(fields)) => {
            let known = |name: &str| fields.iter().find(|field: &&RecordField| field.name == name);
            let inside = |(name, value): (&String, &Value)| match known(name) {
                Some(field) => unknown_keys(value, &field.kind, &format!("{path}.{name}")),
                None => vec![format!("{path}.{name}")],
            };
            values.iter().flat_map(inside).collect()
        }
        (Value::Array(values), FieldKind::List(of)) => {
            values.iter().flat_map(|value| unknown_keys(value, of, path)).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn what_the_schema_does_not_know_is_an_error() {
    let article = FieldKind::Record(Article::FIELDS);
    let line = serde_json::to_value(full()).unwrap();
    assert_eq!(unknown_keys(&line, &article, ""), Vec::<String>::new());
    assert_eq!(line.as_object().unwrap().len(), Article::FIELDS.len(), "the record is full");
    let mut rows = TableBuilder::of_articles().unwrap();
    let mut attempt = |change: &dyn Fn(&mut Value)| {
        let mut line = line.clone();
        change(&mut line);
        rows.push(&line).map_err(|error| error.to_string())
    };
    assert!(attempt(&|_| ()).is_ok());
    assert!(attempt(&|l| l["url"] = Value::Null).unwrap_err().contains("url"));
    assert!(attempt(&|l| l["authors"] = "A".into()).unwrap_err().contains("authors"));
    assert!(attempt(&|l| l["wrapper_version"] = "x".into()).unwrap_err().contains("wrapper"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn any_lists_and_texts_come_back(
        rows in prop::collection::vec(
            (prop::collection::vec("\\PC{0,6}", 0..4), prop::option::of("\\PC{0,20}"), any::<bool>()),
            0..12,
        )
    ) {
        let article = |(tags, title, doubtful): (Vec<String>, Option<String>, bool)| Article {
            tags: tags.clone(),
            title,
            xpath: tags,
            doubtful,
            ..bare(1)
        };
        check(&rows.into_iter().map(article).collect::<Vec<_>>());
    }
}
