//! A sample page: its facts, then its blocks in order.

use std::collections::BTreeSet;

use xxhash_rust::xxh3::Xxh3;

use super::look::{Outcome, PageView};
use super::reading::{BlockView, Mark, Reading, State};
use super::records::DropLine;
use crate::html::Html;
use crate::numerals::count;
use model::{Article, Route};

/// Maximum number of signifiers.
const SIGNIFIERS: usize = 12;
/// Maximum number of characters and paragraphs of a text without blocks.
const LETTERS: usize = 2000;
const PARAGRAPHS: usize = 300;

/// Writes a sample page; `above` is what earlier pages of the layout have shown.
pub(super) fn sample(html: &mut Html, page: &PageView<'_>, above: &mut Shown) {
    html.raw("<dl class=\"facts\">\n<dt>Address</dt><dd>")
        .address(page.outcome.url())
        .raw("</dd>\n");
    match page.outcome {
        Outcome::Article(article) => facts(html, article, page),
        Outcome::Drop(drop) => reason(html, drop),
    }
    html.raw("</dl>\n");
    match (&page.reading, page.outcome) {
        (Some(reading), outcome) => {
            let article = match outcome {
                Outcome::Article(article) => Some(article),
                Outcome::Drop(_) => None,
            };
            if let Some(article) = article.filter(|article| article.xpath.is_empty()) {
                html.raw("<p class=\"note\">The text is not among the page's elements; it was taken from ");
                html.raw(match article.route {
                    Route::JsonLd => "its JSON-LD",
                    Route::Feed => "a feed item",
                    _ => "elsewhere",
                });
                html.raw(".</p>\n");
                paragraphs(html, &article.text);
            }
            if reading.agrees == Some(false) {
                html.raw(
                    "<p class=\"note\" role=\"note\">On the page as it was read again the run's \
                          expressions give another text than the run wrote down.</p>\n",
                );
            }
            blocks(html, reading, above);
        }
        (None, Outcome::Article(article)) => {
            html.raw("<p class=\"note\">The page could not be read again: this is the text of the run.</p>\n");
            paragraphs(html, &article.text);
            comments(html, &article.comments);
        }
        (None, Outcome::Drop(_)) => {
            html.raw("<p class=\"note\">The page could not be read again.</p>\n");
        }
    }
}

fn facts(html: &mut Html, article: &Article, page: &PageView<'_>) {
    let field = |html: &mut Html, name: &'static str, key: &str, value: Option<&str>| {
        html.raw("<dt>").raw(name).raw("</dt><dd>");
        match value {
            Some(value) => html.element("<bdi>", value, "</bdi>"),
            None => html.raw("<i>not found</i>"),
        };
        if let Some((_, source)) = article.sources.found().find(|(field, _)| *field == key) {
            html.element(" <small>from ", source, "</small>");
        }
        html.raw("</dd>\n");
    };
    field(html, "Title", "title", article.title.as_deref());
    let authors = article.authors.join(", ");
    field(html, "Authors", "authors", (!authors.is_empty()).then_some(&authors));
    field(html, "Published", "published", article.published.as_deref());
    if article.modified.is_some() {
        field(html, "Modified", "modified", article.modified.as_deref());
    }
    field(html, "Language", "language", article.language.as_deref());
    html.raw("<dt>Found</dt><dd>").text(&format!(
        "by {}, route {}",
        article.engine,
        article.route.as_str()
    ));
    html.text(&format!(", confidence {:.2}", article.confidence));
    html.text(if article.doubtful { ": doubtful" } else { "" }).raw("</dd>\n");
    if article.route == Route::PageWise {
        html.raw("<dt>Keeps</dt><dd>By positions on this page alone, ");
        html.text(&count(article.xpath.len(), "expression")).raw("</dd>\n");
    }
    if let Some(cut) = &article.cut {
        html.element("<dt>Ends before</dt><dd><code class=\"xpath\">", cut, "</code></dd>\n");
    }
    if !page.signifiers.is_empty() {
        html.raw("<dt>Signifiers</dt><dd>");
        for (at, (term, weight)) in page.signifiers.iter().take(SIGNIFIERS).enumerate() {
            html.raw(if at > 0 { ", " } else { "" });
            html.element("<bdi>", term, "</bdi>").text(&format!(" {weight:.1}"));
        }
        html.raw("</dd>\n");
    }
    html.raw("<dt>Record</dt><dd>").text(&article.origin.file);
    html.text(&format!(" at {}", article.origin.offset)).raw("</dd>\n");
}

