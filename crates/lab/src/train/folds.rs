//! Divides the gold into parts that are left out in turn.

use std::collections::BTreeSet;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::pages::Siblings;

/// The unit of what is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeaveOut {
    /// Some of the publishers at a time: all pages of a site are in one part.
    Publishers,
    /// One data set at a time.
    DataSets,
}

impl LeaveOut {
    /// The name in reports and in the weights file.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Publishers => "leave-publishers-out",
            Self::DataSets => "leave-data-set-out",
        }
    }
}

/// Divides templates into parts; returns the part of each template, and the number of parts.
/// Publishers are assigned by a hash of their names, so that adding one moves no other.
pub(super) fn parts(
    templates: &[Siblings<'_>],
    leave_out: LeaveOut,
    folds: usize,
) -> (Vec<usize>, usize) {
    match leave_out {
        LeaveOut::Publishers => {
            let part = |t: &Siblings<'_>| (xxh3_64(t.site.as_bytes()) % folds as u64) as usize;
            (templates.iter().map(part).collect(), folds)
        }
        LeaveOut::DataSets => {
            let names: BTreeSet<&str> = templates.iter().map(data_set).collect();
            let names: Vec<&str> = names.into_iter().collect();
            let part =
                |t: &Siblings<'_>| names.binary_search(&data_set(t)).unwrap_or(names.len() - 1);
            (templates.iter().map(part).collect(), names.len())
        }
    }
}

/// Whether each template is of the given percentage of publishers. They are chosen by another hash than the parts; those
/// of a smaller percentage are among those of a larger one.
pub(super) fn of_publishers(templates: &[Siblings<'_>], percent: u8) -> Vec<bool> {
    let hash = |t: &Siblings<'_>| xxh3_64_with_seed(t.site.as_bytes(), 1) % 100;
    templates.iter().map(|t| hash(t) < u64::from(percent)).collect()
}

/// The data set of a template: that of its first page with gold.
fn data_set<'a>(template: &Siblings<'a>) -> &'a str {
    let gold = template.pages.iter().find_map(|page| page.gold.as_ref());
    gold.map_or("", |(gold, _)| gold.dataset.as_str())
}
