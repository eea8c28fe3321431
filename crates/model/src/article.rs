//! The article: the record that every output writes.
//!
//! Its fields are declared here once. Serde writes them to `articles.jsonl`; CSV, Parquet, the Python class and the tables of
//! `docs/FORMATS.md` are derived from the list of fields.

use std::ops::{Deref, DerefMut};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::page::charset_name;
use crate::record::{record, serialize_rounded, serialize_rounded_if_some};
use crate::{
    AuthorKind, CharsetEvidence, Doubt, EncodingName, ExtraValue, FieldCorrection, FieldKind,
    FieldType, Gone, Origin, Overruled, PageType, Quality, Rights, Verdict, named,
};

/// Version of all record formats.
pub const SCHEMA: u32 = 1;

record! {
/// An extracted article: a line of `articles.jsonl`, key by key.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct Article {
    /// Version of the format, 1.
    pub schema: SchemaVersion,
    /// Address of the page as the archive has it. A page from a folder has the canonical address that it names, else
    /// `file:///FOLDER/NAME`.
    pub url: String,
    /// Registrable domain by the public suffix list; the host on a private suffix; the host or IP address if there is
    /// no suffix; the folder for files.
    pub site: String,
    /// Template within the site, an `id` of `wrappers/SITE.json`; empty if the page belongs to none and was extracted
    /// by itself.
    pub template: String,
    /// Type of the pages of its template: `article`, `documentation`, `service`, `forum`, `collection`, `listing` or
    /// `product` ([how it is determined](ALGORITHM.md#page-types)); engine `grove`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_type: Option<PageType>,
    /// Probability of `page_type`, 0 to 1, four decimals.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "serialize_rounded_if_some")]
    pub page_type_probability: Option<f64>,
    /// Headline without the site's name.
    pub title: Option<String>,
    /// Standfirst (deck): the sentences set apart below the headline that introduce the article.
    pub subtitle: Option<String>,
    /// Names, in the order of the page.
    pub authors: Vec<String>,
    /// The kind of each author: `person`, `organization` or `account` (a user name or a role).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub author_kinds: Vec<AuthorKind>,
    /// RFC 3339 date, or date and time, with an offset if the page or its feed item has one. Only the date if it is unclear
    /// whether a time is before or after noon. At most one day after `fetched`; up to a year if the page has no other date and
    /// declares no event. Equals `modified` if the page only says when it was changed.
    pub published: Option<String>,
    /// Date of the last change, in the form of `published` and not before it.
    pub modified: Option<String>,
    /// BCP 47 tag.
    pub language: Option<String>,
    /// Probability that `text` is in `language`, 0 to 1 with four decimals ([how it is
    /// computed](ALGORITHM.md#terms-and-languages)); null for a text that is too short.
    #[serde(serialize_with = "serialize_rounded_if_some")]
    pub language_score: Option<f64>,
    /// The publisher's summary.
    pub description: Option<String>,
    /// Absolute address of the lead image.
    pub image: Option<String>,
    /// Keywords, in the order of the page.
    pub tags: Vec<String>,
    /// Absolute canonical address.
    pub canonical: Option<String>,
    /// Name of the publication.
    pub site_name: Option<String>,
    /// Section of the publication: the one that the page declares, else the last breadcrumb before the article itself.
    pub section: Option<String>,
    /// How much of the article is free to read, if the page says so: `full`, `partial` (the page has only the
    /// beginning) or `paid` (for subscribers, but the page seems to have all of it).
    pub access: Option<Access>,
    /// Absolute address of the licence, or a statement of the rights.
    pub license: Option<String>,
    /// What the page and its server say about its use ([below](#rights)); absent if they say nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rights: Option<Rights>,
    /// Number of words of `text`; in scripts without spaces, of pairs of characters.
    pub word_count: u32,
    /// XXH3-128 of the words of `text` (split at white space, joined by single spaces, UTF-8) as 32 hex digits: equal
    /// for equal words.
    pub content_hash: String,
    /// Body as plain text, without the title unless `extract.title_in_text` is set ([below](#title-and-text)): a
    /// blank line between paragraphs, one line per list item or table cell, white space collapsed outside
    /// preformatted text. Bylines, dates and captions do not belong to it: they are in `authors`, `published` and
    /// `images`.
    pub text: String,
    /// Body as an HTML fragment ([below](#html)); empty if the body is not in the page (engine `description`).
    pub html: String,
    /// The pictures of `html`, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// The data tables of `html`, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Table>,
    /// What the page embeds from elsewhere, in the order of `html`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub embeds: Vec<Embed>,
    /// The notes that the text refers to, in the order of `html`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub footnotes: Vec<Footnote>,
    /// Body as Markdown, if requested ([below](#markdown)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
    /// Readers' comments, as plain text with a blank line between paragraphs (engine `grove`).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub comments: String,
    /// The posts of a thread, in order, if there are any, whatever the `page_type`; `text` consists of their texts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub posts: Vec<Post>,
    /// The parts of `text` for retrieval, in order, if requested ([below](#passages)).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<Passage>,
    /// XPath 1.0 expressions whose union selects the body. Route `wrapper`: those of the wrapper. Routes `page-wise` and
    /// `patterns`: positions on this page only. If the template has its standfirst in one place, the first selects that.
    pub xpath: Vec<String>,
    /// XPath 1.0 expressions of what is removed from the body. The nearest selected element above a text decides whether
    /// it is kept. Engine `grove` adds the positions of [repeated text](ALGORITHM.md#grove-the-default-engine) on this
    /// page. Empty except for engine `grove` and site configs.
    pub prune: Vec<String>,
    /// XPath of the node at which the body ends: nothing from it on, in document order, belongs to the body, even if
    /// `xpath` selects it (engine `grove`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    /// What found the body: `grove`, `forest`, `euclid`, …; `site-config` for a [site config](SITE-CONFIG.md).
    pub engine: String,
    /// How the body was found: `wrapper`; `patterns`, by the decisions on the template's patterns, because no wrapper
    /// selects the same elements; `page-wise`, from this page alone; and, for text that is not in the page's elements,
    /// `json-ld`, `feed` or `page-data` (data for the page's scripts), for which `xpath` is empty.
    pub route: Route,
    /// Version of the wrapper, 0 if none was used.
    pub wrapper_version: u32,
    /// 0 to 1, four decimals. For `grove`, the expected F1 ([how accurate it is](ALGORITHM.md#confidence)); for other
    /// engines it only ranks articles ([how it is computed](ALGORITHM.md#wrappers)).
    #[serde(serialize_with = "serialize_rounded")]
    pub confidence: f64,
    /// Measures of the text for filtering articles ([below](#quality)).
    pub quality: Quality,
    /// Whether the confidence is below `extract.doubtful_below` (0.79).
    pub doubtful: bool,
    /// The main reason if it is doubtful: `too-much` (the text probably contains more than the article), `too-little` (it
    /// probably lacks part of it), `repeated` (much of it occurs twice), `type` (the page may not be an article) or `mixed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
    /// What the [site config](SITE-CONFIG.md) of its host did: `used`; `overruled` if it found hardly any of the text
    /// that the engine finds, which is used instead; `no-body` if it found no body. Absent if the host has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_config: Option<SiteConfigRole>,
    /// With `--models`: revision of the stored site model that extracted it, 0 for a model that is not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_revision: Option<u32>,
    /// With `--models`: the verdict on its template, or the worst on its site's templates if the sample has no page of it:
    /// `too-few-pages`, `healthy`, `drifting` or `broken`
    /// ([NIGHTLY.md](NIGHTLY.md#what-each-verdict-means-and-what-to-do)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub health: Option<Verdict>,
    /// The group of duplicates that it belongs to ([DUPLICATES.md](DUPLICATES.md)), as 16 hex digits; absent if it has no
    /// duplicates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Address of the article that represents the group; absent in that one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<String>,
    /// Similarity of the text to that of `duplicate_of`, 0 to 1, four decimals.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "serialize_rounded_if_some")]
    pub similarity: Option<f64>,
    /// Time of the first request after `fetched` that found the page gone: status 404 or 410, or a redirect to another
    /// address ([ARCHIVE.md](ARCHIVE.md#gone-pages)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone: Option<Timestamp>,
    /// HTTP status of that response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone_status: Option<u16>,
    /// Absolute target address of that redirect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
    /// Where each metadata field was found: `json-ld`, `open-graph`, `meta`, `feed`, `page` (visible text, or the address),
    /// `text` (computed from the body), `site-config` or `correction`; for `title`, `subtitle`, `authors` and `published` also how sure the
    /// value is. Fields that are null or empty are absent.
    pub sources: Sources,
    /// The fields that were [corrected](CORRECTIONS.md#correct-one-article) by hand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corrections: Vec<FieldCorrection>,
    /// `WARC-Date`; null for files.
    pub fetched: Option<Timestamp>,
    /// Encoding the page was decoded from, by its WHATWG name (or `UTF-32LE`, `UTF-32BE`).
    #[serde(deserialize_with = "charset_name")]
    pub charset: EncodingName,
    /// The evidence for it: `bom` (a byte order mark), `zero-bytes` (of UTF-16 or UTF-32), `http`, `meta` or `xml` (a
    /// declaration that the bytes confirm), `valid-utf8`, `mostly-utf8` (UTF-8 with some broken bytes, each read as
    /// U+FFFD) or `detector` (a guess).
    pub charset_evidence: CharsetEvidence,
    /// Declarations that name another encoding and were not followed. [READING.md](READING.md#character-sets) has the
    /// rules.
    #[serde(skip_serializing_if = "Overruled::is_empty")]
    pub charset_overruled: Overruled,
    /// Where the page was read.
    pub origin: Origin,
    /// The requested columns (`read.extra`) of the page's row in an index table, in the order requested. `url_surtkey` (the
    /// sort key of indexes) and `crawl` (the name of the crawl in the path of the archive, such as `CC-MAIN-2026-21`) do not
    /// need a table.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extra: Vec<ExtraValue>,
}
}

