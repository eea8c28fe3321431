//! Tests of complete files, read back with the row reader of the same crate.

use std::fs::{self, File};

use model::{
    Article, Charset, CharsetEvidence, Field, Metadata, Origin, Overruled, PageType, Post, Route,
    Source, TypedAs,
};
use parquet::basic::LogicalType;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field as Cell, Row};
use parquet::schema::types::Type;
use proptest::prelude::*;

use super::*;

fn field<T>(value: T) -> Option<Field<T>> {
    Some(Field { value, source: Source::JsonLd })
}

/// An article with all fields.
fn full() -> Article {
    let text = |s: &str| field(s.to_owned());
    let list = |l: &[&str]| field(l.iter().map(|s| (*s).to_owned()).collect());
    Article {
        url: "https://a.example/1".into(),
        site: "a.example".into(),
        template: "t1".into(),
        page_type: Some(TypedAs { page_type: PageType::Forum, probability: 0.75 }),
        origin: Origin {
            file: "a.warc".into(),
            offset: 7,
            record_id: "urn:uuid:1".into(),
            truncated: Some("length".into()),
        },
        fetched: Some("2026-01-13T00:00:01.123456789Z".parse().unwrap()),
        payload: [0; 16],
        charset: Charset {
            name: "UTF-8",
            evidence: CharsetEvidence::ValidUtf8,
            overruled: Overruled {
                http: Some("windows-1252"),
                meta: Some("GBK"),
                xml: Some("KOI8-R"),
            },
        },
        metadata: Metadata {
            title: text("Title"),
            authors: list(&["A", "B"]),
            published: text("2026-01-12"),
            modified: text("2026-01-12T06:30:00+02:00"),
            language: text("en"),
            description: text("D"),
            image: text("https://a.example/i.png"),
            tags: list(&["x", "y", "z"]),
            canonical: text("https://a.example/1"),
            site_name: text("A"),
            section: text("S"),
            access: Some(Field { value: model::Access::Partial, source: Source::JsonLd }),
            license: text("https://a.example/licence"),
        },
        language_score: Some(0.875),
        text: "Text".into(),
        html: "<p>Text</p>".into(),
        images: vec![model::Image {
            url: "https://a.example/i.png".into(),
            caption: Some("C".into()),
            alt: None,
            credit: Some("D".into()),
            width: Some(640),
            height: None,
            others: Vec::new(),
            record: Some(model::RecordPlace {
                url: "https://a.example/i.png".into(),
                file: "a.warc.gz".into(),
                offset: 1_234,
            }),
        }],
        tables: vec![model::Table {
            caption: None,
            header_rows: 1,
            rows: vec![vec!["a".into(), "b".into()], vec!["1".into(), String::new()]],
        }],
        embeds: vec![model::Embed {
            kind: model::EmbedKind::Video,
            url: "https://a.example/v".into(),
            title: None,
        }],
        footnotes: vec![model::Footnote { id: "n1".into(), label: "1".into(), text: "N".into() }],
        xpath: vec!["//p".into()],
        prune: vec!["//b".into(), "//i".into()],
        cut: Some("//div[2]".into()),
        comments: "No.".into(),
        posts: vec![
            Post { author: Some("ann".into()), date: None, text: "One.".into() },
            Post { author: None, date: Some("2020-01-02".into()), text: "Two.".into() },
        ],
        engine: "grove".into(),
        route: Route::Wrapper,
        wrapper_version: 1,
        confidence: 0.87965,
        doubtful: false,
        site_config: Some(model::SiteConfigRole::Overruled),
        model_revision: Some(7),
        health: Some(model::Verdict::Drifting),
        duplicate: Some(model::Duplicate {
            cluster: "0123456789abcdef".to_owned(),
            of: Some(("https://e.org/first".to_owned(), 0.9375)),
        }),
        gone: Some(model::Gone {
            at: "2026-02-01T03:00:00Z".parse().unwrap(),
            status: 301,
            moved_to: Some("https://a.example/2".into()),
        }),
        markdown: Some("**Text**".into()),
    }
}

/// An article without any optional field.
fn bare(number: usize) -> Article {
    Article {
        url: format!("https://a.example/{number}"),
        origin: Origin {
            file: "a.warc".into(),
            offset: 0,
            record_id: String::new(),
            truncated: None,
        },
        page_type: None,
        fetched: None,
        payload: [0; 16],
        charset: Charset { overruled: Overruled::default(), ..full().charset },
        metadata: Metadata::default(),
        language_score: None,
        gone: None,
        xpath: Vec::new(),
        prune: Vec::new(),
        cut: None,
        comments: String::new(),
        posts: Vec::new(),
        images: Vec::new(),
        tables: Vec::new(),
        embeds: Vec::new(),
        footnotes: Vec::new(),
        markdown: None,
        ..full()
    }
}

fn write(path: &Path, articles: Vec<Article>) {
    let mut sink = Box::new(ParquetSink::create(path).unwrap());
    sink.take(&SiteResult::of_articles("a.example", articles), b"").unwrap();
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
    let line = |article| serde_json::to_value(article_record(article)).unwrap();
    articles.iter().map(|article| without_nulls(with_instants(line(article)))).collect()
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
    assert_eq!(columns(&schema().unwrap(), ""), documented);
}

#[test]
fn what_the_schema_does_not_know_is_an_error() {
    let schema = Arc::new(schema().unwrap());
    let mut columns = Columns::new(&SchemaDescriptor::new(Arc::clone(&schema))).unwrap();
    let line = || with_instants(serde_json::to_value(article_record(&full())).unwrap());
    let mut attempt = |change: &dyn Fn(&mut Value)| {
        let mut line = line();
        change(&mut line);
        columns.push(&schema, line).map_err(|error| error.to_string())
    };
    assert!(attempt(&|_| ()).is_ok());
    assert!(attempt(&|l| l["colour"] = "red".into()).unwrap_err().contains("colour"));
    assert!(attempt(&|l| l["url"] = Value::Null).unwrap_err().contains("url is missing"));
    assert!(attempt(&|l| l["authors"] = "A".into()).unwrap_err().contains("authors"));
    assert!(attempt(&|l| l["wrapper_version"] = "1".into()).unwrap_err().contains("\"1\""));
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
            metadata: Metadata {
                tags: (!tags.is_empty()).then(|| Field { value: tags.clone(), source: Source::Meta }),
                title: title.map(|value| Field { value, source: Source::Page }),
                ..Metadata::default()
            },
            xpath: tags,
            doubtful,
            site_config: None,
            model_revision: None,
            health: None,
            duplicate: None,
            gone: None,
            ..bare(1)
        };
        check(&rows.into_iter().map(article).collect::<Vec<_>>());
    }
}
