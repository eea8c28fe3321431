//! What an expression asks of a reader and a maintainer: lower is shorter and more robust.

use dom::LocalName;
use dom::xpath::{Path, Predicate, Step};

use crate::names::{is_abbreviated, looks_generated, says_content, says_layout};

/// The cost of a path.
pub(crate) fn cost(path: &Path) -> u32 {
    let steps: u32 = path.steps.iter().enumerate().map(|(i, s)| step_cost(s, i == 0)).sum();
    steps + unsaid(path.steps.last(), path.steps.len())
}

/// What it costs that the end of a path says nothing of what it selects but the tag, and that
/// whatever lies anywhere below the rest may be it.
pub(crate) fn unsaid(last: Option<&Step>, steps: usize) -> u32 {
    match last {
        Some(last) if steps > 1 && last.predicates.is_empty() => {
            if last.deep {
                14
            } else {
                10
            }
        }
        _ => 0,
    }
}

fn step_cost(step: &Step, leads: bool) -> u32 {
    let conditions = conditions_cost(&step.predicates);
    if !leads {
        // Children only is said as quickly as any depth, and says more.
        return 6 + u32::from(step.deep) + conditions;
    }
    let place = if step.deep { 0 } else { 12 };
    let nameless = if step.name.is_none() { 2 } else { 0 };
    place
        + nameless
        + if step.predicates.is_empty() { bare(step.name.as_ref()) } else { conditions }
}

/// The cost of several conditions on one element.
pub(crate) fn conditions_cost(predicates: &[Predicate]) -> u32 {
    let each: u32 = predicates.iter().map(predicate_cost).sum();
    each + 4 * predicates.len().saturating_sub(1) as u32
}

/// A tag name by itself, anywhere on the page: some say enough.
fn bare(name: Option<&LocalName>) -> u32 {
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
        Predicate::All(parts) | Predicate::Any(parts) => conditions_cost(parts) + 4,
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

/// The cost of resting on how an element looks, and only today.
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