/// Declares [`Metadata`] and [`Sources`]: the fields of the record that have a source.
macro_rules! metadata {
    ($($field:ident: $type:ty, $source:ty;)*) => {
        /// The metadata found on a page: values of fields of the [`Article`], each with its source. Lists are not empty.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Metadata {
            $(
                #[doc = concat!("[`Article::", stringify!($field), "`].")]
                pub $field: Option<Field<$type>>,
            )*
            /// [`Article::author_kinds`].
            pub author_kinds: Vec<AuthorKind>,
        }

        record! {
        /// The sources of the metadata of an article.
        #[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
        #[serde(default)]
        pub struct Sources {
            $(
                #[doc = concat!("Source of `", stringify!($field), "`.")]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $field: Option<$source>,
            )*
        }
        }

        impl Sources {
            /// The fields that have a source, with its name.
            pub fn found(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
                let all = [$((stringify!($field), self.$field.as_ref().map(Source::from))),*];
                all.into_iter().filter_map(|(field, source)| Some((field, source?.as_str())))
            }
        }

        impl Article {
            /// Sets the fields that were found, with their sources.
            pub fn set_metadata(&mut self, metadata: Metadata) {
                $(if let Some(Field { value, source }) = metadata.$field {
                    self.$field = value.into();
                    self.sources.$field = Some(source.into());
                })*
                self.author_kinds = metadata.author_kinds;
            }
        }
    };
}

