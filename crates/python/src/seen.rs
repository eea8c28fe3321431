//! Statistics that threads share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use sitemodel::ApplyStatistics;

/// What was seen. A panic of another thread leaves counts that are whole.
pub(crate) fn locked(seen: &Mutex<ApplyStatistics>) -> MutexGuard<'_, ApplyStatistics> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
