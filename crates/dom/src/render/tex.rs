//! Writes signs, names and accents of formulas as TeX.

/// Writes TeX between two stretching delimiters; `.` stands for a delimiter that is not shown. Matrices, cases and binomial
/// coefficients have commands of their own.
pub fn tex_between(open: &str, inner: &str, close: &str) -> String {
    let rows = inner.strip_prefix("\\begin{matrix}").and_then(|t| t.strip_suffix("\\end{matrix}"));
    let is_single = |rows: &&str| !rows.contains("\\begin{matrix}");
    let name = match (open, close) {
        ("(", ")") => "pmatrix",
        ("[", "]") => "bmatrix",
        ("\\{", ".") => "cases",
        ("|", "|") => "vmatrix",
        ("\\|", "\\|") => "Vmatrix",
        _ => "",
    };
    if let Some(rows) = rows.filter(is_single).filter(|_| !name.is_empty()) {
        return format!("\\begin{{{name}}}{rows}\\end{{{name}}}");
    }
    let mut out = format!("\\left{open}");
    push_tex(&mut out, inner);
    push_tex(&mut out, &format!("\\right{close}"));
    out
}

/// Puts TeX in braces, as an operand of the command before it.
pub fn tex_in_braces(tex: &str) -> String {
    if tex.chars().nth(1).is_some() { format!("{{{tex}}}") } else { tex.to_owned() }
}

/// Writes rows as a TeX table; if `is_aligned`, its cells are set like aligned equations.
pub fn tex_of_rows(rows: &[impl std::borrow::Borrow<str>], is_aligned: bool) -> String {
    let name = if is_aligned { "aligned" } else { "matrix" };
    format!("\\begin{{{name}}}{}\\end{{{name}}}", rows.join(" \\\\ "))
}

/// The word "mod" in the fonts of KaTeX and MathJax.
pub(super) const MODULUS: [&str; 3] =
    ["\\operatorname{mod}", "\\mathrm{mod}", "\\mathrm{m}\\mathrm{o}\\mathrm{d}"];
/// The space before the parentheses of an inline congruence.
const BEFORE_MODULUS: &str = "\\mkern8mu";

/// Replaces congruences by their commands: `\pmod` for a modulus in parentheses, `\pod` for other parentheses after the space of
/// a modulus. Linear.
pub fn with_moduli(tex: &str) -> String {
    if !tex.contains("mod") && !tex.contains(BEFORE_MODULUS) && !tex.contains(MODULUS[2]) {
        return tex.to_owned();
    }
    const SPACES: [&str; 5] = ["\\quad", "\\;", "\\:", "\\,", " "];
    let mut out = String::with_capacity(tex.len());
    // Open braces and parentheses; `m` for parentheses that are written as a command.
    let mut open: Vec<char> = Vec::new();
    let mut rest = tex;
    while let Some(sign) = rest.chars().next() {
        let behind_space =
            SPACES.iter().chain([&BEFORE_MODULUS]).find_map(|s| rest.strip_prefix(*s));
        let inside = behind_space.unwrap_or(rest).strip_prefix('(');
        let modulus =
            inside.and_then(|inside| MODULUS.iter().find_map(|own| inside.strip_prefix(own)));
        let other = inside.filter(|_| rest.starts_with(BEFORE_MODULUS));
        if let Some(inside) = modulus.or(other) {
            out.push_str(if modulus.is_some() { "\\pmod{" } else { "\\pod{" });
            open.push('m');
            rest = inside;
            while let Some(after) = SPACES.iter().find_map(|space| rest.strip_prefix(space)) {
                rest = after;
            }
            continue;
        }
        if let Some(after) = rest.strip_prefix(BEFORE_MODULUS) {
            out.push_str("\\;");
            rest = after;
            continue;
        }
        // The sign after a backslash belongs to it.
        let length = match sign {
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            _ => sign.len_utf8(),
        };
        let (own, after) = rest.split_at(length);
        rest = after;
        match own {
            "{" | "(" => open.push(sign),
            ")" if open.last() == Some(&'m') => {
                open.pop();
                out.push('}');
                continue;
            }
            ")" if open.last() == Some(&'(') => _ = open.pop(),
            "}" => {
                while let Some(own) = open.pop().filter(|own| *own != '{') {
                    out.extend((own == 'm').then_some('}'));
                }
            }
            _ => {}
        }
        out.push_str(own);
    }
    out.extend(open.iter().filter(|own| **own == 'm').map(|_| '}'));
    out
}

