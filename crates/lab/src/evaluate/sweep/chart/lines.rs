//! Draws a line for each method over a logarithmic axis, and a legend in the order in which the lines end.

use super::{Canvas, Plot, TextAnchor, about};
use crate::evaluate::sweep::grid::Grid;

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
pub(super) fn draw(grid: &Grid, title: &str, x_title: &str) -> String {
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
    legend(&mut canvas, &plot, grid, &f1);
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
fn legend(canvas: &mut Canvas, plot: &Plot, grid: &Grid, f1: &[Vec<f64>]) {
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
