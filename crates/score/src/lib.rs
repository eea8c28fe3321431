/*!
Measures of extraction quality from the papers, and their aggregation over pages.

[`score`] compares a page with its gold and gives one [`Score`] (precision, recall, F1) per [`QualityMeasure`]:

| measure | from | counts |
|---|---|---|
| [`shingles`] | Forest §4 | the set of pairs of consecutive words |
| [`bag`] | Words-leaves ratio §5, R⁴ §5 | retrieved words, with multiplicity |
| [`nodes`] | R⁴ §5 | retrieved DOM nodes |
| [`lcs`] | CETD, BlockExtractor §3.2, text density §5.2 | the longest common subsequence, by word or by character |
| [`substring`] | text density §5.2 | the longest common substring, by character |

Title, authors and date have measures of their own ([`metadata`]). Each of the others exists raw, as in the papers,
and title-neutral ([`neutral`]), since some gold texts begin with the page's title and some do not. Over pages there
are means, medians, percentiles and macro averages ([`aggregate`]), and intervals of the difference between two
systems ([`bootstrap`]).

Everything here is a pure function of texts and numbers: no result depends on files, clocks or the order of hashes.
*/

pub mod aggregate;
pub mod bag;
pub mod bootstrap;
pub mod lcs;
mod measure;
pub mod metadata;
pub mod neutral;
pub mod nodes;
mod page;
pub mod paragraphs;
pub mod shingles;
pub mod substring;
pub mod words;

pub use measure::{MeasureKind, Neutral, QualityMeasure, Score};
pub use page::{Gold, Output, score};
