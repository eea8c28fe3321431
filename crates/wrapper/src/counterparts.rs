//! Elements that are wanted on sibling pages, and what they have in common.

use std::collections::BTreeMap;

use dom::{LocalName, NodeId};

use crate::pages::{Memo, Page};
use crate::steps::{Condition, Steps, TestId};
use crate::verdict::MISTAKE;

/// An element of a page.
pub(crate) type Place<'a> = (&'a Memo<'a>, NodeId);

/// Pages that conditions are taken from; all pages have their say in the verdict.
const PAGES: usize = 8;

/// A condition and what it will weigh that it does not hold on some pages.
#[derive(Clone, Copy)]
pub(crate) struct Shared {
    pub(crate) condition: Condition,
    pub(crate) exceptions: u32,
}

/// An ancestor of the lead, by level, and the condition that identifies it.
pub(crate) struct Anchor {
    pub(crate) distance: usize,
    pub(crate) test: TestId,
    pub(crate) exceptions: u32,
}

/// For some pages a few of the elements wanted there.
pub(crate) struct Counterparts<'p, 'a> {
    all: &'p [Page<'a>],
    pages: Vec<Vec<Place<'a>>>,
    /// The first element wanted on a page of the most common kind.
    pub(crate) lead: Place<'a>,
    /// Tag names from the lead up to the root.
    names: Vec<&'a LocalName>,
    /// The lead and those that lie below the same tag names.
    alike: Vec<Place<'a>>,
    /// The tag name of all of them; `None` if they differ or no XPath can name it.
    pub(crate) name: Option<LocalName>,
}

impl<'p, 'a> Counterparts<'p, 'a> {
    /// `None` if nothing is wanted on any page.
    pub(crate) fn of(all: &'p [Page<'a>]) -> Option<Self> {
        let wanting: Vec<_> = all.iter().filter(|p| p.must && !p.wanted.is_empty()).collect();
        let taken = wanting.len().min(PAGES);
        let pages: Vec<Vec<Place<'a>>> = (0..taken)
            .map(|i| {
                let page = wanting[i * wanting.len() / taken];
                let (first, last) = (0, page.wanted.len() - 1);
                let mut some = vec![first, last / 2, last];
                some.dedup();
                some.into_iter().map(|i| (page.memo, page.wanted[i])).collect()
            })
            .collect();
        let firsts: Vec<Vec<&LocalName>> = pages.iter().map(|places| names_of(places[0])).collect();
        let mut kinds: BTreeMap<&[&LocalName], usize> = BTreeMap::new();
        for names in &firsts {
            *kinds.entry(names).or_default() += 1;
        }
        let most = kinds.values().copied().max()?;
        let lead = firsts.iter().position(|names| kinds[&names[..]] == most)?;
        let names = firsts[lead].clone();
        let places = pages.iter().flatten().copied();
        let alike = places.filter(|&place| lies_below(place, &names)).collect();
        let name = names.first().and_then(|name| plain(Some(name)));
        let is_named = |name: &LocalName| {
            pages.iter().flatten().all(|&(memo, id)| memo.document().is(id, name))
        };
        let name = name.filter(is_named);
        let lead = pages[lead][0];
        Some(Self { all, pages, lead, names, alike, name })
    }

    /// What is tried, by number.
    pub(crate) fn steps(&self) -> &'a Steps {
        self.lead.0.steps()
    }

    /// Tag names of the lead's ancestors, its parent first.
    pub(crate) fn names_above(&self) -> &[&'a LocalName] {
        &self.names[1..]
    }

    /// What the lead's attributes say that is true of others too, cheapest first.
    pub(crate) fn own_labels(&self) -> Vec<Shared> {
        self.shared(&self.lead.0.labels(self.lead.1))
    }

    /// The same for what it has not and what is in it.
    pub(crate) fn weak_labels(&self) -> Vec<Shared> {
        self.shared(&self.lead.0.weak_labels(self.lead.1))
    }

    fn shared(&self, labels: &[Condition]) -> Vec<Shared> {
        let shared = |&condition: &Condition| {
            let test = self.steps().test(None, &[condition]);
            let exceptions = self.exceptions(test, |(memo, id)| memo.passes(test, id))?;
            Some(Shared { condition, exceptions })
        };
        labels.iter().filter_map(shared).collect()
    }

    /// Ancestors of the lead that can be identified by a name or a condition which some ancestor of the
    /// others satisfies too; `most` conditions of each, the nearest ancestors first.
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
                let holds = |(memo, id): Place<'_>| {
                    memo.document().ancestors(id).skip(1).any(|above| memo.passes(test, above))
                };
                if let Some(exceptions) = self.exceptions(test, holds) {
                    anchors.push(Anchor { distance, test, exceptions });
                }
            }
        }
        anchors
    }

    /// What it weighs that something does not hold on all pages; `None` if it holds on fewer than
    /// half or does not recur.
    fn exceptions(&self, test: TestId, holds: impl Fn(Place<'a>) -> bool) -> Option<u32> {
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

    /// Whether a condition that holds for all those alike holds on more than one page.
    pub(crate) fn recurs(&self, label: Condition) -> bool {
        self.alike.iter().any(|&(memo, _)| !std::ptr::eq(memo, self.lead.0))
            || self.is_elsewhere(self.steps().test(None, &[label]))
    }

    /// Whether a test passes anywhere on another page than the lead's; taken on trust if there is none.
    fn is_elsewhere(&self, test: TestId) -> bool {
        let others = self.all.iter().filter(|page| !std::ptr::eq(page.memo, self.lead.0));
        self.all.len() == 1 || others.take(PAGES).any(|page| page.memo.has(test))
    }

    /// The lead and those that lie below the same tag names.
    pub(crate) fn alike(&self) -> &[Place<'a>] {
        &self.alike
    }
}

/// Tag names from an element up to the root.
fn names_of<'a>((memo, id): Place<'a>) -> Vec<&'a LocalName> {
    let document = memo.document();
    document.ancestors(id).filter_map(|above| document.name(above)).collect()
}

/// Whether these are the tag names from an element up to the root.
fn lies_below((memo, id): Place<'_>, names: &[&LocalName]) -> bool {
    let document = memo.document();
    let own = document.ancestors(id).filter_map(|above| document.name(above));
    own.eq(names.iter().copied())
}

/// A tag name that is also a name in XPath. Parsers make elements of others (`<o:p>`), and
/// engines disagree on what those are called.
pub(crate) fn plain(name: Option<&LocalName>) -> Option<LocalName> {
    name.filter(|name| dom::xpath::is_name(name)).cloned()
}
