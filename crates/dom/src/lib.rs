/*!
The tree that all extraction methods work on: one HTML page as a flat, pre-order array of nodes.

[`parse()`] writes the nodes of a page in document order as it reads the tags (the WHATWG parsing algorithm, scripting off).
If the algorithm has to move elements, html5ever builds the page first. In document order, a subtree is a range of ids, so any
sum over a subtree is the difference of two prefix sums ([`PrefixSums`]).

Elements without readable content (scripts, styles, frames, drawings, form choices) are left out of the tree, with their
subtrees. Those that are shown (frames, formulas, pictures in `noscript`) are kept in [`Aside`], with their places in the tree.
Metadata in the head of the page is kept in [`Head`].

Invariants: nothing here recurses, so depth costs no stack; a [`Document`] is `Send` and owns all
its strings in a few buffers; this crate does not depend on files, sites or stages.
*/

/// A pattern for any of these names of tags or attributes: `matches!(*name, local_names!("ul" "ol" "dl"))`.
#[macro_export]
macro_rules! local_names {
    ($($name:tt)+) => { $($crate::local_name!($name))|+ };
}

mod addresses;
mod aside;
mod builder;
mod direct;
mod document;
mod flatten;
mod flood;
mod flow;
mod frames;
mod front;
mod guard;
mod head;
mod kinds;
mod limits;
mod linked;
mod names;
mod parse;
mod prefix;
mod render;
mod sink;
mod tokens;
pub mod xpath;

pub use addresses::{absolute_url, link_target, web_url};
pub use builder::Builder;
pub use document::{Aside, AsidePlace, Document, Element, Node, NodeId, ParseNotes};
pub use head::{Head, Link, Meta};
pub use html5ever::{LocalName, local_name};
pub use kinds::{ElementKind, ElementKinds};
pub use limits::{Keep, ParseOptions, Room};
pub use names::{class_tokens, is_heading, is_inline, is_void};
pub use parse::{parse, parse_by_html5ever, parse_with};
pub use prefix::PrefixSums;
pub use render::{
    Formula, WrittenBlock, WrittenBlockKind, accent, bare_tex, language_named, language_of_code,
    markdown_of, markdown_of_text, normalize_space, paragraphs, push_tex, tex_between,
    tex_in_braces, tex_of_name, tex_of_rows, tex_of_signs, tex_of_space, text_and_blocks, text_of,
    text_with_notes, with_moduli,
};
pub use tokens::count_tokens;
