/*!
Defines fixed wrappers: the text format of ftr-site-config, which Full-Text RSS and wallabag read,
and what its directives do to a page.

```text
file        lines ⇄ text
directive   what each directive is, and what becomes of it here
compile     a file → CompiledSiteConfig, and a finding for each line
expression  XPath 1.0 of other people's, within limits (vocabulary: what it may call)
tree, axes  the page as such an expression sees it, and as directives change it
apply       a page and a CompiledSiteConfig → document, body, what is taken out, metadata
host        names of hosts ⇄ names of files
export      learnt wrappers → file
probe       which common expressions give the title, authors and date of sample pages
```

Sources: the format's help page (<https://help.fivefilters.org/full-text-rss/site-patterns.html>) and
what its readers do where the page is silent; docs/SITE-CONFIG.md has every directive.

Invariants: any text is read; what is printed is read back as the same; text of pages cannot begin a
line; an expression of any kind ends, and takes bounded time and memory on a page.
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
