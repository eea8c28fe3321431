//! Removes boilerplate paragraphs from finished articles: boilerplate is known only once all articles of a crawl are.
//!
//! A paragraph is removed from the text, HTML, Markdown and passages alike. A paragraph of the text that is not a block
//! of its own in the HTML, such as an item of a list, a table cell or a part of code, stays.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use dom::{LocalName, is_inline, is_void, parse};
use model::Article;
use region::region_of;
use terms::letters::{is_alphanumeric, lowercase};
use url::Url;

use super::passages::{CharacterPlaces, paragraphs_of};
use super::{content_hash, set_text};

/// Removes paragraphs of the text, given in bytes and in order, from an article. Returns whether it removed any: nothing
/// is removed if the article has no HTML, or fewer than `least_words` would be left.
pub fn remove_paragraphs(
    article: &mut Article,
    paragraphs: &[Range<usize>],
    least_words: u32,
) -> bool {
    if paragraphs.is_empty() {
        return false;
    }
    let (paragraphs, blocks) = HtmlBlocks::of(&article.html).find(&article.text, paragraphs);
    let starts = [0].into_iter().chain(paragraphs.iter().map(|own| own.end));
    let ends = paragraphs.iter().map(|own| own.start).chain([article.text.len()]);
    let kept: Vec<Range<usize>> = starts
        .zip(ends)
        .map(|(start, end)| without_blank_lines(&article.text, start..end))
        .filter(|own| !own.is_empty())
        .collect();
    let kept_texts: Vec<&str> = kept.iter().map(|own| &article.text[own.clone()]).collect();
    let text = kept_texts.join("\n\n");
    if paragraphs.is_empty() || terms::count_words(&text) < least_words.max(1) {
        return false;
    }
    let mut headings: HashSet<String> =
        paragraphs.iter().map(|own| words_of(&article.text[own.clone()])).collect();
    for own in paragraphs_of(&text) {
        headings.remove(&words_of(&text[own.range]));
    }
    remove_from_html(article, &blocks);
    remove_from_passages(article, &headings, &kept, &text);
    article.quality.repeated = terms::share_repeated(&text);
    set_text(article, text);
    true
}

/// Trims line ends from both ends of a range of a text.
fn without_blank_lines(text: &str, range: Range<usize>) -> Range<usize> {
    let own = &text[range.clone()];
    let start = range.start + own.len() - own.trim_start_matches('\n').len();
    start..(range.start + own.trim_end_matches('\n').len()).max(start)
}

/// Returns the words of a text in lower case, separated by spaces.
fn words_of(text: &str) -> String {
    let mut words = String::new();
    add_words(text, &mut words);
    words.truncate(words.trim_end().len());
    words
}

fn add_words(text: &str, words: &mut String) {
    for c in text.chars() {
        if is_alphanumeric(c) {
            words.extend(lowercase(c));
        } else {
            add_space(words);
        }
    }
}

fn add_space(words: &mut String) {
    if !words.is_empty() && !words.ends_with(' ') {
        words.push(' ');
    }
}

/// Elements whose parts are not paragraphs of the text.
const WHOLE: [&str; 5] = ["ul", "ol", "dl", "table", "pre"];
/// Tags of what a block may still show without its text.
const SHOWN: [&str; 5] = ["<img", "<video", "<audio", "<picture", "<table"];

struct HtmlBlock {
    /// Its place in the HTML, including its tags.
    html: Range<usize>,
    /// The place of its words in [`HtmlBlocks::words`].
    words: Range<usize>,
}

/// The blocks of the HTML of an article that may be paragraphs of its text, in document order.
struct HtmlBlocks<'h> {
    html: &'h str,
    /// The words of the HTML, without captions.
    words: String,
    blocks: Vec<HtmlBlock>,
}

struct OpenTag {
    /// The number of the element's block, if it is one.
    block: Option<usize>,
    /// Whether nothing in it can be a block.
    is_whole: bool,
    is_figure: bool,
}

