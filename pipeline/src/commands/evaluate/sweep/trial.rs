//! One group of siblings under one setting: the stages of a run, and the score of what they give.

use forest::Recurring;
use model::{Article, StructuralPattern};
use score::{
    Kind, Measure, Output, Score,
    aggregate::{Summary, summarise},
};

use super::{
    super::read::GoldPage,
    groups::{Siblings, template},
    plan::Setting,
};
use crate::{
    body::{Listed, bodies},
    config::Config,
    engine::Engine,
    parsed::ParsedPage,
    stages::{
        extract::extract,
        rank::rank,
        signify::{Sibling, SignifiedPage, signify},
        wrap::{Learnt, wrap},
    },
};

/// Title-neutral pairs of words, as the Forest paper counts.
const MEASURE: Measure = Measure { kind: Kind::Pairs, raw: false };

/// The scores of the group's pages; `None` where none has gold to count.
pub(super) fn summary(
    siblings: &Siblings<'_>,
    setting: &Setting,
    config: &Config,
) -> Option<Summary> {
    let setting = setting.within(siblings);
    let mut config = config.clone();
    config.rank.engine = setting.engine;
    config.signify.source = setting.source;
    config.signify.top = setting.top;
    let scores: Vec<Score> = siblings
        .pages
        .chunks_exact(setting.score)
        .zip(siblings.gold.chunks_exact(setting.score))
        .take(setting.parts)
        .flat_map(|(pages, gold)| scores(pages, gold, &setting, &config))
        .collect();
    summarise(&scores)
}

/// Learns from the first of the pages and scores them all.
fn scores(
    pages: &[Listed<'_>],
    gold: &[&GoldPage],
    setting: &Setting,
    config: &Config,
) -> Vec<Score> {
    let learnt = learn(&pages[..setting.learn_from], setting, config);
    let found = bodies(pages, setting.engine, config);
    let own = |article: &Article| setting.steps_in || article.engine == setting.engine.name();
    let scored = pages.iter().zip(found).zip(gold);
    scored
        .filter_map(|(((page, items), found), gold)| {
            let article = extract(page, "", learnt.as_ref(), found, items, config);
            let text = article.ok().filter(own).map_or_else(String::new, |article| article.text);
            score::score(&gold.as_gold(), &Output { text: &text, nodes: &[] }, &[MEASURE])[0]
        })
        .collect()
}

/// Signify, rank, wrap. Other than in a run, a single page is enough: the paper's Figure 5 begins there.
fn learn(pages: &[Listed<'_>], setting: &Setting, config: &Config) -> Option<Learnt> {
    let Engine::Forest(measure) = setting.engine else { return None };
    let siblings: Vec<Sibling<'_>> = pages
        .iter()
        .zip(0..)
        .map(|((page, feed_items), index)| Sibling { index, page, feed_items })
        .collect();
    let signified = signify(&siblings, &config.signify);
    let signified: Vec<&SignifiedPage> = signified.iter().collect();
    let parsed: Vec<&ParsedPage<'_>> = pages.iter().map(|&(page, _)| page).collect();
    let recurring = Recurring::of(parsed.iter().map(|page| &page.document));
    let ranked: Vec<StructuralPattern> = rank(&parsed, &signified, &recurring, measure);
    let engine = setting.engine.name();
    wrap(&template(pages.len()), engine, &parsed, &recurring, &ranked, None)
}
