//! Finds repeated elements of a page: posts of a thread, entries of a list, products of a category, paragraphs.

use dom::{Document, LocalName, NodeId, PrefixSums, is_heading, local_name};

use crate::block::{TextBlock, blocks_before};
use crate::elementary::log;
use crate::rows::FeatureRow;
use crate::signs::Signs;

/// Minimum number of words of an element that counts as an entry.
const LEAST_WORDS: u32 = 4;
/// Minimum number of entries of one parent that form a group.
const LEAST: usize = 3;

/// Sums over the children of one element that have the same tag.
#[derive(Clone, Debug, Default)]
struct RepeatedGroup {
    count: usize,
    words: u32,
    link_words: u32,
    log_words: f32,
    log_squares: f32,
    blocks: u32,
    /// Numbers of entries with a heading, an image, a year or `<time>`, a currency sign, a sentence, a byline.
    has: [u32; 6],
}

/// Names of the features in [`RepeatedGroup::has`].
const HAS: [&str; 6] = ["heading", "image", "date", "price", "sentence", "byline"];

/// The largest groups of a page: of entries of several blocks each, and of entries that are one block.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    groups: [RepeatedGroup; 2],
    words: f32,
}

/// The parts of a page that counting needs.
pub(crate) struct CountedPage<'a> {
    pub(crate) document: &'a Document,
    pub(crate) words: &'a PrefixSums,
    pub(crate) link_words: &'a PrefixSums,
    pub(crate) blocks: &'a [TextBlock],
    pub(crate) signs: &'a [Signs],
    /// Per block whether it is named like a byline.
    pub(crate) bylines: &'a [bool],
}

impl Repeats {
    /// Finds the groups with the most words outside links. Linear in nodes.
    pub(crate) fn of(page: &CountedPage<'_>) -> Self {
        let document = page.document;
        let starts = blocks_before(document, page.blocks);
        let sums = |has: &dyn Fn(usize) -> bool| -> Vec<u32> {
            let mut sum = 0;
            let counted = (0..page.blocks.len()).map(|at| {
                sum += u32::from(has(at));
                sum
            });
            std::iter::once(0).chain(counted).collect()
        };
        let of_blocks = [
            sums(&|at| document.name(page.blocks[at].element).is_some_and(is_heading)),
            sums(&|at| page.signs[at].year),
            sums(&|at| page.signs[at].currency > 0),
            sums(&|at| page.signs[at].sentences > 0 && page.blocks[at].words >= 8),
            sums(&|at| page.bylines[at]),
        ];
        let (mut images, mut times) = (Vec::new(), Vec::new());
        for (id, node) in (0..).zip(document.nodes()) {
            match node.name {
                Some(local_name!("img")) => images.push(id),
                Some(local_name!("time")) => times.push(id),
                _ => {}
            }
        }
        let holds = |all: &[NodeId], id: NodeId| {
            let next = all.get(all.partition_point(|&own| own < id));
            next.is_some_and(|&own| own < document.node(id).end)
        };
        let mut repeats =
            Self { groups: Default::default(), words: page.words.total().max(1) as f32 };
        let mut groups: Vec<(LocalName, bool, RepeatedGroup)> = Vec::new();
        for parent in document.ids().filter(|&id| document.name(id).is_some()) {
            if page.words.sum(document, parent) < LEAST_WORDS * LEAST as u32 {
                continue;
            }
            groups.clear();
            for child in document.children(parent) {
                let Some(name) = document.name(child) else { continue };
                let words = page.words.sum(document, child);
                if words < LEAST_WORDS {
                    continue;
                }
                let end = document.node(child).end;
                let (from, to) = (starts[child as usize] as usize, starts[end as usize] as usize);
                let is_simple = to - from <= 1;
                let index = groups.iter().position(|g| g.0 == *name && g.1 == is_simple);
                let index = index.unwrap_or_else(|| {
                    groups.push((name.clone(), is_simple, RepeatedGroup::default()));
                    groups.len() - 1
                });
                let group = &mut groups[index].2;
                let has = |sums: &[u32]| sums[to] > sums[from];
                let log_words = log(words as f32);
                group.count += 1;
                group.words += words;
                group.link_words += page.link_words.sum(document, child);
                group.log_words += log_words;
                group.log_squares += log_words * log_words;
                group.blocks += (to - from) as u32;
                let [heading, year, price, sentence, byline] = &of_blocks;
                let found = [
                    has(heading),
                    holds(&images, child),
                    has(year) || holds(&times, child),
                    has(price),
                    has(sentence),
                    has(byline),
                ];
                group.has.iter_mut().zip(found).for_each(|(sum, is)| *sum += u32::from(is));
            }
            for (_, is_simple, group) in groups.drain(..) {
                let best = &mut repeats.groups[usize::from(is_simple)];
                let own = |g: &RepeatedGroup| g.words - g.link_words / 2;
                if group.count >= LEAST && own(&group) > own(best) {
                    *best = group;
                }
            }
        }
        repeats
    }

    pub(crate) fn fill(&self, row: &mut impl FeatureRow) {
        for (kind, group) in ["entries", "lines"].into_iter().zip(&self.groups) {
            let n = group.count.max(1) as f32;
            let mean = group.log_words / n;
            row.put(format_args!("{kind}: number"), log(group.count as f32));
            row.put(format_args!("{kind}: share of page"), group.words as f32 / self.words);
            row.put(format_args!("{kind}: log words"), mean);
            let spread = (group.log_squares / n - mean * mean).max(0.0).sqrt();
            row.put(format_args!("{kind}: spread"), spread);
            let density = group.link_words as f32 / group.words.max(1) as f32;
            row.put(format_args!("{kind}: link density"), density);
            row.put(format_args!("{kind}: blocks"), group.blocks as f32 / n);
            for (what, &count) in HAS.iter().zip(&group.has) {
                row.put(format_args!("{kind}: {what}"), count as f32 / n);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::blocks;
    use crate::page::WordsOnly;
    use crate::signs::signs;

    #[test]
    fn the_largest_groups_are_found() {
        let post =
            "<li><h3>a b c</h3><p>one two three four five six seven eight. <p>$5 in 2020</li>";
        let html = format!("<ul>{}</ul><p>a b c d<p>a b c d<p>a b c d e", post.repeat(4));
        let only = WordsOnly::of(&html);
        let WordsOnly { document, words, link_words, .. } = &only;
        let blocks = blocks(document, words, link_words);
        let text = |b: &TextBlock| signs((b.first..=b.last).filter_map(|id| document.text(id)));
        let signs: Vec<Signs> = blocks.iter().map(text).collect();
        let bylines = vec![false; blocks.len()];
        let (blocks, signs, bylines) = (&blocks, &signs, &bylines);
        let counted = CountedPage { document, words, link_words, blocks, signs, bylines };
        let [entries, lines] = Repeats::of(&counted).groups;
        assert_eq!((entries.count, entries.blocks, entries.has), (4, 12, [4, 0, 4, 4, 4, 0]));
        assert_eq!((lines.count, lines.words), (3, 13));
    }
}
