//! An extracted article and its metadata.

use serde::{Deserialize, Serialize};

use jiff::Timestamp;

use crate::{Charset, Gone, Origin, TypedAs, Verdict};

/// Where a metadata value was found.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub enum Source {
    /// A `<script type="application/ld+json">` block (schema.org).
    JsonLd,
    /// Open Graph and `article:` properties in `<meta property>`.
    OpenGraph,
    /// Other `<meta name>` elements, `<title>`, `<link>`, `<html lang>`.
    Meta,
    /// A feed item that points to the page.
    Feed,
    /// The page's visible content (headings, bylines, `<time>`), or its URL.
    Page,
    /// Computed from the extracted text (language detection).
    Text,
    /// An expression of a site config.
    SiteConfig,
}

impl Source {
    /// The name written to outputs: `json-ld`, `open-graph`, `meta`, `feed`, `page`, `text`,
    /// `site-config`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::JsonLd => "json-ld",
            Self::OpenGraph => "open-graph",
            Self::Meta => "meta",
            Self::Feed => "feed",
            Self::Page => "page",
            Self::Text => "text",
            Self::SiteConfig => "site-config",
        }
    }
}

/// A metadata value and its source.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Field<T> {
    /// The value, cleaned.
    pub value: T,
    /// Its source.
    pub source: Source,
}

/// The metadata of an article.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Metadata {
    /// Headline without the site's name.
    pub title: Option<Field<String>>,
    /// Names of the authors, without "By" and the like, in page order; never an empty list.
    pub authors: Option<Field<Vec<String>>>,
    /// When it was published, RFC 3339 date or date-time; never after the page was fetched.
    pub published: Option<Field<String>>,
    /// When it was last changed, in the same form.
    pub modified: Option<Field<String>>,
    /// BCP 47 tag, lower-case primary subtag (`en`, `pt-BR`).
    pub language: Option<Field<String>>,
    /// Summary by the publisher.
    pub description: Option<Field<String>>,
    /// Absolute URL of the lead image.
    pub image: Option<Field<String>>,
    /// Keywords, in page order; never an empty list.
    pub tags: Option<Field<Vec<String>>>,
    /// Absolute canonical URL.
    pub canonical: Option<Field<String>>,
    /// Name of the publication.
    pub site_name: Option<Field<String>>,
    /// Section of the publication: the first that the page names.
    pub section: Option<Field<String>>,
    /// How much of the article those without a subscription get.
    pub access: Option<Field<Access>>,
    /// Licence: its absolute address, or a statement of the rights.
    pub license: Option<Field<String>>,
}

/// How much of an article those without a subscription get.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub enum Access {
    /// All: the page says that it is free.
    Full,
    /// The page has the beginning only.
    Partial,
    /// It is for subscribers, but the page seems to have all of it.
    Paid,
}

impl Access {
    /// The name written to outputs: `full`, `partial`, `paid`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Partial => "partial",
            Self::Paid => "paid",
        }
    }
}

/// How the text of an article was found.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub enum Route {
    /// By the wrapper of its template.
    Wrapper,
    /// By a single-page method, without siblings or a matching wrapper.
    PageWise,
    /// From the page's JSON-LD: the text is not in the elements.
    JsonLd,
    /// From a feed item, for the same reason.
    Feed,
    /// By the decisions on the patterns of its template: no expressions select the same elements.
    Patterns,
}

impl Route {
    /// Whether what was learnt of the template found the body.
    pub fn is_of_template(self) -> bool {
        matches!(self, Self::Wrapper | Self::Patterns)
    }

    /// The name written to outputs: `wrapper`, `page-wise`, `json-ld`, `feed`, `patterns`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wrapper => "wrapper",
            Self::PageWise => "page-wise",
            Self::JsonLd => "json-ld",
            Self::Feed => "feed",
            Self::Patterns => "patterns",
        }
    }
}

