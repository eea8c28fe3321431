//! The state of tree construction.

use html5ever::LocalName;

use super::class::ElementClass;
use crate::aside::Gatherer;
use crate::document::{BufferRange, Document, NodeId};
use crate::limits::Room;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mode {
    #[default]
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    InHeadNoscript,
    AfterHead,
    InBody,
    InTable,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
    InTemplate,
}

/// Where an element goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Into the tree.
    Kept,
    /// Into the document's [`Aside`](crate::Aside), by itself or inside another element.
    Gathered,
    Dropped,
}

/// An element whose text is being read.
pub(super) struct RawElement {
    pub(super) name: LocalName,
    pub(super) fate: Fate,
    /// Whether the head needs its text.
    pub(super) is_wanted: bool,
    pub(super) text: String,
}

/// The form element pointer.
pub(super) enum OpenForm {
    /// Number of open elements up to and including the form.
    At(usize),
    /// In a table, forms end at once.
    Ended,
}

/// The tree so far, and the state of tree construction.
#[derive(Default)]
pub(super) struct DirectBuilder {
    pub(super) document: Document,
    pub(super) gatherer: Gatherer,
    pub(super) open: Vec<StackElement>,
    pub(super) active: Vec<Formatting>,
    pub(super) mode: Mode,
    /// The mode in which a template started outside the body.
    pub(super) mode_in_root: Mode,
    /// The modes of the open templates, outermost first.
    pub(super) template_modes: Vec<Mode>,
    pub(super) raw: Option<RawElement>,
    pub(super) form: Option<OpenForm>,
    pub(super) doctype: Option<String>,
    /// The last serial number of an active formatting element.
    pub(super) serial: u32,
    /// Number of open `<p>`.
    pub(super) open_paragraphs: u32,
    /// How often attributes of later `<html>` and `<body>` tags were added to the first.
    pub(super) merges: u32,
    pub(super) skips_line_feed: bool,
    /// Whether a `<noscript>` was left out.
    pub(super) has_alternative: bool,
    /// Whether a drawing is open; its end tag must come next.
    pub(super) in_drawing: bool,
    pub(super) steps: u64,
    pub(super) max_steps: u64,
    pub(super) max_nodes: usize,
    pub(super) max_levels: usize,
    pub(super) room: Room,
    pub(super) gives_up: bool,
}

pub(super) struct StackElement {
    pub(super) name: LocalName,
    /// Its node or, if it is not kept, the node of the innermost kept element around it.
    pub(super) id: NodeId,
    pub(super) fate: Fate,
    pub(super) class: ElementClass,
    /// The serial number of an active formatting element, otherwise 0.
    pub(super) serial: u32,
}

/// An entry of the list of active formatting elements.
pub(super) struct Formatting {
    /// `None` for a marker.
    pub(super) name: Option<LocalName>,
    pub(super) serial: u32,
    pub(super) is_open: bool,
    pub(super) attributes: BufferRange,
}
