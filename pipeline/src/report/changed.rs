//! The sites that changed since an earlier night: their templates before and after, side by side.

use model::{PageReading, SiteChange, TemplateChange};

use super::rows::{Rows, short};
use crate::html::Html;
use crate::numerals::{count, grouped};

/// A section about sites that changed, if there are any.
pub(super) fn sites(html: &mut Html, rows: &Rows) {
    if rows.changes.is_empty() {
        return;
    }
    html.raw("<section class=\"changes\" aria-labelledby=\"changes\">\n");
    html.element(
        "<h2 id=\"changes\">Sites that changed tonight <small>",
        &all(rows),
        "</small></h2>\n",
    );
    html.raw("<p class=\"more\">Their stored models did not fit any more, or lacked a layout. Each page shown is ");
    html.raw("one of tonight’s, as the model read it before and as it is read now.</p>\n");
    for (site, change) in &rows.changes {
        one(html, site, change);
    }
    if rows.changed > rows.changes.len() {
        let more = count(rows.changed - rows.changes.len(), "more site");
        html.element("<p class=\"more\">", &more, ", in <code>health.jsonl</code>.</p>\n");
    }
    html.raw("</section>\n");
}

fn all(rows: &Rows) -> String {
    count(rows.changed, "site")
}

fn one(html: &mut Html, site: &str, change: &SiteChange) {
    html.element("<h3><bdi>", site, "</bdi> ");
    html.raw("<span class=\"verdict ").text(change.verdict.as_str()).raw("\">");
    html.text(change.verdict.as_str()).raw("</span></h3>\n<p class=\"more\">");
    let night = if change.night.is_empty() { "" } else { ", " };
    html.text(&format!(
        "{}; now revision {}{night}{}",
        change.reason, change.model_revision, change.night
    ));
    html.raw("</p>\n");
    for template in &change.templates {
        of_template(html, template);
    }
}

fn of_template(html: &mut Html, change: &TemplateChange) {
    html.raw("<h4>Template <code>").text(&change.template).raw("</code> on ");
    html.text(&count(change.pages as usize, "page")).raw(", here ");
    html.element("<span class=\"address\" dir=\"ltr\">", &change.url, "</span>");
    html.raw("</h4>\n<div class=\"pair\">\n");
    side(html, "Before", change.before.as_ref());
    side(html, "Now", Some(&change.after));
    html.raw("</div>\n");
}

fn side(html: &mut Html, name: &'static str, reading: Option<&PageReading>) {
    html.raw("<div class=\"side\">\n<h5>").raw(name).raw("</h5>\n");
    let Some(reading) = reading else {
        html.raw("<p class=\"more\">The model had no template for this page.</p>\n</div>\n");
        return;
    };
    if reading.content.is_empty() {
        html.raw("<p class=\"more\">No wrapper</p>\n");
    } else {
        html.raw("<p class=\"paths\">");
        for path in &reading.content {
            html.element("<code>", &short(path), "</code>");
        }
        for path in &reading.prune {
            html.element("<code class=\"without\">", &short(path), "</code>");
        }
        html.raw("</p>\n");
    }
    match reading.confidence {
        Some(confidence) => {
            let letters = grouped(reading.characters);
            let facts = format!("{letters} characters, confidence {confidence:.2}");
            html.element("<p class=\"more\">", &facts, "</p>\n");
        }
        None => {
            html.raw("<p class=\"more\">No article</p>\n");
        }
    }
    if !reading.text.is_empty() {
        html.element("<blockquote dir=\"auto\">", &reading.text, "</blockquote>\n");
    }
    html.raw("</div>\n");
}
