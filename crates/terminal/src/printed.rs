//! Safe output: nothing from a page, a file name or an address can move the cursor of a terminal, change its
//! colours or title, or change the direction of text.
//!
//! Every command writes to a [`Printed`]. Values that have to stay on one line go through [`line()`] as well, and can be shortened or
//! wrapped to the columns of a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write;
use std::{fmt, io};

use report::readable::{Shown, short_xpath, shown};

/// Escapes or removes everything in a text that a terminal would obey, except line feeds and tabs.
pub fn text(text: &str) -> Cow<'_, str> {
    if text.chars().all(|letter| shown(letter) == Shown::Plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    text.chars().for_each(|letter| OutputForm::Text.push(letter, &mut out));
    Cow::Owned(out)
}

/// Like [`text()`], but also escapes line feeds and tabs, so that the text stays on one line.
pub fn line(text: &str) -> Cow<'_, str> {
    match self::text(text) {
        shown if shown.contains(['\n', '\t']) => {
            Cow::Owned(shown.replace('\n', "\\n").replace('\t', "\\t"))
        }
        shown => shown,
    }
}

/// The format of the output, which determines how a code point is escaped.
#[derive(Clone, Copy, Debug)]
enum OutputForm {
    /// Text for people: `\u{202e}`.
    Text,
    /// JSON: `\u202e` (RFC 8259 §7). Parsers read the same values.
    Json,
    /// HTML: `&#x202e;`. Control characters are not allowed in HTML and are removed.
    Html,
}

impl OutputForm {
    fn push(self, letter: char, out: &mut String) {
        let is = shown(letter);
        // Writing to a String cannot fail.
        let _ = match (self, is) {
            (_, Shown::Plain) => out.write_char(letter),
            (Self::Text, Shown::LeftOut) => Ok(()),
            (Self::Text, Shown::Named) => write!(out, "{}", letter.escape_unicode()),
            (Self::Json, _) => {
                letter.encode_utf16(&mut [0; 2]).iter().try_for_each(|u| write!(out, "\\u{u:04x}"))
            }
            (Self::Html, _) if letter.is_control() => Ok(()),
            (Self::Html, _) => write!(out, "&#x{:x};", u32::from(letter)),
        };
    }
}

/// An output stream that escapes or removes everything in UTF-8 text that a terminal would obey, even if the output
/// is not a terminal. The format is text unless set otherwise.
#[derive(Debug)]
pub struct Printed<W: Write> {
    inner: W,
    form: OutputForm,
    /// Whether only results that were asked for are printed.
    quiet: bool,
    width: usize,
    /// The first bytes of a character whose rest was not written yet.
    begun: Vec<u8>,
}

/// Assumed width of the output in columns if there is no terminal.
pub const COLUMNS: usize = 80;

/// Returns the width of a terminal in columns; [`COLUMNS`] if the stream is no terminal.
pub fn columns(stream: &console::Term) -> usize {
    stream.size_checked().map_or(COLUMNS, |(_, columns)| usize::from(columns).max(1))
}

/// The stream that commands print to.
pub type Console<'a> = Printed<&'a mut dyn Write>;

impl<W: Write> Printed<W> {
    /// Creates a stream for plain text.
    pub fn text(inner: W) -> Self {
        Self { inner, form: OutputForm::Text, quiet: false, width: COLUMNS, begun: Vec::new() }
    }

    /// Sets the width of the terminal in columns, and whether only results are printed.
    #[must_use]
    pub fn on_terminal(self, width: usize, quiet: bool) -> Self {
        Self { width, quiet, ..self }
    }

    /// Returns the width of the terminal in columns; [`COLUMNS`] if there is none.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Whether only results that were asked for are printed.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Writes a line about what was done, unless the stream is quiet: the results are in files.
    ///
    /// # Errors
    /// If the underlying stream cannot be written.
    pub fn note(&mut self, what: fmt::Arguments<'_>) -> io::Result<()> {
        if self.quiet {
            return Ok(());
        }
        writeln!(self, "{what}")
    }

