//! Splits the text of a thread into posts, each with author and date.
//!
//! What is kept before the posts (a question above its answers) or between them is a post of its own.

use std::cmp::Ordering;

use dom::{Document, NodeId, class_tokens, is_heading, local_name, normalize_space, text_of};
use metadata::{PageContext, date_of, dates_of};
use model::{Field, Metadata, Post, Source};
use region::PostStart;

use super::thread::{DECLARING, has_date, has_digit, has_property, is_date, is_named, may_be_name};
use crate::body::{ArticleBody, ThreadPost};

/// Maximum number of words of a name, and of a date.
const NAME_WORDS: usize = 5;
const DATE_WORDS: usize = 12;
/// Maximum number of nodes above a question that are searched for its author and date.
const MOST_ABOVE: usize = 60;
/// Maximum number of places of dates in a post that are compared.
const MOST_PLACES: usize = 12;
/// Minimum share of the posts that have a date at the place that is chosen.
const LEAST_DATED: f32 = 0.6;

/// Parts of class names, ids and roles that mark an author's name, and a date, in a text that is not structured like the posts.
const NAMED: [&str; 8] =
    ["author", "username", "user-name", "poster", "byline", "nick", "creator", "screenname"];
const DATED: [&str; 5] = ["date", "time", "posted", "published", "created"];

/// Splits the body of a thread into posts, each with the node that it begins with; empty if it is not a thread. Linear in
/// the page's nodes for each level of nested posts.
pub(super) fn posts(
    document: &Document,
    body: &ArticleBody,
    context: &PageContext<'_>,
    language: Option<&str>,
) -> Vec<(NodeId, Post)> {
    let found = &body.posts;
    let Some(first) = found.first() else { return Vec::new() };
    // For each post, the post around it.
    let mut around: Vec<Option<usize>> = Vec::with_capacity(found.len());
    for (at, post) in found.iter().enumerate() {
        let holds = |&own: &usize| document.contains(found[own].element, post.element);
        let mut outer = at.checked_sub(1);
        while let Some(own) = outer.filter(|own| !holds(own)) {
            outer = around[own];
        }
        around.push(outer);
    }
    let post_of = |id: NodeId| {
        let mut own = found.partition_point(|post| post.element <= id).checked_sub(1);
        while let Some(at) = own.filter(|&at| !document.contains(found[at].element, id)) {
            own = around[at];
        }
        own
    };
    // The nodes of each post; and those before, between and after posts, by the post that comes next.
    let mut of_posts: Vec<Vec<NodeId>> = vec![Vec::new(); found.len()];
    let mut beside: Vec<Vec<NodeId>> = vec![Vec::new(); found.len() + 1];
    for &node in &body.nodes {
        let end = document.node(node).end;
        let inside = found.partition_point(|post| post.element < node)
            ..found.partition_point(|post| post.element < end);
        match post_of(node) {
            Some(own) => of_posts[own].push(node),
            // An element around posts.
            None if !inside.is_empty() => {
                inside.for_each(|at| of_posts[at].push(found[at].element));
            }
            None => beside[inside.start].push(node),
        }
    }
    let text = |nodes: &[NodeId], within: Option<&ThreadPost>| {
        let (Some(from), Some(last)) = (nodes.first(), nodes.last()) else { return String::new() };
        let end = document.node(*last).end;
        let prune =
            body.prune.partition_point(|id| id < from)..body.prune.partition_point(|&id| id < end);
        let inner = within.map_or(0..0, |post| {
            found.partition_point(|own| own.element <= post.element)
                ..found.partition_point(|own| own.element < document.node(post.element).end)
        });
        let mut prune = body.prune[prune].to_vec();
        prune.extend(found[inner].iter().map(|post| post.element));
        text_of(document, nodes, &prune)
    };
    let dates = dates_of_posts(document, found, context, language);
    let name = found.iter().find_map(|post| post.authors.first().copied());
    let date_node = dates.iter().flatten().next().map(|own| own.0);
    let mut posts: Vec<(NodeId, Post)> = Vec::new();
    for (at, own) in beside.iter().enumerate() {
        let text_beside = text(own, None);
        // The headline is not a post.
        let in_heading = |node: &NodeId| {
            document.ancestors(*node).any(|above| document.name(above).is_some_and(is_heading))
        };
        let is_post = !text_beside.is_empty() && !own.iter().all(in_heading);
        if let Some(&node) = own.first().filter(|_| is_post) {
            let next = found.get(at).unwrap_or(first).element;
            let outers = own.iter().map(|&own| outermost_without(document, own, next));
            let size = |id: &NodeId| document.node(*id).end - id;
            let outer = outers.max_by_key(size).unwrap_or(node);
            let (author, date) = signature_in(document, outer, own, (name, date_node), at == 0);
            let date = date.and_then(|text| date_of(context, language, &text));
            posts.push((node, Post { author, date, text: text_beside }));
        }
        let Some((post, nodes)) = found.get(at).zip(of_posts.get(at)) else { continue };
        let text = text(nodes, Some(post));
        if !text.is_empty() {
            let (written, mut date) = dates.get(at).cloned().flatten().unzip();
            let author = author_beside(document, &post.authors, written);
            let mut author = author.and_then(|id| author_of(document, id));
            // The first post, a question, may have them at other places.
            let is_whole =
                found.get(1).is_none_or(|next| !document.contains(post.element, next.element));
            if at == 0 && is_whole && author.is_none() {
                let own =
                    signature_in(document, post.element, &[post.content], (name, date_node), false);
                author = own.0;
                date = date.or_else(|| date_of(context, language, &own.1?));
            }
            posts.push((post.element, Post { author, date, text }));
        }
    }
    posts
}

