/*!
`sitegrove-lab recover`: measures how much metadata is found on pages without their declarations.

No labels are needed. The declarations of articles are hidden ([`mask`](mod@mask)). The articles are extracted alone and together
with siblings whose declarations are hidden as well, and the fields are compared with the hidden ones, as the `metadata` crate reads
them from scripts and metas alone. A page is not counted for a field that it does not declare, or for which it declares what most
pages of the site do, such as an account of the CMS as the author. Authors that are organisations, accounts or the section are not
counted either, because pages do not show them. Values that are neither in the text nor in the address of a page
are counted separately; a day in UTC counts as shown if the local day is. Not compared are the language (it is
not hidden), standfirsts (the declared one is a summary for other sites), tags (a page shows only some) and pictures (the declared and
the shown one have different addresses).

Every site contributes the same articles to all numbers: as many as the largest number of pages together, the first by the hash of
their addresses.

It also counts how often a declared language (`<html lang>`) that siblings share was overruled.
*/

pub(crate) mod mask;

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::ensure;
use clap::Args;
use config::Config;
use dom::Document;
use grouping::address_hash;
use jiff::civil::Date;
use jiff::tz::Offset;
use jiff::{Span, Timestamp};
use mask::mask;
use metadata::PageContext;
use model::{AuthorKind, Field, Page, PageHtml, Site, Source, counts_of};
use rayon::prelude::*;
use score::metadata::{FieldScore, day};
use serde::Serialize;
use site::clock::Clock;
use site::process;
use sitegrove::run::read_sites;
use terminal::arguments::{PrintFormat, at_least_one, whole};
use terminal::printed::{self, Console};

use crate::fields::{
    ComparedValue, FieldFigures, FieldValues, HEADS, MetadataField, SURE, SURE_HEADS, compare,
};

/// The fields that pages declare and show.
const FIELDS: [MetadataField; 5] = [
    MetadataField::Title,
    MetadataField::Authors,
    MetadataField::Date,
    MetadataField::Modified,
    MetadataField::Section,
];

/// The sources that are hidden: declarations of the page.
const OF_PAGE: [Source; 3] = [Source::JsonLd, Source::OpenGraph, Source::Meta];

/// Number of pages with an overruled language that are shown.
const SHOWN: usize = 20;

/// Hide what pages declare of their metadata, and count what is found without it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove-lab recover crawl/*.warc.gz
  sitegrove-lab recover data/crawl --together 1,2,5 --format json

A site contributes as many articles as the largest number of --together; smaller sites are left out.")]
pub(crate) struct RecoverArgs {
    /// WARC files, HTML files, folders or globs
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
    /// Numbers of pages of a site that are extracted together, comma-separated
    #[arg(
        long,
        value_name = "NUMBERS",
        value_delimiter = ',',
        default_value = "1,2,5,10",
        value_parser = at_least_one
    )]
    pub(crate) together: Vec<u64>,
    /// Show N values per field that the most pages together get wrong or do not find
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<usize>)]
    pub(crate) worst: usize,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: PrintFormat,
}

#[derive(Serialize)]
struct RecoveryReport {
    sites: usize,
    articles: usize,
    /// Sites with too few articles that declare a field.
    small_sites: usize,
    rows: Vec<RecoveryRow>,
    /// Number of values whose source is a declaration, although declarations are hidden.
    leaks: usize,
    languages: Languages,
    worst: Vec<WrongValue>,
}

/// The results for a field, with a number of pages extracted together.
#[derive(Serialize)]
struct RecoveryRow {
    field: MetadataField,
    /// Number of pages extracted together; `None` if the declarations were not hidden.
    together: Option<usize>,
    #[serde(flatten)]
    figures: FieldFigures,
    /// Values that pages declare but do not show; they are not in `figures`.
    not_shown: usize,
}

/// A value that differs from the declared one.
#[derive(Clone, Serialize)]
struct WrongValue {
    field: MetadataField,
    url: String,
    declared: Option<String>,
    found: Option<String>,
    source: Option<String>,
}

/// Compares declared languages with the languages of the articles.
#[derive(Default, Serialize)]
struct Languages {
    /// Articles with the same declared language as most siblings, and the ones among them whose own language differs.
    of_siblings: usize,
    overruled: Vec<OverruledLanguage>,
    /// Articles with a declared language and no sibling, and the ones among them whose own language differs.
    alone: usize,
    overruled_alone: usize,
}

/// An article whose language is not the declared one.
#[derive(Serialize)]
struct OverruledLanguage {
    url: String,
    declared: String,
    language: Option<String>,
}

