//! Machine-readable reports: nested JSON, and CSV with one figure per line.

use super::report::Report;

/// The whole report as JSON.
pub(super) fn json(report: &Report) -> anyhow::Result<String> {
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    Ok(text)
}

/// One line per figure: `measure,dataset,run,over,statistic,units,value`.
///
/// `over` is the unit over which the mean is taken: templates, singles, pages, sites. For a
/// difference, `run` is `first - other`.
pub(super) fn csv(report: &Report) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["measure", "dataset", "run", "over", "statistic", "units", "value"])?;
    for tables in &report.measures {
        let mut put =
            |dataset: &str, run: &str, over: &str, statistic: &str, units: usize, value: f64| {
                let (units, value) = (units.to_string(), value.to_string());
                writer.write_record([tables.measure, dataset, run, over, statistic, &units, &value])
            };
        for row in &tables.rows {
            let over = if row.singles { "singles" } else { "templates" };
            for (run, f1) in report.runs.iter().zip(&row.f1) {
                let Some(f1) = *f1 else { continue };
                put(&row.dataset, &run.name, over, "f1", row.units, f1)?;
            }
        }
        for row in &tables.summaries {
            let pages = [
                ("precision", row.precision),
                ("recall", row.recall),
                ("f1", row.f1),
                ("median_f1", row.median),
                ("tenth_percentile_f1", row.tenth),
            ];
            for (statistic, value) in pages {
                put(&row.dataset, &row.run, "pages", statistic, row.pages, value)?;
            }
            put(&row.dataset, &row.run, "sites", "f1", row.sites, row.macro_sites)?;
        }
        for row in &tables.differences {
            let runs = format!("{} - {}", row.first, row.other);
            for (statistic, value) in
                [("difference", row.mean), ("low", row.low), ("high", row.high)]
            {
                put(super::tables::ALL, &runs, row.over, statistic, row.units, value)?;
            }
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
