/*!
`sitegrove-lab calibrate`: fits the confidence of titles, standfirsts, authors and dates to pages whose metadata is known.

The confidence of a value is a logistic function of its features ([`metadata::confidence_features`]): the source, whether the
place is known, how many kinds of sources on the page have this value and how many another, the kinds of authors, and whether a
title has parts or belongs to a front page. It is fitted by gradient descent with a quadratic penalty to the values for which the
gold has one. The printed reliability is for held-out sites: sites are divided into five parts by a hash of their names, and the
values of each part are judged by weights fitted to the others. The run must have been made with
`extract.omit_fields_below = 0`, so that no value is missing.
*/

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use metadata::{FEATURES, confidence_features, confidence_of};
use score::metadata::FieldScore;
use serde::Serialize;
use serde_json::json;
use terminal::arguments::PrintFormat;
use terminal::printed::Console;
use xxhash_rust::xxh3::xxh3_64;

use crate::evaluate::read_run;
use crate::fields::{
    ComparedValue, FieldFigures, MetadataField, ReliabilityRow, SURE, compare, reliability,
};
use crate::gold::{GoldPage, read_gold};

const FIELDS: [MetadataField; 4] =
    [MetadataField::Title, MetadataField::Subtitle, MetadataField::Authors, MetadataField::Date];
/// Parts into which the sites are divided.
const PARTS: u64 = 5;
/// Factor of the quadratic penalty on the weights.
const PENALTY: f64 = 1.0;
const STEPS: usize = 4_000;

/// Fit the confidence of metadata to pages whose metadata is known.
#[derive(Args, Debug)]
#[command(after_help = "\
Example (settings.toml has `omit_fields_below = 0.0` in its table `extract`):
  sitegrove run crawl/*.warc.gz --config settings.toml --out out/run
  sitegrove-lab calibrate out/run --gold gold.jsonl --out weights.json")]
pub(crate) struct CalibrateArgs {
    /// Run folder, or file of articles as JSON lines
    run: PathBuf,
    /// Pages whose metadata is known, as JSON lines
    #[arg(long, value_name = "FILE")]
    gold: PathBuf,
    /// Write the weights to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: PrintFormat,
}

#[derive(Serialize)]
struct FieldReliability {
    field: MetadataField,
    rows: Vec<ReliabilityRow>,
    /// Numbers of values with a confidence of at least 0.9, and of wrong values among them.
    sure: usize,
    sure_wrong: usize,
}

/// An extracted value whose true value is in the gold.
struct KnownValue {
    part: u64,
    features: Vec<usize>,
    score: FieldScore,
}

/// Fits the weights, prints their reliability on held-out sites, and writes them.
///
/// # Errors
/// If a file cannot be read or written.
pub(crate) fn run(args: &CalibrateArgs, out: &mut Console<'_>) -> anyhow::Result<()> {
    let gold = read_gold(&args.gold, &[])?;
    let run = read_run(String::new(), args.run.clone())?;
    let mut fitted = Vec::new();
    let mut reliable = Vec::new();
    for field in FIELDS {
        let known = |page: &GoldPage| {
            let found = run.pages.get(&page.url).map(|page| &page.fields);
            let value = compare(field, &page.url, &page.fields, found)?;
            let kinds = &found?.author_kinds;
            let kinds = if field == MetadataField::Authors { &kinds[..] } else { &[] };
            let title = found?.title.as_deref().filter(|_| field == MetadataField::Title);
            let title = title.map(|title| (title, &*page.url));
            Some(KnownValue {
                part: xxh3_64(page.site.as_bytes()) % PARTS,
                features: confidence_features(&found?.source(field)?, kinds, title).collect(),
                score: value.score?,
            })
        };
        let known: Vec<KnownValue> = gold.pages.iter().filter_map(known).collect();
        let mut judged = Vec::with_capacity(known.len());
        for part in 0..PARTS {
            let weights = fit(known.iter().filter(|value| value.part != part));
            judged.extend(known.iter().filter(|value| value.part == part).map(|value| {
                let confidence = Some(confidence_of(value.features.iter().copied(), &weights));
                ComparedValue { score: Some(value.score), is_found: true, confidence }
            }));
        }
        let figures = FieldFigures::of(&judged);
        reliable.push(FieldReliability {
            field,
            rows: reliability(&judged),
            sure: figures.sure.unwrap_or(0),
            sure_wrong: figures.sure_wrong.unwrap_or(0),
        });
        let weights = fit(known.iter()).map(|weight| (weight * 1e4).round() / 1e4);
        fitted.push(format!("  \"{}\": {}", field.key(), json!(weights)));
    }
    match args.format {
        PrintFormat::Json => out.json_line(&reliable)?,
        PrintFormat::Text => write_table(&reliable, out)?,
    }
    if let Some(path) = &args.out {
        std::fs::write(path, format!("{{\n{}\n}}\n", fitted.join(",\n")))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn write_table(reliable: &[FieldReliability], out: &mut Console<'_>) -> std::io::Result<()> {
    writeln!(out, "| field | confidence | values | mean confidence, % | right, % |")?;
    writeln!(out, "|---|---|--:|--:|--:|")?;
    for FieldReliability { field, rows, sure, sure_wrong } in reliable {
        let name = field.as_str();
        for ReliabilityRow { from, to, values, said, right } in rows {
            writeln!(out, "| {name} | {from:.2} to {to:.2} | {values} | {said:.1} | {right:.1} |")?;
        }
        if *sure > 0 {
            let right = 100.0 * (sure - sure_wrong) as f64 / *sure as f64;
            writeln!(out, "| {name} | at least {SURE:.2} | {sure} | | {right:.1} |")?;
        }
    }
    Ok(())
}

/// Finds the weights that maximise the likelihood minus the penalty.
fn fit<'v>(values: impl Iterator<Item = &'v KnownValue>) -> [f64; FEATURES] {
    let values: Vec<(&[usize], f64)> =
        values.map(|value| (&value.features[..], f64::from(u8::from(value.score.exact)))).collect();
    let mut weights = [0.0; FEATURES];
    let rate = 1.0 / (values.len() as f64 + PENALTY);
    for _ in 0..STEPS {
        let mut gradient = weights.map(|weight| -PENALTY * weight);
        gradient[0] = 0.0;
        for &(features, right) in &values {
            let error = right - confidence_of(features.iter().copied(), &weights);
            features.iter().for_each(|&feature| gradient[feature] += error);
        }
        weights.iter_mut().zip(gradient).for_each(|(weight, slope)| *weight += rate * slope);
    }
    weights
}
