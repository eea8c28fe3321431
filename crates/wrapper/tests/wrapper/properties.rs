//! Properties that hold for any wanted nodes on any pages.

use dom::xpath::Path;
use dom::{Document, NodeId};
use proptest::prelude::*;
use sitegrove_wrapper::{Samples, WantedNodes, select};

/// A page of nested elements with few names, so that many recur by coincidence.
fn page() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["div", "p", "td", "section", "o:p", "article"]);
    let attribute = prop::sample::select(vec![
        "", " class=a", " class='a b'", " class=c__X1yz", " id=main", " id=post-12",
        " id=\"it's\"", " width=10", " role=main",
    ]);
    let leaf = (name.clone(), attribute.clone()).prop_map(|(n, a)| format!("<{n}{a}>x</{n}>"));
    leaf.prop_recursive(4, 24, 4, move |inner| {
        (name.clone(), attribute.clone(), prop::collection::vec(inner, 0..4))
            .prop_map(|(n, a, inside)| format!("<{n}{a}>{}</{n}>", inside.concat()))
    })
}

/// Elements selected by the bits of a number, none inside another.
fn pick(document: &Document, bits: u64) -> Vec<NodeId> {
    let mut end = 0;
    let elements = document.ids().filter(|&id| document.name(id).is_some()).skip(3);
    let picked = elements.enumerate().filter(|(i, _)| bits >> (i % 64) & 1 == 1);
    let mut wanted = Vec::new();
    for (_, id) in picked {
        if id >= end {
            wanted.push(id);
            end = document.node(id).end;
        }
    }
    wanted
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn expressions_read_back_and_exact_tells_the_truth(
        pages in prop::collection::vec((page(), any::<u64>(), any::<u64>()), 1..6),
        same in any::<bool>(),
    ) {
        let documents: Vec<Document> =
            pages.iter().map(|p| dom::parse(if same { &pages[0].0 } else { &p.0 })).collect();
        let wanted: Vec<Vec<NodeId>> = documents
            .iter()
            .zip(&pages)
            .map(|(d, p)| pick(d, if same { pages[0].1 & pages[0].2 } else { p.1 & p.2 }))
            .collect();
        let samples: Vec<WantedNodes<'_>> =
            wanted.iter().map(|wanted| WantedNodes { wanted, ..WantedNodes::default() }).collect();
        let synthesis = Samples::new(&documents).synthesize(&samples);

        prop_assert!(synthesis.paths.len() <= 3);
        prop_assert_eq!(synthesis.paths.is_empty(), wanted.iter().all(Vec::is_empty));
        for path in &synthesis.paths {
            let text = path.to_string();
            prop_assert_eq!(&text.parse::<Path>().unwrap(), path, "{}", text);
            prop_assert!(!text.contains("o:p") && !text.contains("name()"), "{}", text);
        }
        let agree = documents.iter().zip(&wanted).filter(|(d, w)| select(&synthesis.paths, d) == **w);
        let share = if synthesis.paths.is_empty() { 0.0 } else { agree.count() as f64 / documents.len() as f64 };
        prop_assert_eq!(synthesis.exact, share);
        // The same samples give the same expressions.
        prop_assert_eq!(Samples::new(&documents).synthesize(&samples), synthesis);
    }

    #[test]
    fn one_element_of_one_page_is_always_found(page in page(), bits in any::<u64>()) {
        let document = dom::parse(&page);
        let picked = pick(&document, bits);
        let Some(&one) = picked.first() else { return Ok(()) };
        let nameless = document.ancestors(one).any(|a| document.name(a).is_some_and(|n| &**n == "o:p"));
        let wanted = WantedNodes { wanted: &[one], ..WantedNodes::default() };
        let synthesis = Samples::new([&document]).synthesize(&[wanted]);
        prop_assert!(synthesis.exact == 1.0 || nameless, "{} {:?}", page, synthesis);
    }
}
