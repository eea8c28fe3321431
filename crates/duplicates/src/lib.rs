/*!
Finds articles that have several addresses, and text that several articles share.

Each article is described by its [`ArticleDescription`]: the forms of its address, its title, and [sketches](Sketch) of its words
and numbers. [`ArticleDescription::similarity`] says whether two descriptions are of the same article. Articles that
may be the same share at least one of their [`ArticleDescription::keys`], so that few pairs have to be compared.
[`paragraphs_of`] returns the paragraphs of a text, for finding those that different articles have in common.

Everything here is a function of one or two articles; the caller decides which to compare, within bounded memory.
*/

mod evidence;
mod paragraphs;
mod sketch;

pub use evidence::{
    AddressForm, ArticleDescription, Describer, StoryAddress, sketch_of, story_address,
};
pub use paragraphs::{Paragraph, ParagraphWords, boilerplate_of, paragraphs_of};
pub use sketch::Sketch;
