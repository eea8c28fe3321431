//! Properties that hold for any page.

#[path = "support/soup.rs"]
mod soup;

use proptest::prelude::*;
use sitegrove_dom::xpath::{Path, PathStep, Predicate};
use sitegrove_dom::{Document, Keep, LocalName, ParseOptions, PrefixSums, parse, parse_with};

use self::soup::tag_soup;

/// The layout every method relies on.
fn check_layout(d: &Document) {
    assert!(!d.is_empty() && d.node(0).parent == 0 && d.node(0).level == 0);
    assert_eq!(d.node(0).end as usize, d.len(), "one root");
    let mut text = String::new();
    for id in d.ids() {
        let node = d.node(id);
        assert!(node.end > id);
        if let Some(parent) = d.parent(id) {
            assert!(parent < id && node.end <= d.node(parent).end, "subtrees are nested");
            assert_eq!(node.level, d.node(parent).level + 1);
            assert!(d.name(parent).is_some(), "text has no children");
        }
        let mut next = id + 1;
        for child in d.children(id) {
            assert_eq!((child, d.parent(child)), (next, Some(id)), "children tile their parent");
            next = d.node(child).end;
        }
        assert_eq!(next, node.end);
        if let Some(piece) = d.text(id) {
            assert!(!piece.is_empty());
            assert_eq!(node.end, id + 1);
            let neighbour = (id > 0).then(|| d.node(id - 1)).filter(|n| n.name.is_none());
            assert!(neighbour.is_none_or(|n| n.parent != node.parent), "texts are joined");
            text.push_str(piece);
        }
    }
    assert_eq!(d.text_content(0), text);
    for id in d.ids() {
        let pieces: String = d.subtree(id).filter_map(|i| d.text(i)).collect();
        assert_eq!(d.text_content(id), pieces);
    }
    let one = PrefixSums::new(d, |_| 1);
    assert!(d.ids().all(|id| one.sum(d, id) as usize == d.subtree(id).len()));
}

fn name() -> impl Strategy<Value = LocalName> {
    "[a-z_][a-z0-9_.-]{0,6}".prop_map(LocalName::from)
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z'\" ]{0,6}", ".{0,5}"]
}

fn predicate() -> impl Strategy<Value = Predicate> {
    let leaf = prop_oneof![
        "[^ \t\r\n\x0c]{1,6}".prop_map(Predicate::HasClass),
        (name(), value()).prop_map(|(n, v)| Predicate::Equals(n, v)),
        (name(), value()).prop_map(|(n, v)| Predicate::StartsWith(n, v)),
        (name(), value()).prop_map(|(n, v)| Predicate::Contains(n, v)),
        name().prop_map(Predicate::Has),
        name().prop_map(Predicate::Child),
        name().prop_map(Predicate::Descendant),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|p| Predicate::Not(Box::new(p))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Predicate::All),
            prop::collection::vec(inner, 2..4).prop_map(Predicate::Any),
        ]
    })
}

fn path() -> impl Strategy<Value = Path> {
    let predicate = prop_oneof![4 => predicate(), 1 => (1u32..99).prop_map(Predicate::Position)];
    let element = prop_oneof![3 => name(), 1 => "[a-z][a-z:'\"é]{0,4}".prop_map(LocalName::from)];
    let step = (any::<bool>(), prop::option::of(element), prop::collection::vec(predicate, 0..3))
        .prop_map(|(deep, name, predicates)| PathStep { deep, name, predicates });
    prop::collection::vec(step, 1..4).prop_map(|steps| Path { steps })
}

proptest! {
    #[test]
    fn any_soup_has_the_layout(html in tag_soup(), max_depth in 1u32..40, max_nodes in 0u32..99) {
        for keep in [Keep::Content, Keep::Everything] {
            check_layout(&parse_with(&html, &ParseOptions { keep, ..ParseOptions::CONTENT }));
            check_layout(&parse_with(&html, &ParseOptions { keep, max_depth, max_nodes, ..ParseOptions::CONTENT }));
        }
    }

    #[test]
    fn any_text_has_the_layout(html in ".{0,200}") {
        check_layout(&parse(&html));
    }

    #[test]
    fn paths_are_read_as_printed(path in path()) {
        let text = path.to_string();
        prop_assert_eq!(text.parse::<Path>(), Ok(path), "{}", text);
    }

    #[test]
    fn reading_any_path_ends(text in "[/a-z@\\[\\]()'\"=,. ]{0,40}") {
        if let Ok(path) = text.parse::<Path>() {
            prop_assert_eq!(path.to_string().parse::<Path>(), Ok(path));
        }
    }
}
