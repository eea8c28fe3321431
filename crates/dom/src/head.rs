//! Metadata in the head of a page.

use html5ever::{LocalName, local_name};

use crate::render::normalize_space;

/// A `<meta>` element: `name`, `property`, `itemprop` or `http-equiv` (lower-case) and `content`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// Lower-case key.
    pub key: String,
    /// Value of `content`, trimmed.
    pub content: String,
}

/// A `<link>` element with its `rel` (lower-case), `href` and `type`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Value of `rel`, lower-case.
    pub rel: String,
    /// Value of `href`, trimmed, as written.
    pub href: String,
    /// Value of `type`, lower-case, or empty.
    pub media_type: String,
}

/// Metadata in the head of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Text of the first `<title>`, white space normalised.
    pub title: Option<String>,
    /// `<meta>` elements with a key and a content, in document order.
    pub metas: Vec<Meta>,
    /// `<link>` elements with `rel` and `href`, in document order.
    pub links: Vec<Link>,
    /// `href` of the first `<base>`.
    pub base: Option<String>,
    /// `lang` of the root element, else its `xml:lang`.
    pub lang: Option<String>,
    /// Contents of `<script type="application/ld+json">`, in document order.
    pub json_ld: Vec<String>,
    /// Whether the page loads or configures MathJax or KaTeX, which show TeX in texts as formulas.
    pub shows_tex: bool,
}

impl Head {
    /// Content of the first `<meta>` with this key (lower-case).
    pub fn meta(&self, key: &str) -> Option<&str> {
        self.metas.iter().find(|m| m.key == key).map(|m| m.content.as_str())
    }

    /// `href` of the first `<link>` with this `rel`.
    pub fn link(&self, rel: &str) -> Option<&str> {
        self.links
            .iter()
            .find(|l| l.rel.split_ascii_whitespace().any(|r| r == rel))
            .map(|l| l.href.as_str())
    }
    /// Reads metadata from a start tag, given its attributes by name.
    pub(crate) fn read_tag<'t>(
        &mut self,
        name: &LocalName,
        attribute: impl Fn(&LocalName) -> Option<&'t str>,
    ) {
        let trimmed = |value: Option<&str>| value.map(str::trim).unwrap_or_default().to_owned();
        let get = |name: &LocalName| trimmed(attribute(name));
        match *name {
            local_name!("html") => {
                let own = Some(get(&local_name!("lang"))).filter(|lang| !lang.is_empty());
                let of_xml = || Some(get(&LocalName::from("xml:lang")));
                self.lang = own.or_else(of_xml).filter(|lang| !lang.is_empty());
            }
            local_name!("base") if self.base.is_none() => {
                self.base = Some(get(&local_name!("href"))).filter(|href| !href.is_empty());
            }
            local_name!("meta") => {
                let keys = [
                    local_name!("property"),
                    local_name!("name"),
                    local_name!("itemprop"),
                    local_name!("http-equiv"),
                ];
                let key = trimmed(keys.iter().find_map(&attribute)).to_lowercase();
                let content = get(&local_name!("content"));
                if !key.is_empty() && !content.is_empty() {
                    self.metas.push(Meta { key, content });
                }
            }
            local_name!("link") => {
                let rel = get(&local_name!("rel")).to_lowercase();
                let href = get(&local_name!("href"));
                let media_type = get(&local_name!("type")).to_lowercase();
                self.shows_tex |= is_of_tex(&href);
                if !rel.is_empty() && !href.is_empty() {
                    self.links.push(Link { rel, href, media_type });
                }
            }
            local_name!("script") => {
                let says = [local_name!("src"), local_name!("type")];
                self.shows_tex |= says.iter().filter_map(attribute).any(is_of_tex);
            }
            _ => {}
        }
    }

    /// Whether the text of an element is needed for [`Head::read_text`], given its `type`.
    pub(crate) fn wants_text(&self, name: &LocalName, media_type: Option<&str>) -> bool {
        match *name {
            local_name!("title") => self.title.is_none(),
            local_name!("script") => media_type.is_some_and(is_json_ld),
            _ => false,
        }
    }

    /// Reads the text of a title or of a script with JSON-LD.
    pub(crate) fn read_text(&mut self, name: &LocalName, text: String) {
        if *name == local_name!("title") {
            self.title = Some(normalize_space(&text)).filter(|title| !title.is_empty());
        } else if !text.trim().is_empty() {
            self.json_ld.push(text);
        }
    }
}

/// Whether the address of a script or style sheet, or the type of a script, names MathJax or KaTeX.
fn is_of_tex(value: &str) -> bool {
    let bytes = value.as_bytes();
    memchr::memchr2_iter(b'x', b'X', bytes).any(|x| {
        let before = |length: usize| &bytes[x.saturating_sub(length)..x];
        before(6).eq_ignore_ascii_case(b"mathja") || before(4).eq_ignore_ascii_case(b"kate")
    })
}

pub(crate) fn is_json_ld(media_type: &str) -> bool {
    let start = media_type.trim().get(..19);
    start.is_some_and(|t| t.eq_ignore_ascii_case("application/ld+json"))
}