impl<'h> HtmlBlocks<'h> {
    /// Reads HTML of [`region::Region::html`]: every `<` begins a tag, and every element that is not void is closed. Linear.
    fn of(html: &'h str) -> Self {
        let mut found = Self { html, words: String::new(), blocks: Vec::new() };
        let mut open: Vec<OpenTag> = Vec::new();
        // Number of open elements that are whole, and of open figures.
        let (mut whole, mut figures) = (0, 0);
        let mut at = 0;
        while let Some(begin) = html[at..].find('<').map(|more| at + more) {
            if figures == 0 {
                found.add_text(&html[at..begin]);
            }
            let Some(end) = html[begin..].find('>').map(|more| begin + more + 1) else { break };
            at = end;
            let tag = &html[begin + 1..end - 1];
            let name = tag.trim_start_matches('/').split(' ').next().unwrap_or_default();
            let (is_end, name) = (tag.starts_with('/'), LocalName::from(name));
            if !is_inline(&name) || is_void(&name) {
                add_space(&mut found.words);
            }
            if is_end {
                let Some(element) = open.pop() else { break };
                whole -= usize::from(element.is_whole);
                figures -= usize::from(element.is_figure);
                if let Some(block) = element.block.map(|number| &mut found.blocks[number]) {
                    block.html.end = end;
                    block.words.end = found.words.len();
                }
            } else if !is_void(&name) {
                let is_figure = &*name == "figure";
                let is_block = whole == 0 && figures == 0 && !is_figure && !is_inline(&name);
                let words = found.words.len();
                let element = OpenTag {
                    block: is_block.then_some(found.blocks.len()),
                    is_whole: WHOLE.contains(&&*name),
                    is_figure,
                };
                whole += usize::from(element.is_whole);
                figures += usize::from(is_figure);
                open.push(element);
                if is_block {
                    found.blocks.push(HtmlBlock { html: begin..html.len(), words: words..words });
                }
            }
        }
        found
    }

    fn add_text(&mut self, text: &str) {
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('&') {
            add_words(before, &mut self.words);
            // A character reference never stands for a letter.
            add_space(&mut self.words);
            rest = after.split_once(';').map_or("", |(_, after)| after);
        }
        add_words(rest, &mut self.words);
    }

    /// Returns those of some paragraphs of a text that are blocks, and the bytes of these blocks, both in order. If
    /// several paragraphs have the same words, the first paragraph is the first block with these words, and so on.
    fn find(
        &self,
        text: &str,
        paragraphs: &[Range<usize>],
    ) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
        let mut sought: HashMap<String, Vec<Range<usize>>> = HashMap::new();
        for own in paragraphs {
            sought.entry(words_of(&text[own.clone()])).or_default();
        }
        for own in paragraphs_of(text) {
            if let Some(all) = sought.get_mut(&words_of(&text[own.range.clone()])) {
                all.push(own.range);
            }
        }
        let mut seen: HashMap<&str, usize> = HashMap::new();
        let (mut found, mut removed) = (Vec::new(), Vec::new());
        let mut end = 0;
        let words_in = |block: &HtmlBlock| self.words[block.words.clone()].trim();
        for (at, block) in self.blocks.iter().enumerate() {
            let words = words_in(block);
            // Blocks inside a block that is a paragraph are the same paragraph.
            if block.html.start < end {
                continue;
            }
            let Some((words, all)) = sought.get_key_value(words) else { continue };
            end = block.html.end;
            let number = seen.entry(words).or_default();
            if let Some(own) = all.get(*number).filter(|own| paragraphs.contains(own)) {
                found.push(own.clone());
                // Remove the innermost block with these words: outer ones may show something else.
                let inside = self.blocks[at..].iter().take_while(|own| own.html.start < end);
                removed.extend(inside.filter(|own| words_in(own) == words).last());
            }
            *number += 1;
        }
        found.sort_unstable_by_key(|own| own.start);
        (found, self.with_emptied(&removed))
    }

    /// Returns the bytes of blocks, including blocks around them that would be left empty.
    fn with_emptied(&self, removed: &[&HtmlBlock]) -> Vec<Range<usize>> {
        let letters = |words: &Range<usize>| {
            self.words[words.clone()].bytes().filter(|own| *own != b' ').count()
        };
        let mut all: Vec<Range<usize>> = Vec::new();
        for block in &self.blocks {
            if all.last().is_some_and(|last| block.html.start < last.end) {
                continue;
            }
            let first = removed.partition_point(|own| own.html.start < block.html.start);
            let inside = removed[first..].iter().take_while(|own| own.html.end <= block.html.end);
            let inside: Vec<&HtmlBlock> = inside.copied().collect();
            let left =
                letters(&block.words) - inside.iter().map(|own| letters(&own.words)).sum::<usize>();
            let shows = || {
                let rest =
                    without(self.html, block.html.clone(), inside.iter().map(|own| &own.html));
                SHOWN.iter().any(|tag| rest.contains(tag))
            };
            let is_removed = inside.first().is_some_and(|own| own.html == block.html);
            if is_removed || !inside.is_empty() && left == 0 && !shows() {
                all.push(block.html.clone());
            }
        }
        all
    }
}

/// Returns a range of a text without the ranges `removed`, which are in order.
fn without<'r>(
    text: &str,
    range: Range<usize>,
    removed: impl Iterator<Item = &'r Range<usize>>,
) -> String {
    let (mut left, mut at) = (String::new(), range.start);
    for own in removed {
        left.push_str(&text[at..own.start]);
        at = own.end;
    }
    left.push_str(&text[at..range.end]);
    left
}

