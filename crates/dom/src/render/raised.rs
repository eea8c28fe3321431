//! Writes superscripts in plain text and Markdown, which have no syntax for them.

use html5ever::local_name;

use super::notes::FootnoteMap;
use crate::document::is_space;
use crate::{Document, NodeId};

/// Longest power or note mark, in bytes.
const LONGEST: usize = 12;
/// Longest word that can have a power, in letters: a unit or a variable. After longer words, and after the end of a sentence, a
/// number is a note mark.
const UNIT: usize = 3;

/// Writes a superscript that changes the meaning of the text before it: `^26` for a power, `[1]` for a note mark, a space before
/// the fraction of a number. Returns `None` if it needs no markup, as in "1st", and for references to footnotes. `before` is the
/// text directly before it.
pub(super) fn raised_text(
    document: &Document,
    sup: NodeId,
    before: &str,
    notes: &FootnoteMap,
) -> Option<String> {
    let is_small = document.node(sup).end - sup <= 8;
    let is_raised = |id: NodeId| document.is(id, &local_name!("sup"));
    // In Markdown, a picture may come between them.
    let is_picture = |id: NodeId| document.is(id, &local_name!("img"));
    let is_other = |id: NodeId| {
        document.text(id).is_none() && !document.is_inline(id)
            || is_picture(id)
            || notes.references.contains_key(&id)
    };
    if !is_small || document.subtree(sup).any(is_other) {
        return None;
    }
    let has_text = |id: NodeId| document.text(id).is_some_and(|text| !text.is_empty());
    let follows = (0..sup).rev().take(8).find(|&id| has_text(id) || is_picture(id));
    if follows.is_some_and(is_picture) || document.ancestors(sup).skip(1).any(is_raised) {
        return None;
    }
    let text = document.text_content(sup).trim_matches(is_space);
    let last = before.chars().next_back().filter(|c| !c.is_whitespace())?;
    let digits = text.trim_start_matches(['+', '-', '\u{2212}', '\u{2013}']);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|b| b.is_ascii_digit() || b",./-".contains(&b))
        && text.len() <= LONGEST;
    // A power that is an expression, not the ending of an ordinal number.
    let is_expression = !is_number
        && text.len() <= LONGEST
        && text.contains(|c: char| "+-\u{2212}\u{2013}/*".contains(c) || c.is_ascii_digit())
        && text.contains(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-\u{2212}\u{2013}/*".contains(c));
    let is_link = |id: NodeId| document.is(id, &local_name!("a"));
    let is_all_of_link = || {
        let around = document.ancestors(sup).skip(1).take(2).find(|&id| is_link(id));
        around.is_some_and(|link| {
            document.node(link).end - link <= 8 && document.text_content(link).trim() == text
        })
    };
    let is_link = document.subtree(sup).any(is_link) || is_all_of_link();
    let begins = !document.text_content(sup).starts_with(is_space);
    let is_label =
        is_link && (1..=LONGEST).contains(&text.len()) && !text.contains(char::is_whitespace);
    // A mark with its own brackets needs no others.
    if !begins || !is_number && !is_label && !is_expression || text.starts_with(['[', '(']) {
        return None;
    }
    let word = before.chars().rev().take_while(|c| c.is_alphanumeric()).take(UNIT + 1).count();
    // The fraction of "1½", written with a superscript and a subscript.
    let after = document.node(sup).end;
    let is_slash = |text: &str| matches!(text.trim_matches(is_space), "/" | "\u{2044}");
    if last.is_numeric()
        && document.text(after).is_some_and(is_slash)
        && document.is(after + 1, &local_name!("sub"))
    {
        return Some(format!(" {text}"));
    }
    let is_power = !is_label && (last.is_numeric() || last == ')' || (1..=UNIT).contains(&word));
    Some(match is_power {
        true if is_expression => format!("^({text})"),
        true => format!("^{text}"),
        false => format!("[{text}]"),
    })
}

#[cfg(test)]
mod tests {
    use crate::{parse, text_of};

    #[test]
    fn powers_and_marks_are_told_from_what_they_follow() {
        for (html, expected) in [
            ("10<sup>26</sup> stars", "10^26 stars"),
            ("5 km<sup>2</sup>, x<sup>\u{2212}1</sup>", "5 km^2, x^\u{2212}1"),
            (
                "2<sup>n+1</sup>, e<sup>\u{2212}x</sup>, x<sup>2n</sup>",
                "2^(n+1), e^(\u{2212}x), x^(2n)",
            ),
            ("the end.<sup>2a</sup> Then", "the end.[2a] Then"),
            ("the end.<sup>1</sup> Then", "the end.[1] Then"),
            ("a harbour<sup><a href=#n>12</a></sup>", "a harbour[12]"),
            ("a harbour<a href=#n><sup>*</sup></a>", "a harbour[*]"),
            ("a harbour<sup><a href=#n>[3]</a></sup>", "a harbour[3]"),
            ("the 1<sup>st</sup> and n<sup>o</sup> 2 of H<sub>2</sub>O", "the 1st and no 2 of H2O"),
        ] {
            assert_eq!(text_of(&parse(html), &[0], &[]), expected, "{html}");
        }
    }
}