/// Measures what is found without declarations, and prints the tables.
///
/// # Errors
/// If an input cannot be read, or no site has enough articles.
pub(crate) fn run(args: &RecoverArgs, out: &mut Console<'_>) -> anyhow::Result<()> {
    let config = Config::load(None)?;
    let together: Vec<usize> =
        args.together.iter().map(|&n| usize::try_from(n)).collect::<Result<_, _>>()?;
    let largest = together.iter().copied().max().unwrap_or(1);
    let sites = read_sites(&args.inputs, &[], &config)?;
    let measured: Vec<MeasuredSite> =
        sites.par_iter().map(|site| measure(site, &together, largest, &config)).collect();

    let whole: Vec<&MeasuredSite> =
        measured.iter().filter(|site| site.articles >= largest).collect();
    let most = measured.iter().map(|site| site.articles).max().unwrap_or_default();
    ensure!(
        !whole.is_empty(),
        "no site has {largest} articles that declare metadata, the largest {most}: give smaller numbers with --together"
    );
    let found_by = |field, together| {
        let values = whole.iter().flat_map(|site| &site.values);
        values.filter(move |found| (found.field, found.together) == (field, together))
    };
    let (mut rows, mut worst) = (Vec::new(), Vec::new());
    for field in FIELDS {
        for together in std::iter::once(None).chain(together.iter().copied().map(Some)) {
            let (shown, not_shown): (Vec<&FoundValue>, Vec<_>) =
                found_by(field, together).partition(|found| found.is_shown);
            let values: Vec<ComparedValue> = shown.iter().map(|found| found.value).collect();
            let (figures, not_shown) = (FieldFigures::of(&values), not_shown.len());
            rows.push(RecoveryRow { field, together, figures, not_shown });
        }
        let wrong = found_by(field, Some(largest)).filter_map(|found| found.wrong.clone());
        worst.extend(wrong.take(args.worst));
    }
    rows.retain(|row| row.figures.gold + row.not_shown > 0);
    let mut report = RecoveryReport {
        sites: whole.len(),
        articles: whole.len() * largest,
        small_sites: measured.iter().filter(|site| (1..largest).contains(&site.articles)).count(),
        rows,
        leaks: whole.iter().map(|site| site.leaks).sum(),
        languages: Languages::default(),
        worst,
    };
    for site in measured {
        report.languages.add(site.languages);
    }
    match args.format {
        PrintFormat::Text => print(&report, largest, out),
        PrintFormat::Json => Ok(out.json_line(&report)?),
    }
}

#[derive(Default)]
struct MeasuredSite {
    /// Number of articles that declare a field.
    articles: usize,
    /// Values that most of its pages declare.
    common: Vec<(MetadataField, String)>,
    values: Vec<FoundValue>,
    leaks: usize,
    languages: Languages,
}

struct FoundValue {
    field: MetadataField,
    together: Option<usize>,
    value: ComparedValue,
    /// Whether readers see the declared value.
    is_shown: bool,
    wrong: Option<WrongValue>,
}

/// An article, split into its page without declarations, and the declared values.
struct MaskedPage {
    page: Page,
    declared: FieldValues,
    /// The fields whose declared values the page also shows.
    shown: Vec<MetadataField>,
}

fn measure(site: &Site, together: &[usize], largest: usize, config: &Config) -> MeasuredSite {
    let open = articles(site, config);
    let mut ordered: BTreeMap<(u64, &str), &Page> = BTreeMap::new();
    for page in site.pages.iter().filter(|page| open.contains_key(&page.url)) {
        ordered.entry((address_hash(&page.url), &page.url)).or_insert(page);
    }
    let (mut count, mut languages) = (0, Vec::new());
    let mut pages: Vec<MaskedPage> = Vec::new();
    for page in ordered.into_values() {
        let masked = MaskedPage::of(page);
        let declared = primary(masked.declared.language.as_deref());
        languages.extend(declared.map(|declared| (page.url.as_str(), declared)));
        if FIELDS.iter().any(|field| masked.declared.value(*field).is_some()) {
            count += 1;
            // Further pages are only counted, to save memory.
            pages.extend((count <= largest).then_some(masked));
        }
    }
    let languages = Languages::of(&languages, &open);
    let mut measured = MeasuredSite { articles: count, languages, ..MeasuredSite::default() };
    if count < largest {
        return measured;
    }
    for field in FIELDS {
        let values = pages.iter().filter_map(|page| page.declared.value(field));
        let counts: BTreeMap<String, usize> = counts_of(values);
        let is_common = |count: usize| count > 1 && count * 2 > pages.len();
        let common = counts.into_iter().find(|(_, count)| is_common(*count));
        measured.common.extend(common.map(|(value, _)| (field, value)));
    }
    measured.compare(None, &pages, &open);
    for &count in together {
        for start in (0..largest).step_by(count) {
            // The last group is filled up with pages that were counted before.
            let from = start.min(largest - count);
            let alike: Vec<Page> =
                pages[from..from + count].iter().map(|masked| masked.page.clone()).collect();
            let alike = Site { key: site.key.clone(), pages: alike, feed_items: Vec::new() };
            let found = articles(&alike, config);
            measured.compare(Some(count), &pages[start..from + count], &found);
        }
    }
    measured
}

