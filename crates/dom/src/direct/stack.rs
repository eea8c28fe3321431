//! The stack of open elements and the list of active formatting elements (WHATWG HTML §13.2.4.2–3).

use html5ever::{LocalName, local_name};

use super::class::ElementClass;
use super::state::{DirectBuilder, Fate, Formatting, OpenForm, StackElement};
use crate::document::{BufferRange, Node, NodeId};

impl DirectBuilder {
    /// The innermost open element. From the start of the body on, there is one.
    pub(super) fn top(&self) -> &StackElement {
        &self.open[self.open.len() - 1]
    }

    pub(super) fn top_is(&self, name: &LocalName) -> bool {
        self.open.last().is_some_and(|top| top.name == *name)
    }

    /// Opens an element whose attributes are already stored.
    pub(super) fn push(&mut self, name: &LocalName, attributes: BufferRange, class: ElementClass) {
        let fate = self.fate_of(name, std::iter::empty());
        self.push_as(name, attributes, class, fate);
    }

    pub(super) fn push_as(
        &mut self,
        name: &LocalName,
        attributes: BufferRange,
        class: ElementClass,
        fate: Fate,
    ) {
        let mut id = self.open.last().map_or(0, |top| top.id);
        match fate {
            // All open elements around a kept element are kept, so their number is its level.
            Fate::Kept => id = self.document.push(Some(name), id, self.open.len(), attributes),
            Fate::Gathered => self.gather(name, attributes),
            Fate::Dropped => {}
        }
        self.open_paragraphs += u32::from(*name == local_name!("p"));
        self.open.push(StackElement { name: name.clone(), id, fate, class, serial: 0 });
        self.check_size();
    }

    pub(super) fn pop(&mut self) {
        let Some(open) = self.open.pop() else { return };
        match open.fate {
            Fate::Kept => self.end_node(open.id, self.document.nodes.len()),
            Fate::Gathered => self.gatherer.close(),
            Fate::Dropped => {}
        }
        self.open_paragraphs -= u32::from(open.name == local_name!("p"));
        if open.serial != 0
            && let Some(own) = self.active.iter_mut().rev().find(|own| own.serial == open.serial)
        {
            own.is_open = false;
        }
    }

    fn end_node(&mut self, id: NodeId, end: usize) {
        self.document.nodes[id as usize].end = end as NodeId;
    }

    /// Pops elements up to and including the first that fits.
    pub(super) fn pop_through(&mut self, fits: impl Fn(&StackElement) -> bool) {
        while let Some(top) = self.open.last() {
            let is_last = fits(top);
            self.pop();
            if is_last {
                return;
            }
        }
    }

    pub(super) fn pop_through_name(&mut self, name: &LocalName) {
        self.pop_through(|open| open.name == *name);
    }

    /// Pops elements until the current node has one of these names or is a template or the root.
    pub(super) fn pop_to(&mut self, names: &[LocalName]) {
        let stays = |name: &LocalName| {
            names.contains(name) || matches!(*name, local_names!("template" "html"))
        };
        while self.open.last().is_some_and(|top| !stays(&top.name)) {
            self.pop();
        }
    }

    fn in_scope(
        &self,
        fits: impl Fn(&StackElement) -> bool,
        ends: impl Fn(&StackElement) -> bool,
    ) -> bool {
        let found = self.open.iter().rev().find(|open| fits(open) || ends(open));
        found.is_some_and(fits)
    }

    pub(super) fn has_in_scope(&self, fits: impl Fn(&StackElement) -> bool) -> bool {
        self.in_scope(fits, |open| open.class.is(ElementClass::SCOPE))
    }

    pub(super) fn has_name_in_scope(&self, name: &LocalName) -> bool {
        self.has_in_scope(|open| open.name == *name)
    }

    /// Ends the innermost element in scope with this name. Returns whether there was one.
    pub(super) fn end_in_scope(&mut self, name: &LocalName) -> bool {
        let is_in_scope = self.has_name_in_scope(name);
        if is_in_scope {
            self.imply_ends(None);
            self.pop_through_name(name);
        }
        is_in_scope
    }

    pub(super) fn has_item_in_scope(&self) -> bool {
        let ends = |open: &StackElement| {
            open.class.is(ElementClass::SCOPE) || matches!(open.name, local_names!("ol" "ul"))
        };
        self.in_scope(|open| open.name == local_name!("li"), ends)
    }

