//! Writes formulas as TeX: from the source in MathML, or from its elements.

use html5ever::{LocalName, local_name};

use super::tex::{
    MODULUS, accent, font_of, push_tex, tex_between, tex_in_braces, tex_of_name, tex_of_rows,
    tex_of_signs, tex_of_space, with_moduli,
};
use crate::{Document, NodeId};

/// A formula as TeX.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The TeX, without dollar signs; empty if the formula shows nothing.
    pub tex: String,
    /// Whether it is a display formula, on lines of its own.
    pub is_display: bool,
    /// Whether the TeX comes from its annotation or `alttext`.
    pub is_declared: bool,
}

impl Formula {
    /// Makes a formula from its TeX source; `None` if that is empty.
    pub fn of_source(tex: String, is_display: bool) -> Option<Self> {
        (!tex.is_empty()).then_some(Self { tex, is_display, is_declared: true })
    }

    /// Reads a `math` element: its TeX annotation (MathML Core §6), else `alttext`, else `data-latex`, else its elements. Linear
    /// in its nodes, except that the parts of nested fractions and the like are copied once per level.
    pub fn of(document: &Document, math: NodeId) -> Self {
        let display = document.attribute(math, &LocalName::from("display"));
        let alttext = document.attribute(math, &LocalName::from("alttext"));
        // MathJax 4 writes the source here.
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

    /// Returns the TeX between dollar signs, as in Markdown; empty if the formula shows nothing.
    pub fn marked(&self) -> String {
        let sign = if self.is_display { "$$" } else { "$" };
        if self.tex.is_empty() { String::new() } else { [sign, &self.tex, sign].concat() }
    }
}

fn is_tex(document: &Document, id: NodeId) -> bool {
    let encoding = || document.attribute(id, &LocalName::from("encoding")).unwrap_or_default();
    document.is(id, &local_name!("annotation")) && encoding().to_ascii_lowercase().contains("tex")
}

/// Removes delimiters around a TeX source, and the style that MediaWiki writes around it.
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
    /// Whether it consists of several signs, which need braces to be one operand.
    is_row: bool,
    /// The sign of an operator with a single sign; `.` for a fence that shows nothing.
    sign: Option<char>,
    /// Whether the operator may stretch to the height or width of its operand.
    stretches: bool,
}

impl FormulaPart {
    fn of(tex: String) -> Self {
        Self { tex, ..Self::default() }
    }

    /// Returns the TeX as an operand, in braces if it needs them.
    fn as_base(&self) -> String {
        if self.is_row { format!("{{{}}}", self.tex) } else { self.tex.clone() }
    }

    /// Returns its command as an accent above or below another part.
    fn accent(&self) -> Option<&'static str> {
        accent(self.sign?, self.stretches)
    }

    fn is_fence(&self) -> bool {
        self.stretches && self.sign.is_some_and(|sign| "()[]{}|‖⟨⟩⌊⌋⌈⌉.".contains(sign))
    }
}

/// Writes presentation MathML as TeX (MathML Core §3).
fn presented(document: &Document, math: NodeId) -> String {
    // Each open element with its children so far.
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
        // A norm; between two operands the sign is a relation.
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

/// Writes a row between stretching fences; `None` if it is not one. Cases have no fence at their end.
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
