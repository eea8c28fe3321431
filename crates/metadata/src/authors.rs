//! Authors: names, from explicit declarations to text that reads like a byline.

use std::collections::BTreeSet;

use dom::{Document, NodeId, local_name, normalize_space};
use model::{AuthorKind, Field, Source};
use percent_encoding::percent_decode_str;
use terms::letters::is_alphanumeric;

use crate::calendar::{is_weekday, month_of};
use crate::date_text::{DayMonthOrder, find_date};
use crate::evidence::{AUTHOR_SOURCES, MetadataEvidence, TextLine, begins_number};
use crate::json_ld::JsonLdArticle;
use crate::learnt::ConstantField;
use crate::names;
use crate::scan::OF_AUTHOR;
use crate::text::{
    clip, has_number, identifier_words, is_named_in, is_unspaced, plain, squash, word_count,
};

const OPEN_GRAPH: [&str; 5] =
    ["article:author", "article:author:name", "og:author", "og:article:author", "book:author"];
/// Metas with one author each, the most reliable first.
const METAS: [&str; 13] = [
    "author", "citation_author", "citation_authors", "dc.creator", "dcterms.creator",
    "parsely-author", "sailthru.author", "article_author", "article.author", "byline", "creator",
    "byl", "dc.contributor",
];

/// Reads the names of one source; empty if it has none.
type ReadNames = fn(&MetadataEvidence<'_>) -> Vec<String>;

/// The sources that state the authors, the most reliable first.
static STATED: [(Source, ReadNames); AUTHOR_SOURCES] = [
    (Source::JsonLd, from_json_ld),
    (Source::OpenGraph, |evidence| from_keys(evidence, &OPEN_GRAPH)),
    (Source::Meta, from_metas),
    (Source::Meta, from_twitter_labels),
    (Source::Feed, from_feed),
    (Source::Page, from_learnt_place),
    (Source::Page, from_microdata),
    (Source::Page, |evidence| from_nearest(evidence, &evidence.scan.author_links, false)),
    (Source::Page, from_labelled_lines),
    (Source::Page, from_labels_within_lines),
];

/// Indices in [`STATED`] of the sources that mark up names, and of the labelled lines.
const MARKED: [usize; 2] = [6, 7];
const LABELLED: usize = 8;

/// The names of one source of [`STATED`], read on first use.
fn stated<'e>(evidence: &'e MetadataEvidence<'_>, at: usize) -> &'e Vec<String> {
    evidence.stated_authors[at].get_or_init(|| STATED[at].1(evidence))
}

/// "By Jane Doe", alone on a line near the headline or directly after the body.
pub(crate) fn labelled_authors<'e>(evidence: &'e MetadataEvidence<'_>) -> &'e Vec<String> {
    stated(evidence, LABELLED)
}

/// Text that only looks like a byline.
const GUESSED: [ReadNames; 6] = [
    from_name_elements,
    |evidence| from_nearest(evidence, &evidence.scan.bylines, true),
    |evidence| from_nearest(evidence, &evidence.scan.author_pages, true),
    from_roles,
    from_dated_lines,
    from_caseless_label,
];

/// The names of the first source with a name that is neither the site's own nor an account (a login name, or one that all siblings
/// name although their bylines differ); else of the first source with any. If the site is declared as the author, text that only looks like
/// a byline does not override it.
pub(crate) fn authors(evidence: &MetadataEvidence<'_>) -> Option<Field<Vec<String>>> {
    let is_person = |name: &String| {
        !evidence.site.is_own_name(name) && !is_general_role(name) && !is_login(name)
    };
    let is_account =
        |names: &[String]| evidence.learnt.is_constant(ConstantField::Authors, &names.join(" "));
    let mut fallback: Option<Field<Vec<String>>> = None;
    for (at, (source, _)) in STATED.into_iter().enumerate() {
        let mut value = stated(evidence, at).clone();
        if value.iter().any(is_person) && !is_account(&value) {
            value.retain(is_person);
            if source == Source::Meta
                && let Some(byline) = contradicting_byline(&value, evidence)
            {
                return Some(Field::new(byline, Source::Page));
            }
            return Some(Field::new(value, source));
        }
        if !value.is_empty() {
            fallback.get_or_insert(Field::new(value, source));
        }
    }
    if fallback.as_ref().is_some_and(|field| !is_account(&field.value)) {
        return fallback;
    }
    if let Some(only) = &evidence.learnt.author
        && linked_authors(evidence).any(|name| name == *only)
    {
        return Some(Field::new(vec![only.clone()], Source::Page));
    }
    let guessed = GUESSED.iter().map(|read| read(evidence)).find(|names| !names.is_empty());
    let guessed = guessed.filter(|names| !is_account(names));
    guessed.map(|value| Field::new(value, Source::Page)).or(fallback)
}

/// The kind of each author. Accounts are names that all siblings have, roles, and words written like login names. Organisations
/// are declared in JSON-LD, or are the site's own names unless declared as persons. All others are persons.
pub(crate) fn author_kinds(evidence: &MetadataEvidence<'_>, names: &[String]) -> Vec<AuthorKind> {
    let has = |of: fn(&JsonLdArticle) -> &Vec<String>, name: &String| {
        evidence.facts.nodes().any(|node| of(node).contains(name))
    };
    let kind = |name: &String| {
        if evidence.learnt.is_constant(ConstantField::Authors, name)
            || is_general_role(name)
            || is_login(name)
        {
            AuthorKind::Account
        } else if has(|node| &node.organizations, name)
            || evidence.site.is_own_name(name) && !has(|node| &node.persons, name)
        {
            AuthorKind::Organization
        } else {
            AuthorKind::Person
        }
    };
    names.iter().map(kind).collect()
}

/// Whether a name is one word with marks or digits, in lower case, or with a capital at its end.
fn is_login(name: &str) -> bool {
    !name.contains(char::is_whitespace)
        && (name.contains(|c: char| c.is_ascii_digit() || "_.@".contains(c))
            || name.contains(char::is_lowercase)
                && (name.starts_with(char::is_lowercase) || name.ends_with(char::is_uppercase)))
}

/// The names of all links to authors, wherever they are on the page.
pub(crate) fn linked_authors(evidence: &MetadataEvidence<'_>) -> impl Iterator<Item = String> {
    evidence.scan.author_links.iter().take(20).filter_map(|id| {
        let text = evidence.document.text_content(*id);
        names::from_byline(clip(text.trim(), 200)).into_iter().next()
    })
}

/// The names in declarations of authors and in markup of names.
pub(crate) fn declared_authors<'e>(
    evidence: &'e MetadataEvidence<'_>,
) -> impl Iterator<Item = &'e Vec<String>> {
    let is_declared = |at: &usize| STATED[*at].0 != Source::Page || MARKED.contains(at);
    (0..AUTHOR_SOURCES).filter(is_declared).map(|at| stated(evidence, at))
}

