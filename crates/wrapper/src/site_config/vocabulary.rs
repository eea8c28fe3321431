//! The functions that an expression may call: the core functions of XPath 1.0 (W3C 1999, §4).

use xpath_eval::{Expr, FilterExpr, LocationPath, NodeTest, PathExpr, PrimaryExpr, QName};

/// The core functions with the minimum and maximum number of their arguments.
const FUNCTIONS: [(&str, usize, usize); 27] = [
    ("boolean", 1, 1),
    ("ceiling", 1, 1),
    ("concat", 2, usize::MAX),
    ("contains", 2, 2),
    ("count", 1, 1),
    ("false", 0, 0),
    ("floor", 1, 1),
    ("id", 1, 1),
    ("lang", 1, 1),
    ("last", 0, 0),
    ("local-name", 0, 1),
    ("name", 0, 1),
    ("namespace-uri", 0, 1),
    ("normalize-space", 0, 1),
    ("not", 1, 1),
    ("number", 0, 1),
    ("position", 0, 0),
    ("round", 1, 1),
    ("starts-with", 2, 2),
    ("string", 0, 1),
    ("string-length", 0, 1),
    ("substring", 2, 3),
    ("substring-after", 2, 2),
    ("substring-before", 2, 2),
    ("sum", 1, 1),
    ("translate", 3, 3),
    ("true", 0, 0),
];

/// A description of the first part of an expression that is not in XPath 1.0 over HTML.
pub(crate) fn foreign(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Or(a, b)
        | Expr::And(a, b)
        | Expr::Equality(a, _, b)
        | Expr::Relational(a, _, b)
        | Expr::Additive(a, _, b)
        | Expr::Multiplicative(a, _, b)
        | Expr::Union(a, b) => foreign(a).or_else(|| foreign(b)),
        Expr::Negate(a) => foreign(a),
        Expr::Path(PathExpr::Location(path)) => in_path(path),
        Expr::Path(PathExpr::Filter(filter)) => in_filter(filter),
        Expr::Path(PathExpr::FilterLocation(filter, path)) => {
            in_filter(filter).or_else(|| in_path(path))
        }
    }
}

fn in_path(path: &LocationPath) -> Option<String> {
    path.steps.iter().find_map(|step| {
        let prefix = match &step.node_test {
            NodeTest::NamespaceWildcard(prefix) => Some(prefix),
            NodeTest::QName(name) => name.prefix.as_ref(),
            _ => None,
        };
        let prefix = prefix.map(|p| format!("the prefix `{p}:` stands for nothing in HTML"));
        prefix.or_else(|| step.predicates.iter().find_map(foreign))
    })
}

fn in_filter(filter: &FilterExpr) -> Option<String> {
    let primary = match &filter.primary {
        PrimaryExpr::Variable(name) => Some(format!("the variable `${}` has no value", name.local)),
        PrimaryExpr::Parenthesized(inner) => foreign(inner),
        PrimaryExpr::Literal(_) | PrimaryExpr::Number(_) => None,
        PrimaryExpr::Function(call) => {
            unknown(&call.name, call.args.len()).or_else(|| call.args.iter().find_map(foreign))
        }
    };
    primary.or_else(|| filter.predicates.iter().find_map(foreign))
}

fn unknown(QName { prefix, local }: &QName, arguments: usize) -> Option<String> {
    let at = FUNCTIONS.binary_search_by_key(&local.as_str(), |f| f.0);
    let (Ok(at), None) = (at, prefix) else {
        let prefix = prefix.as_ref().map_or_else(String::new, |p| format!("{p}:"));
        return Some(format!("XPath 1.0 has no function `{prefix}{local}`"));
    };
    let (_, fewest, most) = FUNCTIONS[at];
    (!(fewest..=most).contains(&arguments))
        .then(|| format!("the function `{local}` does not take {arguments} arguments"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(expression: &str) -> Option<String> {
        foreign(&xpath_eval::parse(expression).unwrap())
    }

    #[test]
    fn what_is_foreign_is_named() {
        assert!(FUNCTIONS.is_sorted_by_key(|f| f.0));
        assert_eq!(said("//a[contains(@b, 'c')]/text()[position() < last()] | id('x')/b"), None);
        let of = |expression| said(expression).unwrap();
        assert!(of("//a[matches(@b, 'c')]").contains("`matches`"));
        assert!(of("//a[contains(@b)]").contains("does not take 1"));
        assert!(of("(//a | //b[lower-case(.) = 'c'])[1]").contains("lower-case"));
        assert!(of("//svg:a").contains("`svg:`"));
        assert!(of("//a[@b = $c]").contains("`$c`"));
        assert!(of("php:functionString('x', //a)").contains("php:"));
    }
}