fn reason(html: &mut Html, drop: &DropLine) {
    html.raw("<dt>Dropped</dt><dd>").text(&format!("{} ({})", drop.reason, drop.stage));
    if !drop.detail.is_empty() {
        html.text(": ").element("<bdi>", &drop.detail, "</bdi>");
    }
    html.raw("</dd>\n<dt>Record</dt><dd>").text(&drop.origin.file);
    html.text(&format!(" at {}", drop.origin.offset)).raw("</dd>\n");
}

/// Blocks outside the article that earlier pages of a layout have shown: hashes of text and pattern.
#[derive(Default)]
pub(super) struct Shown(BTreeSet<u64>);

impl Shown {
    /// Whether a block is shown for the first time.
    fn is_new(&mut self, block: &BlockView) -> bool {
        let mut hasher = Xxh3::new();
        hasher.update(block.pattern.as_bytes());
        hasher.update(&[0]);
        hasher.update(block.text.as_bytes());
        self.0.insert(hasher.digest())
    }
}

/// Whether a block is folded away with those around it.
fn is_folded(block: &BlockView) -> bool {
    block.state == State::Outside && !block.is_comment && block.mark.is_none()
}

/// The blocks of a page in order. Runs of those outside the article are folded away, without those that a page above
/// has, too.
fn blocks(html: &mut Html, reading: &Reading, above: &mut Shown) {
    marks(html, reading);
    html.raw("<div class=\"blocks\">\n");
    let mut cut = false;
    for run in reading.blocks.chunk_by(|a, b| is_folded(a) == is_folded(b)) {
        if run.first().is_some_and(is_folded) {
            folded(html, run, above);
            continue;
        }
        for group in run.chunk_by(|a, b| a.pattern == b.pattern && a.state == b.state) {
            if group.first().is_some_and(|block| block.state == State::Cut) && !cut {
                cut = true;
                html.raw("<p class=\"end\">The article ends here</p>\n");
            }
            of_one_pattern(html, group.iter());
        }
    }
    for (left_out, what) in [
        (reading.others_left_out, "in the article"),
        (reading.boilerplate_left_out, "outside the article"),
    ] {
        if left_out > 0 {
            html.raw("<p class=\"more\">").text(&count(left_out, "more block")).raw(" ").raw(what);
            html.raw(" left out to keep this file small.</p>\n");
        }
    }
    if reading.blocks.is_empty() {
        html.raw("<p class=\"more\">There is no text on this page.</p>\n");
    }
    html.raw("</div>\n");
}

/// How many blocks have a mark.
fn marks(html: &mut Html, reading: &Reading) {
    let counted = [
        (Mark::KeptLow, "kept though the score is low"),
        (Mark::DroppedHigh, "not kept though the score is high"),
    ]
    .map(|(mark, what)| (reading.marked(mark), what));
    let said = counted.into_iter().filter(|(n, _)| *n > 0);
    let said: Vec<String> = said.map(|(n, what)| format!("{} {what}", count(n, "block"))).collect();
    if !said.is_empty() {
        html.element("<p class=\"marked\">", &said.join(", "), "</p>\n");
    }
}

