//! Whether a model still fits its site: what its templates were expected to give, against what they gave.

use std::collections::BTreeMap;

use model::{CharacterCounts, Route, Verdict};

use crate::apply::{Applied, Outcome};
use crate::expected::Expected;
use crate::model::SiteModel;
use crate::template::Way;

/// What applying a model saw. The order in which pages are counted does not matter, and the sums of parts of
/// a site [add](Seen::merge) up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Per template how its pages fared.
    templates: BTreeMap<u32, Expected>,
    /// Pages that no template is for.
    unassigned: u64,
    /// Pages, all in all.
    pages: u64,
    /// Pages by the way they were looked at.
    pub fast_path: u64,
    /// Pages that were judged.
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

    /// Adds what was seen of other pages.
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

/// How a site and its templates are.
#[derive(Clone, Debug, PartialEq)]
pub struct Health {
    /// The worst of its templates that pages tell of, or broken where half of the pages or more are of no
    /// template.
    pub site: Verdict,
    /// Pages of no template, of all.
    pub unassigned: (u64, u64),
    /// By id of the template.
    pub templates: BTreeMap<String, Verdict>,
}

/// Fewer pages tell nothing.
const FEWEST: u64 = 5;
/// Loss of the share on which the wrapper finds the article, and of mean confidence, from which on a template
/// drifts, and is broken.
const DRIFTING: f64 = 0.15;
const BROKEN: f64 = 0.5;

/// Compares what applying a model saw with what it was learnt from.
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
