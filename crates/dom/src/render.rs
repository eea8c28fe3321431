//! Renders nodes as text, HTML or Markdown.

mod allowed;
mod figures;
mod html;
mod markdown;
mod text;

pub use html::html_of;
pub use markdown::{markdown_of, markdown_of_text};
pub use text::{normalize_space, paragraphs, text_of};
