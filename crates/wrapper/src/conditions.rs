//! Conditions that hold for an element, and the cost of an expression. Short and robust expressions with meaningful names
//! have a low cost.

use dom::xpath::Predicate;
use dom::{Document, ElementKinds, LocalName, NodeId, class_tokens, local_name};

/// Maximum length of a value in a condition, in bytes; longer values are sentences, addresses or styles, not names.
const MAX_VALUE: usize = 60;

/// The conditions on attributes that hold for an element, cheapest first. Only attributes that
/// determine the element's kind are used, so the conditions are the same for all elements of the
/// kind.
pub(crate) fn labels_of(document: &Document, id: NodeId) -> Vec<Predicate> {
    let Some(element) = document.element(id) else { return Vec::new() };
    let mut labels = Vec::new();
    for (name, value) in element.attributes() {
        // Blank values are not used, because parsers and XPath may treat white space differently.
        if value.len() > MAX_VALUE && *name != local_name!("class") || value.trim().is_empty() {
            continue;
        }
        if *name == local_name!("class") {
            for token in class_tokens(value).filter(|t| t.len() <= MAX_VALUE && is_plain(t)) {
                labels.push(Predicate::HasClass(token.to_owned()));
                labels.extend(
                    module_stem(token).map(|s| Predicate::Contains(name.clone(), s.to_owned())),
                );
            }
        } else if ElementKinds::tell_by(name) && is_plain(value) {
            labels.push(Predicate::Equals(name.clone(), value.to_owned()));
            if *name == local_name!("id") {
                labels.extend(
                    numbered_stem(value).map(|s| Predicate::StartsWith(name.clone(), s.to_owned())),
                );
            }
        }
    }
    sort(&mut labels);
    labels
}

/// Conditions for elements that cannot be identified by attributes: on absent attributes and on content.
pub(crate) fn weak_labels_of(document: &Document, id: NodeId) -> Vec<Predicate> {
    const INSIDE: [LocalName; 3] = [local_name!("h1"), local_name!("p"), local_name!("h2")];
    let absent = [local_name!("class"), local_name!("id")];
    let mut labels: Vec<Predicate> =
        absent.into_iter().map(|name| Predicate::Not(Box::new(Predicate::Has(name)))).collect();
    labels.extend(
        INSIDE
            .into_iter()
            .flat_map(|name| [Predicate::Child(name.clone()), Predicate::Descendant(name)]),
    );
    labels.retain(|label| label.holds(document, id));
    sort(&mut labels);
    labels
}

fn sort(labels: &mut Vec<Predicate>) {
    labels.sort_by_cached_key(predicate_cost);
    labels.dedup();
}

/// Whether all parsers and engines read a value in the same way: no control characters, no white space except plain
/// spaces.
fn is_plain(value: &str) -> bool {
    value.chars().all(|c| c == ' ' || !(c.is_control() || c.is_whitespace() || c == '\u{fffd}'))
}

/// The cost of a first step that may be at any depth, given the cost of its conditions.
pub(crate) fn leading_cost(name: Option<&LocalName>, bare: bool, cost: u32) -> u32 {
    let nameless = if name.is_none() { 2 } else { 0 };
    nameless + if bare { bare_cost(name) } else { cost }
}

pub(crate) fn conditions_cost(each: impl ExactSizeIterator<Item = u32>) -> u32 {
    let further = each.len().saturating_sub(1) as u32;
    each.sum::<u32>() + 4 * further
}

/// The cost of a tag name without conditions, at any depth. It is low for names that are specific enough.
fn bare_cost(name: Option<&LocalName>) -> u32 {
    match name.map(|name| &**name) {
        Some("article" | "main") => 8,
        _ => 26,
    }
}

pub(crate) fn predicate_cost(predicate: &Predicate) -> u32 {
    match predicate {
        Predicate::HasClass(token) => 14 + judged(token),
        Predicate::Equals(name, value) => match kind(name) {
            LOOKS => LOOKS,
            kind => kind + judged(value),
        },
        Predicate::StartsWith(name, value) | Predicate::Contains(name, value) => {
            kind(name) + 6 + judged(value)
        }
        Predicate::Child(_) => 32,
        Predicate::Descendant(_) => 40,
        Predicate::Not(inner) => 30 + predicate_cost(inner) / 2,
        Predicate::Has(_) => 20,
        Predicate::All(parts) | Predicate::Any(parts) => {
            conditions_cost(parts.iter().map(predicate_cost)) + 4
        }
        Predicate::Position(_) => 70,
    }
}

fn kind(name: &LocalName) -> u32 {
    match &**name {
        "id" | "itemprop" => 10,
        "class" => 14,
        "role" | "property" | "data-testid" | "data-component" | "data-role" | "itemtype" => 16,
        "name" | "rel" | "typeof" | "data-type" | "data-module" | "data-block" | "data-qa" => 18,
        "aria-label" => 26,
        _ => LOOKS,
    }
}

/// The cost of depending on the appearance of an element, which may change.
const LOOKS: u32 = 60;

fn judged(value: &str) -> u32 {
    let length = value.chars().count() as u32 / 8;
    let opinion = match value {
        _ if looks_generated(value) => 40,
        _ if is_abbreviated(value) => 6,
        _ if says_content(value) => 0,
        _ if says_layout(value) => 9,
        _ => 4,
    };
    length + opinion
}

/// Whether a name looks generated: many digits, short names in mixed case with digits, or style sheet rules as class
/// names.
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

/// Whether a name has hardly any vowels, because it is an abbreviation or generated.
pub(crate) fn is_abbreviated(token: &str) -> bool {
    let letters = token.bytes().filter(u8::is_ascii_alphabetic).count();
    let vowels = token.bytes().filter(|b| b"aeiouyAEIOUY".contains(b)).count();
    letters >= 6 && vowels * 6 < letters
}

/// The stable beginning of a class name that a CSS compiler generated: `body___` of `body___2BbXy`, `Story_text__` of
/// `Story_text__a1X9c`.
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
    contains_any(token, "article content body entry post story text")
}

/// Whether a name describes appearance or position rather than content, or is too short to describe anything.
pub(crate) fn says_layout(token: &str) -> bool {
    const WORDS: &str = "left right clear col row grid wrap container module inner outer box first last float align \
        pad margin pkg white gray pink blue hidden";
    token.len() <= 2 || contains_any(token, WORDS)
}

/// Whether a name contains any of these words, separated by spaces.
fn contains_any(token: &str, words: &str) -> bool {
    words.split(' ').any(|word| {
        token.as_bytes().windows(word.len()).any(|w| w.eq_ignore_ascii_case(word.as_bytes()))
    })
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
