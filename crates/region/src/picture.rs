//! Finds the best source of a picture, on pages with lazy loading and responsive pictures.

use std::cmp::Reverse;

use dom::{Document, Element, LocalName, NodeId, absolute_url, local_name, local_names, web_url};
use url::Url;

use crate::labels::is_picture_file;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PagePicture {
    pub(crate) address: String,
    /// The other sources, the best first.
    pub(crate) others: Vec<String>,
    /// All candidates of its `srcset`, with absolute addresses; empty if there are none.
    pub(crate) set: String,
    pub(crate) alt: Option<String>,
    /// Size in pixels, if the page gives it.
    pub(crate) width: Option<u32>,
    pub(crate) height: Option<u32>,
}

/// Attributes for lazy loading, the best first.
const LAZY: [&str; 14] = [
    "data-src", "data-original", "data-lazy-src", "data-lazy", "data-url", "data-hi-res-src",
    "data-full-src", "data-src-large", "data-large", "data-image", "data-img", "data-srcurl",
    "data-native-src", "data-echo",
];
const SETS: [&str; 4] = ["srcset", "data-srcset", "data-lazy-srcset", "data-original-set"];
/// Words in the names of files that are shown until the picture is loaded.
const PLACEHOLDERS: [&str; 9] = [
    "blank", "grey.gif", "gray.gif", "lazy", "loading", "pixel", "placeholder", "spacer",
    "transparent",
];

/// Returns the value of the first of these attributes that is not empty. Names are compared as text: interning names of lazy
/// loading for every picture would cost more.
pub(crate) fn first_of<'a>(element: Element<'a>, names: &[&str]) -> Option<&'a str> {
    let value =
        |name: &&str| element.attributes().find(|(n, _)| ***n == **name).map(|a| a.1.trim());
    names.iter().find_map(|name| value(name).filter(|value| !value.is_empty()))
}

/// Returns a length in pixels from an attribute, with or without `px`.
pub(crate) fn pixels(element: Element<'_>, name: &str) -> Option<u32> {
    let value = first_of(element, &[name])?;
    let pixels = value.trim_end_matches("px").parse::<f64>().ok()?;
    (1.0..100_000.0).contains(&pixels).then_some(pixels as u32)
}

pub(crate) fn is_picture(name: &LocalName) -> bool {
    matches!(*name, local_name!("img")) || matches!(&**name, "amp-img" | "amp-anim")
}

/// An `img` with its sources, of which only the best is resolved: most pictures of a page are not part of the article.
pub(crate) struct FoundPicture<'a> {
    element: Element<'a>,
    base: &'a Url,
    pub(crate) address: String,
    /// Candidates of `source` elements, before those of the element itself.
    candidates: Vec<SourceCandidate<'a>>,
    of_sources: usize,
    /// The addresses for lazy loading and in `src`.
    single: [Option<String>; 2],
    /// Size in pixels, if the page gives it.
    pub(crate) width: Option<u32>,
    pub(crate) height: Option<u32>,
}

impl<'a> FoundPicture<'a> {
    /// Finds the picture that an `img` shows; `None` if it has no address.
    pub(crate) fn of(document: &'a Document, id: NodeId, base: &'a Url) -> Option<Self> {
        let element = document.element(id)?;
        let mut candidates = Vec::new();
        let is_around = |id: &NodeId| document.is(*id, &local_name!("picture"));
        if let Some(around) = document.parent(id).filter(is_around) {
            // Browsers take the first source that fits; here, readers choose formats and sizes.
            let is_source = |id: &NodeId| document.is(*id, &local_name!("source"));
            let sources = document.children(around).filter(is_source);
            let sources = sources.filter_map(|source| document.element(source));
            sources.for_each(|source| add_set(source, &mut candidates));
        }
        let of_sources = candidates.len();
        add_set(element, &mut candidates);
        let own = element
            .attribute(&local_name!("src"))
            .and_then(|src| absolute_url(src, base))
            .filter(is_shown);
        let (lazy, is_placeholder) = match lazy_source(element, base) {
            Some(lazy) => (Some(lazy), own.as_ref().is_none_or(is_placeholder)),
            None => {
                let other = other_source(element, base);
                let is_placeholder = own.as_ref().is_none_or(|own| {
                    is_placeholder(own) || other.is_some() && has_name_of_placeholder(own)
                });
                (other.filter(|_| is_placeholder), is_placeholder)
            }
        };
        // The widest candidate: of the element itself, else of `source`.
        let widest = |of: &[SourceCandidate<'_>]| {
            let mut ordered: Vec<_> = of.iter().collect();
            ordered.sort_by_key(|candidate| Reverse(candidate.size));
            let mut ordered = ordered.into_iter();
            let best = ordered.find_map(|own| Some((own.size, String::from(own.url(base)?))))?;
            Some(best).filter(|best| !is_placeholder_name(&best.1))
        };
        let from_set =
            widest(&candidates[of_sources..]).or_else(|| widest(&candidates[..of_sources]));
        let own = own.filter(|_| !is_placeholder).map(String::from);
        let lazy = lazy.map(String::from);
        let address = match (from_set, &lazy) {
            (Some((size, set)), _) if size > 1_000 || is_placeholder => set,
            (_, Some(lazy)) => lazy.clone(),
            (Some((_, set)), None) => set,
            (None, None) => own.clone()?,
        };
        Some(Self {
            element,
            base,
            address,
            candidates,
            of_sources,
            single: [lazy, own],
            width: pixels(element, "width"),
            height: pixels(element, "height"),
        })
    }

