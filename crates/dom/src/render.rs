//! Renders nodes as text or Markdown.

mod formula;
mod markdown;
mod notes;
mod raised;
mod tex;
mod text;
mod written;

pub use formula::{Formula, bare_tex};
pub use markdown::{language_named, language_of_code, markdown_of, markdown_of_text};
pub use tex::{
    accent, push_tex, tex_between, tex_in_braces, tex_of_name, tex_of_rows, tex_of_signs,
    tex_of_space, with_moduli,
};
pub use text::{normalize_space, paragraphs, text_and_blocks, text_of, text_with_notes};
pub use written::{WrittenBlock, WrittenBlockKind};
