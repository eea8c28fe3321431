/*!
The data that flows between the stages: what is read ([`Page`], [`FeedItem`]), what is learnt ([`Signifiers`],
[`StructuralPattern`], [`Wrapper`]) and the results ([`Article`], [`Drop`]).

Invariant: types only, apart from [`contain_panics`], which all crates share. No IO, no parsing, no algorithm lives
here. [`Article`], [`SiteSummary`], [`SiteFigures`] and [`TemplateNight`] are records that outputs write ([`SCHEMA`] is their
version). Other types are serialised only for a run's own unfinished state, which no other version reads; the `sink` crate
owns their records.
*/

mod article;
mod contained;
mod corrected;
mod discard;
mod kinds;
mod learnt;
mod night;
mod page;
mod quality;
mod record;
mod rights;
mod site_result;
pub mod sorted;

pub use article::{
    Access, Article, Embed, EmbedKind, Extracted, Field, FieldSource, Footnote, Image, Metadata,
    Passage, PassageKind, Post, RecordPlace, Route, SCHEMA, SchemaVersion, SiteConfigRole, Source,
    Sources, Table,
};
pub use contained::{Contained, contain_panics, listen_to_contained};
pub use corrected::{
    ArticleCorrection, CorrectedField, CorrectedValues, FieldCorrection, Mark, MarkedBlock,
    NamedElement, TemplateCorrection,
};
pub use discard::{Absence, CutShort, Drop, DropReason, Gone, Refusal, Stage};
pub use kinds::{AuthorKind, PageType, TemplateKind, TypedAs, Verdict};
pub use learnt::{
    ElementType, PatternRecord, PatternScore, SignifierSource, Signifiers, SiteConfigUse,
    SiteSummary, StructuralPattern, Support, TemplateSummary, Wrapper, WrapperRecord,
};
pub use night::{
    Assessment, DAMAGED_MODEL, LostTexts, NightFigures, OF_FEEDS, PackedSample, PageReading,
    PastNight, RetainedHead, Revision, SharedWords, SiteChange, SiteNight, TemplateChange,
    TemplateNight, UsualNight, add_counts, counts_of,
};
pub use page::{
    Charset, CharsetEvidence, EncodingName, FeedItem, Origin, Overruled, Page, PageHtml, Site,
};
pub use quality::{Doubt, Quality};
pub use record::{FieldKind, FieldType, FieldVisitor, RecordField, rounded};
pub use rights::{ExtraValue, PageNotes, Rights, RightsStatement, RobotsRule, SiteRules};
pub use site_result::{
    BestWrapper, CharacterCounts, PageWork, SiteFigures, SiteResult, WeakTemplate, WorstArticle,
    WrittenSiteConfig,
};
