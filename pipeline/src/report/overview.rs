//! The overview of a run: problems, main figures, drops by reason, time by stage, inputs.

use model::DropReason;

use super::bars::{Bar, bars};
use super::of_all;
use super::rows::{Totals, removed};
use crate::html::Html;
use crate::memory::shown;
use crate::numerals::{count, duration, grouped, percent};
use sink::Ledger;

/// Maximum number of inputs and of problems that are listed.
const LISTED: usize = 100;

/// Problems of the run, if any.
pub(super) fn problems(html: &mut Html, ledger: &Ledger) {
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
        // Says by itself what was kept.
        false => format!("{why}."),
    }));
    if ledger.unreadable.len() > LISTED {
        problems.push(format!("{} more inputs, in ledger.json.", ledger.unreadable.len() - LISTED));
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
    if problems.is_empty() {
        html.raw(
            "<p class=\"fine\">Every input was read to its end, and every output written.</p>",
        );
        html.raw("\n");
        return;
    }
    html.raw("<section class=\"problems\" aria-labelledby=\"problems\">\n");
    html.element("<h2 id=\"problems\">", &count(problems.len(), "problem"), "</h2>\n<ul>\n");
    for problem in &problems {
        html.element("<li><bdi>", problem, "</bdi></li>\n");
    }
    html.raw("</ul>\n</section>\n");
}

/// The main figures.
pub(super) fn tiles(html: &mut Html, ledger: &Ledger, totals: &Totals) {
    let counts = &ledger.counts;
    let boilerplate = removed(totals.characters, totals.characters_kept);
    let tiles = [
        ("Articles", grouped(counts.articles), doubtful(ledger, totals)),
        ("Pages", grouped(counts.pages), format!("from {}", count(ledger.inputs.len(), "input"))),
        (
            "Sites",
            grouped(counts.sites),
            format!("{} with a wrapper", grouped(totals.with_wrapper)),
        ),
        ("Dropped", grouped(ledger.dropped_pages()), "pages, files and feeds".to_owned()),
        (
            "Site boilerplate",
            boilerplate.map_or("–".to_owned(), |share| percent(share, 1.0)),
            "of the text, removed".to_owned(),
        ),
        ("Time", duration(ledger.seconds), format!("with {}", count(ledger.jobs, "thread"))),
        (
            "Throughput",
            grouped(ledger.pages_per_second.round() as u64),
            format!("pages, {:.1} MB of HTML a second", ledger.html_mb_per_second),
        ),
        ("Memory", ledger.peak_rss_bytes.map_or("–".to_owned(), shown), "peak".to_owned()),
    ];
    html.raw("<dl class=\"tiles\" aria-label=\"Main figures\">\n");
    for (name, figure, more) in &tiles {
        html.element("<div><dt>", name, "</dt>");
        html.element("<dd><b>", figure, "</b> ").element("<small>", more, "</small></dd></div>\n");
    }
    html.raw("</dl>\n");
}

/// The number of doubtful articles, with the threshold that decides.
fn doubtful(ledger: &Ledger, totals: &Totals) -> String {
    match totals.doubtful {
        0 => "none doubtful".to_owned(),
        doubtful => {
            let of_all = of_all(doubtful, totals.articles);
            format!("{of_all} doubtful: below {}", ledger.doubtful_below)
        }
    }
}

/// The drop reasons of pages that are copies of others.
const COPIES: [DropReason; 3] =
    [DropReason::DuplicateUrl, DropReason::DuplicateText, DropReason::DuplicateArticle];

/// Articles that are marked as copies of others, and pages that were dropped as such.
fn duplicates(html: &mut Html, ledger: &Ledger) {
    let of = |reason: &DropReason| ledger.drops.get(reason.as_str()).copied().unwrap_or(0);
    let named = COPIES.iter().filter(|reason| of(reason) > 0);
    let named: Vec<String> =
        named.map(|reason| format!("{} {}", reason.as_str(), grouped(of(reason)))).collect();
    html.raw("<h3>Duplicates</h3>\n");
    if ledger.counts.duplicates > 0 {
        let marked = count(ledger.counts.duplicates as usize, "article");
        let text = format!("{marked} marked as copies of others (duplicate_of).");
        html.element("<p class=\"more\">", &text, "</p>\n");
    }
    if named.is_empty() {
        html.raw("<p class=\"more\">No page was dropped as a copy of another.</p>\n");
        return;
    }
    let all: u64 = COPIES.iter().map(of).sum();
    let text = format!(
        "{} dropped as copies of others: {}.",
        count(all as usize, "page"),
        named.join(", ")
    );
    html.element("<p class=\"more\">", &text, "</p>\n");
}

