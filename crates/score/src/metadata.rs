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
mod date;
mod title;

pub use authors::{authors, has_names};
pub use date::{Day, date, day};
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
