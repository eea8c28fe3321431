//! One template, which is learnt from a sample of its pages and applied to any page.

use forest::{PatternMeasure, Recurring};
use grove::{DecidedNodes, JudgedPage, MarkedPatterns, SampleProfile, ScoredSample, most_probable};
use metadata::TemplateFields;
use model::{StructuralPattern, TemplateCorrection, TypedAs, contain_panics};
use pagewise::{Method, Redundant};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::body::{ArticleBody, page_wise};
use crate::engine::Engine;
use crate::page_type::rules_of;
use crate::parsed::ParsedPage;
use crate::settings::{Settings, Tables};
use crate::stages::extract::{By, by_template_alone, fast_body, judged_body};
use crate::stages::judge::{CUES, Judgement, judge};
use crate::stages::rank::rank;
use crate::stages::signify::{SiblingPage, signify};
use crate::stages::wrap::{CompiledWrapper, Trial, wrap, wrap_judged};
use crate::{Meter, ModelStep};

/// Minimum number of pages to learn patterns from. A single page has nothing to be compared with, and all its patterns are
/// equally frequent: Forest has an F1 of 59 there and 82 with two pages, single-page methods have 79 (docs/figures/few.csv).
const FEWEST_SIBLINGS: usize = 2;

/// The fast path is used if the wrapper finds the article on at least four pages of the sample, and on four in five of
/// them.
const FEWEST_ALIKE: usize = 4;

/// Maximum number of nodes of the pages in a sample, if it has more than one page: each block takes a kilobyte, and there
/// is at most one block for every two nodes. Twenty real pages have 20,000 to 180,000.
const NODES_AT_ONCE: usize = 300_000;

/// Maximum number of sibling pages that are compared for redundant blocks.
const REDUNDANCY_PAGES: usize = 100;

/// Number of patterns of Forest's ranking that are kept.
const PATTERNS_KEPT: usize = 5;

/// What was learnt about a template. Borrows nothing from the pages.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct LearntTemplate {
    /// Its wrapper; `None` if there were too few pages, or the engine learns no wrapper.
    pub wrapper: Option<CompiledWrapper>,
    /// Forest's ranking, if the engine is Forest.
    ranked: Vec<StructuralPattern>,
    /// What siblings share, if the engine is grove.
    judgement: Option<Judgement>,
    /// Properties of the pages in the sample; `None` if the fast path is not used.
    profile: Option<SampleProfile>,
    /// Blocks that siblings share, if the engine is BlockExtractor.
    redundant: Option<Redundant>,
    /// What siblings show about the fields of a page.
    pub fields: TemplateFields,
}

/// How a page was processed.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub enum Way {
    /// On the fast path: by the wrapper, with the scores that its patterns had in the sample.
    FastPath,
    /// Scored by the trees.
    Judged,
    /// By another engine.
    #[default]
    Other,
}

/// The body of a page, `None` if it has none, and how the page was processed.
pub(crate) type FoundBody = (Option<ArticleBody>, Way);

/// Returns how many of these pages, in order, a template is learnt from, given their numbers of nodes.
fn sample_size(nodes: impl Iterator<Item = usize>, tables: &Tables) -> usize {
    let most = match tables.rank.engine {
        Engine::Grove => tables.rank.learn_from.max(1),
        Engine::Forest(_) => tables.rank.learn_from,
        Engine::PageWise(Method::Blocks) => REDUNDANCY_PAGES,
        _ => 0,
    };
    let sums = nodes.scan(0, |sum: &mut usize, nodes| {
        *sum += nodes;
        Some(*sum)
    });
    sums.take(most).take_while(|sum| *sum <= NODES_AT_ONCE).count().max(1).min(most)
}

