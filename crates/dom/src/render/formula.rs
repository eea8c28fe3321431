//! Formulas as TeX: the source that MathML carries, or what its elements say.

use html5ever::{LocalName, local_name};

use crate::{Document, NodeId};

/// A formula as TeX.
pub struct Formula {
    /// Its TeX, without dollar signs; empty if it shows nothing.
    pub tex: String,
    /// Whether it stands on lines of its own.
    pub is_display: bool,
}

impl Formula {
    /// The formula of a `math` element: of its TeX annotation (MathML Core §6), else of `alttext` if that is TeX, else of its
    /// elements. Linear in its nodes, except for nested fractions and the like, whose parts are copied once for each level.
    pub fn of(document: &Document, math: NodeId) -> Self {
        let display = document.attribute(math, &LocalName::from("display"));
        let alttext = document.attribute(math, &LocalName::from("alttext"));
        let source = document.subtree(math).find(|&id| is_tex(document, id));
        let source = source.map(|id| document.text_content(id)).or(alttext);
        let tex = source.map(bare_tex).filter(|tex| !tex.is_empty()).map(str::to_owned);
        let tex = tex.unwrap_or_else(|| presented(document, math));
        Self { tex: super::normalize_space(&tex), is_display: display == Some("block") }
    }

    /// The formula between the signs that Markdown and TeX have around it; empty if it shows nothing.
    pub fn marked(&self) -> String {
        let sign = if self.is_display { "$$" } else { "$" };
        if self.tex.is_empty() { String::new() } else { [sign, &self.tex, sign].concat() }
    }
}

fn is_tex(document: &Document, id: NodeId) -> bool {
    let encoding = || document.attribute(id, &LocalName::from("encoding")).unwrap_or_default();
    document.is(id, &local_name!("annotation")) && encoding().to_ascii_lowercase().contains("tex")
}

/// A TeX source without what only says how it is set: signs around it, and the style that MediaWiki writes around all.
pub fn bare_tex(source: &str) -> &str {
    let mut tex = source.trim();
    for (open, close) in [("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]")] {
        if let Some(inner) = tex.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)) {
            tex = inner.trim();
            break;
        }
    }
    let styled =
        ["{\\displaystyle ", "{\\textstyle "].iter().find_map(|style| tex.strip_prefix(style));
    styled.and_then(|rest| rest.strip_suffix('}')).map_or(tex, str::trim)
}

/// TeX of what presentation MathML shows (MathML Core §3).
fn presented(document: &Document, math: NodeId) -> String {
    // For each open element its children so far.
    let mut open: Vec<(NodeId, Vec<String>)> = vec![(math, Vec::new())];
    for id in document.subtree(math).skip(1).chain([document.node(math).end]) {
        while open.len() > 1 && open.last().is_some_and(|last| document.node(last.0).end <= id) {
            if let Some((closed, parts)) = open.pop() {
                let tex = joined(document, closed, parts);
                open.last_mut().into_iter().for_each(|above| above.1.push(tex.clone()));
            }
        }
        if id == document.node(math).end {
            break;
        }
        match document.text(id) {
            Some(text) if text.trim().is_empty() => {}
            Some(text) => {
                open.last_mut().into_iter().for_each(|above| above.1.push(text.trim().to_owned()))
            }
            None if document.node(id).end > id + 1 => open.push((id, Vec::new())),
            None => {}
        }
    }
    open.pop().map_or_else(String::new, |root| root.1.concat())
}

/// TeX of an element with these parts.
fn joined(document: &Document, id: NodeId, parts: Vec<String>) -> String {
    let name = document.name(id).map_or("", |name| &**name);
    let in_braces = |at: usize| match parts.get(at) {
        Some(part) if part.chars().count() > 1 => format!("{{{part}}}"),
        Some(part) => part.clone(),
        None => String::new(),
    };
    let base = || parts.first().cloned().unwrap_or_default();
    match name {
        "annotation" | "annotation-xml" | "mphantom" => String::new(),
        "msub" | "munder" => format!("{}_{}", base(), in_braces(1)),
        "msup" | "mover" => format!("{}^{}", base(), in_braces(1)),
        "msubsup" | "munderover" => format!("{}_{}^{}", base(), in_braces(1), in_braces(2)),
        "mfrac" => format!("\\frac{{{}}}{{{}}}", base(), parts.get(1).map_or("", |part| part)),
        "msqrt" => format!("\\sqrt{{{}}}", parts.concat()),
        "mroot" => format!("\\sqrt[{}]{{{}}}", parts.get(1).map_or("", |part| part), base()),
        "mtext" => format!("\\text{{{}}}", parts.concat()),
        "mtr" => parts.join(" & "),
        "mtable" => format!("\\begin{{matrix}}{}\\end{{matrix}}", parts.join(" \\\\ ")),
        _ => parts.concat(),
    }
}
