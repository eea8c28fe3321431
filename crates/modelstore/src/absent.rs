//! The store of a build without SQLite: there is none, and opening one says so.

use std::path::Path;

use database::Waiting;
use model::TemplateNight;

use crate::error::StoreError;
use crate::records::{Evicted, Retained, Run, SiteState, Update};
use crate::rows::{Import, ModelRow, NightRow, RevisionRow, SiteRow, Summary};

/// A store of site models. A build without SQLite has none.
#[derive(Debug)]
pub enum Store {}

impl Store {
    /// Says that this build has none.
    ///
    /// # Errors
    /// Always.
    pub fn open(path: &Path, _waiting: Waiting<'_>) -> Result<Self, StoreError> {
        Err(StoreError::LeftOut(path.to_owned()))
    }

    /// Says that this build has none.
    ///
    /// # Errors
    /// Always.
    pub fn look(path: &Path) -> Result<Self, StoreError> {
        Err(StoreError::LeftOut(path.to_owned()))
    }

    /// Says that this build has none.
    ///
    /// # Errors
    /// Always.
    pub fn look_or_empty(path: &Path) -> Result<Self, StoreError> {
        Err(StoreError::LeftOut(path.to_owned()))
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        match *self {}
    }

    /// Begins to take in a run.
    ///
    /// # Errors
    /// None: there is no such store.
    pub fn begin(&self, _run: &Run) -> Result<bool, StoreError> {
        match *self {}
    }

    /// Whether a run was taken in before.
    ///
    /// # Errors
    /// None: there is no such store.
    pub fn recognise(&self, _run: &Run) -> Result<bool, StoreError> {
        match *self {}
    }

    /// The last run that was taken in.
    ///
    /// # Errors
    /// None: there is no such store.
    pub fn last_night(&self) -> Result<Option<(String, u64)>, StoreError> {
        match *self {}
    }

    /// What the store holds, in short.
    ///
    /// # Errors
    /// None: there is no such store.
    pub fn state(&self) -> Result<String, StoreError> {
        match *self {}
    }

    /// What is known of a site.
    ///
    /// # Errors
    /// None: there is no such store.
    pub fn site(&self, _key: &str) -> Result<SiteState, StoreError> {
        match *self {}
    }

    /// The retained pages of a site.
    ///
    /// # Errors
    /// None: there is no such store.
    pub fn sample(&self, _key: &str) -> Result<Vec<Retained>, StoreError> {
        match *self {}
    }

    /// Takes in what a run found of a site.
    ///
    /// # Errors
    /// None: there is no such store.
    pub fn take(&self, _update: &Update) -> Result<(), StoreError> {
        match *self {}
    }

    /// Keeps what was taken in.
    ///
    /// # Errors
    /// None: there is no such store.
    pub fn commit(
        &self,
        _most_sample_bytes: u64,
        _waiting: Waiting<'_>,
    ) -> Result<Evicted, StoreError> {
        match *self {}
    }

    /// A summary of the store.
    ///
    /// # Errors
    /// None: there is no such store.
    pub fn summary(&self) -> Result<Summary, StoreError> {
        match *self {}
    }

    /// Checks the file.
    ///
    /// # Errors
    /// None: there is no such store.
    pub fn check(&self) -> Result<(), StoreError> {
        match *self {}
    }

    /// All sites.
    ///
    /// # Errors
    /// None: there is no such store.
    pub fn sites(&self) -> Result<Vec<SiteRow>, StoreError> {
        match *self {}
    }

    /// The revisions of a site's model.
    ///
    /// # Errors
    /// None: there is no such store.
    pub fn revisions(&self, _key: &str) -> Result<Vec<RevisionRow>, StoreError> {
        match *self {}
    }

    /// The nights of a site.
    ///
    /// # Errors
    /// None: there is no such store.
    pub fn nights(&self, _key: &str) -> Result<Vec<NightRow>, StoreError> {
        match *self {}
    }

    /// How the templates of a site were in a run.
    ///
    /// # Errors
    /// None: there is no such store.
    pub fn health(&self, _key: &str, _run: i64) -> Result<Vec<TemplateNight>, StoreError> {
        match *self {}
    }

    /// The bytes of a revision.
    ///
    /// # Errors
    /// None: there is no such store.
    pub fn model(&self, _key: &str, _revision: Option<u32>) -> Result<Option<Vec<u8>>, StoreError> {
        match *self {}
    }

    /// Lets all that is known of a site go.
    ///
    /// # Errors
    /// None: there is no such store.
    pub fn forget(&self, _key: &str) -> Result<bool, StoreError> {
        match *self {}
    }

    /// The revisions of a site's model.
    ///
    /// # Errors
    /// None: there is no such store.
    pub fn models(&self, _key: &str) -> Result<Vec<ModelRow>, StoreError> {
        match *self {}
    }

    /// Adds a model that came from elsewhere.
    ///
    /// # Errors
    /// None: there is no such store.
    pub fn import(&self, _model: &ModelRow) -> Result<Import, StoreError> {
        match *self {}
    }
}