/// Takes author and date from the first post: others on the page may be of those who answer or edit. Declared values stay.
pub(super) fn ask_first_post(metadata: &mut Metadata, posts: &[(NodeId, Post)]) {
    let Some((_, first)) = posts.first() else { return };
    let is_shown = |source: &Source| *source == Source::Page;
    let others = metadata.authors.as_ref().filter(|own| is_shown(&own.source.source));
    let answers = |name: &String| posts.iter().any(|own| own.1.author.as_ref() == Some(name));
    let is_of_answer = others.is_some_and(|own| own.value.iter().any(answers));
    if first.author.is_some() && (others.is_some() || metadata.authors.is_none()) || is_of_answer {
        metadata.authors = first.author.clone().map(|name| Field::new(vec![name], Source::Page));
        metadata.author_kinds.clear();
    }
    let is_open = metadata.published.as_ref().is_none_or(|own| is_shown(&own.source.source));
    if let Some(date) = first.date.clone().filter(|_| is_open) {
        metadata.published = Some(Field::new(date, Source::Page));
    }
}

/// Returns the name in a text, without a label before it.
fn author_of(document: &Document, id: NodeId) -> Option<String> {
    let text = normalize_space(document.text(id)?);
    let name = text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '@');
    Some(bare_name(name).to_owned()).filter(|name| !name.is_empty())
}

/// Removes a label before a name and punctuation after it.
fn bare_name(text: &str) -> &str {
    let name = text.strip_prefix("by ").or(text.strip_prefix("By ")).unwrap_or(text);
    // Mail has the address behind the name (RFC 5322).
    let name = name.split_once(" <").map_or(name, |(name, _)| name);
    name.trim_end_matches([',', ':'])
}

/// Returns the name in the smallest element that also contains the date; the first of equals, or without a date.
fn author_beside(document: &Document, authors: &[NodeId], date: Option<NodeId>) -> Option<NodeId> {
    let shared = |author: NodeId| {
        document
            .ancestors(author)
            .find(|&above| date.is_some_and(|date| document.contains(above, date)))
    };
    // Inner elements have larger numbers.
    authors.iter().copied().rev().max_by_key(|&author| shared(author))
}

