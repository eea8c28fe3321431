//! The page about a run: the values that `run.html` shows in addition to the distributions and the comparison.

use std::path::Path;

use askama::Template;
use model::{DropReason, RightsStatement};
use sink::Ledger;

use crate::charts::{Bar, BarTable};
use crate::comparison::Comparison;
use crate::distributions::{
    by_confidence, by_date, by_language, by_length, by_page_type, by_site_size, metadata,
    most_first, of_each_site, with_share,
};
use crate::figures::{SiteTable, Weakness, removed_share};
use crate::markup::{PageCode, filters, json, plain};
use crate::readable::{count, duration, grouped, percent, short_xpath, size};

const CODE: PageCode = PageCode {
    style: concat!(include_str!("../templates/base.css"), include_str!("../templates/run.css")),
    script: include_str!("../templates/run.js"),
};

/// Maximum number of inputs and of problems that are listed.
const LISTED: usize = 100;
/// Number of rows of the table of sites that are written as markup; the script has the same number.
const SHOWN: usize = 100;
/// Number of rows of other tables that are shown at first; the script folds away the rest.
const OPEN: usize = 10;
/// Confidence below which an article or a wrapper is marked as low.
const LOW: f64 = 0.5;

/// The task of each stage, in order.
const STAGES: [(&str, &str); 10] = [
    ("read", "archives, files and feeds"),
    ("group", "pages by site"),
    ("parse", "HTML into trees"),
    ("cluster", "pages grouped by layout"),
    ("signify", "signifiers of each page"),
    ("rank", "structural patterns ranked"),
    ("wrap", "wrappers generated and tested"),
    ("extract", "text, HTML, metadata"),
    ("compare", "articles that are the same"),
    ("emit", "files written"),
];

/// `report/index.html`.
#[derive(Template)]
#[template(path = "run.html")]
pub(crate) struct RunReportPage<'a> {
    code: PageCode,
    run: &'a Path,
    ledger: &'a Ledger,
    sites: &'a SiteTable,
    compared: Option<&'a Comparison>,
}

impl<'a> RunReportPage<'a> {
    pub(crate) fn new(
        run: &'a Path,
        ledger: &'a Ledger,
        sites: &'a SiteTable,
        compared: Option<&'a Comparison>,
    ) -> Self {
        Self { code: CODE, run, ledger, sites, compared }
    }

    fn heading(&self) -> String {
        let counts = &self.ledger.counts;
        let articles = count(counts.articles as usize, "article");
        format!("{articles} of {}", count(counts.sites as usize, "site"))
    }

    fn settings(&self) -> &str {
        self.ledger.config_hash.get(..12).unwrap_or_default()
    }

    fn alarms(&self) -> u64 {
        self.ledger.counts.sites_to_look_at()
    }

    /// What went wrong, one sentence each.
    fn problems(&self) -> Vec<String> {
        let ledger = self.ledger;
        let mut problems: Vec<String> = Vec::new();
        if ledger.counts.pages == 0 {
            problems.push(
                "No page was found in the inputs; see dropped.jsonl for what was found.".to_owned(),
            );
        }
        let sinks = ledger.failed_sinks.iter();
        problems.extend(sinks.map(|(name, why)| {
            format!("Cannot write the output {name}: {why}. The other outputs are complete.")
        }));
        let unread = ledger.unread().len();
        let unreadable = ledger.unreadable.iter().enumerate().take(LISTED);
        problems.extend(unreadable.map(|(at, why)| match at < unread {
            true => format!("{why}. Everything before it was read."),
            // These messages say themselves what was kept.
            false => format!("{why}."),
        }));
        if ledger.unreadable.len() > LISTED {
            let more = ledger.unreadable.len() - LISTED;
            problems.push(format!("{more} more inputs, in ledger.json."));
        }
        let damage = DropReason::DAMAGE.iter().map(|reason| reason.as_str());
        let damage: Vec<(&str, u64)> =
            damage.filter_map(|name| Some((name, *ledger.drops.get(name)?))).collect();
        if !damage.is_empty() {
            let places: u64 = damage.iter().map(|(_, n)| n).sum();
            let named = damage.iter().map(|(name, n)| format!("{name} {}", grouped(*n)));
            problems.push(format!(
                "The inputs are damaged in {} ({}; see dropped.jsonl). Everything else was read.",
                count(places as usize, "place"),
                named.collect::<Vec<_>>().join(", "),
            ));
        }
        if let Some(&bugs) = ledger.drops.get(DropReason::Internal.as_str()) {
            let pages = count(bugs as usize, "page");
            problems.push(format!(
                "Processing {pages} failed (internal-error in dropped.jsonl): please report it."
            ));
        }
        problems
    }

    /// The share of the text of all pages that was removed.
    fn boilerplate(&self) -> String {
        let totals = &self.sites.totals.of;
        let share = removed_share(totals.characters.pages, totals.characters.kept);
        share.map_or("–".to_owned(), |share| percent(share, 1.0))
    }

    /// Whether there are articles with metadata or dates for a first look.
    fn has_first_look(&self) -> bool {
        let totals = &self.sites.totals.of;
        totals.articles > 0 && !(totals.fields.is_empty() && totals.months.is_empty())
    }