/// The names of each source, in the same order for each page. Leaves out the sources that take any line for a byline.
pub(crate) fn author_readings(evidence: &MetadataEvidence<'_>) -> Vec<Vec<String>> {
    let stated = (0..AUTHOR_SOURCES).map(|at| stated(evidence, at).clone());
    stated.chain(GUESSED[..3].iter().map(|read| read(evidence))).collect()
}

/// Names in the place where siblings have their bylines.
pub(crate) fn from_learnt_place(evidence: &MetadataEvidence<'_>) -> Vec<String> {
    let Some(place) = &evidence.learnt.byline else { return Vec::new() };
    let mut found = Vec::new();
    for id in place.elements(evidence.document) {
        let text = lines_of(evidence.document, id);
        let line = text.lines().next().unwrap_or_default();
        let names = names::from_byline(place.strip(line));
        if !names.is_empty() {
            found.push((has_author_label(evidence.document, id, line), names));
        }
    }
    let mut names = Vec::new();
    keep_best_labelled(found).into_iter().for_each(|own| names::add(&mut names, own));
    names
}

/// Whether the label at the beginning of an element's line, or directly before the element, is a label of authors; `None` without
/// a label.
pub(crate) fn has_author_label(document: &Document, id: NodeId, line: &str) -> Option<bool> {
    names::begins_with_author_label(line).or_else(|| {
        let around = document.parent(id)?..id;
        let mut before = around.rev().take(MOST_NODES).filter_map(|id| document.text(id));
        names::is_author_label(before.find(|text| !text.trim().is_empty())?)
    })
}

