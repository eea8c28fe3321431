//! Dates in addresses.

use crate::moment::{Digits, Moment};

/// `/2012/11/21/`, `/2012-11-21-`, `/20121121/`: year, month and day in the path.
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
        let Some(month) = rest.number(if separator.is_some() { 1 } else { 2 }, 2) else { continue };
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
        assert_eq!(date("http://example.org/2012/11/story"), None);
        assert_eq!(date("http://example.org/12345678/story"), None);
        assert_eq!(date("http://example.org/?d=2012/11/21"), None);
    }
}
