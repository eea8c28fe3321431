//! Divides the text of an article into passages, for retrieval.
//!
//! A passage has consecutive blocks of one kind within a section, and the headings before them, up to a number of words.
//! Blocks that do not fit into one passage are divided: lists at items, tables at rows, code at lines, and what is still
//! too long at lines, sentences, and words. Every character except white space is in exactly one passage.

use std::ops::Range;

use dom::{Builder, WrittenBlock, WrittenBlockKind, local_name, markdown_of_text, normalize_space};
use model::{Article, Passage, PassageKind};
use region::region_of;
use terms::{WordStarts, words};
use url::Url;

use super::{content_hash, set_text};

/// Maximum number of characters of a heading in the paths of passages, which repeat it.
const HEADING: usize = 160;

/// Divides a text with these blocks into passages of at most `most_words` words (but at least one). Linear in the text.
pub(super) fn passages_of(text: &str, blocks: &[WrittenBlock], most_words: u32) -> Vec<Passage> {
    let mut divider = PassageDivider {
        text,
        most_words: most_words.max(1),
        starts: WordStarts::of(text),
        headings: Vec::new(),
        open: None,
        places: CharacterPlaces::new(text),
        passages: Vec::new(),
    };
    blocks.iter().for_each(|block| divider.add_block(block));
    divider.close();
    divider.passages
}

/// Returns the blocks of a text of which only the paragraphs are known.
pub(crate) fn paragraphs_of(text: &str) -> Vec<WrittenBlock> {
    let mut at = 0;
    let block = |paragraph: &str| {
        let start = at;
        at += paragraph.len() + 2;
        block_of(start..start + paragraph.len(), WrittenBlockKind::Prose)
    };
    text.split("\n\n").map(block).filter(|block| !block.range.is_empty()).collect()
}

fn block_of(range: Range<usize>, kind: WrittenBlockKind) -> WrittenBlock {
    WrittenBlock { range, kind, items: Vec::new(), begins_post: false }
}

/// Adapts the blocks of a text whose title, which is not a block, was removed from its beginning or put before it.
pub(super) fn blocks_after_title(
    mut blocks: Vec<WrittenBlock>,
    before: usize,
    after: usize,
    title: &str,
) -> Vec<WrittenBlock> {
    let moved = |at: usize| (at + after).saturating_sub(before);
    for block in &mut blocks {
        block.range = moved(block.range.start)..moved(block.range.end);
        block.items.iter_mut().for_each(|item| *item = moved(*item));
    }
    blocks.retain(|block| !block.range.is_empty());
    if after > before {
        blocks.insert(0, block_of(0..title.len(), WrittenBlockKind::Heading(0)));
    }
    blocks
}

/// Replaces the text by one that a person gives. HTML and Markdown, if the article has them, and passages, if they are
/// wanted, are made from its paragraphs. Nothing is left of what was part of the old text.
pub fn correct_text(article: &mut Article, text: String, words_of_passages: u32) {
    let mut builder = Builder::of_all();
    builder.open(&local_name!("html"), std::iter::empty());
    for paragraph in dom::paragraphs(&text) {
        builder.open(&local_name!("p"), std::iter::empty());
        for (number, line) in paragraph.lines().enumerate() {
            if number > 0 {
                builder.open(&local_name!("br"), std::iter::empty());
                builder.close();
            }
            builder.text(line);
        }
        builder.close();
    }
    let document = builder.finish();
    let base = Url::parse(&article.url).ok();
    let region = base.as_ref().and_then(|base| region_of(&document, &[0], &[], base));
    if !article.html.is_empty() {
        article.html = region.as_ref().map_or_else(String::new, |region| region.html());
    }
    if let Some(markdown) = &mut article.markdown {
        *markdown = markdown_of_text(&text);
    }
    article.images.clear();
    article.tables.clear();
    article.embeds.clear();
    article.footnotes.clear();
    article.posts.clear();
    article.passages = match words_of_passages {
        0 => Vec::new(),
        most_words => passages_of(&text, &paragraphs_of(&text), most_words),
    };
    set_text(article, text);
}

