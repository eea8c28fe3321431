/*!
Site configs: the text format of ftr-site-config, used by Full-Text RSS and wallabag, and the effect
of its directives on a page.

```text
file        lines ⇄ text
directive   the directives of the format, and their treatment here
compile     a file → CompiledSiteConfig, and a finding for each line
expression  third-party XPath 1.0, within limits (vocabulary: the functions it may call)
tree, axes  the page as such an expression sees it, and as directives change it
apply       a page and a CompiledSiteConfig → document, body, removed nodes, metadata
host        names of hosts ⇄ names of files
export      learnt wrappers → file
probe       which common expressions give the title, authors and date of sample pages
```

Sources: the format's help page (<https://help.fivefilters.org/full-text-rss/site-patterns.html>) and,
where that is silent, the behaviour of its readers; docs/SITE-CONFIG.md lists every directive.

Invariants: any text can be parsed; printed files parse to the same value; text from pages cannot begin
a line; the evaluation of any expression ends, within bounded time and memory.
*/

mod apply;
mod axes;
mod compile;
mod directive;
mod export;
mod expression;
mod file;
mod host;
mod probe;
mod tree;
mod vocabulary;

pub use apply::{Applied, Given, apply};
pub use compile::{CompiledSiteConfig, Finding, Test, Verdict, compile};
pub use directive::{Treatment, known_directives};
pub use export::{Exported, export};
pub use expression::{Expression, ExpressionError};
pub use file::{Directive, Line, SiteConfig};
pub use host::{file_hosts, host_of_file, lookup_names};
pub use probe::{Probed, Samples, Sought};