/// A run of blocks outside the article.
fn folded(html: &mut Html, run: &[BlockView], above: &mut Shown) {
    let words: u64 = run.iter().map(|block| u64::from(block.words)).sum();
    let new: Vec<&BlockView> = run.iter().filter(|block| above.is_new(block)).collect();
    let said = format!(
        "{} outside the article, {}",
        count(run.len(), "block"),
        count(words as usize, "word")
    );
    let again = match run.len() - new.len() {
        0 => String::new(),
        all if all == run.len() => ": shown above".to_owned(),
        some => format!(", {some} of them shown above"),
    };
    if new.is_empty() {
        html.element("<p class=\"again\">", &said, "").text(&again).raw("</p>\n");
        return;
    }
    html.raw("<details class=\"outside\"><summary>").text(&said).text(&again);
    html.raw("</summary>\n");
    for group in new.chunk_by(|a, b| a.pattern == b.pattern) {
        of_one_pattern(html, group.iter().copied());
    }
    html.raw("</details>\n");
}

/// Blocks of one pattern, which is written once.
fn of_one_pattern<'a>(html: &mut Html, blocks: impl Iterator<Item = &'a BlockView>) {
    html.raw("<div class=\"group\">");
    let mut pattern = "";
    for shown in blocks {
        block(html, shown);
        pattern = &shown.pattern;
    }
    html.element("<code>", pattern, "</code></div>\n");
}

/// A block; the style sheet says its state in words.
fn block(html: &mut Html, block: &BlockView) {
    html.raw("<p class=\"").raw(match (block.state, block.is_comment) {
        (_, true) => "comment",
        (State::Kept, _) => "kept",
        (State::Pruned, _) => "pruned",
        (State::Cut, _) => "cut",
        (State::Outside, _) => "outside",
    });
    html.raw(match block.mark {
        Some(Mark::KeptLow) => " low",
        Some(Mark::DroppedHigh) => " high",
        None => "",
    });
    html.raw(if block.is_heading { " heading\" tabindex=\"0\">" } else { "\" tabindex=\"0\">" });
    if let Some(score) = block.score {
        html.element("<em>", &format!("{score:.2}"), "</em> ");
    }
    let is_struck = matches!(block.state, State::Pruned | State::Cut);
    html.raw(if is_struck { "<s>" } else { "" }).text(&block.text);
    html.raw(if is_struck { "</s>" } else { "" });
    if block.letters_left_out > 0 {
        html.raw(" <small>… and ")
            .text(&count(block.letters_left_out, "more letter"))
            .raw("</small>");
    }
    html.element("<i>", &count(block.words as usize, "word"), "");
    if let Some((hits, terms)) = block.hits.filter(|hits| hits.1 > 0) {
        html.text(&format!(", {hits} of {} signify", count(terms as usize, "term")));
    }
    html.raw("</i></p>\n");
}

/// A text as in the run.
fn paragraphs(html: &mut Html, text: &str) {
    html.raw("<div class=\"blocks\">\n");
    let paragraphs: Vec<&str> = text.split("\n\n").collect();
    for paragraph in paragraphs.iter().take(PARAGRAPHS) {
        let end = paragraph.char_indices().nth(LETTERS).map_or(paragraph.len(), |(at, _)| at);
        html.element("<p class=\"kept\">", &paragraph[..end], "");
        if end < paragraph.len() {
            let left_out = paragraph[end..].chars().count();
            html.raw(" <small>… and ").text(&count(left_out, "more letter")).raw("</small>");
        }
        html.raw("</p>\n");
    }
    if paragraphs.len() > PARAGRAPHS {
        html.raw("<p class=\"more\">")
            .text(&count(paragraphs.len() - PARAGRAPHS, "more paragraph"));
        html.raw(" left out to keep this file small.</p>\n");
    }
    html.raw("</div>\n");
}

fn comments(html: &mut Html, comments: &str) {
    if !comments.is_empty() {
        html.raw("<details><summary>Comments</summary>\n");
        paragraphs(html, comments);
        html.raw("</details>\n");
    }
}
