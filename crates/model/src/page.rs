//! Pages and sites.

use std::cell::RefCell;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use jiff::Timestamp;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::FeedItem;

/// One HTML page: the decoded payload of one record, with its origin.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Page {
    /// Absolute URL that the page was fetched from, as in the record.
    pub url: String,
    /// Key of the site the page belongs to (see [`Site::key`]); empty until grouped.
    pub site: String,
    /// When the page was fetched, if the record has a date.
    pub fetched: Option<Timestamp>,
    /// The origin of the record.
    pub origin: Origin,
    /// Character set the payload was decoded with.
    pub charset: Charset,
    /// The payload, decoded to UTF-8.
    pub html: PageHtml,
}

/// The HTML of a page. It may borrow a buffer of Python or Arrow; cloning a page never copies it.
#[derive(Clone)]
pub struct PageHtml(Arc<dyn AsRef<str> + Send + Sync>);

impl PageHtml {
    /// HTML that something owns.
    pub fn of(owner: impl AsRef<str> + Send + Sync + 'static) -> Self {
        Self(Arc::new(owner))
    }
}

impl Deref for PageHtml {
    type Target = str;

    fn deref(&self) -> &str {
        (*self.0).as_ref()
    }
}

impl Default for PageHtml {
    fn default() -> Self {
        Self::of("")
    }
}

impl From<String> for PageHtml {
    fn from(html: String) -> Self {
        Self::of(html)
    }
}

impl From<&str> for PageHtml {
    fn from(html: &str) -> Self {
        Self::of(html.to_owned())
    }
}

impl PartialEq for PageHtml {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for PageHtml {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl Serialize for PageHtml {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for PageHtml {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::of)
    }
}

/// The position of a record or feed: enough to find it again with other tools.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Origin {
    /// Input file as named on the command line (or found by a glob).
    #[serde(deserialize_with = "shared_name")]
    pub file: Arc<str>,
    /// Byte offset in that file: of the gzip member for compressed archives, of the record's
    /// first byte for plain ones, 0 for single files.
    pub offset: u64,
    /// `WARC-Record-ID` without angle brackets, or empty.
    pub record_id: String,
    /// Value of `WARC-Truncated`, if the record has one (ISO 28500 §5.13), or `cut-short` if the
    /// archive breaks off within it.
    pub truncated: Option<String>,
}

/// Character set of a payload, and how it was determined.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Charset {
    /// Name of the encoding per the WHATWG Encoding Standard, e.g. `UTF-8`, `windows-1252`; or
    /// `UTF-32LE` or `UTF-32BE`, which that standard leaves out.
    #[serde(deserialize_with = "charset_name")]
    pub name: EncodingName,
    /// The evidence for it.
    pub evidence: CharsetEvidence,
    /// Contradicting declarations.
    pub overruled: Overruled,
}

/// Name of an encoding per the WHATWG Encoding Standard, e.g. `UTF-8`, `windows-1252`.
pub type EncodingName = &'static str;

/// The encodings of declarations that were overruled.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Overruled {
    /// By the HTTP `Content-Type`.
    #[serde(deserialize_with = "charset_name_or_none")]
    pub http: Option<EncodingName>,
    /// By the page's `<meta>`.
    #[serde(deserialize_with = "charset_name_or_none")]
    pub meta: Option<EncodingName>,
    /// By the XML declaration.
    #[serde(deserialize_with = "charset_name_or_none")]
    pub xml: Option<EncodingName>,
}

impl Overruled {
    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = EncodingName> + use<> {
        [self.http, self.meta, self.xml].into_iter().flatten()
    }
}

/// Deserialises the name of a file; consecutive records of one file share it.
fn shared_name<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
    thread_local! {
        static LAST: RefCell<Arc<str>> = RefCell::new(Arc::from(""));
    }
    struct Name;
    impl Visitor<'_> for Name {
        type Value = Arc<str>;

        fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
            to.write_str("the name of a file")
        }

        fn visit_str<E: Error>(self, name: &str) -> Result<Arc<str>, E> {
            LAST.with_borrow_mut(|last| {
                if **last != *name {
                    *last = name.into();
                }
                Ok(Arc::clone(last))
            })
        }
    }
    from.deserialize_str(Name)
}

/// Deserialises the name of an encoding as a static name.
fn charset_name<'de, D: Deserializer<'de>>(from: D) -> Result<EncodingName, D::Error> {
    known(&String::deserialize(from)?)
}

fn charset_name_or_none<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<EncodingName>, D::Error> {
    Option::<String>::deserialize(from)?.map(|name| known(&name)).transpose()
}

fn known<E: Error>(name: &str) -> Result<EncodingName, E> {
    match name {
        "UTF-32LE" => Ok("UTF-32LE"),
        "UTF-32BE" => Ok("UTF-32BE"),
        _ => encoding_rs::Encoding::for_label(name.as_bytes())
            .map(encoding_rs::Encoding::name)
            .ok_or_else(|| E::custom("no such encoding")),
    }
}

/// Evidence for a character set.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub enum CharsetEvidence {
    /// A byte order mark.
    Bom,
    /// The zero bytes of UTF-16 or UTF-32.
    ZeroBytes,
    /// The `charset` parameter of the HTTP `Content-Type`.
    Http,
    /// A `<meta charset>` or `<meta http-equiv>`.
    Meta,
    /// The XML declaration.
    Xml,
    /// No declaration, or a wrong one, and the bytes are valid UTF-8.
    ValidUtf8,
    /// No declaration, or a wrong one, and the bytes are UTF-8 except for a few invalid ones.
    MostlyUtf8,
    /// A statistical guess from the bytes.
    Detector,
}

impl CharsetEvidence {
    /// The name written to outputs: `bom`, `zero-bytes`, `http`, `meta`, `xml`, `valid-utf8`,
    /// `mostly-utf8`, `detector`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bom => "bom",
            Self::ZeroBytes => "zero-bytes",
            Self::Http => "http",
            Self::Meta => "meta",
            Self::Xml => "xml",
            Self::ValidUtf8 => "valid-utf8",
            Self::MostlyUtf8 => "mostly-utf8",
            Self::Detector => "detector",
        }
    }
}

/// All pages and feed items of one site: the unit of memory, parallelism and output.
#[derive(Clone, Debug)]
pub struct Site {
    /// Registrable domain (`example.co.uk`), or the host if the public suffix is a private one
    /// (`someone.blogspot.com`), or the bare host or address if there is no suffix.
    pub key: String,
    /// Pages sorted by (url, record id, file, offset).
    pub pages: Vec<Page>,
    /// Feed items that lead to this site, sorted.
    pub feed_items: Vec<FeedItem>,
}