    pub(super) fn has_paragraph_in_scope(&self) -> bool {
        let ends = |open: &StackElement| {
            open.class.is(ElementClass::SCOPE) || open.name == local_name!("button")
        };
        self.open_paragraphs > 0 && self.in_scope(|open| open.name == local_name!("p"), ends)
    }

    pub(super) fn has_in_table_scope(&self, names: &[LocalName]) -> bool {
        let ends =
            |open: &StackElement| matches!(open.name, local_names!("table" "template" "html"));
        self.in_scope(|open| names.contains(&open.name), ends)
    }

    /// Generates implied end tags, except for elements with this name.
    pub(super) fn imply_ends(&mut self, except: Option<&LocalName>) {
        while self
            .open
            .last()
            .is_some_and(|top| top.class.is(ElementClass::IMPLIED_END) && Some(&top.name) != except)
        {
            self.pop();
        }
    }

    pub(super) fn close_paragraph(&mut self) {
        if self.has_paragraph_in_scope() {
            self.imply_ends(Some(&local_name!("p")));
            self.pop_through_name(&local_name!("p"));
        }
    }

    pub(super) fn push_marker(&mut self) {
        let attributes = BufferRange::default();
        self.active.push(Formatting { name: None, serial: 0, is_open: false, attributes });
    }

    pub(super) fn clear_to_marker(&mut self) {
        while self.active.pop().is_some_and(|last| last.name.is_some()) {}
    }

    /// The entries since the last marker, last first, with their positions.
    fn since_marker(&self) -> impl Iterator<Item = (usize, &Formatting)> {
        self.active.iter().enumerate().rev().take_while(|(_, own)| own.name.is_some())
    }

    /// The serial number of the last active formatting element with this name since the last marker.
    pub(super) fn active_serial(&self, name: &LocalName) -> Option<u32> {
        let found = self.since_marker().find(|(_, own)| own.name.as_ref() == Some(name));
        found.map(|(_, own)| own.serial)
    }

    pub(super) fn forget_active(&mut self, serial: u32) {
        self.active.retain(|own| own.serial != serial);
        // If it is still open, the elements inside it would stay open.
        self.gives_up |= self.open.iter().any(|open| open.serial == serial);
    }

    pub(super) fn push_formatting(
        &mut self,
        name: &LocalName,
        attributes: BufferRange,
        class: ElementClass,
    ) {
        self.push(name, attributes, class);
        // At most three equal elements are active (the Noah's Ark clause).
        let is_same = |own: &Formatting| {
            own.name.as_ref() == Some(name) && self.have_same_attributes(own.attributes, attributes)
        };
        let same: Vec<usize> =
            self.since_marker().filter(|(_, own)| is_same(own)).map(|(at, _)| at).collect();
        if same.len() >= 3 {
            self.active.remove(same[same.len() - 1]);
        }
        let serial = self.mark_active();
        let name = Some(name.clone());
        self.active.push(Formatting { name, serial, is_open: true, attributes });
    }

    /// Gives the current node the next serial number.
    fn mark_active(&mut self) -> u32 {
        self.serial += 1;
        if let Some(top) = self.open.last_mut() {
            top.serial = self.serial;
        }
        self.serial
    }

    fn have_same_attributes(&self, a: BufferRange, b: BufferRange) -> bool {
        let document = &self.document;
        a.range().len() == b.range().len()
            && document.stored(a).all(|one| document.stored(b).any(|other| one == other))
    }

    /// Reopens the active formatting elements that were closed together with an element around them.
    pub(super) fn reconstruct(&mut self) {
        let is_closed = |own: &Formatting| own.name.is_some() && !own.is_open;
        let closed = self.active.iter().rev().take_while(|own| is_closed(own)).count();
        for at in self.active.len() - closed..self.active.len() {
            self.copy_active(at);
        }
    }

    /// Processes the end tag of any other element.
    pub(super) fn end_any_other(&mut self, name: &LocalName) {
        let stops =
            |open: &StackElement| open.name == *name || open.class.is(ElementClass::SPECIAL);
        let Some(at) = self.open.iter().rposition(stops) else { return };
        if self.open[at].name == *name {
            self.imply_ends(Some(name));
            while self.open.len() > at {
                self.pop();
            }
        }
    }

