//! Start tags, by insertion mode.

use html5ever::{LocalName, local_name};

use super::class::ElementClass;
use super::state::{DirectBuilder, Fate, Mode, OpenForm, StackElement};
use crate::document::BufferRange;
use crate::flatten::is_shadow_root;
use crate::front::{Content, StartTag};

/// The parts of a table that hold rows.
pub(super) const BODIES: [LocalName; 3] =
    [local_name!("tbody"), local_name!("tfoot"), local_name!("thead")];
pub(super) const CELLS: [LocalName; 2] = [local_name!("td"), local_name!("th")];

impl DirectBuilder {
    pub(super) fn start_tag(&mut self, tag: &StartTag<'_>) -> Content {
        let class = ElementClass::of(&tag.name);
        if self.in_drawing || class.is(ElementClass::RARE) {
            return self.give_up();
        }
        loop {
            let done = match self.mode {
                Mode::InBody => return self.start_in_body(tag, class),
                Mode::InCell | Mode::InCaption => {
                    if !class.is(ElementClass::OF_TABLE) {
                        return self.start_in_body(tag, class);
                    }
                    (!self.close_cell_or_caption()).then_some(Content::Markup)
                }
                Mode::InTable | Mode::InTableBody | Mode::InRow | Mode::InColumnGroup => {
                    self.start_in_table(tag, class)
                }
                Mode::InTemplate => self.start_in_template(tag, class),
                _ => self.start_before_body(tag, class),
            };
            if let Some(content) = done {
                return content;
            }
        }
    }

    /// `None` if the tag is to be processed in another mode.
    fn start_before_body(&mut self, tag: &StartTag<'_>, class: ElementClass) -> Option<Content> {
        let done = Some(Content::Markup);
        match (self.mode, &tag.name) {
            (Mode::Initial | Mode::BeforeHtml, &local_name!("html")) => {
                self.insert(tag, class);
                self.mode = Mode::BeforeHead;
                return done;
            }
            (Mode::Initial | Mode::BeforeHtml, _) => {
                self.imply_start(&local_name!("html"));
                self.mode = Mode::BeforeHead;
            }
            (_, &local_name!("html")) => {
                self.merge(0, tag);
                return done;
            }
            // The head is not part of the tree, so it is not opened.
            (Mode::BeforeHead, &local_name!("head")) => {
                self.mode = Mode::InHead;
                return done;
            }
            (Mode::BeforeHead, _) => self.mode = Mode::InHead,
            (_, &local_name!("head")) => return done,
            (Mode::InHead, &local_name!("noscript")) => {
                self.mode = Mode::InHeadNoscript;
                return done;
            }
            (Mode::InHeadNoscript, &local_name!("noscript")) => return done,
            (
                Mode::InHeadNoscript,
                &local_names!("basefont" "bgsound" "link" "meta" "noframes" "style"),
            ) => return Some(self.start_of_head(tag, class)),
            // Anything else ends it.
            (Mode::InHeadNoscript, _) => self.mode = Mode::InHead,
            (Mode::AfterHead, &local_name!("body")) => {
                self.insert(tag, class);
                self.mode = Mode::InBody;
                return done;
            }
            _ if class.is(ElementClass::OF_HEAD) => return Some(self.start_of_head(tag, class)),
            (Mode::InHead, _) => self.mode = Mode::AfterHead,
            _ => self.start_body(),
        }
        None
    }

    /// Processes an element as in the head, wherever it occurs.
    fn start_of_head(&mut self, tag: &StartTag<'_>, class: ElementClass) -> Content {
        if tag.name == local_name!("template") {
            self.start_template(tag, class);
            return Content::Markup;
        }
        let in_body = self.mode > Mode::AfterHead;
        // The head reads its child elements, and those directly in a `<noscript>`.
        let reads = !in_body
            || match self.open.as_slice() {
                [.., parent, top] if top.fate != Fate::Kept => {
                    parent.fate == Fate::Kept && top.name == local_name!("noscript")
                }
                _ => true,
            };
        if !class.is(ElementClass::VOID) {
            return self.start_raw(tag, reads);
        }
        if reads {
            self.document.head.read_tag(&tag.name, |name| tag.attribute(name));
        }
        if in_body {
            self.insert_void(tag);
        }
        Content::Markup
    }

    fn start_template(&mut self, tag: &StartTag<'_>, class: ElementClass) {
        if self.mode <= Mode::AfterHead {
            self.mode_in_root = self.mode;
            self.push_as(&tag.name, BufferRange::default(), class, Fate::Dropped);
        } else if self.top().fate == Fate::Kept && is_shadow_root(&tag.name, tag.pairs()) {
            let attributes = self.store(tag);
            self.push_as(&tag.name, attributes, class, Fate::Kept);
        } else {
            self.insert(tag, class);
        }
        self.push_marker();
        self.mode = Mode::InTemplate;
        self.template_modes.push(Mode::InTemplate);
    }

