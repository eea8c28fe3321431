//! The files of a crawl: which belong together, and whether all are there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};

use super::file::StepFile;
use super::identity::{Identity, Share, Step};
use crate::config::Config;

/// The files of a crawl, by step.
#[derive(Debug, Default)]
pub(crate) struct Files {
    pub(crate) surveys: Vec<StepFile>,
    pub(crate) learnt: Vec<StepFile>,
    pub(crate) applied: Vec<StepFile>,
}

impl Files {
    /// Opens files, in any order, and checks that they are of one version, one crawl and these settings.
    ///
    /// # Errors
    /// If one cannot be read, or they do not belong together; the message says which and what to do.
    pub(crate) fn open(paths: &[PathBuf], config: &Config) -> Result<Self> {
        ensure!(!paths.is_empty(), "no files: name those that `sitegrove survey` wrote");
        let expected = Identity::of(Step::Survey, 0, config, Vec::new());
        let mut files = Self::default();
        let mut seen: BTreeSet<&Path> = BTreeSet::new();
        for path in paths.iter().filter(|path| seen.insert(path)) {
            let file = StepFile::open(path)?;
            let (own, shown) = (file.identity(), path.display());
            if own.version != expected.version {
                bail!(
                    "{shown} was written by sitegrove {}, this is {}",
                    own.version,
                    expected.version
                );
            }
            if own.settings != expected.settings {
                bail!(
                    "{shown} was written with other settings: give all steps the same settings, outputs \
                     (--sinks, --markdown) included"
                );
            }
            match own.step {
                Step::Survey => files.surveys.push(file),
                Step::Learn => files.learnt.push(file),
                Step::Apply => files.applied.push(file),
            }
        }
        let own = |file: &StepFile| file.identity().surveys.first().cloned().unwrap_or_default();
        files.surveys.sort_by_key(own);
        if let Some(pair) = files.surveys.windows(2).find(|pair| own(&pair[0]) == own(&pair[1])) {
            let [one, other] = [0, 1].map(|at: usize| pair[at].path().display());
            bail!("{one} and {other} are surveys of the same inputs: name one of them");
        }
        Ok(files)
    }

    /// Digests of the surveys, sorted.
    pub(crate) fn digests(&self) -> Vec<String> {
        self.surveys.iter().flat_map(|file| file.identity().surveys.clone()).collect()
    }

    /// Checks that all surveys of the crawl are there: those that the sites were learnt from.
    ///
    /// # Errors
    /// Names a file that was made of other surveys.
    pub(crate) fn check_complete(&self) -> Result<()> {
        ensure!(
            !self.surveys.is_empty(),
            "no survey among the files: name those that `sitegrove survey` wrote"
        );
        let all = self.digests();
        for file in &self.learnt {
            ensure!(
                file.identity().surveys == all,
                "{} was learnt from {} surveys, and {} are named, or other ones: name the same, all of them",
                file.path().display(),
                file.identity().surveys.len(),
                all.len()
            );
        }
        for file in &self.applied {
            let known = file.identity().surveys.iter().all(|digest| all.contains(digest));
            ensure!(known, "{} is of a survey that is not named", file.path().display());
        }
        Ok(())
    }

    /// Checks that a round is complete: every share of the sites was learnt, once.
    ///
    /// # Errors
    /// Names what is missing.
    pub(crate) fn check_learnt(&self, round: u8) -> Result<()> {
        let of_round = self.learnt.iter().map(StepFile::identity).filter(|own| own.round == round);
        let shares: BTreeSet<Share> = of_round.map(|own| own.share).collect();
        let Some(of) = shares.first().map(|share| share.of) else {
            bail!(
                "round {round} of learning is missing: no file of `sitegrove learn` of it is named"
            );
        };
        if let Some(other) = shares.iter().find(|share| share.of != of) {
            bail!("shares of different numbers were learnt in round {round}: of {of}, and {other}");
        }
        let missing = (1..=of).map(|part| Share { part, of }).find(|share| !shares.contains(share));
        match missing {
            Some(share) => bail!(
                "share {share} of round {round} is missing: `sitegrove learn --share {share}`"
            ),
            None => Ok(()),
        }
    }

    /// Checks that models of a round were applied to the pages of every survey.
    ///
    /// # Errors
    /// Names a survey that is missing.
    pub(crate) fn check_applied(&self, round: u8) -> Result<()> {
        let done: BTreeSet<&String> = (self.applied.iter().map(StepFile::identity))
            .filter(|own| own.round == round)
            .flat_map(|own| &own.surveys)
            .collect();
        let is_done =
            |file: &&StepFile| file.identity().surveys.iter().all(|own| done.contains(own));
        match self.surveys.iter().find(|file| !is_done(file)) {
            Some(file) => bail!(
                "models of round {round} were not applied to the pages of {}: `sitegrove apply` it",
                file.path().display()
            ),
            None => Ok(()),
        }
    }
}
