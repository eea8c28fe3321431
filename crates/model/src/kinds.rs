//! Kinds of authors, templates and pages, and verdicts on sites and templates.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::named;

named! {
/// The kind of an author.
pub enum AuthorKind {
    /// A person, as far as is known.
    Person => "person",
    /// The publisher, an agency, a company.
    Organization => "organization",
    /// A name to log in with, or a role that stands for nobody ("Editor").
    Account => "account",
}
}

named! {
/// Kind of the pages of a template.
pub enum TemplateKind {
    /// Pages with one article each.
    Article => "article",
    /// Home pages, sections, tag pages, search results: pages that list articles.
    List => "list",
    /// Pages with next to no text of their own (log-in, errors, empty shells).
    Other => "other",
}
}

named! {
/// The verdict on a site or template: tonight's results compared with the results of earlier nights. Later ones are
/// worse.
#[derive(Default)]
pub enum Verdict {
    /// Fewer than three pages that could have articles: too few for a verdict.
    #[default]
    TooFewPages => "too-few-pages",
    /// As usual.
    Healthy => "healthy",
    /// Its articles are somewhat less certain than usual.
    Drifting => "drifting",
    /// Far fewer articles than usual.
    Shrunken => "shrunken",
    /// Texts or fields are worse than usual: of different lengths, much less certain, or not found.
    Broken => "broken",
    /// The site serves something else instead of its pages.
    Blocked => "blocked",
    /// No page tonight, although the site usually has pages.
    Missing => "missing",
}
}

impl Verdict {
    /// Whether somebody should look at the site.
    pub fn needs_attention(self) -> bool {
        self >= Self::Drifting
    }
}

named! {
/// The type of a page, by its content. The types are those of the WCXB data set.
#[derive(Hash)]
pub enum PageType {
    /// One text by one publisher: news, a blog post, an essay.
    Article => "article",
    /// A manual, a reference, a tutorial.
    Documentation => "documentation",
    /// A description of an organisation or its services.
    Service => "service",
    /// Posts of several people: a thread, a question with its answers.
    Forum => "forum",
    /// Goods or works of a category.
    Collection => "collection",
    /// Entries with some text each: results, an index of posts, a directory.
    Listing => "listing",
    /// A single item for sale.
    Product => "product",
}
}

impl FromStr for PageType {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::parse(name).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str).join(", ");
            format!("unknown page type `{name}`: expected one of {names}")
        })
    }
}

/// The type of a page with its probability, 0 to 1.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct TypedAs {
    /// The most probable type.
    pub page_type: PageType,
    /// Its probability.
    pub probability: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for own in PageType::ALL {
            assert_eq!(own.as_str().parse(), Ok(own));
        }
        assert!("page".parse::<PageType>().unwrap_err().to_string().ends_with("listing, product"));
    }
}
