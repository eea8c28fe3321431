//! The body that a site config finds, compared with the one that the engine finds on the same page.

use dom::text_of;
use model::Route;

use super::SITE_CONFIG;
use crate::agreement::agreement;
use crate::body::Body;
use crate::parsed::ParsedPage;
use crate::settings::Tables;
use crate::site_config::ConfiguredPage;

/// Confidence where the engine finds the same, or nothing to compare with: nothing else confirms a site config.
const CONFIRMED: f64 = 0.9;
/// Confidence where the engine finds something else altogether.
const CONTRADICTED: f64 = 0.5;
/// A body of less than this share of the words that the engine finds is next to nothing.
const SHARE: f64 = 0.2;
/// Words that the engine must find for that.
const WORDS: u32 = 40;

/// What the engine finds on a page with a site config.
pub(super) struct Judged {
    text: String,
    words: u32,
    /// Whether it may overrule the site config.
    is_trusted: bool,
}

impl Judged {
    pub(super) fn of(
        body: &Body,
        parsed: &ParsedPage<'_>,
        configured: &ConfiguredPage,
        tables: &Tables,
    ) -> Self {
        let of_nodes = || {
            let mut prune = [&body.prune[..], &configured.removed].concat();
            prune.sort_unstable();
            prune.dedup();
            text_of(&parsed.document, &body.nodes, &prune)
        };
        let text = body.text.clone().unwrap_or_else(of_nodes);
        let words = terms::count_words(&text);
        let is_trusted = body.confidence >= tables.extract.doubtful_below && words >= WORDS;
        Self { text, words, is_trusted }
    }
}

/// The body that a site config finds, if it has words: that of its first expression which finds more than next
/// to nothing of what the engine finds. There is none if no expression does, unless the site config forbids
/// other methods.
pub(super) fn by_site_config(
    parsed: &ParsedPage<'_>,
    configured: &ConfiguredPage,
    least: u32,
    judged: Option<&Judged>,
) -> Option<Body> {
    let all = configured.body.iter().chain(&configured.further);
    let with_text = |(xpath, nodes): &(String, Vec<dom::NodeId>)| {
        let text = text_of(&parsed.document, nodes, &configured.removed);
        let words = terms::count_words(&text);
        (words >= least).then(|| (xpath.clone(), nodes.clone(), text, words))
    };
    let mut found = all.filter_map(with_text);
    let trusted = judged.filter(|judged| judged.is_trusted);
    let enough = |words: u32| {
        trusted.is_none_or(|judged| f64::from(words) >= SHARE * f64::from(judged.words))
    };
    let first = found.next()?;
    let (xpath, nodes, text, _) = match enough(first.3) {
        true => first,
        false => match found.find(|own| enough(own.3)) {
            Some(later) => later,
            None if configured.by.wrapper.autodetects() => return None,
            None => first,
        },
    };
    let agrees = judged.map_or(1.0, |judged| agreement(&text, &judged.text));
    Some(Body {
        nodes,
        prune: configured.removed.clone(),
        xpath: vec![xpath],
        prune_xpath: configured.removed_by.clone(),
        cut: None,
        comments: String::new(),
        engine: SITE_CONFIG.to_owned(),
        route: Route::Wrapper,
        wrapper_version: 0,
        confidence: CONTRADICTED + (CONFIRMED - CONTRADICTED) * agrees,
        text: None,
    })
}
