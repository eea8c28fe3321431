//! Measures, shortens and wraps text for the columns of a terminal.

use std::fmt::Write as _;

use report::readable::short_xpath;

use crate::printed::line;

/// Returns the width of a text in columns.
pub fn width_of(text: &str) -> usize {
    console::measure_text_width(text)
}

/// Shortens a text to at most `columns`: replaces what does not fit in its middle by `…`.
fn middle(text: &str, columns: usize) -> String {
    if width_of(text) <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let (head, tail) = (room.div_ceil(2), room / 2);
    let start = upto(text.chars(), head);
    let end: String = upto(text.chars().rev(), tail).chars().rev().collect();
    format!("{start}…{end}")
}

/// Pads a text with spaces to exactly `columns`, or shortens its middle.
pub fn padded(text: &str, columns: usize) -> String {
    let text = middle(text, columns);
    let space = " ".repeat(columns - width_of(&text));
    text + &space
}

/// Returns the first characters that fit into `columns`.
fn upto(letters: impl Iterator<Item = char>, columns: usize) -> String {
    let (mut text, mut taken) = (String::new(), 0);
    for letter in letters {
        let wide = width_of(letter.encode_utf8(&mut [0; 4]));
        if taken + wide > columns {
            break;
        }
        taken += wide;
        text.push(letter);
    }
    text
}

/// Wraps a paragraph at spaces into lines of at most `columns`. Lines after the first begin with `indent`.
pub fn wrapped(text: &str, columns: usize, indent: &str) -> String {
    let (mut lines, mut taken) = (String::new(), 0);
    for word in text.split(' ') {
        let wide = width_of(word);
        if taken > 0 && taken + 1 + wide > columns {
            // Writing to a String cannot fail.
            let _ = write!(lines, "\n{indent}{word}");
            taken = width_of(indent) + wide;
        } else {
            if taken > 0 {
                lines.push(' ');
            }
            lines.push_str(word);
            taken += usize::from(taken > 0) + wide;
        }
    }
    lines
}

/// Formats the expressions of a wrapper in `columns`: all if they fit, otherwise the first and the number of others.
pub fn wrapper_in(columns: usize, content: &[String]) -> String {
    let short: Vec<String> =
        content.iter().map(|own| line(&short_xpath(own)).into_owned()).collect();
    let all = short.join(" | ");
    match &short[..] {
        [first, others @ ..] if !others.is_empty() && width_of(&all) > columns => {
            let others = format!(" +{}", others.len());
            middle(first, columns.saturating_sub(others.len())) + &others
        }
        _ => middle(&all, columns),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_left_out() {
        assert_eq!(middle("//div", 5), "//div");
        assert_eq!(middle("//div[@id='main']/p", 9), "//di…']/p");
        for columns in 0..12 {
            assert!(width_of(&middle("北京大学 abcdef", columns)) <= columns.max(1), "{columns}");
        }
    }

    #[test]
    fn paragraphs_are_broken_at_spaces() {
        assert_eq!(wrapped("one two three", 7, "  "), "one two\n  three");
        assert_eq!(wrapped("a-word-longer-than-that b", 5, ""), "a-word-longer-than-that\nb");
        assert_eq!(wrapped("", 5, ""), "");
    }
}
