//! Parses and prints the lines of a file, and maps names of files to hosts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

/// A file: its lines in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteConfig {
    lines: Vec<SiteConfigLine>,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteConfigLine {
    /// Only white space.
    Blank,
    /// The text after a `#` at the beginning of the line.
    Comment(String),
    /// `name: value` or `name(argument): value`.
    Directive(Directive),
    /// A line that no reader of the format understands.
    Unread(String),
}

/// `name: value` or `name(argument): value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    name: String,
    argument: Option<String>,
    value: String,
}

/// White space, or a byte order mark, that is trimmed from a line, a name or a value.
const SPACE: [char; 7] = [' ', '\t', '\n', '\r', '\0', '\u{b}', '\u{feff}'];

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

impl Directive {
    /// A directive, if it can be written: the name consists of letters, digits and `_`; the
    /// argument has no colon (the first colon of a line ends the name) and no line break; the value
    /// is not empty and has no line break and no white space at its ends.
    pub fn new(name: &str, argument: Option<&str>, value: &str) -> Option<Self> {
        let text = |text: &str| !text.contains(['\n', '\r']);
        let argument_fits = argument.is_none_or(|a| text(a) && !a.contains(':'));
        let value_fits = !value.is_empty() && text(value) && value.trim_matches(SPACE) == value;
        (is_name(name) && argument_fits && value_fits).then(|| Self {
            name: name.to_owned(),
            argument: argument.map(str::to_owned),
            value: value.to_owned(),
        })
    }

    /// Its name, e.g. `strip`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text in brackets after the name.
    pub fn argument(&self) -> Option<&str> {
        self.argument.as_deref()
    }

    /// The text after the colon; never empty.
    pub fn value(&self) -> &str {
        &self.value
    }

    fn read(line: &str) -> Option<Self> {
        let (command, value) = line.split_once(':')?;
        let (command, value) = (command.trim_matches(SPACE), value.trim_matches(SPACE));
        let (name, argument) = match command.strip_suffix(')').and_then(|c| c.split_once('(')) {
            Some((name, argument)) => (name, Some(argument)),
            None => (command, None),
        };
        Self::new(name, argument, value)
    }
}

impl Display for Directive {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.argument {
            Some(argument) => write!(f, "{}({argument}): {}", self.name, self.value),
            None => write!(f, "{}: {}", self.name, self.value),
        }
    }
}

impl SiteConfig {
    /// Parses any text. Lines end in LF or CRLF; a byte order mark is skipped.
    pub fn parse(text: &str) -> Self {
        let mut lines: Vec<SiteConfigLine> = text.split('\n').map(SiteConfigLine::read).collect();
        // Text after the last line break is a line only if it is not empty.
        if lines.last() == Some(&SiteConfigLine::Blank) {
            lines.pop();
        }
        Self { lines }
    }

    /// The lines, in order; the first is line 1.
    pub fn lines(&self) -> &[SiteConfigLine] {
        &self.lines
    }

    /// The directives of this name, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Directive> {
        self.lines.iter().filter_map(move |line| match line {
            SiteConfigLine::Directive(directive) if directive.name == name => Some(directive),
            _ => None,
        })
    }

    /// Adds a directive. Returns false, and adds nothing, if the value cannot be written (see
    /// [`Directive::new`]).
    pub fn push(&mut self, name: &str, value: &str) -> bool {
        let directive = Directive::new(name, None, value);
        let fits = directive.is_some();
        self.lines.extend(directive.map(SiteConfigLine::Directive));
        fits
    }

    /// Adds a comment. Line breaks in the text are replaced.
    pub fn comment(&mut self, text: &str) {
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let text = text.trim();
        let text = if text.is_empty() { String::new() } else { format!(" {text}") };
        self.lines.push(SiteConfigLine::Comment(text));
    }

    /// Adds an empty line.
    pub fn blank(&mut self) {
        self.lines.push(SiteConfigLine::Blank);
    }
}

impl SiteConfigLine {
    fn read(line: &str) -> Self {
        let line = line.trim_matches(SPACE);
        if line.is_empty() {
            return Self::Blank;
        }
        if let Some(comment) = line.strip_prefix('#') {
            return Self::Comment(comment.to_owned());
        }
        Directive::read(line).map_or_else(|| Self::Unread(line.to_owned()), Self::Directive)
    }
}

impl Display for SiteConfig {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            match line {
                SiteConfigLine::Blank => {}
                SiteConfigLine::Comment(text) => write!(f, "#{text}")?,
                SiteConfigLine::Directive(directive) => directive.fmt(f)?,
                SiteConfigLine::Unread(text) => f.write_str(text)?,
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Longest host name that the format's readers look for.
const MAX_LENGTH: usize = 200;

/// Normalises a host for lookup: lower case, without `www.`.
fn bare(host: &str) -> String {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    host.strip_prefix("www.").unwrap_or(&host).to_owned()
}

/// Whether a name is a host name: labels of letters, digits, underscores and inner hyphens.
fn is_host(name: &str) -> bool {
    let is_label = |label: &str| {
        let inner = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
        !label.is_empty()
            && label.bytes().all(inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.len() <= MAX_LENGTH && name.split('.').all(is_label)
}

/// The host that a file is for, from the file's name: `example.com`, or `.example.com` for the hosts below it. `None` if
/// the file is not named like that.
pub fn host_of_file(file: &str) -> Option<String> {
    let stem = file.to_ascii_lowercase();
    let stem = stem.strip_suffix(".txt")?;
    let name = match stem.strip_prefix('.') {
        Some(below) => format!(".{below}"),
        None => bare(stem),
    };
    is_host(name.trim_start_matches('.')).then_some(name).filter(|name| !name.starts_with(".."))
}

/// The possible file names of a host, the most specific first: `a.b.example`, `.b.example`,
/// `.example`. Other readers go up only one level.
pub fn lookup_names(host: &str) -> Vec<String> {
    let host = bare(host);
    let mut names = vec![host.clone()];
    let mut rest = host.as_str();
    while let Some((_, above)) = rest.split_once('.') {
        names.push(format!(".{above}"));
        rest = above;
    }
    names
}

/// Assigns a site's hosts to files: the file name without `.txt`, and the indices of its hosts in the given list. Several
/// hosts below the same parent domain share a file. A single host below a domain, and a site's bare domain, have their own
/// files. Names that are not host names get no file.
pub fn file_hosts(hosts: &[&str]) -> BTreeMap<String, Vec<usize>> {
    let mut siblings: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let all: BTreeSet<String> = hosts.iter().map(|host| bare(host)).collect();
    let above = |host: &str| host.split_once('.').map(|(_, above)| above.to_owned());
    for host in &all {
        if let Some(above) = above(host) {
            siblings.entry(above).or_default().insert(host.clone());
        }
    }
    let mut files: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, host) in hosts.iter().enumerate() {
        let host = bare(host);
        if !is_host(&host) {
            continue;
        }
        // The parent is never a bare public suffix: all hosts of a site end in the same domain, and
        // a bare domain has no sibling there.
        let shared = above(&host).filter(|above| siblings[above].len() > 1);
        let name = shared.map_or(host, |above| format!(".{above}"));
        files.entry(name).or_default().push(at);
    }
    files
}
