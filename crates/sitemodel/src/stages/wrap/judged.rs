//! The wrapper of a template that was learnt by grove: expressions for what to keep and what to prune.

use std::collections::BTreeMap;

use dom::xpath::{Path, PathStep};
use dom::{Document, NodeId, local_name};
use grove::{DecidedNodes, JudgedPage, PatternId, Weights};
use model::{Support, Wrapper};
use wrapper::{Samples, WantedNodes};

use super::CompiledWrapper;
use crate::parsed::ParsedPage;
use crate::stages::judge::Judgement;

/// Maximum number of expressions of each kind. Patterns come by descending weight, so little is lost beyond it.
const MOST: usize = 12;

/// Minimum share of the pages of the sample on which a wrapper must keep the same blocks as the decisions.
const LEAST_EXACT: f64 = 0.5;
/// Minimum number of pages of a sample for expressions of any form, if the wrapper keeps the same blocks on all of them.
const FEWEST_SURE: usize = 4;

/// Writes the wrapper for the elements that the decisions select on the pages of the sample; `judged` has the same order
/// as `pages`. Also returns what is selected on these pages: by the wrapper, or by the decisions if there is no wrapper.
pub(crate) fn wrap_judged(
    engine: &str,
    pages: &[&ParsedPage<'_>],
    judgement: &Judgement,
    judged: &[JudgedPage],
    hold_back: usize,
    weights: &Weights,
) -> (Option<CompiledWrapper>, Vec<DecidedNodes>) {
    let chosen: Vec<DecidedNodes> =
        pages.iter().zip(judged).map(|(page, own)| judgement.chosen(own, page)).collect();
    if chosen.iter().all(|chosen| chosen.keep.is_empty()) {
        return (None, chosen);
    }
    let keep: Vec<&[NodeId]> = chosen.iter().map(|chosen| &chosen.keep[..]).collect();
    let samples = Samples::new(pages.iter().map(|page| &page.document));
    let paths = expressions(&ExpressionTarget {
        pages,
        samples: &samples,
        judged,
        wanted: &keep,
        scope: None,
    });
    let roots: Vec<Vec<NodeId>> = (0..pages.len()).map(|at| samples.select(at, &paths)).collect();
    let prune: Vec<Vec<NodeId>> = (pages.iter().zip(&chosen).zip(&roots))
        .map(|((page, chosen), roots)| {
            // If an expression keeps too much, the elements that should not be kept are pruned.
            let inside =
                |id: NodeId| roots.iter().any(|&r| r != id && page.document.contains(r, id));
            chosen.prune.iter().copied().filter(|&id| inside(id)).collect()
        })
        .collect();
    let scope: Vec<&[NodeId]> = roots.iter().map(|roots| &roots[..]).collect();
    let wanted: Vec<&[NodeId]> = prune.iter().map(|prune| &prune[..]).collect();
    let scope = Some(&scope[..]);
    let prune =
        expressions(&ExpressionTarget { pages, samples: &samples, judged, wanted: &wanted, scope });
    let found = |at| DecidedNodes {
        keep: samples.select(at, &paths),
        prune: samples.select_nested(at, &prune),
    };
    let on_sample: Vec<DecidedNodes> = (0..pages.len()).map(found).collect();
    let blocks = |at: usize, chosen: &DecidedNodes| {
        chosen.blocks(&pages[at].document, &judged[at].blocks.blocks)
    };
    let kept: Vec<Vec<usize>> = (0..pages.len()).map(|at| blocks(at, &chosen[at])).collect();
    let exact = (0..pages.len()).filter(|&at| blocks(at, &on_sample[at]) == kept[at]);
    let exact = exact.count() as f64 / pages.len() as f64;
    let is_sure = exact >= 1.0 && pages.len() >= FEWEST_SURE;
    if exact < LEAST_EXACT || (!is_sure && paths.iter().any(selects_anything)) {
        return (None, chosen);
    }
    let wrapper = Wrapper {
        engine: engine.to_owned(),
        content: paths.iter().map(ToString::to_string).collect(),
        prune: prune.iter().map(ToString::to_string).collect(),
        support: Support { exact, ..support(pages, judgement, judged, &kept, hold_back, weights) },
        // Computed once the articles of these pages are known.
        confidence: 0.0,
        version: 1,
    };
    (Some(CompiledWrapper { wrapper, paths, prune }), on_sample)
}

/// Whether an expression names only elements that any page has anywhere, so that it would select text of all kinds on
/// further pages.
fn selects_anything(path: &Path) -> bool {
    let Some((last, around)) = path.steps.split_last() else { return true };
    let is_common = last.name.as_ref().is_none_or(|name| {
        ["p", "div", "span", "td", "tr", "li", "ul", "ol", "a", "font", "center"].contains(&&**name)
    });
    // Steps above mean nothing if they are the whole page.
    let is_page = |step: &PathStep| {
        let name = step.name.as_ref();
        name.is_some_and(|name| matches!(*name, local_name!("html") | local_name!("body")))
    };
    last.deep && last.predicates.is_empty() && is_common && around.iter().all(is_page)
}

/// Returns the support of the decisions: if they are made without the held-back pages, they must keep the same blocks on
/// these. The margin is the difference between the mean scores of kept words and of other words.
fn support(
    pages: &[&ParsedPage<'_>],
    judgement: &Judgement,
    judged: &[JudgedPage],
    kept: &[Vec<usize>],
    hold_back: usize,
    weights: &Weights,
) -> Support {
    let held_back = hold_back.min(pages.len() / 4);
    let learnt_from = pages.len() - held_back;
    let agreeing = if held_back > 0 {
        let on_trial = judgement.decide_on(&judged[..learnt_from], &[], weights);
        let agrees = |&at: &usize| {
            let (document, page) = (&pages[at].document, &judged[at]);
            let chosen = DecidedNodes::of(document, &page.of_nodes, &on_trial);
            chosen.blocks(document, &page.blocks.blocks) == kept[at]
        };
        (learnt_from..pages.len()).filter(agrees).count()
    } else {
        0
    };
    let (mut sums, mut words) = ([0.0f64; 2], [0.0f64; 2]);
    for (page, kept) in judged.iter().zip(kept) {
        for (index, (block, score)) in page.blocks.blocks.iter().zip(&page.scores).enumerate() {
            let side = usize::from(kept.binary_search(&index).is_ok());
            sums[side] += f64::from(block.words) * f64::from(*score);
            words[side] += f64::from(block.words);
        }
    }
    let mean = |side: usize| sums[side] / words[side].max(1.0);
    Support {
        learnt_from: pages.len() as u32,
        held_back: held_back as u32,
        held_back_agreeing: agreeing as u32,
        runner_up_margin: (mean(1) - mean(0)).max(0.0),
        ..Support::default()
    }
}

/// The nodes that expressions are sought for.
struct ExpressionTarget<'a> {
    pages: &'a [&'a ParsedPage<'a>],
    samples: &'a Samples<'a>,
    judged: &'a [JudgedPage],
    wanted: &'a [&'a [NodeId]],
    /// For each page, the elements within which expressions are compared; `None` for the whole page.
    scope: Option<&'a [&'a [NodeId]]>,
}

