//! What was learnt of a site.

use model::Template;

use crate::stages::cluster::Layouts;
use crate::template::LearntTemplate;

/// What was learnt of a site: it borrows nothing of the pages.
#[derive(Debug)]
pub(crate) struct Known {
    /// What tells layouts.
    pub(crate) layouts: Layouts,
    /// By the numbers that layouts tell.
    pub(crate) templates: Vec<KnownTemplate>,
}

/// A template of a site.
#[derive(Debug)]
pub(crate) struct KnownTemplate {
    pub(crate) template: Template,
    /// None where its pages are dropped for their kind.
    pub(crate) learnt: Option<LearntTemplate>,
}
