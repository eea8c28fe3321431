//! `report/sites.jsonl`, the data of the report: one line of figures per site. The figures of a site in parts are added up.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use model::{
    Article, Extracted, Route, SiteFigures, SiteResult, TemplateKind, TemplateSummary,
    WeakTemplate, WorstArticle, counts_of, rounded,
};
use serde::Serialize;

use crate::files::remove_files_with;
use crate::{AtomicFile, SCHEMA, Sink, SinkError, json_lines, make_folder};

/// Lower bounds of the classes of article lengths, in characters: ten per power of ten (the
/// series R10 of ISO 3). Integers, because logarithms differ in the last digit between
/// machines.
const EDGES: [u32; 10] = [100, 125, 160, 200, 250, 315, 400, 500, 630, 800];
/// Largest lower bound: the class of all longer articles.
const LONGEST: u64 = 10_000_000;

/// Width of a class of confidence, in percentage points.
const CONFIDENCE_STEP: u32 = 5;

/// Maximum number of characters of a title in a list.
const TITLE_CHARACTERS: usize = 120;
/// Maximum number of pages at which a wrapper has little support.
const FEW_PAGES: u32 = 2;
/// Minimum number of article pages at which a template without a wrapper is listed.
const ENOUGH_PAGES: usize = 3;

fn length_class(characters: u64) -> u32 {
    let mut class = 0;
    let mut unit = 1;
    loop {
        for edge in EDGES.map(|edge| u64::from(edge) * unit) {
            if characters < edge || edge > LONGEST {
                return class;
            }
            class = u32::try_from(edge).unwrap_or(u32::MAX);
        }
        unit *= 10;
    }
}

/// Returns the first length beyond a class; `None` if `lower` is not the lower bound of a class.
pub fn length_class_end(lower: u32) -> Option<u32> {
    if lower == 0 {
        return Some(EDGES[0]);
    }
    if u64::from(lower) > LONGEST {
        return None;
    }
    let mut unit = 1;
    while EDGES[0] * 10 * unit <= lower {
        unit *= 10;
    }
    let at = EDGES.iter().position(|edge| edge * unit == lower)?;
    Some(EDGES.get(at + 1).map_or(EDGES[0] * 10 * unit, |edge| edge * unit))
}

/// Returns the class of a confidence, in percent.
fn confidence_class(confidence: f64) -> u32 {
    // Uses the four decimals that are written, so that the class of an article follows from the
    // written value.
    let parts = (rounded(confidence.clamp(0.0, 1.0)) * 10_000.0).round() as u32;
    let step = CONFIDENCE_STEP * 100;
    (parts / step).min(100 / CONFIDENCE_STEP - 1) * CONFIDENCE_STEP
}

/// Returns the primary subtag of a BCP 47 tag: two or three letters (RFC 5646, 2.2.1), or `other`.
fn primary_subtag(tag: &str) -> String {
    let primary = tag.split('-').next().unwrap_or_default();
    let is_one =
        (2..=3).contains(&primary.len()) && primary.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_one { primary.to_ascii_lowercase() } else { "other".to_owned() }
}

/// Returns the month of an RFC 3339 date: `2026-01`.
fn month(date: &str) -> Option<String> {
    let month = date.get(..7)?;
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_one = digits(&month[..4]) && &month[4..5] == "-" && digits(&month[5..]);
    is_one.then(|| month.to_owned())
}

fn worst_of(article: &Article) -> WorstArticle {
    let cut = |title: &str| match title.char_indices().nth(TITLE_CHARACTERS) {
        Some((end, _)) => format!("{}…", &title[..end]),
        None => title.to_owned(),
    };
    WorstArticle {
        url: article.url.clone(),
        title: article.title.as_deref().map(cut),
        template: article.template.clone(),
        route: article.route.as_str().to_owned(),
        characters: article.text.chars().count(),
        confidence: rounded(article.confidence),
        doubt: article.doubt,
    }
}

/// Orders articles by confidence as it is written, lowest first, then by address.
fn worse(confidence: f64, url: &str, other: f64, other_url: &str) -> Ordering {
    rounded(confidence).total_cmp(&rounded(other)).then_with(|| url.cmp(other_url))
}

