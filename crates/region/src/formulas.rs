//! Finds formulas as TeX in scripts, texts and pictures, and the rendered copies that pages show besides the source.

use std::ops::Range;

use dom::{AsidePlace, Document, Formula, LocalName, NodeId, bare_tex, local_name, local_names};

use url::Url;

use crate::katex;
use crate::texts::PageTexts;

/// Longest TeX source in a text or at a picture, in bytes.
const LONGEST: usize = 2_000;
/// Maximum number of levels between a formula and the element with it and its copy, and of nodes in that element.
const LEVELS: usize = 6;
const MOST_NODES: u32 = 2_000;

pub(crate) fn tex_of_script(document: &Document, script: NodeId) -> Option<Formula> {
    // Scripts have no entities, but generators write them; `&lt;` is not TeX.
    let source = document.text_content(script).replace("&lt;", "<").replace("&gt;", ">");
    let source = source.replace("&amp;", "&");
    let tex = dom::normalize_space(bare_tex(&source));
    let media_type = document.attribute(script, &local_name!("type")).unwrap_or_default();
    let is_display = media_type.replace(char::is_whitespace, "").contains("mode=display");
    Formula::of_source(tex, is_display)
}

/// Whether a text begins like a formula between `\\(` and `\\)`, `\\[` and `\\]`, or `$$` and `$$`.
pub(crate) fn begins_formula(text: &str) -> bool {
    let text = text.trim_start();
    ["\\(", "\\[", "$$"].iter().any(|sign| text.starts_with(sign))
}

/// Whether MathJax and KaTeX ignore the texts directly in an element.
fn is_verbatim(document: &Document, id: NodeId) -> bool {
    matches!(
        document.name(id),
        Some(&local_names!("code" "kbd" "pre" "samp" "textarea" "title" "tt" "xmp"))
    )
}

/// Returns the first formula in a text, between the delimiters of MathJax and KaTeX, with its byte range.
pub(crate) fn tex_in_text(text: &str) -> Option<(Range<usize>, Formula)> {
    const SIGNS: [(&str, &str, bool); 4] =
        [("\\(", "\\)", false), ("\\[", "\\]", true), ("$$", "$$", true), ("$", "$", false)];
    text.match_indices(['\\', '$']).find_map(|(start, _)| {
        let rest = &text[start..];
        let rest = &rest[..rest.floor_char_boundary(LONGEST)];
        if let Some(length) = length_of_environment(rest) {
            let tex = dom::normalize_space(&rest[..length]);
            return Some((start..start + length, Formula::of_source(tex, true)?));
        }
        let (open, close, is_display) = SIGNS.into_iter().find(|sign| rest.starts_with(sign.0))?;
        let length = rest[open.len()..].find(close)?;
        let inner = &rest[open.len()..open.len() + length];
        let end = start + open.len() + length + close.len();
        if open == "$" && !is_tex_of_dollars(inner, &text[end..]) {
            return None;
        }
        Some((start..end, Formula::of_source(dom::normalize_space(inner), is_display)?))
    })
}

fn length_of_environment(text: &str) -> Option<usize> {
    const ENVIRONMENTS: [&str; 5] = ["equation", "align", "gather", "multline", "eqnarray"];
    let (name, _) = text.strip_prefix("\\begin{")?.split_once('}')?;
    if !ENVIRONMENTS.contains(&name.trim_end_matches('*')) {
        return None;
    }
    let end = format!("\\end{{{name}}}");
    text.find(&end).map(|at| at + end.len())
}

