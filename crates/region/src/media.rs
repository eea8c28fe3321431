//! Chooses the pictures, players, frames and formulas of an article.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use dom::{AsidePlace, Document, NodeId, local_name, local_names, web_url};

use crate::captions::Role;
use crate::embed::{Medium, embedded, player};
use crate::formulas::{
    around_formula, shown_before, tex_of_element, tex_of_picture, tex_of_script,
};
use crate::labels::is_picture_file;
use crate::names::is_foreign_file;
use crate::picture::{FoundPicture, is_picture};
use crate::texts::PageTexts;

/// Maximum bytes of text between a picture above an article and its first text: headline, byline, summary.
const ABOVE: u32 = 900;
/// Maximum bytes of text between the last text of an article and a picture below it.
const BELOW: u32 = 40;
/// Maximum bytes of text, without captions, in the top of a picture: if there is more, it is a teaser.
const TEASER: u32 = 160;
/// Longest number or title of a formula, in bytes.
const LABEL: u32 = 60;
/// Pictures with a side of at most this many pixels are icons, as are pictures without a longer side.
const TINY: u32 = 24;
const SMALL: u32 = 64;
/// Pictures of at least this width belong to the article by themselves.
const WIDE: u32 = 280;

type OfNodes = BTreeMap<NodeId, Medium>;
type OfPlaces = BTreeMap<usize, Medium>;

/// Chooses among the media in the tree and in the aside. Excludes further copies of a formula.
pub(crate) fn choose(
    texts: &PageTexts<'_>,
    media: &[NodeId],
    roles: &BTreeMap<NodeId, Role>,
    include: &mut [bool],
) -> (OfNodes, OfPlaces) {
    let document = texts.document;
    let of = Chooser { texts, media, roles, include, lead: lead_files(texts) };
    let mut shown: BTreeSet<(Option<NodeId>, String)> = BTreeSet::new();
    let mut addresses: BTreeSet<String> = BTreeSet::new();
    let mut is_new = |picture: &FoundPicture<'_>, figure: Option<NodeId>| {
        // A figure may repeat its picture in other sizes, or for readers without scripts.
        let in_figure =
            figure.is_none() || shown.insert((figure, stem(&picture.address).to_owned()));
        addresses.insert(picture.address.clone()) && in_figure
    };
    let mut of_nodes = OfNodes::new();
    for &id in media {
        let Some(name) = document.name(id) else { continue };
        let site = MediumPosition { start: id, end: document.node(id).end, parent: id };
        let is_in_text = document.parent(id).is_some_and(|p| include[p as usize]);
        if (is_in_text || of.is_for_formula(id))
            && let Some(formula) = tex_of_element(document, id)
        {
            of_nodes.insert(id, Medium::Formula(formula));
        } else if is_picture(name) {
            if let Some(formula) = is_in_text.then(|| tex_of_picture(texts, id)).flatten() {
                of_nodes.insert(id, Medium::Formula(formula));
                continue;
            }
            if let Some(sign) = is_in_text.then(|| sign_of(document, id)).flatten() {
                of_nodes.insert(id, Medium::Sign(sign.to_owned()));
                continue;
            }
            // Checks the place first: most pictures of a page are elsewhere, and reading a picture takes longer.
            if !of.accepts(site, true, true) {
                continue;
            }
            let Some(picture) = FoundPicture::of(document, id, texts.base) else { continue };
            if of.accepts_picture(&picture, site) && is_new(&picture, of.figure(id)) {
                of_nodes.insert(id, Medium::Picture(picture.read()));
            }
        } else if of.accepts(site, true, true)
            && let Some(found) = player(texts, id)
        {
            of_nodes.insert(id, found);
        }
    }
    let mut of_places = OfPlaces::new();
    let mut copies: Vec<Range<NodeId>> = Vec::new();
    let mut embedded_before: BTreeSet<String> = BTreeSet::new();
    let Some(aside) = document.aside() else { return (of_nodes, of_places) };
    for (at, place) in aside.places.iter().enumerate() {
        let site = MediumPosition { start: place.before, end: place.before, parent: place.parent };
        let inner = &aside.document;
        let found = match inner.name(place.id) {
            Some(&local_name!("math")) if of.accepts_formula(place) => {
                if let Some(around) = around_formula(texts, place) {
                    copies.push(document.subtree(around));
                }
                Some(Medium::MathMl)
            }
            Some(&local_name!("script")) if of.accepts_formula(place) => {
                let formula = tex_of_script(inner, place.id);
                let before =
                    shown_before(document, place, inner.attribute(place.id, &local_name!("id")));
                if formula.is_some() && !before.is_empty() {
                    let is_copy = |at: usize| {
                        aside.places.get(at).is_some_and(|own| before.contains(&own.parent))
                    };
                    while of_places.last_key_value().is_some_and(|last| is_copy(*last.0)) {
                        of_places.pop_last();
                    }
                    copies.push(before);
                }
                formula.map(Medium::Formula)
            }
            Some(&local_names!("math" "script")) => None,
            _ if !of.accepts(site, true, true) => None,
            Some(&local_name!("noscript")) => {
                let picture =
                    inner.subtree(place.id).find(|&id| inner.name(id).is_some_and(is_picture));
                let found = picture.and_then(|id| FoundPicture::of(inner, id, texts.base));
                if let Some(picture) = found {
                    let takes = !of.is_repeated(place, &of_nodes)
                        && of.accepts_picture(&picture, site)
                        && is_new(&picture, of.figure(place.parent));
                    takes.then(|| Medium::Picture(picture.read()))
                } else {
                    let is_frame = |id: &NodeId| inner.is(*id, &local_name!("iframe"));
                    let frame = inner.subtree(place.id).find(is_frame);
                    frame.and_then(|id| embedded(inner, id, texts.base)).map(Medium::Embedded)
                }
            }
            _ => embedded(inner, place.id, texts.base).map(Medium::Embedded),
        };
        // Players may be embedded twice, for old and new browsers.
        let is_first = |found: &Medium| match found {
            Medium::Embedded(own) => embedded_before.insert(own.address.clone()),
            _ => true,
        };
        of_places.extend(found.filter(is_first).map(|found| (at, found)));
    }
    for copy in copies {
        include[copy.start as usize..copy.end as usize].fill(false);
        of_nodes.extract_if(copy, |_, _| true).for_each(drop);
    }
    (of_nodes, of_places)
}