/// Returns expressions for the wanted nodes: one for all of them (or a small union) if it selects exactly these, or else
/// one for each structural pattern, by descending weight.
fn expressions(target: &ExpressionTarget<'_>) -> Vec<Path> {
    let mut paths = candidates(target);
    // Drop expressions that do more harm than good: `//div` would remove the article together with its advert.
    let mut at = 0;
    let mut mistakes = target.mistakes(&paths);
    while at < paths.len() {
        let mut without = paths.clone();
        without.remove(at);
        let fewer = target.mistakes(&without);
        if fewer < mistakes {
            (paths, mistakes) = (without, fewer);
        } else {
            at += 1;
        }
    }
    paths
}

/// Returns expressions for all wanted nodes together, or for each pattern, whichever makes fewer errors.
fn candidates(target: &ExpressionTarget<'_>) -> Vec<Path> {
    let ExpressionTarget { pages, samples, judged, wanted, .. } = target;
    let nothing: Vec<&[NodeId]> = vec![&[]; pages.len()];
    let together = target.synthesis(wanted, &nothing);
    if together.1 >= 1.0 {
        return together.0;
    }
    let mut by_pattern: BTreeMap<PatternId, (u32, Vec<Vec<NodeId>>)> = BTreeMap::new();
    for (at, nodes) in wanted.iter().enumerate() {
        for &id in *nodes {
            let pattern = judged[at].of_nodes[id as usize];
            let (words, of_pages) =
                by_pattern.entry(pattern).or_insert_with(|| (0, vec![Vec::new(); pages.len()]));
            *words += pages[at].words.sum(&pages[at].document, id);
            of_pages[at].push(id);
        }
    }
    let mut groups: Vec<(u32, Vec<Vec<NodeId>>)> = by_pattern.into_values().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.0));
    let mut paths: Vec<Path> = Vec::new();
    for (_, group) in &groups {
        if paths.len() >= MOST {
            break;
        }
        let covered = group.iter().enumerate().all(|(at, nodes)| {
            let found = samples.select(at, &paths);
            nodes.iter().all(|node| found.binary_search(node).is_ok())
        });
        if covered {
            continue;
        }
        let group: Vec<&[NodeId]> = group.iter().map(Vec::as_slice).collect();
        for path in target.synthesis(&group, wanted).0 {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    if groups.len() < 2 || target.mistakes(&together.0) <= target.mistakes(&paths) {
        return together.0;
    }
    paths
}

impl ExpressionTarget<'_> {
    fn synthesis(&self, wanted: &[&[NodeId]], free: &[&[NodeId]]) -> (Vec<Path>, f64) {
        let wanted: Vec<WantedNodes<'_>> = (wanted.iter().zip(free).enumerate())
            .map(|(at, (wanted, free))| WantedNodes {
                wanted,
                scope: self.scope.map(|scope| scope[at]),
                free,
            })
            .collect();
        let synthesis = self.samples.synthesize(&wanted);
        (synthesis.paths, synthesis.exact)
    }

    /// Returns the number of words that the expressions select wrongly or miss.
    fn mistakes(&self, paths: &[Path]) -> u32 {
        let of_page = |(at, page): (usize, &&ParsedPage<'_>)| {
            let document = &page.document;
            let found = match self.scope {
                None => self.samples.select(at, paths),
                // Nodes inside other selected ones count too: a root itself may be among them.
                Some(scope) => {
                    let mut found = self.samples.select_nested(at, paths);
                    found.retain(|&id| scope[at].iter().any(|&root| document.contains(root, id)));
                    document.outermost(found)
                }
            };
            let words = |nodes: &[NodeId]| -> u32 {
                nodes.iter().map(|&id| page.words.sum(document, id)).sum()
            };
            let wanted = self.wanted[at];
            words(&found) + words(wanted) - 2 * words(&shared(document, &found, wanted))
        };
        self.pages.iter().enumerate().map(of_page).sum()
    }
}

