//! What comes into a tree, and how large it may become.

/// Which elements come into the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Readable content: without the head and without `script`, `style`, `noscript`, `template`,
    /// `iframe`, `object`, `embed`, `canvas`, `svg`, `math`, `select`, `datalist`, `textarea`
    /// and the like, each with its subtree.
    Content,
    /// Every element (for conformance tests). Script and style text stays out.
    Everything,
    /// Every element, and the text of scripts and styles too (for expressions of other people's).
    Scripts,
}

/// Limits of a parse. There is no default here: the pipeline's configuration file has it.
#[derive(Clone, Copy, Debug)]
pub struct ParseConfig {
    /// Which elements come into the tree.
    pub keep: Keep,
    /// Elements nested deeper than this are left out, their content moved up to the limit. The
    /// WHATWG algorithm searches its stack of open elements at many tags, which is quadratic in
    /// depth. The deepest of 6,500 real pages we looked at had 52 levels.
    pub max_depth: u32,
    /// After this many nodes, further start tags are left out; their text is kept. A page also
    /// gets no more nodes than its [`Room`] has.
    pub max_nodes: u32,
    /// More attributes than this on one tag are left out.
    pub max_attributes: u32,
    /// A page that takes more [steps](crate::ParseNotes::steps) than this is given up.
    pub max_steps: u64,
}

impl ParseConfig {
    /// Readable content, 512 levels, 300,000 nodes, 1,024 attributes, a thousand million steps: what the
    /// pipeline uses by default.
    pub const CONTENT: Self = Self {
        keep: Keep::Content,
        max_depth: 512,
        max_nodes: 300_000,
        max_attributes: 1024,
        max_steps: 1_000_000_000,
    };
}

/// How large the tree of a page may become, by its bytes and tags.
///
/// The parsing algorithm copies unclosed formatting elements into every paragraph after them, so 500
/// `<font>` make 500 nodes of each `<p>`. A page without such copies has no more than an element and a text a
/// tag. Of 2,535 real pages, misnested ones among them, none had more than 1.8 nodes a tag, and none
/// more values than 0.85 of its bytes or more attributes than a thirtieth of them; what is allowed beyond that
/// is for pages we have not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Nodes; from there on, start tags are left out, their text is kept.
    pub nodes: u32,
    /// Nodes; from there on, the rest of the page is left out: end tags and text alone can have
    /// elements copied, too.
    pub most_nodes: u32,
    /// Attributes of all elements.
    pub attributes: u32,
    /// Bytes of their values.
    pub values: u32,
}

impl Room {
    /// The room of a page. Linear in its bytes, at the speed of memory.
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
