//! One line of `articles.jsonl`.

use std::borrow::Cow;

use model::{
    Article, Embed, Field, Footnote, Image, Metadata, Origin, Overruled, Post, RecordPlace,
    SiteConfigRole, Table, Verdict,
};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::SCHEMA;

/// An article as written; the order of the fields is the order in the file.
#[derive(Debug, Serialize)]
pub struct ArticleRecord<'a> {
    schema: u32,
    url: &'a str,
    site: &'a str,
    template: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_type_probability: Option<f64>,
    title: Option<&'a str>,
    authors: &'a [String],
    published: Option<&'a str>,
    modified: Option<&'a str>,
    language: Option<&'a str>,
    language_score: Option<f64>,
    description: Option<&'a str>,
    image: Option<&'a str>,
    tags: &'a [String],
    canonical: Option<&'a str>,
    site_name: Option<&'a str>,
    section: Option<&'a str>,
    access: Option<&'static str>,
    license: Option<&'a str>,
    word_count: u32,
    content_hash: String,
    text: &'a str,
    html: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    images: Vec<ImageRecord<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tables: Vec<TableRecord<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    embeds: Vec<EmbedRecord<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    footnotes: Vec<FootnoteRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    markdown: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    comments: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    posts: Vec<PostRecord<'a>>,
    xpath: &'a [String],
    prune: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<&'a str>,
    engine: &'a str,
    route: &'static str,
    wrapper_version: u32,
    confidence: f64,
    doubtful: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    site_config: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_revision: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    health: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duplicate_of: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gone_status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_to: Option<&'a str>,
    sources: Sources,
    fetched: Option<String>,
    charset: &'static str,
    charset_evidence: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    charset_overruled: Option<OverruledRecord>,
    origin: OriginRecord<'a>,
}

impl ArticleRecord<'_> {
    /// The record with an empty `html`, for where that is stored beside it.
    pub(crate) fn without_html(self) -> Self {
        Self { html: "", ..self }
    }

    /// The record with an empty `text`, likewise.
    pub(crate) fn without_text(self) -> Self {
        Self { text: "", ..self }
    }
}

/// A post of a thread.
#[derive(Debug, Serialize)]
pub(crate) struct PostRecord<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<&'a str>,
    text: &'a str,
}

impl<'a> PostRecord<'a> {
    fn of(post: &'a Post) -> Self {
        Self { author: post.author.as_deref(), date: post.date.as_deref(), text: &post.text }
    }
}

/// A picture.
#[derive(Debug, Serialize)]
pub(crate) struct ImageRecord<'a> {
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    caption: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alt: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    credit: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<&'a RecordPlace>,
}

impl<'a> ImageRecord<'a> {
    fn of(image: &'a Image) -> Self {
        Self {
            url: &image.url,
            caption: image.caption.as_deref(),
            alt: image.alt.as_deref(),
            credit: image.credit.as_deref(),
            width: image.width,
            height: image.height,
            record: image.record.as_ref(),
        }
    }
}

/// A data table.
#[derive(Debug, Serialize)]
pub(crate) struct TableRecord<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    caption: Option<&'a str>,
    header_rows: u32,
    rows: &'a [Vec<String>],
}

impl<'a> TableRecord<'a> {
    fn of(table: &'a Table) -> Self {
        let Table { caption, header_rows, rows } = table;
        Self { caption: caption.as_deref(), header_rows: *header_rows, rows }
    }
}

/// Embedded media.
#[derive(Debug, Serialize)]
pub(crate) struct EmbedRecord<'a> {
    kind: &'static str,
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
}

impl<'a> EmbedRecord<'a> {
    fn of(embed: &'a Embed) -> Self {
        Self { kind: embed.kind.as_str(), url: &embed.url, title: embed.title.as_deref() }
    }
}

/// A note.
#[derive(Debug, Serialize)]
pub(crate) struct FootnoteRecord<'a> {
    id: &'a str,
    label: &'a str,
    text: &'a str,
}

impl<'a> FootnoteRecord<'a> {
    fn of(note: &'a Footnote) -> Self {
        Self { id: &note.id, label: &note.label, text: &note.text }
    }
}

/// Declared character sets that were overruled.
#[derive(Debug, Serialize)]
pub(crate) struct OverruledRecord {
    #[serde(skip_serializing_if = "Option::is_none")]
    http: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    xml: Option<&'static str>,
}

impl OverruledRecord {
    /// `None` if none was overruled.
    fn of(overruled: &Overruled) -> Option<Self> {
        let Overruled { http, meta, xml } = *overruled;
        overruled.all().next().map(|_| Self { http, meta, xml })
    }
}

/// The source of each metadata field.
#[derive(Debug, Serialize)]
pub(crate) struct Sources {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    authors: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modified: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    canonical: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    site_name: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    license: Option<&'static str>,
}

