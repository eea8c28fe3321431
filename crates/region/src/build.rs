//! Writes the chosen nodes of a page as a tree of allowed elements.

use std::borrow::Cow;

use dom::{
    AsidePlace, Document, Element, Formula, LocalName, NodeId, is_inline, link_target, local_name,
    local_names, web_url,
};
use url::Url;

use crate::allowed::{
    attribute_stays, formula_attribute_stays, formula_stays, gives_structure, has_style, meant,
    written_as,
};
use crate::captions::Role;
use crate::choose::ChosenNodes;
use crate::code::CodeBlock;
use crate::embed::{Embedded, Medium};
use crate::formulas::{may_hold_tex, tex_in_text};
use crate::notes::{Anchors, PREFIX};
use crate::picture::PagePicture;
use crate::structures::is_layout;
use crate::tree::{At, NodeMark, RegionTree};

/// Maximum number of elements between a list item and its check box.
const LEVELS_OF_TASK: usize = 4;

/// The start of a post of a thread, other than the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostStart {
    /// The first node of the post.
    pub node: NodeId,
    /// Its author and date, as shown to readers; empty if unknown.
    pub byline: String,
}

/// Writes a separator and the byline before a post. They are not part of the text.
fn write_post(tree: &mut RegionTree<'_>, parent: At, post: &PostStart) {
    let rule = tree.push(parent, local_name!("hr"));
    tree.nodes[rule].mark = NodeMark::Post;
    if !post.byline.is_empty() {
        let byline = tree.push(parent, local_name!("p"));
        tree.nodes[byline].mark = NodeMark::Post;
        let strong = tree.push(byline, local_name!("strong"));
        let text = tree.push_text(strong, post.byline.clone());
        tree.nodes[text].mark = NodeMark::Unread;
    }
}

/// An element of the page whose content is being written.
struct OpenElement {
    id: NodeId,
    end: NodeId,
    /// The element of the tree that receives its content.
    at: At,
    /// Whether it is part of a layout table.
    in_layout: bool,
}

pub(crate) struct RegionBuilder<'a, 'c> {
    pub(crate) document: &'a Document,
    pub(crate) base: &'c Url,
    pub(crate) chosen: &'c ChosenNodes,
    pub(crate) anchors: &'c Anchors,
    /// The starts of the posts of a thread, ascending.
    pub(crate) posts: &'c [PostStart],
    pub(crate) tree: RegionTree<'a>,
    /// Notes within lines of text, which are written at the end.
    pub(crate) line_notes: Vec<At>,
}

