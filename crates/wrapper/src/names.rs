//! Judges how meaningful an id or class name is.

/// Whether a name looks generated: hex or mixed runs, long digit runs, style sheet rules written
/// out.
pub(crate) fn looks_generated(token: &str) -> bool {
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    let letters = token.bytes().filter(u8::is_ascii_alphabetic).count();
    let mixed_case = token
        .bytes()
        .zip(token.bytes().skip(1))
        .filter(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase());
    digits >= 4
        || (digits >= 2 && digits * 2 >= letters)
        || (token.len() <= 8 && digits >= 1 && mixed_case.count() >= 1)
        || module_stem(token).is_some()
        || token.contains(['(', ')', ':', '/', '[', '%', '!'])
}

/// Whether a name has hardly any vowels: it is an abbreviation, or generated after all.
pub(crate) fn is_abbreviated(token: &str) -> bool {
    let letters = token.bytes().filter(u8::is_ascii_alphabetic).count();
    let vowels = token.bytes().filter(|b| b"aeiouyAEIOUY".contains(b)).count();
    letters >= 6 && vowels * 6 < letters
}

/// The source name that a style sheet compiler was given: `body___` of `body___2BbXy`,
/// `Story_text__` of `Story_text__a1X9c`.
pub(crate) fn module_stem(token: &str) -> Option<&str> {
    let (stem, tail) = token.rsplit_once("__")?;
    let name = stem.trim_end_matches('_');
    let made_up = (4..=8).contains(&tail.len())
        && tail.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        && tail.bytes().any(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
    (made_up && name.len() >= 3).then(|| &token[..stem.len() + 2])
}

/// The stable beginning of an id that ends with a number: `post-` of `post-1234`.
pub(crate) fn numbered_stem(id: &str) -> Option<&str> {
    let stem = id.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem.len() >= 3 && stem.len() < id.len()).then_some(stem)
}

/// Whether a name denotes the main content of a page.
pub(crate) fn says_content(token: &str) -> bool {
    const WORDS: [&str; 7] = ["article", "content", "body", "entry", "post", "story", "text"];
    contains_any(token, &WORDS)
}

/// Whether a name describes appearance or position rather than content, or hardly anything.
pub(crate) fn says_layout(token: &str) -> bool {
    const WORDS: [&str; 24] = [
        "left",
        "right",
        "clear",
        "col",
        "row",
        "grid",
        "wrap",
        "container",
        "module",
        "inner",
        "outer",
        "box",
        "first",
        "last",
        "float",
        "align",
        "pad",
        "margin",
        "pkg",
        "white",
        "gray",
        "pink",
        "blue",
        "hidden",
    ];
    token.len() <= 2 || contains_any(token, &WORDS)
}

fn contains_any(token: &str, words: &[&str]) -> bool {
    let found = |word: &&str| {
        token.as_bytes().windows(word.len()).any(|w| w.eq_ignore_ascii_case(word.as_bytes()))
    };
    words.iter().any(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_names() {
        for token in ["css-1x2y3z4", "body___2BbXy", "sc-814e9212", "Mb(10px)", "md:flex"] {
            assert!(looks_generated(token), "{token}");
        }
        assert!(is_abbreviated("jXqPrtw") && is_abbreviated("strycntntlft"));
        for token in ["post-body", "entry__text", "articleBody", "cikk-torzs", "h1", "newstext2"] {
            assert!(!looks_generated(token), "{token}");
        }
    }

    #[test]
    fn stems() {
        assert_eq!(module_stem("body___2BbXy"), Some("body___"));
        assert_eq!(module_stem("Story_text__a1X9c"), Some("Story_text__"));
        assert_eq!(module_stem("block__element"), None);
        assert_eq!(numbered_stem("post-1234"), Some("post-"));
        assert_eq!(numbered_stem("p1"), None);
        assert_eq!(numbered_stem("main"), None);
    }
}
