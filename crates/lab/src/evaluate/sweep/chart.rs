//! Charts as SVG: text and shapes with classes, and one style sheet with colours for light and dark
//! mode.
//!
//! The colours are from Okabe and Ito, darkened or lightened for the background. Every line also has its own marker and
//! dash pattern, so that lines can be distinguished without colours.

use std::fmt::Write;

use super::plan::SweepFigure;
use super::{Grid, SweepCell};
use crate::evaluate::report::safe;

struct Canvas {
    width: f64,
    height: f64,
    body: String,
}

/// The area between the axes.
#[derive(Clone, Copy)]
struct Plot {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    /// The shares at the lower and at the upper end of the vertical axis.
    range: (f64, f64),
}

/// The position of a text relative to its point.
#[derive(Clone, Copy)]
enum TextAnchor {
    Start,
    Middle,
    End,
}

pub(super) fn draw(grid: &Grid, figure: SweepFigure) -> String {
    match figure {
        SweepFigure::Lines { title, x } => draw_lines(grid, title, x),
        SweepFigure::Bars { title } => draw_bars(grid, title),
    }
}

const STYLE: &str = "\
text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:#4d4d4a}
.ground{fill:#fff}
.title{font-size:15px;font-weight:600;fill:#1c1c1a}
.small{font-size:11px}
.grid{stroke:#e3e3df}
.axis{stroke:#8c8c86}
.line{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}
.mark{fill:currentColor;stroke:currentColor}
.c0{color:#0072b2}.c1{color:#d55e00}.c2{color:#008a64}.c3{color:#a63d7d}.c4{color:#6b6b66}.c5{color:#a87400}
@media (prefers-color-scheme:dark){
text{fill:#c3c3bd}
.ground{fill:#17181a}
.title{fill:#f2f2ee}
.grid{stroke:#303134}
.axis{stroke:#7d7d78}
.c0{color:#56b4e9}.c1{color:#f58b45}.c2{color:#2cc79a}.c3{color:#dd8ebd}.c4{color:#b4b4ae}.c5{color:#e6b93c}
}
";

impl Canvas {
    fn new(width: f64, height: f64, title: &str, about: &str) -> Self {
        let mut canvas = Self { width, height, body: String::new() };
        let (title, about) = (safe(title), safe(about));
        canvas.put(format_args!(
            "<title>{title}</title>\n<desc>{about}</desc>\n<style>{STYLE}</style>"
        ));
        canvas.put(format_args!(
            r#"<rect class="ground" width="{width}" height="{height}" rx="6"/>"#
        ));
        canvas.put(format_args!(r#"<text class="title" x="20" y="30">{title}</text>"#));
        canvas.put(format_args!(r#"<text class="small" x="20" y="50">{about}</text>"#));
        canvas
    }

    fn put(&mut self, shape: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "{shape}");
    }

    fn text(&mut self, (x, y): (f64, f64), anchor: TextAnchor, class: &str, text: &str) {
        let anchor = match anchor {
            TextAnchor::Start => "start",
            TextAnchor::Middle => "middle",
            TextAnchor::End => "end",
        };
        let text = safe(text);
        self.put(format_args!(
            r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#
        ));
    }

    fn rule(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        self.put(format_args!(
            r#"<line class="{class}" x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}"/>"#,
            from.0, from.1, to.0, to.1
        ));
    }

    /// Draws the grid lines with their shares in percent, and the horizontal axis.
    fn frame(&mut self, plot: &Plot, step: f64) {
        let steps = ((plot.range.1 - plot.range.0) / step).round() as usize;
        for at in 0..=steps {
            let share = plot.range.0 + step * at as f64;
            let y = plot.y(share);
            let class = if at == 0 { "axis" } else { "grid" };
            self.rule(class, (plot.left, y), (plot.right, y));
            let label = format!("{:.0}", share * 100.0);
            self.text((plot.left - 8.0, y + 4.0), TextAnchor::End, "small", &label);
        }
        let (x, y) = (plot.left - 38.0, (plot.top + plot.bottom) / 2.0);
        self.put(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="middle" transform="rotate(-90 {x:.1} {y:.1})">percent</text>"#
        ));
    }

    fn finish(self) -> String {
        let Self { width, height, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n{body}</svg>\n"
        )
    }
}

impl Plot {
    fn y(&self, share: f64) -> f64 {
        let part = (share - self.range.0) / (self.range.1 - self.range.0);
        self.bottom - part * (self.bottom - self.top)
    }
}

fn about(grid: &Grid) -> String {
    let (groups, pages) = grid.size;
    format!(
        "pairs of consecutive words, title-neutral; mean over {groups} layouts, {pages} pages in all"
    )
}

type CellShare = fn(&SweepCell) -> f64;

const BAR_PARTS: [(&str, CellShare); 3] =
    [("precision", |c| c.precision), ("recall", |c| c.recall), ("F1", |c| c.f1)];

/// Draws all cells, starting at zero, each with its figure.
fn draw_bars(grid: &Grid, title: &str) -> String {
    let plot = Plot { left: 68.0, right: 740.0, top: 112.0, bottom: 372.0, range: (0.0, 1.0) };
    let mut canvas = Canvas::new(760.0, 432.0, title, &about(grid));
    canvas.frame(&plot, 0.2);
    bar_legend(&mut canvas, &plot, grid);
    let block = (plot.right - plot.left) / grid.rows.len() as f64;
    for (at, (name, cells)) in grid.rows.iter().enumerate() {
        let left = plot.left + block * at as f64;
        canvas.text((left + block / 2.0, plot.bottom + 44.0), TextAnchor::Middle, "", name);
        let cluster = block / BAR_PARTS.len() as f64;
        for (part, (label, value)) in BAR_PARTS.iter().enumerate() {
            let middle = left + cluster * (part as f64 + 0.5);
            canvas.text((middle, plot.bottom + 19.0), TextAnchor::Middle, "small", label);
            let shares: Vec<f64> = cells.iter().map(value).collect();
            bars(&mut canvas, &plot, middle, cluster * 0.84, &shares);
        }
    }
    canvas.finish()
}

fn bars(canvas: &mut Canvas, plot: &Plot, middle: f64, width: f64, shares: &[f64]) {
    let pitch = width / shares.len() as f64;
    for (column, &share) in shares.iter().enumerate() {
        let x = middle - width / 2.0 + pitch * column as f64;
        let y = plot.y(share);
        canvas.put(format_args!(
            r#"<rect class="mark c{column}" stroke-width="0" x="{:.1}" y="{y:.1}" width="{:.1}" height="{:.1}"/>"#,
            x + 1.5,
            pitch - 3.0,
            plot.bottom - y
        ));
        let label = format!("{:.1}", share * 100.0);
        canvas.text((x + pitch / 2.0, y - 5.0), TextAnchor::Middle, "small", &label);
    }
}

fn bar_legend(canvas: &mut Canvas, plot: &Plot, grid: &Grid) {
    for (column, name) in grid.columns.iter().enumerate() {
        let (x, y) = (plot.left + 90.0 * column as f64, plot.top - 32.0);
        canvas.put(format_args!(
            r#"<rect class="mark c{column}" stroke-width="0" x="{x:.1}" y="{:.1}" width="12" height="12"/>"#,
            y - 10.0
        ));
        canvas.text((x + 18.0, y), TextAnchor::Start, "", name);
    }
}

/// A method looks the same in every figure: its index here determines its colour, marker and dash.
const METHODS: [&str; 6] =
    ["forest (tf-idf)", "forest (feeds)", "coverage", "euclid", "text-density", "sigfeed"];
/// Lines of methods that learn from siblings are solid.
const DASHES: [&str; 6] = ["none", "none", "none", "6 3", "2 3", "8 3 2 3"];

fn look(grid: &Grid, column: usize) -> usize {
    let known = METHODS.iter().position(|&method| method == grid.columns[column]);
    known.unwrap_or(column % DASHES.len())
}

/// Draws the F1 of every column.
#[allow(clippy::disallowed_methods, reason = "places in a picture, to a tenth of a point")]
fn draw_lines(grid: &Grid, title: &str, x_title: &str) -> String {
    let f1: Vec<Vec<f64>> = (0..grid.columns.len())
        .map(|column| grid.rows.iter().map(|(_, cells)| cells[column].f1).collect())
        .collect();
    let least = f1.iter().flatten().copied().fold(1.0, f64::min);
    let floor = ((least * 10.0 - 0.2).floor() / 10.0).clamp(0.0, 0.8);
    let plot = Plot { left: 68.0, right: 600.0, top: 76.0, bottom: 372.0, range: (floor, 1.0) };
    let at: Vec<f64> = grid.rows.iter().map(|(at, _)| at.parse().unwrap_or(1.0)).collect();
    let (first, last) = (at[0].ln(), at[at.len() - 1].ln());
    let x = |value: f64| {
        let part = (value.ln() - first) / (last - first);
        plot.left + 14.0 + part * (plot.right - plot.left - 28.0)
    };

    let mut canvas = Canvas::new(760.0, 432.0, title, &format!("F1, {}", about(grid)));
    canvas.frame(&plot, 0.1);
    for (value, (label, _)) in at.iter().zip(&grid.rows) {
        let x = x(*value);
        canvas.rule("axis", (x, plot.bottom), (x, plot.bottom + 5.0));
        canvas.text((x, plot.bottom + 19.0), TextAnchor::Middle, "small", label);
    }
    let middle = (plot.left + plot.right) / 2.0;
    canvas.text((middle, plot.bottom + 44.0), TextAnchor::Middle, "", x_title);
    // The first methods are drawn last, on top of the others.
    for (column, values) in f1.iter().enumerate().rev() {
        let points: Vec<(f64, f64)> =
            at.iter().zip(values).map(|(&at, &share)| (x(at), plot.y(share))).collect();
        line(&mut canvas, look(grid, column), &points, &points);
    }
    line_legend(&mut canvas, &plot, grid, &f1);
    canvas.finish()
}

fn line(canvas: &mut Canvas, look: usize, points: &[(f64, f64)], marked: &[(f64, f64)]) {
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let dash = DASHES[look];
    canvas.put(format_args!(
        r#"<g class="c{look}"><polyline class="line" stroke-dasharray="{dash}" points="{}"/>"#,
        path.join(" ")
    ));
    for &point in marked {
        mark(canvas, look, point);
    }
    canvas.put(format_args!("</g>"));
}

/// The marker of a look: circle, square, triangle, diamond, cross, inverted triangle.
fn mark(canvas: &mut Canvas, look: usize, (x, y): (f64, f64)) {
    let path = match look {
        0 => "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
        1 => "m-3.5 -3.5h7v7h-7z",
        2 => "m0 -4.5l4.5 8h-9z",
        3 => "m0 -5l4.5 5l-4.5 5l-4.5 -5z",
        4 => "m-3.5 -3.5l7 7m0 -7l-7 7",
        _ => "m0 4.5l4.5 -8h-9z",
    };
    canvas.put(format_args!(r#"<path class="mark" d="M{x:.1} {y:.1}{path}"/>"#));
}

/// Writes the names at the right, in the order of the ends of the lines from the top, with the share at each end.
fn line_legend(canvas: &mut Canvas, plot: &Plot, grid: &Grid, f1: &[Vec<f64>]) {
    let last = |column: usize| f1[column].last().copied().unwrap_or(0.0);
    let mut order: Vec<usize> = (0..f1.len()).collect();
    order.sort_by(|&a, &b| last(b).total_cmp(&last(a)));
    for (at, column) in order.into_iter().enumerate() {
        let (x, y) = (plot.right + 18.0, plot.top + 10.0 + 24.0 * at as f64);
        line(canvas, look(grid, column), &[(x, y), (x + 26.0, y)], &[(x + 13.0, y)]);
        let name = grid.columns[column];
        canvas.text((x + 36.0, y + 4.0), TextAnchor::Start, "", name);
    }
}
