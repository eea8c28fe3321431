//! Prints paths as XPath 1.0.

use std::fmt::{self, Display, Formatter};

use super::{Path, PathStep, Predicate};

impl Display for Path {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|step| step.fmt(f))
    }
}

impl Display for PathStep {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(if self.deep { "//" } else { "/" })?;
        match &self.name {
            // The parser creates elements whose names are not XML names (`<o:p>`, `<a"b>`).
            Some(name) if !is_name(name) => write!(f, "*[name()={}]", Literal(name))?,
            Some(name) => f.write_str(name)?,
            None => f.write_str("*")?,
        }
        for predicate in &self.predicates {
            write!(f, "[{predicate}]")?;
        }
        Ok(())
    }
}

impl Display for Predicate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::HasClass(token) => {
                let token = format!(" {token} ");
                write!(f, "contains(concat(' ',normalize-space(@class),' '),{})", Literal(&token))
            }
            Self::Equals(name, value) => write!(f, "@{name}={}", Literal(value)),
            Self::StartsWith(name, value) => write!(f, "starts-with(@{name},{})", Literal(value)),
            Self::Contains(name, value) => write!(f, "contains(@{name},{})", Literal(value)),
            Self::Has(name) => write!(f, "@{name}"),
            Self::Child(name) => f.write_str(name),
            Self::Descendant(name) => write!(f, ".//{name}"),
            Self::Not(inner) => write!(f, "not({inner})"),
            Self::All(parts) => join(parts, " and ", f),
            Self::Any(parts) => join(parts, " or ", f),
            Self::Position(n) => n.fmt(f),
        }
    }
}

fn join(parts: &[Predicate], word: &str, f: &mut Formatter<'_>) -> fmt::Result {
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            f.write_str(word)?;
        }
        match part {
            Predicate::All(_) | Predicate::Any(_) => write!(f, "({part})")?,
            part => part.fmt(f)?,
        }
    }
    Ok(())
}

/// Whether a name can be used unquoted in an expression (an XML NCName, restricted to ASCII).
pub fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

/// A string literal. XPath 1.0 has no escapes: a string with both kinds of quotes becomes a
/// `concat`.
struct Literal<'a>(&'a str);

impl Display for Literal<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.0.contains('\'') {
            return write!(f, "'{}'", self.0);
        }
        if !self.0.contains('"') {
            return write!(f, "\"{}\"", self.0);
        }
        f.write_str("concat(")?;
        for (i, part) in self.0.split('\'').enumerate() {
            if i > 0 {
                f.write_str(",\"'\",")?;
            }
            write!(f, "'{part}'")?;
        }
        f.write_str(")")
    }
}
