//! Builds the flat tree of a page directly from its tokens (tree construction, WHATWG HTML §13.2.6, scripting off), for
//! content alone ([`Keep::Content`](crate::Keep)).
//!
//! html5ever's tree builder moves linked nodes, which then have to be laid out in document order. On almost all pages, only the
//! adoption agency moves nodes, and only at the end of the flat tree. At the first tag that needs another move (content of a
//! table outside its cells), and at rare elements (formulas, frames), this builder gives up, and html5ever builds the tree. Both
//! build the same tree: tests and fuzzing compare them.

mod class;
mod end;
mod stack;
mod start;
mod state;

use html5ever::{LocalName, local_name};

use self::class::ElementClass;
use self::state::{DirectBuilder, Fate, Mode, RawElement};
use crate::aside::may_show;
use crate::document::{BufferRange, Document, NodeId, ParseNotes};
use crate::flatten::{SPARSE, count_visible, is_dropped_name};
use crate::front::{self, Content, FrontToken, StartTag, TokenTaker};
use crate::guard::read_doctype;
use crate::limits::{ParseOptions, Room};
use crate::sink::MAX_MERGES;

/// Larger and deeper trees are left to html5ever, whose limits are enforced as it builds.
const MAX_NODES: usize = 60_000;
const MAX_LEVELS: usize = 200;

/// Builds the tree of a page with normalised line ends and without NUL; `None` if html5ever is needed. The result includes the
/// metadata of the head; its notes count steps: tokens, attributes and moved nodes. If there were too many steps, the notes say
/// so and the document has no nodes.
pub(crate) fn build(html: &str, options: &ParseOptions) -> Option<Document> {
    let room = Room::of(html);
    let mut builder = DirectBuilder {
        max_nodes: MAX_NODES.min(room.nodes as usize).min(options.max_nodes as usize),
        max_levels: MAX_LEVELS.min(options.max_depth as usize),
        max_steps: options.max_steps,
        room,
        mode_in_root: Mode::AfterHead,
        ..DirectBuilder::default()
    };
    // Enough for most pages.
    let Document { nodes, attributes, values, text, .. } = &mut builder.document;
    nodes.reserve((html.len() / 64).min(builder.max_nodes));
    attributes.reserve((html.len() / 64).min(builder.max_nodes));
    values.reserve(html.len() / 4);
    text.reserve(html.len() / 4);
    front::read(html, &mut builder, options.max_attributes as usize);
    builder.finish_document()
}

impl TokenTaker for DirectBuilder {
    #[inline(always)]
    fn take(&mut self, token: FrontToken<'_>) -> Content {
        self.steps += 1;
        self.skips_line_feed &= matches!(token, FrontToken::Text(_));
        match token {
            FrontToken::Start(tag) => {
                self.steps += tag.attributes.len() as u64;
                return self.start_tag(tag);
            }
            FrontToken::End(name) => self.end_tag(name),
            FrontToken::Text(text) => self.add_text(text),
            FrontToken::Doctype(markup) if self.mode == Mode::Initial => {
                self.doctype = Some(markup.to_owned());
                self.mode = Mode::BeforeHtml;
            }
            _ => {}
        }
        Content::Markup
    }

    fn leave_out(&mut self, attributes: u32) {
        self.gives_up |= attributes > 0;
    }

    fn gives_up(&self) -> bool {
        self.gives_up || self.steps > self.max_steps
    }

    fn is_in_foreign(&self) -> bool {
        self.in_drawing
    }
}

/// White space as tree construction defines it.
const SPACES: [char; 5] = ['\t', '\n', '\u{c}', '\r', ' '];

impl DirectBuilder {
    fn give_up(&mut self) -> Content {
        self.gives_up = true;
        Content::Markup
    }

