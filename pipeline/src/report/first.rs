//! What to look at first: the articles with the lowest confidence, and the templates with little evidence.

use model::{WeakTemplate, WorstArticle};

use super::rows::{Listed, Rows, Weakness, disagreeing};
use super::table::name;
use crate::html::Html;
use crate::numerals::{count, grouped};
use sink::Ledger;

/// Confidence below which an article or a wrapper is shown as the worst kind.
const LOW: f64 = 0.5;
/// Number of rows that are shown at first; the rest is folded away.
const OPEN: usize = 10;
/// Distance of kinds of weakness in the column that is sorted by them: more than any number of pages held back.
const KIND: i64 = 1 << 33;

/// The section; left out if there is nothing to see.
pub(super) fn look(html: &mut Html, ledger: &Ledger, rows: &Rows) {
    let totals = &rows.totals;
    if totals.articles == 0 || (totals.fields.is_empty() && totals.months.is_empty()) {
        return;
    }
    html.raw("<section class=\"first\" aria-labelledby=\"first\">\n");
    html.raw("<h2 id=\"first\">Look at these first</h2>\n");
    articles(html, ledger, rows);
    templates(html, rows, ledger.doubtful_below);
    html.raw("</section>\n");
}

fn articles(html: &mut Html, ledger: &Ledger, rows: &Rows) {
    if rows.worst.is_empty() {
        let text = format!(
            "No article is doubtful: no confidence is below the threshold of {}.",
            ledger.doubtful_below
        );
        html.element("<p class=\"fine\">", &text, "</p>\n");
        return;
    }
    let shown = rows.worst.len();
    html.raw("<h3>Doubtful articles</h3>\n<p class=\"more\">");
    let doubtful = rows.totals.doubtful as usize;
    html.text(&match doubtful > shown {
        true => format!(
            "The {shown} with the lowest confidence of {}, at most three of a site. All have ",
            grouped(doubtful as u64)
        ),
        false => format!("{}. In articles.jsonl they have ", count(shown, "article")),
    });
    html.raw("<code>\"doubtful\": true</code>.</p>\n");
    let heads = ["Article", "Confidence", "Site name", "Characters", "Route", "Template"];
    folded(html, "Doubtful articles", heads, 1, &rows.worst, article);
}

fn article(html: &mut Html, listed: &Listed<WorstArticle>) {
    let Listed { site, page, of } = listed;
    let title = of.title.as_deref().unwrap_or("(without a title)");
    by(html, "<th scope=\"row\"", title).element("<bdi>", title, "</bdi>");
    html.raw("<small>").address(&of.url).raw("</small></th>");
    confidence(html, of.confidence, f64::INFINITY);
    by(html, "<td", site);
    name(html, site, page.as_deref());
    html.raw("</td>");
    figure(html, of.characters as u64);
    html.element("<td>", &of.route, "</td>");
    html.element("<td><code>", &of.template, "</code></td>");
}

fn templates(html: &mut Html, rows: &Rows, below: f64) {
    if rows.weak.is_empty() {
        html.raw("<p class=\"fine\">Every wrapper has enough evidence.</p>\n");
        return;
    }
    html.raw("<h3>Templates with little evidence</h3>\n<p class=\"more\">");
    let (shown, all) = (rows.weak.len() as u64, rows.totals.weak);
    if all > shown {
        html.text(&format!("The first {shown} of {}. ", grouped(all)));
    }
    html.raw("Of article pages: half or fewer of the pages held back agree with the wrapper, there is no ");
    html.raw("wrapper, or it was learnt from one or two pages.</p>\n");
    let heads = ["Template", "Evidence", "Site name", "Pages", "Learnt from", "Confidence"];
    folded(html, "Templates with little evidence", heads, 1, &rows.weak, |html, own| {
        template(html, own, below)
    });
}

fn template(html: &mut Html, listed: &Listed<WeakTemplate>, below: f64) {
    let Listed { site, page, of } = listed;
    by(html, "<th scope=\"row\"", &of.template).element("<code>", &of.template, "</code>");
    if !of.example.is_empty() {
        html.raw("<small>").address(&of.example).raw("</small>");
    }
    html.raw("</th>");
    let weakness = Weakness::of(of);
    let (class, text) = match weakness {
        Weakness::Disagrees if of.held_back_agreeing == 0 => {
            ("<td class=\"low\"", format!("0 of {} held back agree", of.held_back))
        }
        Weakness::Disagrees => {
            let (agreeing, all) = (of.held_back_agreeing, of.held_back);
            ("<td class=\"middling\"", format!("{agreeing} of {all} held back agree"))
        }
        Weakness::NoWrapper => ("<td class=\"middling\"", "no wrapper".to_owned()),
        Weakness::FewPages => ("<td", "few pages".to_owned()),
    };
    by(html, class, &(i64::from(weakness as u8) * KIND - i64::from(disagreeing(of))).to_string());
    html.text(&text).raw("</td>");
    by(html, "<td", site);
    name(html, site, page.as_deref());
    html.raw("</td>");
    figure(html, of.pages as u64);
    if of.wrapper {
        figure(html, of.learnt_from.into());
        confidence(html, of.confidence, below);
    } else {
        html.raw("<td>–</td><td>–</td>");
    }
}

/// Opens a cell with the value that it is sorted by.
fn by<'a>(html: &'a mut Html, open: &'static str, value: &str) -> &'a mut Html {
    html.raw(open).raw(" data-by=\"").text(value).raw("\">")
}

fn figure(html: &mut Html, number: u64) {
    by(html, "<td", &number.to_string()).text(&grouped(number)).raw("</td>");
}

/// A confidence, coloured if it is low or below the threshold of doubtful ones.
fn confidence(html: &mut Html, value: f64, below: f64) {
    let open = match value {
        low if low < LOW => "<td class=\"low\"",
        doubtful if doubtful < below => "<td class=\"middling\"",
        _ => "<td",
    };
    by(html, open, &value.to_string()).text(&format!("{value:.2}")).raw("</td>");
}

/// A table that the script makes sortable, at first by the column `sorted`; rows after the first few are folded away
/// by the script, which shows them on request.
pub(super) fn folded<T>(
    html: &mut Html,
    label: &'static str,
    heads: [&'static str; 6],
    sorted: usize,
    rows: &[T],
    cells: impl Fn(&mut Html, &T),
) {
    html.raw("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"").raw(label);
    html.raw("\">\n<table class=\"sortable\" data-open=\"").text(&OPEN.to_string()).raw("\">\n");
    html.raw("<thead><tr>");
    for (at, head) in heads.into_iter().enumerate() {
        html.raw("<th scope=\"col\"").raw(if at == sorted {
            " aria-sort=\"ascending\">"
        } else {
            ">"
        });
        html.raw(head).raw("</th>");
    }
    html.raw("</tr></thead>\n<tbody>\n");
    for row in rows {
        html.raw("<tr>");
        cells(html, row);
        html.raw("</tr>\n");
    }
    html.raw("</tbody>\n</table>\n</div>\n");
}
