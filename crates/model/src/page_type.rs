//! What a page is for.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::record::named;

named! {
/// The type of a page, by what its content is. The types are those of the WCXB data set.
#[derive(Hash)]
pub enum PageType {
    /// One text by one publisher: news, a blog post, an essay.
    Article => "article",
    /// A manual, a reference, a tutorial.
    Documentation => "documentation",
    /// What an organisation offers or is.
    Service => "service",
    /// Posts of several people: a thread, a question with its answers.
    Forum => "forum",
    /// Goods or works of a category.
    Collection => "collection",
    /// Entries with some text each: results, an index of posts, a directory.
    Listing => "listing",
    /// One thing that is for sale.
    Product => "product",
}
}

impl PageType {
    /// All types, in the order in which probabilities are kept.
    pub const ALL: [Self; 7] = [
        Self::Article,
        Self::Documentation,
        Self::Service,
        Self::Forum,
        Self::Collection,
        Self::Listing,
        Self::Product,
    ];
}

/// A name that is no page type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPageType(pub String);

impl std::fmt::Display for UnknownPageType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = PageType::ALL.iter().map(|own| own.as_str()).collect();
        write!(f, "unknown page type `{}`: expected one of {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownPageType {}

impl FromStr for PageType {
    type Err = UnknownPageType;

    fn from_str(name: &str) -> Result<Self, UnknownPageType> {
        let named = |own: &Self| own.as_str() == name;
        Self::ALL.into_iter().find(named).ok_or_else(|| UnknownPageType(name.to_owned()))
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
