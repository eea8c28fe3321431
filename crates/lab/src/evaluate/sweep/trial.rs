//! Runs one group of siblings under one setting through the stages of a run, and scores the result.

use config::Config;
use dom::Document;
use forest::Recurring;
use metadata::TemplateFields;
use model::{Extracted, FeedItem, StructuralPattern};
use pagewise::{Method, Redundant};
use score::{
    Score,
    aggregate::{ScoreSummary, summarise},
};
use sitemodel::{
    Engine, ParsedPage, Settings, SiblingPage, page_wise,
    stages::{
        extract::{Demands, extract},
        rank::rank,
        signify::signify,
        wrap::{CompiledWrapper, wrap},
    },
};

use super::{groups::ParsedGroup, plan::SweepSetting};
use crate::gold::GoldPage;

/// Summarises the scores of the group's pages under a setting that fits its size; `None` if no page has gold to count.
pub(super) fn summary(
    siblings: &ParsedGroup<'_>,
    setting: &SweepSetting,
    config: &Config,
) -> Option<ScoreSummary> {
    let mut config = config.clone();
    config.rank.engine = setting.engine;
    config.signify.source = setting.source;
    config.signify.top = setting.top;
    let settings = config.settings();
    let scores: Vec<Score> = siblings
        .pages
        .chunks_exact(setting.score)
        .zip(siblings.gold.chunks_exact(setting.score))
        .take(setting.parts)
        .flat_map(|(pages, gold)| scores(pages, gold, setting, &settings))
        .collect();
    summarise(&scores)
}

/// Learns from the first pages and scores all pages.
fn scores(
    pages: &[(&ParsedPage<'_>, Vec<&FeedItem>)],
    gold: &[&GoldPage],
    setting: &SweepSetting,
    settings: &Settings,
) -> Vec<Score> {
    let siblings: Vec<SiblingPage<'_>> =
        pages.iter().map(|(page, feed_items)| SiblingPage { page, feed_items }).collect();
    let wrapper = learn(&siblings[..setting.learn_from], setting, settings);
    let documents: Vec<&Document> = siblings.iter().map(|page| &page.page.document).collect();
    let tables = settings.tables();
    let redundant = (setting.engine == Engine::PageWise(Method::Blocks))
        .then(|| Redundant::of(&documents, &tables.methods.blocks));
    let own = |article: &Extracted| setting.steps_in || article.engine == setting.engine.name();
    let fields = &TemplateFields::default();
    let demands = Demands { part: false, is_list: &|_| false, page_type: None, fields };
    let score = |(sibling, gold): (&SiblingPage<'_>, &&GoldPage)| {
        let found = page_wise(sibling, setting.engine, redundant.as_ref(), tables);
        let article = extract(sibling, "", wrapper.as_ref(), found, demands, settings);
        let text = article.ok().filter(own).map_or_else(String::new, |own| own.article.text);
        gold.score_pairs(&text)
    };
    siblings.iter().zip(gold).filter_map(score).collect()
}

/// Finds signifiers, ranks patterns and learns a wrapper. Unlike in a run, a single page is enough, because the
/// paper's Figure 5 begins with one page.
fn learn(
    siblings: &[SiblingPage<'_>],
    setting: &SweepSetting,
    settings: &Settings,
) -> Option<CompiledWrapper> {
    let Engine::Forest(measure) = setting.engine else { return None };
    let signified = signify(siblings, &settings.tables().signify);
    let parsed: Vec<&ParsedPage<'_>> = siblings.iter().map(|sibling| sibling.page).collect();
    let recurring = Recurring::of(parsed.iter().map(|page| &page.document));
    let ranked: Vec<StructuralPattern> = rank(&parsed, &signified, &recurring, measure);
    wrap(setting.engine.name(), &parsed, &recurring, &ranked, None)
}
