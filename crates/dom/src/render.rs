//! Renders nodes as text or Markdown.

mod markdown;
mod text;

pub use markdown::{language_of_code, markdown_of, markdown_of_text};
pub use text::{normalize_space, paragraphs, text_of};
