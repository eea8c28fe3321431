//! What it costs that a formatting element is compared with those that are open.
//!
//! html5ever copies and sorts the attributes of the new tag and of each one of its name (WHATWG HTML §13.2.4.3, the
//! Noah's Ark clause) without asking anything of the tree, where [`Steps`](crate::steps::Steps) are counted: two
//! megabytes of `<font>` with a thousand attributes each take ten seconds.

use html5ever::tokenizer::{Tag, TagKind};
use html5ever::{LocalName, local_name};

use crate::sink::Sink;

/// Steps that a comparison of tags is worth, and a fourth of what an attribute adds to it.
const COMPARISON: usize = 16;

/// Attributes that may be compared with those of one element on each level without being counted.
const FEW: usize = 64;

/// A start tag that is compared.
pub(crate) struct Comparing {
    name: LocalName,
    attributes: usize,
}

impl Comparing {
    /// `None` if a tag is compared with few: no others without attributes are open more than three times, nor
    /// links in links.
    pub(crate) fn of(tag: &Tag) -> Option<Self> {
        let is_compared = !tag.attrs.is_empty()
            && tag.kind == TagKind::StartTag
            && matches!(
                tag.name,
                local_name!("b")
                    | local_name!("big")
                    | local_name!("code")
                    | local_name!("em")
                    | local_name!("font")
                    | local_name!("i")
                    | local_name!("nobr")
                    | local_name!("s")
                    | local_name!("small")
                    | local_name!("strike")
                    | local_name!("strong")
                    | local_name!("tt")
                    | local_name!("u")
            );
        is_compared.then(|| Self { name: tag.name.clone(), attributes: tag.attrs.len() })
    }

    /// The steps it was worth, once the tree builder is done with the tag: all that it was compared with is
    /// open then, each in the one before.
    pub(crate) fn steps(&self, sink: &Sink<'_>) -> usize {
        let level = sink.level.get() as usize;
        if level * self.attributes <= FEW {
            return 0;
        }
        level + sink.above_the_newest(&self.name) * COMPARISON * (1 + 4 * self.attributes)
    }
}
