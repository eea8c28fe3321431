/*!
The metadata of an article: [`metadata`] determines title, authors, dates, language, description, image,
tags, canonical address, site name, section, access and licence of a page, from its declarations, from feed items that link to it,
and from its visible text.

Each value records its source ([`Source`]). Precedence, first to last:

| field | order |
|---|---|
| title | the first of JSON-LD `headline`, `og:title`, `twitter:title` and other metas, feed, `<title>` that the headline on the page confirms; else the page's only `h1`, unless two declarations agree and share no word with it or it is as long as a paragraph; else the first of them. If a heading names what the page belongs to ("Page - Book") and a heading below it names the page, the lower one is the headline. A date set into the headline is removed. The site's name is cut off where the site's own names, its domain or the headline confirm it |
| authors | JSON-LD `author`, `article:author`, metas (`author`, `citation_author`, `dc.creator`, `parsely-author`, `sailthru.author` …), `twitter:data1` labelled as author, feed, the place where siblings have their bylines, `itemprop=author` or `property=author`, `rel=author`, "By …" on a line near headline or body, a labelled name within a line, elements whose class or id is that of an author's name or a byline, `<address>` with a link, links to an author's page (its address confirms a name however it is written), "Jane Doe, Staff Writer" and "Jane Doe, May 3" directly below the headline. A byline near the headline takes precedence over a meta that names entirely different people. If the author is the site itself, a person from a later source is preferred |
| subtitle | the text where siblings have their standfirsts; else, of the blocks below the headline whose form differs from that of the paragraphs after them: one named as a standfirst, one that begins like the description, one that is a sentence, a heading directly below the headline |
| published | JSON-LD `datePublished`, `article:published_time`, metas (`datePublished`, `citation_publication_date`, `parsely-pub-date`, `sailthru.date`, `dc.date` …), `itemprop=datePublished` or `property=dc:created` and the like, feed; then `meta name=date`, `<time>` and times for scripts (`data-timestamp` …) near the headline, those labelled as publication first, and visible dates (elements whose class or id is that of a date near the headline, the first lines below it, such elements further away, other lines near the headline, lines directly after the body, a part of `<title>`), ignored if more than a day off the date in the address; the address; `<time>` labelled as publication in side content; a date with such a label that occurs once on the page; the date of the last change. Numeric dates need an order of day and month: from the language and the domain, else from other dates on the page. A date that only the head declares, not followed by a declared change, gives way to an earlier day shown beside the headline, unless the address has it. "Originally published on" precedes other visible dates. Years of the Solar Hijri calendar are read on Persian pages. Nothing before 1990, nothing more than a day after the fetch or a declared change. A later candidate of the same day is preferred if only it has a time; a time in UTC is written with the offset of a `<time>` of the same moment |
| modified | JSON-LD `dateModified`, `article:modified_time`, `og:updated_time`, metas, `itemprop=dateModified`, `<time>`, visible dates labelled as dates of a change. Nothing before the publication |
| language | the first of `<html lang>`, JSON-LD `inLanguage`, `content-language`, `og:locale`, feed that the language detected in the text does not contradict; else that of the siblings; else the detected one |
| description | JSON-LD, `og:description`, metas, feed |
| image | `og:image`, JSON-LD, `twitter:image` and other metas, `link rel=image_src`, first picture of the article, or image of the body, that is not small |
| tags | JSON-LD `keywords`, `article:tag`, `news_keywords` and the like, `rel=tag`, feed, `keywords` |
| canonical | `link rel=canonical`, `og:url`, JSON-LD |
| site name | `og:site_name`, JSON-LD publisher or web site, `application-name`, the part of `<title>` that the domain confirms |
| section | JSON-LD `articleSection`, `article:section` and other metas, the last entry of a breadcrumb (JSON-LD, else on the page) that is neither the home page nor the article |
| access | JSON-LD `isAccessibleForFree`, `article:content_tier`; `partial` or `paid` by JSON-LD `wordCount`, the elements that `hasPart` names, or the length of the text; else an element named as a paywall after a short text |
| licence | JSON-LD `license`, `rel=license`, Dublin Core metas |

If the JSON-LD of a page describes several articles, the one with the page's address is used, else the one with its title.
JSON-LD may be written as JavaScript. The JSON of the meta `parsely-page` stands in for missing JSON-LD.

Declarations take precedence over visible text, since they name what they declare. Only the title has two
independent sources; if they disagree, the visible headline is the title. A date that is labelled only as
the date of a change is used as the date of publication if the page has no other.

Side content (navigation, comments, related articles, other `article` elements, quotations) has neither authors nor dates. A small aside or footer that begins
between the headline and the end of the body is not side content if it holds a byline or a date and no heading. Neither is one
just after the body whose name says that it belongs to an article.

If siblings were compared ([`TemplateFields`]), the comparison takes precedence over these rules: a value that all of them have
where they should differ is skipped, and names, dates and standfirsts are looked for first where siblings have theirs.

Sources: [schema.org/Article](https://schema.org/Article), [the Open Graph protocol](https://ogp.me),
[HTML metadata names](https://html.spec.whatwg.org/multipage/semantics.html#standard-metadata-names),
[Dublin Core](https://www.dublincore.org/specifications/dublin-core/dcmi-terms/),
[RFC 3339](https://www.rfc-editor.org/rfc/rfc3339), [BCP 47](https://www.rfc-editor.org/rfc/rfc5646).

Invariants: no input panics; time is linear in the page (well under a millisecond for a typical one);
no clock is read, so the same page gives the same values on any day; there are no rules for particular
sites.
*/

