//! Corrections of templates: marks that people or models set on the blocks of a page.

use serde::{Deserialize, Serialize};

use crate::named;

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
    /// The headline.
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
    /// Its tag.
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
    /// The marked blocks.
    pub blocks: Vec<MarkedBlock>,
}
