//! Writes learnt wrappers as site configs, and tests them on pages of the site.

use std::collections::BTreeMap;

use dom::ParseOptions;
use metadata::{PageContext, date_of};
use model::{
    Article, Extracted, Origin, Route, Wrapper, WrittenSiteConfig, contain_panics, counts_of,
};
use sink::site_file_name;
use sitemodel::stages::extract::{SITE_CONFIG, article_text};
use sitemodel::{ParsedPage, SiteModel, Template};
use url::Url;
use wrapper::site_config::{
    Exported, ProbeSamples, Probed, SampleWithValues, SiteConfig, apply, compile, export,
    file_hosts,
};
use xxhash_rust::xxh3::xxh3_64;

/// Number of pages to test a file on.
const SAMPLE: usize = 10;

/// Number of test pages in a file.
const TESTS: usize = 3;

/// Returns the site configs of a site: one per host with articles from learnt wrappers, or one for several hosts below
/// one domain. Sites of saved files have no host, and so no site config.
pub(crate) fn site_configs(
    articles: &[Extracted],
    model: &SiteModel,
    parsed: &[&ParsedPage<'_>],
) -> Vec<WrittenSiteConfig> {
    let learnt: Vec<&Article> = articles
        .iter()
        .map(|extracted| &extracted.article)
        .filter(|a| a.route == Route::Wrapper && a.engine != SITE_CONFIG && !a.xpath.is_empty())
        .collect();
    let hosts: Vec<String> = learnt.iter().map(|article| host_of(&article.url)).collect();
    let names: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let pages: BTreeMap<(&str, &Origin), &ParsedPage<'_>> =
        parsed.iter().map(|p| ((p.page.url.as_str(), &p.page.origin), *p)).collect();
    let file = |(host, places): (String, Vec<usize>)| {
        let of_host: Vec<&Article> = places.into_iter().map(|at| learnt[at]).collect();
        let sample: Vec<(&Article, &ParsedPage<'_>)> = sample_of(&of_host)
            .into_iter()
            .filter_map(|a| Some((a, *pages.get(&(a.url.as_str(), &a.origin))?)))
            .collect();
        let text = contain_panics(|| file_of(&of_host, model, &sample)).ok().flatten()?;
        Some(WrittenSiteConfig { name: file_name(&host), text })
    };
    file_hosts(&names).into_iter().filter_map(file).collect()
}

fn host_of(url: &str) -> String {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    url.and_then(|url| Some(url.host_str()?.to_owned())).unwrap_or_default()
}

/// Returns the name of a host's file: the host, unless an operating system reserves that name.
pub fn file_name(host: &str) -> String {
    match host.strip_prefix('.') {
        Some(below) => format!(".{}.txt", site_file_name(below)),
        None => format!("{}.txt", site_file_name(host)),
    }
}

/// Sorts articles by a hash of their addresses, the first of each template before the others.
fn sample_of<'a>(articles: &[&'a Article]) -> Vec<&'a Article> {
    let mut ordered = articles.to_vec();
    ordered.sort_by_cached_key(|a| (xxh3_64(a.url.as_bytes()), a.url.clone()));
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut turn: Vec<(usize, &Article)> = Vec::new();
    for article in ordered {
        let before = seen.entry(&article.template).or_default();
        turn.push((*before, article));
        *before += 1;
    }
    turn.sort_by_key(|(before, _)| *before);
    turn.into_iter().take(SAMPLE).map(|(_, article)| article).collect()
}

fn file_of<'a>(
    articles: &[&Article],
    model: &'a SiteModel,
    sample: &[(&Article, &ParsedPage<'_>)],
) -> Option<String> {
    let counts: BTreeMap<&str, usize> =
        counts_of(articles.iter().map(|article| article.template.as_str()));
    let used_by = |template: &'a Template| {
        Some((template, template.wrapper()?, *counts.get(template.id.as_str())?))
    };
    let mut used: Vec<(&Template, &Wrapper, usize)> =
        model.templates().iter().filter_map(used_by).collect();
    used.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.0.id.cmp(&b.0.id)));
    // Texts begin with the standfirst.
    let content_of = |(template, wrapper, _): &(&Template, &Wrapper, usize)| -> Vec<String> {
        let standfirst = template.fields().remove("subtitle");
        standfirst.into_iter().flatten().chain(wrapper.content.iter().cloned()).collect()
    };
    let contents: Vec<Vec<String>> = used.iter().map(content_of).collect();
    let bodies: Vec<(&[String], &[String])> = (contents.iter().zip(&used))
        .map(|(content, (_, wrapper, _))| (content.as_slice(), wrapper.prune.as_slice()))
        .collect();
    if bodies.is_empty() {
        return None;
    }
    let sought = sought_of(sample);
    let samples = ProbeSamples::new(&sought);
    let is_date = |at: usize, text: &str| is_date_of(sample[at].0, sample[at].1, text);
    let learnt = |field: &str| {
        let of = |template: &Template| template.fields().remove(field).unwrap_or_default();
        model.templates().iter().flat_map(of).collect()
    };
    let Probed { title, author, date } = samples.probe(&is_date, &learnt);
    // A test should hold, so doubtful articles come last.
    let mut tested: Vec<&Article> = sample.iter().map(|(article, _)| *article).collect();
    tested.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let snippets = test_pages(tested.into_iter());
    let tests: Vec<(&str, Option<&str>)> =
        snippets.iter().map(|(url, text)| (*url, text.as_deref())).collect();
    let parts = Exported {
        about: &[],
        wrappers: &bodies,
        title: &title,
        author: &author,
        date: &date,
        tests: &tests,
        samples: Some(&samples),
    };
    let same = same_text(&export(&parts), sample);
    let layouts = used.iter().map(|(template, w, pages)| (&*template.id, *pages, w.confidence));
    let mut about = about_layouts(layouts);
    about.push(format!("same text as the run's on {same} of {} sample pages", sample.len()));
    Some(export(&Exported { about: &about, ..parts }).to_string())
}

