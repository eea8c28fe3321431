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

mod absences;
#[cfg(feature = "remote")]
mod aws_profile;
mod captures;
pub mod cdx;
pub mod command_line;
pub mod commands;
pub mod config;
mod digests;
mod duplicates;
pub mod error_chain;
mod file_type;
mod forecast;
mod frames;
pub mod in_memory;
pub mod inputs;
pub mod lines;
pub mod memory;
pub mod messages;
pub mod models_table;
mod objects;
mod opened;
pub mod output_paths;
mod pictures;
mod positioned;
pub mod printed;
pub mod progress;
mod records;
#[cfg(feature = "remote")]
mod remote;
pub mod results;
mod resume;
pub mod revisits;
pub mod run;
mod segment;
mod selecting;
pub mod selection;
mod shortened;
pub mod sink_name;
pub mod sinks;
pub mod site;
pub mod site_config_files;
pub mod site_configs;
mod small_files;
mod source;
pub mod stages;
pub mod steps;
pub mod target;
pub mod waiting;
mod workers;
