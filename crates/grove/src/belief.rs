//! Estimates how reliable marks are.
//!
//! Marks may be wrong, and so may scores. Confident wrong scores come in stretches of a page, such as all of its comments; wrong
//! marks are scattered. So a hidden Markov chain with two states runs along the marked blocks of a page: scores either are
//! probabilities or say nothing. The share of wrong marks is estimated with it, from all pages that the same person or model
//! marked. A single mark against a confident score is accepted if the other marks turn out to be right. If only a few blocks of a
//! page are marked, their marks are accepted, too, because people mark what should change.

use crate::elementary::{exp, ln};

/// The marks of a page, in the order of its blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct MarksOfPage {
    /// For each marked block its score, and whether it is marked as text.
    pub(crate) marks: Vec<(f32, bool)>,
    /// The share of the blocks of the page that are marked.
    pub(crate) covered: f32,
}

/// Possible shares of wrong marks, with their prior probabilities.
const WRONG: [(f32, f32); 6] =
    [(0.005, 0.7), (0.03, 0.1), (0.06, 0.07), (0.1, 0.06), (0.15, 0.04), (0.25, 0.03)];
/// Share of the blocks of a page whose scores say nothing, and probability that a block takes the state of the previous one.
const SILENT: f32 = 0.02;
const LIKE_BEFORE: f32 = 0.9;

/// Computes for each mark the probability that its block is text, from all marks by one person or model. Linear in the
/// marks.
pub(crate) fn believe(pages: &[MarksOfPage]) -> Vec<Vec<f32>> {
    let of_shares = WRONG.map(|(wrong, share)| {
        let (odds, believed): (Vec<f32>, Vec<_>) =
            pages.iter().map(|page| page.believe(wrong)).unzip();
        (ln(share) + odds.iter().sum::<f32>(), believed)
    });
    let most = of_shares.iter().map(|own| own.0).fold(f32::MIN, f32::max);
    let weights = of_shares.each_ref().map(|own| exp(own.0 - most));
    let all: f32 = weights.iter().sum();
    let mut mean: Vec<Vec<f32>> = pages.iter().map(|page| vec![0.0; page.marks.len()]).collect();
    for (weight, (_, believed)) in weights.iter().zip(&of_shares) {
        for (mean, own) in mean.iter_mut().flatten().zip(believed.iter().flatten()) {
            *mean += weight / all * own;
        }
    }
    mean
}

impl MarksOfPage {
    /// The logarithm of the probability of the marks if this share of them is wrong, and for each mark the probability that
    /// its block is text.
    fn believe(&self, wrong: f32) -> (f32, Vec<f32>) {
        // If few blocks are marked, they are those with wrong scores.
        let silent = 1.0 - self.covered * (1.0 - SILENT);
        let (becomes, ends) = ((1.0 - LIKE_BEFORE) * silent, (1.0 - LIKE_BEFORE) * (1.0 - silent));
        // The probability, given the score, that the mark is right, and that it is made.
        let by_score = |&(score, is_text): &(f32, bool)| {
            let agrees = if is_text { score } else { 1.0 - score };
            let right = agrees * (1.0 - wrong);
            let made = right + (1.0 - agrees) * wrong;
            (right / made, made)
        };
        let (mut before, mut sum) = (silent, 0.0);
        let mut forward = Vec::with_capacity(self.marks.len());
        for mark in &self.marks {
            let (speaks, is_silent) = ((1.0 - before) * by_score(mark).1, before * 0.5);
            sum += ln(speaks + is_silent);
            let now = is_silent / (speaks + is_silent);
            forward.push(now);
            before = now * (1.0 - ends) + (1.0 - now) * becomes;
        }
        let mut behind = [1.0, 1.0];
        let mut believed = forward;
        for (mark, own) in self.marks.iter().zip(&mut believed).rev() {
            let (right, made) = by_score(mark);
            let (speaks, is_silent) = ((1.0 - *own) * behind[0], *own * behind[1]);
            let silent = is_silent / (speaks + is_silent);
            let right = (1.0 - silent) * right + silent * (1.0 - wrong);
            *own = if mark.1 { right } else { 1.0 - right };
            let (speaks, is_silent) = (made * behind[0], 0.5 * behind[1]);
            behind = [
                (1.0 - becomes) * speaks + becomes * is_silent,
                ends * speaks + (1.0 - ends) * is_silent,
            ];
            let scale = behind[0] + behind[1];
            behind = behind.map(|own| own / scale);
        }
        (sum, believed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page whose scores agree with all marks except these.
    fn page(marks: usize, against: &[usize], covered: f32) -> MarksOfPage {
        let mark = |at| {
            let is_text = at % 10 < 5;
            (if is_text == against.contains(&at) { 0.002 } else { 0.998 }, is_text)
        };
        MarksOfPage { marks: (0..marks).map(mark).collect(), covered }
    }

    fn right(page: &MarksOfPage, at: usize) -> f32 {
        let believed = believe(std::slice::from_ref(page))[0][at];
        if page.marks[at].1 { believed } else { 1.0 - believed }
    }

    #[test]
    fn stretches_against_sure_scores_are_believed_and_scattered_marks_are_not() {
        let stretch: Vec<usize> = (60..75).collect();
        let own = page(100, &stretch, 1.0);
        assert!(stretch.iter().all(|&at| right(&own, at) > 0.9), "{:?}", believe(&[own]));
        let scattered: Vec<usize> = (0..10).map(|at| 3 + 10 * at).collect();
        let own = page(100, &scattered, 1.0);
        assert!(scattered.iter().all(|&at| right(&own, at) < 0.1), "{:?}", believe(&[own]));
        assert!((0..100).all(|at| scattered.contains(&at) || right(&own, at) > 0.9));
    }

    #[test]
    fn few_marks_are_believed() {
        let own = page(3, &[0, 1, 2], 0.03);
        assert!((0..3).all(|at| right(&own, at) > 0.95), "{:?}", believe(&[own]));
        assert!(right(&page(1, &[0], 0.01), 0) > 0.9);
    }

    #[test]
    fn pages_of_one_person_say_how_often_marks_are_wrong() {
        let unsure = MarksOfPage { marks: vec![(0.3, true)], covered: 1.0 };
        let (clean, noisy) = (page(100, &[], 1.0), page(100, &[5, 15, 25, 35, 45, 55, 65], 1.0));
        let with = |other| believe(&[unsure.clone(), other])[0][0];
        assert!(with(clean) > with(noisy) + 0.05);
    }
}
