//! Bar tables and histograms. `macros.html` draws them, and writes their figures for readers who do not see them.

use crate::readable::{grouped, percent};

/// A table of amounts with a bar for each.
#[derive(Debug)]
pub(crate) struct BarTable {
    /// Headings of the columns, for screen readers.
    pub(crate) heads: [&'static str; 2],
    pub(crate) bars: Vec<Bar>,
    /// Amount of a bar of full width, unless a bar is longer.
    pub(crate) full: f64,
}

#[derive(Debug)]
pub(crate) struct Bar {
    pub(crate) name: String,
    /// Additional text, shown small below the name; may be empty.
    pub(crate) more: String,
    /// Length of the bar, in the unit of the other bars of the chart.
    pub(crate) amount: f64,
    pub(crate) shown: String,
}

impl Bar {
    pub(crate) fn new(name: &str, more: impl Into<String>, amount: f64, shown: String) -> Self {
        Self { name: name.to_owned(), more: more.into(), amount, shown }
    }
}

impl BarTable {
    pub(crate) fn new(heads: [&'static str; 2], bars: impl Iterator<Item = Bar>) -> Self {
        Self { heads, bars: bars.collect(), full: 0.0 }
    }

    /// The length of a bar in percent of the space.
    pub(crate) fn share(&self, bar: &Bar) -> f64 {
        let longest = self.bars.iter().map(|bar| bar.amount).fold(self.full, f64::max);
        if longest > 0.0 { 100.0 * bar.amount / longest } else { 0.0 }
    }
}

#[derive(Debug)]
pub(crate) struct Histogram {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// A description of one or two sentences, also for screen readers.
    pub(crate) summary: String,
    /// What is counted, e.g. `articles`.
    pub(crate) counted: &'static str,
    /// The variable, e.g. `confidence`.
    pub(crate) axis: &'static str,
    pub(crate) classes: Vec<ChartClass>,
    pub(crate) ticks: Vec<Tick>,
}

/// A class of a histogram; all classes have the same width.
#[derive(Debug)]
pub(crate) struct ChartClass {
    /// Its range, e.g. `0.85 to 0.90`.
    pub(crate) name: String,
    pub(crate) amount: u64,
}

/// A mark of the horizontal axis: the number of classes before it, and its text.
#[derive(Debug)]
pub(crate) struct Tick {
    pub(crate) at: f64,
    pub(crate) text: String,
}

/// The positions of all parts of a histogram, in units of approximately one pixel.
#[derive(Debug)]
pub(crate) struct ChartPicture<'a> {
    /// The ends of the horizontal axis.
    pub(crate) left: f64,
    pub(crate) right: f64,
    /// Vertical positions and labels of the horizontal lines, from the axis upwards.
    pub(crate) lines: Vec<(f64, String)>,
    pub(crate) bars: Vec<ClassBar<'a>>,
    /// Centres and labels of the tick marks.
    pub(crate) ticks: Vec<(f64, &'a str)>,
}

#[derive(Debug)]
pub(crate) struct ClassBar<'a> {
    pub(crate) class: &'a ChartClass,
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// Size of the picture and its margins; `macros.html` has the same size.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 232.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 46.0;
/// Approximate width of a digit.
const DIGIT: f64 = 7.6;
const GAP: f64 = 1.5;

impl Histogram {
    /// `None` if there is nothing to draw.
    pub(crate) fn picture(&self) -> Option<ChartPicture<'_>> {
        let most = self.filled_classes().map(|class| class.amount).max()?;
        let step = step_of(most);
        let top = most.div_ceil(step) * step;
        let left = 16.0 + DIGIT * grouped(top).len().max(3) as f64;
        let right = WIDTH - RIGHT;
        let high = HEIGHT - TOP - BOTTOM;
        let wide = (right - left) / self.classes.len() as f64;
        let lines = (0..=top / step).map(|n| {
            let amount = n * step;
            (TOP + high * (1.0 - amount as f64 / top as f64), grouped(amount))
        });
        let filled = self.classes.iter().enumerate().filter(|(_, class)| class.amount > 0);
        let bars = filled.map(|(at, class)| {
            // Small amounts stay visible.
            let height = (high * class.amount as f64 / top as f64).max(1.0);
            let x = left + wide * at as f64 + GAP / 2.0;
            ClassBar { class, x, y: TOP + high - height, width: wide - GAP, height }
        });
        let ticks = self
            .ticks
            .iter()
            .map(|tick| (fit_into_picture(left + wide * tick.at, &tick.text), tick.text.as_str()));
        Some(ChartPicture {
            left,
            right,
            lines: lines.collect(),
            bars: bars.collect(),
            ticks: ticks.collect(),
        })
    }

    pub(crate) fn filled_classes(&self) -> impl Iterator<Item = &ChartClass> {
        self.classes.iter().filter(|class| class.amount > 0)
    }

    /// The share of all counted items that are in a class.
    pub(crate) fn share(&self, class: &ChartClass) -> String {
        let all: u64 = self.classes.iter().map(|class| class.amount).sum();
        percent(class.amount as f64, all as f64)
    }
}

impl ChartPicture<'_> {
    pub(crate) fn middle(&self) -> f64 {
        self.left + (self.right - self.left) / 2.0
    }
}

/// Moves the centre of a label to the left as far as needed for it to end inside the picture.
fn fit_into_picture(middle: f64, text: &str) -> f64 {
    middle.min(WIDTH - DIGIT * text.chars().count() as f64 / 2.0)
}

/// Distance between the marks of the vertical axis: 1, 2 or 5 times a power of ten, so that there are at most five.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_at_the_end_stay_in_the_picture() {
        let right = WIDTH - RIGHT;
        assert!(fit_into_picture(right, "10,000") + 3.0 * DIGIT <= WIDTH);
        assert_eq!(fit_into_picture(right, "1.0"), right);
        assert_eq!(fit_into_picture(100.0, "10,000"), 100.0);
    }

    #[test]
    fn axes_have_few_round_marks() {
        let steps = [1, 5, 6, 10, 11, 25, 26, 99, 500, 501, 34_567].map(step_of);
        assert_eq!(steps, [1, 1, 2, 2, 5, 5, 10, 20, 100, 200, 10_000]);
    }
}
