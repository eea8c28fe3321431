//! Charts as SVG: text and shapes with classes, and one style sheet with colours for light and dark
//! mode.
//!
//! The colours are from Okabe and Ito, darkened or lightened for the background. Every line also has its own marker and
//! dash pattern, so that lines can be distinguished without colours.

mod bars;
mod lines;

use std::fmt::Write;

use super::{grid::Grid, plan::SweepFigure};
use crate::evaluate::markdown::safe;

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
        SweepFigure::Lines { title, x } => lines::draw(grid, title, x),
        SweepFigure::Bars { title } => bars::draw(grid, title),
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
