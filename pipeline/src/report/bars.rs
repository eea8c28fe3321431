//! Amounts as a table with bars that is readable without the bars too.

use crate::html::Html;

/// One bar.
pub(super) struct Bar {
    /// Its name.
    pub(super) name: String,
    /// Additional text, shown small below the name; may be empty.
    pub(super) more: String,
    /// Its length.
    pub(super) amount: f64,
    /// The amount as text.
    pub(super) shown: String,
}

/// A table of bars; the longest has the full width, or `all` if that is more. `heads` are for screen readers.
pub(super) fn bars(html: &mut Html, heads: [&'static str; 2], bars: &[Bar], all: f64) {
    let longest = bars.iter().map(|bar| bar.amount).fold(all, f64::max);
    html.raw("<table class=\"bars\">\n<colgroup><col><col></colgroup>\n<thead class=\"unseen\"><tr><th scope=\"col\">");
    html.raw(heads[0]).raw("</th><th scope=\"col\">").raw(heads[1]).raw("</th></tr></thead>\n");
    html.raw("<tbody>\n");
    for bar in bars {
        html.element("<tr><th scope=\"row\"><bdi>", &bar.name, "</bdi>");
        if !bar.more.is_empty() {
            html.element("<small>", &bar.more, "</small>");
        }
        html.raw("</th><td>");
        let share = if longest > 0.0 { 100.0 * bar.amount / longest } else { 0.0 };
        meter(html, share, false);
        html.element("<span>", &bar.shown, "</span></td></tr>\n");
    }
    html.raw("</tbody>\n</table>\n");
}

/// A bar that fills a share of its space, in percent; `track` shows the space too.
pub(super) fn meter(html: &mut Html, percent: f64, track: bool) {
    html.raw("<svg class=\"meter\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" ");
    html.raw("aria-hidden=\"true\" focusable=\"false\">");
    if track {
        html.raw("<rect class=\"track\" width=\"100\" height=\"8\"/>");
    }
    html.raw("<rect width=\"").text(&format!("{percent:.1}")).raw("\" height=\"8\"/></svg>");
}
