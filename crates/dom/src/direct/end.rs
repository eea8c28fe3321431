//! End tags, by insertion mode.

use html5ever::{LocalName, local_name};

use super::class::ElementClass;
use super::start::BODIES;
use super::state::{DirectBuilder, Mode, OpenForm};

/// What remains to be done for an end tag.
enum Rest {
    Nothing,
    /// Process it again, in the mode that is now current.
    Again,
    /// Process it as in the body.
    InBody,
}

impl DirectBuilder {
    pub(super) fn end_tag(&mut self, name: &LocalName) {
        if self.raw.is_some() {
            return self.end_raw();
        }
        if self.in_drawing {
            self.gives_up |= *name != local_name!("svg");
            self.in_drawing = false;
            return;
        }
        loop {
            let rest = match self.mode {
                Mode::InBody => Rest::InBody,
                Mode::InTable | Mode::InTableBody | Mode::InRow | Mode::InColumnGroup => {
                    self.end_in_table(name)
                }
                Mode::InCell => self.end_in_cell(name),
                Mode::InCaption => self.end_in_caption(name),
                Mode::InTemplate => {
                    if *name == local_name!("template") {
                        self.end_template();
                    }
                    Rest::Nothing
                }
                _ => self.end_before_body(name),
            };
            match rest {
                Rest::Nothing => return,
                Rest::Again => {}
                Rest::InBody => return self.end_in_body(name),
            }
        }
    }

    fn end_before_body(&mut self, name: &LocalName) -> Rest {
        if self.mode == Mode::Initial {
            self.mode = Mode::BeforeHtml;
        }
        match (self.mode, name) {
            (Mode::InHeadNoscript, &local_name!("noscript")) => self.mode = Mode::InHead,
            (Mode::InHeadNoscript, &local_name!("br")) => self.gives_up = true,
            (Mode::InHeadNoscript, _) => {}
            (_, &local_name!("template")) => self.end_template(),
            (Mode::BeforeHtml, &local_names!("head" "body" "html" "br")) => {
                self.imply_start(&local_name!("html"));
                self.mode = Mode::BeforeHead;
                return Rest::Again;
            }
            (_, &local_name!("head")) => self.mode = Mode::AfterHead,
            (_, &local_names!("body" "html" "br")) => {
                self.start_body();
                return Rest::Again;
            }
            _ => {}
        }
        Rest::Nothing
    }

    fn end_in_table(&mut self, name: &LocalName) -> Rest {
        let is_of_table = ElementClass::of(name).is(ElementClass::OF_TABLE);
        match (self.mode, name) {
            (Mode::InColumnGroup, &local_name!("template")) => self.end_template(),
            (Mode::InColumnGroup, _) => {
                if *name == local_name!("col") || !self.top_is(&local_name!("colgroup")) {
                    return Rest::Nothing;
                }
                self.pop();
                self.mode = Mode::InTable;
                if *name != local_name!("colgroup") {
                    return Rest::Again;
                }
            }
            (_, &local_names!("body" "html")) => {}
            (Mode::InTable, &local_name!("table")) => _ = self.end_table(),
            (Mode::InTableBody, &local_name!("table")) => {
                if self.has_in_table_scope(&BODIES) {
                    self.end_table_body();
                    return Rest::Again;
                }
            }
            (Mode::InTableBody, _) if BODIES.contains(name) => {
                if self.has_in_table_scope(std::slice::from_ref(name)) {
                    self.end_table_body();
                }
            }
            (Mode::InRow, &local_name!("tr")) => {
                if self.has_in_table_scope(&[local_name!("tr")]) {
                    self.end_row();
                }
            }
            (Mode::InRow, &local_names!("table" "tbody" "tfoot" "thead")) => {
                let row = [local_name!("tr")];
                if self.has_in_table_scope(std::slice::from_ref(name))
                    && self.has_in_table_scope(&row)
                {
                    self.end_row();
                    return Rest::Again;
                }
            }
            _ if is_of_table => {}
            // These may insert an element, which would go before the table.
            (_, &local_names!("p" "br")) => self.gives_up = true,
            _ => return Rest::InBody,
        }
        Rest::Nothing
    }

    /// Whether there was a table to close.
    pub(super) fn end_table(&mut self) -> bool {
        let is_open = self.has_in_table_scope(&[local_name!("table")]);
        if is_open {
            self.pop_through_name(&local_name!("table"));
            self.reset_mode();
        }
        is_open
    }