metadata! {
    title: String, FieldSource;
    subtitle: String, FieldSource;
    authors: Vec<String>, FieldSource;
    published: String, FieldSource;
    modified: String, Source;
    language: String, Source;
    description: String, Source;
    image: String, Source;
    tags: Vec<String>, Source;
    canonical: String, Source;
    site_name: String, Source;
    section: String, Source;
    access: Access, Source;
    license: String, Source;
}

impl Metadata {
    /// Removes the standfirst, authors and date of publication if their confidence is below `least`.
    pub fn omit_below(&mut self, least: f64) {
        let is_below = |source: &FieldSource| source.confidence.is_some_and(|own| own < least);
        self.subtitle.take_if(|field| is_below(&field.source));
        if self.authors.take_if(|field| is_below(&field.source)).is_some() {
            self.author_kinds.clear();
        }
        self.published.take_if(|field| is_below(&field.source));
    }
}

record! {
/// The source of a value, and how sure the value is.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct FieldSource {
    /// Where it was found, as `sources` says.
    pub source: Source,
    /// Probability that the value is right, 0 to 1, four decimals ([how it is
    /// computed](ALGORITHM.md#confidence-of-fields)); absent for values from site configs.
    #[serde(skip_serializing_if = "Option::is_none", default, serialize_with = "serialize_rounded_if_some")]
    pub confidence: Option<f64>,
    /// Number of kinds of sources on the page that have this value, including `source`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agree: Option<u32>,
    /// Number of kinds of sources that have another value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differ: Option<u32>,
    /// XPath 1.0 expression of the elements that show the value: valid for the template if known, else for this page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub xpath: Option<String>,
}
}

