/*!
Quality of the extracted title, authors, dates and short texts of a page.

Gold and output are normalised in the same way, so that differences in spelling do not affect the score:

| field | exact | graded |
|---|---|---|
| [`title()`] | the same letters and digits, ignoring case, after the site's name is removed from either end of both | F1 of words, with multiplicity |
| [`text()`] | the same letters and digits, ignoring case | F1 of words, with multiplicity |
| [`authors()`] | the same set of names | F1 of the sets of names |
| [`date()`] | the same calendar day as written in each | at most one day apart, as time zones may cause |

A missing value scores zero. The functions document each normalisation and its reasons.
*/

mod authors;
mod title;

use jiff::civil::Date;

pub use authors::{authors, has_names};
pub use title::{headline, text, title};

/// The score of a value compared with its gold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldScore {
    /// Whether it is equal after normalisation.
    pub exact: bool,
    /// Partial agreement, 0 to 1; 1 if `exact`.
    pub graded: f64,
}

impl FieldScore {
    /// The score of a value that is missing, or has nothing in common with the gold.
    pub const ZERO: Self = Self { exact: false, graded: 0.0 };
}

/// The day at the start of a value: `2012-11-21`, with any time and zone after it. `None` for
/// anything else.
///
/// Gold contains days, times without a zone, and midnight for an unknown time of the day. Only the day has the same
/// meaning in all of them. It is not converted to another zone, because readers see the day that the page shows.
pub fn day(value: &str) -> Option<Date> {
    let value = value.trim();
    let rest = value.get(10..)?;
    let ends = !rest.starts_with(|c: char| c.is_ascii_digit());
    value[..10].parse().ok().filter(|_| ends)
}

/// Compares two days. A difference of one day, which time zones may cause, counts as near.
pub fn date(gold: Date, output: Option<Date>) -> FieldScore {
    let Some(output) = output else { return FieldScore::ZERO };
    let near =
        gold.tomorrow().is_ok_and(|d| d >= output) && gold.yesterday().is_ok_and(|d| d <= output);
    FieldScore { exact: gold == output, graded: if near { 1.0 } else { 0.0 } }
}
