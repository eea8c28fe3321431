//! Pages as the spool has them: made of what was read, copied for revisits, and where they are.

use grouping::matching::halves;
use grouping::{Visited, site_key};
use model::Page;
use xxhash_rust::xxh3::xxh3_64;

use crate::shuffle::spool::Spool;
use crate::shuffle::stored::{Head, SourceRecord, Stored};
use crate::stages::read::{Place, Source};

/// A page of the spool: its part, its number in the part, and the bytes of its HTML.
pub(super) type PagePlace = (usize, u64, u64);

/// Determines the places of pages that are visited in the order of the spool.
#[derive(Debug, Default)]
pub(super) struct Places {
    part: usize,
    number: u64,
}

impl Places {
    pub(super) fn next(&mut self, page: &Stored) -> PagePlace {
        let site = site_key(&page.head.url).unwrap_or_default();
        let part = Spool::part_of(xxh3_64(site.as_bytes()));
        if part != self.part {
            (self.part, self.number) = (part, 0);
        }
        let place = (part, self.number, page.head.length);
        self.number += 1;
        place
    }
}

/// A page for a revisit that found it unchanged.
pub(super) fn copy_of(page: &Stored, visited: Visited) -> Stored {
    let origin = visited.origin_of_copy(&page.head.origin);
    let Visited { url, fetched, .. } = visited;
    // Links are relative to the address.
    let declared = page.head.declared.clone().filter(|_| url == page.head.url);
    let head = Head { url, fetched, origin, declared, ..page.head.clone() };
    Stored { head, html: page.html.clone(), source: page.source }
}

/// A page in the form of the spool.
pub(crate) fn stored(
    input: usize,
    page: Page,
    source: &Source,
    canonical: Option<String>,
) -> Stored {
    let &Source { digest, number, end } = source;
    let place = Place { offset: page.origin.offset, number, end };
    let source = SourceRecord { input: input as u32, place };
    let held = Stored::held(page);
    let head = Head { digest: digest.map(halves), canonical, ..held.head };
    Stored { head, source, ..held }
}
