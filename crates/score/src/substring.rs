/*!
The longest common substring by character, ignoring white space: the stricter measure of the text density paper (§5.2).

A single character missing in the middle of the output can halve it. Computed with a suffix automaton (the
`general-sam` crate) over the shorter text in O((n + m) log σ).
*/

use general_sam::{BTreeTransTable, GeneralSam};

use crate::{Score, lcs::characters};

/// Compares two texts; `None` if the gold has only white space.
pub fn compare(gold: &str, output: &str) -> Option<Score> {
    let (gold, output) = (characters(gold), characters(output));
    Score::of_counts(length(&gold, &output), output.len(), gold.len())
}

/// Length of the longest common run of characters of two texts.
pub fn length(a: &[char], b: &[char]) -> usize {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let short: Vec<u32> = short.iter().map(|&c| u32::from(c)).collect();
    let automaton = GeneralSam::<BTreeTransTable<u32>>::from_utf32(short);

    // `matched` is the longest suffix of the text read so far that is in the automaton; `state` is
    // its end.
    let mut state = automaton.get_root_state();
    let (mut matched, mut longest) = (0, 0);
    for &c in long {
        let symbol = u32::from(c);
        loop {
            if let Some(next) = state.get_non_nil_trans(&symbol) {
                state = next;
                matched += 1;
                break;
            }
            if state.is_root() {
                matched = 0;
                break;
            }
            state.goto_suffix_parent();
            matched = state.get_node().map_or(0, |node| node.max_suffix_len());
        }
        longest = longest.max(matched);
    }
    longest
}
