/*!
The program: extracts articles from crawls, with wrappers learnt from the pages of each site.

```text
WARC, HTML folders ─┐
RSS, Atom, JSON ────┴► read ─► group ─► learn ─► apply ─► emit
```

1. [`stages::read`]: a file → [`stages::read::Intake`]: pages, feed items, redirects
2. `segment/`: all of them → the pages and feed items of one site
3. [`stages::learn`]: a site → its [`sitemodel::SiteModel`] (cluster, signify, rank or judge, wrap)
4. [`stages::apply`]: a page and the model → [`model::Article`] or [`model::Drop`] (extract)
5. [`stages::emit`]: articles, wrappers and drops → files

[`run`] is a whole run, the only code that knows threads, order and disk. [`site`] processes one site. `segment/` holds what
was read, in memory or in files, `resume/` lets a run resume after it was stopped, and [`progress`] reports how far it is.
*/

mod captures;
pub mod commands;
mod forecast;
pub mod in_memory;
pub mod lines;
pub mod models_table;
pub mod output_paths;
pub mod progress;
pub mod results;
mod resume;
pub mod run;
pub mod sinks;
pub mod site;
pub mod site_configs;
pub mod stages;
pub mod steps;
pub mod target;
mod workers;