impl<'a> RegionBuilder<'a, '_> {
    /// Builds the tree. Elements may still be in places where HTML does not allow them.
    pub(crate) fn build(mut self) -> RegionTree<'a> {
        let document = self.document;
        let mut shown = self.shown_nodes().into_iter().peekable();
        let places = document.aside().map_or(&[][..], |aside| &aside.places);
        let mut places = places.iter().enumerate().peekable();
        let end = document.len() as NodeId;
        let mut open = vec![OpenElement { id: 0, end, at: 0, in_layout: false }];
        let mut id: NodeId = 0;
        let mut posts = self.posts.iter().peekable();
        let mut post: Option<&PostStart> = None;
        while id <= end {
            // Elements of the aside that come before this node.
            while let Some(own) = places.next_if(|place| place.1.before <= id) {
                let place = own.1;
                let is_over = |last: &mut OpenElement| {
                    last.id != place.parent && document.contains(place.parent, last.id)
                        || last.end < place.before
                };
                while open.len() > 1 && open.pop_if(is_over).is_some() {}
                self.write_place(open.last().map_or(0, |last| last.at), own);
            }
            if id == end {
                break;
            }
            while open.len() > 1 && open.pop_if(|last| last.end <= id).is_some() {}
            let (mut at, in_layout) =
                open.last().map_or((0, false), |last| (last.at, last.in_layout));
            while let Some(next) = posts.next_if(|next| next.node <= id) {
                post = Some(next);
            }
            // Lists, items and cells begin before the text in them.
            let is_around = document.name(id).is_some_and(|name| {
                matches!(
                    *name,
                    local_names!("ul" "ol" "dl" "li" "dd" "dt" "table" "tbody" "tr" "td" "th")
                )
            });
            while shown.next_if(|own| *own < id).is_some() {}
            let is_shown = shown.peek().is_some_and(|own| *own < document.node(id).end);
            if post.is_some() && is_shown && !is_around {
                post.take().into_iter().for_each(|post| write_post(&mut self.tree, at, post));
            }
            if self.chosen.apart.contains(&id) {
                at = self.tree.push(at, local_name!("p"));
            }
            if let Some(text) = document.text(id) {
                if self.chosen.include[id as usize] {
                    if self.anchors.links.contains_key(&id) {
                        at = self.tree.push(at, local_name!("a"));
                        self.lead_to_anchor(at, id);
                    }
                    let mut from = 0;
                    while let Some(own) = places.next_if(|own| own.1.is_within(document, id)) {
                        let within = (own.1.within as usize).max(from);
                        self.write_text(at, id, &text[from..within]);
                        from = within;
                        self.write_place(at, own);
                    }
                    self.write_text(at, id, &text[from..]);
                }
                id += 1;
                continue;
            }
            let next = document.node(id).end;
            if let Some(code) = self.chosen.code.get(&id) {
                self.write_code(at, id, code);
                while places.next_if(|place| place.1.before < next).is_some() {}
                id = next;
                continue;
            }
            // Columns are written although they have no text.
            let is_columns = document.is(id, &local_name!("colgroup"));
            if !(is_shown || is_columns && self.stays_empty(id)) {
                let left_out = self.chosen.include[document.parent(id).unwrap_or(0) as usize];
                if let Some(tick) = self.tick(id) {
                    self.tree.push_text(at, tick);
                } else if self.stays_empty(id) {
                    self.open_element(at, id, in_layout);
                } else if left_out {
                    self.write_gap(at, id);
                }
                id = next;
                continue;
            }
            if let Some(medium) = self.chosen.media.get(&id) {
                self.write_medium(at, document, id, medium);
                id = next;
                continue;
            }
            let (own, in_layout) = self.open_element(at, id, in_layout);
            open.push(OpenElement { id, end: next, at: own.unwrap_or(at), in_layout });
            id += 1;
        }
        self.tree.nodes[0].children.append(&mut self.line_notes);
        self.tree
    }

    /// Writes what remains of an element that is left out within the article: a paragraph break, a space between words, or its
    /// line breaks and spaces, which some editors put in elements of their own.
    fn write_gap(&mut self, parent: At, id: NodeId) {
        let (document, chosen) = (self.document, self.chosen);
        // A check box begins a line, unless it comes after its label: then it is a switch.
        let is_label = |own: NodeId| document.is(own, &local_name!("label"));
        let is_box = || {
            let kind = document.attribute(id, &local_name!("type")).unwrap_or_default();
            let mut before = document.ancestors(id - 1).take(2);
            matches!(kind, "checkbox" | "radio")
                && !before.any(|own| is_label(own) && document.node(own).end == id)
        };
        let is_control = match document.name(id) {
            Some(&local_name!("input")) => !is_box(),
            Some(&local_names!("select" "textarea" "link" "meta")) => true,
            _ => false,
        };
        if !document.is_inline(id) && !is_control {
            let gap = self.tree.push_text(parent, " ");
            self.tree.nodes[gap].mark = NodeMark::Gap;
        } else if is_control
            || chosen.visible.sum(document, id) > 0
                && (!chosen.unseen.contains(&id) || is_between_digits(document, id))
        {
            self.tree.push_text(parent, " ");
        } else {
            let is_break = |own: &NodeId| {
                document.is(*own, &local_name!("br")) && chosen.include[*own as usize]
            };
            let breaks = document.subtree(id).filter(is_break).count();
            for _ in 0..breaks {
                self.tree.push(parent, local_name!("br"));
            }
            let text = document.text_content(id);
            if breaks == 0 && !text.is_empty() && text.trim().is_empty() {
                self.tree.push_text(parent, " ");
            }
        }
    }

    fn write_text(&mut self, parent: At, id: NodeId, text: &'a str) {
        if text.contains('\n') && text.trim().contains('\n') && keeps_lines(self.document, id) {
            for (at, line) in text.trim_matches(['\n', '\r']).split('\n').enumerate() {
                if at > 0 {
                    self.tree.push(parent, local_name!("br"));
                }
                self.write_line(parent, id, line);
            }
        } else {
            self.write_line(parent, id, text);
        }
    }

    fn write_line(&mut self, parent: At, id: NodeId, text: &'a str) {
        let mut rest = text;
        if self.chosen.read[id as usize] && may_hold_tex(self.document, id) {
            while let Some((place, formula)) = tex_in_text(rest) {
                self.write_words(parent, id, &rest[..place.start]);
                write_tex(&mut self.tree, parent, &formula);
                rest = &rest[place.end..];
            }
        }
        self.write_words(parent, id, rest);
    }

    /// Writes text without invisible characters: soft hyphens, other break opportunities, and byte order marks.
    fn write_words(&mut self, parent: At, id: NodeId, text: &'a str) {
        let text = match text.is_ascii() {
            true => Cow::Borrowed(text),
            false => {
                let keeps_lines = || {
                    let is_pre = |own| self.document.is(own, &local_name!("pre"));
                    self.document.ancestors(id).any(is_pre)
                };
                match join_lines(without_unseen(text)) {
                    Cow::Owned(_) if text.contains('\n') && keeps_lines() => without_unseen(text),
                    joined => joined,
                }
            }
        };
        let at = self.tree.push_text(parent, text);
        if !self.chosen.read[id as usize] {
            self.tree.nodes[at].mark = NodeMark::Unread;
        }
    }

    fn write_code(&mut self, parent: At, id: NodeId, code: &CodeBlock) {
        let at = self.tree.push(parent, local_name!("pre"));
        if !code.language.is_empty() {
            self.tree.set(at, local_name!("class"), format!("language-{}", code.language));
        }
        let at = if code.is_marked { self.tree.push(at, local_name!("code")) } else { at };
        let text = self.tree.push_text(at, code.text.clone());
        if !self.document.subtree(id).any(|own| self.chosen.read[own as usize]) {
            self.tree.nodes[text].mark = NodeMark::Unread;
        }
    }

    /// Returns the included texts and media, and the parents of included media of the aside, in order.
    fn shown_nodes(&self) -> Vec<NodeId> {
        let (document, chosen) = (self.document, self.chosen);
        let has_text =
            |id: &NodeId| chosen.include[*id as usize] && chosen.visible.range(*id, *id + 1) > 0;
        let places = document.aside().map_or(&[][..], |aside| &aside.places);
        let places = chosen.aside.keys().filter_map(|&number| Some(places.get(number)?.parent));
        let mut shown: Vec<NodeId> = document.ids().filter(has_text).collect();
        shown.extend(chosen.media.keys().copied().chain(places));
        shown.sort();
        shown
    }

    fn stays_empty(&self, id: NodeId) -> bool {
        let is_empty = || {
            self.document.node(id).end == id + 1 || self.document.text_content(id).trim().is_empty()
        };
        self.chosen.include[id as usize]
            && match self.document.name(id) {
                Some(&local_names!("br" "hr" "wbr" "col" "colgroup")) => true,
                Some(&local_names!("td" "th")) => is_empty(),
                Some(_) => self.anchors.targets.contains_key(&id),
                None => false,
            }
    }

    /// Returns the task marker for the check box that a list item begins with (GitHub Flavored Markdown §5.3).
    fn tick(&self, id: NodeId) -> Option<&'static str> {
        let document = self.document;
        let element = document.element(id).filter(|_| self.chosen.include[id as usize])?;
        let attribute = |name: &LocalName| element.attribute(name);
        let is_checked = if *element.name == local_name!("input") {
            // A box with an id may open a section named by its label; one with a name belongs to a form.
            let is_named = [local_name!("id"), local_name!("name")]
                .iter()
                .any(|name| attribute(name).is_some_and(|value| !value.is_empty()));
            let is_task = attribute(&local_name!("disabled")).is_some() || !is_named;
            (is_task && attribute(&local_name!("type"))?.eq_ignore_ascii_case("checkbox"))
                .then(|| attribute(&local_name!("checked")).is_some())?
        } else {
            (attribute(&local_name!("role"))? == "checkbox")
                .then(|| attribute(&LocalName::from("aria-checked")) == Some("true"))?
        };
        let is_item = |own: &NodeId| document.is(*own, &local_name!("li"));
        let item = document.ancestors(id).skip(1).take(LEVELS_OF_TASK).find(is_item)?;
        let is_around = |own: NodeId| match document.text(own) {
            Some(text) => text.trim().is_empty(),
            None => document.contains(own, id),
        };
        let begins = (item..id).rev().take(2 * LEVELS_OF_TASK).all(is_around);
        begins.then_some(if is_checked { "\u{2611} " } else { "\u{2610} " })
    }

    /// Writes the start of an element. Returns its node, if it gets one, and whether its content is in a layout table.
    fn open_element(&mut self, parent: At, id: NodeId, in_layout: bool) -> (Option<At>, bool) {
        let document = self.document;
        let Some(element) = document.element(id) else { return (None, in_layout) };
        let Some(name) = meant(document, id) else { return (None, in_layout) };
        let inner_layout = match name {
            local_name!("table") => is_layout(document, id),
            _ => in_layout,
        };
        let Some(mut name) = self.name_of(id, name, inner_layout) else {
            return (None, inner_layout);
        };
        if name == local_name!("span") && has_style(element, "display", &["block"]) {
            name = local_name!("div");
        } else if matches!(name, local_names!("b" "strong"))
            && has_style(element, "font-weight", &["normal", "400"])
        {
            // Editors paste text that is not bold in this form.
            name = local_name!("span");
        }
        let is_credit = self.chosen.names.get(document, id).credit;
        let is_bare = name == local_name!("span")
            && !element.attributes().any(|(attribute, _)| attribute_stays(&name, attribute))
            && !self.anchors.targets.contains_key(&id)
            && !self.anchors.notes.contains_key(&id)
            && !is_credit;
        if is_bare {
            return (None, inner_layout);
        }
        // Inline elements that were chosen by themselves become paragraphs.
        let above = document.parent(id);
        let alone = parent == 0
            && is_inline(&name)
            && !above.is_some_and(|p| self.chosen.include[p as usize]);
        let at = if self.anchors.notes.contains_key(&id) && document.is_inline(id) {
            name = local_name!("p");
            let at = self.tree.element(name.clone());
            self.line_notes.push(at);
            at
        } else {
            let parent = if alone { self.tree.push(parent, local_name!("p")) } else { parent };
            self.tree.push(parent, name.clone())
        };
        for (attribute, value) in element.attributes() {
            if attribute_stays(&name, attribute) {
                self.tree.set(at, attribute.clone(), value);
            }
        }
        match name {
            local_name!("a") => self.write_link(at, element),
            local_names!("blockquote" "q") => {
                let cite = element.attribute(&local_name!("cite"));
                if let Some(url) = cite.and_then(|cite| web_url(cite, self.base)) {
                    self.tree.set(at, local_name!("cite"), String::from(url));
                }
            }
            local_name!("li") if above.is_some_and(|p| document.is(p, &local_name!("ol"))) => {
                self.tree.nodes[at].mark = NodeMark::Numbered;
            }
            _ => {}
        }
        if let Some(target) = self.anchors.targets.get(&id) {
            self.tree.set(at, local_name!("id"), format!("{PREFIX}{target}"));
        }
        if self.anchors.notes.contains_key(&id) {
            self.tree.nodes[at].mark = NodeMark::Note;
        } else if is_credit {
            self.tree.nodes[at].mark = NodeMark::Credit;
        }
        if let Some(post) = self.chosen.posts.get(&id) {
            self.tree.set(at, LocalName::from("data-embed"), post.kind.as_str());
            self.tree.set(at, LocalName::from("data-address"), post.address.clone());
        }
        (Some(at), inner_layout)
    }

    /// Returns the tag that an element is written as; `name` is its name by [`meant`].
    fn name_of(&self, id: NodeId, name: LocalName, in_layout: bool) -> Option<LocalName> {
        match self.chosen.roles.get(&id) {
            Some(Role::Figure) => return Some(local_name!("figure")),
            Some(Role::Caption) => return Some(local_name!("figcaption")),
            None => {}
        }
        let include = self.chosen.include[id as usize];
        let inside = self.document.contains(self.chosen.container, id);
        if !include {
            let around_all = id == self.chosen.container
                && matches!(name, local_names!("blockquote" "details" "a"));
            if !inside || around_all || !gives_structure(&name) {
                return None;
            }
        }
        if in_layout {
            match name {
                local_names!("table" "td" "th") => {
                    return include.then_some(local_name!("div"));
                }
                local_names!("tbody" "thead" "tfoot" "tr" "col" "colgroup") => return None,
                local_name!("caption") => return Some(local_name!("p")),
                _ => {}
            }
        }
        written_as(self.document, id, name)
    }

    fn write_link(&mut self, at: At, element: Element<'_>) {
        if !self.lead_to_anchor(at, element.id)
            && let Some(url) = link_target(element, self.base)
        {
            self.tree.set(at, local_name!("href"), String::from(url));
        }
    }

    /// Sets the target of a link if `id` leads to an anchor. Returns whether it does.
    fn lead_to_anchor(&mut self, link: At, id: NodeId) -> bool {
        let Some(target) = self.anchors.links.get(&id) else { return false };
        self.tree.set(link, local_name!("href"), format!("#{PREFIX}{target}"));
        if self.anchors.references.contains(&id) {
            self.tree.nodes[link].mark = NodeMark::Reference;
        }
        true
    }

    /// Writes the medium at a place of the aside, if one was chosen.
    fn write_place(&mut self, parent: At, (number, place): (usize, &AsidePlace)) {
        let (aside, medium) = (self.document.aside(), self.chosen.aside.get(&number));
        if let (Some(aside), Some(medium)) = (aside, medium) {
            self.write_medium(parent, &aside.document, place.id, medium);
        }
    }

    /// Writes the medium that an element of the page or of its aside shows.
    fn write_medium(&mut self, parent: At, source: &'a Document, id: NodeId, medium: &Medium) {
        match medium {
            Medium::Picture(picture) => write_picture(&mut self.tree, parent, picture),
            Medium::Sign(sign) => _ = self.tree.push_text(parent, sign.clone()),
            Medium::Player(found) => self.write_player(parent, id, found),
            Medium::Embedded(found) => write_embedded(&mut self.tree, parent, found),
            Medium::Formula(tex) => write_tex(&mut self.tree, parent, tex),
            Medium::MathMl => write_formula(&mut self.tree, parent, source, id),
        }
    }

    fn write_player(&mut self, parent: At, id: NodeId, found: &Embedded) {
        let Some(element) = self.document.element(id) else { return };
        let at = self.tree.push(parent, element.name.clone());
        self.tree.nodes[at].mark = NodeMark::Embed;
        self.tree.set(at, local_name!("src"), found.address.clone());
        self.tree.set(at, local_name!("controls"), "");
        let poster = element.attribute(&local_name!("poster"));
        let poster = poster.filter(|_| *element.name == local_name!("video"));
        if let Some(poster) = poster.and_then(|poster| web_url(poster, self.base)) {
            self.tree.set(at, local_name!("poster"), String::from(poster));
        }
        if let Some(title) = &found.title {
            self.tree.set(at, local_name!("title"), title.clone());
        }
    }
}