/// Returns the entry of a template with little evidence: it has article pages, and at most half of the held-back pages agree, its
/// wrapper was learnt from two pages or fewer, or it has no wrapper in spite of three pages or more. Else returns `None`.
fn weak(template: &TemplateSummary) -> Option<WeakTemplate> {
    if template.kind != TemplateKind::Article {
        return None;
    }
    let support = template.wrapper.as_ref().map(|wrapper| wrapper.support);
    let is_weak = match support {
        Some(support) => {
            let disagrees = support.held_back > 0
                && support.held_back_agreeing.saturating_mul(2) <= support.held_back;
            disagrees || support.learnt_from <= FEW_PAGES
        }
        None => template.pages >= ENOUGH_PAGES,
    };
    let support = support.unwrap_or_default();
    is_weak.then(|| WeakTemplate {
        template: template.id.clone(),
        pages: template.pages,
        wrapper: template.wrapper.is_some(),
        learnt_from: support.learnt_from,
        held_back: support.held_back,
        held_back_agreeing: support.held_back_agreeing,
        confidence: template.wrapper.as_ref().map_or(0.0, |wrapper| rounded(wrapper.confidence)),
        example: template.examples.first().cloned().unwrap_or_default(),
    })
}

/// Computes the figures of a site, or of a part of it.
pub fn figures_of(site: &SiteResult) -> SiteFigures {
    let articles = &site.articles;
    let sum: f64 = articles.iter().map(|a| rounded(a.confidence)).sum();
    let mut worst: Vec<&Extracted> = articles.iter().filter(|article| article.doubtful).collect();
    worst.sort_by(|a, b| worse(a.confidence, &a.url, b.confidence, &b.url));
    let worst =
        worst.into_iter().take(SiteFigures::LISTED).map(|article| worst_of(article)).collect();
    let mut weak: Vec<WeakTemplate> = site.summary.templates.iter().filter_map(weak).collect();
    weak.sort_by(|a, b| b.pages.cmp(&a.pages).then_with(|| a.template.cmp(&b.template)));
    weak.truncate(SiteFigures::LISTED);
    let fields = articles.iter().flat_map(|article| article.sources.found());
    let languages = articles.iter().filter_map(|article| article.language.as_deref());
    let dates = articles.iter().filter_map(|article| article.published.as_deref());
    let types = articles.iter().filter_map(|article| article.page_type);
    SiteFigures {
        site: site.site.clone(),
        pages: site.pages as u64,
        layouts: site.summary.templates.len() as u64,
        wrappers: site.summary.templates.iter().filter(|t| t.wrapper.is_some()).count() as u64,
        articles: articles.len() as u64,
        doubtful: articles.iter().filter(|a| a.doubtful).count() as u64,
        articles_by_route: counts_of(
            articles.iter().map(|a| a.route).map(Route::as_str).map(str::to_owned),
        ),
        confidence: (!articles.is_empty()).then(|| rounded(sum / articles.len() as f64)),
        characters: site.characters,
        best: site.best.clone(),
        drops: counts_of(site.drops.iter().map(|drop| drop.reason.as_str().to_owned())),
        confidences: counts_of(articles.iter().map(|a| confidence_class(a.confidence))),
        lengths: counts_of(articles.iter().map(|a| length_class(a.text.chars().count() as u64))),
        fields: counts_of(fields.map(|(field, _)| field.to_owned())),
        languages: counts_of(languages.map(primary_subtag)),
        months: counts_of(dates.filter_map(month)),
        page_types: counts_of(types.map(|own| own.as_str().to_owned())),
        worst,
        weak,
        change: site.night.as_ref().and_then(|night| night.change.clone()),
    }
}

/// Adds the figures of a later part of the same site. The templates in `all` are already those of all parts.
fn absorb(all: &mut SiteFigures, part: SiteFigures) {
    let (ours, theirs) = (all.articles as f64, part.articles as f64);
    let sum = all.confidence.unwrap_or(0.0) * ours + part.confidence.unwrap_or(0.0) * theirs;
    all.confidence = (ours + theirs > 0.0).then(|| sum / (ours + theirs));
    all.count(&part);
    all.worst.extend(part.worst);
    all.worst.sort_by(|a, b| worse(a.confidence, &a.url, b.confidence, &b.url));
    all.worst.truncate(SiteFigures::LISTED);
    all.weak = part.weak;
    all.best = match (all.best.take(), part.best) {
        (Some(mut one), Some(other)) if one.content == other.content => {
            one.articles += other.articles;
            Some(one)
        }
        (Some(one), Some(other)) if one.articles >= other.articles => Some(one),
        (one, other) => other.or(one),
    };
    (all.layouts, all.wrappers) = (part.layouts, part.wrappers);
    all.change = part.change.or(all.change.take());
}

