//! The files of a crawl: which belong together, and whether all are there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};

use super::file::StepFile;
use super::identity::{Identity, Share, Step};
use crate::config::Config;
use crate::run::begin;

/// The files of a crawl, by step.
#[derive(Debug, Default)]
pub(crate) struct Files {
    pub(crate) surveys: Vec<StepFile>,
    pub(crate) learnt: Vec<StepFile>,
    pub(crate) applied: Vec<StepFile>,
    pub(crate) described: Vec<StepFile>,
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
                Step::Describe => files.described.push(file),
            }
        }
        begin();
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
        for file in self.learnt.iter().chain(&self.described) {
            ensure!(
                file.identity().surveys == all,
                "{} was made of {} surveys, and {} are named, or other ones: name the same, all of them",
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
        let of_round = self.learnt.iter().filter(|file| file.identity().round == round);
        ensure!(
            all_shares(of_round, &format!("round {round} of `sitegrove learn`"))?,
            "round {round} of learning is missing: no file of `sitegrove learn` of it is named"
        );
        Ok(())
    }

    /// Whether articles were described, and if so, that those of every share were, once.
    ///
    /// # Errors
    /// Names what is missing.
    pub(crate) fn check_described(&self) -> Result<bool> {
        all_shares(self.described.iter(), "`sitegrove describe`")
    }

    /// The state of the store of models that sites were learnt with; none without a store.
    ///
    /// # Errors
    /// If it changed between two of the files.
    pub(crate) fn store(&self) -> Result<Option<&str>> {
        let mut states = self.learnt.iter().map(|file| (file, file.identity().store.as_deref()));
        let first = states.next().and_then(|(_, state)| state);
        if let Some((file, _)) = states.find(|(_, state)| *state != first) {
            bail!(
                "{} was learnt when the store of models held something else than for {}: learn all shares again",
                file.path().display(),
                self.learnt[0].path().display()
            );
        }
        Ok(first)
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

/// Whether there are files of a step, and if so, that those of all shares are there.
fn all_shares<'a>(files: impl Iterator<Item = &'a StepFile>, step: &str) -> Result<bool> {
    let shares: BTreeSet<Share> = files.map(|file| file.identity().share).collect();
    let Some(of) = shares.first().map(|share| share.of) else { return Ok(false) };
    if let Some(other) = shares.iter().find(|share| share.of != of) {
        bail!("{step} was given shares of different numbers: of {of}, and {other}");
    }
    let missing = (1..=of).map(|part| Share { part, of }).find(|share| !shares.contains(share));
    match missing {
        Some(share) => bail!("share {share} of {step} is missing: run it with --share {share}"),
        None => Ok(true),
    }
}