impl From<Source> for FieldSource {
    fn from(source: Source) -> Self {
        Self { source, confidence: None, agree: None, differ: None, xpath: None }
    }
}

impl From<&FieldSource> for Source {
    fn from(found: &FieldSource) -> Self {
        found.source
    }
}

impl From<FieldSource> for Source {
    fn from(found: FieldSource) -> Self {
        found.source
    }
}

impl From<&Self> for Source {
    fn from(source: &Self) -> Self {
        *source
    }
}

record! {
/// A picture of an article.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Image {
    /// Absolute address of its best source.
    pub url: String,
    /// Caption, without the credit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// Alternative text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alt: Option<String>,
    /// Photographer or owner, if the caption marks them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credit: Option<String>,
    /// Width in pixels, if the page gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// Height in pixels, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// The crawl record that contains the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordPlace>,
}
}

record! {
/// The crawl record that contains the bytes of a picture.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct RecordPlace {
    /// Address of the picture in the record: `images[].url`, or another source of the picture if the crawl lacks the best.
    pub url: String,
    /// The archive, as `inputs` in the ledger names it.
    pub file: String,
    /// Byte offset of the record, or of its member in a compressed archive.
    pub offset: u64,
}
}

record! {
/// A data table of an article.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Table {
    /// Its caption.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// Number of header rows at the top.
    pub header_rows: u32,
    /// Cell texts by row; a cell that spans columns is followed by empty cells.
    pub rows: Vec<Vec<String>>,
}
}

record! {
/// Something that an article embeds from elsewhere.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Embed {
    /// `video`, `audio`, `post`, `map`, `chart`, `document` or `frame`.
    pub kind: EmbedKind,
    /// Absolute address for viewing it.
    pub url: String,
    /// Its title, if the page gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}
}

record! {
/// A note that the text refers to.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Footnote {
    /// Its id in `html`.
    pub id: String,
    /// Text of the first link to it: a number or a sign.
    pub label: String,
    /// Its text, without its label and the link back.
    pub text: String,
}
}

record! {
/// A post of a thread.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Post {
    /// Name of its author, as shown on the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// When it was written, in the form of `published`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Plain text, as in `text`.
    pub text: String,
}
}

record! {
/// A part of the text of an article, for retrieval.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Passage {
    /// Its number within the article, from 0.
    pub ordinal: u32,
    /// The headings above it, outermost first, the last of which may be its own first line. At most 160 characters each.
    pub headings: Vec<String>,
    /// Its content apart from headings: `prose`, `list`, `table` or `code`.
    pub kind: PassageKind,
    /// Start in `text`, in characters (Unicode scalar values) from 0.
    pub start: u32,
    /// End in `text`, exclusive.
    pub end: u32,
    /// Number of words, counted as in `word_count`.
    pub words: u32,
    /// XXH3-128 of its words, computed as `content_hash`.
    pub hash: String,
}
}

/// Version of a record format; always [`SCHEMA`] in what this program writes.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct SchemaVersion(pub u32);

impl Default for SchemaVersion {
    fn default() -> Self {
        Self(SCHEMA)
    }
}

impl FieldType for SchemaVersion {
    const KIND: FieldKind = FieldKind::Integer;
}

impl Article {
    /// Total size of its long texts in bytes, which is most of the memory it takes.
    pub fn long_text_bytes(&self) -> usize {
        let markdown = self.markdown.as_ref().map_or(0, String::len);
        self.text.len() + self.html.len() + markdown + self.comments.len()
    }

    /// When and how the page was found to be gone.
    pub fn absence(&self) -> Option<Gone> {
        let (at, status) = self.gone.zip(self.gone_status)?;
        Some(Gone { at, status, moved_to: self.moved_to.clone() })
    }

    /// Sets or clears `gone`, `gone_status` and `moved_to`.
    pub fn set_absence(&mut self, absence: Option<Gone>) {
        self.gone = absence.as_ref().map(|gone| gone.at);
        self.gone_status = absence.as_ref().map(|gone| gone.status);
        self.moved_to = absence.and_then(|gone| gone.moved_to);
    }
}

