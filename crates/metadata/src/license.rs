//! The licence of an article, where the page states one.

use dom::local_name;
use model::{Field, Source};

use crate::addresses::absolute;
use crate::evidence::Evidence;
use crate::text::plain;

/// Metas that state the rights, the most specific first.
const METAS: [&str; 6] = [
    "dcterms.license",
    "dc.rights.license",
    "dc.license",
    "dc.rights",
    "dcterms.rights",
    "license",
];
/// Longest statement, in bytes.
const LONGEST: usize = 300;

/// Licence: JSON-LD `license`, `<link rel=license>`, a link with `rel=license` outside of the body, Dublin Core metas, such a
/// link within the body. Addresses are absolute.
pub(crate) fn license(evidence: &Evidence<'_>) -> Option<Field<String>> {
    let base = evidence.base.as_ref();
    let address = |text: &str| absolute(base, text);
    let json = evidence.facts.nodes().find_map(|node| {
        let stated = node.license.as_deref()?;
        // A name ("CC BY 4.0") is no address.
        let is_address = stated.contains("://") || stated.starts_with('/');
        let value = if is_address { address(stated)? } else { plain(stated) };
        Some(Field { value, source: Source::JsonLd })
    });
    let of_head = || {
        let value = address(evidence.head().link("license")?)?;
        Some(Field { value, source: Source::Meta })
    };
    let metas = || {
        let stated = evidence.metas_of(&METAS).map(plain);
        let fits = |value: &String| !value.is_empty() && value.len() <= LONGEST;
        stated.filter(fits).map(|value| Field { value, source: Source::Meta }).next()
    };
    let on_page = |inside: bool| {
        let body = evidence.body.unwrap_or_default();
        let mut links = evidence.scan.licenses.iter();
        let link = links.find(|id| (body.0..body.1).contains(*id) == inside)?;
        let href = evidence.document.attribute(*link, &local_name!("href"))?;
        Some(Field { value: address(href)?, source: Source::Page })
    };
    json.or_else(of_head).or_else(|| on_page(false)).or_else(metas).or_else(|| on_page(true))
}