    /// Whether the element itself has several sources.
    pub(crate) fn has_set(&self) -> bool {
        self.candidates[self.of_sources..].iter().any(|own| own.url(self.base).is_some())
    }

    /// Resolves its other sources.
    pub(crate) fn read(self) -> PagePicture {
        let Self { element, base, address, candidates, of_sources, single, width, height } = self;
        let resolved = candidates
            .iter()
            .enumerate()
            .filter_map(|(at, own)| Some((at < of_sources, String::from(own.url(base)?), own)));
        let mut resolved: Vec<_> = resolved.collect();
        let own = resolved.iter().filter(|own| !own.0);
        let written = own.map(|(_, address, candidate)| {
            format!("{}{}", address.replace(',', "%2C"), candidate.written())
        });
        let set = written.collect::<Vec<_>>().join(", ");
        // Candidates of the element by size, candidates of `source`, then single addresses.
        resolved.sort_by_key(|own| (own.0, Reverse(own.2.size)));
        let single = single.into_iter().flatten().filter(|own| own.starts_with("http"));
        let mut others: Vec<String> = Vec::new();
        for other in resolved.into_iter().map(|own| own.1).chain(single) {
            if other != address && !others.contains(&other) && !is_placeholder_name(&other) {
                others.push(other);
            }
        }
        let alt = first_of(element, &["alt"]).map(dom::normalize_space);
        let alt = alt.filter(|alt| !alt.is_empty());
        PagePicture { address, others, set, alt, width, height }
    }
}

/// Returns the address in the first attribute for lazy loading that has one.
fn lazy_source(element: Element<'_>, base: &Url) -> Option<Url> {
    let address = |name: &&str| web_url(first_of(element, &[name])?, base);
    let is_address = |name: &&&str| {
        first_of(element, &[name]).is_some_and(|value| !value.starts_with(['{', '[']))
    };
    let may_be_lazy = element.attributes().any(|(name, _)| name.starts_with("data-"));
    LAZY.iter().filter(|_| may_be_lazy).filter(is_address).find_map(address)
}

/// Returns the address in any other attribute that consists of the address of a picture.
fn other_source(element: Element<'_>, base: &Url) -> Option<Url> {
    let address = |(name, value): (&LocalName, &str)| {
        let is_path = value.starts_with(['/', '.']) || value.starts_with("http");
        let is_other = !matches!(*name, local_names!("src" "srcset" "alt" "title" "longdesc"));
        let is_whole =
            is_path && !value.contains(|c: char| c.is_whitespace() || "{}<>\"".contains(c));
        let url = (is_other && is_whole).then(|| web_url(value, base)).flatten()?;
        (is_picture_file(&url) || name.ends_with("src")).then_some(url)
    };
    element.attributes().map(|(name, value)| (name, value.trim())).find_map(address)
}

/// Whether a picture at this address can be shown: it is on the web, or an embedded bitmap.
fn is_shown(url: &Url) -> bool {
    const BITMAPS: [&str; 5] = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];
    match url.scheme() {
        "http" | "https" => true,
        "data" => BITMAPS.iter().any(|bitmap| url.path().starts_with(bitmap)),
        _ => false,
    }
}

/// Longest address of an embedded bitmap that only stands in for a picture, in bytes.
const SHORT: usize = 400;

fn is_placeholder(url: &Url) -> bool {
    if url.scheme() == "data" {
        return url.as_str().len() < SHORT;
    }
    is_placeholder_name(url.path())
}

/// Whether a picture of few colours has a short name, like single pixels and dots.
fn has_name_of_placeholder(url: &Url) -> bool {
    const LONGEST: usize = 3;
    let file = url.path().rsplit('/').next().unwrap_or_default();
    file.rsplit_once('.').is_some_and(|(stem, ending)| {
        stem.len() <= LONGEST && matches!(ending, "gif" | "png" | "svg")
    })
}

fn is_placeholder_name(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|word| file.contains(word))
}

#[derive(Clone, Copy)]
struct SourceCandidate<'a> {
    address: &'a str,
    /// Its width in pixels, or its density in thousandths; 1,000 if it has neither.
    size: u32,
    by_width: bool,
}