impl MeasuredSite {
    fn compare(
        &mut self,
        together: Option<usize>,
        pages: &[MaskedPage],
        found: &BTreeMap<String, FieldValues>,
    ) {
        for MaskedPage { page, declared, shown } in pages {
            let found = found.get(&page.url);
            for field in FIELDS {
                let expected = declared.value(field);
                let is_expected = |value: &String| expected.as_ref() == Some(value);
                if self.common.iter().any(|(of, value)| *of == field && is_expected(value)) {
                    continue;
                }
                let compared = compare(field, &page.url, declared, found);
                let Some(mut value) = compared.filter(|value| value.score.is_some()) else {
                    continue;
                };
                let own = found.and_then(|found| found.value(field));
                let is_date = matches!(field, MetadataField::Date | MetadataField::Modified);
                let is_local_day = |own: &String| {
                    day(own).is_some_and(|own| {
                        days(expected.as_deref().unwrap_or_default()).contains(&own)
                    })
                };
                if is_date && own.as_ref().is_some_and(is_local_day) {
                    value.score = Some(FieldScore { exact: true, graded: 1.0 });
                }
                let is_shown = shown.contains(&field);
                let source = found.and_then(|found| Some(found.source(field)?.source));
                let is_of = |hidden: &Source| source == Some(*hidden);
                // `<title>` is not hidden.
                let hidden = &OF_PAGE[..OF_PAGE.len() - usize::from(field == MetadataField::Title)];
                self.leaks += usize::from(together.is_some() && hidden.iter().any(is_of));
                let wrong = (is_shown && !value.is_exact()).then(|| WrongValue {
                    field,
                    url: page.url.clone(),
                    declared: expected,
                    found: own,
                    source: source.map(|source| source.as_str().to_owned()),
                });
                self.values.push(FoundValue { field, together, value, is_shown, wrong });
            }
        }
    }
}

/// Extracts the articles of a site, by address; the first one, if there are several captures.
fn articles(site: &Site, config: &Config) -> BTreeMap<String, FieldValues> {
    let mut found = BTreeMap::new();
    for extracted in process(site, config, &Clock::default()).articles {
        // Articles serialise to the form that `FieldValues` is read from.
        let values = serde_json::to_value(&extracted.article).and_then(serde_json::from_value);
        found.entry(extracted.article.url).or_insert_with(|| values.unwrap_or_default());
    }
    found
}

impl MaskedPage {
    fn of(page: &Page) -> Self {
        let masked = mask(&page.html);
        let document = dom::parse(&masked.declared);
        let found = metadata::metadata(&PageContext {
            fetched: page.fetched,
            ..PageContext::new(&document, &page.url)
        });
        // A declared author that is the site or a section says nothing about what pages show.
        let section = found.section.as_ref().map(|section| section.value.clone());
        let kinds = found.author_kinds;
        let names_person = |names: &Vec<String>| {
            kinds.contains(&AuthorKind::Person) && section.as_ref() != names.first()
        };
        let declared = FieldValues {
            title: declared(found.title),
            authors: declared(found.authors).filter(names_person).unwrap_or_default(),
            published: declared(found.published),
            modified: declared(found.modified),
            section: declared(found.section),
            language: document.head().lang.clone(),
            ..FieldValues::default()
        };
        let text = VisibleWords::of(&dom::parse(&masked.shown), &page.url);
        let shown = FIELDS.into_iter().filter(|field| text.has(*field, &declared)).collect();
        let page = Page { html: PageHtml::new(masked.shown), ..page.clone() };
        Self { page, declared, shown }
    }
}

/// The value of a field, if its source is a declaration.
fn declared<T>(field: Option<Field<T>>) -> Option<T> {
    field.filter(|field| OF_PAGE.contains(&field.source.source)).map(|field| field.value)
}

