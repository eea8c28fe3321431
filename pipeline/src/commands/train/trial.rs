//! Fitting without a part, testing on it.

use std::{collections::BTreeMap, io::Write, time::Instant};

use dom::{NodeId, text_of};
use grove::{DecideParameters, Decision, Pools, Rows, ScoredPage, Template, Trees, UNKNOWN, decide, sibling_rows};
use rayon::prelude::*;
use score::{
    Kind, Measure, Output,
    aggregate::{group_means, macro_mean, template_groups},
};

use super::{
    fit::{FitParameters, Lesson, fit},
    folds::fold_of,
    labels,
    pages::{Prepared, Siblings},
};

const MEASURE: Measure = Measure { kind: Kind::Pairs, raw: false };

fn number(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn parameters(stage: &str) -> FitParameters {
    let get = |name: &str, default: f64| number(&format!("{stage}_{name}"), default);
    FitParameters {
        trees: get("TREES", 80.0) as usize,
        learning_rate: get("RATE", 0.1) as f32,
        leaves: get("LEAVES", 24.0) as usize,
        depth: get("DEPTH", 6.0) as usize,
        l2: get("L2", 1.0) as f32,
        least_leaf: get("LEAST", 20.0) as f32,
        columns: get("COLS", 0.5),
        rows: get("ROWS", 1.0) as f32,
    }
}

/// Per fold trees fitted on the pages of all others; scores of all pages by the trees that have not seen them.
fn cross_fit(
    templates: &[Siblings<'_>],
    fold_of_template: &[usize],
    folds: usize,
    rows: &(dyn Fn(usize, usize) -> Rows + Sync),
    parameters: &FitParameters,
) -> anyhow::Result<Vec<Vec<Vec<f32>>>> {
    let all: Vec<Vec<Rows>> = (0..templates.len())
        .into_par_iter()
        .map(|t| (0..templates[t].pages.len()).map(|p| rows(t, p)).collect())
        .collect();
    let trees: Vec<Trees> = (0..folds)
        .into_par_iter()
        .map(|fold| {
            let mut lessons = Vec::new();
            for (t, template) in templates.iter().enumerate() {
                if fold_of_template[t] == fold {
                    continue;
                }
                for (p, page) in template.pages.iter().enumerate() {
                    if let Some((_, labels)) = &page.gold {
                        lessons.push(Lesson {
                            rows: &all[t][p],
                            labels: &labels.shares,
                            weights: &labels.weights,
                        });
                    }
                }
            }
            fit(&lessons, parameters)
        })
        .collect::<Result<_, _>>()?;
    Ok((0..templates.len())
        .into_par_iter()
        .map(|t| {
            let own = &trees[fold_of_template[t]];
            all[t].iter().map(|rows| own.probabilities(rows)).collect()
        })
        .collect())
}

fn cross_fit_kept(
    templates: &[Siblings<'_>],
    fold_of_template: &[usize],
    folds: usize,
    rows: &(dyn Fn(usize, usize) -> Rows + Sync),
    kept: &[Vec<Vec<usize>>],
    parameters: &FitParameters,
) -> anyhow::Result<Vec<Vec<Vec<f32>>>> {
    let all: Vec<Vec<Rows>> = (0..templates.len()).into_par_iter()
        .map(|t| (0..templates[t].pages.len()).map(|p| rows(t, p)).collect()).collect();
    let labels: Vec<Vec<(Vec<f32>, Vec<f32>)>> = templates.iter().zip(kept).map(|(template, kept)| template.pages.iter().zip(kept).map(|(page, kept)| {
        page.gold.as_ref().map_or((vec![0.0; kept.len()], vec![0.0; kept.len()]), |(_, l)| (kept.iter().map(|&k| l.shares[k]).collect(), kept.iter().map(|&k| l.weights[k]).collect()))
    }).collect()).collect();
    let trees: Vec<Trees> = (0..folds).into_par_iter().map(|fold| {
        let mut lessons = Vec::new();
        for (t, template) in templates.iter().enumerate() {
            if fold_of_template[t] == fold { continue; }
            for p in 0..template.pages.len() {
                lessons.push(Lesson { rows: &all[t][p], labels: &labels[t][p].0, weights: &labels[t][p].1 });
            }
        }
        fit(&lessons, parameters)
    }).collect::<Result<_, _>>()?;
    Ok((0..templates.len()).into_par_iter().map(|t| all[t].iter().map(|rows| trees[fold_of_template[t]].probabilities(rows)).collect()).collect())
}

pub(super) fn run(
    templates: &[Siblings<'_>],
    folds: usize,
    begun: Instant,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let fold: Vec<usize> = templates.iter().map(|t| fold_of(t.site, folds)).collect();
    let cache = std::env::var("CACHE").ok().and_then(|p| std::fs::read(p).ok());
    let cached: Option<(Vec<Vec<Vec<f32>>>, Vec<Vec<Vec<f32>>>)> = cache.and_then(|c| serde_json::from_slice(&c).ok());
    let first = if let Some(c) = &cached { c.0.clone() } else { cross_fit(
        templates,
        &fold,
        folds,
        &|t, p| templates[t].pages[p].blocks.rows.clone(),
        &parameters("A"),
    )? };
    super::eprintln_time("first", begun);
    let pools: Vec<Pools> = templates
        .par_iter()
        .zip(&first)
        .map(|(template, scores)| {
            Pools::of(&scored(template, scores), &template.common.patterns)
        })
        .collect();
    let rows = |t: usize, p: usize| {
        let template = &templates[t];
        let scored = &scored(template, &first[t])[p];
        let of = Template {
            patterns: &template.common.patterns,
            pools: &pools[t],
            learnt_from: template.pages.len(),
        };
        let forest = template.common.forest.elements(template.pages[p].parsed);
        sibling_rows(&template.pages[p].parsed.document, scored, &of, forest.as_deref())
    };
    let second = if let Some(c) = &cached { c.1.clone() } else { cross_fit(templates, &fold, folds, &rows, &parameters("B"))? };
    if cached.is_none() && let Ok(path) = std::env::var("CACHE") { std::fs::write(path, serde_json::to_vec(&(&first, &second))?)?; }
    super::eprintln_time("second", begun);
    let second: Vec<Vec<Vec<f32>>> = second.into_iter().enumerate().map(|(t, pages)| pages.into_iter().enumerate().map(|(p, scores)| pools[t].less_repeated(&templates[t].pages[p].blocks, scores)).collect()).collect();
    let threshold = number("THR", 0.5) as f32;
    report("first score, by block", templates, out, &|t, p| by_block(&templates[t].pages[p], &first[t][p], threshold))?;
    report("second score, by block", templates, out, &|t, p| by_block(&templates[t].pages[p], &second[t][p], threshold))?;
    for threshold in [0.4, 0.45, 0.5, 0.55] {
        for switch_cost in [0.15, 0.3, 0.6] {
            let decided: Vec<Vec<Decision>> = templates
                .par_iter()
                .zip(&second)
                .map(|(template, scores)| {
                    let parameters = DecideParameters { threshold, switch_cost };
                    decide(&scored(template, scores), &template.common.patterns, &parameters)
                })
                .collect();
            report(&format!("by pattern {threshold} {switch_cost}"), templates, out, &|t, p| by_pattern(&templates[t], p, &decided[t]))?;
            if threshold == 0.45 && switch_cost == 0.3 {
                let kept: Vec<Vec<Vec<usize>>> = templates.iter().enumerate().map(|(t, template)| (0..template.pages.len()).map(|p| {
                    let of_nodes = &template.common.of_nodes[p];
                    template.pages[p].blocks.blocks.iter().enumerate().filter(|(_, b)| decided[t][of_nodes[b.element as usize] as usize] == Decision::Keep).map(|(at, _)| at).collect()
                }).collect()).collect();
                let third = cross_fit_kept(templates, &fold, folds, &|t, p| {
                    let template = &templates[t];
                    let scored = &scored(template, &second[t])[p];
                    grove::ending_rows(&template.pages[p].parsed.document, scored, &pools[t], &kept[t][p])
                }, &kept, &parameters("C"))?;
                report("cut", templates, out, &|t, p| {
                    let page = &templates[t].pages[p];
                    let kept = &kept[t][p];
                    let words: Vec<u32> = kept.iter().map(|&at| page.blocks.blocks[at].words).collect();
                    let end = grove::ending(&words, &third[t][p]);
                    let mut scores = vec![0.0; page.blocks.blocks.len()];
                    for &at in &kept[..end] { scores[at] = 1.0; }
                    by_block(page, &scores, 0.5)
                })?;
                show(templates, &first, &second, &decided, out)?; }
        }
    }
    report("labels", templates, out, &|t, p| {
        let page = &templates[t].pages[p];
        page.gold.as_ref().map_or_else(String::new, |(_, l)| by_block(page, &l.shares, 0.5))
    })?;
    Ok(())
}

fn scored<'a>(template: &'a Siblings<'_>, scores: &'a [Vec<f32>]) -> Vec<ScoredPage<'a>> {
    template
        .pages
        .iter()
        .zip(&template.common.of_nodes)
        .zip(scores)
        .map(|((page, patterns), scores)| ScoredPage { page: &page.blocks, patterns, scores })
        .collect()
}

fn by_block(page: &Prepared<'_>, scores: &[f32], threshold: f32) -> String {
    let kept = page.blocks.blocks.iter().zip(scores).filter(|(_, score)| **score > threshold);
    let texts: Vec<String> =
        kept.map(|(block, _)| labels::text_of(&page.parsed.document, block)).collect();
    texts.join("\n")
}

fn by_pattern(template: &Siblings<'_>, at: usize, decisions: &[Decision]) -> String {
    let document = &template.pages[at].parsed.document;
    let of_nodes = &template.common.of_nodes[at];
    let decision = |id: NodeId| match of_nodes[id as usize] {
        UNKNOWN => Decision::Outside,
        pattern => decisions[pattern as usize],
    };
    let (mut keep, mut prune) = (Vec::new(), Vec::new());
    for id in document.ids().filter(|&id| document.name(id).is_some()) {
        let above = document.parent(id).map_or(Decision::Outside, decision);
        match (above, decision(id)) {
            (Decision::Outside, Decision::Keep) => keep.push(id),
            (Decision::Keep, Decision::Prune) => prune.push(id),
            _ => {}
        }
    }
    text_of(document, &keep, &prune)
}

fn show(templates: &[Siblings<'_>], first: &[Vec<Vec<f32>>], second: &[Vec<Vec<f32>>], decided: &[Vec<Decision>], out: &mut dyn Write) -> anyhow::Result<()> {
    let Ok(want) = std::env::var("SHOW") else { return Ok(()) };
    for (t, template) in templates.iter().enumerate() {
        for (p, page) in template.pages.iter().enumerate() {
            let Some((gold, labels)) = &page.gold else { continue };
            if !want.split(',').any(|w| gold.url.contains(w)) { continue; }
            writeln!(out, "### {} siblings {} gold words {}", gold.url, template.pages.len(), gold.text.split_whitespace().count())?;
            for (b, block) in page.blocks.blocks.iter().enumerate() {
                let pattern = template.common.of_nodes[p][block.element as usize];
                let kept = decided[t][pattern as usize] == Decision::Keep;
                let y = labels.shares[b];
                if !kept && y < 0.5 && second[t][p][b] < 0.3 && first[t][p][b] < 0.5 { continue; }
                let text: String = labels::text_of(&page.parsed.document, block).split_whitespace().collect::<Vec<_>>().join(" ").chars().take(70).collect();
                let d = &page.parsed.document;
                let path: Vec<String> = d.ancestors(block.element).take(4).map(|a| { let e = d.element(a).unwrap(); format!("{}.{}", e.name, e.attribute(&dom::local_name!("class")).or(e.attribute(&dom::local_name!("id"))).unwrap_or("").chars().take(18).collect::<String>()) }).collect();
                writeln!(out, "{}{} {b:3} w{:4} l{:3} y{y:.2} A{:.2} B{:.2} {} | {text}", if kept {"K"} else {"-"}, if (y>=0.5)!=kept {"!"} else {" "}, block.words, block.link_words, first[t][p][b], second[t][p][b], path.join("<"))?;
            }
        }
    }
    Ok(())
}

type Text<'a> = dyn Fn(usize, usize) -> String + Sync + 'a;

fn report(
    name: &str,
    templates: &[Siblings<'_>],
    out: &mut dyn Write,
    text: &Text<'_>,
) -> anyhow::Result<()> {
    let scores: Vec<(&str, Option<&str>, &str, f64)> = (0..templates.len())
        .into_par_iter()
        .flat_map_iter(|t| {
            let own = &templates[t];
            (0..own.pages.len()).filter_map(move |p| {
                let (gold, _) = own.pages[p].gold.as_ref()?;
                let text = text(t, p);
                let score = score::score(&gold.as_gold(), &Output { text: &text, nodes: &[] }, &[MEASURE])[0]?;
                Some((gold.dataset.as_str(), gold.template.as_deref(), gold.url.as_str(), score.f1))
            })
        })
        .collect();
    let keys: Vec<(&str, Option<&str>)> = scores.iter().map(|s| (s.0, s.1)).collect();
    let groups = template_groups(&keys, 3);
    let means = group_means(
        scores.iter().zip(&groups).filter_map(|(s, g)| Some(((*g)?, s.3))),
    );
    let mut sets: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for ((set, _), mean) in &means {
        sets.entry(set).or_default().push(*mean);
    }
    let eight: BTreeMap<_, f64> = means
        .iter()
        .filter(|((set, _), _)| !matches!(*set, "wcxb" | "cleaneval"))
        .map(|(k, v)| (*k, *v))
        .collect();
    let singles: Vec<f64> =
        scores.iter().zip(&groups).filter(|(_, g)| g.is_none()).map(|(s, _)| s.3).collect();
    let low = scores.iter().filter(|s| s.3 < 0.7).count();
    write!(out, "{name:24} eight {:.2} all {:.2} singles {:.2} low {low}/{} |",
        100.0 * macro_mean(&eight).unwrap_or(0.0), 100.0 * macro_mean(&means).unwrap_or(0.0),
        100.0 * singles.iter().sum::<f64>() / singles.len().max(1) as f64, scores.len())?;
    for (set, values) in &sets {
        write!(out, " {set} {:.1}", 100.0 * values.iter().sum::<f64>() / values.len() as f64)?;
    }
    writeln!(out)?;
    if std::env::var("WGRP").is_ok_and(|w| w == name) {
        let mut worst: Vec<_> = eight.iter().collect();
        worst.sort_by(|a, b| a.1.total_cmp(b.1));
        for ((set, group), f1) in worst.iter().take(34) {
            writeln!(out, "   {:.3} {set} {group}", f1)?;
        }
    }
    if std::env::var("WORST").is_ok_and(|w| w == name) {
        let mut worst = scores.clone();
        worst.sort_by(|a, b| a.3.total_cmp(&b.3));
        for (set, group, url, f1) in worst.iter().take(120) {
            writeln!(out, "   {f1:.3} {set} {} {url}", group.unwrap_or("-"))?;
        }
    }
    Ok(())
}