impl SourceCandidate<'_> {
    fn url(&self, base: &Url) -> Option<Url> {
        web_url(self.address, base)
    }

    fn written(&self) -> String {
        match self.by_width {
            true => format!(" {}w", self.size),
            false if self.size == 1_000 => String::new(),
            false => format!(" {}x", f64::from(self.size) / 1_000.0),
        }
    }
}

/// Adds the candidates of an element's `srcset` (HTML §4.8.4.3.9), or of the attribute that lazy loading uses instead.
fn add_set<'a>(element: Element<'a>, candidates: &mut Vec<SourceCandidate<'a>>) {
    let Some(set) = SETS
        .iter()
        .filter_map(|name| first_of(element, &[name]))
        .find(|set| !set.starts_with("data:"))
    else {
        return;
    };
    let mut rest = set;
    while candidates.len() < 64 {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        if rest.is_empty() {
            return;
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (address, after) = rest.split_at(end);
        let bare = address.trim_end_matches(',');
        let descriptor = if bare.len() < address.len() {
            rest = after;
            ""
        } else {
            let end = after.find(',').unwrap_or(after.len());
            rest = after.get(end + 1..).unwrap_or_default();
            after[..end].trim()
        };
        let number = |unit: char| descriptor.strip_suffix(unit).and_then(|n| n.parse::<f64>().ok());
        let (size, by_width) = match (number('w'), number('x')) {
            (Some(width), _) => (width, true),
            (None, Some(density)) => (density * 1_000.0, false),
            (None, None) => (1_000.0, false),
        };
        let size = size.clamp(0.0, 1e6) as u32;
        candidates.push(SourceCandidate { address: bare, size, by_width });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(html: &str) -> Option<String> {
        let page = dom::parse(html);
        let base = Url::parse("https://a.example/b/").unwrap();
        let id = page.ids().find(|&id| page.name(id).is_some_and(is_picture))?;
        FoundPicture::of(&page, id, &base).map(|picture| picture.address)
    }

    #[test]
    fn other_sources_are_kept() {
        let html = "<picture><source srcset='/w.webp 2000w, /v.webp 300w'>\
             <img src=/s.jpg data-src=/m.jpg srcset='/k.jpg 320w, /l.jpg 1280w, /m.jpg 640w'></picture>";
        let page = dom::parse(html);
        let base = Url::parse("https://a.example/").unwrap();
        let id = page.ids().find(|&id| page.name(id).is_some_and(is_picture)).unwrap();
        let picture = FoundPicture::of(&page, id, &base).unwrap().read();
        assert_eq!(picture.address, "https://a.example/l.jpg");
        let others: Vec<&str> =
            picture.others.iter().map(|own| own.trim_start_matches("https://a.example/")).collect();
        assert_eq!(others, ["m.jpg", "k.jpg", "w.webp", "v.webp", "s.jpg"]);
    }

    #[test]
    fn the_best_source_is_taken() {
        for (html, path) in [
            ("<img src=x.jpg>", Some("b/x.jpg")),
            ("<img src=x.jpg data-src=/y.jpg>", Some("y.jpg")),
            ("<img src='data:image/gif;base64,R0' data-original=/y.jpg>", Some("y.jpg")),
            ("<img src=/loading.gif data-lazy-src=/y.jpg>", Some("y.jpg")),
            ("<img src=s.jpg srcset='m.jpg 640w, l.jpg 1280w, k.jpg 320w'>", Some("b/l.jpg")),
            ("<img src=s.jpg srcset='/c/w_1,h_2/m.jpg 2x, s.jpg'>", Some("c/w_1,h_2/m.jpg")),
            (
                "<picture><source srcset='/w.webp 900w, /v.webp 300w'><img alt=a></picture>",
                Some("w.webp"),
            ),
            ("<picture><source srcset=/w.webp><img src=/x.png></picture>", Some("w.webp")),
            ("<amp-img src=/x.png></amp-img>", Some("x.png")),
            ("<img alt=a>", None),
            ("<img src='javascript:x'>", None),
            ("<img src='data:image/svg+xml,<svg onload=x>'>", None),
            ("<img src=/spacer.gif>", None),
            (
                "<img src='data:image/gif;base64,R0' data-any=https://c.example/y.jpg>",
                Some("https://c.example/y.jpg"),
            ),
            ("<img any-lazy-src=/pictures/7>", Some("pictures/7")),
            ("<img src=/dot.png data-any=/y.webp?w=9>", Some("y.webp?w=9")),
            ("<img src=/oaks.png data-hover=/elm.png>", Some("oaks.png")),
            ("<img src=/spacer.gif data-sizes='/y.jpg or none' data-page=/y.html>", None),
            (
                "<img src=/loading.gif data-lazy='{\"src\":\"/y.jpg\"}' data-image=/z.jpg>",
                Some("z.jpg"),
            ),
        ] {
            let base = Url::parse("https://a.example/").unwrap();
            let expected = path.map(|path| base.join(path).unwrap().into());
            assert_eq!(address(html), expected, "{html}");
        }
    }
}
