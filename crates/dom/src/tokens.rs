//! The tokenizer alone: a lower bound on the time of a parse.

use std::cell::Cell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer,
};
use html5ever::{Attribute, TokenizerResult, local_name};

use crate::front::{self, Taker};

/// Counts the tokens of a page (tags, comments, doctypes, pieces of text, the end) without building
/// a tree. Start tags switch the tokenizer's state by name alone, as in a page without foreign
/// elements. How text is split into pieces depends on the tokenizer: ours, or html5ever's for pages
/// with NUL.
pub fn count_tokens(html: &str) -> u64 {
    let counter = Counter::default();
    if front::can_read(html) {
        front::read(&front::with_line_feeds(html), &counter, usize::MAX);
    } else {
        let tokenizer = Tokenizer::new(&counter, Default::default());
        let input = BufferQueue::default();
        input.push_back(StrTendril::from_slice(html));
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
        tokenizer.end();
    }
    counter.0.get()
}

#[derive(Default)]
struct Counter(Cell<u64>);

impl TokenSink for &Counter {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        match token {
            Token::ParseError(_) => return TokenSinkResult::Continue,
            Token::TagToken(tag) => {
                self.0.set(self.0.get() + 1);
                return answer(&tag);
            }
            _ => self.0.set(self.0.get() + 1),
        }
        TokenSinkResult::Continue
    }
}

impl Taker for &Counter {
    fn leave_out(&self, _: u32) {}

    fn spare(&self) -> Vec<Attribute> {
        Vec::new()
    }

    fn gives_up(&self) -> bool {
        false
    }
}

/// The tree builder's answer to a tag (WHATWG HTML §13.2.6.4, scripting off).
fn answer(tag: &Tag) -> TokenSinkResult<()> {
    if tag.kind == TagKind::EndTag {
        return TokenSinkResult::Continue;
    }
    match tag.name {
        local_name!("script") => TokenSinkResult::RawData(RawKind::ScriptData),
        local_names!("style" "xmp" "iframe" "noembed" "noframes") => {
            TokenSinkResult::RawData(RawKind::Rawtext)
        }
        local_names!("title" "textarea") => TokenSinkResult::RawData(RawKind::Rcdata),
        local_name!("plaintext") => TokenSinkResult::Plaintext,
        _ => TokenSinkResult::Continue,
    }
}

#[cfg(test)]
mod tests {
    use super::count_tokens;

    #[test]
    fn tokens_are_counted_by_either_tokenizer() {
        // Doctype, title with text, p with text and break, comment, script with text, end.
        let page = "<!doctype html><title>a</title><p>b<br>c<!-- d --><script>'<p>'</script>";
        assert_eq!(count_tokens(page), 13);
        // html5ever's tokenizer reads pages with NUL, and splits text at `<`.
        assert_eq!(count_tokens(&format!("{}\0", page.replace("'<p>'", "x"))), 14);
        assert_eq!(count_tokens(""), 1);
    }
}
