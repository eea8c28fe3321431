//! A sample page: its facts, then its blocks in order.

use super::look::{Outcome, PageView};
use super::reading::{BlockView, Reading, State};
use super::records::{ArticleLine, DropLine};
use crate::html::Html;
use crate::numerals::count;

/// Maximum number of signifiers.
const SIGNIFIERS: usize = 12;
/// Maximum number of characters and paragraphs of a text without blocks.
const LETTERS: usize = 2000;
const PARAGRAPHS: usize = 300;

/// Writes a sample page.
pub(super) fn sample(html: &mut Html, page: &PageView<'_>) {
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
                html.raw(match article.route.as_str() {
                    "json-ld" => "its JSON-LD",
                    "feed" => "a feed item",
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
            blocks(html, reading);
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

fn facts(html: &mut Html, article: &ArticleLine, page: &PageView<'_>) {
    let field = |html: &mut Html, name: &'static str, key: &str, value: Option<&str>| {
        html.raw("<dt>").raw(name).raw("</dt><dd>");
        match value {
            Some(value) => html.element("<bdi>", value, "</bdi>"),
            None => html.raw("<i>not found</i>"),
        };
        if let Some(source) = article.sources.get(key) {
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
    html.raw("<dt>Found</dt><dd>").text(&format!("by {}, route {}", article.engine, article.route));
    html.text(&format!(", confidence {:.2}", article.confidence));
    html.text(if article.doubtful { ": doubtful" } else { "" }).raw("</dd>\n");
    if article.route == "page-wise" {
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

/// The blocks of a page in order; runs of those outside the article are folded away.
fn blocks(html: &mut Html, reading: &Reading) {
    html.raw("<div class=\"blocks\">\n");
    let mut cut = false;
    let same_side = |a: &BlockView, b: &BlockView| {
        (a.state == State::Outside && !a.is_comment) == (b.state == State::Outside && !b.is_comment)
    };
    for run in reading.blocks.chunk_by(same_side) {
        let outside = run.iter().all(|block| block.state == State::Outside && !block.is_comment);
        if outside {
            let words: u64 = run.iter().map(|block| u64::from(block.words)).sum();
            html.raw("<details class=\"outside\"><summary>").text(&count(run.len(), "block"));
            html.raw(" outside the article, ").text(&count(words as usize, "word"));
            html.raw("</summary>\n");
        }
        for shown in run {
            if shown.state == State::Cut && !cut {
                cut = true;
                html.raw("<p class=\"end\">The article ends here</p>\n");
            }
            block(html, shown);
        }
        if outside {
            html.raw("</details>\n");
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

fn block(html: &mut Html, block: &BlockView) {
    let (class, word) = match (block.state, block.is_comment) {
        (_, true) => ("comment", "Comment, not in the article"),
        (State::Kept, _) => ("kept", "Kept"),
        (State::Pruned, _) => ("pruned", "Pruned"),
        (State::Cut, _) => ("cut", "After the article's end"),
        (State::Outside, _) => ("outside", "Outside the article"),
    };
    html.raw("<div class=\"block ").raw(class).raw("\" tabindex=\"0\">");
    if let Some(score) = block.score {
        html.element("<span class=\"score\">", &format!("{score:.2}"), "</span>");
    }
    html.raw(match (block.is_heading, block.state) {
        (true, State::Pruned | State::Cut) => "<s class=\"text heading\" dir=\"auto\">",
        (true, _) => "<span class=\"text heading\" dir=\"auto\">",
        (false, State::Pruned | State::Cut) => "<s class=\"text\" dir=\"auto\">",
        (false, _) => "<span class=\"text\" dir=\"auto\">",
    });
    html.text(&block.text);
    html.raw(if matches!(block.state, State::Pruned | State::Cut) { "</s>" } else { "</span>" });
    if block.letters_left_out > 0 {
        html.raw(" <small>… and ")
            .text(&count(block.letters_left_out, "more letter"))
            .raw("</small>");
    }
    html.raw("<span class=\"known\">").raw(word);
    html.raw(" · ").text(&count(block.words as usize, "word"));
    if let Some(score) = block.score {
        html.text(&format!(" · score {score:.2}"));
    }
    if let Some((hits, terms)) = block.hits.filter(|hits| hits.1 > 0) {
        html.text(&format!(" · {hits} of {} signify", count(terms as usize, "term")));
    }
    html.element(" · <code>", &block.pattern, "</code></span></div>\n");
}

/// A text as in the run.
fn paragraphs(html: &mut Html, text: &str) {
    html.raw("<div class=\"blocks\">\n");
    let paragraphs: Vec<&str> = text.split("\n\n").collect();
    for paragraph in paragraphs.iter().take(PARAGRAPHS) {
        let end = paragraph.char_indices().nth(LETTERS).map_or(paragraph.len(), |(at, _)| at);
        html.element(
            "<div class=\"block kept\"><span class=\"text\" dir=\"auto\">",
            &paragraph[..end],
            "</span>",
        );
        if end < paragraph.len() {
            let left_out = paragraph[end..].chars().count();
            html.raw(" <small>… and ").text(&count(left_out, "more letter")).raw("</small>");
        }
        html.raw("</div>\n");
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