/// Intersects two selections (ascending, without nesting): of an element and one inside it, the inner one is in both.
fn shared(document: &Document, a: &[NodeId], b: &[NodeId]) -> Vec<NodeId> {
    let (mut at, mut from) = (0, 0);
    let mut both = Vec::new();
    while let (Some(&one), Some(&other)) = (a.get(at), b.get(from)) {
        let end = |id: NodeId| document.node(id).end;
        if one.max(other) < end(one.min(other)) {
            both.push(one.max(other));
        }
        if end(one) <= end(other) {
            at += 1;
        } else {
            from += 1;
        }
    }
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_that_name_nothing_select_anything() {
        let anything = |path: &str| selects_anything(&path.parse().unwrap());
        for path in ["//p", "//div", "//*", "//body//p", "//body[@id='a']//*", "/html/body//div"] {
            assert!(anything(path), "{path}");
        }
        for path in ["//article", "//div[@id='a']", "//div[@id='a']//p", "//main//p", "//table"] {
            assert!(!anything(path), "{path}");
        }
    }

    #[test]
    fn of_an_element_and_one_inside_it_the_inner_one_is_shared() {
        let document = dom::parse("<div><p>a<p>b</div><p>c<div><p>d</div>");
        let named = |name: &str| -> Vec<NodeId> {
            document.ids().filter(|&id| document.name(id).is_some_and(|n| &**n == name)).collect()
        };
        let (divs, paragraphs) = (named("div"), named("p"));
        let inside = [paragraphs[0], paragraphs[1], paragraphs[3]];
        assert_eq!(shared(&document, &divs, &paragraphs), inside);
        assert_eq!(shared(&document, &paragraphs, &divs), inside);
        assert_eq!(shared(&document, &divs, &divs), divs);
        assert!(shared(&document, &divs, &[paragraphs[2]]).is_empty());
    }
}
