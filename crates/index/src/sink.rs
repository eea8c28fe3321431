//! The output `index` of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use model::{Absence, Access, Article, Gone, SiteResult, Verdict};
use sink::{Render, Sink, SinkError};
use tantivy::columnar::StrColumn;
use tantivy::directory::MmapDirectory;
use tantivy::index::IndexSortByField;
use tantivy::schema::{IndexRecordOption, Value};
use tantivy::{
    DateTime, DocAddress, DocSet, Index, IndexSettings, IndexWriter, Order, Searcher,
    SegmentReader, TERMINATED, TantivyDocument, TantivyError, Term,
};
use terms::Language;

use crate::IndexError;
use crate::analysis::{Analysed, add_gone, tokens};
use crate::folder::{NewFolder, Turn, is_index, open_to_grow};
use crate::schema::{EVERYWHERE, GONE, Imprint, IndexFields, schema};
use crate::segments::{DocumentQueue, QueuedDocument, commit, settle, writer};

/// Adds the articles of a run to an index.
pub struct IndexSink {
    place: PathBuf,
    /// The temporary folder of a new index.
    new: Option<NewFolder>,
    index: Index,
    fields: IndexFields,
    /// The articles that were in the index before.
    before: Searcher,
    writer: IndexWriter<QueuedDocument>,
    queue: Arc<DocumentQueue>,
    /// Whether articles whose addresses are gone are removed instead of marked.
    forgets_gone: bool,
}

/// Whether to keep the indexed article instead of that of this run: only the indexed one is complete, or it has lost most of its
/// words, or was fetched later.
fn is_better(before: &IndexedArticle, article: &Article, is_copied: bool) -> bool {
    let is_whole = article.origin.truncated.is_none();
    if before.is_whole != is_whole {
        return before.is_whole;
    }
    if has_lost_words(before, article, is_copied) {
        return true;
    }
    before.fetched.zip(article.fetched).is_some_and(|(before, own)| before > own)
}

/// Whether an article has less than half of the words that it had before and may be a notice or the beginning of its text: other
/// addresses have the same text, the article is doubtful or not free, or its template has lost texts.
fn has_lost_words(before: &IndexedArticle, article: &Article, is_copied: bool) -> bool {
    let may_be_cut = is_copied
        || article.doubtful
        || article.access == Some(Access::Partial)
        || matches!(article.health, Some(Verdict::Blocked | Verdict::Broken));
    may_be_cut && before.words > 2 * u64::from(article.word_count)
}

/// Returns the earlier of two responses without a page.
fn first(one: Option<Gone>, other: Option<Gone>) -> Option<Gone> {
    one.into_iter().chain(other).min()
}

/// Returns a function for `map_err` that says that tantivy could not write to the index at this path.
fn write_error(place: &Path) -> impl FnOnce(TantivyError) -> SinkError {
    let place = place.to_owned();
    move |error| IndexError::at("cannot write", &place)(error).of_sink(&place)
}

impl IndexSink {
    /// Starts an index with only the articles of this run, which replaces the one at `place` when it is finished. Uses
    /// about `memory` bytes (at least [`crate::MIN_MEMORY`]).
    ///
    /// # Errors
    /// If the folder contains other files or cannot be written.
    pub fn create(place: &Path, memory: usize) -> Result<Self, SinkError> {
        Self::begin(place, None, memory)
    }

    /// Sets whether articles whose addresses are gone are removed instead of marked.
    #[must_use]
    pub fn with_gone_removed(self, forgets: bool) -> Self {
        Self { forgets_gone: forgets, ..self }
    }

    fn begin(place: &Path, turn: Option<Turn>, memory: usize) -> Result<Self, SinkError> {
        let new = NewFolder::begin(place, turn)
            .map_err(|error| SinkError::new("cannot replace", place, error))?;
        let sort = IndexSortByField { field: "site".to_owned(), order: Order::Asc };
        let settings = IndexSettings { sort_by_field: Some(sort), ..IndexSettings::default() };
        let directory = MmapDirectory::open(new.path()).map_err(TantivyError::from);
        let index = directory
            .and_then(|directory| Index::create(directory, schema(EVERYWHERE).0, settings))
            .map_err(IndexError::at("cannot create", place));
        index
            .and_then(|index| Self::with(place, Some(new), index, memory))
            .map_err(|error| error.of_sink(place))
    }

