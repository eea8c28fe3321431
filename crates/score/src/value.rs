//! Precision, recall and their harmonic mean.

/// Agreement of an output with its gold: three shares between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Share of the output that is in the gold.
    pub precision: f64,
    /// Share of the gold that is in the output.
    pub recall: f64,
    /// Harmonic mean of the two.
    pub f1: f64,
}

impl Score {
    /// The score of an output that has nothing in common with the gold.
    pub const ZERO: Self = Self { precision: 0.0, recall: 0.0, f1: 0.0 };

    /// The score of an output of `output` units, `common` of which are among the `gold` units of
    /// the gold. An empty output scores zero, and so does any output compared with an empty gold.
    pub fn of_counts(common: usize, output: usize, gold: usize) -> Self {
        if common == 0 || output == 0 || gold == 0 {
            return Self::ZERO;
        }
        let precision = common as f64 / output as f64;
        let recall = common as f64 / gold as f64;
        Self { precision, recall, f1: 2.0 * precision * recall / (precision + recall) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // 3 of 4 retrieved are right, 3 of 6 wanted were found: F1 = 2·0.75·0.5/1.25.
        let score = Score::of_counts(3, 4, 6);
        assert_eq!((score.precision, score.recall), (0.75, 0.5));
        assert!((score.f1 - 0.6).abs() < 1e-12);
    }

    #[test]
    fn nothing_in_common_is_zero_not_nan() {
        for (common, output, gold) in [(0, 0, 5), (0, 5, 0), (0, 0, 0), (0, 3, 3)] {
            assert_eq!(Score::of_counts(common, output, gold), Score::ZERO);
        }
    }
}
