//! Learns the model of a site from pages: cluster, then judge (or signify and rank), then wrap.

use std::collections::BTreeSet;

use dom::Document;
use grouping::{AddressDigest, address_hash};
use model::{FeedItem, Mark, Page, TemplateCorrection, TemplateKind, contain_panics};
use rayon::prelude::*;

use crate::body::ArticleBody;
use crate::corrected::assign;
use crate::corrections::is_of;
use crate::earlier::EarlierReading;
use crate::markable::marked_fields;
use crate::model::{Expected, ModelHead, SiteModel, Template};
use crate::page_kind::refusal;
use crate::parsed::{ParsedPage, parse_page};
use crate::settings::Settings;
use crate::stages::cluster::{Cluster, cluster};
use crate::stages::extract::learn_fields;
use crate::stages::signify::SiblingPage;
use crate::template::{FoundBody, LearntTemplate};
use crate::walls::{add_repeated, repeated_lines};
use crate::{Meter, ModelStep, NoMeter};

const EXAMPLES: usize = 3;

/// What learning needs to know about the whole site.
#[derive(Clone, Copy, Debug)]
pub struct SiteEvidence<'a> {
    /// Key of the site.
    pub site: &'a str,
    /// Digest of the addresses of all its pages.
    pub addresses: &'a AddressDigest,
    /// Whether the byte limit left pages out of the sample.
    pub cut: bool,
    /// Earlier captures of pages of the sample, which are evidence for templates without corrections.
    pub earlier: &'a [EarlierReading],
}

/// A page to learn from, with the feed items that point to it.
pub type SamplePage<'a> = (&'a Page, &'a [&'a FeedItem]);

/// A model, and what learning found out about the pages of the sample.
#[derive(Clone, Debug)]
pub struct LearningResult {
    /// The model.
    pub model: SiteModel,
    /// For each page of the sample, in order: what [`SiteModel::apply_parsed`] need not compute again.
    pub known: Vec<KnownPage>,
}

/// What learning found out about a page.
#[derive(Clone, Debug, Default)]
pub struct KnownPage {
    pub(crate) template: Option<u32>,
    /// Its body, if its template was learnt from it.
    pub(crate) found: Option<FoundBody>,
}

