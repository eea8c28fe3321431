/*!
Defines how chosen nodes become a wrapper: the XPath expressions a person would have written.

Takes sample pages with the nodes wanted on each, gives the shortest and most robust expression
that selects exactly those nodes on all of them. Where a page is an exception, the expression that
is right on the others; a union only where it is right on many more.

```text
Samples     one expression (search), else a union (union)
search      short forms (forms), then the whole path made shorter (chain, shorten)
verdict     how an expression fares on the pages (pages, steps)
cost        what it asks of a reader (names)
```

Invariant: what is printed is evaluated by `dom::xpath` here and selects the same nodes in any
other XPath 1.0 engine; ids, classes and attribute values that do not recur on the samples never
enter an expression.
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