    /// Opens the index at `place`, or creates it, to add articles. An indexed article at the same address is replaced,
    /// unless it is the only complete one or was fetched later. Uses about `memory` bytes (at least
    /// [`crate::MIN_MEMORY`]).
    ///
    /// # Errors
    /// If the folder contains other files or an index made by different rules, or if another
    /// run is writing to it.
    pub fn open(place: &Path, memory: usize) -> Result<Self, SinkError> {
        if !is_index(place) {
            let turn =
                Turn::take(place).map_err(|error| SinkError::new("cannot create", place, error))?;
            let turn = turn.ok_or_else(|| IndexError::Busy(place.to_owned()).of_sink(place))?;
            // Another run may have created it in the meantime.
            if !is_index(place) {
                return Self::begin(place, Some(turn), memory);
            }
        }
        let opened = open_to_grow(place).and_then(|index| Self::with(place, None, index, memory));
        opened.map_err(|error| error.of_sink(place))
    }

    fn with(
        place: &Path,
        new: Option<NewFolder>,
        index: Index,
        memory: usize,
    ) -> Result<Self, IndexError> {
        // A quarter for queued documents, the rest for the current segment.
        let queue = DocumentQueue::new(memory / 4);
        let writer =
            writer(&index, memory - memory / 4).map_err(IndexError::at("cannot write", place))?;
        let fields = schema(EVERYWHERE).1;
        let before = index.reader().map_err(IndexError::at("cannot open", place))?.searcher();
        let (place, forgets_gone) = (place.to_owned(), false);
        Ok(Self { place, new, index, fields, before, writer, queue, forgets_gone })
    }

    fn add(&mut self, site: &SiteResult, rendered: &[u8]) -> Result<(), TantivyError> {
        let analysed: Vec<Analysed<'_>> = serde_json::from_slice(rendered)
            .map_err(|error| TantivyError::InternalError(error.to_string()))?;
        let originals = site.articles.iter().filter_map(|article| article.duplicate_of.as_deref());
        let originals: BTreeSet<&str> = originals.collect();
        for (article, analysed) in site.articles.iter().zip(analysed) {
            let before = find(&self.before, &self.fields, &article.url)?;
            if article.duplicate_of.is_some() {
                // An earlier run may have added it, if it read no other copy.
                if !before.is_some_and(|before| has_lost_words(&before, article, true)) {
                    self.writer.delete_term(Term::from_field_text(self.fields.url, &article.url));
                }
                continue;
            }
            let is_copied = originals.contains(&*article.url);
            if before.as_ref().is_some_and(|before| is_better(before, article, is_copied)) {
                continue;
            }
            self.writer.delete_term(Term::from_field_text(self.fields.url, &article.url));
            let gone = before.and_then(|before| before.gone);
            let gone = first(article.absence(), gone.filter(|own| own.is_after(article.fetched)));
            if self.forgets_gone && gone.is_some() {
                continue;
            }
            let (document, bytes) = analysed.document(article, gone.as_ref(), &self.fields);
            self.writer.add_document(self.queue.enter(document, bytes))?;
        }
        Ok(())
    }

    /// Marks or removes the article at an address, if it was fetched before the address was gone.
    fn mark(&mut self, url: &str, answers: &[&Gone]) -> Result<(), TantivyError> {
        let Some(before) = find(&self.before, &self.fields, url)? else { return Ok(()) };
        let later = answers.iter().filter(|gone| gone.is_after(before.fetched));
        let Some(gone) = later.min().map(|&gone| gone.clone()) else { return Ok(()) };
        let url = Term::from_field_text(self.fields.url, url);
        if self.forgets_gone {
            self.writer.delete_term(url);
        } else if before.gone.as_ref().is_none_or(|known| gone.at < known.at) {
            self.writer.delete_term(url);
            let (document, bytes) = before.marked(&self.before, &gone, &self.fields)?;
            self.writer.add_document(self.queue.enter(document, bytes))?;
        }
        Ok(())
    }

    fn commit(self) -> Result<Option<NewFolder>, TantivyError> {
        commit(&self.index, self.writer, &Imprint::today().write(), settle)?;
        Ok(self.new)
    }
}

impl Sink for IndexSink {
    fn render(&self) -> Option<Render> {
        Some(Arc::new(|site: &SiteResult| {
            let analysed: Vec<_> =
                site.articles.iter().map(|article| Analysed::new(article)).collect();
            // Plain data serialized into memory: this cannot fail.
            serde_json::to_vec(&analysed).unwrap_or_default()
        }))
    }

    fn take(&mut self, site: &SiteResult, rendered: &[u8]) -> Result<(), SinkError> {
        self.add(site, rendered).map_err(write_error(&self.place))
    }

