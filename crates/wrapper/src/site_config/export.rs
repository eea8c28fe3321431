//! Writes learnt wrappers as a site config, with common expressions that select the title, the authors and the date of
//! sample pages.

use dom::{Keep, ParseOptions};

use crate::site_config::expression::XPathResult;
use crate::site_config::tree::{EditableTree, Id, Match, elements_of};
use crate::site_config::{Expression, SiteConfig};

/// The contents of a file to write.
#[derive(Clone, Copy, Debug)]
pub struct Exported<'a> {
    /// Comments about the file, one per line.
    pub about: &'a [String],
    /// Wrappers in the order in which they are to be tried: expressions of the body, and of the parts to remove from it.
    pub wrappers: &'a [(&'a [String], &'a [String])],
    /// Expressions that select the title, the best first.
    pub title: &'a [String],
    /// Expressions that select the authors, the best first.
    pub author: &'a [String],
    /// Expressions that select the date, the best first.
    pub date: &'a [String],
    /// Addresses of pages to test with, each with a text that its article contains.
    pub tests: &'a [(&'a str, Option<&'a str>)],
    /// Sample pages, if available; they decide how bodies and removals are written.
    pub samples: Option<&'a ProbeSamples<'a>>,
}

/// Writes a file. Values that cannot be written on a line are left out.
///
/// The format's readers try bodies in turn, on pages of any layout. An expression that selects something on sample pages of
/// another wrapper is restricted to pages on which a more specific expression of its wrapper selects something.
///
/// The format's readers remove what `strip` selects before they select the body, anywhere on the
/// page. A removal is written as it was learnt if that leaves the bodies of the sample pages
/// intact; else it is restricted to the selected body.
pub fn export(exported: &Exported<'_>) -> SiteConfig {
    let mut file = SiteConfig::default();
    for line in exported.about {
        file.comment(line);
    }
    file.blank();
    for (name, expressions) in
        [("title", exported.title), ("author", exported.author), ("date", exported.date)]
    {
        for expression in expressions {
            file.push(name, expression);
        }
    }
    for (content, _) in exported.wrappers {
        let apart = exported.samples.map(|samples| samples.apart(content));
        file.push("body", &apart.as_deref().unwrap_or(content).join(" | "));
    }
    let mut said: Vec<String> = Vec::new();
    for (content, prune) in exported.wrappers {
        for taken in *prune {
            for expression in within(content, taken, exported.samples) {
                if !said.contains(&expression) {
                    file.push("strip", &expression);
                    said.push(expression);
                }
            }
        }
    }
    // The expressions select exactly the learnt content: readers must not remove anything by heuristics, and must parse the
    // page unchanged.
    file.push("prune", "no");
    file.push("tidy", "no");
    for (url, contains) in exported.tests {
        if file.push("test_url", url) {
            contains.map(|text| file.push("test_contains", text));
        }
    }
    file
}

/// Restricts a removal to the body that `content` selects, unless it spares all bodies or is inside the body already.
fn within(content: &[String], taken: &str, samples: Option<&ProbeSamples<'_>>) -> Vec<String> {
    let begins = |content: &String| {
        let rest = taken.strip_prefix(content.as_str());
        rest.is_some_and(|rest| rest.starts_with('/'))
    };
    let spares = samples.is_some_and(|samples| samples.spares_bodies(taken));
    if spares || !taken.starts_with("//") || content.iter().any(begins) {
        return vec![taken.to_owned()];
    }
    let all: Vec<String> = content.iter().map(|content| format!("{content}{taken}")).collect();
    let seen = |expression: &&String| samples.is_some_and(|samples| samples.have(expression));
    let found: Vec<String> = all.iter().filter(seen).cloned().collect();
    if found.is_empty() { all } else { found }
}

/// A sample page, and its known values.
#[derive(Clone, Copy, Debug)]
pub struct SampleWithValues<'a> {
    /// The page.
    pub html: &'a str,
    /// Its title.
    pub title: Option<&'a str>,
    /// Its authors; empty if none are known.
    pub authors: &'a [String],
    /// Whether its date is known.
    pub has_date: bool,
    /// Expressions that select its body.
    pub body: &'a [String],
}

/// For each field, expressions that selected exactly the known value on every sample page where they select anything. The
/// first one that selects something is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probed {
    /// Expressions of the title.
    pub title: Vec<String>,
    /// Expressions of the authors.
    pub author: Vec<String>,
    /// Expressions of the date.
    pub date: Vec<String>,
}

