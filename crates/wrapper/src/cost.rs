//! The cost of an expression: the lower, the shorter and more robust.

use dom::LocalName;
use dom::xpath::Predicate;

use crate::names::{is_abbreviated, looks_generated, says_content, says_layout};

/// The cost of a name and conditions (`cost`) at the beginning of a path that may start anywhere.
pub(crate) fn leading_cost(name: Option<&LocalName>, bare: bool, cost: u32) -> u32 {
    let nameless = if name.is_none() { 2 } else { 0 };
    nameless + if bare { bare_cost(name) } else { cost }
}

/// The cost of several conditions on one element, given the cost of each.
pub(crate) fn conditions_cost(each: impl ExactSizeIterator<Item = u32>) -> u32 {
    let further = each.len().saturating_sub(1) as u32;
    each.sum::<u32>() + 4 * further
}

/// The cost of a tag name without conditions, anywhere on the page. Some names are specific enough.
fn bare_cost(name: Option<&LocalName>) -> u32 {
    match name.map(|name| &**name) {
        Some("article" | "main") => 8,
        _ => 26,
    }
}

/// The cost of a condition.
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
    let opinion = if looks_generated(value) {
        40
    } else if is_abbreviated(value) {
        6
    } else if says_content(value) {
        0
    } else if says_layout(value) {
        9
    } else {
        4
    };
    length + opinion
}
