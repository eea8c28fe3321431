//! Selects vector instructions. All give bit-identical results; tests force each kind.

use std::sync::atomic::{AtomicU8, Ordering};

use fearless_simd::Level;

/// A kind of vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Vectors {
    /// No vectors: rows are evaluated one by one.
    OneByOne = 1,
    /// The baseline of the target (SSE2, Neon).
    Least,
    /// SSE4.2.
    Sse42,
    /// AVX2 with FMA.
    Avx2,
    /// AVX-512 as of Ice Lake.
    Avx512,
}

use Vectors::{Avx2, Avx512, Least, OneByOne, Sse42};

/// The forced kind; 0 for the best available one.
static FORCED: AtomicU8 = AtomicU8::new(0);

/// Forces a kind for the whole process; `None` restores the best available one. For tests.
///
/// Returns whether the processor has it; if not, nothing changes.
pub fn force(vectors: Option<Vectors>) -> bool {
    let known = vectors.is_none_or(|vectors| vectors == OneByOne || level_of(vectors).is_some());
    if known {
        FORCED.store(vectors.map_or(0, |vectors| vectors as u8), Ordering::Relaxed);
    }
    known
}

/// The kinds that this processor supports, the least capable first.
pub fn available() -> Vec<Vectors> {
    let all = [OneByOne, Least, Sse42, Avx2, Avx512];
    all.into_iter().filter(|&kind| kind == OneByOne || level_of(kind).is_some()).collect()
}

/// The level to run at; `None` if rows are evaluated one by one.
pub(crate) fn level() -> Option<Level> {
    let forced = FORCED.load(Ordering::Relaxed);
    match [OneByOne, Least, Sse42, Avx2, Avx512].into_iter().find(|&kind| kind as u8 == forced) {
        Some(OneByOne) => None,
        Some(kind) => Some(level_of(kind).unwrap_or_else(Level::new)),
        None => Some(Level::new()),
    }
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn level_of(vectors: Vectors) -> Option<Level> {
    let best = Level::new();
    match vectors {
        OneByOne => None,
        Least => Some(Level::baseline()),
        Sse42 => best.as_sse4_2().map(Level::Sse4_2),
        Avx2 => best.as_avx2().map(Level::Avx2),
        Avx512 => best.as_avx512().map(Level::Avx512),
    }
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn level_of(vectors: Vectors) -> Option<Level> {
    (vectors == Least).then(Level::baseline)
}