/// Returns the date of each post, with its node. Of the places at which most posts have a date, takes the one where most
/// dates ascend; numbers tell several dates at one place apart. Dates when authors joined do not ascend, or are earlier.
fn dates_of_posts(
    document: &Document,
    posts: &[ThreadPost],
    context: &PageContext<'_>,
    language: Option<&str>,
) -> Vec<Option<(NodeId, String)>> {
    let at = |post: &ThreadPost, place: usize| -> Vec<NodeId> {
        post.dates.iter().filter(|own| own.0 == place).map(|own| own.1).collect()
    };
    let mut places: Vec<(usize, usize)> = Vec::new();
    for post in posts {
        for &(place, id) in &post.dates {
            let number = at(post, place).iter().position(|&own| own == id).unwrap_or_default();
            if !places.contains(&(place, number)) && places.len() < MOST_PLACES {
                places.push((place, number));
            }
        }
    }
    let rated = places.into_iter().map(|(place, number)| {
        let node = |post: &ThreadPost| {
            let all = at(post, place);
            all.get(number).or(all.first()).copied()
        };
        let nodes: Vec<Option<NodeId>> = posts.iter().map(node).collect();
        let texts: Vec<Option<String>> =
            nodes.iter().map(|id| written_date(document, (*id)?)).collect();
        let dates = dates_of(context, language, texts.iter().map(Option::as_deref));
        let rating = rate_dates(dates.iter().flatten().collect(), posts.len());
        (rating, nodes.into_iter().zip(dates).map(|(id, date)| id.zip(date)).collect())
    });
    // The first of equals is kept.
    let best = rated.reduce(|best, own| if own.0 > best.0 { own } else { best });
    best.map(|best| best.1).unwrap_or_default()
}

/// Rates how likely dates are those of posts: whether most posts have one, whether they ascend, how many there are, how
/// often they ascend, and their median.
fn rate_dates(mut dates: Vec<&String>, posts: usize) -> (bool, bool, usize, i32, Option<String>) {
    let is_common = dates.len() as f32 >= LEAST_DATED * posts as f32;
    let step = |pair: &[&String]| match pair[0].cmp(pair[1]) {
        Ordering::Less => 4,
        Ordering::Equal => 3,
        Ordering::Greater => -4,
    };
    let order: i32 = dates.windows(2).map(step).sum();
    if order < 2 * (dates.len() as i32 - 1) {
        return (is_common, false, 0, 0, None);
    }
    dates.sort_unstable();
    let median = dates.get(dates.len() / 2).map(|date| (*date).clone());
    (is_common, true, dates.len(), order, median)
}

/// Returns the date that a text is, or that an element declares.
fn written_date(document: &Document, id: NodeId) -> Option<String> {
    if let Some(text) = document.text(id) {
        // The element around it may say it more exactly.
        let declared = document.parent(id).and_then(|above| declared_date(document, above));
        return declared.or_else(|| Some(normalize_space(text)));
    }
    declared_date(document, id)
}

fn declared_date(document: &Document, id: NodeId) -> Option<String> {
    DECLARING.iter().find_map(|name| {
        let value = document.attribute(id, name)?;
        is_date(value).then(|| value.to_owned())
    })
}

/// Returns where the posts after the first begin, with author and date of each.
pub(super) fn starts_of(posts: &[(NodeId, Post)]) -> Vec<PostStart> {
    let start = |(node, post): &(NodeId, Post)| {
        let parts: Vec<&str> =
            [&post.author, &post.date].into_iter().flatten().map(|s| &**s).collect();
        PostStart { node: *node, byline: parts.join(", ") }
    };
    posts.iter().skip(1).map(start).collect()
}

/// Returns the largest element around a node that does not contain another node.
fn outermost_without(document: &Document, id: NodeId, other: NodeId) -> NodeId {
    let mut around = id;
    for outer in document.ancestors(id) {
        if document.contains(outer, other) {
            break;
        }
        around = outer;
    }
    around
}

/// Returns the first value that `of` gives for the elements inside another.
fn find<T>(document: &Document, id: NodeId, of: impl Fn(NodeId) -> Option<T>) -> Option<T> {
    document.subtree(id).filter(|&own| document.name(own).is_some()).find_map(of)
}

fn short_text(document: &Document, id: NodeId, most: usize) -> Option<String> {
    let text = document.text_content(id);
    // Long texts are not searched.
    let text = (text.len() < 400).then(|| normalize_space(text))?;
    let words = text.split(' ').filter(|word| word.contains(char::is_alphanumeric)).count();
    (1..=most).contains(&words).then_some(text)
}

