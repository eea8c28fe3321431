//! One template: learnt from a sample of its pages, then applied to any number of others, batch by batch.
//!
//! ```text
//! sample ─► learn_template ─► LearntTemplate ─► extract(batch) ─► outcomes
//!                      └► outcomes of the sample
//! ```
//!
//! What was learnt borrows nothing of the pages: each batch can be let go before the next is parsed.
//! No IO, no failure; a panic on a page is that page's own.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use forest::Recurring;
use grove::{Cues, OfSample, Profile, Weights};
use model::{Article, Drop, DropReason, Route, Stage, StructuralPattern, Template};
use rayon::prelude::*;
use sink::{Letters, PageWork};

use crate::body::{Body, Listed, bodies};
use crate::config::{Beyond, Config};
use crate::engine::Engine;
use crate::ledger::Clock;
use crate::letters::letters_of;
use crate::parsed::ParsedPage;
use crate::stages::extract::{extract, glanced_body, judged_body};
use crate::stages::judge::{JudgedPage, Judgement, judge};
use crate::stages::rank::rank;
use crate::stages::signify::{Sibling, SignifiedPage, signify};
use crate::stages::wrap::{Learnt, Trial, wrap, wrap_judged};

/// With one page there is nothing to compare, and every pattern is as frequent as any other: Forest
/// finds 59 F1 there and 82 with two pages, single-page methods 79 (docs/figures/few.csv).
const FEWEST_SIBLINGS: usize = 2;

/// A wrapper speaks for the pages beyond its sample if it is that of four pages learnt from, and of four
/// in five.
const FEWEST_LIKE: usize = 4;

/// Pages judged before they are extracted.
const JUDGED_AT_ONCE: usize = 64;

/// Nodes that pages judged at once have, more than one page: each block of theirs takes a kilobyte, and there is
/// one for every two nodes at most. Twenty real pages have 20,000 to 180,000.
const NODES_AT_ONCE: usize = 300_000;

/// How many of the first of these pages, given by their nodes, may be judged at once: `most` at most, one at
/// least.
pub(crate) fn at_once(nodes: impl Iterator<Item = usize>, most: usize) -> usize {
    let sums = nodes.scan(0, |sum: &mut usize, nodes| {
        *sum += nodes;
        Some(*sum)
    });
    sums.take(most).take_while(|sum| *sum <= NODES_AT_ONCE).count().max(1)
}

/// What was learnt about a template.
#[derive(Debug)]
pub struct LearntTemplate {
    /// Its wrapper; none where there were too few pages, or the engine learns nothing.
    pub learnt: Option<Learnt>,
    /// Name of the template within its site.
    id: String,
    ranked: Vec<StructuralPattern>,
    judgement: Option<Judgement>,
    /// What the pages learnt from are like, where others may be looked at by it alone.
    profile: Option<Profile>,
}

/// How a page learnt from was extracted.
#[derive(Clone, Copy, Default)]
struct Seen {
    confidence: f64,
    by_wrapper: bool,
}

/// What came of a page.
#[derive(Debug)]
pub enum Outcome {
    /// Its article, and how much of the page that is.
    Article(Box<Article>, Letters),
    /// Why it has none.
    Drop(Box<Drop>),
}

/// Pages of a template that the engine asked for learns from, at most; 0 if it learns nothing.
pub fn sample_size(config: &Config) -> usize {
    match config.rank.engine {
        Engine::Grove => config.rank.learn_from.max(1),
        Engine::Forest(_) => config.rank.learn_from,
        _ => 0,
    }
}

