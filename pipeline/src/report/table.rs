//! The table of sites: the first rows as markup, for browsers without scripts, and all rows as data for the
//! script that sorts and filters. `script.js` writes rows like these.

use std::path::Path;

use super::bars::meter;
use super::rows::{Pages, Row, Rows};
use crate::html::{Html, plain};
use crate::numerals::{count, grouped};

/// Number of rows per page; the script has the same number.
const SHOWN: usize = 100;

/// A column: its heading and description.
struct Column {
    head: &'static str,
    says: &'static str,
}

/// The columns, in order; the script uses their indices.
const COLUMNS: [Column; 9] = [
    Column {
        head: "Site",
        says: "Registrable domain, or folder of files. Below it the wrapper that gave the most of its \
               articles, in short: .name is a class, #name an id.",
    },
    Column { head: "Articles", says: "Articles found." },
    Column { head: "Confidence", says: "Mean over its articles." },
    Column {
        head: "Doubtful",
        says: "Articles whose confidence is below the threshold of the settings.",
    },
    Column {
        head: "Boilerplate",
        says: "Share of characters that were removed from the pages with an article: menus, teasers, \
               notices.",
    },
    Column { head: "Pages", says: "Pages that reached the site." },
    Column {
        head: "Dropped",
        says: "Pages of the site without an article, such as lists; reasons are in dropped.jsonl.",
    },
    Column {
        head: "Layouts",
        says: "Number of templates: kinds of pages, distinguished by their markup.",
    },
    Column {
        head: "Support",
        says: "Pages that the wrapper was learnt from, and the share of held-back pages on which a \
               wrapper learnt without them selects the same.",
    },
];

/// The table with its controls and data.
pub(super) fn sites(html: &mut Html, run: &Path, rows: &Rows) {
    html.raw("<section id=\"sites\" aria-labelledby=\"sites-head\">\n<h2 id=\"sites-head\">Sites");
    html.raw("</h2>\n");
    command(html, run, rows);
    controls(html);
    let all = rows.totals.sites as usize;
    html.raw("<p class=\"more\" id=\"beginning\">");
    match all {
        0..=SHOWN => html.text(&count(all, "site")),
        _ => html.text(&format!(
            "The {SHOWN} of {} with the most articles. To see, sort and search all of them, let the \
             script of this page run.",
            count(all, "site")
        )),
    };
    html.raw("</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Sites\">\n");
    html.raw("<table id=\"table\">\n<thead><tr>");
    for (at, column) in COLUMNS.iter().enumerate() {
        html.raw("<th scope=\"col\" title=\"").raw(column.says).raw("\"");
        html.raw(if at == 1 { " aria-sort=\"descending\">" } else { ">" });
        html.raw(column.head).raw("</th>");
    }
    html.raw("</tr></thead>\n<tbody>\n");
    for row in rows.rows.iter().take(SHOWN) {
        one(html, row);
    }
    html.raw("</tbody>\n</table>\n</div>\n");
    html.raw("<nav id=\"turn\" aria-label=\"Pages of the table\" hidden></nav>\n");
    if rows.rows.len() < all {
        html.raw("<p class=\"more\">The table has the ").text(&count(rows.rows.len(), "site"));
        html.raw(" with the most articles; all are in <code>report/sites.jsonl</code>.</p>\n");
    }
    html.raw("<details class=\"says\"><summary>What the columns say</summary>\n<dl>\n");
    for column in COLUMNS {
        html.raw("<dt>").raw(column.head).raw("</dt><dd>").raw(column.says).raw("</dd>\n");
    }
    html.raw("</dl></details>\n</section>\n");
}

/// The command that creates the single-site pages, if they are missing.
fn command(html: &mut Html, run: &Path, rows: &Rows) {
    match rows.pages {
        Pages::All => {
            html.raw(
                "<p>A site's name leads to its page: what was learnt of it, and how its pages ",
            );
            html.raw("read.</p>\n");
            return;
        }
        Pages::Some => html.raw("<p>Some names lead to a page of their site. For all of them:"),
        Pages::None if rows.rows.is_empty() => return,
        Pages::None => {
            html.raw("<p>For a page about each site, what was learnt of it and how its pages read:")
        }
    };
    let command = format!("sitegrove inspect {} --all", quoted(&run.to_string_lossy()));
    html.raw(" <code class=\"command\">").text(&command).raw("</code></p>\n");
}