/// Learns the model of a site from a sample of its pages, with each address once. The order of the pages does
/// not matter. Templates of a `previous` model are kept: a template with pages in the sample is learnt again,
/// with the same id and the next version of the wrapper if that differs; pages without a template add
/// templates. Never panics; takes time linear in the pages' text, except for the comparison of layouts.
pub fn learn(
    evidence: &SiteEvidence<'_>,
    sample: &[SamplePage<'_>],
    previous: Option<&SiteModel>,
    settings: &Settings,
) -> SiteModel {
    // Pages on which the parser fails are left out.
    let parse = |page| contain_panics(|| parse_page(page, settings)).ok();
    let parsed: Vec<Option<ParsedPage<'_>>> = sample.iter().map(|page| parse(page.0)).collect();
    let siblings = parsed.iter().zip(sample).filter_map(|(parsed, (_, feed_items))| {
        Some(SiblingPage { page: parsed.as_ref()?, feed_items })
    });
    learn_parsed(evidence, &siblings.collect::<Vec<_>>(), previous, settings, &NoMeter).model
}

/// Like [`learn`], for parsed pages. Uses the caller's thread pool.
pub fn learn_parsed(
    evidence: &SiteEvidence<'_>,
    sample: &[SiblingPage<'_>],
    previous: Option<&SiteModel>,
    settings: &Settings,
    meter: &dyn Meter,
) -> LearningResult {
    let mut order: Vec<usize> = (0..sample.len()).collect();
    let url = |at: usize| &*sample[at].page.page.url;
    order.sort_by_cached_key(|&at| (address_hash(url(at)), url(at).to_owned()));
    let ordered: Vec<SiblingPage<'_>> = order.iter().map(|&at| sample[at]).collect();

    let pages = previous.map_or(0, |previous| previous.head.pages) + sample.len() as u64;
    let mut model = SiteModel {
        head: ModelHead { pages, cut: evidence.cut, ..ModelHead::of(evidence.site, settings) },
        addresses: evidence.addresses.clone(),
        rounds: previous.map_or_else(Vec::new, |previous| previous.rounds.clone()),
        templates: previous.map_or_else(Vec::new, |previous| previous.templates.clone()),
    };
    let first = model.templates.len();
    let (layouts, clusters) =
        meter.step(ModelStep::Cluster, || cluster(&ordered, evidence.addresses, first, settings));
    let continued: Vec<Option<u32>> = match previous {
        Some(previous) => {
            // The previous template of each page.
            let assigned: Vec<Option<u32>> =
                ordered.par_iter().map(|page| previous.template_of(page, settings)).collect();
            let kinds: Vec<TemplateKind> = previous.templates.iter().map(|t| t.kind).collect();
            continued(&kinds, &assigned, &clusters)
        }
        None => vec![None; clusters.len()],
    };

    let corrected = corrected(evidence.site, &model, &ordered, &clusters, &continued, settings);
    let learn_one = |((cluster, old), corrections): ((&Cluster, &Option<u32>), Vec<_>)| {
        let earlier = old.and_then(|old| model.templates.get(old as usize)?.learnt.as_ref());
        learn_template(cluster, &ordered, evidence, earlier, corrections, settings, meter)
    };
    let learnt: Vec<(Template, Vec<Option<FoundBody>>)> =
        clusters.par_iter().zip(&continued).zip(corrected).map(learn_one).collect();
    let mut known: Vec<KnownPage> = vec![KnownPage::default(); sample.len()];
    for ((mut template, found), (cluster, old)) in
        learnt.into_iter().zip(clusters.iter().zip(&continued))
    {
        for (found, &member) in found.into_iter().zip(&cluster.members) {
            known[order[member as usize]].found = found;
        }
        match old.and_then(|old| model.templates.get(old as usize)) {
            Some(old) => template.follow(old),
            None => {
                template.id = Template::name(template.signature, template.kind, &model.templates);
            }
        }
        model.templates.push(template);
    }
    model.rounds.push(layouts);
    model.forget(&continued.into_iter().flatten().collect::<Vec<_>>());
    // Pages that have a place in the previous model keep it.
    let is_new = |page| previous.is_none_or(|previous| previous.is_unassigned(page, settings));
    let is_new: Vec<bool> = ordered.par_iter().map(is_new).collect();
    let first = model.templates.len() - clusters.len();
    for ((number, template), cluster) in (first..).zip(&model.templates[first..]).zip(&clusters) {
        let version = template.wrapper().map_or(0, |wrapper| wrapper.version);
        for &member in &cluster.members {
            let known = &mut known[order[member as usize]];
            if let Some((Some(body), _)) = &mut known.found
                && body.wrapper_version > 0
            {
                body.wrapper_version = version;
            }
            match is_new[member as usize] {
                true => known.template = Some(number as u32),
                false => *known = KnownPage::default(),
            }
        }
    }
    LearningResult { model, known }
}

/// Returns for each cluster the previous template of its kind that most of its pages belong to; each template only once.
/// `previous` has the kinds of the templates.
fn continued(
    previous: &[TemplateKind],
    assigned: &[Option<u32>],
    clusters: &[Cluster],
) -> Vec<Option<u32>> {
    let mut taken: Vec<u32> = Vec::new();
    let most = |cluster: &Cluster| {
        let mut old: Vec<u32> =
            cluster.members.iter().filter_map(|&m| assigned[m as usize]).collect();
        old.sort_unstable();
        let most = old.chunk_by(|a, b| a == b).max_by_key(|same| same.len())?;
        let fits = most.len() * 2 > cluster.members.len()
            && !taken.contains(&most[0])
            && *previous.get(most[0] as usize)? == cluster.kind;
        fits.then(|| {
            taken.push(most[0]);
            most[0]
        })
    };
    clusters.iter().map(most).collect()
}

/// Returns the corrections of each cluster: those that the settings have for its pages and patterns, and those of the
/// template that it continues, by address.
fn corrected(
    site: &str,
    model: &SiteModel,
    sample: &[SiblingPage<'_>],
    clusters: &[Cluster],
    continued: &[Option<u32>],
    settings: &Settings,
) -> Vec<Vec<TemplateCorrection>> {
    let own = settings.corrections_of(site);
    let has = |template: &Template, url: &str| template.corrections.iter().any(|c| c.url == url);
    let taken = |url: &str| model.templates.iter().any(|template| has(template, url));
    let mut of_clusters = assign(own, sample, clusters, &taken);
    for (of_cluster, old) in of_clusters.iter_mut().zip(continued) {
        let old = old.and_then(|old| model.templates.get(old as usize));
        for correction in old.iter().flat_map(|old| &old.corrections) {
            if of_cluster.iter().all(|new| new.url != correction.url) {
                // The settings may have newer marks of a page that is not in the sample.
                let mut newer = own.iter().filter(|own| own.url == correction.url);
                let can_be_used =
                    |own: &&TemplateCorrection| own.blocks.is_empty() || !own.elements.is_empty();
                let newer = newer.find(|own| can_be_used(own) && !is_of(correction, own));
                of_cluster.push(newer.unwrap_or(correction).clone());
            }
        }
        of_cluster.sort_by(|a, b| a.url.cmp(&b.url));
    }
    of_clusters
}

/// Marks what earlier captures say about pages. Used for templates without corrections.
fn known_marks(evidence: &SiteEvidence<'_>, pages: &[SiblingPage<'_>]) -> Vec<TemplateCorrection> {
    let of_page = |sibling: &SiblingPage<'_>| {
        let url = &*sibling.page.page.url;
        let reading = evidence.earlier.iter().find(|own| own.url == url)?;
        Some(reading.marks(sibling.page))
    };
    pages.iter().filter_map(of_page).collect()
}

/// Maximum number of pages of a template whose fields are compared.
const FIELD_PAGES: usize = 10;

/// Learns a template, still without its id. The cluster's members are indices into `sample`.
fn learn_template(
    cluster: &Cluster,
    sample: &[SiblingPage<'_>],
    evidence: &SiteEvidence<'_>,
    earlier: Option<&LearntTemplate>,
    corrections: Vec<TemplateCorrection>,
    settings: &Settings,
    meter: &dyn Meter,
) -> (Template, Vec<Option<FoundBody>>) {
    let pages: Vec<SiblingPage<'_>> = cluster.members.iter().map(|&m| sample[m as usize]).collect();
    // A template is learnt from the pages that may give articles, or from all pages if somebody marked content on one.
    let mut blocks = corrections.iter().flat_map(|own| &own.blocks);
    let is_marked = blocks.any(|block| block.mark == Mark::Content);
    let refused = |page: &SiblingPage<'_>| {
        !is_marked && refusal(cluster.kind, page.page, evidence.addresses, settings).is_some()
    };
    let mut wanted: Vec<usize> = (0..pages.len()).filter(|&at| !refused(&pages[at])).collect();
    let marks = match corrections.is_empty() {
        true => known_marks(evidence, &pages),
        false => corrections.clone(),
    };
    // Pages with marks come first, so that they are among the pages that are learnt from.
    wanted.sort_by_key(|&at| marks.iter().all(|c| c.url != pages[at].page.page.url));
    let learn = || {
        let pages: Vec<SiblingPage<'_>> = wanted.iter().map(|&at| pages[at]).collect();
        let (learnt, mut of_wanted) = LearntTemplate::of(&pages, earlier, &marks, settings, meter);
        let mut found = vec![None; cluster.members.len()];
        wanted.iter().zip(of_wanted.drain(..)).for_each(|(&at, own)| found[at] = own);
        (learnt, found)
    };
    // After a panic, nothing is learnt about the template, and a single-page method extracts its pages.
    let learnt = (!wanted.is_empty()).then(|| contain_panics(learn).unwrap_or_default());
    let (mut learnt, found) = learnt.unzip();
    let found = found.unwrap_or_default();
    let bodies: Vec<Option<&ArticleBody>> =
        found.iter().map(|found| found.as_ref()?.0.as_ref()).collect();
    let both = bodies.iter().zip(&pages).filter_map(|(body, own)| Some((own.page, (*body)?)));
    let repeated = repeated_lines(both);
    if let Some(learnt) = &mut learnt {
        // For engines that do not know the bodies yet, the lists are empty.
        let body = |at: usize| bodies.get(at).copied().flatten();
        let known = (0..pages.len()).filter(|&at| bodies.is_empty() || body(at).is_some());
        let known: Vec<_> = known.take(FIELD_PAGES).map(|at| (pages[at], body(at))).collect();
        let documents: Vec<&Document> = known.iter().map(|own| &own.0.page.document).collect();
        let learn = || {
            let patterns = learnt.judgement().map(|judgement| &judgement.patterns);
            let marked = patterns.map(|own| marked_fields(&corrections, own, &documents));
            learn_fields(&known, &marked.unwrap_or_default())
        };
        // After a panic, the fields of each page are read without its siblings.
        learnt.fields =
            contain_panics(|| meter.step(ModelStep::Extract, learn)).unwrap_or_default();
    }
    let mut expected = Expected::default();
    for (body, _) in found.iter().flatten() {
        let body = body.as_ref();
        let by_wrapper = body.is_some_and(|body| body.route.is_of_template());
        expected.add(by_wrapper, body.map_or(0.0, |body| body.confidence));
    }
    let template = Template {
        id: String::new(),
        kind: cluster.kind,
        signature: cluster.signature,
        pages: pages.len() as u64,
        examples: pages.iter().take(EXAMPLES).map(|s| s.page.page.url.clone()).collect(),
        expected,
        repeated,
        corrections,
        learnt,
        notices: BTreeSet::new(),
    };
    (template, found)
}

impl Template {
    /// Takes from the template that it continues the id, the walls, and the next version of the wrapper if that has changed.
    fn follow(&mut self, old: &Self) {
        self.id.clone_from(&old.id);
        add_repeated(&mut self.repeated, old.repeated.iter().copied());
        self.notices.extend(&old.notices);
        let version = old.wrapper().map_or(0, |wrapper| wrapper.version);
        let is_same = |new: &model::Wrapper| {
            old.wrapper().is_some_and(|old| old.content == new.content && old.prune == new.prune)
        };
        if let Some(new) = self.learnt.as_mut().and_then(|learnt| learnt.wrapper.as_mut()) {
            let rises = !is_same(&new.wrapper);
            new.wrapper.version = version.max(1) + u32::from(rises && version > 0);
        }
    }
}

impl SiteModel {
    /// Returns the model without the templates with these ids. Their pages then have no template.
    #[must_use]
    pub fn without(&self, ids: &[String]) -> Self {
        let gone = (0..).zip(&self.templates).filter(|(_, template)| ids.contains(&template.id));
        let gone: Vec<u32> = gone.map(|(at, _)| at).collect();
        let mut model = self.clone();
        model.forget(&gone);
        model
    }

    /// Removes templates, for example those that were learnt anew under other numbers.
    fn forget(&mut self, gone: &[u32]) {
        if gone.is_empty() {
            return;
        }
        self.rounds.retain_mut(|round| round.forget(gone));
        let mut numbers = 0..;
        self.templates.retain(|_| numbers.next().is_none_or(|at| !gone.contains(&at)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_continues_the_template_of_most_of_its_pages_once() {
        use TemplateKind::{Article, List};
        let cluster =
            |kind, members: &[u32]| Cluster { kind, members: members.to_vec(), signature: 0 };
        let of = |assigned: &[Option<u32>], clusters: &[Cluster]| {
            continued(&[Article, List, Article], assigned, clusters)
        };
        let first = cluster(Article, &[0, 1, 2]);
        assert_eq!(of(&[Some(0), Some(0), None], std::slice::from_ref(&first)), [Some(0)]);
        assert_eq!(of(&[Some(2), Some(0), Some(2)], std::slice::from_ref(&first)), [Some(2)]);
        // Half of the pages are not a majority.
        let even = [cluster(Article, &[0, 1]), cluster(Article, &[2, 3, 4, 5])];
        let assigned = [Some(0), None, Some(2), Some(0), Some(2), Some(0)];
        assert_eq!(of(&assigned, &even), [None, None]);
        // One page is a majority if there are no others.
        assert_eq!(of(&[None, Some(2)], &[cluster(Article, &[1])]), [Some(2)]);
        // A list does not continue a template of articles.
        assert_eq!(
            of(&[Some(0), Some(1)], &[cluster(List, &[0]), cluster(List, &[1])]),
            [None, Some(1)]
        );
        // If two clusters could continue a template, the first does.
        let both = [cluster(Article, &[0]), cluster(Article, &[1])];
        assert_eq!(of(&[Some(0), Some(0)], &both), [Some(0), None]);
    }
}