/// Keeps the items with a label of authors and the unlabelled ones after each; else all unlabelled ones; else all.
pub(crate) fn keep_best_labelled<T>(mut found: Vec<(Option<bool>, T)>) -> Vec<T> {
    let mut last = None;
    for (label, _) in &mut found {
        *label = label.or(last);
        last = *label;
    }
    let rank = |label: Option<bool>| label.map_or(1, |is_authors| if is_authors { 2 } else { 0 });
    let best = found.iter().map(|(label, _)| rank(*label)).max();
    found.retain(|(label, _)| Some(rank(*label)) == best);
    found.into_iter().map(|(_, own)| own).collect()
}

/// The byline near the headline, if it names entirely different people from the metas. Metas
/// often contain the account that posted the page ("jdoe", an editor), while the byline is what
/// readers see.
fn contradicting_byline(
    declared: &[String],
    evidence: &MetadataEvidence<'_>,
) -> Option<Vec<String>> {
    let words = |names: &[String]| -> BTreeSet<String> {
        names.iter().flat_map(|n| n.split_whitespace().map(squash)).collect()
    };
    let seen = labelled_authors(evidence);
    let full = seen.iter().all(|n| word_count(n) >= 2 && !evidence.site.is_own_name(n));
    (!seen.is_empty() && full && words(seen).is_disjoint(&words(declared))).then(|| seen.clone())
}

/// Whether a name is a role, which content management systems set if no author is known.
fn is_general_role(name: &str) -> bool {
    const GENERAL_ROLES: [&str; 13] = [
        "editor", "editors", "staff", "webmaster", "guest", "redaktion", "redaction", "redacción",
        "redazione", "editorial staff", "staff writer", "super user", "root",
    ];
    GENERAL_ROLES.contains(&&*name.to_lowercase())
}

fn from_json_ld(evidence: &MetadataEvidence<'_>) -> Vec<String> {
    let node = evidence.facts.nodes().find(|n| !n.authors.is_empty());
    node.map(|node| node.authors.clone()).unwrap_or_default()
}

fn from_metas(evidence: &MetadataEvidence<'_>) -> Vec<String> {
    let known = from_keys(evidence, &METAS);
    if !known.is_empty() {
        return known;
    }
    // Metas not listed above, by the last word of their names: `content.author`.
    let others = evidence.head().metas.iter().filter(|m| {
        let mut says_author = false;
        identifier_words(&m.key, |word| says_author = matches!(word, "author" | "byline"));
        says_author
    });
    first_names(others.map(|m| names::from_field(&plain(&m.content))))
}

