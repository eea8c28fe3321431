//! Reads pages again that an earlier process had in memory.

use std::io;
use std::ops::Range;

use grouping::matching::halves;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_128;

use crate::config::ReadConfig;
use crate::inputs::Input;
use crate::progress::status::Reading;
use crate::resume::catalogue::Listed;
use crate::shuffle::spool::Spool;
use crate::shuffle::stored::{Html, Stored};
use crate::stages::read::{Place, read_again, runs};

/// Pages of one input to read again.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    /// Their positions, in order.
    pub(crate) places: Vec<Place>,
    /// The pages at each position, with the hash of their site: more than one if revisits found a page
    /// unchanged.
    pages: Vec<Vec<(u64, Listed)>>,
}

impl Wanted {
    fn add(&mut self, hash: u64, page: Listed) {
        let place = page.source.place;
        match self.places.last() {
            Some(last) if *last == place => {}
            _ => {
                self.places.push(place);
                self.pages.push(Vec::new());
            }
        }
        if let Some(here) = self.pages.last_mut() {
            here.push((hash, page));
        }
    }

    /// Bytes of HTML in them.
    pub(crate) fn html_bytes(&self) -> u64 {
        self.pages.iter().flatten().map(|(_, page)| page.head.length).sum()
    }

    /// Bytes of the input that they take, as far as known.
    pub(crate) fn bytes(&self) -> u64 {
        self.places
            .iter()
            .map(|place| place.end.map_or(0, |end| end.saturating_sub(place.offset)))
            .sum()
    }
}

/// Sorts pages, given with the hash of their site's key, by their positions in `inputs` inputs.
pub(crate) fn wanted(sites: Vec<(u64, Vec<Listed>)>, inputs: usize) -> Vec<Wanted> {
    let of_site = |(hash, pages): (u64, Vec<Listed>)| pages.into_iter().map(move |p| (hash, p));
    let mut pages: Vec<(u64, Listed)> = sites.into_iter().flat_map(of_site).collect();
    pages.sort_by_key(|(_, page)| (page.source.input, page.source.place));
    let mut wanted: Vec<Wanted> = Vec::new();
    wanted.resize_with(inputs, Wanted::default);
    for (hash, page) in pages {
        if let Some(of_input) = wanted.get_mut(page.source.input as usize) {
            of_input.add(hash, page);
        }
    }
    wanted
}

/// Context for reading pages again.
#[derive(Debug)]
pub(crate) struct Again<'a> {
    pub(crate) inputs: &'a [Input],
    pub(crate) config: &'a ReadConfig,
    /// Where pages go.
    pub(crate) spool: &'a Spool,
    pub(crate) reading: &'a Reading<'a>,
}

impl Again<'_> {
    /// Reads pages again, from all inputs in parallel, and stores them in the spool. Returns whether all were
    /// found unchanged. An archive that cannot be entered at a page's position is read from its beginning.
    ///
    /// # Errors
    /// If the spool cannot keep them.
    pub(crate) fn read(&self, wanted: &[Wanted]) -> io::Result<bool> {
        let runs = wanted.iter().enumerate().flat_map(|(input, of_input)| {
            runs(&of_input.places).into_iter().map(move |run| (input, run))
        });
        let runs: Vec<(usize, Range<usize>)> = runs.collect();
        let jump = |(input, run): &(usize, Range<usize>)| {
            Ok((*input, self.read_some(*input, &wanted[*input], run.clone().collect(), false)?))
        };
        let missed: Vec<(usize, Vec<usize>)> =
            runs.par_iter().map(jump).collect::<io::Result<_>>()?;
        let mut of_inputs: Vec<Vec<usize>> = vec![Vec::new(); wanted.len()];
        for (input, missed) in missed {
            of_inputs[input].extend(missed);
        }
        let walk = |(input, missed)| self.read_some(input, &wanted[input], missed, true);
        let missed: Vec<Vec<usize>> =
            of_inputs.into_par_iter().enumerate().map(walk).collect::<io::Result<_>>()?;
        Ok(missed.iter().all(Vec::is_empty))
    }

    /// Reads the pages at some positions again; returns the positions where they are not found.
    fn read_some(
        &self,
        input: usize,
        wanted: &Wanted,
        mut at: Vec<usize>,
        from_the_start: bool,
    ) -> io::Result<Vec<usize>> {
        if at.is_empty() {
            return Ok(at);
        }
        let places: Vec<Place> = at.iter().map(|&at| wanted.places[at]).collect();
        let mut found = vec![false; at.len()];
        let mut kept = Ok(());
        let mut take = |index: usize, page: model::Page| {
            let pages = &wanted.pages[at[index]];
            if found[index] || kept.is_err() || !is_as_listed(&page.html, pages) {
                return;
            }
            found[index] = true;
            kept = self.keep(&page.html, pages);
        };
        let progress = |bytes| self.reading.progress(bytes);
        let (input, halt) = (&self.inputs[input], &self.reading.halt);
        // If a file is missing or fails, its pages count as not found.
        let read =
            read_again(input, self.config, &places, from_the_start, &progress, halt, &mut take);
        if let Err(error) = read {
            tracing::debug!("{}: {error}", input.path().display());
        }
        kept?;
        let mut found = found.into_iter();
        at.retain(|_| found.next() == Some(false));
        Ok(at)
    }

    fn keep(&self, html: &model::PageHtml, pages: &[(u64, Listed)]) -> io::Result<()> {
        pages.iter().try_for_each(|(hash, Listed { head, source, .. })| {
            let html = Html::Held(html.clone());
            let page = Stored { head: head.clone(), html, source: *source };
            self.spool.put(Spool::part_of(*hash), page)
        })
    }
}

fn is_as_listed(html: &str, pages: &[(u64, Listed)]) -> bool {
    let content = halves(xxh3_128(html.as_bytes()));
    pages.iter().all(|(_, page)| page.head.content == content)
}
