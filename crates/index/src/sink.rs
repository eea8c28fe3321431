//! The output `index` of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::{Absence, Access, Article, Gone, SiteResult, Verdict};
use sink::{Render, Sink, SinkError};
use tantivy::directory::MmapDirectory;
use tantivy::index::IndexSortByField;
use tantivy::{Index, IndexSettings, IndexWriter, Order, Searcher, TantivyError, Term};

use crate::IndexError;
use crate::analysis::Analysed;
use crate::documents::{IndexedArticle, find};
use crate::folder::{NewFolder, Turn, is_index, open_to_grow};
use crate::schema::{EVERYWHERE, Imprint, IndexFields, schema};
use crate::segments::{DocumentQueue, QueuedDocument};
use crate::segments::{commit, settle, writer};

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