/// Returns the name that an element declares as that of the author.
fn declared_name(document: &Document, id: NodeId) -> Option<String> {
    let named =
        |own| has_property(document, own, "name").then(|| short_text(document, own, NAME_WORDS))?;
    has_property(document, id, "author").then(|| find(document, id, named))?
}

/// Returns the first element inside another with the same tag and first class name as the element of the posts' names or dates.
fn alike(document: &Document, within: NodeId, of_posts: NodeId) -> Option<NodeId> {
    let kind = |id| {
        let class = document.attribute(id, &local_name!("class"))?;
        Some((document.name(id)?, class_tokens(class).next()?))
    };
    let wanted = document.ancestors(of_posts).take(3).find_map(kind)?;
    document.subtree(within).find(|&id| kind(id) == Some(wanted))
}

/// Returns name and date in an element around the texts of a post that is not structured like others. `of_others` are those of
/// other posts. If the post is the first, its line with both may also be above the element.
fn signature_in(
    document: &Document,
    outer: NodeId,
    texts: &[NodeId],
    of_others: (Option<NodeId>, Option<NodeId>),
    is_first: bool,
) -> (Option<String>, Option<String>) {
    let (name, date) = of_others;
    let as_in_posts = || {
        let text = short_text(document, alike(document, outer, name?)?, NAME_WORDS)?;
        (!is_date(&text)).then_some(text)
    };
    let declared =
        || find(document, alike(document, outer, date?)?, |own| declared_date(document, own));
    let line = line_of_date(document, outer, texts);
    let above = || {
        let range = document.parent(outer).filter(|_| is_first).map_or(0..0, |above| above..outer);
        range.rev().take(MOST_ABOVE)
    };
    let author = find(document, outer, |own| declared_name(document, own))
        .or_else(as_in_posts)
        .or_else(|| find(document, outer, |own| name_text(document, own)))
        .or_else(|| line.and_then(|line| name_in_line(document, line.0)))
        .or_else(|| above().find_map(|own| name_text(document, own)));
    let date = declared()
        .or_else(|| find(document, outer, |own| date_text(document, own)))
        .or_else(|| line.and_then(|line| written_date(document, line.1)))
        .or_else(|| above().find_map(|own| date_text(document, own)));
    (author, date)
}

/// Returns the element that holds the first date outside of the texts of a post, and the text with the date.
fn line_of_date(document: &Document, id: NodeId, texts: &[NodeId]) -> Option<(NodeId, NodeId)> {
    let is_date = |own: &NodeId| document.text(*own).is_some() && has_date(document, *own);
    let is_in_text = |own: NodeId| texts.iter().any(|&text| document.contains(text, own));
    let date = document.subtree(id).filter(is_date).find(|&own| !is_in_text(own))?;
    let line = document.ancestors(date).take(4).find(|&above| {
        let text = document.text_content(above).trim();
        text.len() > document.text(date).unwrap_or_default().trim().len()
    })?;
    Some((line, date))
}

/// Returns the first element in a short line that consists of a name ("Asked by <b>Ann</b> on 3 May 2012").
fn name_in_line(document: &Document, line: NodeId) -> Option<String> {
    short_text(document, line, DATE_WORDS)?;
    let texts = document.subtree(line).filter(|&own| {
        let parent = document.parent(own);
        parent != Some(line) && document.text(own).is_some_and(|text| may_be_name(text.trim()))
    });
    texts.into_iter().find_map(|own| author_of(document, own))
}

/// Returns the name in an element whose attributes say that it is one.
fn name_text(document: &Document, id: NodeId) -> Option<String> {
    let text = is_named(document, id, &NAMED).then(|| short_text(document, id, NAME_WORDS))??;
    let name = bare_name(&text);
    name.contains(char::is_alphabetic).then(|| name.to_owned())
}

/// Returns the date in an element whose attributes say that it is one.
fn date_text(document: &Document, id: NodeId) -> Option<String> {
    let attribute =
        |name| document.attribute(id, &name).filter(|text| has_digit(text)).map(str::to_owned);
    let is_time = document.is(id, &local_name!("time"));
    let is_exact = |own: &NodeId| document.is(*own, &local_name!("time"));
    let datetime = |own| document.attribute(own, &local_name!("datetime"));
    if let Some(own) = document.subtree(id).take(4).filter(is_exact).find_map(datetime) {
        return Some(own.to_owned());
    }
    if !(is_time || is_named(document, id, &DATED)) {
        return None;
    }
    attribute(local_name!("content"))
        .or_else(|| short_text(document, id, DATE_WORDS).filter(|text| has_digit(text)))
}

