//! Pictures with a caption that is marked only by a class: WordPress and many others write them
//! with `div` and `p`.

use std::collections::BTreeMap;

use html5ever::{LocalName, local_name};

use super::text::{Kept, for_each_kept, is_space};
use crate::{Document, NodeId, class_tokens, is_inline};

/// Classes of captions and credits.
const CAPTIONS: [&str; 17] = [
    "article-image-caption",
    "caption",
    "caption-text",
    "credit",
    "figure-caption",
    "image-caption",
    "image-credit",
    "image__caption",
    "img-caption",
    "imgcaption",
    "media-caption",
    "media__caption",
    "photo-caption",
    "photo-credit",
    "photocaption",
    "picture-caption",
    "wp-caption-text",
];

/// Replacement names of kept elements: `figcaption` for an element with a caption class, and
/// `figure` for the element around it, if that contains a kept picture and no other text.
pub(super) fn figures(
    document: &Document,
    roots: &[NodeId],
    prune: &[NodeId],
) -> BTreeMap<NodeId, &'static str> {
    let mut found = BTreeMap::new();
    let is_picture = |id: NodeId| document.is(id, &local_name!("img"));
    if !roots.iter().any(|&root| document.subtree(root).any(is_picture)) {
        return found;
    }
    let (mut pictures, mut texts, mut captions) = (Vec::new(), Vec::new(), Vec::new());
    let mut kept = Vec::new();
    for_each_kept(document, roots, prune, &mut |event| match event {
        Kept::Open(id) => {
            kept.push(id);
            if is_picture(id) {
                pictures.push(id);
            } else if is_caption(document, id) {
                captions.push(id);
            }
        }
        Kept::Text(id) if !document.text(id).unwrap_or_default().chars().all(is_space) => {
            texts.push(id);
        }
        _ => {}
    });
    if pictures.is_empty() {
        return found;
    }
    for &caption in &captions {
        let Some(around) = document.parent(caption) else { continue };
        let has = |ids: &[NodeId], of: NodeId| {
            let from = ids.partition_point(|&id| id < of);
            ids.get(from).is_some_and(|&id| document.contains(of, id))
        };
        let is_free = match document.name(around) {
            Some(&local_name!("figure")) => !document
                .children(around)
                .any(|c| document.is(c, &local_name!("figcaption")) || found.contains_key(&c)),
            Some(name) => may_be_figure(name) && !found.contains_key(&around),
            None => false,
        };
        if !is_free || has(&pictures, caption) || kept.binary_search(&around).is_err() {
            continue;
        }
        let from = texts.partition_point(|&id| id < around);
        let mut inside = texts[from..].iter().take_while(|&&id| document.contains(around, id));
        let of_caption = |&text: &NodeId| {
            let before = captions.partition_point(|&id| id <= text);
            captions[..before].iter().rev().take(8).any(|&c| document.contains(c, text))
        };
        if has(&pictures, around) && has(&texts, caption) && inside.all(of_caption) {
            if !document.is(around, &local_name!("figure")) {
                found.insert(around, "figure");
            }
            found.insert(caption, "figcaption");
        }
    }
    found
}

fn is_caption(document: &Document, id: NodeId) -> bool {
    let named = matches!(
        document.name(id),
        Some(&(local_name!("p") | local_name!("div") | local_name!("span") | local_name!("small")))
    );
    named
        && document.attribute(id, &local_name!("class")).is_some_and(|classes| {
            class_tokens(classes)
                .any(|class| CAPTIONS.iter().any(|caption| caption.eq_ignore_ascii_case(class)))
        })
}

/// Whether the element can be a figure in its place, and contain a caption.
fn may_be_figure(name: &LocalName) -> bool {
    !is_inline(name)
        && !matches!(
            *name,
            local_name!("html")
                | local_name!("body")
                | local_name!("p")
                | local_name!("li")
                | local_name!("dt")
                | local_name!("dd")
                | local_name!("td")
                | local_name!("th")
                | local_name!("tr")
                | local_name!("tbody")
                | local_name!("table")
                | local_name!("pre")
                | local_name!("figcaption")
                | local_name!("summary")
                | local_name!("h1")
                | local_name!("h2")
                | local_name!("h3")
                | local_name!("h4")
                | local_name!("h5")
                | local_name!("h6")
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{html_of, parse, text_of};
    use url::Url;

    fn html(source: &str) -> String {
        let d = parse(source);
        let body = d.ids().find(|&i| d.is(i, &local_name!("body"))).unwrap();
        let base = Url::parse("https://news.example/").unwrap();
        let html = html_of(&d, &d.children(body).collect::<Vec<_>>(), &[], &base);
        assert_eq!(text_of(&parse(&html), &[0], &[]).split_whitespace().count(), {
            text_of(&d, &[0], &[]).split_whitespace().count()
        });
        html
    }

    #[test]
    fn captions_by_class() {
        assert_eq!(
            html(
                "<div class=wp-caption><a href=/b><img src=/i.png></a><p class='wp-caption-text'>A dog</div>"
            ),
            "<figure><a href=\"https://news.example/b\"><img src=\"https://news.example/i.png\"></a><figcaption>A dog</figcaption></figure>"
        );
        assert_eq!(
            html("<figure><img src=/i.png><span class=caption>A dog</span></figure>"),
            "<figure><img src=\"https://news.example/i.png\"><figcaption>A dog</figcaption></figure>"
        );
        // Not for an article with other text, a figure that has its caption, or an element without
        // picture.
        for other in [
            "<div><img src=/i.png><p class=caption>A dog</p><p>And text.</p></div>",
            "<figure><img src=/i.png><p class=credit>X</p><figcaption>A dog</figcaption></figure>",
            "<div><p class=caption>A dog</p></div><img src=/i.png>",
            "<div><p class=caption><img src=/i.png> A dog</p></div>",
            "<p><img src=/i.png><span class=caption>A dog</span></p>",
        ] {
            let written = html(other);
            let before = other.matches("<figcaption").count();
            assert_eq!(written.matches("<figcaption").count(), before, "{written}");
        }
    }

    #[test]
    fn a_picture_that_is_taken_out_has_no_figure() {
        let d = parse("<div><img src=/i.png><p class=caption>A dog</p></div>");
        let find = |n: &str| d.ids().find(|&i| d.name(i).is_some_and(|x| &**x == n)).unwrap();
        assert!(figures(&d, &[find("div")], &[find("img")]).is_empty());
        assert_eq!(figures(&d, &[find("div")], &[]).len(), 2);
    }
}
