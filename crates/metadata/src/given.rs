//! Metadata extracted by a site config.

use model::{Field, Metadata, Source};

use crate::dates;
use crate::evidence::Evidence;
use crate::names::{add, from_byline, organization};
use crate::text::{clip, plain};

/// Metadata that a site config extracted from a page. The values are not cleaned and may be
/// unusable.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'a> {
    /// The headline.
    pub title: Option<&'a str>,
    /// Names of authors, or bylines.
    pub authors: &'a [String],
    /// The date of publication, in any format.
    pub published: Option<&'a str>,
}

/// Replaces found values by those of the site config, where they can be parsed.
pub(crate) fn overrule(
    found: &mut Metadata,
    given: &Given<'_>,
    evidence: &Evidence<'_>,
    language: Option<&str>,
) {
    let title = given.title.map(|title| plain(clip(title, 2_000))).filter(|t| !t.is_empty());
    if let Some(value) = title {
        found.title = Some(Field { value, source: Source::SiteConfig });
    }
    let mut names = Vec::new();
    for text in given.authors.iter().take(50) {
        let text = plain(clip(text, 1_000));
        let people = from_byline(&text);
        add(&mut names, if people.is_empty() { organization(&text) } else { people });
    }
    if !names.is_empty() {
        found.authors = Some(Field { value: names, source: Source::SiteConfig });
    }
    let published = given.published.map(|text| plain(clip(text, 1_000)));
    if let Some(value) = published.and_then(|text| dates::read(evidence, language, &text)) {
        found.published = Some(Field { value, source: Source::SiteConfig });
    }
}