/// Whether an element is between the digits of two numbers, like the plus sign for screen readers in "1+½".
fn is_between_digits(document: &Document, id: NodeId) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let before = document.text(id - 1).is_some_and(|text| text.ends_with(is_digit));
    let mut after = (document.node(id).end..document.len() as NodeId).take(3);
    before
        && after.find_map(|own| document.text(own)).is_some_and(|text| text.starts_with(is_digit))
}

/// Removes line breaks between characters of scripts that have no spaces between words (CSS Text 3 §4.1.3).
fn join_lines(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains('\n') {
        return text;
    }
    // Ideographs, kana, bopomofo, and their signs.
    let is_wide = |c: char| {
        matches!(c, '\u{2e80}'..='\u{312f}' | '\u{31a0}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}' | '\u{ff01}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
    };
    let mut joined = String::with_capacity(text.len());
    for (at, line) in text.split('\n').enumerate() {
        let (before, after) = (joined.trim_end(), line.trim_start());
        if at > 0 && before.ends_with(is_wide) && after.starts_with(is_wide) {
            joined.truncate(before.len());
            joined.push_str(after);
        } else {
            joined.push_str(if at > 0 { "\n" } else { "" });
            joined.push_str(line);
        }
    }
    joined.into()
}

/// Removes soft hyphens, zero width spaces, word joiners, byte order marks, and icons. Texts in scripts without spaces (Thai,
/// Lao, Burmese, Khmer) keep zero width spaces, which separate their words.
fn without_unseen(text: &str) -> Cow<'_, str> {
    let is_unseen = |c| matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}');
    // Icons of a font, in the private use area.
    let shown = text.trim();
    if !shown.is_empty() && shown.chars().all(|c| matches!(c, '\u{e000}'..='\u{f8ff}')) {
        return Cow::Borrowed("");
    }
    if !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    let separates_words = text.contains(
        |c| matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'),
    );
    text.replace(|c| is_unseen(c) && !(separates_words && c == '\u{200b}'), "").into()
}

