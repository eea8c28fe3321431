/*!
A run in steps for any number of processes, each of which reads files and writes one: survey, learn, apply, merge. However the
inputs and sites are divided, the results equal those of [`crate::run`].

```text
archives ─► survey ─► learn ─► apply ─► learn ─► apply ─► merge ─► run folder
             heads    models   pages    second    pages
             pages    small    of large round     of large
                      sites    sites              sites
```

| file | what |
|---|---|
| `addresses` | files at addresses → local files, and back |
| `files` | which files belong together |
| `survey` | archives → pages and everything else that was read |
| `crawl` | all surveys of a crawl → sites |
| `learn` | a site → its result; or, if it is large, its model |
| `apply` | pages of large sites and their models → outcomes of the pages |
| `assemble` | all of these → results of sites |
| `describe` | results of a share of the sites → descriptions of their articles, if several processes merge |
| `merge` | results of all sites, or of a share of them → a run folder |

Sites of at most `sample.pages` captures are finished by `learn`. Of larger sites, only the sample is collected in one place: the
other pages stay in their surveys, and the models are applied to them there.
*/

mod addresses;
pub mod apply;
mod assemble;
pub mod describe;
mod files;
pub mod learn;
pub mod merge;
pub mod survey;
