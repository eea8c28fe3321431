//! Title and text: the text begins with the title always or never, as the settings say.

use crate::settings::Settings;

/// A title within so many first paragraphs of the text counts as its beginning, where it is wanted: a section or a date may
/// come before it.
const FIRST: usize = 4;

/// The text with its title, or without: one rule for all templates. Later parts of an article never have a title.
pub(super) fn titled(text: String, title: &str, is_part: bool, settings: &Settings) -> String {
    let of_title = letters(title);
    if of_title.is_empty() {
        return text;
    }
    if settings.tables().extract.title_in_text && !is_part {
        let has_title = text.split("\n\n").take(FIRST).any(|own| letters(own) == of_title);
        return if has_title { text } else { format!("{title}\n\n{text}") };
    }
    without_title(&text, title).to_owned()
}

/// A text without its first paragraph, if that is the title and not all of the text.
pub fn without_title<'t>(text: &'t str, title: &str) -> &'t str {
    let of_title = letters(title);
    match text.split_once("\n\n") {
        Some((first, rest)) if !of_title.is_empty() && letters(first) == of_title => rest,
        _ => text,
    }
}

/// The letters and digits of a text, in lower case.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
