/*!
The site model: what is learnt about a site, as a value.

```text
learn(evidence, sample, previous) ─► SiteModel ─► bytes, and back
apply(&SiteModel, page, feed items) ─► article | drop | unassigned
assess(&SiteModel, what apply saw) ─► health
```

The stages:

| | file | from | to |
|---|---|---|---|
| parse | `parsed` | a page | its tree and counts |
| cluster | `stages/cluster` | parsed pages of a site | layouts, and templates by kind |
| judge | `stages/judge` | sibling pages | decisions on patterns (grove) |
| signify, rank | `stages/signify`, `stages/rank` | sibling pages | their terms and signifiers, and patterns ranked by these (Forest) |
| wrap | `stages/wrap` | the best patterns | a wrapper: XPath expressions |
| extract | `stages/extract` | a page and its template | its article |

[`learn()`] runs all stages but the last over the pages of a sample: judge with the engine grove, signify and rank with Forest.
With grove it also finds the bodies of these pages ([`KnownPage`]). [`SiteModel::apply`] parses a page, assigns it to a template
and extracts it, taking the body that learning found, if there is one. [`learn_parsed`] and [`SiteModel::apply_parsed`] take pages
that are already parsed. `template` holds what any engine learnt about a template.

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
use sitegrove_sitemodel::{Outcome, SamplePage, Settings, SiteEvidence, learn};

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
        notes: None,
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
let evidence = SiteEvidence { site: "example.org", addresses: &addresses, cut: false, earlier: &[] };
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

mod apply;
mod body;
mod corrected;
pub mod corrections;
mod earlier;
pub mod engine;
mod health;
mod layouts;
mod learn;
pub mod markable;
mod model;
pub mod page_kind;
pub mod page_type;
mod parsed;
pub mod settings;
pub mod site_config;
pub mod stages;
mod template;
mod walls;

pub use ::model::Verdict;
pub use apply::{Applied, ApplyOptions, Outcome};
pub use body::{ArticleBody, agreement, page_wise};
pub use corrected::{not_learnt, unmatched};
pub use earlier::EarlierReading;
pub use engine::Engine;
pub use health::{
    ApplyStatistics, MIN_PAGES_FOR_VERDICT, SiteHealth, TemplateHealth, assess, at_least_of,
};
pub use learn::{KnownPage, LearningResult, SamplePage, SiteEvidence, learn, learn_parsed};
pub use model::{Expected, FORMAT, Mismatch, ModelError, ModelHead, SiteModel, Template};
pub use pagewise::Parameters;
pub use parsed::{ParsedPage, parse_page};
pub use settings::{ArticleForms, DEFAULT, Settings, Tables};
pub use stages::signify::SiblingPage;
pub use template::{LearntTemplate, Way};
pub use walls::lost::{LostPages, find_lost_texts};

/// A step of learning or applying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelStep {
    /// Parsing HTML and counting words.
    Parse,
    /// Separating layouts, and assigning pages to them.
    Cluster,
    /// Terms and tf-idf.
    Signify,
    /// Ranking or judging structural patterns.
    Rank,
    /// Writing and testing XPaths.
    Wrap,
    /// Text, HTML and metadata.
    Extract,
}

/// Called for each step, from any thread.
pub trait Meter: Sync {
    /// Runs `work` exactly once.
    fn measure(&self, step: ModelStep, work: &mut dyn FnMut());
}

/// Measures nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoMeter;

impl Meter for NoMeter {
    fn measure(&self, _: ModelStep, work: &mut dyn FnMut()) {
        work();
    }
}

impl dyn Meter + '_ {
    /// Runs `work` as a step, and returns its result.
    ///
    /// # Panics
    /// If the meter did not run the work.
    pub fn step<T>(&self, step: ModelStep, work: impl FnOnce() -> T) -> T {
        let (mut work, mut result) = (Some(work), None);
        self.measure(step, &mut || result = work.take().map(|work| work()));
        match result {
            Some(result) => result,
            None => panic!("the meter left out the step {step:?}"),
        }
    }
}
