//! Histograms as SVG, with their figures in a collapsed table.

use crate::html::Html;
use crate::numerals::{grouped, percent};

/// A class of a histogram; all classes have the same width.
pub(super) struct Class {
    /// Its range, e.g. `0.85 to 0.90`.
    pub(super) name: String,
    pub(super) amount: u64,
}

/// A mark of the horizontal axis: the number of classes before it, and its text.
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) text: String,
}

/// A histogram.
pub(super) struct Histogram {
    /// Its id on the page.
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// A description of one or two sentences, also for screen readers.
    pub(super) summary: String,
    /// What is counted, e.g. `articles`.
    pub(super) counted: &'static str,
    /// The variable, e.g. `confidence`.
    pub(super) axis: &'static str,
    pub(super) classes: Vec<Class>,
    pub(super) ticks: Vec<Tick>,
}

/// Size of the picture and its margins, in units of approximately one pixel.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 232.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 46.0;
/// Approximate width of a digit.
const DIGIT: f64 = 7.6;
/// Space between bars.
const GAP: f64 = 1.5;

/// Writes the histogram with its heading and table.
pub(super) fn histogram(html: &mut Html, chart: &Histogram) {
    html.raw("<section class=\"figure\">\n<h2>").raw(chart.title).raw("</h2>\n");
    html.element("<p>", &chart.summary, "</p>\n");
    let most = chart.classes.iter().map(|class| class.amount).max().unwrap_or(0);
    if most == 0 {
        html.raw("</section>\n");
        return;
    }
    picture(html, chart, most);
    figures(html, chart);
    html.raw("</section>\n");
}

fn picture(html: &mut Html, chart: &Histogram, most: u64) {
    let step = step_of(most);
    let top = most.div_ceil(step) * step;
    let left = 16.0 + DIGIT * grouped(top).len().max(3) as f64;
    let room = [WIDTH - left - RIGHT, HEIGHT - TOP - BOTTOM];
    let y_of = |amount: u64| TOP + room[1] * (1.0 - amount as f64 / top as f64);
    let wide = room[0] / chart.classes.len() as f64;

    html.raw("<svg class=\"chart\" role=\"img\" focusable=\"false\"");
    labelled(html, chart);
    numbers(html, &[("width", WIDTH), ("height", HEIGHT)]);
    html.raw(" viewBox=\"0 0 360 232\">\n<title id=\"").raw(chart.id).raw("-title\">");
    html.raw(chart.title).raw("</title><desc id=\"").raw(chart.id).raw("-desc\">");
    html.text(&chart.summary).raw("</desc>\n");
    for amount in (0..=top / step).map(|n| n * step) {
        let class = if amount == 0 { " class=\"axis\"" } else { " class=\"grid\"" };
        html.raw("<line").raw(class);
        let y = y_of(amount);
        numbers(html, &[("x1", left), ("x2", WIDTH - RIGHT), ("y1", y), ("y2", y)]);
        html.raw("/>");
        words(html, "end", left - 7.0, y + 4.0, &grouped(amount));
    }
    words(html, "start", 4.0, 12.0, chart.counted);
    for (at, class) in chart.classes.iter().enumerate().filter(|(_, class)| class.amount > 0) {
        // Small amounts stay visible.
        let high = (room[1] * class.amount as f64 / top as f64).max(1.0);
        let x = left + wide * at as f64 + GAP / 2.0;
        html.raw("<rect");
        let (y, width) = (TOP + room[1] - high, wide - GAP);
        numbers(html, &[("x", x), ("y", y), ("width", width), ("height", high)]);
        html.raw("><title>").text(&class.name).text(&format!(": {} ", grouped(class.amount)));
        html.raw(chart.counted).raw("</title></rect>");
    }
    for tick in &chart.ticks {
        let x = fitting(left + wide * tick.at, &tick.text);
        words(html, "middle", x, HEIGHT - BOTTOM + 17.0, &tick.text);
    }
    words(html, "middle", left + room[0] / 2.0, HEIGHT - 7.0, chart.axis);
    html.raw("</svg>\n");
}

/// The position of the middle of a text such that it does not leave the picture on the right.
fn fitting(middle: f64, text: &str) -> f64 {
    middle.min(WIDTH - DIGIT * text.chars().count() as f64 / 2.0)
}

fn labelled(html: &mut Html, chart: &Histogram) {
    html.raw(" aria-labelledby=\"").raw(chart.id).raw("-title\" aria-describedby=\"");
    html.raw(chart.id).raw("-desc\"");
}

fn numbers(html: &mut Html, attributes: &[(&'static str, f64)]) {
    for (name, value) in attributes {
        html.raw(" ").raw(name).raw("=\"").text(&format!("{value:.1}")).raw("\"");
    }
}

fn words(html: &mut Html, anchor: &'static str, x: f64, y: f64, text: &str) {
    html.raw("<text text-anchor=\"").raw(anchor).raw("\"");
    numbers(html, &[("x", x), ("y", y)]);
    html.element(">", text, "</text>\n");
}

/// Distance of the marks of the vertical axis: 1, 2 or 5 times a power of ten, so that there are
/// three to five marks.
fn step_of(most: u64) -> u64 {
    let mut unit = 1;
    loop {
        for step in [1, 2, 5].map(|n| n * unit) {
            if most <= 5 * step {
                return step;
            }
        }
        unit *= 10;
    }
}

fn figures(html: &mut Html, chart: &Histogram) {
    let all: u64 = chart.classes.iter().map(|class| class.amount).sum();
    html.raw("<details class=\"numbers\"><summary>As numbers</summary>\n<table>\n<thead><tr>");
    html.raw("<th scope=\"col\">").raw(chart.axis).raw("</th><th scope=\"col\">");
    html.raw(chart.counted).raw("</th><th scope=\"col\">share</th></tr></thead>\n<tbody>\n");
    for class in chart.classes.iter().filter(|class| class.amount > 0) {
        html.element("<tr><th scope=\"row\">", &class.name, "</th><td>");
        html.text(&grouped(class.amount)).raw("</td><td>");
        html.text(&percent(class.amount as f64, all as f64)).raw("</td></tr>\n");
    }
    html.raw("</tbody>\n</table></details>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_at_the_end_stay_in_the_picture() {
        assert!(fitting(WIDTH - RIGHT, "10,000") + 3.0 * DIGIT <= WIDTH);
        assert_eq!(fitting(WIDTH - RIGHT, "1.0"), WIDTH - RIGHT);
        assert_eq!(fitting(100.0, "10,000"), 100.0);
    }

    #[test]
    fn axes_have_few_round_marks() {
        let steps = [1, 5, 6, 10, 11, 25, 26, 99, 500, 501, 34_567].map(step_of);
        assert_eq!(steps, [1, 1, 2, 2, 5, 5, 10, 20, 100, 200, 10_000]);
    }
}