/// The names in the metas of the first of these keys that has any.
fn from_keys(evidence: &MetadataEvidence<'_>, keys: &'static [&'static str]) -> Vec<String> {
    first_names(keys.chunks(1).map(|key| {
        let mut found = Vec::new();
        let contents =
            evidence.metas(key).take(50).map(|names| plain(&names.replace("<br", ";<br")));
        for content in contents.filter(|content| !is_headline(evidence, content)) {
            // `["Jane Doe", "John Roe"]`
            let listed = serde_json::from_str::<Vec<String>>(&content);
            for name in listed.unwrap_or_else(|_| vec![content]) {
                names::add(&mut found, names::from_field(&name));
            }
        }
        found
    }))
}

fn first_names(mut lists: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    lists.find(|names| !names.is_empty()).unwrap_or_default()
}

fn from_feed(evidence: &MetadataEvidence<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for author in evidence.feed_items.iter().flat_map(|item| &item.authors) {
        names::add(&mut found, names::from_field(author));
    }
    found
}

fn from_microdata(evidence: &MetadataEvidence<'_>) -> Vec<String> {
    let document = evidence.document;
    let properties = evidence.scan.properties.iter();
    // A role and links may be beside the name.
    let is_name = |id: &NodeId| {
        let mut names = [local_name!("itemprop"), local_name!("property")].into_iter();
        names.any(|names| {
            let names = document.attribute(*id, &names).unwrap_or_default();
            names.split_ascii_whitespace().any(|name| name.rsplit(':').next() == Some("name"))
        })
    };
    let authors = properties.filter(|p| p.1 & OF_AUTHOR != 0).map(|p| p.0);
    // Not the name of an organisation inside it.
    let is_own = |author: NodeId, id: NodeId| {
        let mut around = document.ancestors(id).skip(1).take_while(|around| *around != author);
        !around.any(|around| document.attribute(around, &local_name!("itemscope")).is_some())
    };
    let name_of = |id: NodeId| {
        let mut inside = document.subtree(id).take(200);
        inside.find(|own| is_name(own) && is_own(id, *own))
    };
    let named = authors.map(|id| name_of(id).unwrap_or(id));
    from_nearest(evidence, &named.collect::<Vec<_>>(), false)
}

/// `twitter:label1` "Written by" goes with `twitter:data1`.
fn from_twitter_labels(evidence: &MetadataEvidence<'_>) -> Vec<String> {
    static LABELS: [&str; 2] = ["twitter:label1", "twitter:label2"];
    static DATA: [&str; 2] = ["twitter:data1", "twitter:data2"];
    first_names(LABELS.chunks(1).zip(DATA.chunks(1)).map(|(label, data)| {
        let is_author = evidence.metas(label).next().is_some_and(names::is_label);
        if is_author { from_keys(evidence, data) } else { Vec::new() }
    }))
}

/// Elements whose class or id is that of an author's name: a single word is enough there.
fn from_name_elements(evidence: &MetadataEvidence<'_>) -> Vec<String> {
    let nearest = evidence.nearest_outside_body(&evidence.scan.author_names);
    first_names(nearest.iter().take(20).map(|id| {
        let small = evidence.document.node(*id).end - id <= 12;
        let text = if small { lines_of(evidence.document, *id) } else { String::new() };
        names::from_byline(text.lines().next().unwrap_or_default())
    }))
}

/// "Jane Doe | Senior Writer | July 2, 2025" directly below the headline: the role shows that it is
/// a name. Further away it may be a staff member listed in a column of the page.
fn from_roles(evidence: &MetadataEvidence<'_>) -> Vec<String> {
    let below = lines_below_headline(evidence).filter(|line| line.text.len() <= 120);
    first_names(below.map(|line| names::before_role(&line.text)))
}

/// "Jane Doe, 2 July 2025" and nothing else on a line directly below the headline.
pub(crate) fn from_dated_lines<'e>(evidence: &'e MetadataEvidence<'_>) -> Vec<String> {
    let day_or_month = |word: &str| is_weekday(word, false, None) || month_of(word, None).is_some();
    let name = lines_below_headline(evidence).find_map(|line| {
        let line = Some(line).filter(|line| line.text.len() <= 80)?;
        let found = find_date(&line.text, &DayMonthOrder::DayFirst)?;
        let before = &line.text[..found.at];
        let trim = |text: &'e str| text.trim_end_matches(|c: char| !is_alphanumeric(c) && c != '.');
        // "Jane Doe — Friday, 2 July 2025"
        let name = match trim(names::before_day_words(before)) {
            name if before[name.len()..].contains(['—', '–', '|', '•', '·', '-']) => name,
            _ => trim(before),
        };
        // "Release Date: 2 July 2025", "Saturday Morning, 2 July 2025"
        let is_label =
            before[name.len()..].contains([':', '：']) || name.split(' ').any(day_or_month);
        // Sections, kinds of text and places are in elements of their own, or occur in the text.
        let is_apart = evidence.document.text(line.at).is_none_or(|t| t.trim().len() <= name.len());
        let is_topic = || is_label || is_apart || is_named_in(name, evidence.body_text);
        // A time may follow.
        let rest = &line.text[found.at..];
        (rest.len() <= 30
            && names::is_full_name(name)
            && !evidence.site.is_name(name)
            && !is_topic())
        .then(|| name.to_owned())
    });
    name.into_iter().collect()
}

/// The name after the only unknown label with a colon directly below the headline, in a script without case.
fn from_caseless_label(evidence: &MetadataEvidence<'_>) -> Vec<String> {
    let lines = lines_below_headline(evidence).filter(|line| line.text.len() <= 120);
    let mut names = lines.filter_map(|line| names::after_caseless_label(&line.text));
    let (Some(name), None) = (names.next(), names.next()) else { return Vec::new() };
    let is_author = !evidence.site.is_name(name) && !is_named_in(name, evidence.body_text);
    if is_author { vec![name.to_owned()] } else { Vec::new() }
}

fn lines_below_headline<'e>(
    evidence: &'e MetadataEvidence<'_>,
) -> impl Iterator<Item = &'e TextLine> {
    let heading = evidence.heading.as_ref().map(|heading| heading.id);
    let lines = heading.map_or(&[][..], |_| evidence.lead_lines()).iter();
    lines.filter(move |line| heading.is_some_and(|id| line.at >= id)).take(5)
}