/// Adds the passages of the next part of an article to those of the parts before it; the texts are not joined yet.
/// Passages of the part without a heading continue the last section before it.
pub fn append_passages(whole: &mut Article, part: &Article) {
    if part.passages.is_empty() {
        return;
    }
    // The parts are separated by a blank line.
    let moved = whole.text.chars().count() as u32 + 2;
    let section = whole.passages.last().map_or_else(Vec::new, |last| last.headings.clone());
    for (ordinal, passage) in (whole.passages.len() as u32..).zip(&part.passages) {
        let is_under_none = passage.headings.is_empty();
        whole.passages.push(Passage {
            ordinal,
            headings: if is_under_none { section.clone() } else { passage.headings.clone() },
            start: passage.start + moved,
            end: passage.end + moved,
            ..passage.clone()
        });
    }
}

/// How a piece that is too long is divided.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PieceSplit<'b> {
    /// At the items that begin at these bytes.
    Items(&'b [usize]),
    Lines,
    Sentences,
    Words,
    Never,
}

/// The passage that is being filled.
struct OpenPassage {
    range: Range<usize>,
    words: u32,
    headings: Vec<String>,
    /// `None` while the passage has only headings.
    kind: Option<PassageKind>,
}

struct PassageDivider<'t> {
    text: &'t str,
    most_words: u32,
    starts: WordStarts<'t>,
    /// The headings above the current place, with their levels.
    headings: Vec<(u8, String)>,
    open: Option<OpenPassage>,
    places: CharacterPlaces<'t>,
    passages: Vec<Passage>,
}

impl PassageDivider<'_> {
    fn add_block(&mut self, block: &WrittenBlock) {
        let of_open = self.open.as_ref().and_then(|open| open.kind);
        if block.begins_post {
            self.close();
            self.headings.clear();
        }
        let (kind, split) = match block.kind {
            WrittenBlockKind::Heading(level) => {
                if of_open.is_some() {
                    self.close();
                }
                let title = normalize_space(&self.text[block.range.clone()]);
                let title = title.chars().take(HEADING).collect();
                self.headings.retain(|above| above.0 < level);
                self.headings.push((level, title));
                (None, PieceSplit::Sentences)
            }
            WrittenBlockKind::Prose => (Some(PassageKind::Prose), PieceSplit::Sentences),
            WrittenBlockKind::List => (Some(PassageKind::List), PieceSplit::Items(&block.items)),
            WrittenBlockKind::Table => (Some(PassageKind::Table), PieceSplit::Items(&block.items)),
            WrittenBlockKind::Code => (Some(PassageKind::Code), PieceSplit::Lines),
        };
        if of_open.is_some() && of_open != kind {
            self.close();
        }
        self.add(block.range.clone(), kind, split);
    }

    /// Adds a piece to the open passage if it fits, or else to a new one, or else divides it. The first part of a
    /// structure stays with the headings before it.
    fn add(&mut self, range: Range<usize>, kind: Option<PassageKind>, split: PieceSplit<'_>) {
        let words = self.starts.count(range.clone());
        let before = self.open.as_ref().map_or(0, |open| open.words);
        if before + words <= self.most_words {
            return self.extend(range, words, kind);
        }
        let is_after_headings =
            kind.is_some() && self.open.as_ref().is_some_and(|open| open.kind.is_none());
        let is_structure = matches!(split, PieceSplit::Items(_) | PieceSplit::Lines);
        if !is_after_headings {
            self.close();
        }
        let fits = words <= self.most_words && !(is_after_headings && is_structure);
        if fits || split == PieceSplit::Never {
            self.close();
            return self.extend(range, words, kind);
        }
        let next = match split {
            PieceSplit::Items(_) => PieceSplit::Lines,
            PieceSplit::Lines if kind != Some(PassageKind::Code) => PieceSplit::Sentences,
            PieceSplit::Lines | PieceSplit::Sentences => PieceSplit::Words,
            PieceSplit::Words | PieceSplit::Never => PieceSplit::Never,
        };
        for piece in self.pieces(range, split) {
            self.add(piece, kind, next);
        }
    }

    fn extend(&mut self, range: Range<usize>, words: u32, kind: Option<PassageKind>) {
        let open = self.open.get_or_insert_with(|| OpenPassage {
            range: range.clone(),
            words: 0,
            headings: Vec::new(),
            kind: None,
        });
        if open.kind.is_none() {
            open.headings = self.headings.iter().map(|own| own.1.clone()).collect();
        }
        open.range.end = range.end;
        open.words += words;
        open.kind = open.kind.or(kind);
    }

    /// Ends the open passage.
    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let range = open.range;
        self.passages.push(Passage {
            ordinal: self.passages.len() as u32,
            headings: open.headings,
            kind: open.kind.unwrap_or_default(),
            start: self.places.number(range.start),
            end: self.places.number(range.end),
            words: open.words,
            hash: content_hash(&self.text[range]),
        });
    }

    /// Splits a range into pieces, without pieces of white space.
    fn pieces(&self, range: Range<usize>, split: PieceSplit<'_>) -> Vec<Range<usize>> {
        let piece = &self.text[range.clone()];
        let starts: Vec<usize> = match split {
            PieceSplit::Items(items) => items.iter().map(|item| item - range.start).collect(),
            PieceSplit::Lines => piece.match_indices('\n').map(|(at, _)| at + 1).collect(),
            PieceSplit::Sentences => sentence_starts(piece),
            PieceSplit::Words | PieceSplit::Never => word_starts(piece),
        };
        let ends = starts.iter().copied().chain([piece.len()]);
        let pieces = [0].into_iter().chain(starts.iter().copied()).zip(ends);
        let trimmed = pieces.filter_map(|(start, end)| {
            let end = start + piece.get(start..end)?.trim_end().len();
            (start < end).then(|| range.start + start..range.start + end)
        });
        trimmed.collect()
    }
}

