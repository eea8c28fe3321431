//! Assigns pages to templates.

use std::collections::BTreeSet;

use dom::{NodeId, local_name};
use grouping::{AddressDigest, Tracking};
use model::TemplateKind;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::engine::Engine;
use crate::layouts::{CORE, Cores, Outline};
use crate::page_kind::{Evidence, Impression, Middle, impression};
use crate::parsed::{FULL_TEXT_WORDS, ParsedPage, layout_of};
use crate::settings::Settings;
use crate::stages::signify::Sibling;

/// The layouts that one round of learning found. Borrows nothing from the pages.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Layouts {
    pub(super) recurring: FxHashSet<u64>,
    pub(super) layouts: Vec<Layout>,
    pub(super) cores: Cores,
}

/// A layout: the kind of its pages, and its templates by kind.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Layout {
    /// Minimum similarity of its pages: that of the least similar page of the sample, or that of the
    /// settings.
    pub(super) reach: f64,
    pub(super) middle: Middle,
    pub(super) templates: Vec<(TemplateKind, u32)>,
}

/// Serialised form of [`Layouts`].
#[derive(Deserialize, Serialize)]
struct Stored {
    recurring: Vec<u64>,
    layouts: Vec<Layout>,
    cores: Vec<Vec<Outline>>,
}

impl From<Stored> for Layouts {
    fn from(stored: Stored) -> Self {
        let Stored { recurring, layouts, cores } = stored;
        Self { recurring: recurring.into_iter().collect(), layouts, cores: Cores::of(cores) }
    }
}

impl From<Layouts> for Stored {
    fn from(layouts: Layouts) -> Self {
        let mut recurring: Vec<u64> = layouts.recurring.into_iter().collect();
        recurring.sort_unstable();
        Self { recurring, layouts: layouts.layouts, cores: layouts.cores.groups().to_vec() }
    }
}

/// The template of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assigned {
    /// This one, by its number.
    Template(u32),
    /// A page of a known layout, but of a kind without a template.
    Kind(TemplateKind),
    /// No layout is similar enough.
    No,
}

impl Layouts {
    /// Finds the template of a page. Depends on no other page.
    pub fn assign(
        &self,
        page: &Sibling<'_>,
        addresses: &AddressDigest,
        settings: &Settings,
    ) -> Assigned {
        let config = &settings.tables().cluster;
        let nearest = self.cores.nearest(&outline(page, &self.recurring), config);
        let Some((at, alike)) = nearest else { return Assigned::No };
        let layout = &self.layouts[at];
        if alike < layout.reach {
            return Assigned::No;
        }
        let kind = layout.middle.kind(&look(page, addresses, settings));
        match layout.templates.iter().find(|(of, _)| *of == kind) {
            Some((_, template)) => Assigned::Template(*template),
            None => Assigned::Kind(kind),
        }
    }

    /// Removes templates that were learnt again elsewhere, and layouts without templates. Returns whether any
    /// layout is left.
    pub fn without(&mut self, gone: &dyn Fn(u32) -> bool) -> bool {
        let before = self.layouts.len();
        let mut cores = Vec::new();
        let mut layouts = Vec::new();
        for (layout, core) in self.layouts.iter_mut().zip(self.cores.groups()) {
            let had = !layout.templates.is_empty();
            layout.templates.retain(|(_, template)| !gone(*template));
            if !layout.templates.is_empty() || !had {
                layouts.push(layout.clone());
                cores.push(core.clone());
            }
        }
        if layouts.len() < before {
            self.cores = Cores::of(cores);
            self.layouts = layouts;
        }
        self.layouts.iter().any(|layout| !layout.templates.is_empty())
    }

    /// Renumbers templates.
    pub fn renumber(&mut self, number: &dyn Fn(u32) -> u32) {
        for layout in &mut self.layouts {
            layout.templates.iter_mut().for_each(|(_, template)| *template = number(*template));
        }
    }

    /// Validates the layouts of a site with `templates` templates, after deserialisation.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn check(&self, templates: usize) -> Result<(), String> {
        let cores = self.cores.groups();
        if cores.len() != self.layouts.len() {
            return Err(format!("{} layouts, {} cores", self.layouts.len(), cores.len()));
        }
        if cores.iter().any(|core| core.is_empty() || core.len() > CORE) {
            return Err(format!("a core has no page, or more than {CORE}"));
        }
        let sorted = |outline: &Outline| outline.paths.is_sorted() && outline.feeds.is_sorted();
        if !cores.iter().flatten().all(sorted) {
            return Err("the tag paths of a core are not in order".to_owned());
        }
        let mut named = self.layouts.iter().flat_map(|layout| &layout.templates);
        match named.find(|(_, template)| *template as usize >= templates) {
            Some((_, template)) => Err(format!("there is no template {template}")),
            None => Ok(()),
        }
    }
}

/// The features of a page for clustering.
pub(super) fn outline(sibling: &Sibling<'_>, recurring: &FxHashSet<u64>) -> Outline {
    let mut feeds: Vec<u64> =
        sibling.feed_items.iter().map(|item| xxh3_64(item.feed.as_bytes())).collect();
    feeds.sort_unstable();
    feeds.dedup();
    Outline { paths: layout_of(sibling.page, recurring), feeds }
}

/// The impression of a page by itself.
pub(crate) fn look(
    sibling: &Sibling<'_>,
    addresses: &AddressDigest,
    settings: &Settings,
) -> Impression {
    let page = sibling.page;
    let tables = settings.tables();
    let min_words = tables.cluster.min_words;
    // Only grove takes such texts.
    let has_full_text = page.words.total() < min_words
        && tables.rank.engine == Engine::Grove
        && page.full_text_words(sibling.feed_items) >= FULL_TEXT_WORDS;
    let evidence = Evidence {
        listed_by_feed: !sibling.feed_items.is_empty(),
        is_section: addresses.pages_below(&page.page.url),
        min_words,
        has_full_text,
    };
    let impression = impression(page, &evidence);
    // Pages that look like lists are lists if they link other pages of the crawl.
    if impression.needs_proof() {
        let ids = page.document.ids();
        impression.with_proof(leads_on(page, ids, addresses, settings.tracking(), LEADS_TO))
    } else {
        impression
    }
}

/// Minimum number of other pages of the crawl that a list links.
const LEADS_TO: usize = 3;

/// Whether the anchors among nodes of a page link so many other pages of the crawl.
pub(crate) fn leads_on(
    page: &ParsedPage<'_>,
    nodes: impl Iterator<Item = NodeId>,
    addresses: &AddressDigest,
    tracking: &Tracking,
    least: usize,
) -> bool {
    // Links to pages that the crawl does not have need not be read.
    if addresses.total() < least as u64 {
        return false;
    }
    let Ok(base) = Url::parse(&page.page.url) else { return false };
    let document = &page.document;
    let anchors = nodes.filter(|&id| document.is(id, &local_name!("a")));
    let hrefs: BTreeSet<&str> =
        anchors.filter_map(|id| document.attribute(id, &local_name!("href"))).collect();
    let links: Vec<String> =
        hrefs.into_iter().filter_map(|href| Some(base.join(href).ok()?.into())).collect();
    let links = links.iter().map(String::as_str);
    addresses.leads_to(links, &page.page.url, least, tracking)
}