/// A label and a name within a longer line, in scripts without spaces.
fn from_labels_within_lines(evidence: &MetadataEvidence<'_>) -> Vec<String> {
    let texts = evidence.lead().filter(|id| evidence.scan.zone_end(*id).is_none());
    first_names(texts.filter_map(|id| evidence.document.text(id)).map(names::after_label))
}

/// Names in the element nearest to the headline that has any, and in its siblings. `strict` if the elements may contain
/// other text.
fn from_nearest(evidence: &MetadataEvidence<'_>, ids: &[NodeId], strict: bool) -> Vec<String> {
    let nearest =
        if strict { evidence.nearest_outside_body(ids) } else { evidence.nearest(ids, |id| *id) };
    let first = nearest.iter().take(20).find_map(|id| {
        let names = from_element(evidence, *id, strict);
        (!names.is_empty()).then_some((*id, names))
    });
    let Some((first, mut found)) = first else { return Vec::new() };
    let mut last = first;
    // Teasers after the body name other authors.
    let is_past = |edge: NodeId, id: NodeId| first < edge && id >= edge;
    let crosses =
        |id| evidence.body.is_some_and(|(start, end)| is_past(start, id) || is_past(end, id));
    for id in ids.iter().copied().filter(|id| *id > first) {
        if id - last > 30 || evidence.scan.zone_end(id).is_some() || crosses(id) {
            break;
        }
        if evidence.document.node(id).name == evidence.document.node(first).name {
            names::add(&mut found, from_element(evidence, id, strict));
        }
        last = id;
    }
    found
}

/// Whether a link leads to a category or tag of the post.
pub(crate) fn is_filing(evidence: &MetadataEvidence<'_>, link: NodeId) -> bool {
    let document = evidence.document;
    let rel = document.attribute(link, &local_name!("rel")).unwrap_or_default();
    let address = document.attribute(link, &local_name!("href")).unwrap_or_default();
    let is_filed =
        |word: &str| matches!(word, "category" | "categories" | "tag" | "tags" | "topics");
    rel.split_ascii_whitespace().chain(address.split('/')).any(is_filed)
}

/// Whether the address of a link ends with its text, which has two words or more, as addresses of authors' pages do. Case does
/// not matter: "jane doe" leads to `/author/jane-doe`.
pub(crate) fn is_in_address(evidence: &MetadataEvidence<'_>, link: NodeId, text: &str) -> bool {
    let address = evidence.document.attribute(link, &local_name!("href")).unwrap_or_default();
    let path = address.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    (2..=5).contains(&word_count(text))
        && !has_number(text)
        && squash(&percent_decode_str(last).decode_utf8_lossy()) == squash(text)
}

/// Whether a text repeats the headline: longer ones read like several names.
fn is_headline(evidence: &MetadataEvidence<'_>, text: &str) -> bool {
    word_count(text) > 3
        && evidence.heading.as_ref().is_some_and(|heading| heading.text == text.trim())
}

/// The text of an element. Adjacent elements without white space between them give separate lines, because styles often set a
/// name and a role apart.
fn lines_of(document: &Document, id: NodeId) -> String {
    // Marks of affiliations are not inside a word, unlike the letter in "McDonald".
    let is_mark = |n: &NodeId| {
        let after = document.node(*n).end;
        let is_in_word =
            || document.text(after).is_some_and(|t| t.starts_with(char::is_alphabetic));
        document.is(*n, &local_name!("sup")) && !is_in_word()
    };
    let marks: Vec<NodeId> = document.subtree(id).filter(is_mark).collect();
    let mut text = dom::text_of(document, &[id], &[]);
    if !marks.is_empty() && !text.contains('\n') {
        text = normalize_space(&dom::text_of(document, &[id], &marks));
    }
    let is_element = |id: &NodeId| document.element(*id).is_some();
    for around in document.subtree(id).take(MOST_NODES).filter(is_element) {
        let children: Vec<NodeId> = document.children(around).take(MOST_NODES).collect();
        for pair in children.windows(2).filter(|pair| pair.iter().all(is_element)) {
            let left = dom::text_of(document, &pair[..1], &[]);
            let right = dom::text_of(document, &pair[1..], &[]);
            let is_joint = |text: &str| names::CONJUNCTIONS.contains(&text);
            let begins = |of: fn(char) -> bool| right.starts_with(of);
            let is_apart = left.ends_with(char::is_lowercase) && begins(char::is_uppercase)
                || word_count(&left) >= 2 && (begins(char::is_alphabetic) || begins_number(&right));
            let gap = match is_joint(&left) || is_joint(&right) || names::is_label(&left) {
                true => " ",
                false if is_apart => "\n",
                false => continue,
            };
            text = text.replacen(&format!("{left}{right}"), &format!("{left}{gap}{right}"), 1);
        }
    }
    text
}

