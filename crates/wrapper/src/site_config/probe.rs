//! Which common expressions give the title, the authors and the date of sample pages.

use dom::{Keep, ParseConfig};

use super::Expression;
use super::expression::{Found, Match};
use super::tree::{Id, Tree};

/// A sample page, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Sought<'a> {
    /// The page.
    pub html: &'a str,
    /// Its title.
    pub title: Option<&'a str>,
    /// Its authors; empty if none are known.
    pub authors: &'a [String],
    /// Whether its date is known.
    pub has_date: bool,
    /// Expressions of its body.
    pub body: &'a [String],
}

/// Expressions that gave exactly what was sought on every sample page, the best first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probed {
    /// Of the title.
    pub title: Vec<String>,
    /// Of the authors.
    pub author: Vec<String>,
    /// Of the date.
    pub date: Vec<String>,
}

/// At most so many expressions of a kind are told: readers take the first that finds something.
const MOST: usize = 1;

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

/// Tries common expressions on sample pages. One is told only if it gives what is known on every page
/// of which it is known, and there is such a page; and if what it finds is not part of the body, as
/// readers take the element out. `is_date` says whether a text found on the page of this number is its
/// date.
pub fn probe(pages: &[Sought<'_>], is_date: &dyn Fn(usize, &str) -> bool) -> Probed {
    let whole = ParseConfig { keep: Keep::Scripts, ..ParseConfig::CONTENT };
    let pages: Vec<Page<'_>> = pages
        .iter()
        .map(|sought| {
            let tree = Tree::of(&dom::parse_with(sought.html, &whole));
            let body = sought.body.iter().filter_map(|text| Expression::new(text).ok());
            let body = body.flat_map(|expression| nodes_of(&expression.select(&tree))).collect();
            Page { sought, tree, body }
        })
        .collect();
    let title = |_: usize, page: &Page<'_>, found: &[String]| match (page.sought.title, found) {
        (None, _) => Answer::Unknown,
        (Some(title), [first, ..]) => (dom::normalize_space(first) == title).into(),
        (Some(_), []) => Answer::Wrong,
    };
    let author = |_: usize, page: &Page<'_>, found: &[String]| match page.sought.authors {
        [] => Answer::Unknown,
        authors => {
            (found.iter().map(|f| dom::normalize_space(f)).eq(authors.iter().cloned())).into()
        }
    };
    let date = |at: usize, page: &Page<'_>, found: &[String]| match found {
        _ if !page.sought.has_date => Answer::Unknown,
        [first, ..] => is_date(at, first).into(),
        [] => Answer::Wrong,
    };
    Probed {
        title: right(&TITLES, &pages, &title),
        author: right(&AUTHORS, &pages, &author),
        date: right(&DATES, &pages, &date),
    }
}

struct Page<'a> {
    sought: &'a Sought<'a>,
    tree: Tree,
    body: Vec<Id>,
}

#[derive(PartialEq)]
enum Answer {
    Right,
    Wrong,
    /// The page does not tell.
    Unknown,
}

impl From<bool> for Answer {
    fn from(right: bool) -> Self {
        if right { Self::Right } else { Self::Wrong }
    }
}

fn right(
    candidates: &[&str],
    pages: &[Page<'_>],
    judge: &dyn Fn(usize, &Page<'_>, &[String]) -> Answer,
) -> Vec<String> {
    let is_right = |candidate: &&&str| {
        let Ok(expression) = Expression::new(candidate) else { return false };
        let mut answers =
            pages.iter().enumerate().map(|(at, page)| match page.found(&expression) {
                Some(found) => judge(at, page, &found),
                None => Answer::Wrong,
            });
        let mut any = false;
        answers.all(|answer| {
            any |= answer == Answer::Right;
            answer != Answer::Wrong
        }) && any
    };
    candidates.iter().filter(is_right).take(MOST).map(|&c| c.to_owned()).collect()
}

impl Page<'_> {
    /// The values an expression finds; `None` if one is a part of the body, or has it in it.
    fn found(&self, expression: &Expression) -> Option<Vec<String>> {
        match expression.find(&self.tree) {
            Ok(Found::Text(text)) => Some(vec![text]),
            Ok(Found::Nodes(nodes)) => {
                let touches = |id: Id| {
                    let overlap =
                        |&body: &Id| self.tree.contains(body, id) || self.tree.contains(id, body);
                    self.body.iter().any(overlap)
                };
                let values = nodes.iter().map(|found| match *found {
                    Match::Node(id) => (!touches(id)).then(|| self.tree.text_of(id)),
                    Match::Attribute(id, at) => Some(
                        self.tree.attributes(id).get(at).map_or_else(String::new, |a| a.1.clone()),
                    ),
                });
                values.collect()
            }
            Err(_) => Some(Vec::new()),
        }
    }
}

fn nodes_of(found: &[Match]) -> Vec<Id> {
    let node = |found: &Match| match found {
        Match::Node(id) => Some(*id),
        Match::Attribute(..) => None,
    };
    found.iter().filter_map(node).collect()
}