impl Languages {
    /// Takes the articles of a site that declare a language, with that language.
    fn of(pages: &[(&str, String)], found: &BTreeMap<String, FieldValues>) -> Self {
        let counts: BTreeMap<&str, usize> = counts_of(pages.iter().map(|own| own.1.as_str()));
        let shared = |language: &str| counts[language] * 2 > pages.len();
        let mut languages = Self::default();
        for (url, declared) in pages.iter().filter(|(_, language)| shared(language)) {
            let language = found[*url].language.clone();
            let is_overruled = primary(language.as_deref()).as_ref() != Some(declared);
            if found.len() == 1 {
                languages.alone += 1;
                languages.overruled_alone += usize::from(is_overruled);
                continue;
            }
            languages.of_siblings += 1;
            if is_overruled {
                let (url, declared) = ((*url).to_owned(), declared.clone());
                languages.overruled.push(OverruledLanguage { url, declared, language });
            }
        }
        languages
    }

    fn add(&mut self, other: Self) {
        self.of_siblings += other.of_siblings;
        self.overruled.extend(other.overruled);
        self.alone += other.alone;
        self.overruled_alone += other.overruled_alone;
    }
}

/// The primary subtag of a language tag (BCP 47).
fn primary(tag: Option<&str>) -> Option<String> {
    let subtag = tag?.trim().split(['-', '_']).next()?.to_ascii_lowercase();
    (!subtag.is_empty()).then_some(subtag)
}

fn print(report: &RecoveryReport, largest: usize, out: &mut Console<'_>) -> anyhow::Result<()> {
    let RecoveryReport { sites, articles, small_sites, leaks, .. } = report;
    writeln!(
        out,
        "{articles} articles of {sites} sites; {small_sites} sites have fewer than {largest} articles that declare metadata.\n"
    )?;
    let heads = [&HEADS[..], &SURE_HEADS[..], &["not shown"]].concat();
    writeln!(out, "| field | pages together | {} |", heads.join(" | "))?;
    writeln!(out, "|---|---|{}", "--:|".repeat(heads.len()))?;
    for RecoveryRow { field, together, figures, not_shown } in &report.rows {
        let together = together.map_or_else(|| "with declarations".to_owned(), |n| n.to_string());
        let (cells, sure) = figures.cells();
        let cells = [&cells[..], &sure[..]].concat().join(" | ");
        writeln!(out, "| {} | {together} | {cells} | {not_shown} |", field.as_str())?;
    }
    writeln!(
        out,
        "\nPrecision and recall in percent of the values that are declared and shown; not shown are declared values that are nowhere in the text; sure are values with a confidence of at least {SURE}."
    )?;
    if *leaks > 0 {
        writeln!(out, "{leaks} values are of declarations that were not hidden.")?;
    }
    let Languages { of_siblings, overruled, alone, overruled_alone } = &report.languages;
    writeln!(
        out,
        "\n| `<html lang>` | articles | language differs |\n|---|--:|--:|\n\
         | as most siblings | {of_siblings} | {} |\n| no siblings | {alone} | {overruled_alone} |",
        overruled.len()
    )?;
    for OverruledLanguage { url, declared, language } in overruled.iter().take(SHOWN) {
        let language = language.as_deref().unwrap_or("none");
        let shown = format!("{url}: declared {declared}, language {language}");
        writeln!(out, "- {}", printed::line(&shown))?;
    }
    for WrongValue { field, url, declared, found, source } in &report.worst {
        let known = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
        let (declared, found, source) = (known(declared), known(found), known(source));
        let shown =
            format!("{}: {url}: declared {declared}, found {found} ({source})", field.as_str());
        writeln!(out, "- {}", printed::line(&shown))?;
    }
    Ok(())
}

/// Maximum distance in words between the year and the day of a date.
const WORDS: usize = 8;

/// The text and the address of a page, in the forms that values are searched in.
struct VisibleWords {
    letters: String,
    words: Vec<String>,
}

impl VisibleWords {
    fn of(document: &Document, url: &str) -> Self {
        let mut shown = Self { letters: String::new(), words: Vec::new() };
        let texts = document.ids().filter_map(|id| document.text(id));
        for text in texts {
            shown.letters.extend(letters(text));
        }
        let text = dom::text_of(document, &[0], &[]);
        for text in [&*text, url] {
            let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            shown.words.extend(words.map(str::to_owned));
            // Separates the text from the one that follows.
            shown.words.extend(std::iter::repeat_n(String::new(), WORDS));
        }
        shown
    }

