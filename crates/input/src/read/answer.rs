//! Answers that hold no page.

use jiff::Timestamp;
use model::{Drop, DropReason, Gone, Origin, Stage};
use url::Url;

use super::{FileReading, Intake};

/// What an answer without a page says of its address, if it has a date.
pub(super) fn gone(status: u16, at: Option<Timestamp>, target: Option<Url>) -> Option<Gone> {
    let at = at?;
    match (status, target) {
        (404 | 410, _) => Some(Gone { at, status, moved_to: None }),
        (301 | 302 | 303 | 307 | 308, Some(to)) => {
            Some(Gone { at, status, moved_to: Some(to.into()) })
        }
        _ => None,
    }
}

impl FileReading<'_, '_> {
    /// Drops an answer; `gone` is what it says of its address.
    pub(super) fn drop_answer(
        &mut self,
        url: &str,
        origin: Origin,
        reason: DropReason,
        detail: String,
        gone: Option<Gone>,
    ) {
        let (site, url, stage) = (String::new(), url.to_owned(), Stage::Read);
        self.give(Intake::Drop(Drop { site, url, origin, stage, reason, detail, gone }));
    }
}
