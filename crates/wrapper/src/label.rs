//! What can be said of an element.

use dom::xpath::Predicate;
use dom::{Document, Kinds, LocalName, NodeId, class_tokens, local_name};

use crate::cost::predicate_cost;
use crate::names::{module_stem, numbered_stem};

/// Longer values are sentences, addresses or styles, not names.
const MAX_VALUE: usize = 60;

/// The conditions on its attributes that hold for an element, cheapest first: on those that its kind is
/// determined by, so they are the same for all of the kind.
pub(crate) fn labels_of(document: &Document, id: NodeId) -> Vec<Predicate> {
    let Some(element) = document.element(id) else { return Vec::new() };
    let mut labels = Vec::new();
    for (name, value) in element.attributes() {
        // White space that parsers and XPath may see differently, and empty values, tell nothing.
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
        } else if Kinds::tell_by(name) && is_plain(value) {
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

/// Conditions for elements that no attribute tells: what they have not, and what is in them.
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

/// Whether a value is the same to every parser and engine: no control characters, no white space
/// but plain spaces.
fn is_plain(value: &str) -> bool {
    value.chars().all(|c| c == ' ' || !(c.is_control() || c.is_whitespace() || c == '\u{fffd}'))
}
