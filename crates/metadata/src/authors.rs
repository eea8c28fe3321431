//! Authors: names, from explicit declarations to text that reads like a byline.

use std::collections::BTreeSet;

use dom::{NodeId, local_name};
use model::{Field, Source};
use terms::letters::is_alphanumeric;

use crate::chars::has_number;
use crate::date_text::find_date;
use crate::evidence::Evidence;
use crate::lines::Line;
use crate::names;
use crate::order::Order;
use crate::scan::Property;
use crate::text::{clip, identifier_words, is_unspaced, plain, squash, word_count};

/// Metas with one author each, the most reliable first.
const METAS: [&str; 11] = [
    "author",
    "citation_author",
    "dc.creator",
    "dcterms.creator",
    "parsely-author",
    "sailthru.author",
    "article_author",
    "article.author",
    "byline",
    "creator",
    "dc.contributor",
];

/// The first source with a name that is not the site's own; else the first with any. If the site is
/// declared as the author, text that only looks like a byline does not override it.
pub(crate) fn authors(evidence: &Evidence<'_>) -> Option<Field<Vec<String>>> {
    type Read = fn(&Evidence<'_>) -> Option<Field<Vec<String>>>;
    let stated: [Read; 9] =
        [json_ld, open_graph, metas, twitter, feed, microdata, links, lines, labels];
    let guessed: [Read; 5] = [named, elements, pages, roles, signed];
    let is_person = |name: &String| !evidence.site.is_own_name(name) && !is_role(name);
    let mut fallback = None;
    for read in stated {
        let Some(mut field) = read(evidence) else { continue };
        if field.value.iter().any(is_person) {
            field.value.retain(is_person);
            let account = field.source == Source::Meta;
            return account
                .then(|| byline_against(&field.value, evidence))
                .flatten()
                .or(Some(field));
        }
        fallback.get_or_insert(field);
    }
    fallback.or_else(|| guessed.iter().find_map(|read| read(evidence)))
}

/// The byline near the headline, if it names entirely different people than the metas do. Metas
/// often contain the account that posted the page ("jdoe", an editor), while the byline is what
/// readers see.
fn byline_against(declared: &[String], evidence: &Evidence<'_>) -> Option<Field<Vec<String>>> {
    let words = |names: &[String]| -> BTreeSet<String> {
        names.iter().flat_map(|n| n.split_whitespace().map(squash)).collect()
    };
    let seen = lines(evidence)?;
    let full = seen.value.iter().all(|n| word_count(n) >= 2 && !evidence.site.is_own_name(n));
    (full && words(&seen.value).is_disjoint(&words(declared))).then_some(seen)
}

/// Placeholders of content management systems where no author is set.
fn is_role(name: &str) -> bool {
    matches!(
        &*name.to_lowercase(),
        "editor"
            | "editors"
            | "staff"
            | "webmaster"
            | "guest"
            | "redaktion"
            | "redaction"
            | "redacción"
            | "redazione"
            | "editorial staff"
            | "staff writer"
            | "super user"
            | "root"
    )
}

fn field(names: Vec<String>, source: Source) -> Option<Field<Vec<String>>> {
    (!names.is_empty()).then_some(Field { value: names, source })
}

fn json_ld(evidence: &Evidence<'_>) -> Option<Field<Vec<String>>> {
    let found = evidence.facts.nodes().find(|n| !n.authors.is_empty())?;
    field(found.authors.clone(), Source::JsonLd)
}

fn open_graph(evidence: &Evidence<'_>) -> Option<Field<Vec<String>>> {
    of_metas(
        evidence,
        &["article:author", "article:author:name", "og:author", "og:article:author", "book:author"],
        Source::OpenGraph,
    )
}

fn metas(evidence: &Evidence<'_>) -> Option<Field<Vec<String>>> {
    of_metas(evidence, &METAS, Source::Meta).or_else(|| {
        // Metas not listed above, by the last word of their names: `content.author`.
        let found = evidence.head().metas.iter().filter(|m| {
            let mut says_author = false;
            identifier_words(&m.key, |word| says_author = matches!(word, "author" | "byline"));
            says_author
        });
        let names = found.map(|m| names::from_field(&plain(&m.content))).find(|n| !n.is_empty());
        field(names?, Source::Meta)
    })
}

fn of_metas(
    evidence: &Evidence<'_>,
    keys: &[&'static str],
    source: Source,
) -> Option<Field<Vec<String>>> {
    for key in keys {
        let mut found = Vec::new();
        for content in evidence.metas(key).take(50) {
            names::add(&mut found, names::from_field(&plain(content)));
        }
        if !found.is_empty() {
            return field(found, source);
        }
    }
    None
}

fn feed(evidence: &Evidence<'_>) -> Option<Field<Vec<String>>> {
    let mut found = Vec::new();
    for author in evidence.feed_items.iter().flat_map(|item| &item.authors) {
        names::add(&mut found, names::from_field(author));
    }
    field(found, Source::Feed)
}

fn microdata(evidence: &Evidence<'_>) -> Option<Field<Vec<String>>> {
    let authors: Vec<NodeId> =
        evidence.scan.properties.iter().filter(|p| p.1 == Property::Author).map(|p| p.0).collect();
    group(evidence, &authors, false)
}

fn links(evidence: &Evidence<'_>) -> Option<Field<Vec<String>>> {
    group(evidence, &evidence.scan.author_links, false)
}

/// `twitter:label1` "Written by" goes with `twitter:data1`.
fn twitter(evidence: &Evidence<'_>) -> Option<Field<Vec<String>>> {
    let pairs = [("twitter:label1", "twitter:data1"), ("twitter:label2", "twitter:data2")];
    pairs.into_iter().find_map(|(label, data)| {
        names::is_label(evidence.metas(label).next()?)
            .then(|| of_metas(evidence, std::slice::from_ref(&data), Source::Meta))?
    })
}

fn pages(evidence: &Evidence<'_>) -> Option<Field<Vec<String>>> {
    group(evidence, &evidence.scan.author_pages, true)
}

/// Elements whose class or id is that of an author's name: a single word is enough there.
fn named(evidence: &Evidence<'_>) -> Option<Field<Vec<String>>> {
    let nearest = evidence.nearest_outside_body(&evidence.scan.author_names);
    let names = nearest.iter().take(20).map(|id| {
        let small = evidence.document.node(*id).end - id <= 12;
        let text = if small { dom::text_of(evidence.document, &[*id], &[]) } else { String::new() };
        names::from_byline(text.lines().next().unwrap_or_default())
    });
    field(names.into_iter().find(|names| !names.is_empty())?, Source::Page)
}

/// "Jane Doe | Senior Writer | July 2, 2025" directly below the headline: the role shows that it is
/// a name. Further away it may be a staff member listed in a column of the page.
fn roles(evidence: &Evidence<'_>) -> Option<Field<Vec<String>>> {
    let anchor = evidence.heading.as_ref()?.id;
    let lead = evidence.lead_lines();
    let after = lead.iter().filter(|line| line.at >= anchor).take(5);
    let after = after.filter(|line| line.text.len() <= 120);
    field(after.map(|line| names::before_role(&line.text)).find(|n| !n.is_empty())?, Source::Page)
}

/// "Jane Doe, 2 July 2025" and nothing else on a line directly below the headline.
fn signed(evidence: &Evidence<'_>) -> Option<Field<Vec<String>>> {
    let anchor = evidence.heading.as_ref()?.id;
    let lead = evidence.lead_lines();
    let name = lead.iter().filter(|line| line.at >= anchor).take(5).find_map(|line| {
        let line = Some(line).filter(|line| line.text.len() <= 80)?;
        let found = find_date(&line.text, &Order::DayFirst)?;
        // A time may follow.
        let name =
            line.text[..found.at].trim_end_matches(|c: char| !is_alphanumeric(c) && c != '.');
        let rest = &line.text[found.at..];
        (rest.len() <= 30 && names::is_full_name(name) && !evidence.site.is_name(name))
            .then(|| name.to_owned())
    });
    field(vec![name?], Source::Page)
}

/// A label and a name within a longer line, in scripts without spaces.
fn labels(evidence: &Evidence<'_>) -> Option<Field<Vec<String>>> {
    let texts = evidence.lead().filter(|id| evidence.scan.zone_end(*id).is_none());
    let names = texts.filter_map(|id| evidence.document.text(id)).map(names::after_label);
    field(names.into_iter().find(|names| !names.is_empty())?, Source::Page)
}

fn elements(evidence: &Evidence<'_>) -> Option<Field<Vec<String>>> {
    group(evidence, &evidence.scan.bylines, true)
}

/// Names in the element nearest to the headline that has any, and in its siblings.
fn group(evidence: &Evidence<'_>, ids: &[NodeId], strict: bool) -> Option<Field<Vec<String>>> {
    let nearest =
        if strict { evidence.nearest_outside_body(ids) } else { evidence.nearest(ids, |id| *id) };
    let (first, mut found) = nearest.iter().take(20).find_map(|id| {
        let names = of_element(evidence, *id, strict);
        (!names.is_empty()).then_some((*id, names))
    })?;
    let mut last = first;
    for id in ids.iter().copied().filter(|id| *id > first) {
        if id - last > 30 || evidence.scan.zone_end(id).is_some() {
            break;
        }
        if evidence.document.node(id).name == evidence.document.node(first).name {
            names::add(&mut found, of_element(evidence, id, strict));
        }
        last = id;
    }
    field(found, Source::Page)
}

/// Whether a link leads to a category or tag of the post.
fn is_filing(evidence: &Evidence<'_>, link: NodeId) -> bool {
    let document = evidence.document;
    let rel = document.attribute(link, &local_name!("rel")).unwrap_or_default();
    let address = document.attribute(link, &local_name!("href")).unwrap_or_default();
    let is_filed =
        |word: &str| matches!(word, "category" | "categories" | "tag" | "tags" | "topics");
    rel.split_ascii_whitespace().chain(address.split('/')).any(is_filed)
}

fn of_element(evidence: &Evidence<'_>, id: NodeId, strict: bool) -> Vec<String> {
    let document = evidence.document;
    if document.node(id).end - id > 60 {
        return Vec::new();
    }
    let text = dom::text_of(document, &[id], &[]);
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
        let is_stated = !strict && line.len() <= 60 && !has_number(line);
        let names = if is_stated && !names::has_label(line) {
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
            break;
        }
    }
    found
}

/// "By Jane Doe", alone on a line near the headline or directly after the body.
fn lines(evidence: &Evidence<'_>) -> Option<Field<Vec<String>>> {
    let anchor = evidence.anchor();
    let lead = evidence.lead_lines();
    let tail = evidence.tail_lines();
    let first_after = lead.partition_point(|l| l.at < anchor);
    let (before, after) = lead.split_at(first_after);
    let of = |lines: &[Line], index: usize, close: bool| {
        let line = lines.get(index)?;
        if line.text.len() > 200 || !names::has_label(&line.text) {
            return None;
        }
        // The label may be on a separate line.
        let text =
            if names::is_label(&line.text) { &lines.get(index + 1)?.text } else { &line.text };
        let found = names::from_byline(clip(text, 200));
        let words = if close && line.text.len() <= 60 { 1..=4 } else { 2..=4 };
        let likely = found.iter().all(|n| words.contains(&word_count(n)) || is_unspaced(n));
        field(if likely { found } else { Vec::new() }, Source::Page)
    };
    (0..after.len())
        .find_map(|i| of(after, i, i < 5))
        .or_else(|| (0..before.len()).rev().find_map(|i| of(before, i, false)))
        .or_else(|| (0..tail.len()).find_map(|i| of(tail, i, false)))
}
