//! Parses expressions of the dialect.

use std::str::FromStr;

use html5ever::LocalName;

use super::{Path, PathStep, Predicate};

/// Why an expression cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} at byte {at} of the expression")]
pub struct ParseError {
    /// Byte offset in the expression.
    pub at: usize,
    /// What was expected there.
    pub expected: &'static str,
}

/// Maximum nesting of expressions: real expressions are no deeper than `not(not(…))`.
const MAX_NESTING: u32 = 32;

impl FromStr for Path {
    type Err = ParseError;

    /// Parses one path of the dialect (no unions).
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut reader = PathParser { text, at: 0 };
        let mut steps = Vec::new();
        reader.space();
        while reader.take("/") {
            let deep = reader.take("/");
            steps.push(reader.step(deep)?);
            reader.space();
        }
        if steps.is_empty() {
            return Err(reader.error("a path that begins with '/'"));
        }
        if reader.at < text.len() {
            return Err(reader.error("the end"));
        }
        Ok(Path { steps })
    }
}

struct PathParser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> PathParser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn error(&self, expected: &'static str) -> ParseError {
        ParseError { at: self.at, expected }
    }

    fn space(&mut self) {
        let trimmed = self.rest().trim_start();
        self.at = self.text.len() - trimmed.len();
    }

    fn take(&mut self, token: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str, expected: &'static str) -> Result<(), ParseError> {
        if self.take(token) { Ok(()) } else { Err(self.error(expected)) }
    }

    fn name(&mut self) -> Result<LocalName, ParseError> {
        self.space();
        let end = self
            .rest()
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')))
            .unwrap_or(self.rest().len());
        let name = &self.rest()[..end];
        if !super::print::is_name(name) {
            return Err(self.error("a name"));
        }
        self.at += end;
        Ok(LocalName::from(name))
    }

    /// A quoted string, or a `concat` of quoted strings.
    fn literal(&mut self) -> Result<String, ParseError> {
        if self.take("concat(") {
            let mut out = String::new();
            loop {
                out.push_str(&self.quoted()?);
                if self.take(")") {
                    return Ok(out);
                }
                self.expect(",", "',' or ')'")?;
            }
        }
        self.quoted()
    }

    fn quoted(&mut self) -> Result<String, ParseError> {
        for quote in ['\'', '"'] {
            if self.take(if quote == '\'' { "'" } else { "\"" }) {
                let end = self.rest().find(quote).ok_or(self.error("a closing quote"))?;
                let value = self.rest()[..end].to_owned();
                self.at += end + 1;
                return Ok(value);
            }
        }
        Err(self.error("a quoted string"))
    }

    fn step(&mut self, deep: bool) -> Result<PathStep, ParseError> {
        let mut name = if self.take("*") { None } else { Some(self.name()?) };
        let mut predicates = Vec::new();
        while self.take("[") {
            if name.is_none() && predicates.is_empty() && self.take("name()") {
                self.expect("=", "'='")?;
                name = Some(LocalName::from(self.literal()?));
            } else if self.rest().starts_with(|c: char| c.is_ascii_digit()) {
                predicates.push(Predicate::Position(self.number()?));
            } else {
                predicates.push(self.any(0)?);
            }
            self.expect("]", "']'")?;
        }
        Ok(PathStep { deep, name, predicates })
    }

    fn number(&mut self) -> Result<u32, ParseError> {
        let end = self.rest().find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest().len());
        let number = self.rest()[..end].parse().map_err(|_| self.error("a small number"))?;
        self.at += end;
        Ok(number)
    }

    /// `or` binds less tightly than `and`.
    fn any(&mut self, nesting: u32) -> Result<Predicate, ParseError> {
        let mut parts = vec![self.all(nesting)?];
        while self.word("or") {
            parts.push(self.all(nesting)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Predicate::Any(parts) })
    }

    fn all(&mut self, nesting: u32) -> Result<Predicate, ParseError> {
        let mut parts = vec![self.condition(nesting)?];
        while self.word("and") {
            parts.push(self.condition(nesting)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Predicate::All(parts) })
    }

    fn word(&mut self, word: &str) -> bool {
        self.space();
        let follows = self.rest().strip_prefix(word);
        let found = follows.is_some_and(|r| r.starts_with([' ', '\t', '\n', '(']));
        if found {
            self.at += word.len();
        }
        found
    }

    fn condition(&mut self, nesting: u32) -> Result<Predicate, ParseError> {
        if nesting > MAX_NESTING {
            return Err(self.error("less nesting"));
        }
        let is_negated = self.take("not(");
        if is_negated || self.take("(") {
            let inner = self.any(nesting + 1)?;
            self.expect(")", "')'")?;
            return Ok(if is_negated { Predicate::Not(Box::new(inner)) } else { inner });
        }
        if self.take("starts-with(@") {
            let (name, value) = self.arguments()?;
            return Ok(Predicate::StartsWith(name, value));
        }
        if self.take("contains(concat(' ',normalize-space(@class),' '),") {
            let padded = self.literal()?;
            self.expect(")", "')'")?;
            let token = padded.strip_prefix(' ').and_then(|t| t.strip_suffix(' '));
            let token =
                token.filter(|t| !t.is_empty() && !t.contains(|c: char| c.is_ascii_whitespace()));
            let token = token.ok_or(self.error("one class name between spaces"))?;
            return Ok(Predicate::HasClass(token.to_owned()));
        }
        if self.take("contains(@") {
            let (name, value) = self.arguments()?;
            return Ok(Predicate::Contains(name, value));
        }
        if self.take("@") {
            let name = self.name()?;
            if self.take("=") {
                return Ok(Predicate::Equals(name, self.literal()?));
            }
            return Ok(Predicate::Has(name));
        }
        if self.take(".//") {
            return Ok(Predicate::Descendant(self.name()?));
        }
        Ok(Predicate::Child(self.name()?))
    }

    fn arguments(&mut self) -> Result<(LocalName, String), ParseError> {
        let name = self.name()?;
        self.expect(",", "','")?;
        let value = self.literal()?;
        self.expect(")", "')'")?;
        Ok((name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    const PAGE: &str = r#"<html><body><div id=main class="a  story b"><p>1</p><p class=x>2</p>
        <div class=storyline><p>3</p></div></div><div data-q="it's &quot;so&quot;"><h2>t</h2><p>4</p></div></body></html>"#;

    fn select(path: &str) -> String {
        let document = parse(PAGE);
        let path: Path = path.parse().unwrap();
        assert_eq!(path.to_string().parse::<Path>().unwrap(), path, "print and read agree");
        let nodes = path.select(&document);
        nodes.iter().map(|&n| document.text_content(n).trim()).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn selects() {
        assert_eq!(select("//p"), "1|2|3|4");
        assert_eq!(select("/html/body/div/p"), "1|2|4");
        assert_eq!(
            select("//div[contains(concat(' ',normalize-space(@class),' '),' story ')]/p"),
            "1|2"
        );
        assert_eq!(select("//div[@id='main']//p"), "1|2|3");
        assert_eq!(select("//p[not(@class)]"), "1|3|4");
        assert_eq!(select("//div[@id='main']/p[2]"), "2");
        assert_eq!(select("//p[not(@class)][2]"), "");
        assert_eq!(select("//div[h2]/p"), "4");
        assert_eq!(select("//div[.//h2 or @class='storyline']/p"), "3|4");
        assert_eq!(select(r#"//div[@data-q=concat('it',"'",'s "so"')]/p"#), "4");
        assert_eq!(select("//*[starts-with(@class,'story')]/p"), "3");
        assert_eq!(select("//*[name()='p'][@class='x']"), "2");
    }

    #[test]
    fn refuses() {
        for bad in
            ["", "p", "//", "//p[", "//p[@]", "//p[@a='x]", "//p]", "//p[99999999999]", "/p | /q"]
        {
            assert!(bad.parse::<Path>().is_err(), "{bad}");
        }
        let deep = format!("//p[{}@a{}]", "not(".repeat(99), ")".repeat(99));
        assert!(deep.parse::<Path>().is_err());
    }
}
