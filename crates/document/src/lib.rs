/*!
Articles as documents for readers: one HTML page with its pictures in it, an EPUB 3 book, a TEI P5 text.

Takes the fields of an article and the bytes of its pictures, as far as they are at hand. Gives the bytes of a file. The same
article gives the same bytes.

Invariants: no IO, no clock; fragments are those that articles hold, and are parsed again here, so that any fragment gives
a document that is well-formed.
*/

mod epub;
mod tei;
mod xhtml;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use askama::Template;
use data_encoding::BASE64;
use dom::{Document, Keep, NodeId, ParseOptions, parse_with};
pub use epub::{EpubError, to_epub};
use model::{Article, FieldCorrection};
pub use tei::to_tei;
use terms::is_right_to_left;
use url::Url;
use xhtml::{escaped, write_below};

/// The headline must begin within this many bytes from the start of a fragment.
const FIRST: usize = 2_000;

/// Renders a template, with a line break at the end.
fn finish(template: &impl Template) -> String {
    // Rendering plain data into memory cannot fail.
    template.render().unwrap_or_default() + "\n"
}

/// The headline, or the address if there is none.
fn heading(article: &Article) -> &str {
    article.title.as_deref().unwrap_or(&article.url)
}

/// The HTML without the headline, which documents add themselves; paragraphs of the text if the article has no HTML.
fn fragment(article: &Article) -> String {
    if article.html.is_empty() {
        let paragraph = |text| format!("<p>{}</p>", xhtml::escaped(text));
        return dom::paragraphs(&article.text).map(paragraph).collect();
    }
    let html = &article.html;
    let start = html.find("<h1").filter(|&start| start <= FIRST);
    let end = start.and_then(|start| Some(start + html[start..].find("</h1>")? + "</h1>".len()));
    if let (Some(start), Some(end), Some(title)) = (start, end, &article.title) {
        let heading = dom::text_of(&dom::parse(&html[start..end]), &[0], &[]);
        if dom::normalize_space(&heading) == dom::normalize_space(title) {
            return format!("{}{}", &html[..start], &html[end..]);
        }
    }
    html.clone()
}

/// Authors, date and name of the publication, on one line.
fn byline(article: &Article) -> String {
    let authors = (!article.authors.is_empty()).then(|| article.authors.join(", "));
    let day = |date: &String| date.get(..10).unwrap_or(date).to_owned();
    let parts = [authors, article.published.as_ref().map(day), article.site_name.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// A fact about the origin of an article or its extraction, as documents state it: a term of Dublin Core or TEI, a label
/// for readers, and the value.
struct ProvenanceFact {
    /// A name of letters, digits and `-`.
    kind: &'static str,
    label: &'static str,
    value: String,
}

const PROGRAM: &str = concat!("sitegrove ", env!("CARGO_PKG_VERSION"));

/// The facts about an article's record and its extraction; nothing about the machine or the time of export.
fn provenance(article: &Article) -> Vec<ProvenanceFact> {
    let origin = &article.origin;
    let of_model = || article.model_revision.map(|revision| format!(", model revision {revision}"));
    let way = || {
        format!("{}, {}{}", article.engine, article.route.as_str(), of_model().unwrap_or_default())
    };
    let has_record = !origin.file.is_empty();
    let facts = [
        ("archive", "Archive", has_record.then(|| origin.file.to_string())),
        ("offset", "Offset", has_record.then(|| origin.offset.to_string())),
        ("record", "Record", Some(origin.record_id.clone())),
        ("truncated", "Incomplete", origin.truncated.clone()),
        ("digest", "XXH3-128 of the words", Some(article.content_hash.clone())),
        ("found-by", "Found by", (!article.engine.is_empty()).then(way)),
        ("corrected", "Corrected by hand", Some(corrections(article))),
        ("program", "Program", Some(PROGRAM.to_owned())),
    ];
    let known = facts.into_iter().filter_map(|(kind, label, value)| {
        let value = value.filter(|value| !value.is_empty())?;
        Some(ProvenanceFact { kind, label, value })
    });
    known.collect()
}

/// The corrected fields, each with the author and date of the correction; empty if no field was corrected.
fn corrections(article: &Article) -> String {
    let shown = |own: &FieldCorrection| {
        let at = own.at.map(|at| at.strftime("%Y-%m-%d").to_string());
        let details: Vec<String> = own.by.clone().into_iter().chain(at).collect();
        match details.is_empty() {
            true => own.field.as_str().to_owned(),
            false => format!("{} ({})", own.field.as_str(), details.join(", ")),
        }
    };
    article.corrections.iter().map(shown).collect::<Vec<_>>().join("; ")
}

/// The contents of a picture file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureFile {
    /// Its media type: `image/jpeg` and the like.
    pub media_type: &'static str,
    /// The bytes of its file.
    pub bytes: Vec<u8>,
}

impl PictureFile {
    /// Detects the media type of a picture; `None` if it is not a type that readers display.
    pub fn of(bytes: Vec<u8>) -> Option<Self> {
        let is_at =
            |at: usize, mark: &[u8]| bytes.get(at..).is_some_and(|rest| rest.starts_with(mark));
        let media_type = match () {
            () if is_at(0, b"\xff\xd8\xff") => "image/jpeg",
            () if is_at(0, b"\x89PNG\r\n\x1a\n") => "image/png",
            () if is_at(0, b"GIF8") => "image/gif",
            () if is_at(0, b"RIFF") && is_at(8, b"WEBP") => "image/webp",
            () if is_at(4, b"ftypavif") => "image/avif",
            () => return None,
        };
        Some(Self { media_type, bytes })
    }
}

/// Picture files by their addresses.
pub type PictureFiles = BTreeMap<String, PictureFile>;

/// For each picture in a fragment, all addresses that it may be loaded from, the best first.
pub fn picture_addresses(html: &str) -> Vec<Vec<String>> {
    let document = parsed(html);
    let pictures = document.ids().filter(|&id| is(&document, id, "img"));
    pictures.map(|id| sources(&document, id)).filter(|sources| !sources.is_empty()).collect()
}

/// Writes the article as Markdown: headline, byline, body and address, with a line break at the end.
pub fn to_markdown(text: &Article) -> String {
    let plain = dom::markdown_of_text;
    let mut parts = vec![format!("# {}", plain(heading(text)))];
    let byline = byline(text);
    if !byline.is_empty() {
        parts.push(plain(&byline));
    }
    match Url::parse(&text.url) {
        Ok(base) => {
            let document = parsed(&fragment(text));
            parts.push(dom::markdown_of(&document, &[body(&document)], &[], &base));
            parts.push(format!("<{base}>"));
        }
        Err(_) => parts.push(plain(&text.text)),
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n") + "\n"
}

fn parsed(html: &str) -> Document {
    let page = format!("<!doctype html><html><body>{html}</body></html>");
    parse_with(&page, &ParseOptions { keep: Keep::Everything, ..ParseOptions::CONTENT })
}

fn body(document: &Document) -> NodeId {
    document.ids().find(|&id| is(document, id, "body")).unwrap_or(0)
}

fn is(document: &Document, id: NodeId, name: &str) -> bool {
    document.name(id).is_some_and(|own| **own == *name)
}

fn attribute<'a>(document: &'a Document, id: NodeId, name: &str) -> Option<&'a str> {
    document.element(id)?.attributes().find(|(own, _)| ***own == *name).map(|found| found.1)
}