/// An article with data that later stages need and that is not part of the record.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Extracted {
    /// The fields that outputs write.
    pub article: Article,
    /// XXH3-128 of the decoded payload of the page, or of all pages of the article.
    pub payload: [u8; 16],
    /// For each of `images`, its other sources, best first: other sizes and formats, and the fallback in `<noscript>`.
    pub image_sources: Vec<Vec<String>>,
    /// The article before corrections, if any were applied.
    #[serde(skip)]
    pub uncorrected: Option<Box<Article>>,
}

impl Deref for Extracted {
    type Target = Article;

    fn deref(&self) -> &Article {
        &self.article
    }
}

impl DerefMut for Extracted {
    fn deref_mut(&mut self) -> &mut Article {
        &mut self.article
    }
}

impl From<Article> for Extracted {
    fn from(article: Article) -> Self {
        Self { article, ..Self::default() }
    }
}

named! {
/// Where a metadata value was found.
pub enum Source {
    /// A `<script type="application/ld+json">` block (schema.org).
    JsonLd => "json-ld",
    /// Open Graph and `article:` properties in `<meta property>`.
    OpenGraph => "open-graph",
    /// Other `<meta name>` elements, `<title>`, `<link>`, `<html lang>`.
    Meta => "meta",
    /// A feed item that points to the page.
    Feed => "feed",
    /// The page's visible content (headings, bylines, `<time>`), or its URL.
    Page => "page",
    /// Computed from the extracted text (language detection).
    Text => "text",
    /// An expression of a site config.
    SiteConfig => "site-config",
    /// A correction by hand.
    Correction => "correction",
}
}

/// A metadata value and its source.
#[derive(Clone, Debug, PartialEq)]
pub struct Field<T> {
    /// The value, cleaned.
    pub value: T,
    /// Where the page declares or shows it.
    pub source: FieldSource,
}

impl<T> Field<T> {
    /// A value with its source and no confidence.
    pub fn new(value: T, source: Source) -> Self {
        Self { value, source: source.into() }
    }
}

named! {
/// How much of an article is free to read.
pub enum Access {
    /// All: the page says that it is free.
    Full => "full",
    /// The page has only the beginning.
    Partial => "partial",
    /// For subscribers, but the page seems to have all of it.
    Paid => "paid",
}
}

named! {
/// How the text of an article was found.
#[derive(Default)]
pub enum Route {
    /// By the wrapper of its template.
    Wrapper => "wrapper",
    /// By a single-page method, without siblings or a matching wrapper.
    #[default]
    PageWise => "page-wise",
    /// From the page's JSON-LD: the text is not in the elements.
    JsonLd => "json-ld",
    /// From a feed item, for the same reason.
    Feed => "feed",
    /// From the data that the page has for its scripts, for the same reason.
    PageData => "page-data",
    /// By the decisions on the patterns of its template: no expressions select the same elements.
    Patterns => "patterns",
}
}

impl Route {
    /// Whether the body was found by what was learnt about the template.
    pub fn is_of_template(self) -> bool {
        matches!(self, Self::Wrapper | Self::Patterns)
    }

    /// Whether the text is in the page's elements.
    pub fn is_of_elements(self) -> bool {
        !matches!(self, Self::JsonLd | Self::Feed | Self::PageData)
    }
}

named! {
/// What a site config did for an article.
pub enum SiteConfigRole {
    /// The article has the body that it found.
    Used => "used",
    /// Its body has hardly any of the text that the engine finds, so the engine's body is used.
    Overruled => "overruled",
    /// It found no body.
    NoBody => "no-body",
}
}

named! {
/// What a passage consists of.
#[derive(Default)]
pub enum PassageKind {
    /// Paragraphs.
    #[default]
    Prose => "prose",
    /// Lists.
    List => "list",
    /// Tables.
    Table => "table",
    /// Preformatted text.
    Code => "code",
}
}

named! {
/// What an embedded element shows.
#[derive(Default)]
pub enum EmbedKind {
    /// A film.
    Video => "video",
    /// A recording.
    Audio => "audio",
    /// A post of a social network.
    Post => "post",
    /// A map.
    Map => "map",
    /// A chart.
    Chart => "chart",
    /// A document, such as a PDF file.
    Document => "document",
    /// Another page.
    #[default]
    Frame => "frame",
}
}
