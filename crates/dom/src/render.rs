//! From nodes back to something to read.

mod allowed;
mod html;
mod text;

pub use html::html_of;
pub use text::{normalize_space, paragraphs, text_of};