const MOST: usize = 3;

const TITLES: [&str; 16] = [
    "//meta[@property='og:title']/@content",
    "//meta[@name='twitter:title']/@content",
    "//meta[@itemprop='headline']/@content",
    "//meta[@name='title']/@content",
    "//*[@itemprop='headline']",
    "//h1",
    "//title",
    "substring-before(//title,' | ')",
    "substring-before(//title,' - ')",
    "substring-before(//title,' – ')",
    "substring-before(//title,' — ')",
    "substring-before(//title,' :: ')",
    "substring-before(//title,' » ')",
    "substring-before(//title,' · ')",
    "substring-before(//meta[@property='og:title']/@content,' | ')",
    "substring-before(//meta[@property='og:title']/@content,' - ')",
];

const AUTHORS: [&str; 10] = [
    "//meta[@name='author']/@content",
    "//meta[@property='article:author']/@content",
    "//meta[@name='parsely-author']/@content",
    "//meta[@name='citation_author']/@content",
    "//*[@itemprop='author']//*[@itemprop='name']",
    "//*[@itemprop='author']",
    "//a[@rel='author']",
    "//*[@rel='author']",
    "//*[contains(concat(' ',normalize-space(@class),' '),' author ')]",
    "//*[contains(concat(' ',normalize-space(@class),' '),' byline ')]",
];

const DATES: [&str; 12] = [
    "//meta[@property='article:published_time']/@content",
    "//meta[@itemprop='datePublished']/@content",
    "//*[@itemprop='datePublished']/@datetime",
    "//*[@itemprop='datePublished']/@content",
    "//meta[@name='parsely-pub-date']/@content",
    "//meta[@name='citation_publication_date']/@content",
    "//meta[@name='dc.date']/@content",
    "//meta[@name='pubdate']/@content",
    "//meta[@name='date']/@content",
    "//time[@pubdate]/@datetime",
    "//time/@datetime",
    "//time",
];

/// Parsed sample pages.
#[derive(Debug)]
pub struct ProbeSamples<'a>(Vec<ProbedPage<'a>>);

