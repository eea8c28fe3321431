//! Recovers the TeX of formulas from the boxes that KaTeX draws, on pages without the source.
//!
//! KaTeX writes a box for each part, with a class for its role. Stacked parts are rows of a `vlist`, whose positions are in their
//! styles: <https://github.com/KaTeX/KaTeX/blob/main/src/buildCommon.ts>.

use dom::{
    Document, Formula, NodeId, accent, class_tokens, local_name, push_tex, tex_between,
    tex_in_braces, tex_of_name, tex_of_rows, tex_of_signs, tex_of_space, with_moduli,
};

/// Deepest nesting of boxes that is read.
const DEEPEST: usize = 120;
/// Classes of letters in fonts. They have the names of the font commands.
const FONTS: [&str; 8] =
    ["mathbf", "mathbb", "mathcal", "mathscr", "mathfrak", "mathsf", "mathtt", "mathrm"];

/// Whether an element contains the boxes of a formula.
pub(crate) fn is_formula(document: &Document, id: NodeId) -> bool {
    document.is(id, &local_name!("span")) && has_class(document, id, "katex-html")
}

/// Returns the formula of such an element; `None` if it shows nothing.
pub(crate) fn formula_of_boxes(document: &Document, id: NodeId) -> Option<Formula> {
    let tex = with_moduli(&BoxReader { document }.read_children(id, 0));
    let mut around = document.ancestors(id).skip(1).take(2);
    let is_display = around.any(|own| has_class(document, own, "katex-display"));
    Formula::of_source(tex, is_display)
}

fn has_class(document: &Document, id: NodeId, name: &str) -> bool {
    let class = document.attribute(id, &local_name!("class")).unwrap_or_default();
    // Since KaTeX 0.17, common names have a prefix.
    class_tokens(class).any(|own| own == name || own.strip_prefix("katex-") == Some(name))
}

struct BoxReader<'a> {
    document: &'a Document,
}