/// An extracted article.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Article {
    /// URL of the page.
    pub url: String,
    /// Key of its site.
    pub site: String,
    /// Id of its template.
    pub template: String,
    /// The type of the pages of its template, and its probability; only with engine `grove`.
    pub page_type: Option<TypedAs>,
    /// The origin of the page.
    pub origin: Origin,
    /// When the page was fetched.
    pub fetched: Option<Timestamp>,
    /// XXH3-128 of the page's decoded payload; of an article of several pages, of all of them.
    pub payload: [u8; 16],
    /// Encoding the page was decoded with.
    pub charset: Charset,
    /// Title, authors and the like.
    pub metadata: Metadata,
    /// How sure it is, from 0 to 1, that the text is in the language that was detected in it; `None` if it is too short.
    pub language_score: Option<f64>,
    /// Body as plain text: paragraphs separated by one blank line, white space normalised.
    pub text: String,
    /// Body as an HTML fragment: absolute links, images kept, nothing that runs.
    pub html: String,
    /// The pictures of `html`, in its order.
    pub images: Vec<Image>,
    /// The data tables of `html`, in its order.
    pub tables: Vec<Table>,
    /// What the page embeds from elsewhere, in the order of `html`.
    pub embeds: Vec<Embed>,
    /// The notes that the text refers to, in the order of `html`.
    pub footnotes: Vec<Footnote>,
    /// Body as Markdown (GitHub flavoured), if that is wanted.
    pub markdown: Option<String>,
    /// XPath expressions that select the body's nodes on this page.
    pub xpath: Vec<String>,
    /// XPath expressions of the nodes removed from them.
    pub prune: Vec<String>,
    /// XPath of the node before which the article ends: nothing from there on, in document order, belongs to
    /// it. Valid for this page only.
    pub cut: Option<String>,
    /// Readers' comments, as plain text like `text`; empty if there are none.
    pub comments: String,
    /// The posts of a thread, in their order; empty for pages of other types.
    pub posts: Vec<Post>,
    /// Engine that found the body.
    pub engine: String,
    /// How the body was found.
    pub route: Route,
    /// Version of the wrapper used, 0 without one.
    pub wrapper_version: u32,
    /// Confidence in 0..=1 that the body is right; for the default engine, the expected F1.
    pub confidence: f64,
    /// Whether the confidence is below the configured threshold.
    pub doubtful: bool,
    /// What became of the site config of its host; `None` if there is none for it.
    pub site_config: Option<SiteConfigRole>,
    /// Revision of the stored model that it was extracted with, 0 for one that is not kept; `None` in a run
    /// without a store of models.
    pub model_revision: Option<u32>,
    /// How its template is, or else its site; `None` in a run without a store of models.
    pub health: Option<Verdict>,
    /// The group of articles of the crawl that are the same; `None` if it is the only one.
    pub duplicate: Option<Duplicate>,
    /// That the crawl asked for its address again, later, and there was no page any more.
    pub gone: Option<Gone>,
}

/// What a site config did for an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteConfigRole {
    /// Its body is the article's.
    Used,
    /// It found a body with hardly any of the text that the engine finds: the engine's is the article's.
    Overruled,
    /// It found no body.
    NoBody,
}

impl SiteConfigRole {
    /// The name written to outputs: `used`, `overruled`, `no-body`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::Overruled => "overruled",
            Self::NoBody => "no-body",
        }
    }
}

/// The place of an article in a group of articles that are the same.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Duplicate {
    /// Id of the group: 16 hex digits, a hash of the address of the article that represents it.
    pub cluster: String,
    /// Address of the article that represents the group, and the similarity of the texts, 0 to 1; `None` for that
    /// article itself.
    pub of: Option<(String, f64)>,
}

impl Article {
    /// The address of the article that it is a duplicate of.
    pub fn duplicate_of(&self) -> Option<&str> {
        self.duplicate.as_ref()?.of.as_ref().map(|(url, _)| url.as_str())
    }
}

/// A post of a thread.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Post {
    /// Name of its author, as the page shows it.
    pub author: Option<String>,
    /// When it was written, RFC 3339 date or date-time.
    pub date: Option<String>,
    /// Its text, in the form of [`Article::text`].
    pub text: String,
}

/// A picture of an article.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Image {
    /// Its absolute address: of its sources, the best.
    pub url: String,
    /// Its other sources, the best first: of other sizes and formats, and the one for readers that load no others.
    #[serde(default)]
    pub others: Vec<String>,
    /// Caption, without the credit.
    pub caption: Option<String>,
    /// Alternative text.
    pub alt: Option<String>,
    /// Photographer or owner, as the page names them.
    pub credit: Option<String>,
    /// Width in pixels, where the page gives it.
    pub width: Option<u32>,
    /// Height in pixels, likewise.
    pub height: Option<u32>,
    /// The record of the crawl that has its bytes, if there is one.
    pub record: Option<RecordPlace>,
}

/// The place of a record with the bytes of a picture.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct RecordPlace {
    /// The source of the picture that it has.
    pub url: String,
    /// The archive, as the run names it.
    pub file: String,
    /// Offset of the record there, in bytes; in a compressed archive, of its member.
    pub offset: u64,
}

/// A data table of an article.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Table {
    /// Its caption.
    pub caption: Option<String>,
    /// How many of its first rows consist of headers.
    pub header_rows: u32,
    /// The texts of its cells by row. A cell that spans several columns is followed by empty ones.
    pub rows: Vec<Vec<String>>,
}

/// What an embedded element shows.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum EmbedKind {
    /// A film.
    Video,
    /// A recording.
    Audio,
    /// A post of a social network.
    Post,
    /// A map.
    Map,
    /// A chart.
    Chart,
    /// A document, such as a PDF file.
    Document,
    /// Another page.
    Frame,
}

impl EmbedKind {
    /// The name written to outputs: `video`, `audio`, `post`, `map`, `chart`, `document`, `frame`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Video => "video",
            Self::Audio => "audio",
            Self::Post => "post",
            Self::Map => "map",
            Self::Chart => "chart",
            Self::Document => "document",
            Self::Frame => "frame",
        }
    }
}

/// Something that an article embeds from elsewhere.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Embed {
    /// What it shows.
    pub kind: EmbedKind,
    /// The absolute address where people see it.
    pub url: String,
    /// Its title, if the page gives one.
    pub title: Option<String>,
}

/// A note that the text refers to.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Footnote {
    /// Its id in `html`.
    pub id: String,
    /// The text of the first link to it: a number or a sign.
    pub label: String,
    /// Its text, without the link back.
    pub text: String,
}
