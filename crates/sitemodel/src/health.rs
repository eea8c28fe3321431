//! Checks whether a model still fits its site: compares statistics of its templates with those of the sample that it was
//! learnt from.

use std::collections::BTreeMap;

use model::{CharacterCounts, DropReason, Verdict};

use crate::apply::{Applied, Outcome};
use crate::body::agreement;
use crate::model::{Expected, SiteModel};
use crate::template::Way;

/// Statistics of applying a model. They do not depend on the order of pages, and statistics of parts of a site can be
/// [added](ApplyStatistics::merge).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ApplyStatistics {
    templates: BTreeMap<u32, Expected>,
    /// For each template, the pages that were compared with their extraction without siblings.
    compared: BTreeMap<u32, ComparedPages>,
    /// For each template, the number of pages for each of the new elements in their texts.
    new_elements: BTreeMap<(u32, u64), u64>,
    /// Number of pages without a template.
    unassigned: u64,
    pages: u64,
    /// Pages that took the fast path.
    pub fast_path: u64,
    /// Pages that were scored.
    pub judged: u64,
    /// Characters of pages and articles.
    pub characters: CharacterCounts,
}

/// Pages whose articles were compared with those of the page extracted by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ComparedPages {
    pages: u64,
    /// Sum of agreements, in thousandths, so that sums do not depend on order.
    agreement: u64,
}

impl ApplyStatistics {
    /// The number of all pages.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Counts a page.
    pub fn add(&mut self, applied: &Applied) {
        self.pages += 1;
        self.fast_path += u64::from(applied.way == Way::FastPath);
        self.judged += u64::from(applied.way == Way::Judged);
        self.characters.add(applied.characters);
        self.unassigned += u64::from(applied.outcome == Outcome::Unassigned);
        let found = match &applied.outcome {
            Outcome::Article(article) => Some((article.route.is_of_template(), article.confidence)),
            Outcome::Drop(drop) => is_sought(drop.reason).then_some((false, 0.0)),
            Outcome::Unassigned => None,
        };
        if let Some((template, (by_wrapper, confidence))) = applied.template.zip(found) {
            self.templates.entry(template).or_default().add(by_wrapper, confidence);
        }
        if let Some(template) = applied.template {
            for hash in &applied.new_elements {
                *self.new_elements.entry((template, *hash)).or_default() += 1;
            }
        }
    }

    /// Compares the outcome of a page by the model with that of the page extracted by itself
    /// ([`SiteModel::apply_alone`]). A page that gives no article by itself is not counted.
    pub fn compare(&mut self, applied: &Applied, alone: &Applied) {
        let (Some(template), Outcome::Article(alone)) = (applied.template, &alone.outcome) else {
            return;
        };
        let text = match &applied.outcome {
            Outcome::Article(article) => &*article.text,
            Outcome::Drop(_) | Outcome::Unassigned => "",
        };
        let compared = self.compared.entry(template).or_default();
        compared.pages += 1;
        compared.agreement += (agreement(text, &alone.text) * 1000.0).round() as u64;
    }

    /// Adds the statistics of other pages.
    pub fn merge(&mut self, other: &Self) {
        for (template, more) in &other.templates {
            let own = self.templates.entry(*template).or_default();
            own.pages += more.pages;
            own.by_wrapper += more.by_wrapper;
            own.confidence += more.confidence;
        }
        for (template, more) in &other.compared {
            let own = self.compared.entry(*template).or_default();
            own.pages += more.pages;
            own.agreement += more.agreement;
        }
        for (element, more) in &other.new_elements {
            *self.new_elements.entry(*element).or_default() += more;
        }
        self.unassigned += other.unassigned;
        self.pages += other.pages;
        self.fast_path += other.fast_path;
        self.judged += other.judged;
        self.characters.add(other.characters);
    }
}

/// Whether a page dropped for this reason was searched for an article.
fn is_sought(reason: DropReason) -> bool {
    use DropReason::{ListPage, PageType, Rights};
    !reason.is_wall() && !matches!(reason, ListPage | PageType | Rights)
}

/// The health of a site and of its templates.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteHealth {
    /// The worst verdict on a template with enough pages; broken if at least half of the pages have no template.
    pub site: Verdict,
    /// Number of pages without a template, and of all pages.
    pub unassigned: (u64, u64),
    /// The templates that had pages, by id.
    pub templates: BTreeMap<String, TemplateHealth>,
}

/// The health of a template, and the figures that it is based on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TemplateHealth {
    /// The verdict on the template.
    pub verdict: Verdict,
    /// Number of its pages.
    pub pages: u64,
    /// Share of its pages on which the wrapper found the article.
    pub by_wrapper: f64,
    /// The same share for the pages that it was learnt from.
    pub by_wrapper_expected: f64,
    /// Mean confidence of its pages.
    pub confidence: f64,
    /// Mean confidence of the pages that it was learnt from.
    pub confidence_expected: f64,
    /// Mean agreement with pages extracted by themselves; `None` if none was compared.
    pub agreement: Option<f64>,
    /// The most pages whose texts have the same element that no page has that it was learnt from.
    pub with_new_element: u64,
}