impl BoxReader<'_> {
    fn read_children(&self, id: NodeId, depth: usize) -> String {
        let children: Vec<NodeId> = self.document.children(id).collect();
        let is_mord = |at: Option<usize>| {
            let child = at.and_then(|at| children.get(at));
            child.is_some_and(|&child| has_class(self.document, child, "mord"))
        };
        let mut parts: Vec<String> = Vec::new();
        for (at, &child) in children.iter().enumerate() {
            let tex = match has_class(self.document, child, "mspace") {
                // KaTeX itself puts no space between two ordinary boxes.
                true if is_mord(at.checked_sub(1)) && is_mord(Some(at + 1)) => {
                    self.space(child).to_owned()
                }
                _ => self.read(child, depth + 1),
            };
            if parts.is_empty() && tex.starts_with(['^', '_']) {
                parts.push("{}".to_owned());
            }
            parts.extend(Some(tex).filter(|tex| !tex.is_empty()));
        }
        let side = |tex: Option<&String>, side: &str| {
            let sign = tex.and_then(|tex| tex.strip_prefix(side));
            sign.filter(|sign| sign.chars().count() <= 2).map(str::to_owned)
        };
        let (open, close) = (side(parts.first(), "\\left"), side(parts.last(), "\\right"));
        let inner = &parts[usize::from(open.is_some())..parts.len() - usize::from(close.is_some())];
        let mut tex = String::new();
        inner.iter().for_each(|part| push_tex(&mut tex, part));
        match (open, close) {
            (None, None) => tex,
            (Some(_), Some(_)) if inner.len() == 1 && tex.starts_with("\\binom") => tex,
            // A delimiter that is not shown has no text.
            (open, close) => {
                let or_none = |sign: Option<String>| sign.unwrap_or_else(|| ".".to_owned());
                tex_between(&or_none(open), &tex, &or_none(close))
            }
        }
    }

    fn read(&self, id: NodeId, depth: usize) -> String {
        let document = self.document;
        if let Some(text) = document.text(id) {
            return tex_of_signs(text);
        }
        if depth > DEEPEST {
            return String::new();
        }
        let class = document.attribute(id, &local_name!("class")).unwrap_or_default();
        let classes: Vec<&str> =
            class_tokens(class).map(|own| own.trim_start_matches("katex-")).collect();
        let is = |name: &str| classes.contains(&name);
        let inner = || self.read_children(id, depth);
        let text = || document.text_content(id).trim().to_owned();
        let has_delimiter =
            || document.children(id).any(|own| has_class(document, own, "delimsizing"));
        match () {
            // Narrower spaces are the normal spacing of operators.
            () if is("mspace") => Some(self.space(id))
                .filter(|own| own.ends_with("quad") || own.ends_with("mu"))
                .unwrap_or_default()
                .to_owned(),
            () if is("msupsub") => self.read_scripts(id, depth),
            () if is("mfrac") => {
                let rows = self.rows(id, depth);
                let [above, below] = &rows[..] else { return rows.concat() };
                let command = if self.holds(id, "frac-line") { "frac" } else { "binom" };
                format!("\\{command}{{{above}}}{{{below}}}")
            }
            () if is("sqrt") => {
                let is_root = |own: &NodeId| has_class(document, *own, "root");
                let root = document.children(id).find(is_root);
                let rest = document.children(id).filter(|own| Some(*own) != root);
                let body: String = rest.map(|own| self.read(own, depth + 1)).collect();
                let index = root
                    .map_or_else(String::new, |root| format!("[{}]", self.read(root, depth + 1)));
                format!("\\sqrt{index}{{{body}}}")
            }
            () if is("op-limits") => self.read_limits(id, depth),
            () if is("accent") || is("overline") || is("underline") => {
                let is_body = |own: NodeId| has_class(document, own, "accent-body");
                let sign = document.subtree(id).find(|&own| is_body(own));
                let sign = sign.and_then(|own| document.text_content(own).trim().chars().next());
                let command = match () {
                    () if is("overline") => Some("\\overline"),
                    () if is("underline") => Some("\\underline"),
                    () if sign.is_none() && self.holds(id, "overlay") => Some("\\vec"),
                    () => sign.and_then(|sign| accent(sign, false)),
                };
                let base: String = (self.row_elements(id).into_iter())
                    .filter(|&row| !document.children(row).any(is_body))
                    .map(|row| self.read_children(row, depth + 1))
                    .collect();
                format!("{}{{{base}}}", command.unwrap_or_default())
            }
            // A brace is a picture in a row of its own; the label is in a list of rows around it.
            () if is("munder") || is("mover") => {
                let (command, script) = if is("munder") { ("under", '_') } else { ("over", '^') };
                let mut rows = self.rows(id, depth);
                rows.sort_by_key(|row| !row.starts_with(&format!("\\{command}brace")));
                match &rows[..] {
                    [base] => format!("\\{command}brace{{{base}}}"),
                    [base, label] if base.starts_with(&format!("\\{command}brace")) => {
                        format!("{base}{script}{}", tex_in_braces(label))
                    }
                    _ => rows.concat(),
                }
            }
            () if is("mtable") => self.read_table(id, depth),
            () if is("delimcenter") || is("mopen") && has_delimiter() => {
                format!("{}{}", if is("mclose") { "\\right" } else { "\\left" }, self.delimiter(id))
            }
            () if is("mclose") && has_delimiter() => format!("\\right{}", self.delimiter(id)),
            () if is("delimsizing") => self.delimiter(id),
            () if is("text") => {
                format!("\\text{{{}}}", document.text_content(id).replace('\u{a0}', " "))
            }
            () if is("mop") && !self.holds(id, "vlist") => tex_of_name(&tex_of_signs(&text()), ""),
            () if is("mbin") && text() == "mod" => "\\bmod".to_owned(),
            // KaTeX draws a vertical bar that is not a relation in this way.
            () if is("mord") && text() == "∣" => "|".to_owned(),
            () => {
                let font = FONTS.iter().find(|font| is(font));
                font.map_or_else(inner, |font| {
                    tex_of_name(&tex_of_signs(&text()), &font.replace("mathscr", "mathcal"))
                })
            }
        }
    }

    /// Whether an element is, or contains, a box of this class.
    fn holds(&self, id: NodeId, class: &str) -> bool {
        self.document.subtree(id).any(|own| has_class(self.document, own, class))
    }

    fn space(&self, id: NodeId) -> &'static str {
        tex_of_space(em(self.style(id), "margin-right").unwrap_or_default())
    }

    /// Returns the TeX of a delimiter, which may be drawn in pieces, or as a picture whose width alone identifies it.
    fn delimiter(&self, id: NodeId) -> String {
        let document = self.document;
        let is_end = has_class(document, id, "mclose");
        let width = || document.subtree(id).find_map(|own| em(self.style(own), "width"));
        let sign =
            match document.text_content(id).trim().trim_start_matches('\u{200b}').chars().next() {
                None => match width() {
                    None => return ".".to_owned(),
                    Some(..0.4) => '|',
                    Some(..0.6) => '‖',
                    Some(..0.8) if is_end => ']',
                    Some(..0.8) => '[',
                    Some(_) if is_end => ')',
                    Some(_) => '(',
                },
                Some('⎛' | '⎜' | '⎝') => '(',
                Some('⎞' | '⎟' | '⎠') => ')',
                Some('⎡' | '⎢' | '⎣') => '[',
                Some('⎤' | '⎥' | '⎦') => ']',
                Some('⎧' | '⎪' | '⎨' | '⎩') => '{',
                Some('⎫' | '⎬' | '⎭') => '}',
                Some('∣') => '|',
                Some('∥') => '‖',
                Some(sign) => sign,
            };
        tex_of_signs(sign.encode_utf8(&mut [0; 4]))
    }

    fn style(&self, id: NodeId) -> &str {
        self.document.attribute(id, &local_name!("style")).unwrap_or_default()
    }

    /// Returns the rows of the first `vlist` in an element, from the top, without rows that only draw.
    fn rows(&self, id: NodeId, depth: usize) -> Vec<String> {
        self.row_elements(id)
            .into_iter()
            .map(|row| self.read_children(row, depth + 1))
            .filter(|tex| !tex.is_empty())
            .collect()
    }

    fn row_elements(&self, id: NodeId) -> Vec<NodeId> {
        let document = self.document;
        let list = document.subtree(id).find(|&own| has_class(document, own, "vlist"));
        let mut rows: Vec<(f32, NodeId)> = list
            .into_iter()
            .flat_map(|list| document.children(list))
            .filter_map(|row| Some((em(self.style(row), "top")? + self.strut(row), row)))
            .collect();
        rows.sort_by(|one, other| one.0.total_cmp(&other.0));
        rows.into_iter().map(|row| row.1).collect()
    }

    /// Returns the height of a row's strut, to which its position is relative.
    fn strut(&self, row: NodeId) -> f32 {
        let strut =
            self.document.children(row).find(|&own| has_class(self.document, own, "pstrut"));
        strut.and_then(|strut| em(self.style(strut), "height")).unwrap_or_default()
    }

    fn read_scripts(&self, id: NodeId, depth: usize) -> String {
        let document = self.document;
        let rows = self.rows(id, depth);
        // A list that extends below the baseline has a second row of boxes.
        let is_deep = document.subtree(id).take(3).any(|own| has_class(document, own, "vlist-t2"));
        match &rows[..] {
            [above, below] => format!("_{}^{}", tex_in_braces(below), tex_in_braces(above)),
            [primes] if primes.chars().all(|c| c == '\'') => primes.clone(),
            [only] => format!("{}{}", if is_deep { '_' } else { '^' }, tex_in_braces(only)),
            _ => String::new(),
        }
    }

    fn read_limits(&self, id: NodeId, depth: usize) -> String {
        let document = self.document;
        let (mut out, mut below, mut above) = (String::new(), String::new(), String::new());
        for row in self.row_elements(id) {
            let tex = self.read_children(row, depth + 1);
            let is_operator = document.children(row).any(|own| {
                document.subtree(own).take(2).any(|own| has_class(document, own, "mop"))
            });
            match () {
                () if is_operator && out.is_empty() => out = tex,
                () if out.is_empty() => above = format!("^{}", tex_in_braces(&tex)),
                () => below = format!("_{}", tex_in_braces(&tex)),
            }
        }
        out + &below + &above
    }

    fn read_table(&self, id: NodeId, depth: usize) -> String {
        let document = self.document;
        let columns = document.children(id).filter_map(|column| {
            let class = document.attribute(column, &local_name!("class")).unwrap_or_default();
            let align = class_tokens(class)
                .find_map(|own| own.trim_start_matches("katex-").strip_prefix("col-align-"))?;
            Some((align, self.row_elements(column)))
        });
        let columns: Vec<(&str, Vec<NodeId>)> = columns.collect();
        let rows = columns.iter().map(|column| column.1.len()).max().unwrap_or_default();
        let cell = |column: &(&str, Vec<NodeId>), row: usize| {
            column.1.get(row).map_or_else(String::new, |&own| self.read_children(own, depth + 1))
        };
        let rows: Vec<String> = (0..rows)
            .map(|row| {
                columns.iter().map(|column| cell(column, row)).collect::<Vec<_>>().join(" & ")
            })
            .collect();
        tex_of_rows(&rows, matches!(columns[..], [("r", _), ("l", _), ..]))
    }
}

/// Returns a length in ems from an inline style.
fn em(style: &str, name: &str) -> Option<f32> {
    let declarations = style.split(';').filter_map(|own| own.split_once(':'));
    let mut named = declarations.filter(|own| own.0.trim() == name);
    named.find_map(|own| own.1.trim().strip_suffix("em")?.parse().ok())
}
