//! How the program's allocator gives memory back.

#![allow(unsafe_code)]

use std::ffi::{c_int, c_long};

/// `mi_option_purge_delay` of mimalloc's `mi_option_t`, the same number in its versions 2 and 3.
const PURGE_DELAY: c_int = 15;

/// Milliseconds that memory let go stays ours. With mimalloc's own 10 it goes back to the system between two
/// pages and is cleared for the next: that was a tenth of a run's time.
const DELAY: c_long = 1000;

/// Sets it. To be called before threads are started.
pub(crate) fn keep_memory() {
    // SAFETY: a plain setter of a number, which mimalloc allows at any time.
    unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, DELAY) }
}