/// Whether the text between two dollar signs is TeX, not text between two prices: it has a command, a power or an index, no space
/// next to the signs, and no digit after them.
fn is_tex_of_dollars(inner: &str, after: &str) -> bool {
    inner.contains(['\\', '^', '_'])
        && inner.trim() == inner
        && !inner.contains('\n')
        && !after.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a text is searched for formulas.
pub(crate) fn may_hold_tex(document: &Document, text: NodeId) -> bool {
    document.head().shows_tex
        && !document.ancestors(text).skip(1).any(|around| is_verbatim(document, around))
}

/// Returns the formula of an element that contains only TeX between MathJax delimiters, as page generators write it.
fn tex_of_text(document: &Document, id: NodeId) -> Option<Formula> {
    if is_verbatim(document, id) || document.node(id).end != id + 2 {
        return None;
    }
    let text = document.text(id + 1)?.trim();
    let (close, is_display) = match text.get(..2)? {
        "\\(" => ("\\)", false),
        "\\[" => ("\\]", true),
        "$$" if document.head().shows_tex => ("$$", true),
        _ => return None,
    };
    let tex = text[2..].strip_suffix(close)?;
    let tex = dom::normalize_space(tex);
    Formula::of_source(tex, is_display).filter(|formula| !formula.tex.contains(close))
}

/// Returns the formula that an element shows as KaTeX boxes or as text.
pub(crate) fn tex_of_element(document: &Document, id: NodeId) -> Option<Formula> {
    match katex::is_formula(document, id) {
        true => katex::formula_of_boxes(document, id),
        false => tex_of_text(document, id),
    }
}

/// Returns the formula of a picture whose alternative text is TeX, or whose address contains TeX for a renderer.
pub(crate) fn tex_of_picture(texts: &PageTexts<'_>, id: NodeId) -> Option<Formula> {
    let document = texts.document;
    if let Some(tex) = tex_of_address(document, id, texts.base) {
        return Formula::of_source(tex, texts.text(document.parent(id)?) == 0);
    }
    let alt = document.attribute(id, &local_name!("alt"))?;
    if alt.len() > LONGEST || !alt.contains(['\\', '^', '_', '=', '{']) {
        return None;
    }
    let says = |name: LocalName| {
        let value = document.attribute(id, &name).unwrap_or_default().to_ascii_lowercase();
        ["tex", "math", "formula", "equation"].iter().any(|word| value.contains(word))
    };
    let is_command =
        |own: &str| own.len() > 1 && own.as_bytes()[..2].iter().all(u8::is_ascii_lowercase);
    let has_command = alt.split('\\').skip(1).any(is_command);
    let has_script = ["^{", "_{"].iter().any(|script| alt.contains(script));
    let is_tex = has_script
        || has_command && alt.contains(['{', '^', '_', '='])
        || says(local_name!("class"))
        || says(local_name!("src"));
    let parent = document.parent(id)?;
    let tex = dom::normalize_space(bare_tex(alt));
    Formula::of_source(tex, texts.text(parent) == 0).filter(|_| is_tex)
}

/// Returns the TeX in the address of a picture that a service renders: a parameter, or the whole query.
fn tex_of_address(document: &Document, id: NodeId, base: &Url) -> Option<String> {
    let src = document.attribute(id, &local_name!("src"))?;
    let (path, query) = src.split_once('?')?;
    let path = path.to_ascii_lowercase();
    let is_renderer = ["latex", "tex.", "/tex", "mathtex", "mimetex", "equation"]
        .iter()
        .any(|part| path.contains(part));
    let is_chart = || path.contains("/chart") && query.contains("cht=tx");
    if query.len() > LONGEST || !is_renderer && !is_chart() {
        return None;
    }
    let url = dom::web_url(src, base)?;
    let mut named =
        url.query_pairs().filter(|(name, _)| matches!(&**name, "tex" | "latex" | "chl"));
    let tex = named.next().map(|own| own.1.into_owned()).unwrap_or_else(|| {
        // The whole query is TeX: `&`, `=` and `+` are literal; CodeCogs has an entity for the plus sign.
        let query = query.replace("&plus;", "+").replace('+', "%2B");
        let query = query.replace('&', "%26").replace('=', "%3D");
        url::form_urlencoded::parse(query.as_bytes()).map(|own| own.0.into_owned()).collect()
    });
    tex.contains(['\\', '^', '_']).then(|| dom::normalize_space(bare_tex(&tex)))
}

/// Returns the outermost element that shows only the formula: often the source is hidden from sight, and the visible copy from
/// screen readers.
pub(crate) fn around_formula(texts: &PageTexts<'_>, place: &AsidePlace) -> Option<NodeId> {
    let document = texts.document;
    let holds_only_formula = |id: &NodeId| {
        document.is_inline(*id)
            && document.node(*id).end - id <= MOST_NODES
            && !has_other_text(texts, *id)
    };
    document.ancestors(place.parent).take(LEVELS).take_while(holds_only_formula).last()
}

/// Whether an element has text that screen readers read.
fn has_other_text(texts: &PageTexts<'_>, around: NodeId) -> bool {
    let document = texts.document;
    if texts.text(around) == 0 {
        return false;
    }
    let mut id = around;
    while id < document.node(around).end {
        let is_hidden = document.attribute(id, &LocalName::from("aria-hidden")) == Some("true");
        if is_hidden {
            id = document.node(id).end;
            continue;
        }
        if document.text(id).is_some_and(|text| !text.trim().is_empty()) {
            return true;
        }
        id += 1;
    }
    false
}

/// Returns what MathJax rendered for a script: the elements directly before it with its id or MathJax's class.
pub(crate) fn shown_before(
    document: &Document,
    place: &AsidePlace,
    script: Option<&str>,
) -> Range<NodeId> {
    let end = place.before;
    let mut start = end;
    while start > place.parent + 1 && end - start < MOST_NODES {
        let last = start - 1;
        if document.text(last).is_some_and(|text| text.trim().is_empty())
            && document.parent(last) == Some(place.parent)
        {
            start = last;
            continue;
        }
        let child = document.ancestors(last).find(|&id| document.parent(id) == Some(place.parent));
        let Some(child) = child.filter(|&child| document.element(child).is_some()) else { break };
        let attribute = |name| document.attribute(child, &name).unwrap_or_default();
        let is_of_script =
            script.is_some_and(|id| !id.is_empty() && attribute(local_name!("id")).starts_with(id));
        if !is_of_script && !attribute(local_name!("class")).starts_with("MathJax") {
            break;
        }
        start = child;
    }
    start..end
}
