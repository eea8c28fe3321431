//! Skips sites whose output an earlier process already wrote.

use std::path::Path;

use model::SiteResult;
use sink::{AtomicFile, SinkError};

use super::{Fingerprints, Outputs, Rendered, wrappers_of};

/// A site by its key, and its output.
type Known<'a> = (&'a str, &'a Fingerprints);

impl Outputs {
    /// The files with lines of sites; none if a chosen sink is of another kind, or failed.
    fn files(&mut self) -> Option<Vec<&mut AtomicFile>> {
        let mut files = Vec::with_capacity(self.sinks.len() + 1);
        for chosen in &mut self.sinks {
            files.push(chosen.sink.as_mut().ok()?.file()?);
        }
        files.push(&mut self.dropped);
        Some(files)
    }

    /// Skips the next sites as long as all of their output is in the files; returns how many. Skips none if
    /// an output cannot be resumed ([`sink::Sink::file`]).
    pub fn pass(&mut self, sites: &[Known<'_>]) -> usize {
        let folder = self.wrappers.clone();
        let Some(mut files) = self.files() else { return 0 };
        let (in_files, mut wrappers) =
            rayon::join(|| held_in(&mut files, sites), || wrappers_held_in(&folder, sites));
        let both = in_files.min(wrappers.len());
        for mut file in wrappers.split_off(both) {
            // They are checked again when they are written.
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

    /// Skips the next part of a site, given without its lines, if these are in the files; returns whether it
    /// was skipped.
    ///
    /// # Errors
    /// As [`Outputs::emit`]: the wrapper file is written after the last part.
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

/// Number of first sites whose lines are the next ones in all files.
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

/// The wrapper files of the first sites, as long as they exist.
fn wrappers_held_in(folder: &Path, sites: &[Known<'_>]) -> Vec<AtomicFile> {
    let held = |(site, output): &Known<'_>| {
        let path = wrappers_of(folder, site);
        let bytes = output.wrappers.filter(|_| AtomicFile::temporary(&path).exists())?;
        // A failure here is reported when the file is written.
        let mut file = AtomicFile::create(&path).ok()?;
        let held = file.holds_only(&bytes);
        file.pass(if held { bytes.length } else { 0 });
        file.close().ok().filter(|()| held).map(|()| file)
    };
    sites.iter().map_while(held).collect()
}
