//! Prints what a run would process and need.

use std::io::Write;

use anyhow::Result;
use report::readable::{count, grouped, size};
use terminal::arguments::PrintFormat;
use terminal::printed::{Console, line};
use terminal::shortened::{padded, width_of, wrapped};

use crate::run::forecast::{Forecast, InputForecast};

const INPUTS_SHOWN: usize = 30;

pub(super) fn print(forecast: &Forecast, format: PrintFormat, out: &mut Console<'_>) -> Result<()> {
    if format == PrintFormat::Json {
        return Ok(out.json_line(forecast)?);
    }
    inputs(forecast, out)?;
    let Forecast { pages, sites, html_bytes, memory, memory_limit, spool_bytes, .. } = forecast;
    let mut paragraph = |text: String| writeln!(out, "{}", wrapped(&text, out.width(), "  "));
    if !forecast.selection.is_all() {
        paragraph(format!("chosen: {}", forecast.selection))?;
        let left_out: u64 = forecast.inputs.iter().flat_map(|input| input.left_out.values()).sum();
        paragraph(format!("left out: {}", count(left_out as usize, "record")))?;
    }
    paragraph(format!(
        "{} of {}, {} of HTML",
        count(*pages as usize, "page"),
        count(*sites as usize, "site"),
        size(*html_bytes)
    ))?;
    paragraph(format!(
        "memory: about {} of at most {} (--memory), with {}",
        size(*memory),
        size(*memory_limit),
        count(forecast.jobs, "thread")
    ))?;
    paragraph(match spool_bytes {
        0 => "disk during the run: none, all pages fit into memory".to_owned(),
        bytes => format!("disk during the run: about {} (--spool)", size(*bytes)),
    })?;
    paragraph(format!("disk for the results: about {}", size(forecast.results_bytes)))?;
    let folder = line(&forecast.out.to_string_lossy()).into_owned();
    paragraph(match forecast.out_holds {
        "new" => format!("results would be written to {folder}"),
        holds => format!(
            "{folder} already contains {}: the same command resumes or keeps it, another one needs \
             --overwrite or another --out",
            match holds {
                "other files" => "other files".to_owned(),
                run => format!("a {run}").replace("a unfinished", "an unfinished"),
            }
        ),
    })?;
    paragraph("Nothing was written.".to_owned())?;
    Ok(())
}

fn inputs(forecast: &Forecast, out: &mut Console<'_>) -> Result<()> {
    let shown_inputs = forecast.inputs.iter().take(INPUTS_SHOWN);
    let names: Vec<String> =
        shown_inputs.clone().map(|input| line(&input.file).into_owned()).collect();
    // The width of the other columns, with two spaces between them.
    let rest = out.width().saturating_sub(2 + 12 + 2 + 9 + 2 + 8).max(16);
    let columns = names.iter().map(|name| width_of(name)).max().unwrap_or(0).clamp(5, rest);
    writeln!(out, "{:<columns$}  {:<12}  {:>9}  {:>8}", "input", "format", "size", "pages")?;
    for (input, name) in shown_inputs.zip(&names) {
        let name = padded(name, columns);
        let InputForecast { format, bytes, pages, .. } = input;
        let (bytes, pages) = (size(*bytes), grouped(*pages));
        writeln!(out, "{name}  {format:<12}  {bytes:>9}  {pages:>8}")?;
        if let Some(problem) = &input.problem {
            writeln!(out, "  {}", wrapped(&line(problem), out.width() - 2, "  "))?;
        }
    }
    let more = forecast.inputs.len().saturating_sub(INPUTS_SHOWN);
    if more > 0 {
        writeln!(out, "… and {more} more {}", if more == 1 { "input" } else { "inputs" })?;
    }
    Ok(writeln!(out)?)
}