    fn end_in_cell(&mut self, name: &LocalName) -> Rest {
        match *name {
            local_names!("td" "th") => {
                if self.has_in_table_scope(std::slice::from_ref(name)) {
                    self.imply_ends(None);
                    self.pop_through_name(name);
                    self.clear_to_marker();
                    self.mode = Mode::InRow;
                }
            }
            local_names!("body" "caption" "col" "colgroup" "html") => {}
            local_names!("table" "tbody" "tfoot" "thead" "tr") => {
                if self.has_in_table_scope(std::slice::from_ref(name))
                    && self.close_cell_or_caption()
                {
                    return Rest::Again;
                }
            }
            _ => return Rest::InBody,
        }
        Rest::Nothing
    }

    fn end_in_caption(&mut self, name: &LocalName) -> Rest {
        match *name {
            local_name!("caption") => _ = self.close_cell_or_caption(),
            local_name!("table") => {
                if self.close_cell_or_caption() {
                    return Rest::Again;
                }
            }
            local_names!("body" "html") => {}
            _ if ElementClass::of(name).is(ElementClass::OF_TABLE) => {}
            _ => return Rest::InBody,
        }
        Rest::Nothing
    }

    pub(super) fn end_template(&mut self) {
        if self.template_modes.pop().is_none() {
            return;
        }
        // Also closes the elements in the template.
        self.pop_through_name(&local_name!("template"));
        self.clear_to_marker();
        self.reset_mode();
    }

    /// Sets the insertion mode by the open elements (§13.2.4.1).
    fn reset_mode(&mut self) {
        let of_template = self.template_modes.last().copied();
        let mode = |name: &LocalName| match *name {
            local_name!("template") => of_template,
            local_name!("html") => Some(self.mode_in_root),
            local_names!("td" "th") => Some(Mode::InCell),
            local_name!("tr") => Some(Mode::InRow),
            local_names!("tbody" "tfoot" "thead") => Some(Mode::InTableBody),
            local_name!("caption") => Some(Mode::InCaption),
            local_name!("colgroup") => Some(Mode::InColumnGroup),
            local_name!("table") => Some(Mode::InTable),
            local_name!("body") => Some(Mode::InBody),
            _ => None,
        };
        let found = self.open.iter().rev().find_map(|open| mode(&open.name));
        self.mode = found.unwrap_or(Mode::InBody);
    }

    fn end_in_body(&mut self, name: &LocalName) {
        let class = ElementClass::of(name);
        if class.is(ElementClass::FORMATTING) {
            return self.end_formatting(name);
        }
        if class.is(ElementClass::BLOCK_END) {
            self.end_in_scope(name);
            return;
        }
        match *name {
            local_names!("body" "html") => {}
            local_name!("template") => self.end_template(),
            local_name!("p") => {
                if !self.has_paragraph_in_scope() {
                    self.imply_start(name);
                }
                self.close_paragraph();
            }
            local_names!("li" "dd" "dt") => {
                let is_in_scope = match *name {
                    local_name!("li") => self.has_item_in_scope(),
                    _ => self.has_name_in_scope(name),
                };
                if is_in_scope {
                    self.imply_ends(Some(name));
                    self.pop_through_name(name);
                }
            }
            _ if class.is(ElementClass::HEADING) => {
                if self.has_in_scope(|open| open.class.is(ElementClass::HEADING)) {
                    self.imply_ends(None);
                    self.pop_through(|open| open.class.is(ElementClass::HEADING));
                }
            }
            local_name!("form") if self.in_template() => _ = self.end_in_scope(name),
            local_name!("form") => {
                let Some(OpenForm::At(depth)) = self.form.take() else { return };
                let is_open = self.open.get(depth - 1).is_some_and(|open| open.name == *name);
                let is_in_scope = is_open
                    && self.open[depth..].iter().all(|open| !open.class.is(ElementClass::SCOPE));
                if is_in_scope {
                    self.imply_ends(None);
                    // Elements that the form contains would stay open after it.
                    self.gives_up |= self.open.len() != depth;
                    self.pop();
                }
            }
            local_name!("br") => {
                self.reconstruct();
                self.imply_start(name);
                self.pop();
            }
            local_names!("applet" "marquee" "object") => {
                if self.end_in_scope(name) {
                    self.clear_to_marker();
                }
            }
            _ if class.is(ElementClass::RARE) => self.gives_up = true,
            _ => self.end_any_other(name),
        }
    }
}