/// Appends TeX, with a space if a letter would otherwise become part of the command before it.
pub fn push_tex(out: &mut String, tex: &str) {
    let letters = out.bytes().rev().take_while(u8::is_ascii_alphabetic).count();
    let ends_in_command = letters > 0 && out[..out.len() - letters].ends_with('\\');
    if ends_in_command && tex.starts_with(|first: char| first.is_ascii_alphabetic()) {
        out.push(' ');
    }
    out.push_str(tex);
}

/// Returns the font command of a `mathvariant`, without its backslash; empty if there is none.
pub(super) fn font_of(variant: &str) -> &'static str {
    match variant {
        "bold" => "mathbf",
        "bold-italic" => "boldsymbol",
        "double-struck" => "mathbb",
        "script" => "mathcal",
        "fraktur" => "mathfrak",
        "sans-serif" => "mathsf",
        "monospace" => "mathtt",
        "normal" => "mathrm",
        _ => "",
    }
}

/// Writes an identifier or operator in a font, given by its command or empty. Functions have commands; other words are put in
/// `\operatorname`.
pub fn tex_of_name(tex: &str, font: &str) -> String {
    let is_word = !tex.is_empty() && tex.chars().all(|c| c.is_ascii_alphabetic());
    match () {
        () if FUNCTIONS.split(' ').any(|own| own == tex) => format!("\\{tex}"),
        () if is_word && tex.len() > 1 && font.is_empty() => format!("\\operatorname{{{tex}}}"),
        () if !font.is_empty() && (is_word || font != "mathrm" && !tex.is_empty()) => {
            format!("\\{font}{{{tex}}}")
        }
        () => tex.to_owned(),
    }
}

/// Returns the command for a sign over or under a formula. If it `stretches`, it is as wide as the formula.
pub fn accent(sign: char, stretches: bool) -> Option<&'static str> {
    Some(match (sign, stretches) {
        ('^' | 'ˆ' | '\u{302}', false) => "\\hat",
        ('^' | 'ˆ' | '\u{302}', true) => "\\widehat",
        ('~' | '˜' | '∼' | '\u{303}', false) => "\\tilde",
        ('~' | '˜' | '∼' | '\u{303}', true) => "\\widetilde",
        ('¯' | 'ˉ' | '‾' | '―' | '\u{304}', false) => "\\bar",
        ('¯' | 'ˉ' | '‾' | '―' | '\u{305}', true) => "\\overline",
        ('_' | '\u{332}', _) => "\\underline",
        ('→' | '⃗', false) | ('⃗', true) => "\\vec",
        ('→', true) => "\\overrightarrow",
        ('˙' | '\u{307}', _) => "\\dot",
        ('¨' | '\u{308}', _) => "\\ddot",
        ('⏞', _) => "\\overbrace",
        ('⏟', _) => "\\underbrace",
        _ => return None,
    })
}

/// Returns the command for a space of this width in ems.
pub fn tex_of_space(width: f32) -> &'static str {
    match (width * 18.0).round() as i32 {
        ..0 => "\\!",
        0 => "",
        1..=3 => "\\,",
        4 => "\\:",
        5..=7 => "\\;",
        8 => BEFORE_MODULUS,
        9..=27 => "\\quad",
        _ => "\\qquad",
    }
}

/// Writes signs as TeX: letters and digits unchanged, others as commands.
pub fn tex_of_signs(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            // Function application and other invisible operators.
            '\u{2061}'..='\u{2064}' | '\u{200b}' => {}
            '{' | '}' | '%' | '#' | '&' | '$' | '_' => out.extend(['\\', c]),
            '\\' => push_tex(&mut out, "\\backslash"),
            '−' => out.push('-'),
            '′' => out.push('\''),
            '‖' => out.push_str("\\|"),
            _ if c.is_whitespace() => {}
            _ if c.is_ascii() => push_tex(&mut out, c.encode_utf8(&mut [0; 4])),
            _ => push_tex(&mut out, &command_of(c).unwrap_or_else(|| in_font(c))),
        }
    }
    out
}