    fn take_absences(&mut self, absences: &[Absence]) -> Result<(), SinkError> {
        let mut answers: BTreeMap<&str, Vec<&Gone>> = BTreeMap::new();
        for Absence { url, gone } in absences {
            answers.entry(url).or_default().push(gone);
        }
        answers.into_iter().try_for_each(|(url, answers)| {
            self.mark(url, &answers).map_err(write_error(&self.place))
        })
    }

    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        let place = self.place.clone();
        let new = self.commit().map_err(write_error(&place))?;
        new.map_or(Ok(()), NewFolder::finish)
            .map_err(|error| SinkError::new("cannot replace", &place, error))
    }
}

#[derive(Debug)]
struct IndexedArticle {
    at: DocAddress,
    /// Whether the record of the article is complete, not truncated.
    is_whole: bool,
    pub(crate) words: u64,
    pub(crate) fetched: Option<Timestamp>,
    /// Set if the address of the article is gone.
    pub(crate) gone: Option<Gone>,
}

/// Finds the article at an address. An address is in the index at most once.
fn find(
    index: &Searcher,
    fields: &IndexFields,
    url: &str,
) -> Result<Option<IndexedArticle>, TantivyError> {
    let term = Term::from_field_text(fields.url, url);
    for (segment, reader) in (0..).zip(index.segment_readers()) {
        let inverted = reader.inverted_index(fields.url)?;
        let Some(mut postings) = inverted.read_postings(&term, IndexRecordOption::Basic)? else {
            continue;
        };
        while postings.doc() != TERMINATED {
            if !reader.is_deleted(postings.doc()) {
                return read_article(reader, DocAddress::new(segment, postings.doc())).map(Some);
            }
            postings.advance();
        }
    }
    Ok(None)
}

fn read_article(reader: &SegmentReader, at: DocAddress) -> Result<IndexedArticle, TantivyError> {
    let fast = reader.fast_fields();
    let date = |name| Ok::<_, TantivyError>(fast.date(name)?.first(at.doc_id).and_then(instant));
    let text = |name| match fast.str(name)? {
        Some(column) => text_of(&column, at),
        None => Ok(None),
    };
    let status = fast.u64("gone_status")?.first(at.doc_id);
    let gone = match (date(GONE)?, status.and_then(|status| u16::try_from(status).ok())) {
        (Some(at), Some(status)) => Some(Gone { at, status, moved_to: text("moved_to")? }),
        _ => None,
    };
    let is_whole = text("truncated")?.is_none();
    let words = fast.u64("word_count")?.first(at.doc_id).unwrap_or_default();
    Ok(IndexedArticle { at, is_whole, words, fetched: date("fetched")?, gone })
}

fn text_of(column: &StrColumn, at: DocAddress) -> Result<Option<String>, TantivyError> {
    let Some(ord) = column.ords().first(at.doc_id) else { return Ok(None) };
    let mut text = String::new();
    column.ord_to_str(ord, &mut text)?;
    Ok(Some(text))
}

pub(crate) fn instant(date: DateTime) -> Option<Timestamp> {
    Timestamp::from_nanosecond(date.into_timestamp_nanos().into()).ok()
}

impl IndexedArticle {
    /// Rebuilds the document with the mark that its address is gone. Also returns its approximate size in memory in bytes.
    pub(crate) fn marked(
        &self,
        index: &Searcher,
        gone: &Gone,
        fields: &IndexFields,
    ) -> Result<(TantivyDocument, usize), TantivyError> {
        let stored: TantivyDocument = index.doc(self.at)?;
        let text = |field| stored.get_first(field).and_then(|value| value.as_str());
        let (title, body) = (text(fields.title), text(fields.body).unwrap_or_default());
        let language = text(fields.language).and_then(Language::from_tag);
        let analysed = Analysed::of_texts(language, title.unwrap_or_default(), body);
        let bytes = analysed.bytes(body);
        let mut document = TantivyDocument::new();
        let replaced =
            [fields.title, fields.body, fields.gone, fields.gone_status, fields.moved_to];
        for (field, value) in stored.field_values().filter(|(field, _)| !replaced.contains(field)) {
            document.add_field_value(field, value);
        }
        if let Some(title) = title {
            document.add_pre_tokenized_text(fields.title, tokens(title, analysed.title));
        }
        document.add_pre_tokenized_text(fields.body, tokens(body, analysed.body));
        add_gone(&mut document, gone, fields);
        Ok((document, bytes))
    }
}