    /// Processes the content of a template in the mode that its first elements call for.
    fn start_in_template(&mut self, tag: &StartTag<'_>, class: ElementClass) -> Option<Content> {
        if class.is(ElementClass::OF_HEAD) {
            return Some(self.start_of_head(tag, class));
        }
        self.mode = match tag.name {
            local_names!("caption" "colgroup" "tbody" "tfoot" "thead") => Mode::InTable,
            local_name!("col") => Mode::InColumnGroup,
            local_name!("tr") => Mode::InTableBody,
            local_names!("td" "th") => Mode::InRow,
            _ => Mode::InBody,
        };
        if let Some(last) = self.template_modes.last_mut() {
            *last = self.mode;
        }
        None
    }

    /// `None` if the tag is to be processed in another mode.
    fn start_in_table(&mut self, tag: &StartTag<'_>, class: ElementClass) -> Option<Content> {
        let done = Some(Content::Markup);
        if self.mode == Mode::InColumnGroup {
            if tag.name == local_name!("col") {
                self.insert_void(tag);
                return done;
            }
            if tag.name == local_name!("template") {
                return Some(self.start_of_head(tag, class));
            }
            if !self.top_is(&local_name!("colgroup")) {
                return Some(self.give_up());
            }
            self.pop();
            self.mode = Mode::InTable;
            return None;
        }
        if tag.name == local_name!("table") {
            return if self.end_table() { None } else { done };
        }
        if !class.is(ElementClass::OF_TABLE) {
            return Some(self.start_beside_rows(tag, class));
        }
        match (self.mode, &tag.name) {
            (Mode::InRow, &local_names!("td" "th")) => {
                self.pop_to(&[local_name!("tr")]);
                self.insert(tag, class);
                self.push_marker();
                self.mode = Mode::InCell;
                done
            }
            (Mode::InRow, _) => {
                if !self.has_in_table_scope(&[local_name!("tr")]) {
                    return done;
                }
                self.end_row();
                None
            }
            (Mode::InTableBody, &local_name!("tr")) => {
                self.pop_to(&BODIES);
                self.insert(tag, class);
                self.mode = Mode::InRow;
                done
            }
            (Mode::InTableBody, &local_names!("td" "th")) => {
                self.pop_to(&BODIES);
                self.imply_start(&local_name!("tr"));
                self.mode = Mode::InRow;
                None
            }
            (Mode::InTableBody, _) => {
                if !self.has_in_table_scope(&BODIES) {
                    return done;
                }
                self.end_table_body();
                None
            }
            (_, name) => {
                self.pop_to(&[local_name!("table")]);
                let (mode, implied) = match *name {
                    local_name!("caption") => (Mode::InCaption, None),
                    local_name!("colgroup") => (Mode::InColumnGroup, None),
                    local_name!("col") => (Mode::InColumnGroup, Some(local_name!("colgroup"))),
                    local_names!("tbody" "tfoot" "thead") => (Mode::InTableBody, None),
                    _ => (Mode::InTableBody, Some(local_name!("tbody"))),
                };
                self.mode = mode;
                if let Some(name) = implied {
                    self.imply_start(&name);
                    return None;
                }
                if mode == Mode::InCaption {
                    self.push_marker();
                }
                self.insert(tag, class);
                done
            }
        }
    }

    /// Processes an element in a table outside its cells. Most of these would be moved before the table.
    fn start_beside_rows(&mut self, tag: &StartTag<'_>, class: ElementClass) -> Content {
        match tag.name {
            local_names!("style" "script" "template") => return self.start_of_head(tag, class),
            local_name!("form") => {
                if self.form.is_none() && !self.in_template() {
                    self.insert_void(tag);
                    self.form = Some(OpenForm::Ended);
                }
            }
            local_name!("input") => {
                let kind = tag.attribute(&local_name!("type"));
                if !kind.is_some_and(|kind| kind.eq_ignore_ascii_case("hidden")) {
                    return self.give_up();
                }
                self.insert_void(tag);
            }
            _ => return self.give_up(),
        }
        Content::Markup
    }

    pub(super) fn end_row(&mut self) {
        self.pop_to(&[local_name!("tr")]);
        self.pop();
        self.mode = Mode::InTableBody;
    }

    pub(super) fn end_table_body(&mut self) {
        self.pop_to(&BODIES);
        self.pop();
        self.mode = Mode::InTable;
    }

    /// Returns whether there was a cell or caption to close.
    pub(super) fn close_cell_or_caption(&mut self) -> bool {
        let caption = [local_name!("caption")];
        let (names, mode): (&[LocalName], Mode) = match self.mode {
            Mode::InCaption => (&caption, Mode::InTable),
            _ => (&CELLS, Mode::InRow),
        };
        if !self.has_in_table_scope(names) {
            return false;
        }
        self.imply_ends(None);
        self.pop_through(|open| names.contains(&open.name));
        self.clear_to_marker();
        self.mode = mode;
        true
    }

