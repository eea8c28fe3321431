//! Lines that are fields of a record and not part of its text: bylines and dates.

use crate::{
    date_text::find_date,
    names,
    order::Order,
    text::{is_unspaced, word_count},
};

/// Most words of a date or byline, with what stands beside it ("Posted on July 7, 2012 at 10:30 am by Jane Doe in Books").
const WORDS: usize = 14;
/// Most words of a line that may be one though it ends like a sentence ("Published: 12 May 2012.").
const WORDS_OF_SENTENCE: usize = 6;
/// Most bytes of it; for scripts without spaces between words, where a sentence is one word, a third as many characters.
const BYTES: usize = 120;

/// Whether a line of text is a byline, a date or both, with at most a few words beside them. Languages are those of
/// [`crate::metadata`]. Linear in the length of the line.
///
/// ```
/// use sitegrove_metadata::is_field_line;
///
/// assert!(is_field_line("By Jane Doe | July 7, 2012, 10:30 am"));
/// assert!(!is_field_line("On July 7, 2012 the bridge was opened by the mayor."));
/// ```
pub fn is_field_line(line: &str) -> bool {
    let line = line.trim();
    let words = word_count(line);
    let ends_like_sentence = line.ends_with(['.', '!', '?', '。']) && !line.ends_with(".m.");
    if line.len() > BYTES || is_unspaced(line) && line.chars().count() > BYTES / 3 {
        return false;
    }
    if words > if ends_like_sentence { WORDS_OF_SENTENCE } else { WORDS } {
        return false;
    }
    let has_name = || names::has_label(line) && !names::from_byline(line).is_empty();
    find_date(line, &Order::Unknown).is_some() || has_name()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bylines_and_dates() {
        for line in [
            "By Jane Doe",
            "by John on July 7, 2012",
            "Posted on 3 May 2012 at 14:30",
            "Von Jane Doe, 3. Mai 2012",
            "2012年11月21日 作者：王小明",
            "Published: 12 May 2012.",
            "July 16th, 2012 3:05 p.m.",
            "Nov 5 2012, 12:19 PM ET",
        ] {
            assert!(is_field_line(line), "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_read(line in "(By |von |Publié le |作者：|)[A-Za-z0-9 ,.:/年月日|·é王]{0,80}[.!。]?") {
            let found = is_field_line(&line);
            proptest::prop_assert_eq!(found, is_field_line(&format!("  {line}\t")));
        }
    }

    #[test]
    fn text_is_none() {
        for line in [
            "",
            "On 3 May 2012 he left the house by the sea, and nobody there ever saw him go",
            "By the time Jane Doe arrived, all the others had left the old house for good",
            "The bridge was opened on 3 May 2012 by the mayor.",
            "12 comments",
            "By and large",
            "More than 2012 people came",
        ] {
            assert!(!is_field_line(line), "{line}");
        }
    }
}