/// Whether the parent of a text, or its parent, has a style that preserves line breaks.
fn keeps_lines(document: &Document, text: NodeId) -> bool {
    document.ancestors(text).skip(1).take(2).any(|id| {
        document.element(id).is_some_and(|own| {
            has_style(own, "white-space", &["pre", "pre-wrap", "pre-line", "break-spaces"])
        })
    })
}

fn write_picture(tree: &mut RegionTree<'_>, parent: At, picture: &PagePicture) {
    let at = tree.push(parent, local_name!("img"));
    if !picture.others.is_empty() {
        tree.others.insert(at, picture.others.clone());
    }
    tree.set(at, local_name!("src"), picture.address.clone());
    if !picture.set.is_empty() {
        tree.set(at, local_name!("srcset"), picture.set.clone());
    }
    tree.set(at, local_name!("alt"), picture.alt.clone().unwrap_or_default());
    let sides = [(local_name!("width"), picture.width), (local_name!("height"), picture.height)];
    for (name, side) in sides.into_iter().filter_map(|(name, side)| Some((name, side?))) {
        tree.set(at, name, side.to_string());
    }
}

/// Writes a link in place of an embedded medium.
fn write_embedded(tree: &mut RegionTree<'_>, parent: At, found: &Embedded) {
    let at = tree.push(parent, local_name!("p"));
    tree.nodes[at].mark = NodeMark::Embed;
    tree.set(at, LocalName::from("data-embed"), found.kind.as_str());
    let link = tree.push(at, local_name!("a"));
    tree.set(link, local_name!("href"), found.address.clone());
    let title = found.title.clone().unwrap_or_else(|| found.address.clone());
    let text = tree.push_text(link, title);
    tree.nodes[text].mark = NodeMark::Unread;
}

