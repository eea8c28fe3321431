//! Elementary functions that give the same bits on every machine.
//!
//! The standard library uses the functions of the platform: glibc, musl and macOS differ in last bits, and so do
//! their versions. Thresholds of the trees are values from the training data, so a last bit can
//! change the branch. `clippy.toml` forbids the functions of the standard library.

use std::sync::LazyLock;

/// ln(1 + count), from a table for small integers.
pub(crate) fn log(count: f32) -> f32 {
    const KNOWN: usize = 1 << 14;
    static LOGS: LazyLock<Vec<f32>> =
        LazyLock::new(|| (0..KNOWN).map(|count| libm::log1pf(count as f32)).collect());
    // Any other number differs from its rounded value.
    let whole = count as usize;
    match LOGS.get(whole) {
        Some(&log) if whole as f32 == count => log,
        _ => libm::log1pf(count),
    }
}

/// The natural logarithm. Computed in double precision: after rounding, the result is the nearest value
/// except in one of ten thousand cases, as when the weights were fitted.
pub(crate) fn ln(value: f32) -> f32 {
    libm::log(f64::from(value)) as f32
}

/// The exponential function, computed in double precision like [`ln`].
pub(crate) fn exp(value: f32) -> f32 {
    libm::exp(f64::from(value)) as f32
}

/// The logistic function: the probability of log-odds.
pub(crate) fn logistic(odds: f32) -> f32 {
    1.0 / (1.0 + exp(-odds))
}

/// A power, by squaring: the standard library's result differs between compile time and run time.
pub(crate) fn power(base: f32, exponent: u32) -> f32 {
    let (mut power, mut square, mut rest) = (1.0, base, exponent);
    loop {
        if rest & 1 == 1 {
            power *= square;
        }
        rest >>= 1;
        if rest == 0 {
            return power;
        }
        square *= square;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_do_not_depend_on_the_machine() {
        // As on the machine where the weights were fitted (glibc 2.36, x86-64).
        let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(
            bits(&[log(0.0), log(1.0), log(6.0), log(48.0)]),
            [0x0000_0000, 0x3f31_7218, 0x3ff9_1396, 0x4079_1396]
        );
        assert_eq!(
            bits(&[ln(1.0), ln(7.0), ln(10.0), ln(16.0), ln(20.0)]),
            [0, 0x3ff9_1395, 0x4013_5d8e, 0x4031_7218, 0x403f_ba14]
        );
        assert_eq!(
            bits(&[exp(0.0), exp(-1.0), exp(0.1), exp(5.5), exp(-20.25)]),
            [0x3f80_0000, 0x3ebc_5ab2, 0x3f8d_763e, 0x4374_b122, 0x30dc_9ef1]
        );
        assert_eq!(
            bits(&[power(0.85, 0), power(0.85, 7), power(0.85, 64)]),
            [0x3f80_0000, 0x3ea4_22af, 0x37fe_fa36]
        );
        assert_eq!((exp(-200.0), exp(200.0), ln(0.0)), (0.0, f32::INFINITY, f32::NEG_INFINITY));
    }

    #[test]
    fn a_number_that_is_not_whole_is_computed() {
        assert!(log(1.0) < log(1.5) && log(1.5) < log(2.0));
        assert_eq!(log(20_000.0), libm::log1pf(20_000.0));
    }
}