    fn drops(&self) -> BarTable {
        let bars = most_first(&self.ledger.drops).into_iter().filter_map(|(name, n)| {
            let reason = DropReason::parse(name);
            let is_listed = reason.is_none_or(|own| {
                own != DropReason::OtherRecord && !DropReason::NOT_CHOSEN.contains(&own)
            });
            let meaning = reason.map_or("", DropReason::meaning);
            (is_listed && n > 0).then(|| Bar::new(name, meaning, n as f64, grouped(n)))
        });
        BarTable::new(["Reason", "Dropped"], bars)
    }

    /// Articles by the statements of their pages and servers about their use.
    fn rights(&self) -> BarTable {
        let meaning = |name: &str| match RightsStatement::parse(name) {
            Some(RightsStatement::NoIndex) => "Not to be listed in search results.",
            Some(RightsStatement::NoArchive) => "Not to be kept as a copy.",
            Some(RightsStatement::NoAi) => "Not for machine learning.",
            Some(RightsStatement::Tdm) => "Rights to mine texts and data are reserved.",
            Some(RightsStatement::Rsl) => "A licence in Really Simple Licensing is named.",
            Some(RightsStatement::Robots) => "Disallowed by robots.txt.",
            None => "",
        };
        let counts = self.ledger.counts.articles_by_rights.iter();
        let bars = counts.map(|(name, &n)| Bar::new(name, meaning(name), n as f64, grouped(n)));
        BarTable::new(["Statement", "Articles"], bars)
    }

    /// Records that hold no page.
    fn other_records(&self) -> u64 {
        self.ledger.dropped_for(&[DropReason::OtherRecord])
    }

    /// Records that were skipped because they were not selected.
    fn not_chosen(&self) -> u64 {
        self.ledger.dropped_for(&DropReason::NOT_CHOSEN)
    }

    /// A sentence about the pages that were dropped as copies of others.
    fn copies(&self) -> String {
        let dropped = DropReason::COPIES.map(|reason| (reason, self.ledger.dropped_for(&[reason])));
        let all: u64 = dropped.iter().map(|(_, n)| n).sum();
        if all == 0 {
            return "No page was dropped as a copy of another.".to_owned();
        }
        let named = dropped.iter().filter(|(_, n)| *n > 0);
        let named: Vec<String> =
            named.map(|(reason, n)| format!("{} {}", reason.as_str(), grouped(*n))).collect();
        let pages = count(all as usize, "page");
        format!("{pages} dropped as copies of others: {}.", named.join(", "))
    }

    fn stages(&self) -> BarTable {
        let place = |stage: &str| STAGES.iter().position(|(known, _)| *known == stage);
        let stages = self.ledger.stage_seconds.iter();
        let mut stages: Vec<(&str, f64)> =
            stages.map(|(stage, &seconds)| (stage.as_str(), seconds)).collect();
        stages.sort_by_key(|(stage, _)| place(stage).unwrap_or(STAGES.len()));
        let bars = stages.into_iter().map(|(stage, seconds)| {
            Bar::new(stage, place(stage).map_or("", |at| STAGES[at].1), seconds, duration(seconds))
        });
        BarTable::new(["Stage", "Time"], bars)
    }

    /// The command that creates the missing pages of sites.
    fn inspect_command(&self) -> String {
        format!("sitegrove inspect {} --all", quote_for_shell(&self.run.to_string_lossy()))
    }

    /// All rows of the table for the script, each as an array.
    fn rows_for_script(&self) -> String {
        let rows = self.sites.rows.iter().map(|row| {
            let page = row.page.as_deref().map(address_of_file).unwrap_or_default();
            let figures = [row.articles, row.doubtful, row.pages, row.left_out, row.layouts];
            let (site, best) = (plain(&row.site), plain(&row.best));
            (site, page, figures, row.confidence, row.boilerplate, row.support, best)
        });
        json(&rows.collect::<Vec<_>>())
    }
}

/// `2026-11-21 15:49 UTC` of an RFC 3339 time.
fn to_the_minute(time: &str) -> String {
    match (time.get(..10), time.get(11..16)) {
        (Some(day), Some(minute)) => format!("{day} {minute} UTC"),
        _ => time.to_owned(),
    }
}

fn quote_for_shell(path: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || "/._-+:,@%".contains(c);
    if !path.is_empty() && !path.starts_with('-') && path.chars().all(bare) {
        return path.to_owned();
    }
    let path = if path.starts_with('-') { format!("./{path}") } else { path.to_owned() };
    format!("'{}'", path.replace('\'', "'\\''"))
}

/// A file name as part of an address. `%` is the only character of such names that has a meaning in addresses.
fn address_of_file(name: &str) -> String {
    name.replace('%', "%25")
}

/// The CSS class of a cell with a confidence: low, or below the threshold for doubtful articles.
fn confidence_class(confidence: f64, below: f64) -> &'static str {
    match confidence {
        low if low < LOW => "low",
        doubtful if doubtful < below => "middling",
        _ => "",
    }
}

/// The CSS class of a cell whose value is worse than before.
fn low_if(is_worse: bool) -> &'static str {
    if is_worse { "low" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_for_a_shell() {
        assert_eq!(quote_for_shell("out/tonight"), "out/tonight");
        assert_eq!(quote_for_shell("out/my night"), "'out/my night'");
        assert_eq!(quote_for_shell("it's; rm -rf $HOME"), "'it'\\''s; rm -rf $HOME'");
        assert_eq!(quote_for_shell("-x"), "'./-x'");
        assert_eq!(quote_for_shell(""), "''");
    }
}