#[derive(Serialize)]
struct SiteFiguresLine {
    schema: u32,
    #[serde(flatten)]
    figures: SiteFigures,
}

fn line(figures: SiteFigures) -> Vec<u8> {
    json_lines(std::iter::once(SiteFiguresLine { schema: SCHEMA, figures }))
}

/// Writes `report/sites.jsonl`.
#[derive(Debug)]
pub struct SiteRowsSink {
    file: AtomicFile,
    folder: PathBuf,
    /// The site whose parts are being received.
    open: Option<SiteFigures>,
}

impl SiteRowsSink {
    /// Name of the file in the folder of the report.
    pub const FILE: &'static str = "sites.jsonl";
    /// Name of the folder for pages about single sites, in the folder of the report.
    pub const PAGES: &'static str = "sites";

    /// Creates the file in the folder of the report, and the folder if it does not exist.
    ///
    /// # Errors
    /// If the folder or the file cannot be created.
    pub fn create(folder: &Path) -> Result<Self, SinkError> {
        make_folder(folder)?;
        let file = AtomicFile::create(&folder.join(Self::FILE))?;
        Ok(Self { file, folder: folder.to_owned(), open: None })
    }

    /// Removes the pages about single sites of an earlier run.
    pub fn remove_pages(folder: &Path) {
        remove_files_with(&folder.join(Self::PAGES), "html");
    }
}

impl Sink for SiteRowsSink {
    fn reads_articles(&self) -> bool {
        false
    }

    fn take(&mut self, site: &SiteResult, _rendered: &[u8]) -> Result<(), SinkError> {
        // All parts of a site share one line.
        let Some(part) = site.figures.as_deref().cloned() else { return Ok(()) };
        match &mut self.open {
            Some(all) => absorb(all, part),
            none => *none = Some(part),
        }
        if site.more {
            return Ok(());
        }
        let Some(all) = self.open.take() else { return Ok(()) };
        let confidence = all.confidence.map(rounded);
        self.file.write_bytes(&line(SiteFigures { confidence, ..all }))
    }

    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        self.file.finish()?;
        Self::remove_pages(&self.folder);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_fall_into_the_class_that_holds_them() {
        for (length, class) in [
            (0, 0),
            (99, 0),
            (100, 100),
            (124, 100),
            (125, 125),
            (999, 800),
            (1_000, 1_000),
            (31_499, 25_000),
            (9_999_999, 8_000_000),
            (10_000_000, 10_000_000),
            (u64::MAX, 10_000_000),
        ] {
            assert_eq!(length_class(length), class, "{length}");
        }
        for length in 0..40_000 {
            let class = length_class(length);
            let end = length_class_end(class).unwrap();
            assert!((u64::from(class)..u64::from(end)).contains(&length), "{length} in {class}");
        }
        assert_eq!([101, 1, u32::MAX].map(length_class_end), [None; 3]);
    }

    #[test]
    fn confidences_fall_into_classes_of_five_points() {
        for (confidence, class) in
            [(0.0, 0), (0.0499, 0), (0.05, 5), (0.3, 30), (0.8999, 85), (1.0, 95), (2.0, 95)]
        {
            assert_eq!(confidence_class(confidence), class, "{confidence}");
        }
        assert_eq!(confidence_class(f64::NAN), 0);
    }

    #[test]
    fn languages_and_months_are_those_of_their_standards() {
        for (tag, language) in
            [("en", "en"), ("pt-BR", "pt"), ("ZH-Hant-TW", "zh"), ("gsw", "gsw"), ("x", "other")]
        {
            assert_eq!(primary_subtag(tag), language);
        }
        assert_eq!(primary_subtag("<b>"), "other");
        assert_eq!(month("2026-01-12T06:30:00Z").as_deref(), Some("2026-01"));
        assert_eq!(month("2026-01").as_deref(), Some("2026-01"));
        for date in ["2026", "2026/01/12", "é026-01", "", "-026-01-01"] {
            assert_eq!(month(date), None, "{date}");
        }
    }
}
