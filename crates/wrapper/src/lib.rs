/*!
Synthesis of wrappers: from selected nodes to XPath expressions as a person would write them.

Takes sample pages with the wanted nodes of each, and returns the shortest and most robust expression
that selects exactly those nodes on all of them. If some pages are exceptions, the expression is the
one that is right on the others; a union is used only if it is right on many more pages.

```text
Samples     one expression (search), else a union (union)
search      short forms (forms), then the full path shortened (chain, shorten)
verdict     how accurate an expression is on the pages (pages, steps)
cost        how long and fragile an expression is (names)
```

Invariant: every expression is evaluated by `dom::xpath` here and selects the same nodes in any other
XPath 1.0 engine. Ids, classes and attribute values that do not recur on the samples are never used in
an expression.
*/

mod chain;
mod cost;
mod counterparts;
mod forms;
mod found;
mod label;
mod names;
mod pages;
mod search;
mod selection;
mod shorten;
pub mod site_config;
mod steps;
mod synthesis;
mod union;
mod verdict;

pub use selection::{select, select_nested};
pub use synthesis::{Samples, Synthesis, Wanted};
