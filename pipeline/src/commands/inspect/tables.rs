//! Tables of patterns.

use grove::Decision;
use sink::PatternRecord;

use super::evidence::{PatternRow, PatternTable};
use super::words::why;
use crate::html::Html;
use crate::numerals::{count, percent};

/// Maximum number of rows per decision.
const ROWS: usize = 15;
const ROWS_OUTSIDE: usize = 10;

/// The patterns in a wrapper file, with their scores (Forest, equations 2 to 5).
pub(super) fn ranked_patterns(html: &mut Html, patterns: &[PatternRecord]) {
    html.raw("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Ranked patterns\"><table>\n");
    html.raw("<thead><tr><th scope=\"col\">Pattern</th><th scope=\"col\">Level</th><th scope=\"col\">Pages</th>");
    html.raw(
        "<th scope=\"col\"><abbr title=\"signifiers in its text, over all pages\">x</abbr></th>",
    );
    html.raw(
        "<th scope=\"col\"><abbr title=\"other terms in its text, over all pages\">y</abbr></th>",
    );
    html.raw("<th scope=\"col\"><abbr title=\"density of signifiers\">J</abbr></th>");
    html.raw("<th scope=\"col\"><abbr title=\"unexpectedness, in nats\">U</abbr></th>");
    html.raw("<th scope=\"col\"><abbr title=\"informativeness\">I</abbr></th>");
    html.raw("<th scope=\"col\">Relevance</th></tr></thead>\n<tbody>\n");
    for pattern in patterns {
        html.element("<tr><th scope=\"row\"><code>", &pattern.element, "</code></th>");
        for number in [pattern.level, pattern.pages, pattern.x, pattern.y] {
            html.element("<td>", &number.to_string(), "</td>");
        }
        for (number, decimals) in
            [(pattern.j, 4), (pattern.u, 1), (pattern.i, 2), (pattern.relevance, 1)]
        {
            html.element("<td>", &format!("{number:.decimals$}"), "</td>");
        }
        html.raw("</tr>\n");
    }
    html.raw("</tbody></table></div>\n");
}

/// The patterns that the default engine decided on, pooled over the siblings.
pub(super) fn pattern_table(html: &mut Html, table: &PatternTable) {
    html.raw("<h3>Patterns kept and pruned</h3>\n<p>Judged over ");
    html.text(&count(table.siblings, "sibling page"));
    html.raw(
        "; the weightiest first. The score is the mean over the words of all its blocks; from ",
    );
    html.text(&format!("{:.2} on, the threshold, a word reads like the article.", table.threshold));
    html.raw("</p>\n");
    let of = |decision: Decision| -> Vec<&PatternRow> {
        table.rows.iter().filter(|row| row.decision == decision).collect()
    };
    for (name, rows) in [("Kept", of(Decision::Keep)), ("Pruned", of(Decision::Prune))] {
        html.raw("<h4>").raw(name).raw("</h4>\n");
        if rows.is_empty() {
            html.raw("<p>None.</p>\n");
        } else {
            rows_of(html, &rows, table, ROWS);
        }
    }
    let outside = of(Decision::Outside);
    if !outside.is_empty() {
        html.raw("<details><summary>Left outside: ").text(&count(outside.len(), "pattern"));
        html.raw("</summary>\n");
        rows_of(html, &outside, table, ROWS_OUTSIDE);
        html.raw("</details>\n");
    }
}

fn rows_of(html: &mut Html, rows: &[&PatternRow], table: &PatternTable, most: usize) {
    html.raw(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Patterns\"><table class=\"judged\">\n",
    );
    html.raw("<thead><tr><th scope=\"col\">Pattern</th><th scope=\"col\">Score</th><th scope=\"col\">Siblings</th>");
    html.raw("<th scope=\"col\">Blocks</th><th scope=\"col\">Words</th><th scope=\"col\" class=\"why\">Why</th></tr></thead>\n<tbody>\n");
    for row in rows.iter().take(most) {
        html.element("<tr><th scope=\"row\"><code>", &row.name, "</code></th>");
        html.element("<td>", &format!("{:.2}", row.score), "</td>");
        let share = percent(row.pages as f64, table.siblings as f64);
        html.element("<td>", &format!("{} ({share})", row.pages), "</td>");
        html.element("<td>", &row.blocks.to_string(), "</td>");
        html.element("<td>", &row.words.to_string(), "</td>");
        html.element("<td class=\"why\">", &why(row, table), "</td></tr>\n");
    }
    html.raw("</tbody></table></div>\n");
    if rows.len() > most {
        let words: u64 = rows[most..].iter().map(|row| u64::from(row.words)).sum();
        html.raw("<p class=\"more\">").text(&count(rows.len() - most, "more pattern"));
        html.text(&format!(" with {words} words together are not shown.")).raw("</p>\n");
    }
}