/// Returns the character that a picture stands for: its alternative text, if that is only a pictogram, or the first letter of the
/// word after it.
fn sign_of(document: &Document, id: NodeId) -> Option<&str> {
    const LONGEST: usize = 40;
    let sign = document.attribute(id, &local_name!("alt"))?.trim();
    let is_part = |c: char| matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{200d}' | '\u{e0020}'..='\u{e007f}');
    let is_letter = || {
        let mut letters = sign.chars();
        letters.next().is_some_and(char::is_alphabetic)
            && letters.next().is_none()
            && document.text(id + 1).is_some_and(|text| text.starts_with(char::is_alphabetic))
    };
    let is_pictogram = !sign.is_empty() && sign.len() <= LONGEST && sign.chars().all(is_part);
    (is_pictogram || is_letter()).then_some(sign)
}

/// Returns the file name of a picture without the size that content management systems add.
fn stem(address: &str) -> &str {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let file = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let name = file.rsplit_once('.').map_or(file, |parts| parts.0);
    let bare =
        name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, 'x' | '-' | '_' | '@'));
    // A name that consists of a number is not a size.
    if bare.len() < 4 { file } else { bare }
}

/// Returns the file names of the pictures in the page's metadata.
fn lead_files(texts: &PageTexts<'_>) -> BTreeSet<String> {
    let head = texts.document.head();
    let named = ["og:image", "twitter:image", "og:image:url", "twitter:image:src"];
    let addresses = named.iter().filter_map(|key| head.meta(key));
    addresses.map(|address| stem(address).to_owned()).filter(|stem| stem.len() >= 6).collect()
}

