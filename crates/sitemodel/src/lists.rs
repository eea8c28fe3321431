//! List pages: pages that have no text of their own, but lead to other pages.

use dom::{NodeId, PrefixSums};
use grouping::AddressDigest;
use model::{DropReason, TemplateKind};

use crate::body::ArticleBody;
use crate::engine::Engine;
use crate::model::Template;
use crate::parsed::ParsedPage;
use crate::settings::Settings;
use crate::stages::cluster::{leads_on, look};
use crate::stages::signify::SiblingPage;
use crate::template::LearntTemplate;

/// Minimum share of words that are links, from which on a page that looks like a list has no text of its own:
/// of the words of the page, with its menus; of those of its body; and of either if the links do not lead to other
/// pages of the crawl, which have the text.
const LINKS_OF_PAGE: f64 = 0.85;
const LINKS_OF_BODY: f64 = 0.7;
const MERE_LINKS: f64 = 0.95;
/// Minimum number of other pages of the crawl that a list links.
const LINKED: usize = 2;
/// Maximum number of words that a list has for each of them: a headline with a few lines.
const WORDS_OF_TEASER: u32 = 40;

/// Why a page of a kind is dropped before it is extracted, if so. The engine grove keeps lists with text of their
/// own.
pub(crate) fn refusal(
    kind: TemplateKind,
    page: &ParsedPage<'_>,
    addresses: &AddressDigest,
    settings: &Settings,
) -> Option<DropReason> {
    let tables = settings.tables();
    match kind {
        TemplateKind::Article => None,
        TemplateKind::List if tables.cluster.extract_lists => None,
        TemplateKind::List if tables.rank.engine == Engine::Grove => {
            let linked = share(page.link_words.total(), page.words.total());
            let mere = linked >= MERE_LINKS
                || linked >= LINKS_OF_PAGE && is_index(page, addresses, settings);
            mere.then_some(DropReason::ListPage)
        }
        TemplateKind::List => Some(DropReason::ListPage),
        TemplateKind::Other => Some(DropReason::NoContent),
    }
}

/// Whether a page links other pages of the crawl.
fn is_index(page: &ParsedPage<'_>, addresses: &AddressDigest, settings: &Settings) -> bool {
    leads_on(page, page.document.ids(), addresses, settings.tracking(), LINKED)
}

/// The share of words that are links; 1 without words.
fn share(linked: u32, words: u32) -> f64 {
    if words == 0 { 1.0 } else { f64::from(linked) / f64::from(words) }
}

/// Decides whether what was found of a page is a list.
pub(crate) struct Lists<'a> {
    pub(crate) sibling: &'a SiblingPage<'a>,
    pub(crate) template: &'a Template,
    pub(crate) learnt: &'a LearntTemplate,
    pub(crate) addresses: &'a AddressDigest,
    pub(crate) settings: &'a Settings,
}

impl Lists<'_> {
    /// Whether the body is that of a list: links; or, on sites of texts, teasers of other pages of the crawl,
    /// whose words are those pages'.
    pub(crate) fn is_list(&self, body: &ArticleBody) -> bool {
        let tables = self.settings.tables();
        if body.text.is_some() || tables.cluster.extract_lists {
            return false;
        }
        let list = self.template.kind == TemplateKind::List;
        let page = self.sibling.page;
        let words = self.sum(body, &page.words);
        let linked = share(self.sum(body, &page.link_words), words);
        let texts = self.learnt.is_of_texts();
        list && (linked >= MERE_LINKS
            || (texts || linked >= LINKS_OF_BODY) && is_index(page, self.addresses, self.settings))
            || texts && self.consists_of_teasers(body, words)
    }

    /// Whether a page that may be a list links so many pages of the crawl between the beginning and the end of its
    /// body that the words are teasers. Links after the body, to the previous and the next page, do not count.
    fn consists_of_teasers(&self, body: &ArticleBody, words: u32) -> bool {
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
    fn sum(&self, body: &ArticleBody, counts: &PrefixSums) -> u32 {
        let document = &self.sibling.page.document;
        let of = |nodes: &[NodeId]| nodes.iter().map(|&id| counts.sum(document, id)).sum::<u32>();
        of(&body.nodes).saturating_sub(of(&document.outermost(body.prune.clone())))
    }
}