/// Removes blocks, given in bytes, from the HTML, and what they contain from the article's images, tables, embeds and footnotes.
fn remove_from_html(article: &mut Article, blocks: &[Range<usize>]) {
    let html = without(&article.html, 0..article.html.len(), blocks.iter());
    let removed: Vec<&str> = blocks.iter().map(|own| &article.html[own.clone()]).collect();
    let is_left = |value: &str| {
        let written = format!("=\"{}\"", value.replace('&', "&amp;").replace('"', "&quot;"));
        !removed.iter().any(|own| own.contains(&written)) || html.contains(&written)
    };
    article.images.retain(|image| is_left(&image.url));
    article.embeds.retain(|embed| is_left(&embed.url));
    article.footnotes.retain(|note| is_left(&note.id));
    let tables: Vec<usize> = article.html.match_indices("<table").map(|own| own.0).collect();
    if tables.len() == article.tables.len() {
        let mut tables = tables.into_iter();
        article
            .tables
            .retain(|_| tables.next().is_none_or(|at| !blocks.iter().any(|own| own.contains(&at))));
    }
    if let Some(markdown) = &mut article.markdown {
        let base = Url::parse(&article.url).ok();
        let written = |html: &str| {
            let document = parse(html);
            let base = base.as_ref()?;
            Some(region_of(&document, &[0], &[], base)?.markdown(base))
        };
        if article.embeds.is_empty() && article.footnotes.is_empty() {
            *markdown = written(&html).unwrap_or_default();
        } else {
            // Embedded media and footnotes are not recognised in HTML that was already written.
            let blocks = removed.iter().filter_map(|own| written(own));
            blocks.for_each(|block| remove_block(markdown, block.trim()));
        }
    }
    article.html = html;
}

/// Removes a block from Markdown: the first one with this text that blank lines separate from the rest, if any.
fn remove_block(markdown: &mut String, block: &str) {
    let is_apart = |&at: &usize| {
        let (before, after) = (&markdown[..at], &markdown[at + block.len()..]);
        (before.is_empty() || before.ends_with("\n\n"))
            && (after.trim().is_empty() || after.starts_with("\n\n"))
    };
    let Some(at) = markdown.match_indices(block).map(|own| own.0).find(is_apart) else { return };
    let after = &markdown[at + block.len()..];
    let end = markdown.len() - after.trim_start_matches('\n').len();
    markdown.replace_range(at..end, "");
    if at == markdown.len() {
        markdown.truncate(markdown.trim_end_matches('\n').len());
    }
}

/// Moves passages from their places in the old text, of which `kept` parts are left, to those in the new text, in which
/// blank lines separate these parts. Headings that were `removed` are removed from their paths.
fn remove_from_passages(
    article: &mut Article,
    removed: &HashSet<String>,
    kept: &[Range<usize>],
    new: &str,
) {
    let Article { passages, text: old, .. } = article;
    // Places in characters: where each part was, and where it is now.
    let (mut places, mut was, mut is) = (Vec::new(), CharacterPlaces::new(old), 0);
    for part in kept {
        let before = was.number(part.start);
        let length = was.number(part.end) - before;
        places.push((before..before + length, is));
        is += length + 2;
    }
    let mut places = places.into_iter().peekable();
    let (mut starts, mut ends) = (CharacterPlaces::new(new), CharacterPlaces::new(new));
    passages.retain_mut(|passage| {
        passage.headings.retain(|own| !removed.contains(&words_of(own)));
        let old = passage.start..passage.end;
        let mut moved: Option<Range<u32>> = None;
        while let Some((part, is)) = places.peek() {
            let (start, end) = (part.start.max(old.start), part.end.min(old.end));
            if start < end {
                let first = moved.map_or(is + start - part.start, |moved| moved.start);
                moved = Some(first..is + end - part.start);
            }
            if part.end > old.end {
                break;
            }
            places.next();
        }
        let Some(moved) = moved else { return false };
        let own = &new[starts.byte(moved.start)..ends.byte(moved.end)];
        (passage.start, passage.end) = (moved.start, moved.end);
        passage.words = terms::count_words(own);
        passage.hash = content_hash(own);
        true
    });
    for (ordinal, passage) in (0..).zip(passages) {
        passage.ordinal = ordinal;
    }
}

#[cfg(test)]
mod tests {
    use model::{Embed, Image};

    use super::*;

    const OFFER: &str = "Read all – of it – for 3 euros & more";

