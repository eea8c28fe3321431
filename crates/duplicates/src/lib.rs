/*!
Articles that several addresses have.

Each article is described by its [`ArticleDescription`]: the forms of its address, its title, and [sketches](Sketch) of its words
and numbers. [`ArticleDescription::similarity`] says whether two descriptions are of the same article. [`ArticleDescription::keys`] gives
the keys of which articles that may be the same share at least one, so that few pairs have to be compared.
[`paragraphs_of`] gives what different articles have in common, paragraph by paragraph.

Everything here is a function of one or two articles; who compares which, with bounded memory, is up to the caller.
*/

mod address;
mod evidence;
mod paragraphs;
mod sketch;

pub use address::{AddressForm, StoryAddress, story_address};
pub use evidence::{ArticleDescription, Describer, sketch_of};
pub use paragraphs::{Paragraph, ParagraphWords, boilerplate_of, paragraphs_of};
pub use sketch::Sketch;
