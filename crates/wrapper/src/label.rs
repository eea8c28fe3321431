//! What can be said of an element that is also true of its counterparts on sibling pages.

use std::collections::BTreeMap;

use dom::xpath::Predicate;
use dom::{Document, LocalName, NodeId, class_tokens, local_name};

/// A condition and what it costs a reader and a maintainer: lower is shorter and more robust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) predicate: Predicate,
    pub(crate) cost: u32,
}

/// How often an id, class or attribute value must recur for the wrapper to rest on it.
#[derive(Default)]
pub(crate) struct Recurrence {
    pages: u32,
    tokens: BTreeMap<(LocalName, String), u32>,
}

impl Recurrence {
    /// Counts over the sample pages on how many of them each class token and value occurs.
    pub(crate) fn count<'a>(documents: impl Iterator<Item = &'a Document>) -> Self {
        let mut recurrence = Self::default();
        for document in documents {
            recurrence.pages += 1;
            let mut seen = std::collections::BTreeSet::new();
            for id in document.ids() {
                let Some(element) = document.element(id) else { continue };
                for (name, value) in element.attributes() {
                    if *name == local_name!("class") {
                        for token in class_tokens(value) {
                            seen.insert((name.clone(), token.to_owned()));
                        }
                    } else if is_telling(name) && value.len() <= MAX_VALUE {
                        seen.insert((name.clone(), value.to_owned()));
                    }
                }
            }
            for token in seen {
                *recurrence.tokens.entry(token).or_default() += 1;
            }
        }
        recurrence
    }

    /// With a single page nothing can recur, so everything is taken on trust.
    fn recurs(&self, name: &LocalName, value: &str) -> bool {
        let count = self.tokens.get(&(name.clone(), value.to_owned())).copied().unwrap_or(0);
        count >= 2.min(self.pages)
    }
}

/// Longer values are sentences, addresses or styles, not names.
const MAX_VALUE: usize = 60;

/// Attributes that name what an element is, beside `class`.
fn is_telling(name: &LocalName) -> bool {
    matches!(
        &**name,
        "id" | "itemprop"
            | "itemtype"
            | "role"
            | "property"
            | "typeof"
            | "name"
            | "rel"
            | "data-testid"
            | "data-component"
            | "data-type"
            | "data-role"
            | "data-module"
            | "data-block"
            | "data-qa"
            | "aria-label"
            | "align"
            | "valign"
            | "width"
            | "bgcolor"
            | "height"
            | "cellpadding"
            | "cellspacing"
            | "border"
            | "color"
            | "face"
            | "size"
    )
}

/// Whether a name looks as if a program made it up: hex or mixed runs, long digit runs.
fn looks_generated(token: &str) -> bool {
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    let letters = token.bytes().filter(u8::is_ascii_alphabetic).count();
    let vowels = token.bytes().filter(|b| b"aeiouyAEIOUY".contains(b)).count();
    let mixed_case = token
        .bytes()
        .zip(token.bytes().skip(1))
        .filter(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase());
    digits >= 4
        || (digits >= 2 && digits * 2 >= letters)
        || (letters >= 6 && vowels * 6 < letters)
        || (token.len() <= 8 && digits >= 1 && mixed_case.count() >= 1)
}

/// The cost of resting on an attribute's value.
fn cost(name: &LocalName, value: &str) -> u32 {
    let kind = match &**name {
        "id" | "itemprop" => 10,
        "class" => 14,
        "role" | "property" | "data-testid" | "data-component" | "data-role" | "itemtype" => 16,
        "name" | "rel" | "typeof" | "data-type" | "data-module" | "data-block" | "data-qa" => 18,
        "aria-label" => 24,
        _ => 34,
    };
    let generated = if looks_generated(value) { 40 } else { 0 };
    kind + generated + value.chars().count() as u32 / 8
}

/// Conditions that hold for all the given elements, cheapest first: values of telling attributes
/// they share, class tokens they share, beginnings of ids they share, and the plain absence of
/// class and id.
pub(crate) fn shared_labels(
    elements: &[(&Document, NodeId)],
    recurrence: &Recurrence,
) -> Vec<Label> {
    let Some(&(document, first)) = elements.first() else { return Vec::new() };
    let Some(element) = document.element(first) else { return Vec::new() };
    let mut labels = Vec::new();
    for (name, value) in element.attributes() {
        if *name == local_name!("class") {
            for token in class_tokens(value) {
                if recurrence.recurs(name, token) {
                    let predicate = Predicate::HasClass(token.to_owned());
                    labels.push(Label { predicate, cost: cost(name, token) });
                }
            }
        } else if is_telling(name) && value.len() <= MAX_VALUE && !value.trim().is_empty() {
            if recurrence.recurs(name, value) {
                let predicate = Predicate::Equals(name.clone(), value.to_owned());
                labels.push(Label { predicate, cost: cost(name, value) });
            }
            if *name == local_name!("id") {
                // `post-1234` on one page, `post-1235` on the next.
                let prefix = value.trim_end_matches(|c: char| c.is_ascii_digit());
                if prefix.len() >= 3 && prefix.len() < value.len() {
                    let predicate = Predicate::StartsWith(name.clone(), prefix.to_owned());
                    labels.push(Label { predicate, cost: cost(name, prefix) + 6 });
                }
            }
        }
    }
    for name in [local_name!("class"), local_name!("id")] {
        if element.attribute(&name).is_none() {
            let predicate = Predicate::Not(Box::new(Predicate::Has(name)));
            labels.push(Label { predicate, cost: 50 });
        }
    }
    labels.retain(|l| elements.iter().all(|&(d, id)| l.predicate.holds(d, id)));
    labels.sort_by(|a, b| {
        (a.cost.cmp(&b.cost)).then_with(|| a.predicate.to_string().cmp(&b.predicate.to_string()))
    });
    labels.dedup_by(|a, b| a.predicate == b.predicate);
    labels
}

/// Conditions on what the elements contain, for elements without telling attributes: a heading
/// or the like as child or descendant of all of them.
pub(crate) fn content_labels(elements: &[(&Document, NodeId)]) -> Vec<Label> {
    const INSIDE: [LocalName; 5] = [
        local_name!("h1"),
        local_name!("h2"),
        local_name!("p"),
        local_name!("blockquote"),
        local_name!("font"),
    ];
    INSIDE
        .into_iter()
        .flat_map(|name| {
            [
                Label { predicate: Predicate::Child(name.clone()), cost: 45 },
                Label { predicate: Predicate::Descendant(name), cost: 48 },
            ]
        })
        .filter(|l| elements.iter().all(|&(d, id)| l.predicate.holds(d, id)))
        .collect()
}