/// Writes a formula known only as TeX as MathML text with an annotation (MathML Core §6).
fn write_tex(tree: &mut RegionTree<'_>, parent: At, formula: &Formula) {
    let at = tree.push(parent, local_name!("math"));
    if formula.is_display {
        tree.set(at, local_name!("display"), "block");
    }
    tree.formulas.insert(at, formula.marked());
    let semantics = tree.push(at, local_name!("semantics"));
    let shown = tree.push(semantics, local_name!("mtext"));
    tree.push_text(shown, formula.tex.clone());
    let source = tree.push(semantics, local_name!("annotation"));
    tree.set(source, local_name!("encoding"), "application/x-tex");
    tree.push_text(source, formula.tex.clone());
}

/// Writes a MathML formula without elements of other languages.
fn write_formula<'a>(tree: &mut RegionTree<'a>, parent: At, formula: &'a Document, root: NodeId) {
    let mut open: Vec<(NodeId, At, bool)> = Vec::new();
    for id in formula.subtree(root) {
        while open.pop_if(|last| last.0 <= id).is_some() {}
        let (parent, stays) = open.last().map_or((parent, true), |last| (last.1, last.2));
        let Some(element) = formula.element(id) else {
            let text = formula.text(id).unwrap_or_default();
            if stays && !text.is_empty() {
                tree.push_text(parent, Cow::Borrowed(text));
            }
            continue;
        };
        let end = formula.node(id).end;
        if !stays || **element.name == *"annotation-xml" {
            open.push((end, parent, false));
        } else if formula_stays(element.name)
            && (id == root) == (*element.name == local_name!("math"))
        {
            let at = tree.push(parent, element.name.clone());
            if id == root {
                let found = Formula::of(formula, root);
                tree.formulas.insert(at, found.marked());
                // So that readers of the fragment get the same TeX.
                if !found.is_declared && !found.tex.is_empty() {
                    tree.set(at, LocalName::from("alttext"), found.tex);
                }
            }
            for (name, value) in element.attributes().filter(|a| formula_attribute_stays(a.0)) {
                tree.set(at, name.clone(), value);
            }
            open.push((end, at, true));
        } else {
            open.push((end, parent, true));
        }
    }
}