/// All addresses that a picture may be loaded from, the best first.
fn sources(document: &Document, id: NodeId) -> Vec<String> {
    let own = attribute(document, id, "src").map(str::to_owned);
    let set = attribute(document, id, "srcset").unwrap_or_default();
    let candidates = set.split(", ").filter_map(|c| c.split_ascii_whitespace().next());
    let mut sources: Vec<String> =
        own.into_iter().chain(candidates.map(|c| c.replace("%2C", ","))).collect();
    let mut seen = BTreeSet::new();
    sources.retain(|source| source.starts_with("http") && seen.insert(source.clone()));
    sources
}

/// The file of a picture, with its address: the first of its addresses that has a file.
fn picture<'a>(
    document: &Document,
    id: NodeId,
    pictures: &'a PictureFiles,
) -> Option<(String, &'a PictureFile)> {
    sources(document, id)
        .into_iter()
        .find_map(|source| Some((source.clone(), pictures.get(&source)?)))
}

/// The style sheet, for screens of any size and for print.
const STYLE: &str = include_str!("../templates/page.css");

#[derive(Template)]
#[template(path = "page.html")]
struct ArticlePage<'a> {
    article: &'a Article,
    is_rtl: bool,
    byline: String,
    body: String,
}

/// Writes the article as one page. Pictures with a file in `pictures` are embedded; others keep their addresses.
pub fn to_html(article: &Article, pictures: &PictureFiles) -> String {
    let (is_rtl, byline) = (is_right_to_left(&article.text), byline(article));
    let page = ArticlePage { article, is_rtl, byline, body: body_of(article, pictures) };
    finish(&page)
}

/// The summary, unless it is long or repeats a part of the text, as summaries of feeds often do.
fn standfirst(article: &Article) -> Option<&str> {
    let summary = article.description.as_deref().filter(|summary| summary.len() <= 400)?;
    let repeats = article.text.contains(summary.trim_end_matches(['…', '.']));
    (!repeats).then_some(summary)
}

/// The fragment with embedded pictures.
fn body_of(article: &Article, pictures: &PictureFiles) -> String {
    let html = fragment(article);
    let document = parsed(&html);
    let mut out = String::with_capacity(html.len());
    write_below(&document, body(&document), &mut out, |id, element, out| {
        let own = is(&document, id, "img").then(|| picture(&document, id, pictures)).flatten();
        let _ = write!(out, "<{}", element.name);
        for (name, value) in element.attributes() {
            let value: Cow<'_, str> = match (&**name, &own) {
                ("srcset", Some(_)) => continue,
                ("src", Some((_, picture))) => {
                    format!("data:{};base64,{}", picture.media_type, BASE64.encode(&picture.bytes))
                        .into()
                }
                _ => value.into(),
            };
            let _ = write!(out, " {name}=\"{}\"", escaped(&value));
        }
        if is(&document, id, "img") && attribute(&document, id, "loading").is_none() {
            out.push_str(" loading=\"lazy\"");
        }
        if is(&document, id, "details") && attribute(&document, id, "open").is_none() {
            // Opened, because closed content is not printed.
            out.push_str(" open=\"\"");
        }
        out.push('>');
        if is(&document, id, "pre") {
            // Parsers ignore a line feed directly after the tag: this one protects a line feed of the text.
            out.push('\n');
        }
        let mut close = format!("</{}>", element.name);
        if matches!(&**element.name, "video" | "audio") {
            let source = attribute(&document, id, "src").unwrap_or_default();
            let shown = attribute(&document, id, "title").map(|title| format!("{title}: "));
            let shown = escaped(&format!("{}{source}", shown.unwrap_or_default()));
            let _ = write!(close, "<span class=\"on-paper\">{shown}</span>");
        }
        (!dom::is_void(element.name)).then_some(close)
    });
    out
}