impl<'a> ProbeSamples<'a> {
    /// Parses sample pages.
    pub fn new(pages: &'a [SampleWithValues<'a>]) -> Self {
        let whole = ParseOptions { keep: Keep::Scripts, ..ParseOptions::CONTENT };
        let page = |sought: &'a SampleWithValues<'a>| {
            let tree = EditableTree::of(&dom::parse_with(sought.html, &whole));
            let body = sought.body.iter().filter_map(|text| Expression::new(text).ok());
            let body = body.flat_map(|expression| elements_of(&expression.select(&tree))).collect();
            ProbedPage { sought, tree, body }
        };
        Self(pages.iter().map(page).collect())
    }

    /// Whether an expression selects something, and its whole selection can be removed from the pages without removing a
    /// complete node of a body.
    pub(crate) fn spares_bodies(&self, expression: &str) -> bool {
        let Ok(expression) = Expression::new(expression) else { return false };
        let mut any = false;
        let spares = self.0.iter().all(|page| {
            let nodes = elements_of(&expression.select(&page.tree));
            any |= !nodes.is_empty();
            nodes.iter().all(|&id| page.body.iter().all(|&body| !page.tree.contains(id, body)))
        });
        spares && any
    }

    /// Rewrites the expressions of a body to select nothing on the pages of other bodies, if possible: the format's readers
    /// try the bodies of a file in turn, whatever the layout of the page. An expression that selects something on those pages
    /// is restricted to pages on which another expression of the body matches that selects nothing on those pages.
    pub(crate) fn apart(&self, content: &[String]) -> Vec<String> {
        let is_own =
            |page: &&ProbedPage<'_>| page.sought.body.iter().all(|own| content.contains(own));
        let (own, others): (Vec<_>, Vec<_>) = self.0.iter().partition(is_own);
        let selected = |expression: &str, page: &ProbedPage<'_>| {
            Expression::new(expression)
                .map_or_else(|_| Vec::new(), |e| elements_of(&e.select(&page.tree)))
        };
        let is_apart =
            |expression: &&String| others.iter().all(|page| selected(expression, page).is_empty());
        let apart: Vec<&str> = content.iter().filter(is_apart).map(String::as_str).collect();
        let together = apart.join(" | ");
        let restricted = |expression: &String| {
            let marks = apart.iter().copied().chain([together.as_str()]);
            let marks = marks.filter(|mark| !mark.is_empty());
            let mut restricted = marks.map(|mark| format!("{expression}[{mark}]"));
            restricted.find(|restricted| {
                own.iter().all(|page| selected(restricted, page) == selected(expression, page))
            })
        };
        let write = |expression: &String| {
            let is_apart = apart.contains(&expression.as_str());
            let restricted = if is_apart { None } else { restricted(expression) };
            restricted.unwrap_or_else(|| expression.clone())
        };
        content.iter().map(write).collect()
    }

    /// Whether an expression selects anything on any page.
    pub(crate) fn have(&self, expression: &str) -> bool {
        let Ok(expression) = Expression::new(expression) else { return false };
        self.0.iter().any(|page| !expression.select(&page.tree).is_empty())
    }

    /// Tries common expressions. An expression is used only if it selects the known value on every page where it selects
    /// anything, and selects something on a page where the expressions before it select nothing. Its elements must not be part
    /// of the body, because the format's readers remove them. `is_date` returns whether a text found on the page with this
    /// index is its date; `learnt` returns the expressions learnt for a field of the record, which are tried first.
    pub fn probe(
        &self,
        is_date: &dyn Fn(usize, &str) -> bool,
        learnt: &dyn Fn(&str) -> Vec<String>,
    ) -> Probed {
        let title = |_: usize, page: &ProbedPage<'_>, found: &[String]| {
            let wanted = page.sought.title.unwrap_or_default();
            found.first().is_some_and(|first| dom::normalize_space(first) == wanted)
        };
        let author = |_: usize, page: &ProbedPage<'_>, found: &[String]| {
            let found = found.iter().map(|name| dom::normalize_space(name));
            found.eq(page.sought.authors.iter().cloned())
        };
        let date = |at: usize, page: &ProbedPage<'_>, found: &[String]| {
            page.sought.has_date && found.first().is_some_and(|first| is_date(at, first))
        };
        Probed {
            title: self.right(&TITLES, &learnt("title"), &title),
            author: self.right(&AUTHORS, &learnt("authors"), &author),
            date: self.right(&DATES, &learnt("published"), &date),
        }
    }

    fn right(
        &self,
        common: &[&str],
        learnt: &[String],
        is_right: &dyn Fn(usize, &ProbedPage<'_>, &[String]) -> bool,
    ) -> Vec<String> {
        let mut chosen = Vec::new();
        // Pages on which the expressions so far select nothing.
        let mut open: Vec<bool> = vec![true; self.0.len()];
        for candidate in learnt.iter().map(String::as_str).chain(common.iter().copied()) {
            let Ok(expression) = Expression::new(candidate) else { continue };
            let mut given = Vec::with_capacity(self.0.len());
            for (at, page) in self.0.iter().enumerate() {
                match page.found(&expression) {
                    Some(found) if found.iter().all(|text| text.trim().is_empty()) => {
                        given.push(false);
                    }
                    Some(found) if is_right(at, page, &found) => given.push(true),
                    _ => break,
                }
            }
            let adds = given.iter().zip(&open).any(|(given, open)| *given && *open);
            if given.len() == self.0.len() && adds && chosen.len() < MOST {
                chosen.push(candidate.to_owned());
                for (open, given) in open.iter_mut().zip(given) {
                    *open &= !given;
                }
            }
        }
        chosen
    }
}

#[derive(Debug)]
struct ProbedPage<'a> {
    sought: &'a SampleWithValues<'a>,
    tree: EditableTree,
    body: Vec<Id>,
}

impl ProbedPage<'_> {
    /// The values that an expression selects; `None` if one of its elements is part of the body or contains it.
    fn found(&self, expression: &Expression) -> Option<Vec<String>> {
        match expression.find(&self.tree) {
            Ok(XPathResult::Text(text)) => Some(vec![text]),
            Ok(XPathResult::Nodes(nodes)) => {
                let touches = |id: Id| {
                    let holds = |outer, inner| self.tree.contains(outer, inner);
                    self.body.iter().any(|&body| holds(body, id) || holds(id, body))
                };
                let values = nodes.iter().map(|&found| match found {
                    Match::Node(id) if touches(id) => None,
                    found => Some(self.tree.value_of(found)),
                });
                values.collect()
            }
            Err(_) => Some(Vec::new()),
        }
    }
}
