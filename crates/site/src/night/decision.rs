//! Decides what becomes of a site's model tonight: the table of docs/NIGHTLY.md.
//!
//! Takes: how well the stored model fits tonight's pages, and what there is to learn from.
//! Gives: the decision to keep, extend or replace the model, or that there are too few pages for one.
//! Why: a model that stays gives the same text for the same page every night; one that no longer fits must not stay.
//! Drops: nothing.

use std::fmt;

use model::Verdict;
use sitemodel::SiteHealth;

/// Minimum number of pages in hand for a model to be kept. Fewer pages, compressed, are smaller than their model.
const FEWEST_TO_KEEP: usize = 3;
/// Minimum number of pages without a template for templates to be added.
const FEWEST_TO_ADD: usize = 3;
/// Minimum number of pages whose texts have the same new element for their template to be learnt again.
const FEWEST_WITH_NEW: u64 = 3;
/// Number of pages that a template must be learnt from to be left alone.
const ENOUGH: u64 = 8;

/// What is known of a usable model before anything is learnt.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Facts {
    /// Number of tonight's pages without a template.
    pub(crate) unassigned: usize,
    /// Number of pages without a template, including retained ones.
    pub(crate) unassigned_in_hand: usize,
    pub(crate) templates: Vec<TemplateFacts>,
    /// Ids of templates whose texts differ from those of earlier captures, although the words are still there.
    pub(crate) changed: Vec<String>,
    /// Ids of templates with corrections that they have not learnt from.
    pub(crate) to_correct: Vec<String>,
}

/// What is known of a template of the stored model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TemplateFacts {
    pub(crate) id: String,
    pub(crate) verdict: Verdict,
    pub(crate) learnt_from: u64,
    /// Number of its pages in tonight's sample and among retained pages, each address once.
    pub(crate) in_hand: u64,
    /// Whether its pages give articles.
    pub(crate) is_wanted: bool,
    /// Number of tonight's pages, and the most of these whose texts have the same element that no page has that the template was
    /// learnt from.
    pub(crate) tonight: u64,
    pub(crate) with_new_element: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ModelDecision {
    /// Too few pages for a model: the pages in hand are retained, and their model is for tonight only.
    TooFew,
    /// A model is learnt from all pages in hand, for this reason.
    LearnFresh(String),
    /// Templates are learnt anew, from tonight's pages alone.
    Replace(Vec<String>),
    /// Templates are learnt anew from tonight's and retained pages, and replaced only if the new ones are better.
    Relearn(Vec<String>),
    /// Templates are learnt anew from tonight's pages, with earlier captures of these as evidence.
    Restore(Vec<String>),
    /// Templates are learnt again with corrections that they have not learnt from yet.
    Correct(Vec<String>),
    /// Templates whose texts have new elements are learnt again from tonight's pages and, if these are few, from retained ones.
    LearnElements(Vec<String>),
    /// Templates are added for pages without one; the others stay.
    AddTemplates,
    /// Templates that were learnt from few pages are learnt from more.
    Grow(Vec<String>),
    /// The model stays, but texts that several addresses of these templates have tonight are noted as walls.
    NoteWalls(Vec<String>),
    /// The model stays as it is.
    Keep,
}

/// Decides without a model: the store has none of the site, or one that cannot be used, for the reason `unusable`.
/// `in_hand` is the number of pages in tonight's sample and of retained pages, each address once.
pub(crate) fn decide_without_model(unusable: Option<String>, in_hand: usize) -> ModelDecision {
    match unusable {
        None if in_hand < FEWEST_TO_KEEP => ModelDecision::TooFew,
        why => ModelDecision::LearnFresh(why.unwrap_or_else(|| "no model".to_owned())),
    }
}

/// Decides with a model: takes the first case that applies. [`ModelDecision::Replace`], [`ModelDecision::Relearn`],
/// [`ModelDecision::Restore`], [`ModelDecision::LearnElements`] and [`ModelDecision::Grow`] also learn from pages without a template, if there are enough.
pub(crate) fn decide(facts: &Facts) -> ModelDecision {
    use Verdict::{Broken, Drifting};
    let of = |is: &dyn Fn(&TemplateFacts) -> bool| -> Vec<String> {
        facts.templates.iter().filter(|own| is(own)).map(|own| own.id.clone()).collect()
    };
    let broken = of(&|own| own.verdict == Broken);
    let drifting = of(&|own| own.verdict == Drifting);
    let changing = of(&TemplateFacts::has_new_element);
    let growing = of(&TemplateFacts::grows);
    match () {
        () if !broken.is_empty() => ModelDecision::Replace(broken),
        () if !drifting.is_empty() => ModelDecision::Relearn(drifting),
        () if !facts.changed.is_empty() => ModelDecision::Restore(facts.changed.clone()),
        () if !facts.to_correct.is_empty() => ModelDecision::Correct(facts.to_correct.clone()),
        () if !changing.is_empty() => ModelDecision::LearnElements(changing),
        () if facts.adds_templates() => ModelDecision::AddTemplates,
        () if !growing.is_empty() => ModelDecision::Grow(growing),
        () => ModelDecision::Keep,
    }
}

