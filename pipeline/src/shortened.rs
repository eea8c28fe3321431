//! Text in the columns of a terminal.

use std::fmt::Write as _;

use crate::printed::line;

/// Columns that a text takes.
pub(crate) fn width_of(text: &str) -> usize {
    console::measure_text_width(text)
}

/// A text in at most so many columns: what does not fit is taken from its middle, marked by `…`.
pub(crate) fn middle(text: &str, columns: usize) -> String {
    if width_of(text) <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let (head, tail) = (room.div_ceil(2), room / 2);
    let start = upto(text.chars(), head);
    let end: String = upto(text.chars().rev(), tail).chars().rev().collect();
    format!("{start}…{end}")
}

/// The first characters that fit into so many columns.
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

/// A paragraph in lines of at most so many columns, broken at spaces; further lines begin with `indent`.
pub(crate) fn wrapped(text: &str, columns: usize, indent: &str) -> String {
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

/// Begin and end of the test for a class in XPath.
const CLASS: (&str, &str) = ("[contains(concat(' ',normalize-space(@class),' '),' ", " ')]");
/// Begin and end of the test for an id.
const ID: (&str, &str) = ("[@id='", "']");

/// An XPath as people read it: `//div.entry` for an element with that class, `//div#main` for one with that id. All
/// else stays as it is.
pub(crate) fn short_xpath(xpath: &str) -> String {
    let mut short = String::with_capacity(xpath.len());
    let mut rest = xpath;
    while let Some(at) = rest.find('[') {
        short.push_str(&rest[..at]);
        rest = &rest[at..];
        let found = [(CLASS, '.'), (ID, '#')].into_iter().find_map(|((begin, end), mark)| {
            let (name, after) = rest.strip_prefix(begin)?.split_once(end)?;
            let plain = !name.is_empty() && !name.contains(['\'', ' ', '[', ']', '"']);
            plain.then_some((mark, name, after))
        });
        match found {
            Some((mark, name, after)) => {
                short.push(mark);
                short.push_str(name);
                rest = after;
            }
            None => {
                short.push('[');
                rest = &rest[1..];
            }
        }
    }
    short + rest
}

/// The expressions of a wrapper in so many columns: all if they fit, otherwise the first and the number of others.
pub(crate) fn wrapper_in(columns: usize, content: &[String]) -> String {
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

    #[test]
    fn expressions_have_a_short_form() {
        let class = "[contains(concat(' ',normalize-space(@class),' '),' body ')]";
        for (long, short) in [
            (format!("//div{class}/p"), "//div.body/p"),
            ("//div[@id='main']".to_owned(), "//div#main"),
            (format!("//div[@id='a']//li{class}[2]"), "//div#a//li.body[2]"),
            ("//td[@width='60%']".to_owned(), "//td[@width='60%']"),
            ("//div[@id=concat('it',\"'s\")]".to_owned(), "//div[@id=concat('it',\"'s\")]"),
            ("//main/article".to_owned(), "//main/article"),
        ] {
            assert_eq!(short_xpath(&long), short);
        }
    }
}