/// The position of a medium: its nodes, and the element at which the search for its figure and top starts.
#[derive(Clone, Copy)]
struct MediumPosition {
    start: NodeId,
    end: NodeId,
    parent: NodeId,
}

struct Chooser<'a> {
    texts: &'a PageTexts<'a>,
    media: &'a [NodeId],
    roles: &'a BTreeMap<NodeId, Role>,
    include: &'a [bool],
    lead: BTreeSet<String>,
}

impl Chooser<'_> {
    fn document(&self) -> &Document {
        self.texts.document
    }

    fn figure(&self, id: NodeId) -> Option<NodeId> {
        let is_figure = |id: &NodeId| {
            self.roles.get(id) == Some(&Role::Figure)
                || self.document().is(*id, &local_name!("figure"))
        };
        self.document().ancestors(id).take(12).find(is_figure)
    }

    /// Whether a `noscript` repeats a picture in the tree: both have the same parent or figure.
    fn is_repeated(&self, place: &AsidePlace, chosen: &OfNodes) -> bool {
        let (document, before) = (self.document(), place.before);
        let mut near = chosen.range(before.saturating_sub(4)..before.saturating_add(4));
        near.any(|(&id, _)| document.parent(id) == Some(place.parent))
            || self
                .figure(place.parent)
                .is_some_and(|figure| chosen.range(document.subtree(figure)).next().is_some())
    }

    /// Whether a medium belongs to the article by its place. `strong`: it also belongs above or below the text. `is_photo`: it
    /// also does in an element of its own directly before or after the paragraphs.
    fn accepts(&self, site: MediumPosition, strong: bool, is_photo: bool) -> bool {
        let texts = self.texts;
        let document = self.document();
        let figure = self.figure(site.parent);
        // If a figure contains text of the article, that is its caption.
        let start = figure.filter(|&figure| texts.own(figure) == 0).unwrap_or(site.parent);
        let inline = document.parent(site.parent).is_some_and(|p| texts.own(p) > 0);
        let is_inside = self.include[site.parent as usize] && inline;
        if figure.is_none() && !is_inside && self.is_far(site) {
            return false;
        }
        let Some(top) = texts.top(start) else { return false };
        let own = texts.own(top) > 0;
        let (from, to) = if own { (site.start, site.end) } else { (top, document.node(top).end) };
        if !own && self.is_teaser(top) {
            return false;
        }
        if texts.is_between(site.start) || is_inside {
            return true;
        }
        let (from, to) = match figure {
            Some(figure) => (figure, document.node(figure).end),
            None => (from.max(site.start), to.min(site.end)),
        };
        let is_beside = || !own && texts.text(top) == 0 && document.parent(top) == Some(texts.body);
        let (between, most) = if to <= texts.first {
            (texts.all.range(to, texts.first), ABOVE)
        } else if from > texts.last {
            (texts.all.range(texts.last + 1, from), BELOW)
        } else {
            return false;
        };
        strong && between <= most || is_photo && between == 0 && is_beside()
    }

    /// Whether there is too much text between the article and a medium, whatever else is around it: most pictures of a page.
    fn is_far(&self, site: MediumPosition) -> bool {
        let texts = self.texts;
        site.end <= texts.first && texts.all.range(site.end, texts.first) > ABOVE
            || site.start > texts.last && texts.all.range(texts.last + 1, site.start) > BELOW
    }

    /// Whether an element without text of the article is a teaser: it contains a heading, or much text besides captions. In a row
    /// of pictures, each may have a text if that has no links.
    fn is_teaser(&self, top: NodeId) -> bool {
        let document = self.document();
        let rest = self.text_beside_captions(top);
        let heading =
            |id: NodeId| matches!(document.name(id), Some(&local_names!("h2" "h3" "h4" "h5")));
        let count = |to: NodeId| self.media.partition_point(|&own| own < to);
        let pictures = match self.texts.linked.sum(document, top) {
            0 => (count(document.node(top).end) - count(top)).max(1) as u32,
            _ => 1,
        };
        rest > TEASER.saturating_mul(pictures) || rest > 0 && document.subtree(top).any(heading)
    }

    fn text_beside_captions(&self, id: NodeId) -> u32 {
        let roles = self.roles.range(self.document().subtree(id));
        let captions = roles.filter(|role| *role.1 == Role::Caption);
        let captions: u32 = captions.map(|role| self.texts.text(*role.0)).sum();
        self.texts.text(id).saturating_sub(captions)
    }

    fn accepts_picture(&self, picture: &FoundPicture<'_>, site: MediumPosition) -> bool {
        let (width, height) = (picture.width, picture.height);
        let is_within = |side: Option<u32>, most: u32| side.is_some_and(|side| side <= most);
        let is_icon = is_within(width, TINY)
            || is_within(height, TINY)
            || is_within(width, SMALL) && is_within(height, SMALL);
        if is_icon || is_foreign_file(&picture.address) {
            return false;
        }
        let is_lead = self.lead.contains(stem(&picture.address));
        let strong = is_lead
            || self.figure(site.parent).is_some()
            || width.is_some_and(|width| width >= WIDE)
            || picture.has_set();
        !self.leads_elsewhere(site) && self.accepts(site, strong, self.may_be_photo(picture, site))
    }

    /// Whether a picture may be a photo: not a drawing by its type, nor a link (button, banner) unless to a larger picture.
    fn may_be_photo(&self, picture: &FoundPicture<'_>, site: MediumPosition) -> bool {
        let document = self.document();
        let mut around = document.ancestors(site.parent).take(6);
        let link = around.find(|&id| document.is(id, &local_name!("a")));
        let href = link.map(|link| document.attribute(link, &local_name!("href")));
        let target = href.map(|href| web_url(href.unwrap_or_default(), self.texts.base));
        let path = picture.address.split(['?', '#']).next().unwrap_or_default();
        // The content of `noscript` has no nodes in the tree.
        site.start < site.end
            && ![".gif", ".svg"].iter().any(|drawn| path.ends_with(drawn))
            && target.is_none_or(|target| target.is_some_and(|target| is_picture_file(&target)))
    }

    /// Whether a picture is in a link: together with words to another page (a teaser), or to the home page of a site (a logo,
    /// unless it is within a sentence).
    fn leads_elsewhere(&self, site: MediumPosition) -> bool {
        let (texts, document) = (self.texts, self.document());
        let is_link = |id: &NodeId| document.is(*id, &local_name!("a"));
        let Some(link) = document.ancestors(site.parent).take(6).find(is_link) else {
            return false;
        };
        let href = document.attribute(link, &local_name!("href"));
        let Some(target) = href.and_then(|href| web_url(href, texts.base)) else { return false };
        let is_within = || {
            let around = document.parent(link).filter(|&around| self.include[around as usize]);
            around.is_some_and(|around| texts.own(around) > texts.own(link))
        };
        let is_start =
            target.path() == "/" && target.query().is_none() && target.fragment().is_none();
        if is_start && (target.host() == texts.base.host() || !is_within()) {
            return true;
        }
        !is_picture_file(&target) && self.text_beside_captions(link) > 12
    }

    /// Whether an element is between texts of the article, in a top with hardly more than a formula and its number or title.
    fn is_for_formula(&self, id: NodeId) -> bool {
        let texts = self.texts;
        texts.own(id) == 0
            && texts.is_between(id)
            && texts.top(id).is_some_and(|top| texts.text(top) <= texts.text(id) + LABEL)
    }

    /// Whether a formula is in or between texts of the article.
    fn accepts_formula(&self, place: &AsidePlace) -> bool {
        let texts = self.texts;
        self.include[place.parent as usize]
            || texts.own(place.parent) > 0
            || texts.is_between(place.before) && texts.top(place.parent).is_some()
    }
}
