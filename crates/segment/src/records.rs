//! Records of the crawl that are no pages, but say something of articles: pictures, and answers without a page.

use std::io;
use std::path::Path;

use config::Config;
use grouping::Tracking;
use model::{Drop, SiteResult};

use crate::absences::{Absences, AbsencesRead};
use crate::pictures::{PictureRecords, PicturesRead};

/// Receives the drops of a crawl, in their order.
#[derive(Debug)]
pub struct RecordsRead {
    pictures: PicturesRead,
    absences: AbsencesRead,
}

impl RecordsRead {
    /// What does not fit into memory is kept in `folder`, which must exist.
    pub fn new(folder: &Path, config: &Config) -> Self {
        let tracking = Tracking::new(&config.group.tracking_parameters);
        Self { pictures: PicturesRead::new(folder), absences: AbsencesRead::new(folder, tracking) }
    }

    /// Notes a record.
    ///
    /// # Errors
    /// If the disk is full or the like.
    pub fn see(&mut self, drop: &Drop) -> io::Result<()> {
        self.pictures.see(drop)?;
        self.absences.see(drop)
    }

    /// All of them, to be looked up.
    ///
    /// # Errors
    /// If the disk is full or the like.
    pub fn finish(self, folder: &Path) -> io::Result<Records> {
        let (pictures, absences) = (self.pictures.finish(folder)?, self.absences.finish(folder)?);
        Ok(Records { pictures, absences })
    }
}

/// Such records, by address.
#[derive(Debug)]
pub struct Records {
    pictures: PictureRecords,
    /// Answers without a page.
    pub absences: Absences,
}

impl Records {
    /// Adds to articles what the records say: where their pictures are, and whether their address is gone.
    ///
    /// # Errors
    /// If the files with the records cannot be read.
    pub fn add_to(&self, result: &mut SiteResult) -> io::Result<()> {
        self.pictures.place(result)?;
        self.absences.mark(result)
    }
}
