//! Formulas as TeX: the source that MathML carries, or what its elements say.

use html5ever::{LocalName, local_name};

use super::tex::{
    MODULUS, accent, font_of, push_tex, tex_between, tex_in_braces, tex_of_name, tex_of_rows,
    tex_of_signs, tex_of_space, with_moduli,
};
use crate::{Document, NodeId};

/// A formula as TeX.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Its TeX, without dollar signs; empty if it shows nothing.
    pub tex: String,
    /// Whether it stands on lines of its own.
    pub is_display: bool,
    /// Whether its annotation or `alttext` says it.
    pub is_declared: bool,
}

impl Formula {
    /// The formula of which a page has the TeX; `None` if that shows nothing.
    pub fn of_source(tex: String, is_display: bool) -> Option<Self> {
        (!tex.is_empty()).then_some(Self { tex, is_display, is_declared: true })
    }

    /// The formula of a `math` element: of its TeX annotation (MathML Core §6), else of `alttext`, else of `data-latex`, else
    /// of its elements. Linear in its nodes, except for nested fractions and the like, whose parts are copied once for each level.
    pub fn of(document: &Document, math: NodeId) -> Self {
        let display = document.attribute(math, &LocalName::from("display"));
        let alttext = document.attribute(math, &LocalName::from("alttext"));
        // As MathJax 4 writes it.
        let latex = document.attribute(math, &LocalName::from("data-latex"));
        let source = document.subtree(math).find(|&id| is_tex(document, id));
        let declared = source.map(|id| document.text_content(id)).or(alttext);
        let tex = declared.or(latex).map(bare_tex).filter(|tex| !tex.is_empty()).map(str::to_owned);
        let tex = tex.unwrap_or_else(|| with_moduli(&presented(document, math)));
        Self {
            tex: super::normalize_space(&tex),
            is_display: display == Some("block"),
            is_declared: declared.is_some(),
        }
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

#[derive(Default)]
struct FormulaPart {
    tex: String,
    /// Whether it consists of several signs, which need braces where they are one operand.
    is_row: bool,
    /// The sign of an operator that consists of one; `.` for a fence that shows nothing.
    sign: Option<char>,
    /// Whether the operator may be as high or as wide as what it belongs to.
    stretches: bool,
}

impl FormulaPart {
    fn of(tex: String) -> Self {
        Self { tex, ..Self::default() }
    }

    /// As the operand of what follows.
    fn as_base(&self) -> String {
        if self.is_row { format!("{{{}}}", self.tex) } else { self.tex.clone() }
    }

    /// The command for it above or below another part.
    fn accent(&self) -> Option<&'static str> {
        accent(self.sign?, self.stretches)
    }

    fn is_fence(&self) -> bool {
        self.stretches && self.sign.is_some_and(|sign| "()[]{}|‖⟨⟩⌊⌋⌈⌉.".contains(sign))
    }
}

/// TeX of what presentation MathML shows (MathML Core §3).
fn presented(document: &Document, math: NodeId) -> String {
    // For each open element its children so far.
    let mut open: Vec<(NodeId, Vec<FormulaPart>)> = vec![(math, Vec::new())];
    let end = document.node(math).end;
    for id in math + 1..=end {
        let is_over = |last: &mut (NodeId, _)| last.0 != math && document.node(last.0).end <= id;
        while let Some((closed, parts)) = open.pop_if(is_over) {
            let part = join(document, closed, parts);
            if let Some(above) = open.last_mut() {
                above.1.push(part);
            }
        }
        if id == end {
            break;
        }
        let Some(text) = document.text(id) else {
            open.push((id, Vec::new()));
            continue;
        };
        if let Some((above, parts)) = open.last_mut().filter(|_| !text.trim().is_empty()) {
            let is_text = matches!(element_name(document, *above), "mtext" | "ms");
            let tex = if is_text { text.to_owned() } else { tex_of_signs(text) };
            let mut signs = text.trim().chars();
            let sign = signs.next().filter(|_| signs.next().is_none());
            parts.push(FormulaPart { tex, sign, ..FormulaPart::default() });
        }
    }
    open.pop().map_or_else(String::new, |root| concat(&root.1))
}

fn element_name(document: &Document, id: NodeId) -> &str {
    document.name(id).map_or("", |name| &**name)
}

fn join(document: &Document, id: NodeId, mut parts: Vec<FormulaPart>) -> FormulaPart {
    let attribute = |name: &str| document.attribute(id, &LocalName::from(name)).unwrap_or_default();
    let at = |at: usize| parts.get(at);
    let base =
        || at(0).filter(|base| !base.tex.is_empty()).map_or("{}".to_owned(), FormulaPart::as_base);
    let plain = |number: usize| at(number).map_or("", |part| &part.tex);
    let braced = |number: usize| tex_in_braces(plain(number));
    FormulaPart::of(match element_name(document, id) {
        "annotation" | "annotation-xml" | "mphantom" => String::new(),
        // A norm; between two things it is a relation.
        "mi" | "mo"
            if plain(0) == "\\parallel"
                && (attribute("stretchy") == "false"
                    || attribute("mathvariant") == "normal"
                    || attribute("data-mjx-texclass") == "ORD") =>
        {
            "\\|".to_owned()
        }
        "mi" => tex_of_name(&concat(&parts), font_of(attribute("mathvariant"))),
        "mo" => {
            let tex = match tex_of_name(&concat(&parts), "") {
                name if MODULUS.contains(&&*name) => "\\bmod".to_owned(),
                name => name,
            };
            let is_fence = attribute("fence") == "true";
            let sign = parts.first().map_or(is_fence.then_some('.'), |part| part.sign);
            return FormulaPart {
                tex,
                sign,
                is_row: false,
                stretches: attribute("stretchy") != "false",
            };
        }
        "mn" => concat(&parts),
        "mtext" | "ms" if parts.is_empty() => String::new(),
        "mtext" | "ms" => format!("\\text{{{}}}", concat(&parts)),
        "mspace" => {
            let width = attribute("width").trim().strip_suffix("em");
            tex_of_space(width.and_then(|width| width.parse().ok()).unwrap_or_default()).to_owned()
        }
        "msup" | "mover" if at(1).and_then(|part| part.sign) == Some('′') => base() + "'",
        "munder" | "mover" if at(1).is_some_and(|over| over.accent().is_some()) => {
            format!("{}{{{}}}", at(1).and_then(FormulaPart::accent).unwrap_or_default(), plain(0))
        }
        "msub" | "munder" => format!("{}_{}", base(), braced(1)),
        "msup" | "mover" => format!("{}^{}", base(), braced(1)),
        "msubsup" | "munderover" => format!("{}_{}^{}", base(), braced(1), braced(2)),
        "mfrac" => {
            let has_line = !attribute("linethickness").starts_with('0');
            let command = if has_line { "frac" } else { "binom" };
            format!("\\{command}{{{}}}{{{}}}", plain(0), plain(1))
        }
        "msqrt" => format!("\\sqrt{{{}}}", concat(&parts)),
        "mroot" => format!("\\sqrt[{}]{{{}}}", plain(1), plain(0)),
        "mtr" => parts.iter().map(|part| &*part.tex).collect::<Vec<_>>().join(" & "),
        "mtable" => {
            let rows: Vec<&str> = parts.iter().map(|part| &*part.tex).collect();
            tex_of_rows(&rows, attribute("columnalign").starts_with("right left"))
        }
        _ => {
            parts.retain(|part| !part.tex.is_empty() || part.sign == Some('.'));
            if parts.len() == 1 {
                return parts.swap_remove(0);
            }
            return between_fences(&parts).map_or_else(
                || FormulaPart { is_row: true, ..FormulaPart::of(concat(&parts)) },
                FormulaPart::of,
            );
        }
    })
}

/// A row whose first and last parts are fences as high as what is between them; cases have none at their end.
fn between_fences(parts: &[FormulaPart]) -> Option<String> {
    let [open, inner @ ..] = parts else { return None };
    let (close, inner) = match inner.split_last() {
        Some((close, inner)) if close.is_fence() => (Some(close), inner),
        _ => (None, inner),
    };
    let is_table = || matches!(inner, [table] if table.tex.starts_with("\\begin{matrix}"));
    if !open.is_fence() || inner.iter().any(FormulaPart::is_fence) || close.is_none() && !is_table()
    {
        return None;
    }
    let sign =
        |part: &FormulaPart| if part.sign == Some('.') { ".".to_owned() } else { part.tex.clone() };
    let close = close.map_or_else(|| ".".to_owned(), sign);
    Some(match inner {
        [only] if only.tex.starts_with("\\binom") && close == ")" => only.tex.clone(),
        _ => tex_between(&sign(open), &concat(inner), &close),
    })
}

fn concat(parts: &[FormulaPart]) -> String {
    let mut out = String::new();
    parts.iter().for_each(|part| push_tex(&mut out, &part.tex));
    out
}
