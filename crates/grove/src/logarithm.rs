//! Logarithms of counts.

use std::sync::LazyLock;

/// ln(1 + count). Most are small whole numbers, of which it is known.
pub(crate) fn log(count: f32) -> f32 {
    const KNOWN: usize = 1 << 14;
    static LOGS: LazyLock<Vec<f32>> =
        LazyLock::new(|| (0..KNOWN).map(|count| (count as f32).ln_1p()).collect());
    // What is no such number is not equal to what it is rounded to.
    let whole = count as usize;
    match LOGS.get(whole) {
        Some(&log) if whole as f32 == count => log,
        _ => count.ln_1p(),
    }
}