    /// Processes the end tag of a formatting element: the adoption agency algorithm (§13.2.6.4.7).
    pub(super) fn end_formatting(&mut self, name: &LocalName) {
        let top = self.top();
        let is_it = |own: &Formatting| own.name.is_some() && own.serial == top.serial;
        if top.name == *name && !self.active.iter().any(is_it) {
            return self.pop();
        }
        for _ in 0..8 {
            let found = self.since_marker().find(|(_, own)| own.name.as_ref() == Some(name));
            let Some((entry, formatting)) = found else { return self.end_any_other(name) };
            let serial = formatting.serial;
            let Some(place) = self.open.iter().rposition(|open| open.serial == serial) else {
                self.active.remove(entry);
                return;
            };
            let inside = &self.open[place + 1..];
            if inside.iter().any(|open| open.class.is(ElementClass::SCOPE)) {
                return;
            }
            let Some(block) = inside.iter().position(|open| open.class.is(ElementClass::SPECIAL))
            else {
                while self.open.len() > place {
                    self.pop();
                }
                self.active.retain(|own| own.serial != serial);
                return;
            };
            self.move_block_out(entry, place, place + 1 + block);
            if self.gives_up {
                return;
            }
        }
    }

    /// Moves the furthest block, the open element at `block`, out of the formatting element at `place`, whose list entry is
    /// `entry`, and wraps the block's content in a copy of that element. All elements between the two end; the active ones are
    /// copied around the block.
    ///
    /// All nodes after the block's node are inside the block: they keep their order, after the copies.
    fn move_block_out(&mut self, entry: usize, place: usize, block: usize) {
        let node = self.open[block].id;
        let mut copied: Vec<usize> = Vec::new();
        for between in &self.open[place + 1..block] {
            let is_it = |own: &Formatting| between.serial != 0 && own.serial == between.serial;
            copied.extend(self.active.iter().position(is_it));
        }
        // More elements between would end without a copy.
        let is_plain = block - place <= 4 && self.top().fate == Fate::Kept;
        if !is_plain || self.gatherer.has_place_after(node) {
            self.gives_up = true;
            return;
        }
        let inside = self.document.nodes.split_off(node as usize);
        self.steps += inside.len() as u64;
        for at in place..block {
            self.end_node(self.open[at].id, node as usize);
        }
        let mut later = self.open.split_off(block);
        let formatting = self.active.remove(entry);
        copied.iter_mut().for_each(|at| *at -= usize::from(*at > entry));
        self.open.truncate(place);
        for &at in &copied {
            self.copy_active(at);
        }
        // The block, then the copy of the formatting element, then the block's content.
        let mut inside = inside.into_iter();
        let (parent, level) = (self.top().id, self.open.len());
        let moved = self.document.nodes.len() as NodeId;
        let block_node = inside.next().map(|node| Node { parent, level: level as u16, ..node });
        self.document.nodes.extend(block_node);
        later[0].id = moved;
        self.open.extend(later.drain(..1));
        let bookmark = copied.last().map_or(entry, |at| at + 1);
        self.active.insert(bookmark, formatting);
        self.copy_active(bookmark);
        let copy = self.top().id;
        let shift = copy - node;
        let ended = block - place - 1 - copied.len();
        self.document.nodes.extend(inside.map(|inner| Node {
            parent: if inner.parent == node { copy } else { inner.parent + shift },
            end: inner.end + shift,
            level: inner.level - ended as u16,
            ..inner
        }));
        if let Some(OpenForm::At(depth)) = &mut self.form
            && *depth > block
        {
            let is_block = *depth == block + 1;
            *depth = *depth + place + copied.len() + usize::from(!is_block) - block;
        }
        later.iter_mut().for_each(|open| open.id += shift);
        self.open.append(&mut later);
        self.check_size();
    }

    /// Opens a new element for an entry of the list.
    fn copy_active(&mut self, at: usize) {
        let Formatting { name: Some(name), attributes, .. } = &self.active[at] else { return };
        let (name, attributes) = (name.clone(), *attributes);
        self.push(&name, attributes, ElementClass::of(&name));
        let serial = self.mark_active();
        (self.active[at].serial, self.active[at].is_open) = (serial, true);
    }
}
