//! Renders nodes as text or Markdown.

mod formula;
mod markdown;
mod notes;
mod raised;
mod text;

pub use formula::{Formula, bare_tex};
pub use markdown::{language_named, language_of_code, markdown_of, markdown_of_text};
pub use text::{normalize_space, paragraphs, text_of, text_with_notes};
