//! The cost of comparing a formatting element with the open ones.
//!
//! html5ever copies and sorts the attributes of the new tag and of each open one of the same name
//! (WHATWG HTML §13.2.4.3, the Noah's Ark clause) without calling the tree, where
//! [`StepCounter`](crate::steps::StepCounter) are counted: two megabytes of `<font>` with a thousand attributes
//! each take ten seconds.

use html5ever::LocalName;
use html5ever::tokenizer::{Tag, TagKind};

use crate::sink::PageSink;

/// Steps that a comparison of tags counts as, and a quarter of what an attribute adds to it.
const COMPARISON: usize = 16;

/// Maximum number of attributes times levels whose comparison is not counted.
const FEW: usize = 64;

/// A start tag that is compared with the open ones.
pub(crate) struct Comparing {
    name: LocalName,
    attributes: usize,
}

impl Comparing {
    /// `None` for a tag that is compared with few others: at most three open elements of the same
    /// name have no attributes (the Noah's Ark clause), and links do not nest.
    pub(crate) fn of(tag: &Tag) -> Option<Self> {
        let is_compared = !tag.attrs.is_empty()
            && tag.kind == TagKind::StartTag
            && matches!(
                tag.name,
                local_names!(
                    "b" "big" "code" "em" "font" "i" "nobr" "s" "small" "strike" "strong" "tt"
                    "u"
                )
            );
        is_compared.then(|| Self { name: tag.name.clone(), attributes: tag.attrs.len() })
    }

    /// The steps of the comparison, computed after the tree builder has processed the tag: all
    /// elements that it was compared with are then open, each inside the previous one.
    pub(crate) fn steps(&self, sink: &PageSink<'_>) -> usize {
        let level = sink.level.get() as usize;
        if level * self.attributes <= FEW {
            return 0;
        }
        level + sink.above_the_newest(&self.name) * COMPARISON * (1 + 4 * self.attributes)
    }
}
