/*!
A run in steps that any number of processes take, each from files to files: survey, learn, apply, merge. The results
are those of [`crate::run`], whatever the division of the inputs and of the sites.

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
| `apply` | pages of large sites and their models → what came of them |
| `assemble` | all of these → results of sites |
| `describe` | results of a share of the sites → descriptions of their articles, where several processes merge |
| `merge` | results of all sites, or of a share of them → a run folder |

Sites of at most `sample.pages` captures are finished where they are learnt. Of larger ones only the sample is
brought together: their pages stay in their surveys, and models come to them.
*/

mod addresses;
pub mod apply;
mod assemble;
pub mod describe;
mod files;
pub mod learn;
pub mod merge;
pub mod survey;