    /// Gives up if the tree outgrows a limit.
    fn check_size(&mut self) {
        let document = &self.document;
        self.gives_up |= self.open.len() > self.max_levels
            || document.nodes.len() > self.max_nodes
            || document.attributes.len() > self.room.attributes as usize
            || document.values.len() > self.room.values as usize;
    }

    fn store(&mut self, tag: &StartTag<'_>) -> BufferRange {
        self.document.push_attributes(tag.pairs())
    }

    /// Decides whether an element that starts here is kept, collected or dropped.
    fn fate_of<'t>(
        &self,
        name: &LocalName,
        attributes: impl Iterator<Item = (&'t LocalName, &'t str)>,
    ) -> Fate {
        match self.open.last().map_or(Fate::Kept, |top| top.fate) {
            Fate::Kept if !is_dropped_name(name) => Fate::Kept,
            Fate::Kept if may_show(name, attributes) => Fate::Gathered,
            Fate::Kept => Fate::Dropped,
            fate => fate,
        }
    }

    /// Collects an element whose attributes are already stored.
    fn gather(&mut self, name: &LocalName, attributes: BufferRange) {
        let parent = self.open.last().map_or(0, |top| top.id);
        let Self { document, gatherer, .. } = self;
        gatherer.open(name, document.stored(attributes), document.place_after_all(parent));
    }

    fn insert(&mut self, tag: &StartTag<'_>, class: ElementClass) {
        let attributes = self.store(tag);
        self.push(&tag.name, attributes, class);
    }

    /// Inserts and opens an implied element.
    fn imply_start(&mut self, name: &LocalName) {
        self.push(name, BufferRange::default(), ElementClass::of(name));
    }

    /// Inserts an element without content.
    fn insert_void(&mut self, tag: &StartTag<'_>) {
        self.insert(tag, ElementClass::default());
        self.pop();
    }

    /// Inserts text, joined with the text before it if they are adjacent.
    fn add_text(&mut self, mut text: &str) {
        if let Some(raw) = &mut self.raw {
            if raw.is_wanted {
                raw.text.push_str(text);
            }
            let is_shown = matches!(raw.name, local_names!("title" "textarea" "noembed" "script"));
            if raw.fate == Fate::Gathered && is_shown {
                self.gatherer.text(text);
            }
            return;
        }
        if self.in_drawing {
            self.gives_up = true;
            return;
        }
        if std::mem::take(&mut self.skips_line_feed) {
            text = text.strip_prefix('\n').unwrap_or(text);
        }
        if self.mode < Mode::InBody {
            let rest = text.trim_start_matches(SPACES);
            let space = &text[..text.len() - rest.len()];
            if self.mode == Mode::AfterHead && !space.is_empty() {
                self.document.push_text(space, 0, self.open.len());
            }
            if rest.is_empty() {
                return;
            }
            if self.mode == Mode::InHeadNoscript {
                self.gives_up = true;
                return;
            }
            self.start_body();
            text = rest;
        }
        if text.is_empty() {
            return;
        }
        match self.mode {
            Mode::InTable | Mode::InTableBody | Mode::InRow | Mode::InColumnGroup => {
                // Other text goes before the table.
                self.gives_up |= !text.trim_start_matches(SPACES).is_empty();
            }
            _ => self.reconstruct(),
        }
        let (id, fate) = (self.top().id, self.top().fate);
        match fate {
            Fate::Kept => _ = self.document.push_text(text, id, self.open.len()),
            Fate::Gathered => self.gatherer.text(text),
            Fate::Dropped => {}
        }
        self.check_size();
    }

    fn in_template(&self) -> bool {
        !self.template_modes.is_empty()
    }

    /// Starts `<html>` and `<body>` if the page has no tags for them.
    fn start_body(&mut self) {
        if self.mode < Mode::BeforeHead {
            self.imply_start(&local_name!("html"));
        }
        self.imply_start(&local_name!("body"));
        self.mode = Mode::InBody;
    }

    /// Starts an element whose content is read as text only.
    fn start_raw(&mut self, tag: &StartTag<'_>, head_reads: bool) -> Content {
        let in_body = self.mode > Mode::AfterHead;
        let fate = if in_body { self.fate_of(&tag.name, tag.pairs()) } else { Fate::Dropped };
        match fate {
            // Elements with raw text are all left out of the tree.
            Fate::Kept => return self.give_up(),
            Fate::Gathered => {
                let attributes = self.store(tag);
                self.gather(&tag.name, attributes);
            }
            Fate::Dropped => {}
        }
        if head_reads {
            self.document.head.read_tag(&tag.name, |name| tag.attribute(name));
        }
        let media_type = tag.attribute(&local_name!("type"));
        let is_wanted = head_reads && self.document.head.wants_text(&tag.name, media_type);
        let text = String::new();
        self.raw = Some(RawElement { name: tag.name.clone(), fate, is_wanted, text });
        match tag.name {
            local_name!("script") => Content::Script,
            local_names!("title" "textarea") => Content::EscapableText,
            _ => Content::RawText,
        }
    }

    fn end_raw(&mut self) {
        let Some(raw) = self.raw.take() else { return };
        if raw.fate == Fate::Gathered {
            self.gatherer.close();
        }
        if raw.is_wanted {
            self.document.head.read_text(&raw.name, raw.text);
        }
    }

    /// Adds the attributes of a later `<html>` or `<body>` tag that the first does not have.
    fn merge(&mut self, id: NodeId, tag: &StartTag<'_>) {
        if tag.attributes.is_empty() || self.merges >= MAX_MERGES {
            return;
        }
        self.merges += 1;
        let document = &mut self.document;
        let old = document.nodes[id as usize].span;
        let is_new =
            |name: &LocalName| document.attributes[old.range()].iter().all(|a| a.name != *name);
        let missing: Vec<_> = tag.pairs().filter(|(name, _)| is_new(name)).collect();
        let start = document.attributes.len() as u32;
        document.attributes.extend_from_within(old.range());
        let end = document.push_attributes(missing.into_iter()).end;
        document.nodes[id as usize].span = BufferRange { start, end };
    }

    /// Whether the page is rendered in quirks mode (§13.2.6.4.1); `None` if html5ever's table of doctypes is needed to decide.
    fn is_in_quirks_mode(&self) -> Option<bool> {
        let Some(markup) = &self.doctype else { return Some(true) };
        let doctype = read_doctype(markup);
        let is_html = doctype.name.is_some_and(|name| &*name == "html");
        let is_plain = doctype.public_id.is_none() && doctype.system_id.is_none();
        (is_html && is_plain && !doctype.force_quirks).then_some(false)
    }

    fn finish_document(mut self) -> Option<Document> {
        if self.steps > self.max_steps {
            let notes = ParseNotes { given_up: true, steps: self.steps, ..ParseNotes::default() };
            return Some(Document { notes, ..Document::default() });
        }
        self.end_raw();
        while self.in_template() {
            self.end_template();
        }
        if self.mode < Mode::InBody {
            self.start_body();
        }
        while !self.open.is_empty() {
            self.pop();
        }
        let mut document = self.document;
        // A page with hardly any other text may show the content of `<noscript>`.
        let may_change = self.has_alternative && count_visible(&document.text, SPARSE) < SPARSE;
        if self.gives_up || self.in_drawing || may_change {
            return None;
        }
        // Later tags may have added attributes.
        let mut head = std::mem::take(&mut document.head);
        head.read_tag(&local_name!("html"), |name| document.attribute(0, name));
        document.head = head;
        document.aside = self.gatherer.finish();
        document.notes = ParseNotes { steps: self.steps, ..ParseNotes::default() };
        document.nodes.shrink_to_fit();
        document.text.shrink_to_fit();
        document.attributes.shrink_to_fit();
        document.values.shrink_to_fit();
        Some(document)
    }
}
