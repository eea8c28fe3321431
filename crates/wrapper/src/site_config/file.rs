//! Parser and printer of the lines of a file.

use std::fmt::{self, Display, Formatter};

/// A file: its lines in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteConfig {
    lines: Vec<Line>,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
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
        let mut lines: Vec<Line> = text.split('\n').map(Line::read).collect();
        // Text after the last line break is a line only if it is not empty.
        if lines.last() == Some(&Line::Blank) {
            lines.pop();
        }
        Self { lines }
    }

    /// The lines, in order; the first is line 1.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The directives of this name, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Directive> {
        self.lines.iter().filter_map(move |line| match line {
            Line::Directive(directive) if directive.name == name => Some(directive),
            _ => None,
        })
    }

    /// Adds a directive. Returns false, and adds nothing, if the value cannot be written (see
    /// [`Directive::new`]).
    pub fn push(&mut self, name: &str, value: &str) -> bool {
        let directive = Directive::new(name, None, value);
        let fits = directive.is_some();
        self.lines.extend(directive.map(Line::Directive));
        fits
    }

    /// Adds a comment. Line breaks in the text are replaced.
    pub fn comment(&mut self, text: &str) {
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let text = text.trim();
        self.lines.push(Line::Comment(if text.is_empty() {
            String::new()
        } else {
            format!(" {text}")
        }));
    }

    /// Adds an empty line.
    pub fn blank(&mut self) {
        self.lines.push(Line::Blank);
    }
}

impl Line {
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
                Line::Blank => {}
                Line::Comment(text) => write!(f, "#{text}")?,
                Line::Directive(directive) => directive.fmt(f)?,
                Line::Unread(text) => f.write_str(text)?,
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