/// Learns a template from a sample of its pages (at most [`sample_size`] of them), and extracts those:
/// gives what was learnt and, in the order of the sample, what came of each page.
pub fn learn_template(
    template: &Template,
    sample: &[Sibling<'_>],
    config: &Config,
    clock: &Clock,
) -> (LearntTemplate, Vec<Outcome>) {
    if config.rank.engine == Engine::Grove {
        return judge_sample(template, sample, config, clock);
    }
    let (learnt, ranked) = rank_sample(template, sample, config, clock);
    let learnt =
        LearntTemplate { learnt, id: template.id.clone(), ranked, judgement: None, profile: None };
    let outcomes = learnt.extract(sample, config, clock, &mut PageWork::default());
    (learnt, outcomes)
}

impl LearntTemplate {
    /// Extracts further pages of the template: what came of each, in their order. Engines that learn
    /// look at each page by itself, so that it does not matter which pages are handed in together.
    /// How they were worked on is counted.
    pub fn extract(
        &self,
        batch: &[Sibling<'_>],
        config: &Config,
        clock: &Clock,
        work: &mut PageWork,
    ) -> Vec<Outcome> {
        let Some(judgement) = &self.judgement else {
            return self.extract_ranked(batch, config, clock);
        };
        let at_a_glance = |sibling| self.at_a_glance(sibling, judgement, config);
        let mut outcomes: Vec<Option<Outcome>> =
            clock.extract.time(|| batch.par_iter().map(at_a_glance).collect());
        let (others, places): (Vec<&Sibling<'_>>, Vec<&mut Option<Outcome>>) =
            batch.iter().zip(&mut outcomes).filter(|(_, outcome)| outcome.is_none()).unzip();
        work.at_a_glance += (batch.len() - others.len()) as u64;
        work.judged_beyond += others.len() as u64;
        let mut places = places.into_iter();
        let mut rest = &others[..];
        // Judged pages are large.
        while !rest.is_empty() {
            let nodes = rest.iter().map(|sibling| sibling.page.document.len());
            let (part, behind) = rest.split_at(at_once(nodes, JUDGED_AT_ONCE));
            rest = behind;
            let weights = &config.weights().weights;
            let judge = |sibling: &&Sibling<'_>| {
                let judge = || judgement.judge_more(sibling, &config.signify, weights);
                catch_unwind(AssertUnwindSafe(judge))
            };
            let judged: Vec<_> = clock.rank.time(|| part.par_iter().map(judge).collect());
            let extract = |(sibling, judged): (&&Sibling<'_>, Result<_, _>)| match judged {
                Ok(judged) => self.of_judged(sibling, &judged, judgement, None, config).0,
                Err(_) => internal(sibling.page),
            };
            let found: Vec<Outcome> =
                clock.extract.time(|| part.par_iter().zip(judged).map(extract).collect());
            found.into_iter().zip(places.by_ref()).for_each(|(found, place)| *place = Some(found));
        }
        outcomes.into_iter().flatten().collect()
    }

    /// What comes of a page that is like those learnt from; `None` where it is not, or may not be looked
    /// at in this way.
    fn at_a_glance(
        &self,
        sibling: &Sibling<'_>,
        judgement: &Judgement,
        config: &Config,
    ) -> Option<Outcome> {
        let Sibling { page, feed_items, .. } = *sibling;
        let learnt = (judgement, self.profile.as_ref()?, self.learnt.as_ref()?);
        let weights = &config.weights().weights;
        let attempt = || glanced_body(page, feed_items, learnt, weights);
        let found = catch_unwind(AssertUnwindSafe(attempt)).ok().flatten()?;
        Some(extract_one(&(page, feed_items.to_vec()), &self.id, None, Some(found), config))
    }

    /// Structural patterns in the order that Forest ranks them, best first; none where it was not asked.
    pub fn ranked(&self) -> &[StructuralPattern] {
        self.judgement.as_ref().map_or(&self.ranked, |judgement| &judgement.common.forest.ranked)
    }

    fn extract_ranked(
        &self,
        batch: &[Sibling<'_>],
        config: &Config,
        clock: &Clock,
    ) -> Vec<Outcome> {
        let pages: Vec<Listed<'_>> =
            batch.iter().map(|s| (s.page, s.feed_items.to_vec())).collect();
        let learnt = self.learnt.as_ref();
        clock.extract.time(|| {
            let found = bodies(&pages, config.rank.engine, config);
            let together: Vec<_> = pages.iter().zip(found).collect();
            together
                .into_par_iter()
                .map(|(page, found)| extract_one(page, &self.id, learnt, found, config))
                .collect()
        })
    }

    /// What the pages learnt from are like.
    fn profile(
        &self,
        pages: &[&ParsedPage<'_>],
        judged: &[JudgedPage],
        judgement: &Judgement,
    ) -> Option<Profile> {
        let learnt = self.learnt.as_ref()?;
        let kept = |at: usize| {
            let document = &pages[at].document;
            learnt.on_sample(at).map(|chosen| chosen.blocks(document, &judged[at].blocks.blocks))
        };
        let kept: Vec<Vec<usize>> = (0..pages.len()).map(kept).collect::<Option<_>>()?;
        let sample: Vec<OfSample<'_>> = (pages.iter().zip(judged).zip(&kept))
            .map(|((page, judged), kept)| OfSample {
                document: &page.document,
                page: judged.scored(),
                kept,
            })
            .collect();
        let patterns = &judgement.common.patterns;
        Some(CUES.with_borrow_mut(|cues| Profile::of(&sample, patterns, cues)))
    }

    /// What comes of a judged page, and how sure that is. `at` is its number among the pages learnt from,
    /// if it is one of them.
    fn of_judged(
        &self,
        sibling: &Sibling<'_>,
        judged: &JudgedPage,
        judgement: &Judgement,
        at: Option<usize>,
        config: &Config,
    ) -> (Outcome, Seen) {
        let Sibling { page, feed_items, .. } = *sibling;
        let weights: &Weights = &config.weights().weights;
        let found = catch_unwind(AssertUnwindSafe(|| {
            let selected = self.learnt.as_ref().map(|learnt| {
                let own = at.and_then(|at| learnt.on_sample(at));
                (learnt, own.cloned().unwrap_or_else(|| learnt.select(&page.document)))
            });
            let is_lone = at.is_some() && judgement.learnt_from == 1;
            judged_body(page, judged, judgement, is_lone, selected, feed_items, weights)
        }));
        let seen = found.as_ref().ok().and_then(|body| body.as_ref());
        let seen = seen.map_or_else(Seen::default, |body| Seen {
            confidence: body.confidence,
            by_wrapper: body.route == Route::Wrapper,
        });
        let outcome = match found {
            Ok(found) => extract_one(&(page, feed_items.to_vec()), &self.id, None, found, config),
            Err(_) => internal(page),
        };
        (outcome, seen)
    }
}

thread_local! {
    static CUES: RefCell<Cues> = RefCell::new(Cues::new());
}

/// Judge, wrap, extract.
fn judge_sample(
    template: &Template,
    sample: &[Sibling<'_>],
    config: &Config,
    clock: &Clock,
) -> (LearntTemplate, Vec<Outcome>) {
    let weights = &config.weights().weights;
    let (judgement, judged) = clock.rank.time(|| judge(sample, &config.signify, weights));
    let pages: Vec<&ParsedPage<'_>> = sample.iter().map(|s| s.page).collect();
    let wrap = || {
        let hold_back = config.wrap.hold_back;
        wrap_judged(template, Engine::Grove.name(), &pages, &judgement, &judged, hold_back)
    };
    let learnt = (sample.len() >= FEWEST_SIBLINGS).then(|| clock.wrap.time(wrap)).flatten();
    let id = template.id.clone();
    let mut learnt =
        LearntTemplate { learnt, id, ranked: Vec::new(), judgement: None, profile: None };
    let (outcomes, seen): (Vec<Outcome>, Vec<Seen>) = clock.extract.time(|| {
        (sample.par_iter().zip(&judged).enumerate())
            .map(|(at, (page, judged))| {
                learnt.of_judged(page, judged, &judgement, Some(at), config)
            })
            .unzip()
    });
    if let Some(learnt) = &mut learnt.learnt {
        // What is to be expected of it: the mean over the pages it was learnt from.
        let sum: f64 = seen.iter().map(|seen| seen.confidence).sum();
        learnt.wrapper.confidence *= sum / seen.len().max(1) as f64;
    }
    let by_wrapper = seen.iter().filter(|seen| seen.by_wrapper).count();
    let speaks_for_all = by_wrapper >= FEWEST_LIKE && by_wrapper * 5 >= sample.len() * 4;
    if config.rank.beyond == Beyond::Glance && speaks_for_all {
        learnt.profile = clock.wrap.time(|| learnt.profile(&pages, &judged, &judgement));
    }
    learnt.judgement = Some(judgement);
    (learnt, outcomes)
}

/// Signify, rank, wrap; nothing for a method that needs no learning.
fn rank_sample(
    template: &Template,
    sample: &[Sibling<'_>],
    config: &Config,
    clock: &Clock,
) -> (Option<Learnt>, Vec<StructuralPattern>) {
    let Engine::Forest(measure) = config.rank.engine else { return (None, Vec::new()) };
    if sample.len() < FEWEST_SIBLINGS {
        return (None, Vec::new());
    }
    let signified = clock.signify.time(|| signify(sample, &config.signify));
    let pages: Vec<&ParsedPage<'_>> = sample.iter().map(|s| s.page).collect();
    let signified: Vec<&SignifiedPage> = signified.iter().collect();
    let recurring = Recurring::of(pages.iter().map(|p| &p.document));
    let ranked = clock.rank.time(|| rank(&pages, &signified, &recurring, measure));

    let held_back = config.wrap.hold_back.min(pages.len() / 4);
    let learnt_from = pages.len() - held_back;
    let on_trial = (held_back > 0).then(|| {
        clock
            .rank
            .time(|| rank(&pages[..learnt_from], &signified[..learnt_from], &recurring, measure))
    });
    let trial = on_trial.as_ref().map(|ranked| Trial {
        ranked,
        learnt_from: &pages[..learnt_from],
        held_back: &pages[learnt_from..],
    });
    let engine = config.rank.engine.name();
    let learnt = clock.wrap.time(|| wrap(template, engine, &pages, &recurring, &ranked, trial));
    (learnt, ranked)
}

/// Extracts one page; a panic is that page's own.
fn extract_one(
    (page, items): &Listed<'_>,
    template: &str,
    learnt: Option<&Learnt>,
    found: Option<Body>,
    config: &Config,
) -> Outcome {
    let attempt = || extract(page, template, learnt, found, items, config);
    let dropped = |reason| Outcome::Drop(Box::new(drop_of(page, Stage::Extract, reason)));
    match catch_unwind(AssertUnwindSafe(attempt)) {
        Ok(Ok(article)) => {
            let letters = letters_of(&page.document, &article);
            Outcome::Article(Box::new(article), letters)
        }
        Ok(Err(reason)) => dropped(reason),
        Err(_) => dropped(DropReason::Internal),
    }
}

fn internal(page: &ParsedPage<'_>) -> Outcome {
    Outcome::Drop(Box::new(drop_of(page, Stage::Extract, DropReason::Internal)))
}

/// Why a page has no article.
pub(crate) fn drop_of(page: &ParsedPage<'_>, stage: Stage, reason: DropReason) -> Drop {
    let given_up = page.document.notes().given_up;
    let reason = if given_up { DropReason::TooMuchWork } else { reason };
    Drop {
        site: page.page.site.clone(),
        url: page.page.url.clone(),
        origin: page.page.origin.clone(),
        stage,
        reason,
        detail: match (reason, page.fixed.as_ref().and_then(|fixed| fixed.part_of.as_ref())) {
            (DropReason::JoinedPage, Some(whole)) => format!("part of {whole}"),
            _ => String::new(),
        },
    }
}
