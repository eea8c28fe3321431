//! The variable and the methods of each sweep: the rows and columns of the figures.

use config::Config;
use forest::PatternMeasure;
use pagewise::Method;
use sitemodel::{Engine, settings::SignifierChoice};

use super::ParsedGroup;

/// Numbers of sibling pages in Figure 5 of the paper.
const SIBLINGS: [usize; 10] = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20];
/// Numbers of sibling pages in small layouts.
const FEW: [usize; 5] = [1, 2, 3, 4, 5];
/// Numbers of signifiers per page in Figure 6.
const SIGNIFIERS: [usize; 10] = [1, 2, 3, 5, 8, 10, 15, 20, 30, 50];

pub(super) struct SweepPlan {
    pub(super) name: &'static str,
    /// The variable of the rows.
    pub(super) axis: &'static str,
    pub(super) columns: Vec<&'static str>,
    pub(super) rows: Vec<SweepRow>,
    /// How it is drawn; if `None`, tables of differences from the first column are written instead.
    pub(super) figure: Option<SweepFigure>,
}

/// One value of the variable, and the settings of all methods at it.
pub(super) struct SweepRow {
    pub(super) at: String,
    pub(super) settings: Vec<SweepSetting>,
}

#[derive(Clone, Copy)]
pub(super) enum SweepFigure {
    /// One line per column; the rows' values are numbers.
    Lines { title: &'static str, x: &'static str },
    /// One block of bars per row: precision, recall and F1 of every column.
    Bars { title: &'static str },
}

/// A way to learn from a group and extract it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SweepSetting {
    pub(super) engine: Engine,
    pub(super) source: SignifierChoice,
    /// Number of signifiers per page.
    pub(super) top: usize,
    /// Maximum number of pages to learn from.
    pub(super) learn_from: usize,
    /// Maximum number of pages to extract and score together, including those to learn from.
    pub(super) score: usize,
    /// Maximum number of parts of `score` pages, each learnt and scored separately; a smaller remainder is omitted.
    pub(super) parts: usize,
    /// True: if the engine finds nothing, the configured single-page method is used, as in a run.
    /// False: the engine is measured alone.
    pub(super) steps_in: bool,
}

impl SweepSetting {
    /// These settings, with numbers of pages limited to the size of the group.
    pub(super) fn within(&self, siblings: &ParsedGroup<'_>) -> Self {
        let score = self.score.min(siblings.pages.len());
        Self { learn_from: self.learn_from.min(score), score, ..*self }
    }
}

/// A method's name in the figures, and its settings.
type SweepMethod = (&'static str, Engine, SignifierChoice);

const FOREST: SweepMethod =
    ("forest (tf-idf)", Engine::Forest(PatternMeasure::Informativeness), SignifierChoice::TfIdf);
const FOREST_FEEDS: SweepMethod =
    ("forest (feeds)", Engine::Forest(PatternMeasure::Informativeness), SignifierChoice::Feeds);
const COVERAGE: SweepMethod =
    ("coverage", Engine::Forest(PatternMeasure::Coverage), SignifierChoice::TfIdf);
const SIGFEED: SweepMethod = ("sigfeed", Engine::Sigfeed, SignifierChoice::Feeds);

fn page_wise(method: Method) -> SweepMethod {
    (method.name(), Engine::PageWise(method), SignifierChoice::TfIdf)
}

/// The methods, without methods that need feeds if there are no feeds.
fn columns(all: &[SweepMethod], with_feeds: bool) -> Vec<SweepMethod> {
    all.iter().filter(|column| with_feeds || column.2 != SignifierChoice::Feeds).copied().collect()
}

fn names(columns: &[SweepMethod]) -> Vec<&'static str> {
    columns.iter().map(|column| column.0).collect()
}

fn setting((_, engine, source): SweepMethod, config: &Config) -> SweepSetting {
    SweepSetting {
        engine,
        source,
        top: config.signify.top,
        learn_from: config.rank.learn_from,
        score: usize::MAX,
        parts: 1,
        steps_in: false,
    }
}

