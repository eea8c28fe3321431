//! Tags: name, attributes, end (WHATWG HTML §13.2.5.8 and §13.2.5.32–40).

use std::collections::HashSet;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind};
use html5ever::{Attribute, LocalName, QualName, ns};
use memchr::memchr;

use super::{Front, Taker, is_space};

/// From so many attributes on, those seen are looked up rather than gone through.
const MANY: usize = 32;

/// Attributes of a tag so far.
struct Attributes {
    kept: Vec<Attribute>,
    seen: HashSet<LocalName>,
    most: usize,
    left_out: u32,
    repeated: bool,
}

impl Attributes {
    fn has(&mut self, name: &LocalName) -> bool {
        if self.kept.len() < MANY {
            return self.kept.iter().any(|kept| kept.name.local == *name);
        }
        if self.seen.is_empty() {
            self.seen.extend(self.kept.iter().map(|kept| kept.name.local.clone()));
        }
        self.seen.contains(name)
    }

    fn add(&mut self, name: LocalName, value: StrTendril) {
        if self.has(&name) {
            self.repeated = true;
        } else if self.kept.len() >= self.most {
            self.left_out = self.left_out.saturating_add(1);
        } else {
            if !self.seen.is_empty() {
                self.seen.insert(name.clone());
            }
            self.kept.push(Attribute { name: QualName::new(None, ns!(), name), value });
        }
    }
}

impl<T: Taker> Front<'_, T> {
    /// Reads a tag whose name begins here and moves behind it; `None` if the page ends within it.
    pub(super) fn tag(&mut self, kind: TagKind, name: usize) -> Option<Tag> {
        let bytes = self.html.as_bytes();
        let ends_name = |byte: &u8| is_space(*byte) || matches!(byte, b'/' | b'>');
        let length = bytes[name..].iter().position(ends_name);
        // The page may end within the tag: then it is none.
        self.at = bytes.len();
        let mut at = name + length?;
        let name = self.names.get(&self.html[name..at]);
        let mut attributes = Attributes {
            kept: Vec::new(),
            seen: HashSet::new(),
            // Those of end tags mean nothing.
            most: if kind == TagKind::StartTag { self.max_attributes } else { 0 },
            left_out: 0,
            repeated: false,
        };
        let self_closing = loop {
            match *bytes.get(at)? {
                byte if is_space(byte) => at += 1,
                b'>' => break false,
                b'/' if *bytes.get(at + 1)? == b'>' => {
                    at += 1;
                    break true;
                }
                b'/' => at += 1,
                _ => {
                    let (name, value, next) = self.attribute(at)?;
                    at = next;
                    attributes.add(name, value);
                }
            }
        };
        self.at = at + 1;
        if kind == TagKind::StartTag || attributes.left_out as usize > self.max_attributes {
            self.taker.leave_out(attributes.left_out);
        }
        Some(Tag {
            kind,
            name,
            self_closing,
            attrs: attributes.kept,
            had_duplicate_attributes: attributes.repeated,
        })
    }

    /// Name and value of the attribute that begins here, and where it ends.
    fn attribute(&mut self, from: usize) -> Option<(LocalName, StrTendril, usize)> {
        let bytes = self.html.as_bytes();
        // A `=` in front is part of the name.
        let ends_name = |byte: &u8| is_space(*byte) || matches!(byte, b'/' | b'>' | b'=');
        let mut at = from + 1 + bytes[from + 1..].iter().position(ends_name)?;
        let name = self.names.get(&self.html[from..at]);
        at += bytes[at..].iter().position(|&byte| !is_space(byte))?;
        if bytes[at] != b'=' {
            return Some((name, StrTendril::new(), at));
        }
        at += 1;
        at += bytes[at..].iter().position(|&byte| !is_space(byte))?;
        let (value, next) = match bytes[at] {
            quote @ (b'"' | b'\'') => {
                let end = at + 1 + memchr(quote, &bytes[at + 1..])?;
                (self.value(at + 1, end), end + 1)
            }
            b'>' => (StrTendril::new(), at),
            _ => {
                let ends = |byte: &u8| is_space(*byte) || *byte == b'>';
                let end = at + bytes[at..].iter().position(ends)?;
                (self.value(at, end), end)
            }
        };
        Some((name, value, next))
    }

    fn value(&self, from: usize, to: usize) -> StrTendril {
        match memchr(b'&', &self.html.as_bytes()[from..to]) {
            None => self.slice(from, to),
            Some(_) => StrTendril::from_slice(&htmlize::unescape_attribute(&self.html[from..to])),
        }
    }
}