    fn article(html: &str, text: &str, markdown: &str) -> Article {
        Article {
            url: "https://a.example/1".to_owned(),
            html: html.to_owned(),
            text: text.to_owned(),
            markdown: Some(markdown.to_owned()),
            ..Article::default()
        }
    }

    fn removed(article: &mut Article, paragraph: &str) -> bool {
        let start = article.text.find(paragraph).unwrap();
        let range = start..start + paragraph.len();
        remove_paragraphs(article, std::slice::from_ref(&range), 2)
    }

    #[test]
    fn a_block_is_removed_everywhere() {
        let mut own = article(
            "<p>One, žlutý kůň.</p><blockquote><p>Two two.</p><p>Read <b>all</b> – of it – for 3&nbsp;euros &amp; more</p></blockquote>",
            &format!("One, žlutý kůň.\n\nTwo two.\n\n{OFFER}"),
            &format!("One, žlutý kůň.\n\n> Two two.\n>\n> {OFFER}"),
        );
        assert!(removed(&mut own, OFFER));
        assert_eq!(own.html, "<p>One, žlutý kůň.</p><blockquote><p>Two two.</p></blockquote>");
        assert_eq!(own.text, "One, žlutý kůň.\n\nTwo two.");
        assert_eq!(own.markdown.unwrap().trim(), "One, žlutý kůň.\n\n> Two two.");
        assert_eq!(own.word_count, 5);
    }

    #[test]
    fn what_would_be_empty_goes_and_what_is_shown_beside_it_stays() {
        let mut own = article(
            &format!(
                "<p>One two.</p><div><p><img src=\"https://a.example/i?a&amp;b\"></p><p>{0}</p></div><p data-embed=\"video\"><a \
                 href=\"https://v.example/1\">Film</a></p><div><div><p>{0}</p></div></div>",
                OFFER.replace('&', "&amp;")
            ),
            &format!("One two.\n\n{OFFER}\n\n{OFFER}"),
            &format!(
                "One two.\n\n![](https://a.example/i?a&b)\n\n{OFFER}\n\n[Film](https://v.example/1)\n\n{OFFER}"
            ),
        );
        own.images.push(Image { url: "https://a.example/i?a&b".to_owned(), ..Image::default() });
        own.embeds.push(Embed { url: "https://v.example/1".to_owned(), ..Embed::default() });
        let starts: Vec<usize> = own.text.match_indices(OFFER).map(|found| found.0).collect();
        let both: Vec<_> = starts.into_iter().map(|at| at..at + OFFER.len()).collect();
        assert!(remove_paragraphs(&mut own, &both, 1));
        assert_eq!(own.text, "One two.");
        assert_eq!(
            own.html,
            "<p>One two.</p><div><p><img src=\"https://a.example/i?a&amp;b\"></p></div><p data-embed=\"video\"><a \
             href=\"https://v.example/1\">Film</a></p>"
        );
        let markdown = own.markdown.unwrap();
        assert_eq!(
            markdown,
            "One two.\n\n![](https://a.example/i?a&b)\n\n[Film](https://v.example/1)"
        );
        assert_eq!((own.images.len(), own.embeds.len()), (1, 1));
    }

    #[test]
    fn of_equal_headings_the_right_one_is_removed() {
        let offer = OFFER.replace('&', "&amp;");
        let mut own = article(
            &format!("<h3>For all</h3><p>One two.</p><h3>For all</h3><p>{offer}</p>"),
            &format!("For all\n\nOne two.\n\nFor all\n\n{OFFER}"),
            &format!("### For all\n\nOne two.\n\n### For all\n\n{OFFER}"),
        );
        let start = own.text.rfind("For all").unwrap();
        let both = [start..start + 7, start + 9..own.text.len()];
        assert!(remove_paragraphs(&mut own, &both, 1));
        assert_eq!(own.text, "For all\n\nOne two.");
        assert_eq!(own.html, "<h3>For all</h3><p>One two.</p>");
        assert_eq!(own.markdown.unwrap().trim(), "### For all\n\nOne two.");
    }

    #[test]
    fn parts_of_blocks_and_last_words_stay() {
        let html = format!("<pre>let a;\n\n{OFFER}\n\nlet b;</pre>").replace('&', "&amp;");
        let mut own = article(&html, &format!("let a;\n\n{OFFER}\n\nlet b;"), "");
        assert!(!removed(&mut own, OFFER) && own.html == html);
        let mut own = article("<p>One.</p><p>Two two two.</p>", "One.\n\nTwo two two.", "");
        assert!(!removed(&mut own, "Two two two."));
        assert!(removed(&mut own, "One.") && own.text == "Two two two.");
        let mut own = article("", "One.\n\nTwo two two.", "");
        assert!(!removed(&mut own, "One."));
    }
}
