//! Third-party XPath 1.0 expressions, within limits.

use std::fmt::{self, Display, Formatter};

use xpath_eval::{Expr, Value, evaluate};

use super::axes::{Match, View};
use super::tree::{ROOT, Tree};
use super::vocabulary::foreign;

/// Longest expression, in bytes. The longest of some 8,000 in public files has 379.
const MAX_BYTES: usize = 4096;
/// Deepest nesting of brackets; in those files, 7.
const MAX_NESTING: usize = 32;
/// Maximum number of operators; in those files, 18. Each is a level of the expression's tree, and a
/// call on the stack.
const MAX_OPERATORS: usize = 128;

/// A compiled expression, and its source text.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    compiled: Expr,
}

/// Why an expression cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// It is not XPath 1.0.
    #[error("not XPath 1.0: {0}")]
    Syntax(String),
    /// It is larger than any that people write.
    #[error(
        "too large: at most {MAX_BYTES} bytes, {MAX_NESTING} brackets deep, {MAX_OPERATORS} operators"
    )]
    Size,
    /// It uses an undefined function, variable or prefix.
    #[error("{0}")]
    Unknown(String),
}

/// The result of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Found {
    /// Nodes, in document order.
    Nodes(Vec<Match>),
    /// A string; numbers and booleans are converted as in XPath.
    Text(String),
}

impl Expression {
    /// Compiles an expression.
    ///
    /// # Errors
    /// If it is not XPath 1.0, or larger than any written by people.
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

    /// Evaluates the expression on a page.
    pub(crate) fn find(&self, tree: &Tree) -> Result<Found, xpath_eval::EvalError> {
        let context = xpath_eval::EvaluationContext::new(View::of(tree, ROOT));
        Ok(match evaluate(&self.compiled, &context)? {
            // On a page that would take too long, nothing is selected.
            _ if tree.is_exhausted() => Found::Nodes(Vec::new()),
            Value::NodeSet(nodes) => {
                let mut nodes = nodes;
                nodes.sort_by(|a, b| xpath_eval::Node::document_order(*a, *b));
                Found::Nodes(nodes.into_iter().map(View::as_match).collect())
            }
            other => Found::Text(other.to_xpath_string()),
        })
    }

    /// The nodes it selects on a page, in document order; empty if the result is not a set of
    /// nodes.
    pub(crate) fn select(&self, tree: &Tree) -> Vec<Match> {
        match self.find(tree) {
            Ok(Found::Nodes(nodes)) => nodes,
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
        // No name begins with a hyphen: there it is a minus.
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