    /// Writes a value as one line of JSON.
    ///
    /// # Errors
    /// If the underlying stream cannot be written.
    pub fn json_line(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        serde_json::to_writer(self.as_json(), value)?;
        writeln!(self)
    }

    /// Creates a stream for JSON, in any layout.
    pub fn json(inner: W) -> Self {
        Self { form: OutputForm::Json, ..Self::text(inner) }
    }

    /// Borrows the stream to write JSON.
    pub fn as_json(&mut self) -> Printed<&mut W> {
        Printed::json(&mut self.inner)
    }

    /// Borrows the stream to write HTML.
    pub fn as_html(&mut self) -> Printed<&mut W> {
        Printed { form: OutputForm::Html, ..Printed::text(&mut self.inner) }
    }

    /// Writes a literal without escaping it, such as the terminal sequence for bold.
    ///
    /// # Errors
    /// If the underlying stream cannot be written.
    pub fn ours(&mut self, literal: &'static str) -> io::Result<()> {
        self.inner.write_all(literal.as_bytes())
    }
}

impl<W: Write> Write for Printed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Fast path: most output is ASCII, in short pieces.
        if self.begun.is_empty() && bytes.iter().all(|b| matches!(b, b' '..=b'~' | b'\n' | b'\t')) {
            self.inner.write_all(bytes)?;
            return Ok(bytes.len());
        }
        self.begun.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.begun) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.begun.len(),
        };
        // Invalid UTF-8, which our own text never has, may come before the end.
        let rest = self.begun.split_off(whole);
        let text = String::from_utf8_lossy(&self.begun);
        let mut out = String::with_capacity(text.len() + 16);
        text.chars().for_each(|letter| self.form.push(letter, &mut out));
        self.inner.write_all(out.as_bytes())?;
        self.begun = rest;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Returns the width of a text in columns.
pub fn width_of(text: &str) -> usize {
    console::measure_text_width(text)
}

/// Shortens a text to at most `columns`: replaces what does not fit in its middle by `…`.
fn middle(text: &str, columns: usize) -> String {
    if width_of(text) <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let (head, tail) = (room.div_ceil(2), room / 2);
    let start = upto(text.chars(), head);
    let end: String = upto(text.chars().rev(), tail).chars().rev().collect();
    format!("{start}…{end}")
}

/// Pads a text with spaces to exactly `columns`, or shortens its middle.
pub fn padded(text: &str, columns: usize) -> String {
    let text = middle(text, columns);
    let space = " ".repeat(columns - width_of(&text));
    text + &space
}

/// Returns the first characters that fit into `columns`.
fn upto(letters: impl Iterator<Item = char>, columns: usize) -> String {
    let (mut text, mut taken) = (String::new(), 0);
    for letter in letters {
        let wide = width_of(letter.encode_utf8(&mut [0; 4]));
        if taken + wide > columns {
            break;
        }
        taken += wide;
        text.push(letter);
    }
    text
}

/// Wraps a paragraph at spaces into lines of at most `columns`. Lines after the first begin with `indent`.
pub fn wrapped(text: &str, columns: usize, indent: &str) -> String {
    let (mut lines, mut taken) = (String::new(), 0);
    for word in text.split(' ') {
        let wide = width_of(word);
        if taken > 0 && taken + 1 + wide > columns {
            // Writing to a String cannot fail.
            let _ = write!(lines, "\n{indent}{word}");
            taken = width_of(indent) + wide;
        } else {
            if taken > 0 {
                lines.push(' ');
            }
            lines.push_str(word);
            taken += usize::from(taken > 0) + wide;
        }
    }
    lines
}

