//! Inlines frames whose document is in the page itself (HTML §4.8.5, `srcdoc`).

use html5ever::{LocalName, local_name};

use crate::flatten::count_visible;
use crate::{AsidePlace, Builder, Document, NodeId};

/// Frames with less text than this, in bytes without white space, contain widgets and advertisements.
const LEAST: usize = 200;

/// Replaces such frames by their content, which `parse` parses. Frames within frames are left out. Linear in both documents.
pub(crate) fn with_frames(document: Document, parse: impl Fn(&str) -> Document) -> Document {
    let Some(aside) = document.aside() else { return document };
    let srcdoc = |place: &AsidePlace| {
        let is_frame = aside.document.is(place.id, &local_name!("iframe"));
        let own = || aside.document.attribute(place.id, &LocalName::from("srcdoc"));
        is_frame.then(own).flatten().filter(|own| own.len() >= LEAST)
    };
    if !aside.places.iter().any(|place| srcdoc(place).is_some()) {
        return document;
    }
    let mut builder = Builder::new(document.head().clone(), document.notes());
    copy(&document, 0, &mut builder, &mut |builder, place| {
        let inner = srcdoc(place).map(&parse);
        let inner = inner.filter(|inner| count_visible(inner.all_text(), LEAST) >= LEAST);
        let Some(inner) = inner else {
            return copy(&aside.document, place.id, builder, &mut |_, _| {});
        };
        builder.open(&local_name!("div"), std::iter::empty());
        let is_body = |id: &NodeId| inner.is(*id, &local_name!("body"));
        for child in inner.ids().find(is_body).into_iter().flat_map(|body| inner.children(body)) {
            copy(&inner, child, builder, &mut |_, _| {});
        }
        builder.close();
    });
    builder.finish()
}

/// Copies a subtree; `write` writes the elements of the aside whose places are in it.
fn copy(
    document: &Document,
    root: NodeId,
    builder: &mut Builder,
    write: &mut impl FnMut(&mut Builder, &AsidePlace),
) {
    let places = document.aside().map_or(&[][..], |aside| &aside.places);
    let from = places.partition_point(|place| place.before <= root);
    let mut places = places[from..].iter().peekable();
    let end = document.node(root).end;
    let mut open: Vec<NodeId> = Vec::new();
    let mut id = root;
    while id <= end {
        while let Some(place) = places.next_if(|place| place.before <= id) {
            let is_over =
                |last: &mut NodeId| *last != place.parent && document.node(*last).end <= id;
            while open.pop_if(is_over).is_some() {
                builder.close();
            }
            if !open.is_empty() {
                write(builder, place);
            }
        }
        while open.pop_if(|last| document.node(*last).end <= id).is_some() {
            builder.close();
        }
        if id == end {
            return;
        }
        if let Some(element) = document.element(id) {
            builder.open(element.name, element.attributes());
            open.push(id);
        } else {
            let text = document.text(id).unwrap_or_default();
            let mut from = 0;
            while let Some(place) = places.next_if(|place| place.is_within(document, id)) {
                let within = (place.within as usize).max(from);
                builder.text(&text[from..within]);
                from = within;
                write(builder, place);
            }
            builder.text(&text[from..]);
        }
        id += 1;
    }
}

#[cfg(test)]
mod tests {
    use crate::{parse, text_of};

    #[test]
    fn frames_with_their_own_text_are_read() {
        let long = "A storm closed the harbour. ".repeat(12);
        let inner =
            format!("&lt;title>t&lt;/title>&lt;p>{long}&lt;/p>&lt;iframe srcdoc='x'>&lt;/iframe>");
        let page = parse(&format!(
            "<title>Page</title><p>one<iframe src=/x></iframe>two<iframe srcdoc=\"{inner}\"></iframe>\
             three</p><iframe srcdoc='&lt;p>short'></iframe><b>four</b><iframe src=/y></iframe>"
        ));
        assert_eq!(
            text_of(&page, &[0], &[]),
            format!("onetwo\n\n{}\n\nthree\n\nfour", long.trim())
        );
        assert_eq!(page.head().title.as_deref(), Some("Page"));
        let places: Vec<_> = page
            .aside()
            .unwrap()
            .places
            .iter()
            .map(|place| (page.name(place.parent).unwrap().to_string(), place.within))
            .collect();
        assert_eq!(places.len(), 3, "{places:?}");
        assert_eq!(places[0], ("p".to_owned(), 3));
    }
}
