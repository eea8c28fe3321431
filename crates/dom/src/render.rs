//! From nodes back to something to read.

mod html;
mod text;

pub use html::html_of;
pub use text::{normalize_space, paragraphs, text_of};
