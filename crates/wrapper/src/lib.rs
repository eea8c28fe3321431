/*!
Synthesis of wrappers: from selected nodes to XPath expressions as a person would write them.

Takes sample pages with the wanted nodes of each, and returns the shortest and most robust expression
that selects exactly those nodes on all of them. If some pages are exceptions, the expression is the
one that is right on the others; a union is used only if it is right on many more pages.

```text
synthesis      one expression (search), else a union
search         short forms, then the full path shortened (forms, counterparts)
verdict        how accurate an expression is on the pages (pages, steps)
conditions     which conditions hold for an element, and how long and fragile they make an expression
```

Invariant: every expression is evaluated by `dom::xpath` here and selects the same nodes in any other
XPath 1.0 engine. Ids, classes and attribute values that do not recur on the samples are never used in
an expression.
*/

mod conditions;
mod counterparts;
mod forms;
mod pages;
mod search;
pub mod site_config;
mod steps;
mod synthesis;
mod verdict;

pub use pages::{select, select_nested};
pub use synthesis::{Samples, Synthesis, WantedNodes};
