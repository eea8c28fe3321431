//! Conditions that hold for an element.

use dom::xpath::Predicate;
use dom::{Document, ElementKinds, LocalName, NodeId, class_tokens, local_name};

use crate::cost::predicate_cost;
use crate::names::{module_stem, numbered_stem};

/// Longest value used; longer ones are sentences, addresses or styles, not names.
const MAX_VALUE: usize = 60;

/// The conditions on attributes that hold for an element, cheapest first. Only attributes that
/// determine the element's kind are used, so the conditions are the same for all elements of the
/// kind.
pub(crate) fn labels_of(document: &Document, id: NodeId) -> Vec<Predicate> {
    let Some(element) = document.element(id) else { return Vec::new() };
    let mut labels = Vec::new();
    for (name, value) in element.attributes() {
        // Empty values, and white space that parsers and XPath may treat differently, are not used.
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

/// Conditions for elements that no attribute identifies: on absent attributes and on content.
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

/// Whether all parsers and engines read a value alike: no control characters, no white space except
/// plain spaces.
fn is_plain(value: &str) -> bool {
    value.chars().all(|c| c == ' ' || !(c.is_control() || c.is_whitespace() || c == '\u{fffd}'))
}
