//! Checks whether readers can see a declared value on a page, by searching the page's text and address.

use dom::Document;
use jiff::civil::Date;
use jiff::tz::Offset;
use jiff::{Span, Timestamp};
use score::metadata::day;

use crate::fields::{FieldValues, MetadataField};

/// Maximum distance in words between the year and the day of a date.
const WORDS: usize = 8;

/// The text and the address of a page, in the forms that values are searched in.
pub(super) struct VisibleWords {
    letters: String,
    words: Vec<String>,
}

impl VisibleWords {
    pub(super) fn of(document: &Document, url: &str) -> Self {
        let mut shown = Self { letters: String::new(), words: Vec::new() };
        let texts = document.ids().filter_map(|id| document.text(id));
        for text in texts {
            shown.letters.extend(letters(text));
        }
        let text = dom::text_of(document, &[0], &[]);
        for text in [&*text, url] {
            let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            shown.words.extend(words.map(str::to_owned));
            // Separates the text from the one that follows.
            shown.words.extend(std::iter::repeat_n(String::new(), WORDS));
        }
        shown
    }

    /// Whether the declared value of a field is shown: the letters of a title, a section or every author's name, anywhere;
    /// the numbers of a day and its year, within eight words.
    pub(super) fn has(&self, field: MetadataField, declared: &FieldValues) -> bool {
        let has = |text: &str| self.letters.contains(&letters(text).collect::<String>());
        match field {
            MetadataField::Authors => declared.authors.iter().all(|name| has(name)),
            MetadataField::Date | MetadataField::DateByFetch | MetadataField::Modified => {
                let declared = declared.value(field).unwrap_or_default();
                days(&declared).into_iter().any(|day| self.has_day(day))
            }
            _ => declared.value(field).is_none_or(|value| has(&value)),
        }
    }

    fn has_day(&self, date: Date) -> bool {
        let number = |word: &String, wanted: i16| {
            let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
            digits.len() <= 4 && digits.parse() == Ok(wanted)
        };
        let compact = date.strftime("%Y%m%d").to_string();
        let year = |at: &usize| number(&self.words[*at], date.year());
        let is_beside = |at: usize| {
            let end = (at + WORDS).min(self.words.len());
            self.words[at.saturating_sub(WORDS)..end].iter().any(|w| number(w, date.day().into()))
        };
        self.words.contains(&compact) || (0..self.words.len()).filter(year).any(is_beside)
    }
}

fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// The days that a page may show for a declared date. A time in UTC falls on different days in different time zones.
pub(super) fn days(declared: &str) -> Vec<Date> {
    let Some(written) = day(declared) else { return Vec::new() };
    let is_utc = declared.ends_with('Z') || declared.ends_with("+00:00");
    let moment: Option<Timestamp> = declared.parse().ok().filter(|_| is_utc);
    let Some(moment) = moment else { return vec![written] };
    let at = |hours: i64| {
        let local = moment.checked_add(Span::new().hours(hours)).unwrap_or(moment);
        Offset::UTC.to_datetime(local).date()
    };
    let mut days = vec![at(-12), at(0), at(14)];
    days.dedup();
    days
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(published: &str) -> FieldValues {
        FieldValues { published: Some(published.to_owned()), ..FieldValues::default() }
    }

    #[test]
    fn values_that_readers_can_see() {
        let document = dom::parse(
            "<title>Elsewhere</title><p>By <b>jane</b> DOE<p>Mon 24<br>Jul<br>2012<p>7 of 2011",
        );
        let shown = VisibleWords::of(&document, "https://example.org/20130504/a");
        let authors = |names: &[&str]| FieldValues {
            authors: names.iter().map(|&name| name.to_owned()).collect(),
            ..FieldValues::default()
        };
        let has_authors = |names| shown.has(MetadataField::Authors, &authors(names));
        assert!(has_authors(&["Jane Doe"]) && !has_authors(&["Jane Doe", "John Roe"]));
        for (date, expected) in [
            ("2012-07-24", true),
            ("2012-07-25", false),
            ("2012-07-25T03:00:00Z", true),
            ("2012-07-25T03:00:00+02:00", false),
            ("2013-05-04", true),
        ] {
            assert_eq!(shown.has(MetadataField::Date, &declared(date)), expected, "{date}");
        }
    }
}
