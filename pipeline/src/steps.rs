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
| `files` | files at addresses → local files, and back; which files belong together; all surveys of a crawl → sites |
| `survey` | archives → pages and everything else that was read |
| `learn` | a site → its result; or, if it is large, its model |
| `apply` | pages of large sites and their models → outcomes of the pages |
| `merge` | all of these → results of sites, or of a share of them → a run folder; if several processes merge, first the descriptions of their articles |

Sites of at most `sample.pages` captures are finished by `learn`. Of larger sites, only the sample is collected in one place: the
other pages stay in their surveys, and the models are applied to them there.
*/

pub mod apply;
mod files;
pub mod learn;
pub mod merge;
pub mod survey;
