//! Tags: name, attributes, end (WHATWG HTML §13.2.5.8 and §13.2.5.32–40).

use std::collections::HashSet;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind};
use html5ever::{Attribute, LocalName, QualName, ns};
use memchr::{memchr, memchr2};

use super::names::{CLASSES, ENDS_ATTRIBUTE, ENDS_TAG, ENDS_VALUE, is_space};
use super::references::ReferenceContext;
use super::{Front, Taker};

/// Number of attributes from which duplicates are found by a hash set rather than a linear search.
const MANY: usize = 32;

/// Attributes of a tag so far.
struct Attributes {
    kept: Vec<Attribute>,
    /// Names of all kept attributes, once there are many.
    seen: Option<HashSet<LocalName>>,
    most: usize,
    left_out: u32,
    repeated: bool,
}

impl Attributes {
    fn has(&mut self, name: &LocalName) -> bool {
        if self.kept.len() < MANY {
            return self.kept.iter().any(|kept| kept.name.local == *name);
        }
        let kept = || self.kept.iter().map(|kept| kept.name.local.clone()).collect();
        self.seen.get_or_insert_with(kept).contains(name)
    }

    fn add(&mut self, name: LocalName, value: StrTendril) {
        if self.has(&name) {
            self.repeated = true;
        } else if self.kept.len() >= self.most {
            self.left_out = self.left_out.saturating_add(1);
        } else {
            if let Some(seen) = &mut self.seen {
                seen.insert(name.clone());
            }
            self.kept.push(Attribute { name: QualName::new(None, ns!(), name), value });
        }
    }
}

impl<T: Taker> Front<'_, T> {
    /// Reads a tag whose name begins here and moves past it; `None` if the page ends inside the
    /// tag.
    pub(super) fn tag(&mut self, kind: TagKind, name: usize) -> Option<Tag> {
        let bytes = self.html.as_bytes();
        // If the page ends inside the tag, it is not a tag.
        self.at = bytes.len();
        let (name, mut at) = self.names.read(self.html, name, ENDS_TAG)?;
        let mut attributes = Attributes {
            kept: Vec::new(),
            seen: None,
            // Attributes of end tags have no meaning.
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
                    if attributes.kept.capacity() == 0 {
                        attributes.kept = self.taker.spare();
                    }
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

    /// Name and value of the attribute that begins here, and its end.
    fn attribute(&mut self, from: usize) -> Option<(LocalName, StrTendril, usize)> {
        let bytes = self.html.as_bytes();
        // A leading `=` is part of the name.
        let (name, mut at) = self.names.read(self.html, from, ENDS_ATTRIBUTE)?;
        while is_space(*bytes.get(at)?) {
            at += 1;
        }
        if bytes[at] != b'=' {
            return Some((name, StrTendril::new(), at));
        }
        at += 1;
        while is_space(*bytes.get(at)?) {
            at += 1;
        }
        let (value, next) = match bytes[at] {
            quote @ (b'"' | b'\'') => {
                let start = at + 1;
                let found = start + memchr2(quote, b'&', &bytes[start..])?;
                if bytes[found] == quote {
                    (self.slice(start, found), found + 1)
                } else {
                    let end = found + memchr(quote, &bytes[found..])?;
                    (self.resolved(start, end, ReferenceContext::Attribute), end + 1)
                }
            }
            b'>' => (StrTendril::new(), at),
            _ => {
                let ends = |byte: &u8| CLASSES[usize::from(*byte)] & ENDS_VALUE != 0;
                let end = at + bytes[at..].iter().position(ends)?;
                let value = match memchr(b'&', &bytes[at..end]) {
                    None => self.slice(at, end),
                    Some(_) => self.resolved(at, end, ReferenceContext::Attribute),
                };
                (value, end)
            }
        };
        Some((name, value, next))
    }
}
