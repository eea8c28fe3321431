//! Inflates one gzip member in one call of libdeflate.
//!
//! The safe wrapper crate does not return how many input bytes a member took, which is needed to
//! find the next one. So this file, and no other, calls the C library directly.
#![allow(unsafe_code, non_upper_case_globals)]

use std::ptr::NonNull;

use libdeflate_sys::{
    libdeflate_alloc_decompressor, libdeflate_crc32, libdeflate_decompressor,
    libdeflate_free_decompressor, libdeflate_gzip_decompress_ex,
    libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE, libdeflate_result_LIBDEFLATE_SUCCESS,
};

/// The result of an attempt to inflate a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InflateResult {
    /// The member is complete and its checksum is right. It took this many input bytes.
    Complete(usize),
    /// The member does not fit into the spare capacity of the output.
    OutputFull,
    /// The input is damaged, or ends inside the member.
    Invalid,
}

pub(crate) struct Inflater(NonNull<libdeflate_decompressor>);

// SAFETY: the decompressor is plain memory, accessed only by its owner through `&mut self`.
unsafe impl Send for Inflater {}

impl Inflater {
    /// Returns `None` if memory allocation fails.
    pub(crate) fn new() -> Option<Self> {
        // SAFETY: the call has no preconditions; a null pointer reports lack of memory.
        NonNull::new(unsafe { libdeflate_alloc_decompressor() }).map(Self)
    }

    /// Appends the gzip member at the start of `input` to `output`, using only its spare capacity.
    /// Unless the member is complete, `output` is unchanged.
    pub(crate) fn gzip(&mut self, input: &[u8], output: &mut Vec<u8>) -> InflateResult {
        let spare = output.spare_capacity_mut();
        let room = spare.len();
        let (mut taken, mut given) = (0usize, 0usize);
        // SAFETY: both pointers are valid for the lengths passed beside them, the output is only
        // written to, and the decompressor lives as long as `self`.
        let result = unsafe {
            libdeflate_gzip_decompress_ex(
                self.0.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                spare.as_mut_ptr().cast(),
                room,
                &mut taken,
                &mut given,
            )
        };
        match result {
            libdeflate_result_LIBDEFLATE_SUCCESS if given <= room && taken <= input.len() => {
                let length = output.len() + given;
                // SAFETY: libdeflate has initialised `given` bytes of the spare capacity.
                unsafe { output.set_len(length) };
                InflateResult::Complete(taken)
            }
            libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => InflateResult::OutputFull,
            _ => InflateResult::Invalid,
        }
    }
}

/// Updates the CRC-32 of gzip trailers from `sum` (0 at the start) with `bytes`. Several times as
/// fast as the function of zlib-rs.
pub(crate) fn crc32(sum: u32, bytes: &[u8]) -> u32 {
    // SAFETY: the pointer is valid for the length passed beside it and only read from.
    unsafe { libdeflate_crc32(sum, bytes.as_ptr().cast(), bytes.len()) }
}

impl Drop for Inflater {
    fn drop(&mut self) {
        // SAFETY: the pointer came from libdeflate_alloc_decompressor and is freed only here.
        unsafe { libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}
