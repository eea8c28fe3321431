//! Dates in addresses.

use crate::moment::{Digits, Moment};
use crate::months::month_of;

/// `/2012/11/21/`, `/2012-11-21-`, `/20121121/`, `/2012/nov/21/`: year, month and day in the path.
pub(crate) fn url_date(url: &str) -> Option<Moment> {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = path.split(['?', '#']).next()?;
    let mut before = ' ';
    for (at, c) in path.char_indices().take(500) {
        let previous = std::mem::replace(&mut before, c);
        if previous.is_ascii_alphanumeric() || !c.is_ascii_digit() {
            continue;
        }
        let mut rest = Digits(&path[at..]);
        let Some(year) = rest.number(4, 4) else { continue };
        let separator = rest.skip(&['/', '-', '_']);
        let number = rest.number(if separator.is_some() { 1 } else { 2 }, 2);
        let named = || separator.and_then(|_| named_month(&mut rest));
        let Some(month) = number.or_else(named) else { continue };
        if let Some(separator) = separator
            && rest.skip(&[separator]).is_none()
        {
            continue;
        }
        let Some(day) = rest.number(if separator.is_some() { 1 } else { 2 }, 2) else { continue };
        let ends = !rest.0.starts_with(|c: char| c.is_ascii_digit());
        if let Some(moment) = Moment::date(year as i16, month as i8, day as i8)
            && ends
            && (1990..2100).contains(&year)
        {
            return Some(moment);
        }
    }
    None
}

/// The month that the next word names.
fn named_month(rest: &mut Digits<'_>) -> Option<i32> {
    let end = rest.0.find(|c: char| !c.is_alphabetic())?;
    let (word, after) = rest.0.split_at(end);
    let month = month_of(word)?;
    rest.0 = after;
    Some(month.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_addresses() {
        let date = |url| url_date(url).map(|m| m.to_string());
        let expected = Some("2012-11-21".to_owned());
        assert_eq!(date("http://example.org/2012/11/21/story"), expected);
        assert_eq!(date("http://example.org/news/2012-11-21-story.html"), expected);
        assert_eq!(date("http://example.org/a/20121121/story"), expected);
        assert_eq!(date("http://example.org/2012/nov/21/story"), expected);
        assert_eq!(date("http://example.org/blog/2012/november/21"), expected);
        assert_eq!(date("http://example.org/2012/top/21/story"), None);
        assert_eq!(date("http://example.org/2012/11/story"), None);
        assert_eq!(date("http://example.org/12345678/story"), None);
        assert_eq!(date("http://example.org/?d=2012/11/21"), None);
    }
}