    fn start_in_body(&mut self, tag: &StartTag<'_>, class: ElementClass) -> Content {
        let name = &tag.name;
        if class.is(ElementClass::FORMATTING) {
            return self.start_formatting(tag, class);
        }
        if class.is(ElementClass::CLOSES_P) {
            self.close_paragraph();
            self.insert(tag, class);
            return Content::Markup;
        }
        if class.is(ElementClass::OF_TABLE) {
            return Content::Markup;
        }
        if class.is(ElementClass::OF_HEAD) {
            return self.start_of_head(tag, class);
        }
        match *name {
            local_names!("html" "body") if self.in_template() => {}
            local_name!("html") => self.merge(0, tag),
            local_name!("body") => match self.open.get(1).map(|open| (&open.name, open.id)) {
                Some((&local_name!("body"), id)) => self.merge(id, tag),
                _ => self.gives_up = true,
            },
            local_name!("head") => {}
            local_name!("svg") => {
                self.reconstruct();
                self.in_drawing = !tag.self_closing;
                return Content::Drawing;
            }
            local_names!("li" "dd" "dt") => {
                self.end_open_item(name);
                self.close_paragraph();
                self.insert(tag, class);
            }
            local_names!("pre" "listing") => {
                self.close_paragraph();
                self.insert(tag, class);
                self.skips_line_feed = true;
            }
            local_name!("form") => {
                if self.in_template() || self.form.is_none() {
                    self.close_paragraph();
                    self.insert(tag, class);
                    if !self.in_template() {
                        self.form = Some(OpenForm::At(self.open.len()));
                    }
                }
            }
            local_name!("button") => {
                self.end_in_scope(name);
                self.reconstruct();
                self.insert(tag, class);
            }
            local_name!("table") => {
                if self.has_paragraph_in_scope() {
                    match self.is_in_quirks_mode() {
                        Some(true) => {}
                        Some(false) => self.close_paragraph(),
                        None => self.gives_up = true,
                    }
                }
                self.insert(tag, class);
                self.mode = Mode::InTable;
            }
            local_names!("param" "source" "track") => self.insert_void(tag),
            local_name!("hr") => {
                self.close_paragraph();
                self.gives_up |= self.has_name_in_scope(&local_name!("select"));
                self.insert_void(tag);
            }
            local_name!("input") => {
                self.gives_up |= self.has_name_in_scope(&local_name!("select"));
                self.reconstruct();
                self.insert_void(tag);
            }
            _ if class.is(ElementClass::VOID) => {
                self.reconstruct();
                self.insert_void(tag);
            }
            _ if class.is(ElementClass::HEADING) => {
                self.close_paragraph();
                if self.top().class.is(ElementClass::HEADING) {
                    self.pop();
                }
                self.insert(tag, class);
            }
            local_names!("textarea" "iframe" "noembed") => return self.start_raw(tag, false),
            local_names!("applet" "marquee" "object") => {
                self.reconstruct();
                self.insert(tag, class);
                self.push_marker();
            }
            local_name!("select") if self.has_name_in_scope(name) => self.pop_through_name(name),
            local_names!("option" "optgroup") => {
                let is_option = *name == local_name!("option");
                if self.has_name_in_scope(&local_name!("select")) {
                    self.imply_ends(is_option.then_some(&local_name!("optgroup")));
                } else if self.top_is(&local_name!("option")) {
                    self.pop();
                }
                self.reconstruct();
                self.insert(tag, class);
            }
            local_names!("rb" "rtc" "rp" "rt") => {
                if self.has_name_in_scope(&local_name!("ruby")) {
                    let stays = matches!(*name, local_names!("rp" "rt"));
                    self.imply_ends(stays.then_some(&local_name!("rtc")));
                }
                self.insert(tag, class);
            }
            _ => {
                let is_alternative = *name == local_name!("noscript");
                self.has_alternative |= is_alternative && self.top().fate == Fate::Kept;
                self.reconstruct();
                self.insert(tag, class);
            }
        }
        Content::Markup
    }

    fn start_formatting(&mut self, tag: &StartTag<'_>, class: ElementClass) -> Content {
        /// Maximum number of attributes, because they are compared with those of the active elements.
        const MAX_ATTRIBUTES: usize = 64;
        let name = &tag.name;
        if tag.attributes.len() > MAX_ATTRIBUTES {
            return self.give_up();
        }
        // Links do not nest.
        if *name == local_name!("a")
            && let Some(serial) = self.active_serial(name)
        {
            self.end_formatting(name);
            self.forget_active(serial);
        }
        self.reconstruct();
        if *name == local_name!("nobr") && self.has_name_in_scope(name) {
            self.end_formatting(name);
            self.reconstruct();
        }
        let attributes = self.store(tag);
        self.push_formatting(name, attributes, class);
        Content::Markup
    }

    /// Ends the open list or definition item in which an item with this name would otherwise be nested.
    fn end_open_item(&mut self, name: &LocalName) {
        let ends = |open: &LocalName| match *name {
            local_name!("li") => *open == local_name!("li"),
            _ => matches!(*open, local_names!("dd" "dt")),
        };
        let stops = |open: &StackElement| {
            ends(&open.name)
                || open.class.is(ElementClass::SPECIAL)
                    && !matches!(open.name, local_names!("address" "div" "p"))
        };
        let found = self.open.iter().rfind(|open| stops(open)).map(|open| open.name.clone());
        if let Some(found) = found.filter(ends) {
            self.imply_ends(Some(&found));
            self.pop_through_name(&found);
        }
    }
}
