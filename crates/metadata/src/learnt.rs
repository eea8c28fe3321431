//! What is learnt from the pages of a template about the fields of each page.

use dom::xpath::Path;
use dom::{Document, NodeId, normalize_space, text_of};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::date_text::DayMonthOrder;
use crate::names;
use crate::text::{clip, squash};

/// Facts about the fields of sibling pages, learnt by [`TemplateFields::learn`] and used by [`crate::metadata`]. The default
/// contains none, so that each page is read by itself.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct TemplateFields {
    /// Number of pages that were compared, 0 for a page by itself.
    pub(crate) pages: u32,
    /// Parts at the ends of titles that most pages share, squashed ([`squash`]): names of the site and of its sections.
    pub(crate) title_parts: Vec<String>,
    /// The language that most pages declare, or the language of nearly all texts if they contradict it.
    pub(crate) language: Option<String>,
    /// The order of day and month in their numeric dates, and the number of pages that show it.
    pub(crate) order: Option<(DayMonthOrder, u32)>,
    /// Whether times are on a 24-hour clock: some beside headlines have hours above twelve.
    pub(crate) has_24_hours: bool,
    /// Values that are the same on all pages although they should differ, squashed, sorted.
    pub(crate) constants: Vec<(ConstantField, String)>,
    /// Where the headline is, if titles do not show it.
    pub(crate) headline: Option<FieldPlace>,
    /// The name in all links to an author, wherever they are on the page.
    pub(crate) author: Option<String>,
    /// Where the names of the authors are.
    pub(crate) byline: Option<FieldPlace>,
    /// Where the date of publication is.
    pub(crate) dateline: Option<FieldPlace>,
    pub(crate) standfirst: Option<FieldPlace>,
}

/// A field with values that belong to the site, not to a page.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub(crate) enum ConstantField {
    Title,
    Authors,
    Published,
    Description,
    Image,
}

/// The place of a field: the elements of a page that contain it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct FieldPlace {
    #[serde(rename = "xpath", serialize_with = "write_paths", deserialize_with = "read_paths")]
    paths: Vec<Path>,
    /// The common beginning of their texts ("Von ").
    pub(crate) before: String,
    /// The common end of their texts.
    pub(crate) after: String,
    /// Whether somebody marked the place, so that it takes precedence over other sources.
    pub(crate) is_marked: bool,
}

/// Writes expressions as texts.
fn write_paths<S: Serializer>(paths: &[Path], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(paths.iter().map(ToString::to_string))
}

fn read_paths<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Path>, D::Error> {
    let texts = Vec::<String>::deserialize(from)?;
    let paths: Result<Vec<Path>, _> = texts.iter().map(|text| text.parse()).collect();
    paths.map_err(|error| de::Error::custom(format!("the place of a field: {error}")))
}

/// Maximum number of elements that are read in a place.
const ELEMENTS: usize = 8;

impl FieldPlace {
    pub(crate) fn new(paths: Vec<Path>, (before, after): (String, String)) -> Self {
        Self { paths, before, after, is_marked: false }
    }

    /// The place, marked by somebody.
    pub(crate) fn marked(self) -> Self {
        Self { is_marked: true, ..self }
    }

    /// XPath 1.0 expressions whose union selects the elements.
    pub fn xpath(&self) -> Vec<String> {
        self.paths.iter().map(ToString::to_string).collect()
    }

    /// The elements on a page, in document order, at most 8.
    pub(crate) fn elements(&self, document: &Document) -> Vec<NodeId> {
        let selected = self.paths.iter().flat_map(|path| path.select(document)).collect();
        let mut elements = document.outermost(selected);
        elements.truncate(ELEMENTS);
        elements
    }

    /// Its texts on a page, without their common beginning and end; empty unless somebody marked the place.
    pub(crate) fn marked_texts(&self, document: &Document) -> Vec<String> {
        let elements = if self.is_marked { self.elements(document) } else { Vec::new() };
        let text = |&id: &NodeId| normalize_space(&text_of(document, &[id], &[]));
        elements.iter().map(|id| self.strip(&text(id)).to_owned()).collect()
    }

    /// A text of the place without the common beginning and end.
    pub(crate) fn strip<'t>(&self, text: &'t str) -> &'t str {
        strip(text, &self.before, &self.after)
    }
}

/// A text without `before` at its beginning and `after` at its end. A text with a post beside the names ("홍길동·김철수 기자") is returned
/// unchanged.
pub(crate) fn strip<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let text = text.trim();
    if names::is_posted(text) {
        return text;
    }
    let text = text.strip_prefix(before).unwrap_or(text);
    text.strip_suffix(after).unwrap_or(text).trim()
}

/// Most bytes of a standfirst.
pub(crate) const LONGEST_STANDFIRST: usize = 900;

/// Maximum bytes of a value that are compared.
const COMPARED: usize = 300;

impl TemplateFields {
    /// The standfirst of a page, if the place of standfirsts is known, and the expressions that select it; `None` if they select
    /// other elements, too.
    pub fn standfirst_on(&self, document: &Document) -> Option<(NodeId, Vec<String>)> {
        let place = self.standfirst.as_ref()?;
        let [element] = place.elements(document)[..] else { return None };
        let length = document.text_content(element).trim().len();
        (1..=LONGEST_STANDFIRST).contains(&length).then(|| (element, place.xpath()))
    }

    /// The places of fields on the pages, each with the name of the field in the record.
    pub fn places(&self) -> impl Iterator<Item = (&'static str, &FieldPlace)> {
        let places = [
            ("title", &self.headline),
            ("subtitle", &self.standfirst),
            ("authors", &self.byline),
            ("published", &self.dateline),
        ];
        places.into_iter().filter_map(|(field, place)| Some((field, place.as_ref()?)))
    }

    /// Whether a value of a field belongs to the site, not to the page.
    pub(crate) fn is_constant(&self, field: ConstantField, value: &str) -> bool {
        !self.constants.is_empty() && {
            let letters = compared(value);
            self.constants.iter().any(|(of, constant)| *of == field && *constant == letters)
        }
    }
}

/// The form in which values are compared.
pub(crate) fn compared(value: &str) -> String {
    squash(clip(value, COMPARED))
}