/// Writes a letter of Unicode's mathematical alphabets with its font command; other letters stay unchanged.
fn in_font(c: char) -> String {
    let fonts = [
        (0x1d400, "mathbf"),
        (0x1d434, ""),
        (0x1d49c, "mathcal"),
        (0x1d504, "mathfrak"),
        (0x1d538, "mathbb"),
        (0x1d5a0, "mathsf"),
        (0x1d670, "mathtt"),
    ];
    let found = fonts.into_iter().find_map(|(first, font)| {
        let at = u8::try_from((c as u32).checked_sub(first)?).ok().filter(|at| *at < 52)?;
        Some((char::from(if at < 26 { b'A' + at } else { b'a' + at - 26 }), font))
    });
    match found {
        Some((letter, "")) => letter.to_string(),
        Some((letter, font)) => format!("\\{font}{{{letter}}}"),
        None => c.to_string(),
    }
}

fn command_of(sign: char) -> Option<String> {
    let mut words = SIGNS.split_ascii_whitespace();
    std::iter::from_fn(|| Some((words.next()?, words.next()?)))
        .find(|own| own.0.chars().eq([sign]))
        .map(|own| format!("\\{}", own.1))
}

/// Functions that have commands of their own in TeX and LaTeX.
const FUNCTIONS: &str = "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max min Pr sec sin sinh sup tan tanh";

/// Signs and the commands that LaTeX and amssymb have for them.
const SIGNS: &str = "α alpha β beta γ gamma δ delta ϵ epsilon ε varepsilon ζ zeta η eta θ theta ϑ vartheta ι iota κ kappa λ lambda \
    μ mu µ mu ν nu ξ xi π pi ϖ varpi ρ rho ϱ varrho σ sigma ς varsigma τ tau υ upsilon ϕ phi φ varphi χ chi ψ psi ω omega \
    Γ Gamma Δ Delta ∆ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega \
    ± pm ∓ mp × times ÷ div ⋅ cdot · cdot ∗ ast ⋆ star ∘ circ ∙ bullet • bullet ∩ cap ∪ cup ⊎ uplus ∨ vee ∧ wedge ∖ setminus \
    ⊕ oplus ⊖ ominus ⊗ otimes ⊙ odot † dagger ‡ ddagger ≤ le ≥ ge ≠ ne ≪ ll ≫ gg ≡ equiv ∼ sim ≃ simeq ≈ approx ≅ cong ∝ propto \
    ≺ prec ≻ succ ⊂ subset ⊃ supset ⊆ subseteq ⊇ supseteq ⊄ nsubset ∈ in ∋ ni ∉ notin ⊢ vdash ⊨ models ⊥ perp ∥ parallel ∣ mid \
    ← leftarrow → to ↔ leftrightarrow ⇐ Leftarrow ⇒ Rightarrow ⇔ Leftrightarrow ↑ uparrow ↓ downarrow ↦ mapsto \
    ⟵ longleftarrow ⟶ longrightarrow ⟸ Longleftarrow ⟹ Longrightarrow ⟺ Longleftrightarrow ⟼ longmapsto ↪ hookrightarrow \
    ∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint ⋂ bigcap ⋃ bigcup ⋁ bigvee ⋀ bigwedge ⨁ bigoplus ⨂ bigotimes \
    ∞ infty ∂ partial ∇ nabla ∀ forall ∃ exists ∄ nexists ¬ neg ∅ emptyset ∠ angle △ triangle □ square ℏ hbar ℓ ell ℜ Re ℑ Im \
    ℵ aleph ı imath ȷ jmath … ldots ⋯ cdots ⋮ vdots ⋱ ddots ⟨ langle ⟩ rangle ⌊ lfloor ⌋ rfloor ⌈ lceil ⌉ rceil ∴ therefore \
    ℂ mathbb{C} ℍ mathbb{H} ℕ mathbb{N} ℙ mathbb{P} ℚ mathbb{Q} ℝ mathbb{R} ℤ mathbb{Z}";
