//! Going past sites whose output an earlier process left in the files.

use std::path::Path;

use model::SiteResult;
use sink::{AtomicFile, SinkError};

use super::{Fingerprints, Outputs, Rendered, wrappers_of};

/// A site by its key, and its output.
type Known<'a> = (&'a str, &'a Fingerprints);

impl Outputs {
    /// The files that lines of sites go to; none if a chosen sink is of another kind, or failed.
    fn files(&mut self) -> Option<Vec<&mut AtomicFile>> {
        let mut files = Vec::with_capacity(self.sinks.len() + 1);
        for chosen in &mut self.sinks {
            files.push(chosen.sink.as_mut().ok()?.file()?);
        }
        files.push(&mut self.dropped);
        Some(files)
    }

    /// Goes past the next sites, as far as all of their output is in the files already; gives how many.
    /// None is gone past if there are outputs that cannot be gone on with ([`sink::Sink::file`]).
    pub fn pass(&mut self, sites: &[Known<'_>]) -> usize {
        let folder = self.wrappers.clone();
        let Some(mut files) = self.files() else { return 0 };
        let (in_files, mut wrappers) =
            rayon::join(|| held_in(&mut files, sites), || wrappers_held_in(&folder, sites));
        let both = in_files.min(wrappers.len());
        for mut file in wrappers.split_off(both) {
            // They are looked at again when they are written.
            let _ = file.keep();
        }
        for (_, output) in &sites[..both] {
            for (file, bytes) in files.iter_mut().zip(output.in_files()) {
                file.pass(bytes.map_or(0, |bytes| bytes.length));
            }
        }
        wrappers.into_iter().for_each(|file| self.add_wrappers(file));
        both
    }

    /// Goes past the next part of a site, given without its lines, if these are in the files already; gives
    /// whether it is.
    ///
    /// # Errors
    /// As [`Outputs::emit`]: what is written of all parts follows the last.
    pub fn pass_part(
        &mut self,
        part: &SiteResult,
        output: &Fingerprints,
    ) -> Result<bool, SinkError> {
        let Some(mut files) = self.files() else { return Ok(false) };
        if held_in(&mut files, &[(&part.site, output)]) == 0 {
            return Ok(false);
        }
        for (file, bytes) in files.iter_mut().zip(output.in_files()) {
            file.pass(bytes.map_or(0, |bytes| bytes.length));
        }
        let by_sink = self.sinks.iter().map(|_| None).collect();
        let result = part.without_lines();
        let (dropped, health) = (Vec::new(), Vec::new());
        self.emit(Rendered { result, by_sink, dropped, wrappers: None, health })?;
        Ok(true)
    }
}

/// The first sites whose lines are the next ones in all files: how many.
fn held_in(files: &mut [&mut AtomicFile], sites: &[Known<'_>]) -> usize {
    let mut behind = vec![0; files.len()];
    let held = |(_, output): &&Known<'_>| {
        let mut of_site = files.iter_mut().zip(&mut behind).zip(output.in_files());
        of_site.all(|((file, behind), bytes)| {
            bytes.is_some_and(|bytes| {
                let held = file.holds(*behind, &bytes);
                *behind += bytes.length;
                held
            })
        })
    };
    sites.iter().take_while(held).count()
}

/// The first sites whose wrapper files are there: these files.
fn wrappers_held_in(folder: &Path, sites: &[Known<'_>]) -> Vec<AtomicFile> {
    let held = |(site, output): &Known<'_>| {
        let path = wrappers_of(folder, site);
        let bytes = output.wrappers.filter(|_| AtomicFile::temporary(&path).exists())?;
        // What fails here is told when it is written.
        let mut file = AtomicFile::create(&path).ok()?;
        let held = file.holds_only(&bytes);
        file.pass(if held { bytes.length } else { 0 });
        file.close().ok().filter(|()| held).map(|()| file)
    };
    sites.iter().map_while(held).collect()
}