/// Formats the expressions of a wrapper in `columns`: all if they fit, otherwise the first and the number of others.
pub fn wrapper_in(columns: usize, content: &[String]) -> String {
    let short: Vec<String> =
        content.iter().map(|own| line(&short_xpath(own)).into_owned()).collect();
    let all = short.join(" | ");
    match &short[..] {
        [first, others @ ..] if !others.is_empty() && width_of(&all) > columns => {
            let others = format!(" +{}", others.len());
            middle(first, columns.saturating_sub(others.len())) + &others
        }
        _ => middle(&all, columns),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All characters that must not come out, with a letter before each.
    fn harm() -> String {
        let ranges =
            ['\0'..='\u{8}', '\u{b}'..='\u{1f}', '\u{7f}'..='\u{9f}', '\u{2028}'..='\u{202e}'];
        let more = ['\u{2066}'..='\u{206f}', '\u{fff9}'..='\u{fffb}', '\u{200e}'..='\u{200f}'];
        let tags = ['\u{e0000}'..='\u{e007f}', '\u{61c}'..='\u{61c}', '\u{feff}'..='\u{feff}'];
        let all = ranges.into_iter().chain(more).chain(tags).flatten();
        all.flat_map(|letter| ['x', letter]).collect()
    }

    fn printed(form: OutputForm, text: &str, piece: usize) -> String {
        let mut out = Vec::new();
        let mut stream = Printed { form, ..Printed::text(&mut out) };
        text.as_bytes().chunks(piece).for_each(|bytes| stream.write_all(bytes).unwrap());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn nothing_a_terminal_obeys_comes_out() {
        let harm = harm();
        for form in [OutputForm::Text, OutputForm::Json, OutputForm::Html] {
            let whole = printed(form, &harm, harm.len());
            assert!(whole.chars().all(|letter| shown(letter) == Shown::Plain), "{whole:?}");
            for piece in 1..7 {
                assert_eq!(printed(form, &harm, piece), whole, "{form:?} in pieces of {piece}");
            }
        }
        assert_eq!(text(&harm), printed(OutputForm::Text, &harm, 1));
    }

    #[test]
    fn texts_stay_readable() {
        for plain in ["a b\n\tc", "Ünïcödé 北京", "نص‌عربی", "👩‍👩‍👧", "\u{a0}\u{ad}\u{200b}"]
        {
            assert!(matches!(text(plain), Cow::Borrowed(same) if same == plain));
        }
        assert_eq!(text("a\u{1b}[31mb\u{202e}c\u{200f}\u{9b}"), "a\\u{1b}[31mb\\u{202e}c\\u{9b}");
        assert_eq!(line("one\ntwo\tthree\r"), "one\\ntwo\\tthree\\u{d}");
    }

    #[test]
    fn json_keeps_its_values() {
        let value = [harm() + "\"\\\n\t"];
        let json = serde_json::to_string_pretty(&value).unwrap();
        let back: [String; 1] = serde_json::from_str(&printed(OutputForm::Json, &json, 5)).unwrap();
        assert_eq!(back, value);
    }

    #[test]
    fn a_quiet_stream_has_results_only() {
        for (quiet, expected) in [(false, "note\nresult\n"), (true, "result\n")] {
            let mut out = Vec::new();
            let mut stream = Printed::text(&mut out).on_terminal(40, quiet);
            assert_eq!((stream.width(), stream.is_quiet()), (40, quiet));
            stream.note(format_args!("note")).unwrap();
            writeln!(stream, "result").unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    #[test]
    fn broken_characters_are_marked() {
        let mut out = Vec::new();
        let mut stream = Printed::text(&mut out);
        for bytes in [&b"a\xc3"[..], b"\xbc\xffb\xe4", b"c"] {
            stream.write_all(bytes).unwrap();
        }
        assert_eq!(String::from_utf8(out).unwrap(), "aü\u{fffd}b\u{fffd}c");
    }

    #[test]
    fn the_middle_is_left_out() {
        assert_eq!(middle("//div", 5), "//div");
        assert_eq!(middle("//div[@id='main']/p", 9), "//di…']/p");
        for columns in 0..12 {
            assert!(width_of(&middle("北京大学 abcdef", columns)) <= columns.max(1), "{columns}");
        }
    }

    #[test]
    fn paragraphs_are_broken_at_spaces() {
        assert_eq!(wrapped("one two three", 7, "  "), "one two\n  three");
        assert_eq!(wrapped("a-word-longer-than-that b", 5, ""), "a-word-longer-than-that\nb");
        assert_eq!(wrapped("", 5, ""), "");
    }
}