    /// Whether the declared value of a field is shown: the letters of a title, a section or every author's name, anywhere;
    /// the numbers of a day and its year, within eight words.
    fn has(&self, field: MetadataField, declared: &FieldValues) -> bool {
        let has = |text: &str| self.letters.contains(&letters(text).collect::<String>());
        match field {
            MetadataField::Authors => declared.authors.iter().all(|name| has(name)),
            MetadataField::Date | MetadataField::DateByFetch | MetadataField::Modified => {
                let declared = declared.value(field).unwrap_or_default();
                days(&declared).into_iter().any(|day| self.has_day(day))
            }
            _ => declared.value(field).is_none_or(|value| has(&value)),
        }
    }

    fn has_day(&self, date: Date) -> bool {
        let number = |word: &String, wanted: i16| {
            let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
            digits.len() <= 4 && digits.parse() == Ok(wanted)
        };
        let compact = date.strftime("%Y%m%d").to_string();
        let year = |at: &usize| number(&self.words[*at], date.year());
        let is_beside = |at: usize| {
            let end = (at + WORDS).min(self.words.len());
            self.words[at.saturating_sub(WORDS)..end].iter().any(|w| number(w, date.day().into()))
        };
        self.words.contains(&compact) || (0..self.words.len()).filter(year).any(is_beside)
    }
}

fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// The days that a page may show for a declared date. A time in UTC falls on different days in different time zones.
fn days(declared: &str) -> Vec<Date> {
    let Some(written) = day(declared) else { return Vec::new() };
    let is_utc = declared.ends_with('Z') || declared.ends_with("+00:00");
    let moment: Option<Timestamp> = declared.parse().ok().filter(|_| is_utc);
    let Some(moment) = moment else { return vec![written] };
    let at = |hours: i64| {
        let local = moment.checked_add(Span::new().hours(hours)).unwrap_or(moment);
        Offset::UTC.to_datetime(local).date()
    };
    let mut days = vec![at(-12), at(0), at(14)];
    days.dedup();
    days
}

#[cfg(test)]
mod tests {
    use super::*;

    fn languages(pages: &[(&str, &str, &str)]) -> (usize, usize, usize, usize) {
        let found = |language: &str| FieldValues {
            language: Some(language.to_owned()),
            ..FieldValues::default()
        };
        let found = pages.iter().map(|page| (page.0.to_owned(), found(page.2))).collect();
        let declared: Vec<(&str, String)> =
            pages.iter().filter_map(|page| Some((page.0, primary(Some(page.1))?))).collect();
        let languages = Languages::of(&declared, &found);
        let overruled = languages.overruled.len();
        (languages.of_siblings, overruled, languages.alone, languages.overruled_alone)
    }

    #[test]
    fn a_language_of_most_siblings_that_the_article_has_not_is_overruled() {
        let pages =
            [("a", "en-GB", "en"), ("b", "EN_us", "fr"), ("c", "de", "en"), ("d", "", "en")];
        assert_eq!(languages(&pages), (2, 1, 0, 0));
        assert_eq!(languages(&[("a", "de", "de"), ("b", "en", "fr")]), (0, 0, 0, 0));
        assert_eq!(languages(&[("a", "de", "nl")]), (0, 0, 1, 1));
    }

    fn declared(published: &str) -> FieldValues {
        FieldValues { published: Some(published.to_owned()), ..FieldValues::default() }
    }

    #[test]
    fn values_that_readers_can_see() {
        let document = dom::parse(
            "<title>Elsewhere</title><p>By <b>jane</b> DOE<p>Mon 24<br>Jul<br>2012<p>7 of 2011",
        );
        let shown = VisibleWords::of(&document, "https://example.org/20130504/a");
        let authors = |names: &[&str]| FieldValues {
            authors: names.iter().map(|&name| name.to_owned()).collect(),
            ..FieldValues::default()
        };
        let has_authors = |names| shown.has(MetadataField::Authors, &authors(names));
        assert!(has_authors(&["Jane Doe"]) && !has_authors(&["Jane Doe", "John Roe"]));
        for (date, expected) in [
            ("2012-07-24", true),
            ("2012-07-25", false),
            ("2012-07-25T03:00:00Z", true),
            ("2012-07-25T03:00:00+02:00", false),
            ("2013-05-04", true),
        ] {
            assert_eq!(shown.has(MetadataField::Date, &declared(date)), expected, "{date}");
        }
    }
}