impl LearntTemplate {
    /// Learns from the first pages, up to the number in the settings. Decisions of `earlier`, which was learnt from other
    /// pages of the template, stay unless the pages clearly contradict them. Also returns what [`LearntTemplate::body`]
    /// finds on these pages, if that is known.
    pub(crate) fn of(
        pages: &[SiblingPage<'_>],
        earlier: Option<&Self>,
        corrections: &[TemplateCorrection],
        settings: &Settings,
        meter: &dyn Meter,
    ) -> (Self, Vec<Option<FoundBody>>) {
        let tables = settings.tables();
        let nodes = pages.iter().map(|sibling| sibling.page.document.len());
        let sample = &pages[..sample_size(nodes, tables).min(pages.len())];
        match tables.rank.engine {
            Engine::Grove => {
                let earlier = earlier.and_then(|earlier| earlier.judgement.as_ref());
                judge_sample(sample, earlier, corrections, settings, meter)
            }
            Engine::Forest(measure) => (rank_sample(sample, measure, tables, meter), Vec::new()),
            Engine::PageWise(Method::Blocks) => {
                let documents: Vec<_> = sample.iter().map(|s| &s.page.document).collect();
                let redundant = meter
                    .step(ModelStep::Rank, || Redundant::of(&documents, &tables.methods.blocks));
                (Self { redundant: Some(redundant), ..Self::default() }, Vec::new())
            }
            _ => (Self::default(), Vec::new()),
        }
    }

    /// Forest's ranking of structural patterns, best first; empty for other engines.
    pub fn ranked(&self) -> &[StructuralPattern] {
        &self.ranked
    }

    /// The type of its pages, and its probability; `None` if the engine is not grove.
    pub fn page_type(&self) -> Option<TypedAs> {
        self.judgement.as_ref().map(|judgement| most_probable(&judgement.types))
    }

    /// Whether text of articles is marked on its pages: its pages are then articles.
    pub(crate) fn has_marked_text(&self) -> bool {
        let marks = self.judgement.as_ref().and_then(|own| own.marks.as_ref());
        marks.is_some_and(MarkedPatterns::has_text)
    }

    /// Whether its pages are dropped if they show only excerpts of other pages.
    pub(crate) fn drops_excerpts(&self) -> bool {
        self.page_type().is_some_and(|own| rules_of(own.page_type).drops_excerpts)
    }

    /// What grove learnt; `None` if the engine is not grove.
    pub fn judgement(&self) -> Option<&Judgement> {
        self.judgement.as_ref()
    }

    /// Finds the body of a page. Depends on no other page.
    pub(crate) fn body(
        &self,
        sibling: &SiblingPage<'_>,
        settings: &Settings,
        meter: &dyn Meter,
    ) -> FoundBody {
        let tables = settings.tables();
        let Some(judgement) = &self.judgement else {
            let engine = tables.rank.engine;
            let find = || page_wise(sibling, engine, self.redundant.as_ref(), tables);
            return (meter.step(ModelStep::Extract, find), Way::Other);
        };
        let weights = &settings.weights().weights;
        if let (true, Some(profile)) = (tables.rank.fast_path, &self.profile) {
            let SiblingPage { page, feed_items } = *sibling;
            let learnt = (judgement, profile, self.wrapper.as_ref());
            let find = || fast_body(page, feed_items, learnt, None, None, weights);
            if let Some(body) = meter.step(ModelStep::Extract, find) {
                return (Some(body), Way::FastPath);
            }
        }
        let judge = || judgement.judge_page(sibling, weights);
        let judged = meter.step(ModelStep::Rank, judge);
        let find = || {
            let (page, items) = (sibling.page, sibling.feed_items);
            let selected = match &self.wrapper {
                Some(wrapper) => Some((By::Wrapper(wrapper), wrapper.select(&page.document))),
                None if judgement.learnt_from >= FEWEST_SIBLINGS => {
                    Some((By::Patterns, judgement.chosen(&judged, page)))
                }
                None => None,
            };
            judged_body(page, &judged, judgement, false, selected, items, weights)
        };
        (meter.step(ModelStep::Extract, find), Way::Judged)
    }

    /// Validates what was learnt about a template, after deserialisation.
    pub(crate) fn check(&self) -> Result<(), String> {
        if let Some(judgement) = &self.judgement {
            judgement.check()?;
            if let Some(profile) = &self.profile {
                profile.check(&judgement.patterns)?;
            }
        }
        self.redundant.as_ref().map_or(Ok(()), Redundant::check)
    }
}

/// Learns with grove: judge, wrap, extract.
fn judge_sample(
    sample: &[SiblingPage<'_>],
    earlier: Option<&Judgement>,
    corrections: &[TemplateCorrection],
    settings: &Settings,
    meter: &dyn Meter,
) -> (LearntTemplate, Vec<Option<FoundBody>>) {
    let (tables, weights) = (settings.tables(), &settings.weights().weights);
    let (judgement, judged) =
        meter.step(ModelStep::Rank, || judge(sample, earlier, corrections, weights));
    let pages: Vec<&ParsedPage<'_>> = sample.iter().map(|s| s.page).collect();
    let wrap = || {
        let engine = Engine::Grove.name();
        wrap_judged(engine, &pages, &judgement, &judged, tables.hold_back, weights)
    };
    let wrapped = (sample.len() >= FEWEST_SIBLINGS).then(|| meter.step(ModelStep::Wrap, wrap));
    let (mut wrapper, chosen) = wrapped.unwrap_or_default();
    let takes = |(at, chosen): (usize, &DecidedNodes)| {
        by_template_alone(pages[at], &judged[at], chosen, sample[at].feed_items)
    };
    let by_template = chosen.iter().enumerate().filter(|each| takes(*each)).count();
    let alike = by_template >= FEWEST_ALIKE && by_template * 5 >= sample.len() * 4;
    let profile = (alike && tables.rank.fast_path)
        .then(|| meter.step(ModelStep::Wrap, || profile(&pages, &judged, &chosen, &judgement)));
    let is_alone = sample.len() == 1;
    let body = |at: usize| {
        let chosen = || chosen.get(at).cloned();
        let SiblingPage { page, feed_items } = sample[at];
        let find = || {
            if let Some(profile) = &profile {
                let learnt = (&judgement, profile, wrapper.as_ref());
                let (judged, chosen) = (Some(&judged[at]), chosen());
                if let Some(body) = fast_body(page, feed_items, learnt, chosen, judged, weights) {
                    return (Some(body), Way::FastPath);
                }
            }
            let page_judged = &judged[at];
            let by = wrapper.as_ref().map_or(By::Patterns, By::Wrapper);
            let selected = chosen().map(|chosen| (by, chosen));
            let body =
                judged_body(page, page_judged, &judgement, is_alone, selected, feed_items, weights);
            (body, Way::Judged)
        };
        // A panic affects only this page, and is reported when the model is applied to it.
        contain_panics(find).ok()
    };
    let bodies: Vec<Option<FoundBody>> =
        meter.step(ModelStep::Extract, || (0..sample.len()).into_par_iter().map(body).collect());
    if let Some(wrapper) = &mut wrapper {
        let found: Vec<&ArticleBody> =
            bodies.iter().flatten().filter_map(|(body, _)| body.as_ref()).collect();
        let sum: f64 = found.iter().map(|body| body.confidence).sum();
        wrapper.wrapper.confidence = sum / found.len().max(1) as f64;
    }
    let judgement = Some(judgement);
    (LearntTemplate { wrapper, judgement, profile, ..Default::default() }, bodies)
}

/// Computes properties of the pages in the sample. `chosen` is what the wrapper selects on each.
fn profile(
    pages: &[&ParsedPage<'_>],
    judged: &[JudgedPage],
    chosen: &[DecidedNodes],
    judgement: &Judgement,
) -> SampleProfile {
    let kept: Vec<Vec<usize>> = (pages.iter().zip(judged).zip(chosen))
        .map(|((page, judged), chosen)| chosen.blocks(&page.document, &judged.blocks.blocks))
        .collect();
    let sample: Vec<ScoredSample<'_>> = (pages.iter().zip(judged).zip(&kept))
        .map(|((page, judged), kept)| ScoredSample {
            document: &page.document,
            page: judged.scored(),
            first: &judged.first,
            kept,
        })
        .collect();
    CUES.with_borrow_mut(|cues| SampleProfile::of(&sample, &judgement.patterns, cues))
}

/// Learns with Forest: signify, rank, wrap.
fn rank_sample(
    sample: &[SiblingPage<'_>],
    measure: PatternMeasure,
    tables: &Tables,
    meter: &dyn Meter,
) -> LearntTemplate {
    if sample.len() < FEWEST_SIBLINGS {
        return LearntTemplate::default();
    }
    let signified = meter.step(ModelStep::Signify, || signify(sample, &tables.signify));
    let pages: Vec<&ParsedPage<'_>> = sample.iter().map(|s| s.page).collect();
    let recurring = Recurring::of(pages.iter().map(|p| &p.document));
    let mut ranked = meter.step(ModelStep::Rank, || rank(&pages, &signified, &recurring, measure));
    let held_back = tables.hold_back.min(pages.len() / 4);
    let learnt_from = pages.len() - held_back;
    let on_trial = (held_back > 0).then(|| {
        let (pages, signified) = (&pages[..learnt_from], &signified[..learnt_from]);
        meter.step(ModelStep::Rank, || rank(pages, signified, &recurring, measure))
    });
    let trial = on_trial.as_ref().map(|ranked| Trial {
        ranked,
        learnt_from: &pages[..learnt_from],
        held_back: &pages[learnt_from..],
    });
    let engine = tables.rank.engine.name();
    let wrapper = meter.step(ModelStep::Wrap, || wrap(engine, &pages, &recurring, &ranked, trial));
    ranked.truncate(PATTERNS_KEPT);
    LearntTemplate { wrapper, ranked, ..LearntTemplate::default() }
}
