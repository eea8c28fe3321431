//! List pages: pages that have no text of their own, but lead to other pages.

use dom::{NodeId, PrefixSums};
use grouping::AddressDigest;
use model::TemplateKind;

use crate::body::Body;
use crate::model::Template;
use crate::page_kind::is_mere_links;
use crate::settings::Settings;
use crate::stages::cluster::{leads_on, look};
use crate::stages::signify::Sibling;
use crate::template::Learnt;

/// Minimum share of the words of a body that are links, from which on it has no text of its own.
const MERE_LINKS_KEPT: f64 = 0.7;
/// Minimum number of other pages of the crawl that a list links.
const LINKED: usize = 2;
/// Maximum number of words that a list has for each of them: a headline with a few lines.
const WORDS_OF_TEASER: u32 = 40;

/// Decides whether what was found of a page is a list.
pub(crate) struct Lists<'a> {
    pub(crate) sibling: &'a Sibling<'a>,
    pub(crate) template: &'a Template,
    pub(crate) learnt: &'a Learnt,
    pub(crate) addresses: &'a AddressDigest,
    pub(crate) settings: &'a Settings,
}

impl Lists<'_> {
    /// Whether the body is that of a list: links; or, on sites of texts, teasers of other pages of the crawl,
    /// whose words are those pages'.
    pub(crate) fn is_list(&self, body: &Body) -> bool {
        let tables = self.settings.tables();
        if body.text.is_some() || tables.cluster.extract_lists {
            return false;
        }
        let list = self.template.kind == TemplateKind::List;
        let page = self.sibling.page;
        let words = self.sum(body, &page.words);
        if list && is_mere_links(words, self.sum(body, &page.link_words), MERE_LINKS_KEPT) {
            return true;
        }
        let leads_on = || {
            leads_on(page, page.document.ids(), self.addresses, self.settings.tracking(), LINKED)
        };
        self.learnt.is_of_texts() && (list && leads_on() || self.consists_of_teasers(body, words))
    }

    /// Whether a page that may be a list links so many pages of the crawl between the beginning and the end of its
    /// body that the words are teasers. Links after the body, to the previous and the next page, do not count.
    fn consists_of_teasers(&self, body: &Body, words: u32) -> bool {
        let Self { sibling, addresses, settings, .. } = *self;
        let (Some(&first), Some(&last)) = (body.nodes.first(), body.nodes.last()) else {
            return false;
        };
        let span = first..sibling.page.document.subtree(last).end;
        let least = LINKED.max(words.div_ceil(WORDS_OF_TEASER) as usize);
        leads_on(sibling.page, span, addresses, settings.tracking(), least)
            && look(sibling, addresses, settings).may_be_list()
    }

    /// Counts of what is kept of a body.
    fn sum(&self, body: &Body, counts: &PrefixSums) -> u32 {
        let document = &self.sibling.page.document;
        let of = |nodes: &[NodeId]| nodes.iter().map(|&id| counts.sum(document, id)).sum::<u32>();
        of(&body.nodes).saturating_sub(of(&document.outermost(body.prune.clone())))
    }
}