#[cfg(test)]
mod tests {
    use super::super::thread::{tests::page_of, thread_of};
    use super::*;
    use crate::parsed::parse_page;
    use crate::settings::Settings;

    /// The posts of a page whose elements with the class `body` are kept.
    fn posts_in(html: &str) -> Vec<Post> {
        let (page, settings) = (page_of(html), Settings::standard());
        let parsed = parse_page(&page, &settings);
        let document = &parsed.document;
        let is_body = |id: &NodeId| document.attribute(*id, &local_name!("class")) == Some("body");
        let nodes: Vec<NodeId> = document.ids().filter(is_body).collect();
        let context = PageContext { body: Some(&nodes), ..PageContext::new(document, &page.url) };
        let blocks = grove::blocks(document, &parsed.words, &parsed.link_words);
        let is_kept =
            |at: &usize| nodes.iter().any(|&node| document.contains(node, blocks[*at].first));
        let kept: Vec<usize> = (0..blocks.len()).filter(is_kept).collect();
        let of_thread = thread_of(&parsed, &blocks, &kept, 1.0);
        let body = ArticleBody { nodes: nodes.clone(), posts: of_thread, ..ArticleBody::default() };
        posts(document, &body, &context, Some("en")).into_iter().map(|own| own.1).collect()
    }

    #[test]
    fn a_question_and_its_answers_are_posts() {
        let answer = |name: &str, day: u32, text: &str| {
            format!(
                "<div class=answer><div class=username>{name}</div><time datetime=2024-03-0{day}>\
                 </time><div class=body><p>{text}</div></div>"
            )
        };
        let html = format!(
            "<html lang=en><div class=question><span class=author>By Ann</span><div class=body><p>How \
             is it done?</div></div><div class=answers>{}{}</div><footer><div>About</div></footer>",
            answer("Bob B.", 1, "Like this, at length."),
            answer("cee", 2, "Or like that, in more words."),
        );
        let found = posts_in(&html);
        let each: Vec<(Option<&str>, Option<&str>, &str)> = (found.iter())
            .map(|post| (post.author.as_deref(), post.date.as_deref(), &*post.text))
            .collect();
        assert_eq!(
            each,
            [
                (Some("Ann"), None, "How is it done?"),
                (Some("Bob B."), Some("2024-03-01"), "Like this, at length."),
                (Some("cee"), Some("2024-03-02"), "Or like that, in more words."),
            ]
        );
    }

    #[test]
    fn a_question_may_have_another_structure_than_its_answers() {
        let answer = |name: &str, day: u32, text: &str| {
            format!(
                "<div class=answer><a href=/d class=doc>{name}</a><div class=body><p>{text}</div><small>{day} March 2024</small></div>"
            )
        };
        let answers = answer("Dr. Bob Berg", 2, "Like this, at length, and with a rope.")
            + &answer("Cee Lind <c@d.example>", 3, "Or like that, in some more words.");
        let line = "<p>Asked by <b>Ann</b> on <i>1 March 2024</i></p>";
        let stories =
            "<ul><li><span class=u-author>Ann</span> <time datetime=2024-03-01>1 March</time></ul>";
        for question in [
            format!("<div class=q>{line}<div class=body><p>How is it done?</div></div>"),
            format!("{stories}<div><div class=body><p>How is it done?</div></div>"),
        ] {
            let found = posts_in(&format!("<html lang=de><main>{question}{answers}</main>"));
            let first = &found[0];
            assert_eq!(first.author.as_deref(), Some("Ann"), "{question}");
            assert_eq!(first.date.as_deref().map(|date| &date[..10]), Some("2024-03-01"));
            assert_eq!(found[2].author.as_deref(), Some("Cee Lind"));
        }
    }

