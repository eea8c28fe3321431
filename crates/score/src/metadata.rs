/*!
How well the title, the authors and the date of a page were found.

Gold and output are read in the same way, so that no system wins or loses by its spelling:

| field | exact | graded |
|---|---|---|
| [`title()`] | the same letters and digits, case aside, after the site's name is taken off either end of both | F1 of words, with multiplicity |
| [`authors()`] | the same set of names | F1 of the sets of names |
| [`date()`] | the same calendar day as each writes it | at most one day apart, as zones may make it |

A value that is missing scores zero. What each reading is, and why, stands at the functions.
*/

mod authors;
mod date;
mod title;

pub use authors::{authors, has_names};
pub use date::{Day, date, day};
pub use title::{headline, title};

/// How a value compares with its gold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldScore {
    /// Whether it is the same.
    pub exact: bool,
    /// How much of it is the same, 0 to 1; 1 where exact.
    pub graded: f64,
}

impl FieldScore {
    /// The score of a value that is not there, or has nothing of the gold.
    pub const ZERO: Self = Self { exact: false, graded: 0.0 };
}