impl Facts {
    /// Whether to add templates: tonight has unassigned pages, and enough of them are available to learn from.
    pub(crate) fn adds_templates(&self) -> bool {
        self.unassigned > 0 && self.unassigned_in_hand >= FEWEST_TO_ADD
    }

    /// Whether one of these templates has too few pages tonight to be learnt from them alone.
    pub(crate) fn has_few_pages_of(&self, ids: &[String]) -> bool {
        self.templates.iter().any(|own| ids.contains(&own.id) && own.tonight < ENOUGH)
    }
}

impl TemplateFacts {
    /// Whether the texts of most of tonight's pages have an element that the template has not learnt to keep or to leave out.
    fn has_new_element(&self) -> bool {
        self.is_wanted
            && self.with_new_element >= FEWEST_WITH_NEW
            && self.with_new_element * 2 >= self.tonight
    }

    /// Whether it was learnt from few pages, and there are more now. Decisions that the few pages led to stay unless the
    /// evidence against them is clear, so that texts do not alternate.
    fn grows(&self) -> bool {
        self.is_wanted && self.learnt_from < ENOUGH && self.in_hand > self.learnt_from
    }
}

impl fmt::Display for ModelDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooFew => "too-few",
            Self::LearnFresh(_) => "learn-fresh",
            Self::Replace(_) => "replace",
            Self::Relearn(_) | Self::Restore(_) | Self::LearnElements(_) => "relearn",
            Self::Correct(_) => "correct",
            Self::AddTemplates => "add-templates",
            Self::Grow(_) => "grow",
            Self::NoteWalls(_) => "note-walls",
            Self::Keep => "keep",
        })
    }
}

impl ModelDecision {
    /// Whether templates are learnt from pages that may have another layout than before.
    pub(crate) fn learns_other_layouts(&self) -> bool {
        matches!(self, Self::Replace(_) | Self::Relearn(_) | Self::AddTemplates)
    }

    pub(crate) fn reason(&self) -> String {
        let named = |what: &str, ids: &[String]| match ids {
            [one] => format!("template {one} {what}"),
            _ => format!("{} templates {what}", ids.len()),
        };
        match self {
            Self::TooFew => "too few pages for a model".to_owned(),
            Self::LearnFresh(why) => why.clone(),
            Self::Replace(ids) => named("without a wrapper that fits", ids),
            Self::Relearn(ids) => named("with a wrapper that fits less", ids),
            Self::Restore(ids) => named("with other texts of the same pages", ids),
            Self::Correct(ids) => named("corrected", ids),
            Self::LearnElements(ids) => named("with new elements in the texts of its pages", ids),
            Self::AddTemplates => "pages of new layouts".to_owned(),
            Self::Grow(ids) => named("learnt from more pages", ids),
            Self::NoteWalls(ids) => named("with one text at several addresses", ids),
            Self::Keep => "it fits".to_owned(),
        }
    }

    /// Like `reason`, with numbers that say how well the stored model fits tonight's pages.
    pub(crate) fn reason_of(&self, health: &SiteHealth) -> String {
        let numbers = match self {
            Self::Replace(ids) | Self::Relearn(ids) => {
                ids.first().and_then(|id| health.templates.get(id)).map(|own| {
                    format!(
                        "the wrapper finds {:.0} % of {} articles, {:.0} % before; confidence {:.2}, {:.2} before",
                        100.0 * own.by_wrapper,
                        own.pages,
                        100.0 * own.by_wrapper_expected,
                        own.confidence,
                        own.confidence_expected
                    )
                })
            }
            Self::LearnElements(ids) => {
                let own = ids.first().and_then(|id| health.templates.get(id));
                own.map(|own| format!("one in {} of {} texts", own.with_new_element, own.pages))
            }
            Self::AddTemplates => {
                let (unassigned, pages) = health.unassigned;
                Some(format!("{unassigned} of {pages} pages"))
            }
            _ => None,
        };
        numbers.map_or_else(|| self.reason(), |numbers| format!("{}: {numbers}", self.reason()))
    }
}

