/*!
Site configs: the text format of ftr-site-config, used by Full-Text RSS and wallabag, and the effect
of its directives on a page.

```text
file        lines ⇄ text; names of hosts ⇄ names of files
compile     the directives of the format, and their treatment; a file → CompiledSiteConfig, and a finding for each line
expression  third-party XPath 1.0, within limits, and the functions it may call
tree        the page as such an expression sees it, and as directives change it
apply       a page and a CompiledSiteConfig → document, body, removed nodes, metadata
export      learnt wrappers → file, and common expressions that give the title, authors and date of sample pages
```

Sources: the format's help page (<https://help.fivefilters.org/full-text-rss/site-patterns.html>) and,
where that is silent, the behaviour of its readers; docs/SITE-CONFIG.md lists every directive.

Invariants: any text can be parsed; printed files parse to the same value; text from pages cannot begin
a line; the evaluation of any expression ends, within bounded time and memory.
*/

mod apply;
mod compile;
mod export;
mod expression;
mod file;
mod tree;

pub use apply::{AppliedConfig, ConfigMetadata, apply};
pub use compile::{
    CompiledSiteConfig, ConfigTest, DirectiveVerdict, Finding, compile, known_directives,
};
pub use export::{Exported, ProbeSamples, Probed, SampleWithValues, export};
pub use expression::{Expression, ExpressionError};
pub use file::{Directive, SiteConfig, SiteConfigLine, file_hosts, host_of_file, lookup_names};
