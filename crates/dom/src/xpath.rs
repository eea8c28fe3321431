/*!
The XPath 1.0 dialect that wrappers are written in, and its evaluation over the arena.

Steps go down (`/`, `//`). A step is a tag name or `*` with predicates on attributes, class tokens,
children and, as a last resort, position. The output is plain XPath 1.0 (W3C 1999): any engine over
an HTML tree selects the same nodes.

```text
//div[@id='main']//div[contains(concat(' ',normalize-space(@class),' '),' story ')]/p
```
*/

mod evaluate;
mod parse;
mod position;
mod print;

pub use evaluate::{Positions, is_space};
use html5ever::LocalName;
pub use parse::ParseError;
pub use position::{nodes_at, position_path, position_paths};
pub use print::is_name;

/// A location path: steps from the root down.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    /// Never empty.
    pub steps: Vec<PathStep>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PathStep {
    /// Whether the step goes to any depth (`//`) or to children only (`/`).
    pub deep: bool,
    /// Tag name; `None` for `*`.
    pub name: Option<LocalName>,
    /// All must hold, in this order.
    pub predicates: Vec<Predicate>,
}

/// A condition on an element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Predicate {
    /// `[contains(concat(' ',normalize-space(@class),' '),' token ')]`
    HasClass(String),
    /// `[@name='value']`
    Equals(LocalName, String),
    /// `[starts-with(@name,'value')]`
    StartsWith(LocalName, String),
    /// `[contains(@name,'value')]`
    Contains(LocalName, String),
    /// `[@name]`
    Has(LocalName),
    /// `[name]`: has a child element of this name
    Child(LocalName),
    /// `[.//name]`: has a descendant element of this name
    Descendant(LocalName),
    /// `[not(…)]`
    Not(Box<Predicate>),
    /// `[… and …]`
    All(Vec<Predicate>),
    /// `[… or …]`
    Any(Vec<Predicate>),
    /// `[n]`, counted from 1 among siblings that pass the step so far
    Position(u32),
}
