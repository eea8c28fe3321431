/*!
The data that flows between the stages: what is read ([`Page`], [`FeedItem`]), what is learnt ([`Signifiers`],
[`StructuralPattern`], [`Wrapper`]) and the results ([`Article`], [`Drop`]).

Invariant: types only, apart from [`contain_panics`], which all crates share. No IO, no parsing, no algorithm lives
here. [`Article`] is the record that outputs write ([`SCHEMA`] is its version). Other types are serialised only for a run's
own unfinished state, which no other version reads; the `sink` crate owns their records.
*/

mod article;
mod characters;
mod contained;
mod discard;
mod feed;
mod night;
mod page;
mod page_type;
mod pattern;
mod record;
mod site_figures;
mod site_result;
mod site_summary;
pub mod sorted;
mod template;
mod verdict;
mod wrapper;

pub use article::{
    Access, Article, Embed, EmbedKind, Extracted, Field, Footnote, Image, Metadata, Post,
    RecordPlace, Route, SCHEMA, SchemaVersion, SiteConfigRole, Source, Sources, Table,
};
pub use characters::CharacterCounts;
pub use contained::{Contained, contain_panics, listen_to_contained};
pub use discard::{Absence, CutShort, Drop, DropReason, Gone, Stage};
pub use feed::FeedItem;
pub use night::{PageReading, SiteChange, SiteNight, TemplateChange, TemplateNight};
pub use page::{Charset, CharsetEvidence, EncodingName, Origin, Overruled, Page, PageHtml, Site};
pub use page_type::{PageType, TypedAs, UnknownPageType};
pub use pattern::{ElementType, PatternScore, SignifierSource, Signifiers, StructuralPattern};
pub use record::{FieldKind, FieldType, FieldVisitor, RecordField, rounded};
pub use site_figures::{BestFigures, SiteFigures, WeakTemplate, WorstArticle};
pub use site_result::{BestWrapper, PageWork, SiteConfigFile, SiteResult};
pub use site_summary::{SiteConfigUse, SiteSummary, TemplateSummary};
pub use template::TemplateKind;
pub use verdict::Verdict;
pub use wrapper::{Support, Wrapper};