mod authors;
mod calendar;
mod confidence;
mod date_text;
mod dates;
mod evidence;
mod fields;
mod heading;
mod json_ld;
mod learn;
mod learnt;
mod names;
mod page_data;
mod page_date;
mod rights;
mod scan;
mod standfirst;
mod text;

use jiff::Timestamp;
use model::{FeedItem, Field, Image, Metadata, Source};
use terms::Detected;

use crate::evidence::MetadataEvidence;
use crate::text::{clip, plain};

pub use authors::is_field_line;
pub use confidence::{FEATURES, confidence_features, confidence_of};
pub use date_text::says_changed;
pub use fields::language_probability;
pub use json_ld::{JsonLdArticle, JsonLdFacts, page_types};
pub use learn::Synthesize;
pub use learnt::{FieldPlace, TemplateFields};
pub use names::name_before_date;
pub use page_data::article_in_data;
pub use page_data::rich_text::{html_of_text, paragraphs_of};
pub use rights::rights_of;
pub use scan::Scan;

/// A page, and what is known about it.
#[derive(Clone, Copy)]
pub struct PageContext<'a> {
    /// The parsed page.
    pub document: &'a dom::Document,
    /// Its address.
    pub url: &'a str,
    /// Its JSON-LD, if that has been read already.
    pub json_ld: Option<&'a JsonLdFacts>,
    /// The elements that may hold its metadata, if they have been found already.
    pub scan: Option<&'a Scan>,
    /// When it was fetched. A date of up to a year later is accepted only if the page has no other.
    pub fetched: Option<Timestamp>,
    /// Feed items that point to it.
    pub feed_items: &'a [&'a FeedItem],
    /// Nodes of the extracted body, in any order; may be empty.
    pub body: Option<&'a [dom::NodeId]>,
    /// Language detected in the body's text.
    pub detected: Option<Detected>,
    /// What was learnt about the fields of its template.
    pub learnt: Option<&'a TemplateFields>,
    /// The body's text.
    pub body_text: &'a str,
    /// The pictures of the article, in order.
    pub pictures: &'a [Image],
}

impl<'a> PageContext<'a> {
    /// A page about which nothing else is known.
    pub fn new(document: &'a dom::Document, url: &'a str) -> Self {
        Self {
            document,
            url,
            json_ld: None,
            scan: None,
            fetched: None,
            feed_items: &[],
            body: None,
            detected: None,
            learnt: None,
            body_text: "",
            pictures: &[],
        }
    }
}

