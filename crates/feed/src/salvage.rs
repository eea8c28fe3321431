//! Splits a malformed feed into its items, so that the valid ones can be read.

use crate::repair::root;

/// One small feed for each item of a broken one, in order: the root's start tag, the item, the
/// root's end tag.
pub(crate) fn single_item_feeds(text: &str) -> impl Iterator<Item = String> {
    let (start, end) = root(text).unwrap_or_default();
    let tag = &text[start..end];
    let name = tag
        .get(1..)
        .and_then(|name| name.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).next());
    let name = name.unwrap_or_default();
    let local = name.rsplit(':').next().unwrap_or(name).to_ascii_lowercase();
    let form = match local.as_str() {
        "rss" => Some(("item", "<channel>", "</channel>")),
        "rdf" => Some(("item", "", "")),
        "feed" => Some(("entry", "", "")),
        _ => None,
    };
    let mut rest = &text[end..];
    std::iter::from_fn(move || {
        let (element, open, close) = form?;
        let (item, behind) = next_element(rest, element)?;
        rest = behind;
        Some(format!("{tag}{open}{item}{close}</{name}>"))
    })
}

/// The next element of this name that has an end tag before the next start tag of that name.
fn next_element<'a>(text: &'a str, element: &str) -> Option<(&'a str, &'a str)> {
    let end_tag = format!("</{element}>");
    let item = &text[find_start_tag(text, element)?..];
    let end = item.find(&end_tag)? + end_tag.len();
    let (mut whole, behind) = item.split_at(end);
    // An unterminated element is skipped for the one that begins inside it.
    while let Some(inner) = find_start_tag(&whole[1..], element) {
        whole = &whole[1 + inner..];
    }
    Some((whole, behind))
}

/// The position of the next start tag of this name.
fn find_start_tag(text: &str, element: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find('<')?;
        let behind = text[at + 1..].strip_prefix(element);
        if behind.is_some_and(|rest| rest.starts_with(|c: char| c == '>' || c.is_whitespace())) {
            return Some(at);
        }
        at += 1;
    }
}

/// Whether the text contains anything that looks like an item.
pub(crate) fn has_items(text: &str) -> bool {
    if text.starts_with('{') {
        let items = text.find("\"items\"").map(|at| text[at + 7..].trim_start());
        let list = items.and_then(|rest| rest.strip_prefix(':')).map(str::trim_start);
        return list
            .and_then(|rest| rest.strip_prefix('['))
            .is_some_and(|rest| rest.trim_start().starts_with('{'));
    }
    ["item", "entry", "rss:item", "atom:entry"]
        .iter()
        .any(|name| find_start_tag(text, name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_items_only() {
        let text = "<rss a='b'><channel><items/><item>1</item><item>2<item x=''>3</item><item>4";
        assert_eq!(
            single_item_feeds(text).collect::<Vec<_>>(),
            [
                "<rss a='b'><channel><item>1</item></channel></rss>",
                "<rss a='b'><channel><item x=''>3</item></channel></rss>"
            ]
        );
        assert!(has_items(text) && !has_items("<rss><items/></rss>"));
        assert!(has_items("{\"items\" : [ {") && !has_items("{\"items\": []}"));
    }
}