/// The settings of every method that learns from and scores this number of pages.
fn by_pages(all: &[SweepMethod], pages: usize, config: &Config) -> SweepRow {
    let at = |&column: &SweepMethod| SweepSetting {
        learn_from: pages,
        score: pages,
        ..setting(column, config)
    };
    SweepRow { at: pages.to_string(), settings: all.iter().map(at).collect() }
}

/// Figure 5: learns from a number of pages, and scores the same pages.
pub(super) fn siblings(with_feeds: bool, config: &Config) -> SweepPlan {
    let [euclid, text_density] = [Method::Euclid, Method::TextDensity].map(page_wise);
    let all = columns(&[FOREST, FOREST_FEEDS, COVERAGE, euclid, text_density, SIGFEED], with_feeds);
    SweepPlan {
        name: "siblings",
        axis: "pages",
        columns: names(&all),
        rows: SIBLINGS.into_iter().map(|pages| by_pages(&all, pages, config)).collect(),
        figure: Some(SweepFigure::Lines {
            title: "F1 by the number of sibling pages",
            x: "most pages of a layout (log scale)",
        }),
    }
}

/// Compares the engines on small layouts, each as in a run; the first column is the method for single pages. Every group is
/// divided into as many small layouts as it has pages for.
pub(super) fn few(config: &Config) -> SweepPlan {
    let serving = config.extract.page_wise;
    let forest = ("forest", FOREST.1, FOREST.2);
    let others = Method::ALL.map(page_wise).into_iter().chain([forest]);
    let others = others.filter(|(_, engine, _)| *engine != serving);
    let serving = (serving.name(), serving, SignifierChoice::TfIdf);
    let all: Vec<SweepMethod> = std::iter::once(serving).chain(others).collect();
    let row = |pages: usize| {
        let SweepRow { at, settings } = by_pages(&all, pages, config);
        let serving = |setting| SweepSetting { parts: usize::MAX, steps_in: true, ..setting };
        SweepRow { at, settings: settings.into_iter().map(serving).collect() }
    };
    SweepPlan {
        name: "few",
        axis: "pages",
        columns: names(&all),
        rows: FEW.into_iter().map(row).collect(),
        figure: None,
    }
}

/// Figure 6: the number of signifiers per page.
pub(super) fn signifiers(with_feeds: bool, config: &Config) -> SweepPlan {
    let all = columns(&[FOREST, FOREST_FEEDS, COVERAGE, SIGFEED], with_feeds);
    let row = |top: usize| {
        let at = |&column: &SweepMethod| SweepSetting { top, ..setting(column, config) };
        SweepRow { at: top.to_string(), settings: all.iter().map(at).collect() }
    };
    SweepPlan {
        name: "signifiers",
        axis: "signifiers",
        columns: names(&all),
        rows: SIGNIFIERS.into_iter().map(row).collect(),
        figure: Some(SweepFigure::Lines {
            title: "F1 by the number of signifiers",
            x: "most signifiers of a page (log scale)",
        }),
    }
}

/// Figure 7: the relevance by J alone, by U alone, and by both.
pub(super) fn measures(with_feeds: bool, config: &Config) -> SweepPlan {
    let measures = [
        ("J", PatternMeasure::Density),
        ("U", PatternMeasure::Unexpectedness),
        ("I = J×U", PatternMeasure::Informativeness),
    ];
    let row = |(at, _, source): SweepMethod| {
        let of = |(name, measure)| setting((name, Engine::Forest(measure), source), config);
        SweepRow { at: at.to_owned(), settings: measures.map(of).to_vec() }
    };
    SweepPlan {
        name: "measures",
        axis: "method",
        columns: measures.map(|(name, _)| name).to_vec(),
        rows: columns(&[FOREST, FOREST_FEEDS], with_feeds).into_iter().map(row).collect(),
        figure: Some(SweepFigure::Bars { title: "J, U and their product" }),
    }
}
