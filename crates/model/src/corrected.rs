//! Corrections of single articles, values of fields as given by a person, and of templates, marks that people or models set
//! on the blocks of a page.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::named;
use crate::record::record;

named! {
/// A field of an article that can be corrected.
pub enum CorrectedField {
    /// The headline.
    Title => "title",
    /// The names of all authors, together.
    Authors => "authors",
    /// When it was published.
    Published => "published",
    /// The body as plain text; `html` and Markdown follow it.
    Text => "text",
}
}

/// Values of the fields that can be corrected. In a correction, `None` leaves a field unchanged, and an empty value removes it.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct CorrectedValues {
    /// Headline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Names of the authors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authors: Option<Vec<String>>,
    /// RFC 3339 date, or date and time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// Plain text, with a blank line between paragraphs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl CorrectedValues {
    /// The fields that have a value, in order.
    pub fn fields(&self) -> impl Iterator<Item = CorrectedField> {
        let is_given = [
            self.title.is_some(),
            self.authors.is_some(),
            self.published.is_some(),
            self.text.is_some(),
        ];
        CorrectedField::ALL.into_iter().zip(is_given).filter_map(|(field, is)| is.then_some(field))
    }

    /// Whether no field has a value.
    pub fn is_empty(&self) -> bool {
        self.fields().next().is_none()
    }
}

/// A correction of one article: a line of a file of corrections.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct ArticleCorrection {
    /// Address of the article.
    pub url: String,
    /// The corrected values.
    #[serde(flatten)]
    pub values: CorrectedValues,
    /// Who corrected it; may be empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// Why; may be empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// When it was corrected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The values extracted then: the correction is outdated once other values are extracted. If empty, that goes unnoticed.
    #[serde(skip_serializing_if = "CorrectedValues::is_empty")]
    pub extracted: CorrectedValues,
}

record! {
/// A record of the correction of one field of an article.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct FieldCorrection {
    /// `title`, `authors`, `published` or `text`.
    pub field: CorrectedField,
    /// Who corrected it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether another value is extracted now than when it was corrected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outdated: Option<bool>,
}
}

named! {
/// The mark of a block of a page, in the order in which marks are offered.
pub enum Mark {
    /// Text of the article.
    Content => "content",
    /// Not part of the article.
    NotContent => "not-content",
    /// A reader's comment.
    Comment => "comment",
    /// The caption of a picture.
    Caption => "caption",
    /// The block with the headline of the article.
    Headline => "headline",
    /// The names of the authors.
    Author => "author",
    /// The date of publication.
    Date => "date",
}
}

impl Mark {
    /// Whether such a block belongs to the text of an article; `None` for a headline, because that depends on the settings.
    pub fn is_text(self) -> Option<bool> {
        match self {
            Self::Content | Self::Caption => Some(true),
            Self::NotContent | Self::Comment | Self::Author | Self::Date => Some(false),
            Self::Headline => None,
        }
    }
}

/// An element that contains marked blocks, described so that it can be found on sibling pages.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NamedElement {
    /// Number of its parent, which comes before it in the list; `None` for the root.
    #[serde(rename = "in")]
    pub parent: Option<u32>,
    /// Its tag name, in lower case.
    pub tag: String,
    /// Its identifying attributes, as `name=value`.
    pub names: Vec<String>,
}

/// A marked block.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MarkedBlock {
    /// Its position on the page: an XPath of the element, or of the text if the element has other blocks too.
    pub xpath: String,
    /// Number of its element in [`TemplateCorrection::elements`], by which it is found on other pages.
    #[serde(default)]
    pub element: Option<u32>,
    /// Number of its words.
    #[serde(default)]
    pub words: u32,
    /// Hash of its letters, 16 hex digits, to detect that the page has changed; empty if unknown.
    #[serde(default)]
    pub hash: String,
    /// What the block was marked as: content, a field, or neither.
    pub mark: Mark,
}

/// Marks of blocks on a page of a template: a line of `corrections.jsonl`.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TemplateCorrection {
    /// Address of the page.
    pub url: String,
    /// Who marked it.
    #[serde(default)]
    pub by: String,
    /// When, in RFC 3339.
    #[serde(default)]
    pub at: String,
    /// Why.
    #[serde(default)]
    pub reason: String,
    /// The elements of the marked blocks and their ancestors; parents come before their children.
    #[serde(default)]
    pub elements: Vec<NamedElement>,
    /// The blocks of the page that have a mark.
    pub blocks: Vec<MarkedBlock>,
}