/// Drops by reason.
pub(super) fn left_out(html: &mut Html, ledger: &Ledger) {
    html.raw("<section class=\"figure wide\">\n<h2>Dropped</h2>\n");
    let unlisted = [&[DropReason::OtherRecord], &DropReason::NOT_CHOSEN[..]].concat();
    let is_listed = |name: &str| unlisted.iter().all(|reason| reason.as_str() != name);
    let mut drops: Vec<(&str, u64)> =
        ledger.drops.iter().map(|(reason, &n)| (reason.as_str(), n)).collect();
    drops.retain(|(reason, n)| is_listed(reason) && *n > 0);
    drops.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let each = drops.into_iter().map(|(reason, n)| Bar {
        name: reason.to_owned(),
        more: meaning(reason).to_owned(),
        amount: n as f64,
        shown: grouped(n),
    });
    let each: Vec<Bar> = each.collect();
    if each.is_empty() {
        html.raw("<p>Every page gave an article.</p>\n");
    } else {
        html.raw("<p>Each with its address in <code>dropped.jsonl</code>.</p>\n");
        bars(html, ["Reason", "Dropped"], &each, 0.0);
    }
    let others = ledger.dropped_for(&[DropReason::OtherRecord]);
    if others > 0 {
        html.raw("<p class=\"more\">Beside them ").text(&count(others as usize, "record"));
        html.raw(" that hold no page: requests, metadata and the like.</p>\n");
    }
    let not_chosen = ledger.dropped_for(&DropReason::NOT_CHOSEN);
    if not_chosen > 0 {
        html.raw("<p class=\"more\">The run took ").text(&ledger.selection().to_string());
        html.raw("; ")
            .text(&count(not_chosen as usize, "other record"))
            .raw(" were not read.</p>\n");
    }
    duplicates(html, ledger);
    html.raw("</section>\n");
}

/// The meaning of a drop reason; empty for an unknown one.
fn meaning(reason: &str) -> &'static str {
    let known = DropReason::ALL.iter().find(|known| known.as_str() == reason);
    known.map_or("", |known| known.meaning())
}

/// Time by stage.
pub(super) fn stages(html: &mut Html, ledger: &Ledger) {
    html.raw("<section class=\"figure full\">\n<h2>Time by stage</h2>\n<p>");
    html.text(&format!("{} in all; ", duration(ledger.seconds)));
    html.raw("stages run beside each other, and each is summed over the threads.</p>\n");
    let place = |stage: &str| STAGES.iter().position(|(known, _)| *known == stage);
    let mut stages: Vec<(&str, f64)> =
        ledger.stage_seconds.iter().map(|(stage, &seconds)| (stage.as_str(), seconds)).collect();
    stages.sort_by_key(|(stage, _)| place(stage).unwrap_or(STAGES.len()));
    let each = stages.into_iter().map(|(stage, seconds)| Bar {
        // In `1-read`, the number gives only the order.
        name: stage.split_once('-').map_or(stage, |(_, name)| name).to_owned(),
        more: place(stage).map_or("", |at| STAGES[at].1).to_owned(),
        amount: seconds,
        shown: duration(seconds),
    });
    bars(html, ["Stage", "Time"], &each.collect::<Vec<_>>(), 0.0);
    html.raw("</section>\n");
}

/// The task of each stage, in order.
const STAGES: [(&str, &str); 10] = [
    ("1-read", "archives, files and feeds"),
    ("2-group", "pages by site"),
    ("3-parse", "HTML into trees"),
    ("3-cluster", "pages grouped by layout"),
    ("4-signify", "signifiers of each page"),
    ("5-rank", "structural patterns ranked"),
    ("6-wrap", "wrappers generated and tested"),
    ("7-extract", "text, HTML, metadata"),
    ("8-compare", "articles that are the same"),
    ("8-emit", "files written"),
];

/// The inputs, collapsed.
pub(super) fn inputs(html: &mut Html, ledger: &Ledger) {
    html.raw("<details class=\"inputs\"><summary>Inputs (");
    html.text(&grouped(ledger.inputs.len() as u64)).raw(")</summary>\n");
    html.raw(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Inputs\"><table>\n",
    );
    html.raw("<thead><tr><th scope=\"col\">file</th><th scope=\"col\">size</th>");
    html.raw("<th scope=\"col\">records</th><th scope=\"col\">HTML of pages</th></tr></thead>\n");
    html.raw("<tbody>\n");
    for input in ledger.inputs.iter().take(LISTED) {
        html.element("<tr><th scope=\"row\"><bdi>", &input.file, "</bdi></th>");
        html.element("<td>", &shown(input.bytes), "</td>");
        html.element("<td>", &grouped(input.records.values().sum()), "</td>");
        html.element("<td>", &shown(input.html_bytes), "</td></tr>\n");
    }
    html.raw("</tbody>\n</table></div>\n");
    if ledger.inputs.len() > LISTED {
        let more = count(ledger.inputs.len() - LISTED, "more input");
        html.element("<p class=\"more\">", &more, " in ledger.json.</p>\n");
    }
    html.raw("</details>\n");
}
