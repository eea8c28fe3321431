//! Title and text: the text begins with the title always or never, as the settings say.

use terms::letters::{is_alphanumeric, lowercase};

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
    text.chars().filter(|&c| is_alphanumeric(c)).flat_map(lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_is_there_always_or_never() {
        let without = Settings::standard();
        let mut tables = without.tables().clone();
        tables.extract.title_in_text = true;
        let with = Settings::new(tables);
        let of =
            |text: &str, is_part, settings| titled(text.to_owned(), "A Bridge", is_part, settings);
        for text in ["Text.", "a bridge!\n\nText."] {
            assert_eq!(of(text, false, &without), "Text.", "{text}");
            assert_eq!(of(text, true, &with), "Text.", "later parts have none: {text}");
        }
        assert_eq!(of("Text.", false, &with), "A Bridge\n\nText.");
        for has_it in ["A Bridge\n\nText.", "Sport\n\n2 May\n\n\u{201c}A bridge\u{201d}\n\nText."] {
            assert_eq!(of(has_it, false, &with), has_it);
        }
        // The whole text may be its title.
        assert_eq!(of("A Bridge", false, &without), "A Bridge");
        assert_eq!(titled("Text.".to_owned(), "?!", false, &with), "Text.", "no letter");
    }
}
