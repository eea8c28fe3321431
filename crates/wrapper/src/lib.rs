/*!
Defines how chosen nodes become a wrapper: the XPath expressions a person would have written.

Takes sample pages with the nodes wanted on each, gives the shortest and most robust expression
that selects exactly those nodes on all of them, or, where none does, the set of expressions that
comes nearest.

Invariant: what is printed is evaluated by `dom::xpath` here and selects the same nodes in any
other XPath 1.0 engine; ids, classes and attribute values that do not recur on the samples never
enter an expression.
*/

mod general;
mod label;
mod search;
mod selection;

pub use search::{Sample, Synthesis, synthesize};
pub use selection::select;
