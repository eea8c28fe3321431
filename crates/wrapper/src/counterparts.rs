//! The wanted elements on sibling pages, and the properties that they share.

use std::collections::BTreeMap;

use dom::{LocalName, NodeId};

use crate::pages::{IndexedPage, WantedPage};
use crate::steps::{Condition, StepTable, TestId};
use crate::verdict::MISTAKE;

pub(crate) type PageElement<'a> = (&'a IndexedPage<'a>, NodeId);

/// Maximum number of pages that conditions are taken from. Expressions are evaluated on all pages.
const PAGES: usize = 8;

/// A condition and the weight of the pages on which it does not hold.
#[derive(Clone, Copy)]
pub(crate) struct SharedCondition {
    pub(crate) condition: Condition,
    pub(crate) exceptions: u32,
}

/// An ancestor of the lead, by its distance, and the test that identifies it.
pub(crate) struct Anchor {
    pub(crate) distance: usize,
    pub(crate) test: TestId,
    pub(crate) exceptions: u32,
}

/// Some of the wanted elements of some pages.
pub(crate) struct Counterparts<'p, 'a> {
    all: &'p [WantedPage<'a>],
    pages: Vec<Vec<PageElement<'a>>>,
    /// The first wanted element on a page of the most common kind.
    pub(crate) lead: PageElement<'a>,
    /// Tag names from the lead up to the root.
    pub(crate) names: Vec<&'a LocalName>,
    /// The lead, and the elements with the same tag names up to the root.
    pub(crate) alike: Vec<PageElement<'a>>,
    /// The tag name of all elements; `None` if they differ or the name is not valid in XPath.
    pub(crate) name: Option<LocalName>,
}

impl<'p, 'a> Counterparts<'p, 'a> {
    /// `None` if no page has wanted elements.
    pub(crate) fn of(all: &'p [WantedPage<'a>]) -> Option<Self> {
        let wanting: Vec<_> = all.iter().filter(|p| p.must && !p.wanted.is_empty()).collect();
        let taken = wanting.len().min(PAGES);
        let pages: Vec<Vec<PageElement<'a>>> = (0..taken)
            .map(|i| {
                let page = wanting[i * wanting.len() / taken];
                let (first, last) = (0, page.wanted.len() - 1);
                let mut some = vec![first, last / 2, last];
                some.dedup();
                some.into_iter().map(|i| (page.memo, page.wanted[i])).collect()
            })
            .collect();
        let firsts: Vec<Vec<&LocalName>> =
            pages.iter().map(|places| names_of(places[0]).collect()).collect();
        let mut kinds: BTreeMap<&[&LocalName], usize> = BTreeMap::new();
        for names in &firsts {
            *kinds.entry(names).or_default() += 1;
        }
        let most = kinds.values().copied().max()?;
        let lead = firsts.iter().position(|names| kinds[&names[..]] == most)?;
        let names = firsts[lead].clone();
        let places = pages.iter().flatten().copied();
        let is_alike = |place: &PageElement<'a>| names_of(*place).eq(names.iter().copied());
        let alike = places.filter(is_alike).collect();
        let name = names.first().and_then(|name| plain(Some(name)));
        let is_named = |name: &LocalName| {
            pages.iter().flatten().all(|&(memo, id)| memo.document().is(id, name))
        };
        let name = name.filter(is_named);
        let lead = pages[lead][0];
        Some(Self { all, pages, lead, names, alike, name })
    }

    pub(crate) fn steps(&self) -> &'a StepTable {
        self.lead.0.steps()
    }

    /// Conditions on the lead's attributes that also hold for other wanted elements, cheapest first.
    pub(crate) fn own_labels(&self) -> Vec<SharedCondition> {
        self.shared(&self.lead.0.labels(self.lead.1))
    }

    /// Like [`Self::own_labels`], but conditions on absent attributes and on content.
    pub(crate) fn weak_labels(&self) -> Vec<SharedCondition> {
        self.shared(&self.lead.0.weak_labels(self.lead.1))
    }

    fn shared(&self, labels: &[Condition]) -> Vec<SharedCondition> {
        let shared = |&condition: &Condition| {
            let test = self.steps().test(None, &[condition]);
            let exceptions = self.exceptions(test, |(memo, id)| memo.passes(test, id))?;
            Some(SharedCondition { condition, exceptions })
        };
        labels.iter().filter_map(shared).collect()
    }

    /// Ancestors of the lead, nearest first, with a name or condition that an ancestor of the other elements also satisfies.
    /// At most `most` conditions are tried for each ancestor.
    pub(crate) fn anchors(&self, most: usize) -> Vec<Anchor> {
        let (memo, lead) = self.lead;
        let document = memo.document();
        let mut anchors = Vec::new();
        for (distance, id) in document.ancestors(lead).enumerate().skip(1) {
            let name = plain(document.name(id));
            let speaks = name.as_ref().is_some_and(|n| matches!(&**n, "article" | "main"));
            let labels = memo.labels(id);
            let labels = labels.iter().take(most).map(std::slice::from_ref);
            for conditions in speaks.then_some(&[][..]).into_iter().chain(labels) {
                let test = self.steps().test(name.clone(), conditions);
                let holds = |(memo, id): PageElement<'_>| {
                    memo.document().ancestors(id).skip(1).any(|above| memo.passes(test, above))
                };
                if let Some(exceptions) = self.exceptions(test, holds) {
                    anchors.push(Anchor { distance, test, exceptions });
                }
            }
        }
        anchors
    }

    /// The weight of the pages on which a test does not hold; `None` if it holds on fewer than half of the pages, or passes
    /// on only one page.
    fn exceptions(&self, test: TestId, holds: impl Fn(PageElement<'a>) -> bool) -> Option<u32> {
        let pages = self.pages.len();
        let holding = self.pages.iter().filter(|p| p.iter().all(|&place| holds(place))).count();
        if holding * 2 < pages {
            return None;
        }
        let recurs = holding > 1 || holding == 1 && self.is_elsewhere(test);
        if !recurs {
            return None;
        }
        let missing = (pages - holding) as u32;
        Some(if missing > 0 { MISTAKE + 300 * missing / pages as u32 } else { 0 })
    }

    /// Whether a condition that holds for the lead and the elements in `alike` holds on more than one page.
    pub(crate) fn recurs(&self, label: Condition) -> bool {
        self.alike.iter().any(|&(memo, _)| !std::ptr::eq(memo, self.lead.0))
            || self.is_elsewhere(self.steps().test(None, &[label]))
    }

    /// Whether a test passes anywhere on a page other than the lead's; assumed if there is no other
    /// page.
    fn is_elsewhere(&self, test: TestId) -> bool {
        let others = self.all.iter().filter(|page| !std::ptr::eq(page.memo, self.lead.0));
        self.all.len() == 1 || others.take(PAGES).any(|page| page.memo.has(test))
    }
}

/// Tag names from an element up to the root.
fn names_of<'a>((memo, id): PageElement<'a>) -> impl Iterator<Item = &'a LocalName> {
    let document = memo.document();
    document.ancestors(id).filter_map(|above| document.name(above))
}

/// A tag name that is also a valid name in XPath. Parsers create elements with other names
/// (`<o:p>`), and engines disagree on those names.
pub(crate) fn plain(name: Option<&LocalName>) -> Option<LocalName> {
    name.filter(|name| dom::xpath::is_name(name)).cloned()
}
