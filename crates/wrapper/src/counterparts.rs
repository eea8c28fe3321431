//! Elements that are wanted on sibling pages, and what they have in common.

use std::collections::BTreeMap;

use dom::xpath::{Predicate, Step};
use dom::{Document, LocalName, NodeId};

use crate::label::{labels_of, weak_labels_of};
use crate::pages::Page;
use crate::verdict::MISTAKE;

/// An element of a page.
pub(crate) type Place<'a> = (&'a Document, NodeId);

/// Pages that conditions are taken from; all pages have their say in the verdict.
const PAGES: usize = 8;

/// A condition and what it will weigh that it does not hold on some pages.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) predicate: Predicate,
    pub(crate) exceptions: u32,
}

/// An ancestor so many levels up from the lead, and how it can be told.
pub(crate) struct Anchor {
    pub(crate) distance: usize,
    pub(crate) step: Step,
    pub(crate) exceptions: u32,
}

/// For some pages a few of the elements wanted there.
pub(crate) struct Counterparts<'p, 'a> {
    all: &'p [Page<'a>],
    pages: Vec<Vec<Place<'a>>>,
    /// The first element wanted on a page of the most common kind.
    pub(crate) lead: Place<'a>,
    /// Tag names from the lead up to the root.
    names: Vec<LocalName>,
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
                some.into_iter().map(|i| (page.document(), page.wanted[i])).collect()
            })
            .collect();
        let mut kinds: BTreeMap<Vec<LocalName>, usize> = BTreeMap::new();
        for places in &pages {
            *kinds.entry(names_of(places[0])).or_default() += 1;
        }
        let most = kinds.values().copied().max()?;
        let lead = pages.iter().map(|p| p[0]).find(|&p| kinds[&names_of(p)] == most)?;
        Some(Self { all, pages, lead, names: names_of(lead) })
    }

    /// The tag name of all of them; `None` if they differ or no XPath can name it.
    pub(crate) fn name(&self) -> Option<LocalName> {
        let name = plain(self.names.first())?;
        self.pages.iter().flatten().all(|&(d, id)| d.is(id, &name)).then_some(name)
    }

    /// Tag names of the lead's ancestors, its parent first.
    pub(crate) fn names_above(&self) -> &[LocalName] {
        &self.names[1..]
    }

    /// What the lead's attributes say that is true of others too, cheapest first.
    pub(crate) fn own_labels(&self) -> Vec<Shared> {
        self.shared(labels_of(self.lead.0, self.lead.1))
    }

    /// The same for what it has not and what is in it.
    pub(crate) fn weak_labels(&self) -> Vec<Shared> {
        self.shared(weak_labels_of(self.lead.0, self.lead.1))
    }

    fn shared(&self, labels: Vec<Predicate>) -> Vec<Shared> {
        let shared = |predicate: Predicate| {
            let step = Step { deep: true, name: None, predicates: vec![predicate.clone()] };
            let exceptions = self.exceptions(&step, |(d, id)| predicate.holds(d, id))?;
            Some(Shared { predicate, exceptions })
        };
        labels.into_iter().filter_map(shared).collect()
    }

    /// Ancestors of the lead that can be told by a name or a condition which some ancestor of the
    /// others satisfies too; `most` conditions of each, the nearest ancestors first.
    pub(crate) fn anchors(&self, most: usize) -> Vec<Anchor> {
        let (document, lead) = self.lead;
        let mut anchors = Vec::new();
        for (distance, id) in document.ancestors(lead).enumerate().skip(1) {
            let name = plain(document.name(id));
            let speaks = name.as_ref().is_some_and(|n| matches!(&**n, "article" | "main"));
            let labels = labels_of(document, id).into_iter().take(most).map(|label| vec![label]);
            for predicates in speaks.then(Vec::new).into_iter().chain(labels) {
                let step = Step { deep: true, name: name.clone(), predicates };
                let holds =
                    |(d, id): Place<'_>| d.ancestors(id).skip(1).any(|a| step.matches(d, a));
                if let Some(exceptions) = self.exceptions(&step, holds) {
                    anchors.push(Anchor { distance, step, exceptions });
                }
            }
        }
        anchors
    }

    /// What it weighs that something does not hold on all pages; `None` if it holds on fewer than
    /// half or does not recur.
    fn exceptions(&self, step: &Step, holds: impl Fn(Place<'a>) -> bool) -> Option<u32> {
        let pages = self.pages.len();
        let holding = self.pages.iter().filter(|p| p.iter().all(|&place| holds(place))).count();
        let recurs = holding > 1 || holding == 1 && self.is_elsewhere(step);
        if !recurs || holding * 2 < pages {
            return None;
        }
        let missing = (pages - holding) as u32;
        Some(if missing > 0 { MISTAKE + 300 * missing / pages as u32 } else { 0 })
    }

    /// Whether a condition that holds for all those alike holds on more than one page.
    pub(crate) fn recurs(&self, label: &Predicate) -> bool {
        let step = || Step { deep: true, name: None, predicates: vec![label.clone()] };
        self.alike().iter().any(|&(d, _)| !std::ptr::eq(d, self.lead.0))
            || self.is_elsewhere(&step())
    }

    /// Whether a step's test passes anywhere on another page than the lead's; taken on trust if
    /// there is none.
    fn is_elsewhere(&self, step: &Step) -> bool {
        let others = self.all.iter().filter(|p| !std::ptr::eq(p.document(), self.lead.0));
        self.all.len() == 1 || others.take(PAGES).any(|page| page.has(step))
    }

    /// The lead and those that lie below the same tag names.
    pub(crate) fn alike(&self) -> Vec<Place<'a>> {
        let places = self.pages.iter().flatten().copied();
        places.filter(|&place| names_of(place) == self.names).collect()
    }
}

/// Tag names from an element up to the root.
fn names_of((document, id): Place<'_>) -> Vec<LocalName> {
    document.ancestors(id).filter_map(|a| document.name(a).cloned()).collect()
}

/// A tag name that is also a name in XPath. Parsers make elements of others (`<o:p>`), and
/// engines disagree on what those are called.
pub(crate) fn plain(name: Option<&LocalName>) -> Option<LocalName> {
    name.filter(|name| dom::xpath::is_name(name)).cloned()
}