/// Metadata that a site config extracted from a page. The values are not cleaned and may be
/// unusable.
#[derive(Clone, Copy, Debug, Default)]
pub struct GivenMetadata<'a> {
    /// The headline.
    pub title: Option<&'a str>,
    /// Names of authors, or bylines.
    pub authors: &'a [String],
    /// The date of publication, in any format.
    pub published: Option<&'a str>,
}

/// Determines the metadata of an article. Linear in the size of the page.
pub fn metadata(page: &PageContext<'_>) -> Metadata {
    metadata_given(page, &GivenMetadata::default())
}

/// Like [`metadata`], but the values of a site config replace others if they can be parsed.
pub fn metadata_given(page: &PageContext<'_>, given: &GivenMetadata<'_>) -> Metadata {
    let evidence = MetadataEvidence::new(page);
    let language = fields::language(&evidence);
    let tag = language.as_ref().map(|l| l.value.clone());
    let published = dates::published(&evidence, tag.as_deref());
    let before = published.as_ref().map(|p| p.value.as_str());
    let modified = dates::modified(&evidence, tag.as_deref(), before);
    let mut found = Metadata {
        title: fields::title(&evidence),
        subtitle: standfirst::subtitle(&evidence),
        authors: authors::authors(&evidence),
        published,
        modified,
        language,
        description: fields::description(&evidence),
        image: fields::image(&evidence),
        tags: fields::tags(&evidence),
        canonical: fields::canonical(&evidence),
        site_name: fields::site_name(&evidence),
        section: fields::section(&evidence),
        access: fields::access(&evidence),
        license: fields::license(&evidence),
        author_kinds: Vec::new(),
    };
    let texts = |place: &Option<FieldPlace>| {
        place.as_ref().map_or_else(Vec::new, |place| place.marked_texts(page.document))
    };
    let learnt = evidence.learnt;
    let (title, authors) = (texts(&learnt.headline), texts(&learnt.byline));
    let published = texts(&learnt.dateline);
    let marked = GivenMetadata {
        title: title.first().map(String::as_str),
        authors: &authors,
        published: published.first().map(String::as_str),
    };
    // A site config takes precedence over marked elements.
    for (given, source) in [(&marked, Source::Page), (given, Source::SiteConfig)] {
        let title = given.title.map(|title| plain(clip(title, 2_000))).filter(|t| !t.is_empty());
        if let Some(value) = title {
            found.title = Some(Field::new(value, source));
        }
        let mut people = Vec::new();
        for text in given.authors.iter().take(50) {
            let text = plain(clip(text, 1_000));
            let named = names::from_byline(&text);
            let named = if named.is_empty() { names::organization(&text) } else { named };
            names::add(&mut people, named);
        }
        if !people.is_empty() {
            found.authors = Some(Field::new(people, source));
        }
        let published = given.published.map(|text| plain(clip(text, 1_000)));
        let date = published.and_then(|text| dates::parse_date(&evidence, tag.as_deref(), &text));
        if let Some(value) = date {
            found.published = Some(Field::new(value, source));
        }
    }
    if let Some(authors) = &found.authors {
        found.author_kinds = authors::author_kinds(&evidence, &authors.value);
        if let Some(subtitle) = &mut found.subtitle {
            standfirst::cut_byline(&mut subtitle.value, &authors.value);
        }
    }
    confidence::add_confidence(&evidence, &mut found);
    found
}

/// Parses a date in any format as if it were on this page; `None` if it cannot be a date of the page.
pub fn date_of(page: &PageContext<'_>, language: Option<&str>, text: &str) -> Option<String> {
    dates_of(page, language, [Some(text)]).pop().flatten()
}

/// Like [`date_of`] for several texts. The evidence of the page is collected only once.
pub fn dates_of<'t>(
    page: &PageContext<'_>,
    language: Option<&str>,
    texts: impl IntoIterator<Item = Option<&'t str>>,
) -> Vec<Option<String>> {
    let evidence = MetadataEvidence::new(page);
    texts.into_iter().map(|text| dates::parse_date(&evidence, language, text?)).collect()
}