/// Maximum number of nodes of an element that names and roles are read from.
const MOST_NODES: usize = 60;

fn from_element(evidence: &MetadataEvidence<'_>, id: NodeId, strict: bool) -> Vec<String> {
    let document = evidence.document;
    if (document.node(id).end - id) as usize > MOST_NODES {
        return Vec::new();
    }
    // The value of a property takes precedence over the visible text.
    if let Some(content) = document.attribute(id, &local_name!("content")).filter(|_| !strict) {
        return names::from_field(content);
    }
    // The name in an [hCard](https://microformats.org/wiki/hcard).
    let is_name = |id: &NodeId| {
        let class = document.attribute(*id, &local_name!("class")).unwrap_or_default();
        class.split_ascii_whitespace().any(|class| matches!(class, "fn" | "p-name"))
    };
    let mut cards = document.subtree(id).skip(1).filter(is_name);
    let id = match (cards.next(), cards.next()) {
        (Some(name), None) if !strict || document.text_content(name).contains(' ') => name,
        _ => id,
    };
    let text = lines_of(document, id);
    // One name per item of a list.
    let is_item = |id: NodeId| document.is(id, &local_name!("li"));
    let is_list = document.children(id).any(is_item) && text.lines().all(names::is_full_name);
    let mut found = Vec::new();
    if strict && !names::has_label(&text) {
        // Without a label, only the links are names.
        let is_link = |n: &NodeId| document.is(*n, &local_name!("a")) && !is_filing(evidence, *n);
        for link in document.subtree(id).filter(is_link) {
            let inside = dom::text_of(document, &[link], &[]);
            let line = inside.lines().next().unwrap_or_default();
            // A site's own name may contain words that no person's name has.
            let names = if evidence.site.is_own_name(line) {
                names::organization(line)
            } else if is_headline(evidence, line) {
                Vec::new()
            } else if is_in_address(evidence, link, line) {
                vec![line.trim().to_owned()]
            } else {
                names::from_byline(line)
            };
            if names.iter().all(|n| word_count(n) >= 2) {
                names::add(&mut found, names);
            }
        }
        if !found.is_empty() {
            return found;
        }
    }
    for line in text.lines().take(4).filter(|l| !l.is_empty() && l.len() <= 200) {
        if is_headline(evidence, line) {
            continue;
        }
        let is_stated = !strict && line.len() <= 60 && !has_number(line);
        let is_labelled = || names::has_label(line) || names::has_label_within(line);
        let names = if is_stated && !is_labelled() {
            names::from_field(line)
        } else {
            names::from_byline(line)
        };
        // Without a label, a single word may as well be a button.
        let sure = !strict
            || names::has_label(line)
            || names.iter().all(|n| word_count(n) >= 2 || is_unspaced(n));
        if sure && !names.is_empty() {
            names::add(&mut found, names);
            if !is_list {
                break;
            }
        }
    }
    found
}

/// Maximum bytes of a label that is also an ordinary word: "von", "par".
const SHORT_LABEL: usize = 6;

