//! Characters that act on a terminal, pages and archives that contain them, and a look at what is printed.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use super::crawl::Crawl;
use super::program::{parts, sitegrove};
use super::prose;

/// Colours, a window title, a cleared screen, a bell, the same with C1 controls, and all characters
/// that change the direction of text.
pub(crate) const HARM: &str = "\u{1b}[31m\u{1b}]0;owned\u{7}\u{1b}c\u{8}\u{7f}\u{9b}2J\u{9d}0;owned\u{9c}\u{85}\
    \u{202a}\u{202b}\u{202d}\u{202e}gnp\u{202c}\u{2066}\u{2067}\u{2068}i\u{2069}\u{200e}\u{200f}\u{61c}\
    \u{2028}\u{2029}\u{e0041}\u{feff}";

/// The part of it that is possible in the address of a record, which is one line of ASCII or UTF-8.
pub(crate) const IN_ADDRESS: &str =
    "\u{1b}[31m\u{7}\u{9b}2J\u{202e}gnp\u{2066}\u{200f}\u{2028}\u{7f}";

/// The part of it that is possible in the name of a file or folder.
pub(crate) const IN_NAME: &str = "e\u{202e}vil\u{1b}[31m\u{7}\u{9b}2J\u{2066}";

/// Whether a character is safe to print.
fn is_harmless(c: char) -> bool {
    let turns = matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}');
    let marks =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    matches!(c, '\n' | '\t') || !(c.is_control() || turns || marks)
}

/// Calls the binary and checks all its output. Returns its exit code and both streams.
#[track_caller]
pub(crate) fn look<S: AsRef<OsStr>>(arguments: &[S]) -> (i32, String, String) {
    let (code, stdout, stderr) = parts(&sitegrove().args(arguments).output().unwrap());
    let shown: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).collect();
    for (name, text) in [("stdout", &stdout), ("stderr", &stderr)] {
        if let Some((at, bad)) = text.char_indices().find(|(_, c)| !is_harmless(*c)) {
            let before: String = text[..at].chars().rev().take(60).collect();
            let before: String = before.chars().rev().collect();
            panic!("{shown:?}: {bad:?} in {name} after {before:?}");
        }
    }
    (code, stdout, stderr)
}

/// A post with the harmful characters in title, text, attributes and author.
pub(crate) fn post(n: usize) -> String {
    let head = format!(
        "<meta name=author content=\"Ann {HARM} Other\"><meta property='og:title' content=\"{HARM}\">\
         <meta property='article:published_time' content='2024-04-03'>\
         <meta name=description content=\"{HARM}\">"
    );
    let inside = format!(
        "<p class=\"{HARM}\" id='a\u{202e}b'><img alt=\"{HARM}\" src='/{HARM}.png'>\
         <a href='/{HARM}'>link {HARM}</a></p>"
    );
    let page = prose::post_with(n, &head, &inside);
    let (title, paragraph) = (prose::title(n), &prose::paragraphs(n)[0]);
    let harmful = format!("Harmful {HARM} words &#27;[31m &#x202e; of number {n}. {paragraph}");
    // The wrapper uses the entry's class.
    page.replace(&title, &format!("{title} {HARM} end"))
        .replace(paragraph, &harmful)
        .replace("class=entry", "class='entry\u{202e} e\u{1b}x'")
}

pub(crate) struct Hostile {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) archive: PathBuf,
    pub(crate) pages: PathBuf,
}

impl Hostile {
    pub(crate) fn make() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut crawl = Crawl::new();
        for n in 0..8 {
            crawl.page(&format!("https://evil.example/notes/{n}?{IN_ADDRESS}"), &post(n));
        }
        crawl.page("https://evil.example/empty", &format!("<title>{HARM}</title>"));
        let archive = crawl.write(folder.path(), &format!("{IN_NAME}.warc.gz"));
        let pages = folder.path().join(IN_NAME);
        fs::create_dir(&pages).unwrap();
        for n in 0..6 {
            fs::write(pages.join(format!("{n}{IN_NAME}.html")), post(n + 20)).unwrap();
        }
        Self { folder, archive, pages }
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// A list of arguments of different types.
macro_rules! words {
    ($($word:expr),* $(,)?) => { &[$(OsStr::new(&$word)),*][..] };
}
pub(crate) use words;
