//! Keys of meta elements that hold dates.

/// Open Graph properties of the date of publication, the most reliable first.
pub(crate) const PUBLISHED_OPEN_GRAPH: [&str; 6] = [
    "article:published_time",
    "article:published",
    "og:published_time",
    "og:pubdate",
    "og:article:published_time",
    "video:release_date",
];

/// Other metas of the date of publication.
pub(crate) const PUBLISHED_METAS: [&str; 31] = [
    "datepublished",
    "citation_publication_date",
    "citation_date",
    "parsely-pub-date",
    "sailthru.date",
    "dc.date.issued",
    "dc.date.created",
    "dcterms.issued",
    "dcterms.created",
    "dcterms.date",
    "dc.date",
    "dc.created",
    "dc.issued",
    "pubdate",
    "publishdate",
    "publish-date",
    "publish_date",
    "publicationdate",
    "publication_date",
    "published-date",
    "published_time",
    "published",
    "datecreated",
    "date_published",
    "article.published",
    "article.created",
    "article_date_original",
    "originalpublicationdate",
    "created",
    "rnews:datepublished",
    "prism.publicationdate",
];

/// Open Graph properties of the date of the last change.
pub(crate) const MODIFIED_OPEN_GRAPH: [&str; 3] =
    ["article:modified_time", "og:updated_time", "article:modified"];

/// Other metas of the date of the last change.
pub(crate) const MODIFIED_METAS: [&str; 12] = [
    "datemodified",
    "dcterms.modified",
    "dc.date.modified",
    "dc.modified",
    "lastmod",
    "last-modified",
    "last_modified",
    "modified",
    "article.updated",
    "revision_date",
    "lastmodified",
    "updated_time",
];