/// Minimum number of pages for a verdict.
pub const MIN_PAGES_FOR_VERDICT: u64 = 3;
/// Loss, either of the share of pages on which the wrapper finds the article or of mean confidence, from which a template
/// with many pages drifts, and from which it is broken.
const DRIFTING: f64 = 0.15;
const BROKEN: f64 = 0.5;
/// Additional loss with which a template with one page is still healthy; with n pages, an n-th of it: the fewer pages
/// there are, the more one of them counts.
const LEEWAY: f64 = 0.9;
/// Loss of mean confidence from which a template drifts, however few its pages are, and the loss from which it does if
/// pages extracted by themselves disagree.
const LESS_SURE: f64 = 0.1;
const LESS_SURE_AND_DISPUTED: f64 = 0.04;
/// Minimum number of pages that a template was learnt from for these two limits: the confidence of fewer says little.
const SURE_FROM: u64 = 5;
/// Agreement with pages extracted by themselves from which they do not disagree.
const AGREEING: f64 = 0.95;
/// Agreement with pages extracted by themselves below which a template is broken: it was 0.00 to 0.18 on redesigned
/// sites, 0.94 to 0.99 on those that still fit, and as low as on redesigned sites on 1 of 71 that did not change.
const DISAGREEING: f64 = 0.3;

/// Compares the statistics of applying a model with those of its sample.
pub fn assess(model: &SiteModel, seen: &ApplyStatistics) -> SiteHealth {
    let health = |(at, now): (&u32, &Expected)| {
        let template = model.templates.get(*at as usize)?;
        let compared = seen.compared.get(at).copied().unwrap_or_default();
        let new = seen.new_elements.range((*at, 0)..=(*at, u64::MAX)).map(|(_, pages)| *pages);
        let health = TemplateHealth {
            with_new_element: new.max().unwrap_or(0),
            ..TemplateHealth::of(&template.expected, now, compared)
        };
        Some((template.id.clone(), health))
    };
    let templates: BTreeMap<String, TemplateHealth> =
        seen.templates.iter().filter_map(health).collect();
    let worst = templates.values().map(|health| health.verdict).max();
    let site = match seen.pages >= MIN_PAGES_FOR_VERDICT && seen.unassigned * 2 >= seen.pages {
        true => Verdict::Broken,
        false => worst.unwrap_or(Verdict::TooFewPages),
    };
    SiteHealth { site, unassigned: (seen.unassigned, seen.pages), templates }
}

impl TemplateHealth {
    fn of(then: &Expected, now: &Expected, compared: ComparedPages) -> Self {
        let agreement = (compared.pages > 0)
            .then(|| compared.agreement as f64 / 1000.0 / compared.pages as f64);
        let confidence_lost = then.mean_confidence() - now.mean_confidence();
        let lost = (then.share_by_wrapper() - now.share_by_wrapper()).max(confidence_lost);
        let is_disputed = agreement.is_some_and(|own| own < AGREEING);
        let least = if is_disputed { LESS_SURE_AND_DISPUTED } else { LESS_SURE };
        let verdict = if now.pages < MIN_PAGES_FOR_VERDICT || then.pages == 0 {
            Verdict::TooFewPages
        } else if lost >= BROKEN || agreement.is_some_and(|own| own < DISAGREEING) {
            Verdict::Broken
        } else if lost >= DRIFTING + LEEWAY / now.pages as f64
            || (then.pages >= SURE_FROM && confidence_lost >= least)
        {
            Verdict::Drifting
        } else {
            Verdict::Healthy
        };
        Self {
            verdict,
            pages: now.pages,
            by_wrapper: now.share_by_wrapper(),
            by_wrapper_expected: then.share_by_wrapper(),
            confidence: now.mean_confidence(),
            confidence_expected: then.mean_confidence(),
            agreement,
            with_new_element: 0,
        }
    }
}

/// Returns the probability of at least `many` successes in `all` trials with the success probability `rate`.
pub fn at_least_of(many: u64, all: u64, rate: f64) -> f64 {
    let (many, all) = (many as f64, all as f64);
    if many <= all * rate {
        return 1.0;
    }
    let ways = libm::lgamma(all + 1.0) - libm::lgamma(many + 1.0) - libm::lgamma(all - many + 1.0);
    let mut term = libm::exp(ways + many * libm::log(rate) + (all - many) * libm::log(1.0 - rate));
    let (mut sum, mut at) = (0.0, many);
    while at <= all && term > sum * 1e-9 {
        sum += term;
        term *= (all - at) / (at + 1.0) * rate / (1.0 - rate);
        at += 1.0;
    }
    sum
}
