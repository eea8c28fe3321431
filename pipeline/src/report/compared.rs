//! The comparison with an earlier run.

use super::begun;
use super::comparison::{CONFIDENCE, Changed, Comparison, SiteList};
use crate::html::Html;
use crate::numerals::{count, grouped};

/// A section about what differs.
pub(super) fn section(html: &mut Html, compared: &Comparison) {
    let before = &compared.before.run;
    html.raw("<section class=\"compared\" aria-labelledby=\"compared\">\n");
    html.raw("<h2 id=\"compared\">Compared with <bdi>").text(&before.folder);
    html.raw("</bdi> <small>begun ").text(&begun(&before.started)).raw("</small></h2>\n");
    totals(html, compared);
    match &compared.sites {
        None => {
            html.raw("<p class=\"more\">Sites are not compared: one of the runs was made without the output ");
            html.raw("<code>report</code>.</p>\n");
        }
        Some(sites) => {
            list(html, "Sites that changed", &sites.changed);
            list(html, "Sites gained", &sites.gained);
            list(html, "Sites lost", &sites.lost);
            if sites.changed.count + sites.gained.count + sites.lost.count == 0 {
                html.raw(
                    "<p class=\"fine\">The same sites, each with about as many articles.</p>\n",
                );
            }
        }
    }
    html.raw("</section>\n");
}

fn totals(html: &mut Html, compared: &Comparison) {
    html.raw("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Both runs\">\n");
    html.raw(
        "<table class=\"both\">\n<thead><tr><th scope=\"col\"></th><th scope=\"col\">Earlier</th>",
    );
    html.raw(
        "<th scope=\"col\">This run</th><th scope=\"col\">Change</th></tr></thead>\n<tbody>\n",
    );
    let (before, now) = (&compared.before, &compared.now);
    let (was, is) = (&before.run, &now.run);
    for (name, was, is) in [
        ("Articles", was.articles, is.articles),
        ("Doubtful articles", was.doubtful, is.doubtful),
        ("Pages", was.pages, is.pages),
        ("Sites", was.sites, is.sites),
        ("Dropped", was.dropped, is.dropped),
    ] {
        row(html, name, &[grouped(was), grouped(is), difference(was, is)]);
    }
    if let (Some(was), Some(is)) = (before.confidence, now.confidence) {
        let change = format!("{:+.2}", is - was).replace('-', "−");
        row(html, "Mean confidence", &[format!("{was:.2}"), format!("{is:.2}"), change]);
    }
    html.raw("</tbody>\n<tbody>\n");
    let other = model::DropReason::OtherRecord.as_str();
    for drop in compared.drops.iter().filter(|drop| drop.reason != other) {
        let (was, is) = (drop.before, drop.now);
        row(html, &drop.reason, &[grouped(was), grouped(is), difference(was, is)]);
    }
    html.raw("</tbody>\n</table>\n</div>\n");
}

fn row(html: &mut Html, name: &str, cells: &[String; 3]) {
    html.element("<tr><th scope=\"row\">", name, "</th>");
    for cell in cells {
        html.element("<td>", cell, "</td>");
    }
    html.raw("</tr>\n");
}

/// A difference with its share of the earlier number: `−12 (−6 %)`.
fn difference(before: u64, now: u64) -> String {
    let sign = if now < before { "−" } else { "+" };
    let change = before.abs_diff(now);
    match (change, before) {
        (0, _) => "=".to_owned(),
        (_, 0) => format!("{sign}{}", grouped(change)),
        _ => {
            let percent = 100.0 * change as f64 / before as f64;
            let percent = if percent < 1.0 { "<1".to_owned() } else { format!("{percent:.0}") };
            format!("{sign}{} ({sign}{percent} %)", grouped(change))
        }
    }
}

fn list(html: &mut Html, title: &'static str, list: &SiteList) {
    if list.count == 0 {
        return;
    }
    html.raw("<h3>").raw(title).raw(" <small>");
    html.text(&count(list.count as usize, "site")).raw("</small></h3>\n");
    html.raw("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"").raw(title);
    html.raw("\">\n<table class=\"sortable\" data-open=\"10\">\n<thead><tr>");
    for head in ["Name", "Articles", "were", "Doubtful", "were", "Confidence", "was"] {
        html.raw("<th scope=\"col\">").raw(head).raw("</th>");
    }
    html.raw("</tr></thead>\n<tbody>\n");
    list.sites.iter().for_each(|site| one(html, site));
    html.raw("</tbody>\n</table>\n</div>\n");
    if list.count > list.sites.len() as u64 {
        let shown = grouped(list.sites.len() as u64);
        html.element("<p class=\"more\">The ", &shown, " with the largest difference.</p>\n");
    }
}

fn one(html: &mut Html, site: &Changed) {
    html.raw("<tr><th scope=\"row\" data-by=\"").text(&site.site).raw("\">");
    html.element("<bdi>", &site.site, "</bdi></th>");
    let [was, is] = site.articles;
    figure(html, is, is < was);
    figure(html, was, false);
    let [was, is] = site.doubtful;
    figure(html, is, is > was);
    figure(html, was, false);
    let [was, is] = site.confidence;
    confidence(html, is, matches!((was, is), (Some(was), Some(is)) if was - is >= CONFIDENCE));
    confidence(html, was, false);
    html.raw("</tr>\n");
}

fn figure(html: &mut Html, number: usize, is_worse: bool) {
    html.raw(open(is_worse)).raw(" data-by=\"").text(&number.to_string()).raw("\">");
    html.text(&grouped(number as u64)).raw("</td>");
}

fn confidence(html: &mut Html, value: Option<f64>, is_worse: bool) {
    let Some(value) = value else {
        html.raw("<td>–</td>");
        return;
    };
    html.raw(open(is_worse)).raw(" data-by=\"").text(&value.to_string()).raw("\">");
    html.text(&format!("{value:.2}")).raw("</td>");
}

fn open(is_worse: bool) -> &'static str {
    if is_worse { "<td class=\"low\"" } else { "<td" }
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn differences_have_signs_and_shares() {
        for (before, now, shown) in [
            (10, 10, "="),
            (0, 3, "+3"),
            (200, 188, "−12 (−6 %)"),
            (1000, 1001, "+1 (+<1 %)"),
            (4, 0, "−4 (−100 %)"),
        ] {
            assert_eq!(difference(before, now), shown);
        }
    }
}