/// Returns where sentences begin after the first: after a full stop or the like, closing quotation marks and brackets,
/// and white space, unless a lower-case letter follows; after the full stops of scripts without spaces; and at each line.
/// These are rules SB4, SB8 and SB11 of UAX #29; abbreviations before capital letters end sentences.
fn sentence_starts(text: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    // Whether a sentence has ended, and whether white space has followed.
    let (mut has_ended, mut is_apart) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            '\n' => {
                starts.push(at + 1);
                has_ended = false;
            }
            '。' | '！' | '？' | '｡' => (has_ended, is_apart) = (true, true),
            '.' | '!' | '?' | '…' | '؟' | '۔' | '।' | '॥' | '։' | '።' | '။' | '។' => {
                (has_ended, is_apart) = (true, false);
            }
            _ if !has_ended => {}
            _ if c.is_whitespace() => is_apart = true,
            '"' | '\'' | '’' | '”' | '»' | ')' | ']' | '」' | '』' | '）' | '】' | '》'
                if !text[..at].ends_with(char::is_whitespace) => {}
            _ => {
                let is_start = is_apart && !c.is_lowercase();
                starts.extend(is_start.then_some(at));
                has_ended = false;
            }
        }
    }
    starts
}

/// Returns where words begin after the first, including what stands directly before them after white space.
fn word_starts(text: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut end = None;
    for word in words(text) {
        // Words are slices of the text.
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        if let Some(end) = end.replace(at + word.len()) {
            let between = &text[end..at];
            let space = between.char_indices().rev().find(|(_, c)| c.is_whitespace());
            starts.push(space.map_or(at, |(space, c)| end + space + c.len_utf8()));
        }
    }
    starts
}

/// Counts the characters of a text, for places in ascending order.
pub(super) struct CharacterPlaces<'t> {
    text: &'t str,
    /// The last place: characters and bytes before it.
    at: (u32, usize),
}

impl<'t> CharacterPlaces<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: (0, 0) }
    }

    /// Number of characters before a byte.
    pub(super) fn number(&mut self, byte: usize) -> u32 {
        let (number, before) = self.at;
        self.at = (number + self.text[before..byte].chars().count() as u32, byte);
        self.at.0
    }

    /// The byte at which a character begins.
    pub(super) fn byte(&mut self, number: u32) -> usize {
        let (before, byte) = self.at;
        let more = self.text[byte..].char_indices().nth((number - before) as usize);
        let byte = more.map_or(self.text.len(), |(more, _)| byte + more);
        self.at = (number, byte);
        byte
    }
}

#[cfg(test)]
#[path = "passages_tests.rs"]
mod tests;
