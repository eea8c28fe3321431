//! Tags: name, attributes, end (WHATWG HTML §13.2.5.8 and §13.2.5.32–40).

use std::borrow::Cow;
use std::collections::HashSet;

use html5ever::LocalName;
use memchr::{memchr, memchr2};

use super::names::{CLASSES, ENDS_ATTRIBUTE, ENDS_TAG, ENDS_VALUE, is_space};
use super::references::{ReferenceContext, resolve};
use super::{Front, TokenTaker};

/// Number of attributes from which duplicates are found by a hash set rather than a linear search.
const MANY: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TagKind {
    Start,
    End,
}

impl<'p, T: TokenTaker> Front<'p, '_, T> {
    /// Reads a tag whose name begins here into `self.tag` and moves past it; `false` if the page ends inside the tag.
    pub(super) fn tag(&mut self, kind: TagKind, name: usize) -> bool {
        // If the page ends inside the tag, it is not a tag.
        let end = self.read_tag(kind, name);
        self.at = end.unwrap_or(self.html.len());
        end.is_some()
    }

    /// Returns the end of the tag.
    fn read_tag(&mut self, kind: TagKind, name: usize) -> Option<usize> {
        let bytes = self.bytes();
        let (name, mut at) = self.names.read(self.html, name, ENDS_TAG)?;
        self.tag.name = name;
        self.tag.attributes.clear();
        // Attributes of end tags have no meaning.
        let most = if kind == TagKind::Start { self.max_attributes } else { 0 };
        let mut left_out = 0u32;
        // Names of all attributes, once there are many.
        let mut seen: Option<HashSet<LocalName>> = None;
        self.tag.self_closing = loop {
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
                    let attributes = &mut self.tag.attributes;
                    if attributes.len() < MANY {
                        if attributes.iter().any(|(known, _)| *known == name) {
                            continue;
                        }
                    } else {
                        let names = || attributes.iter().map(|(name, _)| name.clone()).collect();
                        let seen = seen.get_or_insert_with(names);
                        // Names of left-out attributes need not be remembered.
                        if seen.contains(&name) {
                            continue;
                        }
                        if attributes.len() < most {
                            seen.insert(name.clone());
                        }
                    }
                    if attributes.len() < most {
                        attributes.push((name, value));
                    } else {
                        left_out = left_out.saturating_add(1);
                    }
                }
            }
        };
        if kind == TagKind::Start || left_out as usize > self.max_attributes {
            self.taker.leave_out(left_out);
        }
        Some(at + 1)
    }

    /// Returns the name, the value and the end of the attribute that begins here.
    fn attribute(&mut self, from: usize) -> Option<(LocalName, Cow<'p, str>, usize)> {
        let (html, bytes) = (self.html, self.bytes());
        // A leading `=` is part of the name.
        let (name, mut at) = self.names.read(self.html, from, ENDS_ATTRIBUTE)?;
        while is_space(*bytes.get(at)?) {
            at += 1;
        }
        if bytes[at] != b'=' {
            return Some((name, "".into(), at));
        }
        at += 1;
        while is_space(*bytes.get(at)?) {
            at += 1;
        }
        let resolved = |value: &'p str| {
            let mut plain = String::with_capacity(value.len());
            resolve(value, ReferenceContext::Attribute, &mut plain);
            Cow::Owned(plain)
        };
        let (value, next) = match bytes[at] {
            quote @ (b'"' | b'\'') => {
                let start = at + 1;
                let found = start + memchr2(quote, b'&', &bytes[start..])?;
                if bytes[found] == quote {
                    (html[start..found].into(), found + 1)
                } else {
                    let end = found + memchr(quote, &bytes[found..])?;
                    (resolved(&html[start..end]), end + 1)
                }
            }
            b'>' => ("".into(), at),
            _ => {
                let ends = |byte: &u8| CLASSES[usize::from(*byte)] & ENDS_VALUE != 0;
                let end = at + bytes[at..].iter().position(ends)?;
                let value = &html[at..end];
                let has_references = memchr(b'&', value.as_bytes()).is_some();
                (if has_references { resolved(value) } else { value.into() }, end)
            }
        };
        Some((name, value, next))
    }
}
