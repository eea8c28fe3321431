//! Properties that hold for any page and any method.

use dom::{Document, NodeId, parse};
use proptest::prelude::*;
use sitegrove_pagewise::{
    BlocksConfig, DensityConfig, Method, Parameters, Redundant, WordsLeavesConfig, blocks, density,
    extract, words_leaves,
};

const NAMES: [&str; 18] = [
    "a", "a href=x", "b", "p", "div", "ul", "li", "table", "tr", "td", "h1", "br", "img",
    "article", "body", "frameset", "select", "div style=display:none",
];

fn page() -> impl Strategy<Value = String> {
    let name = prop::sample::select(&NAMES[..]);
    let piece = prop_oneof![
        name.clone().prop_map(|n| format!("<{n}>")),
        name.prop_map(|n| format!("</{n}>")),
        "[a-z .]{0,30}",
        Just("文章の内容です。".to_owned()),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Kept nodes are ascending, and none lies inside another.
fn check(document: &Document, kept: &[NodeId]) {
    assert!(kept.iter().all(|&id| (id as usize) < document.len()));
    assert!(kept.windows(2).all(|pair| document.node(pair[0]).end <= pair[1]), "{kept:?}");
}

proptest! {
    #[test]
    fn nodes_rise_and_do_not_overlap(html in page()) {
        let d = parse(&html);
        for method in Method::ALL {
            check(&d, &extract(&d, method, &Parameters::PUBLISHED));
        }
        check(&d, &density(&d, &DensityConfig::AS_PRINTED));
        check(&d, &words_leaves(&d, &WordsLeavesConfig::AS_PRINTED));
    }

    /// A page compared with itself has nothing of its own; compared with an empty one it keeps
    /// everything.
    #[test]
    fn redundancy(html in page(), distance in 0.0..0.5f64) {
        let (d, empty) = (parse(&html), parse(""));
        let config = BlocksConfig { distance, ..BlocksConfig::PUBLISHED };
        let twice = Redundant::of(&[&d, &d], &config);
        prop_assert_eq!(twice.blocks(&d, &config), Vec::<NodeId>::new());
        let alone = Redundant::of(&[&d, &empty], &config);
        prop_assert_eq!(alone.blocks(&d, &config), blocks(&d, &BlocksConfig::PUBLISHED));
    }
}

/// Large pages, which would hang unless the time is linear.
#[test]
fn large_pages() {
    let paragraphs = "<p>Some words of a paragraph, and <a href=x>a link</a>.</p>".repeat(30_000);
    let deep = "<div>".repeat(500) + &paragraphs;
    for html in [paragraphs, deep, "<table>".repeat(5_000), "word ".repeat(200_000)] {
        let d = parse(&html);
        for method in Method::ALL {
            check(&d, &extract(&d, method, &Parameters::PUBLISHED));
        }
    }
}

/// A hundred siblings that share a large block except for a word, and each have a block of their
/// own.
#[test]
fn a_hundred_siblings() {
    let page = |i: usize| {
        let links: String =
            (0..150).map(|n| format!("<li>Related story number {n} of the day</li>")).collect();
        let own: String =
            (0..20).map(|n| format!("<p>Paragraph {n} of article {i}.</p>")).collect();
        format!("<ul>{links}<li>{i}</li></ul><div>{own}</div>")
    };
    let documents: Vec<Document> = (0..100).map(|i| parse(&page(i))).collect();
    let documents: Vec<&Document> = documents.iter().collect();
    let config = BlocksConfig { distance: 0.05, ..BlocksConfig::PUBLISHED };
    let redundant = Redundant::of(&documents, &config);
    for d in documents {
        let kept = redundant.blocks(d, &config);
        let text: String = kept.iter().map(|&id| d.text_content(id)).collect();
        assert!(text.starts_with("Paragraph 0 of article") && text.len() > 400);
        assert_eq!(kept.len(), 20);
    }
}