/// The names of the first labelled line that has any.
fn from_labelled_lines(evidence: &MetadataEvidence<'_>) -> Vec<String> {
    let (lead, tail) = (evidence.lead_lines(), evidence.tail_lines());
    let anchor = evidence.anchor();
    let is_headline = |line: &TextLine| {
        evidence.heading.as_ref().is_some_and(|heading| {
            heading.text.starts_with(&*line.text) && evidence.document.contains(heading.id, line.at)
        })
    };
    let (before, after) = lead.split_at(lead.partition_point(|l| l.at < anchor));
    let read = |lines: &[TextLine], index: usize, close: bool| {
        let line = &*lines[index].text;
        // The label may be on a separate line; a short one may be the beginning of a name.
        let next = lines.get(index + 1).map_or("", |line| &*line.text);
        // If the label has no name, the next line is the text.
        let next = if is_short_line(next, WORDS_OF_BYLINE) { next } else { "" };
        let both = || [line, next].join(" ");
        let both = (close && line.len() <= SHORT_LABEL && names::is_full_name(next)).then(both);
        let line = both.as_deref().unwrap_or(line);
        let is_dated = || {
            close
                && line.len() <= 80
                && names::has_label_within(line)
                && find_date(line, &DayMonthOrder::DayFirst).is_some_and(|date| date.at == 0)
        };
        if line.len() > 200 || !names::has_label(line) && !is_dated() || is_headline(&lines[index])
        {
            return Vec::new();
        }
        let text = if names::is_label(line) { next } else { line };
        let found = names::from_byline(clip(text, 200));
        let words = if close && line.len() <= 60 { 1..=4 } else { 2..=4 };
        let likely = found.iter().all(|n| words.contains(&word_count(n)) || is_unspaced(n));
        if likely { found } else { Vec::new() }
    };
    let after = (0..after.len()).map(|i| read(after, i, i < 5));
    let before = (0..before.len()).rev().map(|i| read(before, i, false));
    first_names(after.chain(before).chain((0..tail.len()).map(|i| read(tail, i, false))))
}

/// Maximum words of a line with a date or byline ("Posted on July 7, 2012 at 10:30 am by Jane Doe in Books").
const WORDS: usize = 14;
/// Maximum words of a date line that ends like a sentence ("Published: 12 May 2012.").
const WORDS_OF_SENTENCE: usize = 6;
/// Maximum words of a line of names that ends like a sentence.
const WORDS_OF_BYLINE: usize = 3;
/// Maximum bytes of a date or byline: for scripts without spaces, where a sentence is one word, a third as many characters.
const BYTES: usize = 120;

/// Whether a line of text is a byline, a date or both, with at most a few other words. Supports the languages of
/// [`crate::metadata`]. Linear in the length of the line.
///
/// ```
/// use sitegrove_metadata::is_field_line;
///
/// assert!(is_field_line("By Jane Doe | July 7, 2012, 10:30 am"));
/// assert!(!is_field_line("On July 7, 2012 the bridge was opened by the mayor."));
/// ```
pub fn is_field_line(line: &str) -> bool {
    let line = line.trim();
    let has_name = || names::has_label(line) && !names::from_byline(line).is_empty();
    is_short_line(line, WORDS_OF_SENTENCE)
        && (find_date(line, &DayMonthOrder::Unknown).is_some() || has_name())
}

/// Whether a line is as short as dates and bylines are, and has at most this many words if it ends like a sentence.
fn is_short_line(line: &str, words_of_sentence: usize) -> bool {
    let ends_like_sentence = line.ends_with(['.', '!', '?', '。']) && !line.ends_with(".m.");
    line.len() <= BYTES
        && !(is_unspaced(line) && line.chars().count() > BYTES / 3)
        && word_count(line) <= if ends_like_sentence { words_of_sentence } else { WORDS }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn bylines_and_dates() {
        for line in [
            "By Jane Doe",
            "by John on July 7, 2012",
            "Posted on 3 May 2012 at 14:30",
            "Von Jane Doe, 3. Mai 2012",
            "2012年11月21日 作者：王小明",
            "Published: 12 May 2012.",
            "July 16th, 2012 3:05 p.m.",
            "Nov 5 2012, 12:19 PM ET",
        ] {
            assert!(is_field_line(line), "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_read(line in "(By |von |Publié le |作者：|)[A-Za-z0-9 ,.:/年月日|·é王]{0,80}[.!。]?") {
            let found = is_field_line(&line);
            proptest::prop_assert_eq!(found, is_field_line(&format!("  {line}\t")));
        }
    }

    #[test]
    fn text_is_none() {
        for line in [
            "",
            "On 3 May 2012 he left the house by the sea, and nobody there ever saw him go",
            "By the time Jane Doe arrived, all the others had left the old house for good",
            "The bridge was opened on 3 May 2012 by the mayor.",
            "12 comments",
            "By and large",
            "More than 2012 people came",
        ] {
            assert!(!is_field_line(line), "{line}");
        }
    }
}
