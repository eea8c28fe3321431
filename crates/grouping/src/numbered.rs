//! Addresses of the pages of an article that is spread over several: they differ in a number.

/// Largest number of a page: larger ones are identifiers.
const MOST: u32 = 99;
/// Names of parameters, and of parts of paths before a number.
const NAMES: [&str; 16] = [
    "page",
    "p",
    "pg",
    "paged",
    "pageno",
    "pagenum",
    "pagenumber",
    "seite",
    "pagina",
    "página",
    "strana",
    "strona",
    "sida",
    "side",
    "sivu",
    "oldal",
];

/// The address of an article of several pages, without what differs between these, and the number of this page: 1 if it
/// has none. Scheme and `www.` do not count.
///
/// A number of one or two digits is recognised as a parameter (`?page=2`), as the last part of the path (`/story/2`,
/// `/story/page/2`), or at the end of a file name (`story-2.html`, `story_page2.html`). Whether it really counts pages is
/// shown by links between them.
pub fn page_number(url: &str) -> (String, u32) {
    let url = url.split('#').next().unwrap_or_default();
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    let url = url.strip_prefix("www.").unwrap_or(url);
    let (place, query) = url.split_once('?').unwrap_or((url, ""));
    let place = place.trim_end_matches('/');
    let with_query = |place: &str, query: &str| match query {
        "" => place.to_owned(),
        query => format!("{place}?{query}"),
    };
    let mut number = None;
    let rest: Vec<&str> = (query.split('&'))
        .filter(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let found = number_of(value).filter(|_| number.is_none() && is_name(name));
            number = number.or(found);
            found.is_none() && !pair.is_empty()
        })
        .collect();
    if let Some(number) = number {
        return (with_query(place, &rest.join("&")), number);
    }
    let (folder, last) = place.rsplit_once('/').unwrap_or(("", place));
    if folder.is_empty() {
        return (with_query(place, query), 1);
    }
    // Not below the front page.
    if let Some(number) = number_of(last).filter(|_| folder.contains('/')) {
        let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
        if is_name(name) && !above.is_empty() {
            return (with_query(above, query), number);
        }
        // A bare 1 is an identifier: first pages have no number, or a named one.
        if number > 1 {
            return (with_query(folder, query), number);
        }
        return (with_query(place, query), 1);
    }
    let (stem, ending) =
        last.rsplit_once('.').map_or((last, ""), |(stem, _)| (stem, &last[stem.len()..]));
    let digits = stem.len() - stem.bytes().rev().take_while(u8::is_ascii_digit).count();
    let before = stem[..digits].trim_end_matches(['-', '_', ',', '.']);
    let name = before.rsplit(['-', '_', ',', '.']).next().unwrap_or_default();
    let is_apart = before.len() < digits;
    let named = is_name(name) && name.len() < before.len();
    match number_of(&stem[digits..]).filter(|_| is_apart || named) {
        Some(number) if !before.is_empty() => {
            let before = if named {
                before[..before.len() - name.len()].trim_end_matches(['-', '_', ',', '.'])
            } else {
                before
            };
            (with_query(&format!("{folder}/{before}{ending}"), query), number)
        }
        _ => (with_query(place, query), 1),
    }
}

fn is_name(text: &str) -> bool {
    NAMES.iter().any(|name| text.eq_ignore_ascii_case(name))
}

fn number_of(text: &str) -> Option<u32> {
    let is_short = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_short)?;
    (1..=MOST).contains(&number).then_some(number)
}

/// The words of a title, without the number of a page (`A story - Page 2 of 3`).
pub fn title_without_page(title: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let letters = |c: char| !c.is_alphanumeric();
    for word in title.split(letters).filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            let is_count = |word: &String| {
                is_name(word) || matches!(&**word, "of" | "von" | "de" | "sur" | "di" | "av" | "z")
            };
            while words.last().is_some_and(is_count) {
                words.pop();
            }
        } else {
            words.push(word);
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_one_article_have_one_base() {
        let of = page_number;
        for (first, second) in [
            ("https://e.org/story", "https://www.e.org/story?page=2"),
            ("https://e.org/story/", "https://e.org/story/2/"),
            ("https://e.org/a/story", "http://e.org/a/story/page/2"),
            ("https://e.org/a/story.html", "https://e.org/a/story-2.html"),
            ("https://e.org/a/story.html", "https://e.org/a/story_page2.html"),
            ("https://e.org/a/story.html", "https://e.org/a/story,seite-2.html"),
            ("https://e.org/s.php?id=7", "https://e.org/s.php?id=7&p=2"),
            ("https://e.org/a/story?page=1", "https://e.org/a/story?page=2"),
        ] {
            assert_eq!(of(first).0, of(second).0, "{first} {second}");
            assert_eq!((of(first).1, of(second).1), (1, 2), "{first} {second}");
        }
        for alone in [
            "https://e.org/news/1002",
            "https://e.org/top10",
            "https://e.org/2",
            "https://e.org/a/x.2024.html",
        ] {
            assert_eq!(of(alone).1, 1, "{alone}");
        }
        assert_eq!(of("").1, 1);
    }

    #[test]
    fn titles_without_numbers_of_pages() {
        let of = title_without_page;
        for other in
            ["A story - Page 2", "A story | 3 ", "A story (page 2 of 3)", "A Story, Seite 2 von 3"]
        {
            assert_eq!(of(other), of("A story"), "{other}");
        }
        assert_ne!(of("Another story"), of("A story"));
    }
}
