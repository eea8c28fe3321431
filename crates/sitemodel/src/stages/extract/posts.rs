//! The posts of a thread: its text by post, each with author and date.
//!
//! Posts are elements of one tag under one parent that hold most of the text, and at least half of which name an author
//! or a date. What is kept outside of them (a question above its answers) is a post by itself.

use dom::{Document, NodeId, PrefixSums, local_name, normalize_space, text_of};
use metadata::{PageContext, date_of};
use model::Post;
use region::PostStart;

use crate::body::ArticleBody;
use crate::parsed::ParsedPage;

/// Least share of the kept words that the posts hold.
const MOST_WORDS: f32 = 0.5;
/// Most groups of elements that are looked through for authors and dates.
const MOST_GROUPS: usize = 16;
/// Most words of a name, and of a date.
const NAME_WORDS: usize = 5;
const DATE_WORDS: usize = 12;

/// Parts of class names, ids and roles of elements that hold a name, or a date.
const NAMED: [&str; 8] =
    ["author", "username", "user-name", "poster", "byline", "nick", "creator", "screenname"];
const DATED: [&str; 5] = ["date", "time", "posted", "published", "created"];

/// Splits the body of a thread into posts, each with the node that it begins with; none if it has no such form. Linear in the page's nodes for each level
/// around its text.
pub(super) fn posts(
    parsed: &ParsedPage<'_>,
    body: &ArticleBody,
    context: &PageContext<'_>,
    language: Option<&str>,
) -> Vec<(NodeId, Post)> {
    let document = &parsed.document;
    let kept = kept_words(parsed, body);
    let Some(entries) = entries(document, &kept) else { return Vec::new() };
    let post = |id: NodeId, text: String| {
        let date = find(document, id, |own| date_text(document, own));
        Post {
            author: find(document, id, |own| name_text(document, own)),
            date: date.and_then(|text| date_of(context, language, &text)),
            text,
        }
    };
    let inside = |outer: NodeId, id: NodeId| document.contains(outer, id);
    let mut posts = Vec::new();
    // In document order: kept elements before, between and after the entries are posts by themselves.
    let mut rest: Vec<NodeId> = Vec::new();
    let text = |nodes: &[NodeId]| text_of(document, nodes, &body.prune);
    for &entry in &entries {
        let before = body.nodes.iter().copied().filter(|&id| {
            document.node(id).end <= entry && !entries.iter().any(|&own| inside(own, id))
        });
        let before: Vec<NodeId> = before.filter(|id| !rest.contains(id)).collect();
        if !before.is_empty() {
            let own = text(&before);
            rest.extend(&before);
            let post = || (before[0], post(around(document, before[0], entry), own.clone()));
            posts.extend((!own.is_empty()).then(post));
        }
        let nodes: Vec<NodeId> = if body.nodes.iter().any(|&id| inside(id, entry)) {
            vec![entry]
        } else {
            body.nodes.iter().copied().filter(|&id| inside(entry, id)).collect()
        };
        let own = text(&nodes);
        posts.extend((!own.is_empty()).then(|| (entry, post(entry, own))));
    }
    posts
}

/// Where the posts after the first begin, with what is said of who wrote them.
pub(super) fn starts_of(posts: &[(NodeId, Post)]) -> Vec<PostStart> {
    let start = |(node, post): &(NodeId, Post)| {
        let parts: Vec<&str> =
            [&post.author, &post.date].into_iter().flatten().map(|s| &**s).collect();
        PostStart { node: *node, byline: parts.join(", ") }
    };
    posts.iter().skip(1).map(start).collect()
}

/// Words of the body in each text node, summed.
fn kept_words(parsed: &ParsedPage<'_>, body: &ArticleBody) -> PrefixSums {
    let document = &parsed.document;
    let mut is_kept = vec![false; document.len()];
    for (nodes, keep) in [(&body.nodes, true), (&body.prune, false)] {
        for &id in nodes {
            is_kept[id as usize..document.node(id).end as usize].fill(keep);
        }
    }
    PrefixSums::new(
        document,
        |id| {
            if is_kept[id as usize] { parsed.words.range(id, id + 1) } else { 0 }
        },
    )
}

