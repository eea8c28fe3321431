//! Drops and their reasons.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Origin, named};

/// An address that returned no page: it is gone, or redirects.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Gone {
    /// When it was requested.
    pub at: Timestamp,
    /// The status: 404, 410 or the status of a redirect.
    pub status: u16,
    /// The absolute address that a redirect leads to.
    pub moved_to: Option<String>,
}

impl Gone {
    /// Whether this is later than the time at which a page was fetched; false if that time is unknown.
    pub fn is_after(&self, fetched: Option<Timestamp>) -> bool {
        fetched.is_some_and(|fetched| fetched < self.at)
    }
}

/// A response that refuses a page, or fails to deliver it.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Refusal {
    /// When it was requested.
    pub at: Option<Timestamp>,
    /// The status: 401, 403, 429 or 5xx.
    pub status: u16,
}

/// An address that no longer has a page.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Absence {
    /// The address that was requested.
    pub url: String,
    /// The time and the status of the response.
    pub gone: Gone,
}

named! {
/// The step of the pipeline that dropped something.
pub enum Stage {
    /// Reading archives, folders and feeds.
    Read => "read",
    /// Grouping pages by site and joining feed items.
    Group => "group",
    /// Separating layouts.
    Cluster => "cluster",
    /// Extracting the article of a page.
    Extract => "extract",
    /// Writing results.
    Emit => "emit",
}
}

/// Declares the reasons; their doc comments are their meanings.
macro_rules! reasons {
    ($(#[doc = $doc:literal] $name:ident => $text:literal,)*) => {
        named! {
        /// Why something was dropped, in the order of the pipeline.
        #[derive(Hash)]
        #[non_exhaustive]
        pub enum DropReason { $(#[doc = $doc] $name => $text,)* }
        }

        impl DropReason {
            /// Its meaning, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(DropReason::$name => $doc.trim_ascii(),)* }
            }
        }
    };
}

reasons! {
    /// A record whose header or framing cannot be understood.
    BadRecord => "bad-record",
    /// A gzip, deflate, brotli or zstd stream that breaks off or is damaged.
    BadCompression => "bad-compression",
    /// The archive ends in the middle of a record.
    CutShort => "cut-short",
    /// A record that an index lists and that could not be read from its place.
    UnreadableRecord => "unreadable-record",
    /// Bytes between records that belong to no record.
    Junk => "junk-between-records",
    /// A record larger than the configured limit.
    TooLarge => "record-too-large",
    /// A record that is no page by its type (request, metadata, warcinfo, conversion…).
    OtherRecord => "other-record-type",
    /// A revisit record whose original is not in the input.
    Revisit => "revisit-without-original",
    /// A status that is not read (`read.statuses`, by default 200, 201 and 203). Redirects are remembered for joining feeds.
    HttpStatus => "http-status",
    /// An HTTP head that cannot be parsed.
    BadHttp => "bad-http",
    /// A payload that is not HTML, XHTML or a feed.
    ContentType => "content-type",
    /// No bytes after the HTTP head.
    EmptyPayload => "empty-payload",
    /// A feed that cannot be parsed.
    BadFeed => "bad-feed",
    /// A record without a usable `http` or `https` URL, or with one of more than 8 KiB.
    BadUrl => "bad-url",
    /// A record of a site that was not chosen.
    OtherSite => "other-site",
    /// A page captured outside the chosen dates, or at an unknown time.
    OtherDate => "other-date",
    /// A record after the last page that the limit of the run allows.
    OverLimit => "over-limit",
    /// Another capture of the page is kept: a complete one, a later one, or one that gave an article.
    DuplicateUrl => "duplicate-url",
    /// A page that takes more steps to parse than the configured limit.
    TooMuchWork => "too-much-work",
    /// A page that lists links or articles of the crawl; dropped unless lists are asked for.
    ListPage => "list-page",
    /// A page of a type that is not asked for.
    PageType => "page-type",
    /// A page whose rights are a reason to leave it out (`emit.skip`).
    Rights => "rights",
    /// A page without text of its own.
    NoContent => "no-content",
    /// A consent form instead of an article.
    ConsentWall => "consent-wall",
    /// A check for bots instead of an article.
    BotCheck => "bot-check",
    /// An error page with the status of a good one.
    SoftNotFound => "soft-404",
    /// A request to subscribe instead of an article.
    PaywallStub => "paywall-stub",
    /// A page whose text scripts would load.
    ScriptShell => "script-shell",
    /// A short text that pages at other addresses have too.
    DuplicateText => "duplicate-text",
    /// A page that is part of another page's article, by a site config or by its address.
    JoinedPage => "joined-page",
    /// The wrapper selects nothing on the page and no other method finds text.
    NoArticle => "no-article",
    /// The article is the same as another of the crawl, and such articles are not wanted.
    DuplicateArticle => "duplicate-article",
    /// Processing the site failed; a bug of ours, please report it.
    Internal => "internal-error",
}

impl DropReason {
    /// Reasons that mean damaged inputs. With such drops and without pages, the crawl itself has probably failed.
    pub const DAMAGE: [Self; 5] =
        [Self::BadRecord, Self::BadCompression, Self::CutShort, Self::Junk, Self::BadHttp];

    /// Reasons of records and pages that were not selected. They are counted, but not listed.
    pub const NOT_CHOSEN: [Self; 3] = [Self::OtherSite, Self::OtherDate, Self::OverLimit];

    /// Reasons of pages that are copies of others.
    pub const COPIES: [Self; 3] = [Self::DuplicateUrl, Self::DuplicateText, Self::DuplicateArticle];

    /// Whether the reason is a page that the site serves instead of an article.
    pub fn is_wall(self) -> bool {
        matches!(
            self,
            Self::ConsentWall
                | Self::BotCheck
                | Self::SoftNotFound
                | Self::PaywallStub
                | Self::ScriptShell
                | Self::DuplicateText
        )
    }
}

/// The place at which an archive is cut short. Everything before it was read.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct CutShort {
    /// Offset of the incomplete record or compressed unit.
    pub offset: u64,
    /// What is missing, what was kept, and what to do.
    pub detail: String,
}

impl CutShort {
    /// The problem with the archive, as a phrase that follows its name.
    pub fn problem(&self) -> String {
        format!("is cut short at byte {}: {}", self.offset, self.detail)
    }
}

/// Something that was dropped, with its reason: one line of `dropped.jsonl`.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Drop {
    /// Key of its site; empty before grouping.
    pub site: String,
    /// Its URL; empty if none could be read.
    pub url: String,
    /// The record or file it was in.
    pub origin: Origin,
    /// Step that dropped it.
    pub stage: Stage,
    /// The reason.
    pub reason: DropReason,
    /// Details for the user, in a sentence; may be empty.
    pub detail: String,
    /// For responses with status 404, 410 or a redirect: the time and status of the response.
    pub gone: Option<Gone>,
    /// For responses that refuse a page.
    pub refused: Option<Refusal>,
}
