//! A layout of a site and the pages that share it.

/// What pages of a template are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TemplateKind {
    /// Pages with one article each.
    Article,
    /// Home pages, sections, tag pages, search results: pages that list articles.
    List,
    /// Pages with next to no text of their own (log-in, errors, empty shells).
    Other,
}

impl TemplateKind {
    /// The name written to outputs: `article`, `list`, `other`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Article => "article",
            Self::List => "list",
            Self::Other => "other",
        }
    }
}

/// One layout of a site.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// Name within the site: `t1`, `t2`, … in order of falling number of members.
    pub id: String,
    /// Key of the site.
    pub site: String,
    /// What its pages are for.
    pub kind: TemplateKind,
    /// Members, as indices into the site's pages, rising.
    pub members: Vec<u32>,
    /// Hash of the tag paths the members share: equal layouts on two nights have near-equal sets,
    /// equal sets have the same signature.
    pub signature: u64,
}