#[cfg(test)]
mod tests {
    use std::slice;

    use super::*;

    fn template(id: &str, verdict: Verdict, learnt_from: u64, in_hand: u64) -> TemplateFacts {
        let id = id.to_owned();
        TemplateFacts {
            id,
            verdict,
            learnt_from,
            in_hand,
            is_wanted: true,
            tonight: in_hand,
            with_new_element: 0,
        }
    }

    fn facts(templates: &[TemplateFacts], unassigned: usize, in_hand: usize) -> Facts {
        Facts {
            unassigned,
            unassigned_in_hand: in_hand,
            templates: templates.to_vec(),
            changed: Vec::new(),
            to_correct: Vec::new(),
        }
    }

    #[test]
    fn without_a_model() {
        let fresh = |why: &str| ModelDecision::LearnFresh(why.to_owned());
        assert_eq!(decide_without_model(None, 2), ModelDecision::TooFew);
        assert_eq!(decide_without_model(None, 3), fresh("no model"));
        assert_eq!(
            decide_without_model(Some("other weights".to_owned()), 1),
            fresh("other weights")
        );
    }

    #[test]
    fn the_first_line_that_fits_is_taken() {
        let named = |id: &str| vec![id.to_owned()];
        let changed = |own| Facts { changed: named("a"), ..facts(&[own], 9, 9) };
        let corrected = |own| Facts { to_correct: named("a"), ..facts(&[own], 9, 9) };
        let grown = template("a", Verdict::Healthy, 10, 15);
        let too_few = template("a", Verdict::TooFewPages, 10, 11);
        let broken = |id| template(id, Verdict::Broken, 10, 15);
        let drifting = template("b", Verdict::Drifting, 10, 15);
        let small = |id| template(id, Verdict::Healthy, 2, 15);
        let with_new = |pages| TemplateFacts { with_new_element: pages, ..grown.clone() };
        for (facts, expected) in [
            (facts(slice::from_ref(&grown), 0, 0), ModelDecision::Keep),
            // A few pages without a template are no reason to learn, nor are retained pages of an earlier night.
            (facts(slice::from_ref(&grown), 1, 2), ModelDecision::Keep),
            (facts(slice::from_ref(&grown), 0, 5), ModelDecision::Keep),
            (facts(&[], 0, 0), ModelDecision::Keep),
            (facts(&[too_few], 0, 0), ModelDecision::Keep),
            (
                facts(&[drifting.clone(), broken("a"), small("c")], 9, 9),
                ModelDecision::Replace(named("a")),
            ),
            (facts(&[drifting, small("c")], 9, 9), ModelDecision::Relearn(named("b"))),
            (changed(broken("b")), ModelDecision::Replace(named("b"))),
            (changed(grown.clone()), ModelDecision::Restore(named("a"))),
            (corrected(grown.clone()), ModelDecision::Correct(named("a"))),
            (corrected(broken("b")), ModelDecision::Replace(named("b"))),
            (facts(&[with_new(7)], 0, 0), ModelDecision::Keep),
            (facts(&[with_new(8), small("c")], 9, 9), ModelDecision::LearnElements(named("a"))),
            (corrected(with_new(8)), ModelDecision::Correct(named("a"))),
            (facts(&[small("a")], 1, 3), ModelDecision::AddTemplates),
            (facts(&[], 3, 3), ModelDecision::AddTemplates),
        ] {
            assert_eq!(decide(&facts), expected, "{facts:?}");
        }
    }

    #[test]
    fn templates_grow_until_they_have_enough() {
        let mut learnt_from = 1;
        let mut steps = vec![];
        for in_hand in 1..40 {
            let own = template("a", Verdict::TooFewPages, learnt_from, in_hand);
            if let ModelDecision::Grow(_) = decide(&facts(&[own], 0, 0)) {
                learnt_from = in_hand;
                steps.push(in_hand);
            }
        }
        assert_eq!(steps, [2, 3, 4, 5, 6, 7, 8]);
        let list = TemplateFacts { is_wanted: false, ..template("a", Verdict::Healthy, 1, 9) };
        assert_eq!(decide(&facts(&[list], 0, 0)), ModelDecision::Keep);
    }
}
