//! The articles that an index contained before the run.

use jiff::Timestamp;
use model::Gone;
use tantivy::columnar::StrColumn;
use tantivy::schema::{IndexRecordOption, Value};
use tantivy::{
    DateTime, DocAddress, DocSet, Searcher, SegmentReader, TERMINATED, TantivyDocument,
    TantivyError, Term,
};
use terms::Language;

use crate::analysis::{Analysed, add_gone, tokens};
use crate::schema::{GONE, IndexFields};

#[derive(Debug)]
pub(crate) struct IndexedArticle {
    at: DocAddress,
    /// Whether the record of the article is complete, not truncated.
    pub(crate) is_whole: bool,
    pub(crate) words: u64,
    pub(crate) fetched: Option<Timestamp>,
    /// Set if the address of the article is gone.
    pub(crate) gone: Option<Gone>,
}

/// Finds the article at an address. An address is in the index at most once.
pub(crate) fn find(
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
