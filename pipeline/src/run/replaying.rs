//! Reuses the results of an earlier process, from its journal and its unfinished outputs.

use std::io;
use std::sync::atomic::Ordering;

use anyhow::{Result, bail};
use rayon::prelude::*;

use super::{RunContext, Stopped};
use crate::progress::tally::Tally;
use crate::resume::folder::state_error;
use crate::resume::journal::{Frames, Heading, Journal, result_of};
use crate::stages::emit::{Outputs, Rendered};

/// Bytes of the journal that are processed at once.
const AT_ONCE: usize = 8 << 20;

impl RunContext<'_> {
    /// Writes the results in the journal, whose sites were compared with those that were read. Skips sites
    /// whose output is already in the files. Returns the journal, open for appending, and the number of
    /// sites, and of parts of the next one, that are done.
    pub(super) fn replay(
        &self,
        outputs: &mut Outputs,
        tally: &mut Tally,
    ) -> Result<(Journal, (usize, usize))> {
        let path = self.folder.journal();
        let failed = |e| state_error("cannot read", &path, e);
        let mut next = (0, 0);
        let (mut end, mut here, mut of) = (0, 0, 0);
        if let Some(mut frames) = Frames::open(&path).map_err(failed)? {
            loop {
                let contents = some(&mut frames).map_err(failed)?;
                if contents.is_empty() {
                    break;
                }
                let mut sites = Vec::with_capacity(contents.len());
                for content in &contents {
                    let (heading, packed) = Heading::of_content(content).map_err(failed)?;
                    next = heading.next();
                    sites.push(Before { heading, packed, rendered: None });
                }
                of += sites.len();
                here += self.take_over(sites, outputs, tally, &failed)?;
                end = frames.end();
                if self.stop.load(Ordering::Relaxed) {
                    outputs.keep();
                    bail!(Stopped::Kept(format!("after {} sites, all done before", next.0)));
                }
            }
        }
        tracing::debug!("{here} of {of} sites (or parts) done before were in the outputs already");
        let journal = Journal::open(&path, end);
        Ok((journal.map_err(|e| state_error("cannot write", &path, e))?, next))
    }

    /// Writes some sites; returns how many were already in the outputs.
    fn take_over(
        &self,
        mut sites: Vec<Before<'_>>,
        outputs: &mut Outputs,
        tally: &mut Tally,
        failed: &dyn Fn(io::Error) -> anyhow::Error,
    ) -> Result<usize> {
        let renderers = outputs.renderers();
        let render = |site: &mut Before<'_>| {
            if site.rendered.is_none() {
                let result = result_of(site.packed)?;
                let render = || renderers.render(result, site.heading.part);
                site.rendered = Some(self.clock.emit.time(render));
            }
            Ok(())
        };
        let (mut at, mut all_passed) = (0, 0);
        while at < sites.len() {
            let is_whole = |site: &&Before<'_>| site.heading.of_part.is_none();
            let whole = sites[at..].iter().take_while(is_whole);
            let whole: Vec<_> =
                whole.map(|site| (&*site.heading.counted.site, &site.heading.output)).collect();
            let here = whole.len();
            // What the store takes of a site is in its results only.
            let pass = || if self.store.is_none() { outputs.pass(&whole) } else { 0 };
            let mut passed = self.pool.install(pass);
            if passed == here
                && self.store.is_none()
                && let Some(Heading { of_part: Some(part), output, .. }) =
                    sites.get(at + here).map(|site| &site.heading)
                && outputs.pass_part(part, output)?
            {
                passed += 1;
            }
            sites[at..at + passed].iter().for_each(|site| self.count(&site.heading.counted, tally));
            (at, all_passed) = (at + passed, all_passed + passed);
            if passed <= here {
                // The output of this site differs, so that of the next ones cannot follow it.
                let rest = sites[at..].par_iter_mut();
                let rendered: io::Result<()> = self.pool.install(|| rest.try_for_each(render));
                rendered.map_err(failed)?;
            }
            while let Some(site) = sites.get_mut(at)
                && let Some(rendered) = site.rendered.take()
            {
                self.take(&site.heading.counted, rendered, outputs, tally)?;
                at += 1;
            }
        }
        Ok(all_passed)
    }
}

/// The earlier result of a site, or of a part of it.
#[derive(Debug)]
struct Before<'a> {
    heading: Heading,
    packed: &'a [u8],
    rendered: Option<Rendered>,
}

/// The contents of the next frames; none at the end.
fn some(frames: &mut Frames) -> io::Result<Vec<Vec<u8>>> {
    let mut contents = Vec::new();
    let mut bytes = 0;
    while bytes < AT_ONCE
        && let Some(content) = frames.next()?
    {
        bytes += content.len();
        contents.push(content);
    }
    Ok(contents)
}
