/*!
Uncertainty of the difference between two systems: the paired bootstrap.

Pages of one site are similar, so the resampled units are sites or groups of siblings, each with the difference of the
two systems' means on it. Each of many samples draws as many units as there are, with replacement; the interval
contains the middle 95 % of the means. The random numbers come from SplitMix64 with a seed given by the caller. It is
implemented here so that a printed interval can be reproduced with any later version.
*/

use crate::aggregate::mean;

/// A difference with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Mean difference.
    pub mean: f64,
    /// Lower bound of the middle 95 % of the resampled means.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Number of units.
    pub units: usize,
    /// Units on which the first system is better by more than [`NOTICEABLE`].
    pub wins: usize,
    /// Units on which the first system is worse by more than [`NOTICEABLE`].
    pub losses: usize,
}

/// Half a percentage point: smaller differences are neither wins nor losses.
pub const NOTICEABLE: f64 = 0.005;
/// Number of bootstrap samples.
pub const RESAMPLES: usize = 2000;

/// The interval of the mean of paired differences, first system minus second, one per unit; `None`
/// without units.
pub fn paired(differences: &[f64], seed: u64) -> Option<Interval> {
    let centre = mean(differences)?;
    let mut state = seed;
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let drawn =
                (0..differences.len()).map(|_| differences[below(differences.len(), &mut state)]);
            drawn.sum::<f64>() / differences.len() as f64
        })
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    Some(Interval {
        mean: centre,
        low: means[RESAMPLES / 40],
        high: means[RESAMPLES - RESAMPLES / 40 - 1],
        units: differences.len(),
        wins: differences.iter().filter(|&&difference| difference > NOTICEABLE).count(),
        losses: differences.iter().filter(|&&difference| difference < -NOTICEABLE).count(),
    })
}

/// A number from 0 to `bound` − 1: the high half of a 128-bit product, with a bias of less than
/// 2⁻⁴⁰ for the bounds used here.
fn below(bound: usize, state: &mut u64) -> usize {
    ((u128::from(splitmix(state)) * bound as u128) >> 64) as usize
}

/// Steele, Lea and Flood's SplitMix64 (OOPSLA 2014).
fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_published_sequence() {
        // First outputs for the seed 1234567, as in the reference implementation's test vectors.
        let mut state = 1_234_567;
        let first: [u64; 3] = std::array::from_fn(|_| splitmix(&mut state));
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn equal_differences_leave_no_doubt() {
        let interval = paired(&[0.25; 8], 1).unwrap();
        assert_eq!((interval.mean, interval.low, interval.high), (0.25, 0.25, 0.25));
        assert_eq!((interval.units, interval.wins, interval.losses), (8, 8, 0));
        assert_eq!(paired(&[], 1), None);
    }

    #[test]
    fn the_interval_is_near_the_normal_one() {
        // 400 units, half +0.1, half −0.1: standard error of the mean 0.1/√400 = 0.005, so ±0.0098.
        let differences: Vec<f64> = (0..400).map(|i| if i % 2 == 0 { 0.1 } else { -0.1 }).collect();
        let interval = paired(&differences, 7).unwrap();
        assert!(interval.mean.abs() < 1e-12);
        assert!(
            (interval.high - 0.0098).abs() < 0.001 && (interval.low + 0.0098).abs() < 0.001,
            "{interval:?}"
        );
        assert_eq!((interval.wins, interval.losses), (200, 200));
        assert_eq!(paired(&differences, 7), Some(interval));
        assert_ne!(paired(&differences, 8), Some(interval));
    }

    proptest! {
        #[test]
        fn the_interval_lies_within_the_differences(differences in prop::collection::vec(-1.0f64..1.0, 1..40), seed: u64) {
            let interval = paired(&differences, seed).unwrap();
            let least = differences.iter().copied().fold(f64::INFINITY, f64::min) - 1e-9;
            let most = differences.iter().copied().fold(f64::NEG_INFINITY, f64::max) + 1e-9;
            prop_assert!(least <= interval.low && interval.low <= interval.high && interval.high <= most);
        }
    }
}
