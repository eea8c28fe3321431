//! Checks whether a model still fits its site: compares the statistics of its templates with those of the
//! sample.

use std::collections::BTreeMap;

use model::{CharacterCounts, Route};
use serde::{Deserialize, Serialize};

use crate::apply::{Applied, Outcome};
use crate::expected::Expected;
use crate::model::SiteModel;
use crate::template::Way;

/// Statistics of applying a model. The order of pages does not matter, and those of parts of a site can be
/// [added](Seen::merge).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Statistics of each template.
    templates: BTreeMap<u32, Expected>,
    /// Pages without a template.
    unassigned: u64,
    /// All pages.
    pages: u64,
    /// Pages that took the fast path.
    pub fast_path: u64,
    /// Pages that were scored.
    pub judged: u64,
    /// Characters of pages and articles.
    pub characters: CharacterCounts,
}

impl Seen {
    /// Counts a page.
    pub fn add(&mut self, applied: &Applied) {
        self.pages += 1;
        self.fast_path += u64::from(applied.way == Way::FastPath);
        self.judged += u64::from(applied.way == Way::Judged);
        self.characters.add(applied.characters);
        match (&applied.outcome, applied.template) {
            (Outcome::Unassigned, _) => self.unassigned += 1,
            (Outcome::Article(article), Some(template)) => {
                let by_wrapper = article.route == Route::Wrapper;
                self.templates.entry(template).or_default().add(by_wrapper, article.confidence);
            }
            (Outcome::Drop(_), Some(template)) => {
                self.templates.entry(template).or_default().add(false, 0.0);
            }
            (_, None) => {}
        }
    }

    /// Adds the statistics of other pages.
    pub fn merge(&mut self, other: &Self) {
        for (template, more) in &other.templates {
            let own = self.templates.entry(*template).or_default();
            own.pages += more.pages;
            own.by_wrapper += more.by_wrapper;
            own.confidence += more.confidence;
        }
        self.unassigned += other.unassigned;
        self.pages += other.pages;
        self.fast_path += other.fast_path;
        self.judged += other.judged;
        self.characters.add(other.characters);
    }
}

/// Health of a template or a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Too few pages.
    TooFewPages,
    /// As when it was learnt.
    Healthy,
    /// Somewhat worse than when it was learnt.
    Drifting,
    /// The wrapper finds hardly anything, or the pages have other layouts.
    Broken,
}

/// Health of a site and its templates.
#[derive(Clone, Debug, PartialEq)]
pub struct Health {
    /// That of the worst template with enough pages; broken if at least half of the pages have no template.
    pub site: Verdict,
    /// Share of pages without a template.
    pub unassigned: (u64, u64),
    /// By id of the template.
    pub templates: BTreeMap<String, Verdict>,
}

/// Minimum number of pages for a statement.
const FEWEST: u64 = 5;
/// Loss from which a template drifts, and from which it is broken; of the share of pages on which the wrapper
/// finds the article, and of the mean confidence.
const DRIFTING: f64 = 0.15;
const BROKEN: f64 = 0.5;

/// Compares the statistics of applying a model with those of its sample.
pub fn assess(model: &SiteModel, seen: &Seen) -> Health {
    let verdict = |(at, now): (&u32, &Expected)| {
        let template = model.templates.get(*at as usize)?;
        let then = template.expected;
        if now.pages < FEWEST || then.pages == 0 {
            return Some((template.id.clone(), Verdict::TooFewPages));
        }
        let lost = (then.share_by_wrapper() - now.share_by_wrapper())
            .max(then.mean_confidence() - now.mean_confidence());
        let verdict = match lost {
            lost if lost >= BROKEN => Verdict::Broken,
            lost if lost >= DRIFTING => Verdict::Drifting,
            _ => Verdict::Healthy,
        };
        Some((template.id.clone(), verdict))
    };
    let templates: BTreeMap<String, Verdict> = seen.templates.iter().filter_map(verdict).collect();
    let worst = templates.values().copied().max().unwrap_or(Verdict::TooFewPages);
    let site = match seen.pages >= FEWEST && seen.unassigned * 2 >= seen.pages {
        true => Verdict::Broken,
        false => worst,
    };
    Health { site, unassigned: (seen.unassigned, seen.pages), templates }
}
