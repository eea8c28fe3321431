//! Breaks in the decompressed bytes of an archive, and the messages about them.

use model::DropReason;

use crate::Fault;

/// A break in the decompressed bytes.
#[derive(Clone, Debug)]
pub(crate) struct Gap {
    pub(crate) offset: u64,
    pub(crate) reason: DropReason,
    pub(crate) detail: String,
    pub(crate) recovered_at: Option<u64>,
    /// Whether bytes are missing. If not, the break is only reported.
    pub(crate) lossy: bool,
    /// Whether earlier bytes of the unit at `offset` may be wrong.
    pub(crate) garbled: bool,
}

impl Gap {
    /// A break because of a read error.
    pub(crate) fn unreadable(offset: u64, error: &str) -> Self {
        Self {
            offset,
            reason: DropReason::CutShort,
            detail: format!(
                "reading failed ({error}); the records before were kept; read the file again"
            ),
            recovered_at: None,
            lossy: true,
            garbled: false,
        }
    }
}

impl From<Gap> for Fault {
    fn from(broken: Gap) -> Self {
        let Gap { offset, reason, detail, recovered_at, lossy: _, garbled: _ } = broken;
        let (target_uri, record_id) = (None, String::new());
        Fault { offset, target_uri, record_id, reason, detail, recovered_at }
    }
}

/// Where reading continued, for messages.
pub(crate) fn went_on(found: Option<u64>) -> String {
    match found {
        Some(found) => format!("reading continued at byte {found}"),
        None => "nothing readable follows".to_owned(),
    }
}

/// The break after the recovered part of a damaged member.
pub(crate) fn damage(name: &str, offset: u64, found: Option<u64>) -> Gap {
    let (reason, what) = match found {
        Some(_) => (DropReason::BadCompression, "is damaged"),
        None => (DropReason::CutShort, "is damaged or ends early"),
    };
    Gap {
        offset,
        reason,
        detail: format!(
            "the {name} {what}; the records before the damage were kept, {}; fetch the archive \
             again to get the rest",
            went_on(found)
        ),
        recovered_at: found,
        lossy: true,
        garbled: true,
    }
}

/// A member whose data was kept although its checksum is wrong.
pub(crate) fn bad_checksum(name: &str, offset: u64, next: u64) -> Gap {
    Gap {
        offset,
        reason: DropReason::BadCompression,
        detail: format!(
            "the checksum of the {name} at byte {offset} is wrong although its data can be \
             unwrapped; its records were kept, look at them before relying on them"
        ),
        recovered_at: Some(next),
        lossy: false,
        garbled: false,
    }
}
