//! The rules that the type of a page decides, for all types in one table. Only the engine `grove` predicts types.

use model::PageType;

/// The rules for pages of a type.
#[derive(Clone, Copy, Debug)]
pub struct TypeRules {
    /// Pages that show only excerpts of other pages of the crawl are dropped as lists. This includes services, because
    /// front pages are predicted to be of that type.
    pub drops_excerpts: bool,
    /// The text ends with the page's `article` element: what follows is comments or other stories.
    pub ends_with_element: bool,
    /// Blocks that repeat earlier ones are left out: quotations of posts, copies of cards. Repetition in articles and
    /// documentation is their authors', unless the whole text is there twice.
    pub drops_repeated: bool,
    /// The text may continue on other pages.
    pub has_parts: bool,
}

/// Returns the rules for a type.
pub const fn rules_of(page_type: PageType) -> TypeRules {
    let others = TypeRules {
        drops_excerpts: false,
        ends_with_element: false,
        drops_repeated: true,
        has_parts: false,
    };
    match page_type {
        PageType::Article => TypeRules {
            drops_excerpts: true,
            ends_with_element: true,
            drops_repeated: false,
            has_parts: true,
        },
        PageType::Documentation => TypeRules { drops_repeated: false, has_parts: true, ..others },
        PageType::Service | PageType::Listing => TypeRules { drops_excerpts: true, ..others },
        PageType::Forum => TypeRules { has_parts: true, ..others },
        PageType::Collection | PageType::Product => others,
    }
}
