/*!
The site model: what is learnt about a site, as a value.

```text
learn(evidence, sample, previous) ─► SiteModel ─► bytes, and back
apply(&SiteModel, page, feed items) ─► article | drop | unassigned
assess(&SiteModel, what apply saw) ─► health
```

The stages, one file each in `stages/`:

| | file | from | to |
|---|---|---|---|
| parse | `parsed` | a page | its tree and counts |
| cluster | `stages/cluster` | parsed pages of a site | layouts, and templates by kind |
| signify | `stages/signify` | sibling pages | their terms and signifiers |
| rank, judge | `stages/rank`, `stages/judge` | terms and signifiers | ranked patterns (Forest), or decisions on patterns (grove) |
| wrap | `stages/wrap` | the best patterns | a wrapper: XPath expressions |
| extract | `stages/extract` | a page and its template | its article |

[`learn()`] runs the first five over the pages of a sample; [`SiteModel::apply`] parses, assigns and extracts one page.
`template` has what was learnt about a template, by any engine.

Invariants:

1. *apply is a function* of the model, the page, the feed items that point to it and the settings.
2. *Learning depends on the set of pages*, not on their order.
3. *A model is a value*: equal models have equal [bytes](SiteModel::to_bytes), on any machine.

The crate uses no file, clock, thread pool, environment or command line. [`learn()`] processes pages in parallel in the
rayon pool of the caller; [`SiteModel::apply`] processes one page in the calling thread. Nothing panics on any page.

# Example

Learns a model from three pages, applies it to a fourth one, and prints the XPath of its article:

```
use grouping::{AddressDigest, Tracking};
use model::{Charset, CharsetEvidence, Origin, Overruled, Page};
use sitegrove_sitemodel::{Evidence, Outcome, SamplePage, Settings, learn};

let page = |n: u32| {
    let story: String = (1..8)
        .map(|i| format!("<p>Paragraph {i} of story {n}: the mayor of town {n} said that the bridge stays open.</p>"))
        .collect();
    Page {
        url: format!("https://example.org/news/{n}-a-story-of-the-town"),
        site: "example.org".into(),
        fetched: None,
        origin: Origin { file: "crawl.warc".into(), offset: 0, record_id: String::new(), truncated: None },
        charset: Charset { name: "UTF-8", evidence: CharsetEvidence::ValidUtf8, overruled: Overruled::default() },
        html: format!(
            "<body><ul class=menu><li><a href=/>Home</a><li><a href=/news>News</a></ul>\
             <div class=story><h1>Story {n}</h1>{story}</div><div class=foot>All rights reserved.</div>"
        )
        .into(),
    }
};
let pages: Vec<Page> = (1..5).map(page).collect();
let (sample, further) = pages.split_at(3);

let addresses = AddressDigest::of(pages.iter().map(|page| &*page.url), &Tracking::new(&[]));
let evidence = Evidence { site: "example.org", addresses: &addresses, cut: false };
let sample: Vec<SamplePage<'_>> = sample.iter().map(|page| (page, &[][..])).collect();
let settings = Settings::standard();
let model = learn(&evidence, &sample, None, &settings);

let applied = model.apply(&further[0], &[], &settings);
let Outcome::Article(article) = applied.outcome else { panic!("no article") };
assert!(article.text.contains("the mayor of town 4"));
assert!(!article.text.contains("All rights reserved"));
println!("{}", article.xpath.join(" | "));

let bytes = model.to_bytes();
assert_eq!(sitegrove_sitemodel::SiteModel::from_bytes(&bytes)?, model);
# Ok::<(), sitegrove_sitemodel::ModelError>(())
```
*/

mod agreement;
mod apply;
mod body;
mod bytes;
mod characters;
pub mod engine;
mod expected;
mod health;
mod layouts;
mod learn;
mod lists;
pub mod meter;
pub mod methods;
mod model;
mod noted;
pub mod page_kind;
mod parsed;
pub mod settings;
pub mod site_config;
pub mod stages;
mod template;
mod walls;
pub mod weights;

pub use ::model::Verdict;
pub use agreement::agreement;
pub use apply::{Applied, Hints, Outcome};
pub use body::{Body, page_wise};
pub use bytes::{FORMAT, ModelError};
pub use engine::Engine;
pub use expected::Expected;
pub use health::{FEWEST_TO_TELL, Health, Seen, TemplateHealth, assess};
pub use learn::{Evidence, Known, Learning, SamplePage, learn, learn_parsed};
pub use meter::{Meter, NoMeter, Step};
pub use model::{Head, Mismatch, SiteModel, Template};
pub use parsed::{ParsedPage, language_of, parse_page};
pub use settings::{DEFAULT, Forms, PageTypes, Settings, Tables};
pub use stages::signify::Sibling;
pub use template::{Learnt, Way};
