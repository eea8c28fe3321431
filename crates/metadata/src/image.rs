//! The lead image.

use dom::local_name;
use model::{Field, Source};

use crate::addresses::absolute;
use crate::evidence::Evidence;

/// Lead image, absolute: the image declared for sharing, else the first of the body.
pub(crate) fn image(evidence: &Evidence<'_>) -> Option<Field<String>> {
    let facts = &evidence.facts;
    let article = facts.article.as_ref().and_then(|a| a.image.as_deref());
    let page = facts.page.as_ref().and_then(|a| a.image.as_deref());
    evidence
        .metas_of(&["og:image", "og:image:url", "og:image:secure_url"])
        .map(|v| (Source::OpenGraph, v))
        .chain(article.map(|v| (Source::JsonLd, v)))
        .chain(
            evidence
                .metas_of(&[
                    "twitter:image",
                    "twitter:image:src",
                    "sailthru.image.full",
                    "image",
                    "thumbnailurl",
                ])
                .map(|v| (Source::Meta, v)),
        )
        .chain(page.map(|v| (Source::JsonLd, v)))
        .chain(evidence.head().link("image_src").map(|v| (Source::Meta, v)))
        .filter(|(_, address)| !is_filler(address))
        .find_map(|(source, address)| {
            Some(Field { value: absolute(evidence.base.as_ref(), address)?, source })
        })
        .or_else(|| body_image(evidence))
}

/// First image of the body that is not known to be small. Lazily loaded images have their address
/// in another attribute.
fn body_image(evidence: &Evidence<'_>) -> Option<Field<String>> {
    let document = evidence.document;
    let (start, end) = evidence.body?;
    let is_in_body = |id| {
        let mut roots = evidence.body_nodes.iter();
        roots.any(|root| (*root as usize) < document.len() && document.contains(*root, id))
    };
    (start..end)
        .filter(|id| document.is(*id, &local_name!("img")))
        .take(20)
        .filter(|id| evidence.scan.zone_end(*id).is_none() || is_in_body(*id))
        .find_map(|id| {
            let element = document.element(id)?;
            let mut addresses = [None; 6];
            for (name, value) in element.attributes() {
                let value = value.trim();
                match &**name {
                    "width" | "height" if value.parse::<u32>().is_ok_and(|n| n < 100) => {
                        return None;
                    }
                    "data-src" => addresses[0] = Some(value),
                    "data-original" => addresses[1] = Some(value),
                    "data-lazy-src" => addresses[2] = Some(value),
                    "src" => addresses[3] = Some(value),
                    "data-srcset" | "srcset" => addresses[4] = first_of_srcset(value),
                    "data-lazy" => addresses[5] = Some(value),
                    _ => {}
                }
            }
            let address = addresses.into_iter().flatten().filter(|a| !is_filler(a));
            let value = address.filter_map(|a| absolute(evidence.base.as_ref(), a)).next()?;
            Some(Field { value, source: Source::Page })
        })
}

fn first_of_srcset(value: &str) -> Option<&str> {
    value.split_ascii_whitespace().next()
}

/// Placeholder and tracking images.
fn is_filler(address: &str) -> bool {
    let mut filler = address.starts_with("data:") || address.is_empty();
    crate::text::identifier_words(address, |word| {
        filler |= matches!(word, "placeholder" | "spacer" | "pixel" | "blank" | "transparent");
    });
    filler
}
