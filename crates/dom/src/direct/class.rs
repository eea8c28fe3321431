//! Classes of elements in the rules of tree construction, by name (WHATWG HTML §13.2.4.2, §13.2.6.4).

use html5ever::{LocalName, local_name};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ElementClass(u16);

impl ElementClass {
    pub(super) const SPECIAL: Self = Self(1);
    /// Ends the search for an element in scope.
    pub(super) const SCOPE: Self = Self(2);
    /// Its end tag may be implied.
    pub(super) const IMPLIED_END: Self = Self(4);
    pub(super) const HEADING: Self = Self(8);
    pub(super) const FORMATTING: Self = Self(16);
    /// Its start tag only closes an open paragraph before the element is inserted.
    pub(super) const CLOSES_P: Self = Self(32);
    /// Its end tag closes the element if it is in scope.
    pub(super) const BLOCK_END: Self = Self(64);
    /// Processed as in the head, wherever it occurs.
    pub(super) const OF_HEAD: Self = Self(128);
    pub(super) const VOID: Self = Self(256);
    /// Part of a table, other than the table itself.
    pub(super) const OF_TABLE: Self = Self(512);
    /// Left to html5ever.
    pub(super) const RARE: Self = Self(1024);

    const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[inline]
    pub(super) const fn is(self, property: Self) -> bool {
        self.0 & property.0 != 0
    }

    pub(super) fn of(name: &LocalName) -> Self {
        const SCOPE: ElementClass = ElementClass::SPECIAL.and(ElementClass::SCOPE);
        match *name {
            local_names!(
                "a" "b" "big" "code" "em" "font" "i" "nobr" "s" "small" "strike" "strong" "tt" "u"
            ) => Self::FORMATTING,
            local_names!(
                "div" "address" "article" "aside" "blockquote" "center" "details" "dir" "dl"
                "fieldset" "figcaption" "figure" "footer" "header" "hgroup" "main" "menu" "nav"
                "ol" "section" "summary" "ul"
            ) => Self::SPECIAL.and(Self::CLOSES_P).and(Self::BLOCK_END),
            local_name!("dialog") => Self::CLOSES_P.and(Self::BLOCK_END),
            local_name!("p") => Self::SPECIAL.and(Self::CLOSES_P).and(Self::IMPLIED_END),
            local_names!("h1" "h2" "h3" "h4" "h5" "h6") => Self::SPECIAL.and(Self::HEADING),
            local_names!("pre" "listing" "button") => Self::SPECIAL.and(Self::BLOCK_END),
            local_name!("select") => SCOPE.and(Self::BLOCK_END),
            local_names!("li" "dd" "dt") => Self::SPECIAL.and(Self::IMPLIED_END),
            local_names!("option" "optgroup" "rb" "rp" "rt" "rtc") => Self::IMPLIED_END,
            local_names!("base" "basefont" "bgsound" "link" "meta") => {
                Self::SPECIAL.and(Self::OF_HEAD).and(Self::VOID)
            }
            local_names!("script" "style" "title" "noframes") => Self::SPECIAL.and(Self::OF_HEAD),
            local_name!("template") => SCOPE.and(Self::OF_HEAD),
            local_names!("frameset" "frame" "math" "plaintext" "image" "xmp") => {
                SCOPE.and(Self::RARE)
            }
            local_names!(
                "area" "br" "embed" "img" "wbr" "input" "param" "source" "track" "hr"
            ) => Self::SPECIAL.and(Self::VOID),
            local_name!("keygen") => Self::VOID,
            local_names!("applet" "marquee" "object" "html" "table") => SCOPE,
            local_names!("caption" "td" "th") => SCOPE.and(Self::OF_TABLE),
            local_names!("tbody" "tfoot" "thead" "tr" "col" "colgroup") => {
                Self::SPECIAL.and(Self::OF_TABLE)
            }
            local_names!("body" "head" "form" "iframe" "noembed" "noscript" "textarea") => {
                Self::SPECIAL
            }
            _ if &**name == "search" => Self::CLOSES_P.and(Self::BLOCK_END),
            _ => Self::default(),
        }
    }
}
