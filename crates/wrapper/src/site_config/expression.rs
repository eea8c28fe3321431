//! Third-party XPath 1.0 expressions, within limits.

use std::fmt::{self, Display, Formatter};

use xpath_eval::{
    Expr, FilterExpr, LocationPath, NodeTest, PathExpr, PrimaryExpr, QName, Value, evaluate,
};

use crate::site_config::tree::{EditableTree, Match, ROOT, View};

/// Longest expression, in bytes. The longest of some 8,000 in public files has 379.
const MAX_BYTES: usize = 4096;
/// Deepest nesting of brackets; in those files, 7.
const MAX_NESTING: usize = 32;
/// Maximum number of operators; in those files, 18. Each operator is a level of the expression's tree, and a call on the
/// stack.
const MAX_OPERATORS: usize = 128;

/// A compiled expression, and its source text.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    compiled: Expr,
}

/// The reason why an expression cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// It is not XPath 1.0.
    #[error("not XPath 1.0: {0}")]
    Syntax(String),
    /// It is larger than any expression that people write.
    #[error(
        "too large: at most {MAX_BYTES} bytes, {MAX_NESTING} brackets deep, {MAX_OPERATORS} operators"
    )]
    Size,
    /// It uses an undefined function, variable or prefix.
    #[error("{0}")]
    Unknown(String),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum XPathResult {
    /// Nodes, in document order.
    Nodes(Vec<Match>),
    /// A string; numbers and booleans are converted as in XPath.
    Text(String),
}

impl Expression {
    /// Compiles an expression.
    ///
    /// # Errors
    /// If it is not XPath 1.0, or is larger than any expression that people write.
    pub fn new(text: &str) -> Result<Self, ExpressionError> {
        if !is_small(text) {
            return Err(ExpressionError::Size);
        }
        let compiled =
            xpath_eval::parse(text).map_err(|e| ExpressionError::Syntax(e.to_string()))?;
        // The evaluator resolves functions only when they are called, which is too late for an
        // error.
        match foreign(&compiled) {
            Some(what) => Err(ExpressionError::Unknown(what)),
            None => Ok(Self { text: text.to_owned(), compiled }),
        }
    }

    pub(crate) fn find(&self, tree: &EditableTree) -> Result<XPathResult, xpath_eval::EvalError> {
        let context = xpath_eval::EvaluationContext::new(View::of(tree, ROOT));
        Ok(match evaluate(&self.compiled, &context)? {
            // If the evaluation takes too long, nothing is selected.
            _ if tree.is_exhausted() => XPathResult::Nodes(Vec::new()),
            Value::NodeSet(nodes) => {
                let mut nodes = nodes;
                nodes.sort_by(|a, b| xpath_eval::Node::document_order(*a, *b));
                XPathResult::Nodes(nodes.into_iter().map(View::as_match).collect())
            }
            other => XPathResult::Text(other.to_xpath_string()),
        })
    }

    /// The nodes it selects on a page, in document order; empty if the result is not a set of
    /// nodes.
    pub(crate) fn select(&self, tree: &EditableTree) -> Vec<Match> {
        match self.find(tree) {
            Ok(XPathResult::Nodes(nodes)) => nodes,
            _ => Vec::new(),
        }
    }
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Whether an expression is small enough to be parsed and evaluated on the stack of any thread.
fn is_small(text: &str) -> bool {
    if text.len() > MAX_BYTES {
        return false;
    }
    let (mut quote, mut depth, mut deepest, mut operators) = (None, 0_usize, 0, 0);
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if let Some(open) = quote {
            if c == open {
                quote = None;
            }
            continue;
        }
        // A name cannot begin with a hyphen: there it is a minus sign.
        if c.is_alphanumeric() || matches!(c, '_' | '.') || (c == '-' && !word.is_empty()) {
            word.push(c);
            continue;
        }
        operators += usize::from(matches!(word.as_str(), "or" | "and" | "div" | "mod"));
        word.clear();
        match c {
            '\'' | '"' => quote = Some(c),
            '(' | '[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            ')' | ']' => depth = depth.saturating_sub(1),
            '|' | '+' | '-' | '=' | '<' | '>' => operators += 1,
            _ => {}
        }
    }
    deepest <= MAX_NESTING && operators <= MAX_OPERATORS
}

/// The core functions by the minimum and maximum number of their arguments.
const FUNCTIONS: [(usize, usize, &str); 7] = [
    (0, 0, "false last position true"),
    (0, 1, "local-name name namespace-uri normalize-space number string string-length"),
    (1, 1, "boolean ceiling count floor id lang not round sum"),
    (2, 2, "contains starts-with substring-after substring-before"),
    (2, 3, "substring"),
    (2, usize::MAX, "concat"),
    (3, 3, "translate"),
];

/// A description of the first part of an expression that is undefined in XPath 1.0 over HTML.
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
    let known = FUNCTIONS.iter().find(|known| known.2.split(' ').any(|name| name == local));
    let (Some((fewest, most, _)), None) = (known, prefix) else {
        let prefix = prefix.as_ref().map_or_else(String::new, |p| format!("{p}:"));
        return Some(format!("XPath 1.0 has no function `{prefix}{local}`"));
    };
    (!(*fewest..=*most).contains(&arguments))
        .then(|| format!("the function `{local}` does not take {arguments} arguments"))
}