/// Lines that say who wrote a file and which layouts it is for: ids, numbers of articles and confidences.
pub fn about_layouts<'a>(layouts: impl Iterator<Item = (&'a str, usize, f64)>) -> Vec<String> {
    let of_layout = |(id, pages, confidence): (&str, usize, f64)| {
        format!("layout {id}: {pages} articles, confidence {confidence:.2}")
    };
    let learnt_by = format!("Learnt by sitegrove {}.", env!("CARGO_PKG_VERSION"));
    std::iter::once(learnt_by).chain(layouts.map(of_layout)).collect()
}

/// Chooses the first of some articles as test pages of a file: their addresses, and some words of each.
pub fn test_pages<'a>(
    articles: impl Iterator<Item = &'a Article>,
) -> Vec<(&'a str, Option<String>)> {
    articles.take(TESTS).map(|own| (own.url.as_str(), snippet(&own.text))).collect()
}

fn sought_of<'a>(sample: &[(&'a Article, &'a ParsedPage<'a>)]) -> Vec<SampleWithValues<'a>> {
    let sought = |&(article, parsed): &(&'a Article, &'a ParsedPage<'a>)| SampleWithValues {
        html: &parsed.page.html,
        title: article.title.as_deref(),
        authors: &article.authors,
        has_date: article.published.is_some(),
        body: &article.xpath,
    };
    sample.iter().map(sought).collect()
}

fn is_date_of(article: &Article, parsed: &ParsedPage<'_>, text: &str) -> bool {
    let context = PageContext {
        json_ld: Some(parsed.json_ld()),
        scan: Some(parsed.scan()),
        fetched: article.fetched,
        ..PageContext::new(&parsed.document, &article.url)
    };
    date_of(&context, article.language.as_deref(), text) == article.published
}

/// Returns the number of pages on which a file selects the text of the article, apart from white space.
fn same_text(file: &SiteConfig, sample: &[(&Article, &ParsedPage<'_>)]) -> usize {
    let (wrapper, _) = compile(file);
    let same = |(article, parsed): &&(&Article, &ParsedPage<'_>)| {
        let (document, applied) = apply(&parsed.page.html, &wrapper, &ParseOptions::CONTENT);
        applied.body.is_some_and(|(_, nodes)| {
            let text = article_text(&document, &article.url, &nodes, &applied.removed);
            squeezed(&text).eq(squeezed(&article.text))
        })
    };
    sample.iter().filter(same).count()
}

/// A text without its white space.
pub fn squeezed(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| !c.is_whitespace())
}

/// Some words of an article: the beginning of its first long line, in whole words.
fn snippet(text: &str) -> Option<String> {
    const FEWEST: usize = 40;
    const MOST: usize = 70;
    let line = text.lines().map(str::trim).find(|line| line.chars().count() >= FEWEST)?;
    let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let end = line.char_indices().nth(MOST).map_or(line.len(), |(at, _)| at);
    let cut = if end < line.len() { line[..end].rfind(' ').unwrap_or(end) } else { end };
    Some(line[..cut].trim().to_owned()).filter(|snippet| !snippet.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snippets_are_whole_words_of_one_line() {
        let text =
            "Short\n\nA line that is long enough to be the beginning of an article, and goes on.";
        assert_eq!(
            snippet(text).unwrap(),
            "A line that is long enough to be the beginning of an article, and"
        );
        assert_eq!(snippet("Short"), None);
    }

    #[test]
    fn names_are_safe_on_any_system() {
        assert_eq!(file_name(".example.com"), ".example.com.txt");
        assert_eq!(file_name("con.example"), "%site-con.example%.txt");
        assert_eq!(file_name(".aux.example"), ".%site-aux.example%.txt");
    }
}