    #[test]
    fn who_comments_on_a_question_is_not_who_asked() {
        let answer = |name: &str, day: u32| {
            format!(
                "<div class=answer><div class=body><p>Like this, says {name}, and at length.</div><div itemprop=author><a \
                 href=/u/1>{name}</a> <span itemprop=name>{name}</span> 9k</div><time datetime=2024-03-0{day}></time></div>"
            )
        };
        let html = format!(
            "<html lang=en><div class=question><div class=body><p>How is it done?</div><a class=user href=/u/2>Zed Z.</a>\
             <div itemprop=author><a href=/u/3>Ann</a><span itemprop=name>Ann</span> 1k</div></div>{}{}",
            answer("Bob B.", 1),
            answer("cee", 2),
        );
        let names: Vec<Option<String>> =
            posts_in(&html).into_iter().map(|own| own.author).collect();
        assert_eq!(names, ["Ann", "Bob B.", "cee"].map(|name| Some(name.to_owned())));
    }

    #[test]
    fn a_question_is_signed_as_its_answers_are() {
        let signs = |name: &str, day: u32| {
            format!(
                "<a class=member href=/u>{name}</a> <i class=age title='2024-03-0{day}T10:00:00'>a while ago</i>"
            )
        };
        let answer = |name: &str, day: u32| {
            format!(
                "<tr class=answer><td>{}<div class=body>Like this, says {name}, and at length.</div></tr>",
                signs(name, day)
            )
        };
        let html = format!(
            "<html lang=en><table><tr><td>12 points by {}<tr><td><div class=body>How is it done?</div></table><table>{}{}</table>",
            signs("Ann", 1),
            answer("Bob B.", 2),
            answer("cee", 3),
        );
        let found = posts_in(&html).into_iter();
        let signs = found.map(|post| post.author.unwrap() + " " + &post.date.unwrap()[..10]);
        let expected = ["Ann 2024-03-01", "Bob B. 2024-03-02", "cee 2024-03-03"];
        assert_eq!(signs.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn dates_of_posts_ascend_and_the_first_is_that_of_the_page() {
        let post = |name: &str, came: u32, day: u32| {
            format!(
                "<div class=p><div><a href=/m/{name}>{name}</a><i>Joined 3 May {came}</i></div>\
                 <b>{day} June 2024</b><div class=body><p>Words of {name}, and of the day {day}.</div></div>"
            )
        };
        let found = posts_in(&(post("Ann", 2019, 4) + &post("Bo", 2011, 5) + &post("Cy", 2014, 6)));
        let dates: Vec<&str> = found.iter().filter_map(|post| post.date.as_deref()).collect();
        assert_eq!(dates, ["2024-06-04", "2024-06-05", "2024-06-06"]);
        let posts: Vec<(NodeId, Post)> = (1..).zip(found).collect();
        let authors = |name: &str, source| Some(Field::new(vec![name.to_owned()], source));
        let mut metadata = Metadata { authors: authors("Cy", Source::Page), ..Metadata::default() };
        ask_first_post(&mut metadata, &posts);
        assert_eq!(metadata.authors.unwrap().value, ["Ann"]);
        assert_eq!(metadata.published.unwrap().value, "2024-06-04");
        let mut metadata =
            Metadata { authors: authors("Dot", Source::JsonLd), ..Metadata::default() };
        ask_first_post(&mut metadata, &posts);
        assert_eq!(metadata.authors.unwrap().value, ["Dot"]);
    }

    const TEXTS: [&str; 4] = [
        "The lamp at the end of the pier goes out whenever the wind turns to the north.",
        "Have a look at the seal of the glass, which lets the water in after some years.",
        "Mine had the same trouble until the wick was cut, and has been fine ever since.",
        "The keepers of the old tower used to trim theirs twice a night, as their books tell.",
    ];

    /// Returns authors and days of the posts of a page. `post` makes the HTML of each from its number, name, day and text.
    fn signed(post: impl Fn(usize, &str, u32, &str) -> String) -> Vec<(String, String)> {
        let names = ["Ann", "Bo", "Cy", "Dot"];
        let all = (0..4).map(|n| post(n, names[n], n as u32 + 4, TEXTS[n]));
        let day = |date: Option<String>| date.unwrap_or_default().chars().take(10).collect();
        let found = posts_in(&all.collect::<String>());
        found.into_iter().map(|own| (own.author.unwrap_or_default(), day(own.date))).collect()
    }

    fn expected() -> Vec<(String, String)> {
        let names = ["Ann", "Bo", "Cy", "Dot"].iter().zip(4..);
        names.map(|(name, day)| ((*name).to_owned(), format!("2024-06-0{day}"))).collect()
    }

    #[test]
    fn members_joined_before_they_wrote() {
        let found = signed(|n, name, day, text| {
            let member = ["username", "username-coloured"][n % 2];
            format!(
                "<div class=p><dl><dt><a class={member} href=/u/{n}>{name}</a><dd>Posts: {n}4<dd>Joined: Mon Jan 0{}, 2018 \
                 3:00 pm</dl><p class=author><a href=#{n}><i class=sr-only>Post</i></a> by <a class={member} href=/u/{n}>{name}</a> » Tue Jun 0{day}, 2024 8:1{n} am</p>\
                 <div class=body>{text}</div></div>",
                n + 1
            )
        });
        assert_eq!(found, expected());
        let found = signed(|n, name, day, text| {
            format!(
                "<article class=p><h4 class=username>{name}</h4><dl><dt>Joined<dd>May 5, 2015</dl><header>\
                 <time datetime='2024-06-0{day}T12:00:00+0000'>Jun {day}, 2024</time> #{n}</header>\
                 <div class=body>{text}</div><div>Last edited: <time datetime='2024-06-2{n}T09:00:00+0000'>Jun 2{n}, \
                 2024</time></div></article>"
            )
        });
        assert_eq!(found, expected());
    }

    #[test]
    fn declared_names_come_before_initials_and_who_is_answered() {
        let found = signed(|n, name, day, text| {
            let (initial, other) = (&name[..1], ["Dot", "Ann", "Ann", "Bo"][n]);
            let status = ["Online", "Offline"][n % 2];
            format!(
                "<div class=p><div class=re><a href=/u/{other}>{other}</a></div><div itemprop=author itemscope><a \
                 href=/u/{name}><span class=avatar>{initial}</span> <span class=visually-hidden>{status}</span></a><a href=/u/{name}>{name}</a> <time datetime='2024-06-0{day}'>a while ago</time></div>\
                 <div class=body>{text}</div></div>"
            )
        });
        assert_eq!(found, expected());
        let found = signed(|_, name, day, text| {
            let initial = &name[..1];
            format!(
                "<div class=p><a class=user href=/u/{name}>{initial}</a><b>{name}</b> <time datetime='2024-06-0{day}'>a \
                 while ago</time><div class=body>{text}</div></div>"
            )
        });
        assert_eq!(found, expected());
    }

    #[test]
    fn dates_may_stand_in_the_text() {
        let post = |n: usize, name: &str, day: u32, text: &str| {
            format!(
                "<div class=p><b class=user>{name}</b><div class=body><a title='Reply #{n} - How' href=#p{n}>June 0{day}, 2024, \
                 08:1{n}:00 AM</a> {text}</div></div>"
            )
        };
        assert_eq!(signed(post), expected());
    }

    #[test]
    fn who_edits_is_not_who_writes() {
        let card = |what: &str, name: &str, day: u32| {
            format!(
                "<div class=card><div>{what} <span title='2024-06-{day:02} 10:11:12Z'>Jun {day} at 10:11</span></div>\
                 <div class=user><a href=/u/{name}>{name}</a></div></div>"
            )
        };
        let found = signed(|n, name, day, text| {
            let what = if n == 0 { "asked" } else { "answered" };
            let editor = ["Eve", "Fay", "Gil", "Hal"][n];
            format!(
                "<div class=p><div class=body>{text}</div>{}{}</div>",
                card("edited", editor, day + 9),
                card(what, name, day)
            )
        });
        assert_eq!(found, expected());
    }

    #[test]
    fn answers_within_what_they_answer_have_dates() {
        let open = |n: usize, name: &str, day: u32, text: &str| {
            format!(
                "<div class=p><p><a class=author href=/u/{n}>{name}</a> {n} points <time \
                 datetime='2024-06-0{day}T05:00:00+00:00'>a while ago</time></p><div class=body>{text}</div>\
                 <ul><li>reply<li>save</ul><div class=child>"
            )
        };
        assert_eq!(signed(open), expected());
    }
}
