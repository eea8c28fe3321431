//! The contents of a tree, and limits on its size.

/// Which elements are kept in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Readable content: without the head and without `script`, `style`, `noscript`, `template`,
    /// `iframe`, `object`, `embed`, `canvas`, `svg`, `math`, `select`, `datalist`, `textarea`
    /// and the like, each with its subtree. A `template` with `shadowrootmode` is shown, and kept.
    Content,
    /// Every element (for conformance tests), without the text of scripts and styles.
    Everything,
    /// Every element, and the text of scripts and styles too (for expressions of site configs).
    Scripts,
}

/// Limits of a parse. There is no default here: the defaults are in the pipeline's configuration
/// file.
#[derive(Clone, Copy, Debug)]
pub struct ParseOptions {
    /// Which elements are kept in the tree.
    pub keep: Keep,
    /// Elements nested deeper than this are left out, and their content is moved up to the limit.
    /// The WHATWG algorithm searches its stack of open elements at many tags, which is quadratic in
    /// depth. The deepest of 6,500 real pages examined had 52 levels.
    pub max_depth: u32,
    /// After this many nodes, further start tags are left out; their text is kept. A page also gets
    /// no more nodes than its [`Room`] allows.
    pub max_nodes: u32,
    /// Attributes of a tag beyond this number are left out.
    pub max_attributes: u32,
    /// Parsing of a page that takes more [steps](crate::ParseNotes::steps) is abandoned.
    pub max_steps: u64,
}

impl ParseOptions {
    /// Readable content, 512 levels, 300,000 nodes, 1,024 attributes, 10⁹ steps: the defaults of
    /// the pipeline.
    pub const CONTENT: Self = Self {
        keep: Keep::Content,
        max_depth: 512,
        max_nodes: 300_000,
        max_attributes: 1024,
        max_steps: 1_000_000_000,
    };
}

/// Limits on the tree of a page, by its bytes and tags.
///
/// The parsing algorithm copies unclosed formatting elements into every following paragraph, so 500
/// `<font>` give 500 nodes for each `<p>`. A page without such copies has at most one element and
/// one text per tag. Of 2,535 real pages, including misnested ones, none had more than 1.8 nodes
/// per tag, values longer than 0.85 of its bytes, or more attributes than a thirtieth of its bytes.
/// The margin above that is for pages not yet seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// Nodes above which start tags are left out; their text is kept.
    pub nodes: u32,
    /// Nodes above which the rest of the page is left out: end tags and text alone can cause copies
    /// of elements, too.
    pub most_nodes: u32,
    /// Attributes of all elements.
    pub attributes: u32,
    /// Bytes of their values.
    pub values: u32,
}

impl Room {
    /// The limits for a page. Linear in its bytes, at memory speed.
    pub fn of(html: &str) -> Self {
        let tags = memchr::memchr_iter(b'<', html.as_bytes()).count();
        let bytes = html.len();
        let nodes = 2 * tags + bytes / 32 + 64;
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            nodes: count(nodes),
            most_nodes: count(nodes + nodes / 8 + 1024),
            attributes: count(bytes / 8 + 64),
            values: count(bytes + bytes / 2 + 1024),
        }
    }
}