/// The entries: of the groups with enough words the one with the most authors and dates.
fn entries(document: &Document, kept: &PrefixSums) -> Option<Vec<NodeId>> {
    let all = kept.total() as f32;
    let mut best: Option<(usize, Vec<NodeId>)> = None;
    let mut looked_at = 0;
    let holds_most = |id: NodeId| kept.sum(document, id) as f32 >= MOST_WORDS * all;
    for parent in document.ids().filter(|&id| document.name(id).is_some() && holds_most(id)) {
        let children: Vec<NodeId> = (document.children(parent))
            .filter(|&id| document.name(id).is_some() && kept.sum(document, id) > 0)
            .collect();
        let Some(&first) = children.first() else { continue };
        let mut tags: Vec<_> = children.iter().filter_map(|&id| document.name(id)).collect();
        tags.sort_unstable();
        tags.dedup();
        for tag in tags {
            let group: Vec<NodeId> =
                children.iter().copied().filter(|&id| document.name(id) == Some(tag)).collect();
            let words: u32 = group.iter().map(|&id| kept.sum(document, id)).sum();
            if group.len() < 2 || (words as f32) < MOST_WORDS * all || first == 0 {
                continue;
            }
            looked_at += 1;
            if looked_at > MOST_GROUPS {
                return best.map(|best| best.1);
            }
            let is_signed = |id: &&NodeId| {
                find(document, **id, |own| name_text(document, own)).is_some()
                    || find(document, **id, |own| date_text(document, own)).is_some()
            };
            let signed = group.iter().filter(is_signed).count();
            if signed * 2 >= group.len() && best.as_ref().is_none_or(|best| signed >= best.0) {
                best = Some((signed, group));
            }
        }
    }
    best.map(|best| best.1)
}

/// The largest element around a node that does not hold another.
fn around(document: &Document, id: NodeId, other: NodeId) -> NodeId {
    let mut around = id;
    for outer in document.ancestors(id) {
        if document.contains(outer, other) {
            break;
        }
        around = outer;
    }
    around
}

/// What the first element inside gives that gives something.
fn find<T>(document: &Document, id: NodeId, of: impl Fn(NodeId) -> Option<T>) -> Option<T> {
    document.subtree(id).filter(|&own| document.name(own).is_some()).find_map(of)
}

/// Whether an element is named by one of these words.
fn is_named(document: &Document, id: NodeId, words: &[&str]) -> bool {
    [local_name!("class"), local_name!("itemprop"), local_name!("rel")].iter().any(|name| {
        document.attribute(id, name).is_some_and(|value| {
            let value = value.to_ascii_lowercase();
            words.iter().any(|word| value.contains(word))
        })
    })
}

fn short_text(document: &Document, id: NodeId, most: usize) -> Option<String> {
    let text = document.text_content(id);
    // Long ones are not looked through.
    let text = (text.len() < 400).then(|| normalize_space(text))?;
    let words = text.split(' ').filter(|word| word.contains(char::is_alphanumeric)).count();
    (1..=most).contains(&words).then_some(text)
}

/// The name that an element gives, if it is named so.
fn name_text(document: &Document, id: NodeId) -> Option<String> {
    let text = is_named(document, id, &NAMED).then(|| short_text(document, id, NAME_WORDS))??;
    let name = text.strip_prefix("by ").or(text.strip_prefix("By ")).unwrap_or(&text);
    name.contains(char::is_alphabetic).then(|| name.trim_end_matches([',', ':']).to_owned())
}

/// The date that an element gives, if it is named so.
fn date_text(document: &Document, id: NodeId) -> Option<String> {
    let has_digit = |text: &&str| text.bytes().any(|byte| byte.is_ascii_digit());
    let attribute = |name| document.attribute(id, &name).filter(has_digit).map(str::to_owned);
    let is_time = document.is(id, &local_name!("time"));
    if is_time && let Some(own) = attribute(local_name!("datetime")) {
        return Some(own);
    }
    if !(is_time || is_named(document, id, &DATED)) {
        return None;
    }
    attribute(local_name!("content"))
        .or_else(|| short_text(document, id, DATE_WORDS).filter(|text| has_digit(&text.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed::parse_page;
    use crate::settings::Settings;

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
        let page = model::Page {
            url: "https://forum.example/t/1".into(),
            site: "forum.example".into(),
            origin: model::Origin {
                file: "a.html".into(),
                offset: 0,
                record_id: String::new(),
                truncated: None,
            },
            fetched: None,
            charset: model::Charset {
                name: "UTF-8",
                evidence: model::CharsetEvidence::Http,
                overruled: model::Overruled::default(),
            },
            html: html.into(),
        };
        let settings = Settings::standard();
        let parsed = parse_page(&page, &settings);
        let document = &parsed.document;
        let is_body = |id: &NodeId| document.attribute(*id, &local_name!("class")) == Some("body");
        let nodes: Vec<NodeId> = document.ids().filter(is_body).collect();
        let context = PageContext {
            document,
            url: &page.url,
            json_ld: Some(parsed.json_ld()),
            scan: Some(parsed.scan()),
            fetched: None,
            feed_items: &[],
            body: Some(&nodes),
            detected: None,
            learnt: None,
            body_text: "",
        };
        let body = ArticleBody { nodes: nodes.clone(), ..ArticleBody::default() };
        let found = posts(&parsed, &body, &context, Some("en"));
        let each: Vec<(Option<&str>, Option<&str>, &str)> = (found.iter())
            .map(|(_, post)| (post.author.as_deref(), post.date.as_deref(), &*post.text))
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
}