/// A path quoted for a shell.
fn quoted(path: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || "/._-+:,@%".contains(c);
    if !path.is_empty() && !path.starts_with('-') && path.chars().all(bare) {
        return path.to_owned();
    }
    let path = if path.starts_with('-') { format!("./{path}") } else { path.to_owned() };
    format!("'{}'", path.replace('\'', "'\\''"))
}

/// Controls, which the script makes visible.
fn controls(html: &mut Html) {
    html.raw("<div class=\"controls\" id=\"controls\" hidden>\n");
    html.raw("<label>Find <input type=\"search\" id=\"find\" autocomplete=\"off\" ");
    html.raw("spellcheck=\"false\" placeholder=\"part of a name\"></label>\n");
    html.raw("<label>Show <select id=\"only\" autocomplete=\"off\"><option value=\"all\">all sites</option>");
    html.raw("<option value=\"doubtful\">with doubtful articles</option>");
    html.raw("<option value=\"alone\">without a wrapper</option>");
    html.raw("<option value=\"empty\">without articles</option></select></label>\n");
    html.raw("<p id=\"found\" role=\"status\"></p>\n</div>\n");
}

/// The name of a site, as a link to its page if there is one.
pub(super) fn name(html: &mut Html, site: &str, page: Option<&str>) {
    match page {
        Some(page) => {
            html.raw("<a href=\"sites/").text(&address_of(page)).raw(".html\">");
            html.element("<bdi>", site, "</bdi></a>");
        }
        None => {
            html.element("<bdi>", site, "</bdi>");
        }
    }
}

fn one(html: &mut Html, row: &Row) {
    html.raw("<tr><th scope=\"row\">");
    name(html, &row.site, row.page.as_deref());
    html.element("<code>", best_of(row), "</code></th>");
    let figure = |html: &mut Html, number: usize| {
        html.element("<td>", &grouped(number as u64), "</td>");
    };
    figure(html, row.articles);
    share(html, row.confidence, |share| format!("{:.2}", (share * 100.0).round() / 100.0));
    figure(html, row.doubtful);
    share(html, row.boilerplate, |share| format!("{} %", (share * 100.0).round()));
    for number in [row.pages, row.left_out, row.layouts] {
        figure(html, number);
    }
    html.element("<td>", &support_of(row), "</td>");
    html.raw("</tr>\n");
}

/// A share as a number with a bar.
fn share(html: &mut Html, share: Option<f64>, shown: impl Fn(f64) -> String) {
    let Some(share) = share else {
        html.raw("<td>–</td>");
        return;
    };
    html.element("<td><span>", &shown(share), "</span>");
    meter(html, share * 100.0, true);
    html.raw("</td>");
}

fn best_of(row: &Row) -> &str {
    match (row.expressions.as_str(), row.articles) {
        ("", 0) => "(no articles)",
        ("", _) => "(no wrapper)",
        (expressions, _) => expressions,
    }
}

fn support_of(row: &Row) -> String {
    match row.support {
        None => "–".to_owned(),
        Some([learnt_from, 0, _]) => count(learnt_from as usize, "page"),
        Some([learnt_from, held_back, agreeing]) => {
            format!("{}, {agreeing} of {held_back}", count(learnt_from as usize, "page"))
        }
    }
}

/// A file name as part of an address. Of the characters in such names only `%` has a meaning there.
fn address_of(name: &str) -> String {
    name.replace('%', "%25")
}

/// All rows for the script, each as an array.
pub(super) fn data(html: &mut Html, rows: &Rows) {
    let row = |row: &Row| {
        let page = row.page.as_deref().map(address_of).unwrap_or_default();
        let figures = [row.articles, row.doubtful, row.pages, row.left_out, row.layouts];
        let (site, best) = (plain(&row.site), plain(best_of(row)));
        (site, page, figures, row.confidence, row.boilerplate, row.support, best)
    };
    let all: Vec<_> = rows.rows.iter().map(row).collect();
    html.raw("<script type=\"application/json\" id=\"rows\">").json(&all).raw("</script>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_for_a_shell() {
        assert_eq!(quoted("out/tonight"), "out/tonight");
        assert_eq!(quoted("out/my night"), "'out/my night'");
        assert_eq!(quoted("it's; rm -rf $HOME"), "'it'\\''s; rm -rf $HOME'");
        assert_eq!(quoted("-x"), "'./-x'");
        assert_eq!(quoted(""), "''");
    }
}
