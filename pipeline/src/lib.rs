/*!
Defines the pipeline: a crawl in, wrappers and articles out.

```text
WARC, HTML folders ─┐
RSS, Atom, JSON ────┴► read ─► group ─► cluster ─► signify ─► rank ─► wrap ─► extract ─► emit
                        1       2 site   3 layout   4 terms   5 Forest 6 XPath 7 article  8 files
```

The stages in order, with the type that flows on:

1. [`stages::read`]: a file → [`stages::read::Intake`]: pages, feed items, redirects
2. [`stages::group`]: all of them → [`model::Site`]: pages and feed items of one site
3. [`stages::cluster`]: a site's pages, each parsed once ([`parsed::ParsedPage`]) → [`model::Template`]
4. [`stages::signify`]: sibling pages → [`model::Signifiers`]
5. [`stages::rank`]: pages and signifiers → [`model::StructuralPattern`], best first
6. [`stages::wrap`]: the best pattern → [`model::Wrapper`]
7. [`stages::extract`]: a page and a wrapper → [`model::Article`]
8. [`stages::emit`]: articles, wrappers and drops → files

[`site`] calls 3 to 7 for one site ([`template`] 4 to 7 for one template); [`run`] calls everything, and is the only place that knows of
threads, order and disk.
*/

mod captures;
pub mod causes;
pub mod commands;
pub mod config;
mod digests;
mod html;
pub mod in_memory;
pub mod inputs;
pub mod ledger;
mod lines;
pub mod memory;
mod numerals;
pub mod observer;
mod opened;
pub mod printed;
pub mod report;
mod results;
pub mod revisits;
pub mod run;
mod scale;
pub mod sink_name;
pub mod sinks;
pub mod site;
pub mod site_config_files;
pub mod site_configs;
pub mod stages;
mod tally;
mod waiting;