impl Sources {
    pub(crate) fn of(m: &Metadata) -> Self {
        Self {
            title: source(&m.title),
            authors: source(&m.authors),
            published: source(&m.published),
            modified: source(&m.modified),
            language: source(&m.language),
            description: source(&m.description),
            image: source(&m.image),
            tags: source(&m.tags),
            canonical: source(&m.canonical),
            site_name: source(&m.site_name),
            section: source(&m.section),
            access: source(&m.access),
            license: source(&m.license),
        }
    }
}

/// The position of a record.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct OriginRecord<'a> {
    /// The input file as named.
    pub file: Cow<'a, str>,
    /// Offset of the record or of its gzip member.
    pub offset: u64,
    /// `WARC-Record-ID`; empty without one.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub record_id: Cow<'a, str>,
    /// Why the record is not complete, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Cow<'a, str>>,
}

impl<'a> From<&'a Origin> for OriginRecord<'a> {
    fn from(origin: &'a Origin) -> Self {
        Self {
            file: Cow::Borrowed(&origin.file),
            offset: origin.offset,
            record_id: Cow::Borrowed(&origin.record_id),
            truncated: origin.truncated.as_deref().map(Cow::Borrowed),
        }
    }
}

fn text(field: &Option<Field<String>>) -> Option<&str> {
    field.as_ref().map(|f| f.value.as_str())
}

fn list(field: &Option<Field<Vec<String>>>) -> &[String] {
    field.as_ref().map_or(&[], |f| f.value.as_slice())
}

fn source<T>(field: &Option<Field<T>>) -> Option<&'static str> {
    field.as_ref().map(|f| f.source.as_str())
}

/// The number of words of a text; in scripts without spaces, of pairs of characters.
pub fn word_count(text: &str) -> u32 {
    terms::count_words(text)
}

/// The hash of a text's words: XXH3-128 of the words between white space, in UTF-8, separated by single spaces, as 32 hex
/// digits. Equal for equal words, whatever the paragraphs.
pub fn content_hash(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    }
    format!("{:032x}", xxh3_128(words.as_bytes()))
}

/// How much of an article those without a subscription get, as written.
pub fn access_of(article: &Article) -> Option<&'static str> {
    article.metadata.access.as_ref().map(|access| access.value.as_str())
}

/// Four decimals are enough precision for a confidence, and keep lines short.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// The record of an article.
pub fn article_record(article: &Article) -> ArticleRecord<'_> {
    let m = &article.metadata;
    ArticleRecord {
        schema: SCHEMA,
        url: &article.url,
        site: &article.site,
        template: &article.template,
        page_type: article.page_type.map(|own| own.page_type.as_str()),
        page_type_probability: article.page_type.map(|own| rounded(own.probability)),
        title: text(&m.title),
        authors: list(&m.authors),
        published: text(&m.published),
        modified: text(&m.modified),
        language: text(&m.language),
        language_score: article.language_score.map(rounded),
        description: text(&m.description),
        image: text(&m.image),
        tags: list(&m.tags),
        canonical: text(&m.canonical),
        site_name: text(&m.site_name),
        section: text(&m.section),
        access: access_of(article),
        license: text(&m.license),
        word_count: word_count(&article.text),
        content_hash: content_hash(&article.text),
        text: &article.text,
        html: &article.html,
        images: article.images.iter().map(ImageRecord::of).collect(),
        tables: article.tables.iter().map(TableRecord::of).collect(),
        embeds: article.embeds.iter().map(EmbedRecord::of).collect(),
        footnotes: article.footnotes.iter().map(FootnoteRecord::of).collect(),
        markdown: article.markdown.as_deref(),
        comments: &article.comments,
        posts: article.posts.iter().map(PostRecord::of).collect(),
        xpath: &article.xpath,
        prune: &article.prune,
        cut: article.cut.as_deref(),
        engine: &article.engine,
        route: article.route.as_str(),
        wrapper_version: article.wrapper_version,
        confidence: rounded(article.confidence),
        doubtful: article.doubtful,
        site_config: article.site_config.map(SiteConfigRole::as_str),
        model_revision: article.model_revision,
        health: article.health.map(Verdict::as_str),
        cluster: article.duplicate.as_ref().map(|duplicate| &*duplicate.cluster),
        duplicate_of: article.duplicate_of(),
        similarity: article.duplicate.as_ref().and_then(|of| Some(rounded(of.of.as_ref()?.1))),
        gone: article.gone.as_ref().map(|gone| gone.at.to_string()),
        gone_status: article.gone.as_ref().map(|gone| gone.status),
        moved_to: article.gone.as_ref().and_then(|gone| gone.moved_to.as_deref()),
        sources: Sources::of(m),
        fetched: article.fetched.map(|t| t.to_string()),
        charset: article.charset.name,
        charset_evidence: article.charset.evidence.as_str(),
        charset_overruled: OverruledRecord::of(&article.charset.overruled),
        origin: (&article.origin).into(),
    }
}
