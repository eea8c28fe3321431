//! The output `index` of a run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::{Absence, Article, Gone, SiteResult};
use sink::{Render, Sink, SinkError};
use tantivy::directory::MmapDirectory;
use tantivy::index::IndexSortByField;
use tantivy::{Index, IndexSettings, IndexWriter, Order, Searcher, TantivyError, Term};

use crate::IndexError;
use crate::analysis::Analysed;
use crate::documents::{IndexedArticle, find};
use crate::folder::{NewFolder, Turn, is_index, open_to_grow};
use crate::queue::{DocumentQueue, QueuedDocument};
use crate::schema::{EVERYWHERE, Imprint, IndexFields, schema};
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
    /// Whether articles whose addresses are gone are removed.
    forgets_gone: bool,
}

/// Whether an article that is in the index is to be kept instead of one of this run: it is complete and that is not, or
/// it was fetched later.
fn is_better(before: &IndexedArticle, article: &Article) -> bool {
    let is_whole = article.origin.truncated.is_none();
    if before.is_whole != is_whole {
        return before.is_whole;
    }
    before.fetched.zip(article.fetched).is_some_and(|(before, own)| before > own)
}

/// The first of two answers without a page.
fn first(one: Option<Gone>, other: Option<Gone>) -> Option<Gone> {
    one.into_iter().chain(other).min()
}

/// For `map_err`: tantivy could not write to the index at this path.
fn write_error(place: &Path) -> impl FnOnce(TantivyError) -> SinkError {
    let place = place.to_owned();
    move |error| IndexError::at("cannot write", &place)(error).of_sink(&place)
}

impl IndexSink {
    /// Starts an index that holds only the articles of this run and replaces the one at `place`. It takes about `memory`
    /// bytes (at least [`crate::MIN_MEMORY`]).
    ///
    /// # Errors
    /// If the folder holds other files, or cannot be written.
    pub fn create(place: &Path, memory: usize) -> Result<Self, SinkError> {
        Self::begin(place, None, memory)
    }

    /// With `forgets`, articles whose addresses are gone are removed instead of marked.
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

    /// Opens the index at `place` to add articles to it; articles at addresses that are already in
    /// it are replaced, unless they were fetched later. Creates the index if there is none. It takes about `memory` bytes (at least
    /// [`crate::MIN_MEMORY`]).
    ///
    /// # Errors
    /// If the folder holds other files or an index made by different rules, or if another
    /// run writes to it.
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
        for (article, analysed) in site.articles.iter().zip(analysed) {
            if article.duplicate_of.is_some() {
                // Another night may have had no other address of it.
                self.writer.delete_term(Term::from_field_text(self.fields.url, &article.url));
                continue;
            }
            let before = find(&self.before, &self.fields, &article.url)?;
            if before.as_ref().is_some_and(|before| is_better(before, article)) {
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

    /// Marks the article of an address that is gone, or removes it.
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
