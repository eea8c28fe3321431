//! Splits titles at the separators between a headline and a site's name.

/// Separators between a headline and a site's name.
const SEPARATORS: [&str; 23] = [
    " | ", " || ", " - ", " -- ", " – ", " — ", " :: ", " : ", " » ", " « ", " › ", " ‹ ", " · ",
    " • ", " ~ ", " / ", " > ", " < ", " ― ", "｜", ": ", "|", "_",
];

/// The parts of a title between separators. A separator without words on both sides does not count.
pub(crate) fn segments(title: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, length) in separators(title) {
        parts.push(&title[start..at]);
        start = at + length;
    }
    parts.push(&title[start..]);
    parts
}

/// All runs of adjacent segments, including the whole title.
pub(crate) fn runs(title: &str) -> Vec<&str> {
    let cuts = separators(title);
    if cuts.len() > 12 {
        return vec![title];
    }
    let starts: Vec<usize> = [0].into_iter().chain(cuts.iter().map(|c| c.0 + c.1)).collect();
    let ends: Vec<usize> = cuts.iter().map(|c| c.0).chain([title.len()]).collect();
    let pairs = (0..ends.len()).flat_map(|i| (i..ends.len()).map(move |j| (i, j)));
    pairs.map(|(i, j)| &title[starts[i]..ends[j]]).collect()
}

/// Positions and lengths of the separators, in bytes.
pub(crate) fn separators(title: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let bytes = title.as_bytes();
    let mut at = 0;
    while let Some(step) = bytes[at..].iter().position(|b| begins_separator(*b)) {
        at += step;
        let between_words =
            bytes[at] == b' ' && bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        let rest = &title[at..];
        let separator = SEPARATORS.iter().find(|s| !between_words && rest.starts_with(**s));
        if let Some(separator) = separator
            && at > 0
            && at + separator.len() < title.len()
        {
            found.push((at, separator.len()));
        }
        at += separator.map_or(1, |separator| separator.len());
    }
    found
}

/// Whether a separator may begin with this byte (the first byte of a multi-byte character).
fn begins_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b':' | b'|' | b'_' | 0xef)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_separator_is_found() {
        for separator in SEPARATORS {
            assert!(begins_separator(separator.as_bytes()[0]), "{separator}");
            let title = format!("Über a b{separator}ｘ");
            assert_eq!(segments(&title), ["Über a b", "ｘ"], "{separator}");
        }
        assert_eq!(segments(" - a: b_"), [" - a", "b_"]);
    }
}
