//! `sitegrove bench`: how fast the pipeline is beside its own parser, in one run.

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;

use crate::config::Config;
use crate::inputs::expand;
use crate::ledger::peak_rss;
use crate::parsed::parse_page;
use crate::run::{Quiet, run as run_pipeline};
use crate::stages::read::{Intake, read};

/// Arguments of `sitegrove bench`.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sitegrove bench crawl/*.warc.gz --rounds 5

Rates are in 10⁶ bytes of decoded HTML a second; each line is the median of the rounds.")]
pub struct BenchArgs {
    /// WARC files, HTML files, folders, globs
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<String>,
    /// Times each measurement is taken, in turn
    #[arg(long, default_value_t = 3)]
    pub rounds: usize,
}

/// Measures, and prints rates and their ratios.
///
/// # Errors
/// If an input cannot be read or the temporary run folder cannot be written.
pub fn run(args: &BenchArgs, out: &mut dyn Write) -> Result<()> {
    let mut config = Config::load(None)?;
    config.run.inputs.clone_from(&args.inputs);
    let inputs = expand(&args.inputs, &[])?;
    let pages = {
        let mut pages = Vec::new();
        for input in &inputs {
            let stop = AtomicBool::new(false);
            read(input, &config.read, &|_| {}, &stop, &mut |intake, _| {
                if let Intake::Page(page) = intake {
                    pages.push(page);
                }
            })?;
        }
        pages
    };
    let html: usize = pages.iter().map(|p| p.html.len()).sum();
    let megabytes = html as f64 / 1e6;
    writeln!(out, "{} pages, {megabytes:.1} MB of html", pages.len())?;

    let content = dom::ParseConfig::CONTENT;
    let by_html5ever = |page: &model::Page| dom::parse_by_html5ever(&page.html, &content, &|| true);
    let alike = pages.iter().filter(|p| dom::parse(&p.html).same_tree(&by_html5ever(p))).count();
    writeln!(out, "{alike} of them have the tree that html5ever's own tokenizer gives")?;

    let folder = std::env::temp_dir().join(format!("sitegrove-bench-{}", std::process::id()));
    config.run.out.clone_from(&folder);
    let mut rates: [Vec<f64>; 6] = Default::default();
    for _ in 0..args.rounds.max(1) {
        let rate = |seconds: f64| megabytes / seconds;
        rates[0].push(rate(timed(|| {
            for input in &inputs {
                let stop = AtomicBool::new(false);
                read(input, &config.read, &|_| {}, &stop, &mut drop_intake)?;
            }
            Ok(())
        })?));
        rates[1].push(rate(timed(|| {
            pages.iter().for_each(|page| drop(std::hint::black_box(dom::parse(&page.html))));
            Ok(())
        })?));
        rates[2].push(rate(timed(|| {
            let parse = |page| drop(std::hint::black_box(parse_page(page, &config)));
            pages.iter().for_each(parse);
            Ok(())
        })?));
        rates[5].push(rate(timed(|| {
            pages.iter().for_each(|page| drop(std::hint::black_box(by_html5ever(page))));
            Ok(())
        })?));
        for (slot, jobs) in [(3, 1), (4, 2)] {
            config.run.jobs = jobs;
            let stop = AtomicBool::new(false);
            let seconds = timed(|| run_pipeline(&config, true, &stop, &Quiet).map(drop));
            std::fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot remove {}", folder.display()))?;
            rates[slot].push(rate(seconds?));
        }
    }
    let medians = rates.map(median);
    let bare = medians[1];
    for (name, rate) in [
        "read: records, http, charset",
        "bare arena parse",
        "parse, words, layout",
        "end to end, 1 thread",
        "end to end, 2 threads",
        "arena parse by html5ever alone",
    ]
    .iter()
    .zip(medians)
    {
        writeln!(out, "{name:<32} {rate:>8.1} MB/s  {:>6.2} of bare parse", rate / bare)?;
    }
    writeln!(out, "two threads over one             {:>8.2}", medians[4] / medians[3])?;
    if let Some(peak) = peak_rss() {
        writeln!(out, "peak memory                      {:>8.0} MiB", peak as f64 / 1048576.0)?;
    }
    Ok(())
}

fn drop_intake(intake: Intake, _: Option<u128>) {
    drop(std::hint::black_box(intake));
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
