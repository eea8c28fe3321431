/*!
The program: extracts articles from crawls, with wrappers learnt from the pages of each site.

```text
WARC, HTML folders ─┐
RSS, Atom, JSON ────┴► read ─► settle ─► learn ─► apply ─► emit
```

| where | what |
|---|---|
| the crate `input` | reads files as pages, feed items, redirects, revisits and drops |
| the crate `segment` | keeps all of these in memory or in files, and forms sites of them |
| the crate `site` | one site: survey, [`site::learn`], [`site::apply`], and its model of earlier nights |
| [`run`] | a whole run: threads, order, disk, its folder, ledger, results and outputs |
| [`steps`] | the same functions for parts of a crawl, from files to files |
| [`commands`] | the commands of the binary |
| [`results`] | the folder of a finished run, read back |
*/

pub mod commands;
mod emit;
pub mod in_memory;
pub mod models_table;
pub mod output_paths;
pub mod results;
pub mod run;
pub mod steps;
