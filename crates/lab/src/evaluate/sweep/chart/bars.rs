//! Draws a block of bars for each row: precision, recall and F1, with one bar per column.

use super::{Canvas, Plot, TextAnchor, about};
use crate::evaluate::sweep::grid::{Grid, SweepCell};

type CellShare = fn(&SweepCell) -> f64;

const PARTS: [(&str, CellShare); 3] =
    [("precision", |c| c.precision), ("recall", |c| c.recall), ("F1", |c| c.f1)];

/// Draws all cells, starting at zero, each with its figure.
pub(super) fn draw(grid: &Grid, title: &str) -> String {
    let plot = Plot { left: 68.0, right: 740.0, top: 112.0, bottom: 372.0, range: (0.0, 1.0) };
    let mut canvas = Canvas::new(760.0, 432.0, title, &about(grid));
    canvas.frame(&plot, 0.2);
    legend(&mut canvas, &plot, grid);
    let block = (plot.right - plot.left) / grid.rows.len() as f64;
    for (at, (name, cells)) in grid.rows.iter().enumerate() {
        let left = plot.left + block * at as f64;
        canvas.text((left + block / 2.0, plot.bottom + 44.0), TextAnchor::Middle, "", name);
        let cluster = block / PARTS.len() as f64;
        for (part, (label, value)) in PARTS.iter().enumerate() {
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

fn legend(canvas: &mut Canvas, plot: &Plot, grid: &Grid) {
    for (column, name) in grid.columns.iter().enumerate() {
        let (x, y) = (plot.left + 90.0 * column as f64, plot.top - 32.0);
        canvas.put(format_args!(
            r#"<rect class="mark c{column}" stroke-width="0" x="{x:.1}" y="{:.1}" width="12" height="12"/>"#,
            y - 10.0
        ));
        canvas.text((x + 18.0, y), TextAnchor::Start, "", name);
    }
}
