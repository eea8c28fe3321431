//! Searches for articles. A query is analysed like the articles, once for every language in the
//! index.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Bound, Range};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use model::{Passage, rounded};
use serde::{Serialize, Serializer};
use tantivy::collector::sort_key::{SortBySimilarityScore, SortByString};
use tantivy::collector::{Collector, Count, SegmentCollector, TopDocs};
use tantivy::columnar::StrColumn;
use tantivy::query::{
    BooleanQuery, ConstScoreQuery, EmptyQuery, ExistsQuery, Occur, Query, QueryParser, RangeQuery,
    TermQuery,
};
use tantivy::schema::document::CompactDocValue;
use tantivy::schema::{Field, IndexRecordOption, OwnedValue, Value};
use tantivy::snippet::SnippetGenerator;
use tantivy::tokenizer::TokenizerManager;
use tantivy::{
    DocAddress, DocId, Order, Score, Searcher, SegmentOrdinal, SegmentReader, TantivyDocument,
    TantivyError, Term,
};
use terms::{Language, text_analyzer};

use crate::IndexError;
use crate::analysis::{UNKNOWN, date_time};
use crate::folder::open;
use crate::schema::{EVERYWHERE, GONE, IndexFields, TERMS, schema};
use crate::sink::instant;

/// Weight of a word in the title relative to one in the body.
const TITLE_BOOST: f32 = 2.0;

/// Longest excerpt, in bytes of text.
const EXCERPT: usize = 240;

/// A search request.
#[derive(Clone, Debug)]
pub struct SearchRequest<'a> {
    /// In tantivy's query language: words, phrases, fields (`site:blog.example`), `AND`, `-`.
    pub query: &'a str,
    /// Only articles of this site.
    pub site: Option<&'a str>,
    /// Only articles published at this time or later.
    pub since: Option<Timestamp>,
    /// Only articles in this language (primary subtag; `und` for articles of unknown language).
    pub language: Option<&'a str>,
    /// Whether to find articles whose addresses are gone, too.
    pub gone: bool,
    /// Maximum number of articles to return.
    pub limit: usize,
}

/// A search result.
#[derive(Clone, Debug)]
pub struct SearchResults {
    /// Number of articles that match.
    pub total: usize,
    /// The best matches: by BM25, ties by address.
    pub hits: Vec<Hit>,
    /// Number of matches by site.
    pub sites: BTreeMap<String, u64>,
    /// Number of matches by language.
    pub languages: BTreeMap<String, u64>,
    /// Whether there is anything to search for; false if the query is empty or indexes leave out all its words (stop words).
    pub has_words: bool,
}

/// A matching article. Its JSON has no excerpt: the caller decides how to mark the matches in it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Hit {
    /// BM25 score; comparable only within one result.
    #[serde(serialize_with = "serialize_score")]
    pub score: f32,
    /// Its address.
    pub url: String,
    /// Its site.
    pub site: String,
    /// Its title.
    pub title: Option<String>,
    /// Its authors.
    pub authors: Vec<String>,
    /// When it was published; midnight UTC if only the day is known.
    pub published: Option<Timestamp>,
    /// The language it was analysed in.
    pub language: String,
    /// Its template.
    pub template: String,
    /// An excerpt of its body.
    #[serde(skip)]
    pub excerpt: String,
    /// The matching parts of the excerpt, as byte ranges.
    #[serde(skip)]
    pub highlighted: Vec<Range<usize>>,
    /// The passage with the first match of the excerpt, if the articles of the index have passages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passage: Option<Passage>,
    /// Why its record is truncated, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
    /// Revision of the stored model that it was extracted with, 0 if that model was not kept; `None` without a
    /// model store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_revision: Option<u64>,
    /// Verdict on its template, or the worst on its site's templates; `None` without a model store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub health: Option<String>,
    /// When its page was fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fetched: Option<Timestamp>,
    /// When its address was found to be gone; `None` if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone: Option<Timestamp>,
    /// HTTP status of the response without a page: 404, 410 or that of a redirect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone_status: Option<u64>,
    /// Target of the redirect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
}

/// Writes a score with four decimals.
fn serialize_score<S: Serializer>(score: &f32, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(rounded(f64::from(*score)))
}

/// An index opened for searching, as a snapshot at the time of opening.
pub struct SearchIndex {
    path: PathBuf,
    searcher: Searcher,
    fields: IndexFields,
}

impl SearchIndex {
    /// Opens an index.
    ///
    /// # Errors
    /// If the folder contains no index, or a damaged one.
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        let (index, _) = open(path)?;
        let reader = index.reader().map_err(IndexError::at("cannot open", path))?;
        let fields = schema(EVERYWHERE).1;
        Ok(Self { path: path.to_owned(), searcher: reader.searcher(), fields })
    }

    /// Returns the number of articles in the index.
    pub fn articles(&self) -> u64 {
        self.searcher.num_docs()
    }

    /// Returns the best matches of a query, and counts of all matches.
    ///
    /// # Errors
    /// If the query cannot be parsed, or the index cannot be read.
    pub fn search(&self, request: &SearchRequest<'_>) -> Result<SearchResults, IndexError> {
        let IndexFields { title, body, authors, .. } = self.fields;
        let parsed = self.parse(request, &[title, body, authors])?;
        // Without `authors`: names have no stop words, so a query for them is never empty.
        let of_texts = self.parse(request, &[title, body])?;
        let query = self.narrowed(self.any_language(&parsed), request);
        let has_words = !of_texts.values().all(|query| query.is::<EmptyQuery>());
        let found = self.find(&query, &parsed, request.limit);
        let found = found.map(|found| SearchResults { has_words, ..found });
        found.map_err(IndexError::at("cannot search", &self.path))
    }

    /// Parses the query in each requested language. Words without a field are searched in `fields`.
    fn parse(
        &self,
        request: &SearchRequest<'_>,
        fields: &[Field],
    ) -> Result<BTreeMap<String, Box<dyn Query>>, IndexError> {
        let languages = match request.language {
            Some(tag) => [primary(tag)].into(),
            None => self.languages().map_err(IndexError::at("cannot search", &self.path))?,
        };
        let query = with_apostrophes(request.query);
        let parsed = |code: String| {
            let tokenizers = TokenizerManager::default();
            tokenizers.register(TERMS, text_analyzer(Language::from_tag(&code)));
            let mut parser = QueryParser::new(schema(TERMS).0, fields.to_vec(), tokenizers);
            parser.set_field_boost(self.fields.title, TITLE_BOOST);
            Ok((code, parser.parse_query(&query)?))
        };
        languages.into_iter().map(parsed).collect()
    }

    fn languages(&self) -> Result<BTreeSet<String>, TantivyError> {
        let mut languages = BTreeSet::new();
        for segment in self.searcher.segment_readers() {
            let inverted = segment.inverted_index(self.fields.language)?;
            let mut codes = inverted.terms().stream()?;
            while codes.advance() {
                languages.insert(String::from_utf8_lossy(codes.key()).into_owned());
            }
        }
        Ok(languages)
    }

    /// Combines the parsed queries: articles must match the query in their own language.
    fn any_language(&self, parsed: &BTreeMap<String, Box<dyn Query>>) -> Box<dyn Query> {
        // Languages with the same parsed query are searched together.
        let mut alike: BTreeMap<String, (&dyn Query, Vec<&str>)> = BTreeMap::new();
        for (code, query) in parsed {
            let group = alike.entry(format!("{query:?}"));
            group.or_insert_with(|| (query.as_ref(), Vec::new())).1.push(code);
        }
        let only = alike.len() == 1;
        let of_group = |(query, codes): (&dyn Query, Vec<&str>)| -> (Occur, Box<dyn Query>) {
            if only {
                return (Occur::Should, query.box_clone());
            }
            let codes = codes.into_iter().map(|code| self.exactly(self.fields.language, code));
            let languages = BooleanQuery::union(codes.collect());
            (Occur::Should, with(query.box_clone(), Box::new(languages)))
        };
        Box::new(BooleanQuery::new(alike.into_values().map(of_group).collect()))
    }

    fn narrowed(&self, query: Box<dyn Query>, request: &SearchRequest<'_>) -> Box<dyn Query> {
        let mut query = query;
        if let Some(tag) = request.language {
            query = with(query, self.exactly(self.fields.language, &primary(tag)));
        }
        if let Some(site) = request.site {
            query = with(query, self.exactly(self.fields.site, site));
        }
        if let Some(since) = request.since.and_then(date_time) {
            let from = Term::from_field_date(self.fields.published, since);
            query = with(query, Box::new(RangeQuery::new(Bound::Included(from), Bound::Unbounded)));
        }
        if !request.gone {
            let gone = Box::new(ExistsQuery::new(GONE.to_owned(), false));
            let clauses: Vec<(Occur, Box<dyn Query>)> =
                vec![(Occur::Must, query), (Occur::MustNot, gone)];
            query = Box::new(BooleanQuery::new(clauses));
        }
        query
    }

    fn exactly(&self, field: Field, value: &str) -> Box<dyn Query> {
        Box::new(TermQuery::new(Term::from_field_text(field, value), IndexRecordOption::Basic))
    }

    fn find(
        &self,
        query: &dyn Query,
        parsed: &BTreeMap<String, Box<dyn Query>>,
        limit: usize,
    ) -> Result<SearchResults, TantivyError> {
        let by_score_then_url =
            ((SortBySimilarityScore, Order::Desc), (SortByString::for_field("url"), Order::Asc));
        // tantivy requires a limit of at least one, even if no article is to be returned.
        let best = TopDocs::with_limit(limit.max(1)).order_by(by_score_then_url);
        let (total, best, sites, languages) =
            self.searcher.search(query, &(Count, best, CountBy("site"), CountBy("language")))?;
        let mut excerpts = ExcerptMaker { index: self, parsed, generators: BTreeMap::new() };
        let hits = best
            .into_iter()
            .take(limit)
            .map(|((score, _), address)| self.hit(score, address, &mut excerpts))
            .collect::<Result<_, _>>()?;
        Ok(SearchResults { total, hits, sites, languages, has_words: true })
    }

    fn hit(
        &self,
        score: f32,
        address: DocAddress,
        excerpts: &mut ExcerptMaker<'_>,
    ) -> Result<Hit, TantivyError> {
        let document: TantivyDocument = self.searcher.doc(address)?;
        let fields = self.fields;
        let texts = |field| document.get_all(field).filter_map(|value| value.as_str());
        let text = |field| texts(field).next().map(str::to_owned);
        let instant_of = |field| {
            document.get_first(field).and_then(|value| value.as_datetime()).and_then(instant)
        };
        let number = |field| document.get_first(field).and_then(|value| value.as_u64());
        let language = text(fields.language).unwrap_or_default();
        let body = texts(fields.body).next().unwrap_or_default();
        let (excerpt, highlighted) = excerpts.make(&language, body)?;
        let passage = highlighted.first().and_then(|matched| {
            let at = body.find(&*excerpt)? + matched.start;
            let at = body.get(..at)?.chars().count();
            let passages = document.get_all(fields.passages);
            let is_there = |own: &Passage| (own.start as usize..own.end as usize).contains(&at);
            passages.filter_map(passage_of).find(is_there)
        });
        Ok(Hit {
            score,
            url: text(fields.url).unwrap_or_default(),
            site: text(fields.site).unwrap_or_default(),
            title: text(fields.title),
            authors: texts(fields.authors).map(str::to_owned).collect(),
            published: instant_of(fields.published),
            language,
            template: text(fields.template).unwrap_or_default(),
            excerpt,
            highlighted,
            passage,
            truncated: text(fields.truncated),
            model_revision: number(fields.model_revision),
            health: text(fields.health),
            fetched: instant_of(fields.fetched),
            gone: instant_of(fields.gone),
            gone_status: number(fields.gone_status),
            moved_to: text(fields.moved_to),
        })
    }
}

/// Reads a stored passage of an article.
fn passage_of(value: CompactDocValue<'_>) -> Option<Passage> {
    let value = serde_json::to_value(OwnedValue::from(value)).ok()?;
    serde_json::from_value(value).ok()
}

/// Makes excerpts, with one generator per language.
struct ExcerptMaker<'a> {
    index: &'a SearchIndex,
    parsed: &'a BTreeMap<String, Box<dyn Query>>,
    generators: BTreeMap<String, SnippetGenerator>,
}

impl ExcerptMaker<'_> {
    fn make(
        &mut self,
        language: &str,
        body: &str,
    ) -> Result<(String, Vec<Range<usize>>), TantivyError> {
        if !self.generators.contains_key(language) {
            let generator = self.generator(language)?;
            self.generators.insert(language.to_owned(), generator);
        }
        let snippet = self.generators[language].snippet(body);
        if snippet.is_empty() {
            let end = body.floor_char_boundary(EXCERPT);
            return Ok((body[..end].to_owned(), Vec::new()));
        }
        Ok((snippet.fragment().to_owned(), snippet.highlighted().to_vec()))
    }

    /// Creates a generator with the analyzer of the language, not the one that the schema names.
    fn generator(&self, language: &str) -> Result<SnippetGenerator, TantivyError> {
        let (searcher, body) = (&self.index.searcher, self.index.fields.body);
        let mut terms = BTreeSet::new();
        if let Some(query) = self.parsed.get(language) {
            query.query_terms(&mut |term, _| {
                if term.field() == body {
                    terms.insert(term.clone());
                }
            });
        }
        let mut weights = BTreeMap::new();
        for term in terms {
            let articles = searcher.doc_freq(&term)?;
            if let Some(text) = term.value().as_str().filter(|_| articles > 0) {
                weights.insert(text.to_owned(), 1.0 / (1.0 + articles as f32));
            }
        }
        let analyzer = text_analyzer(Language::from_tag(language));
        Ok(SnippetGenerator::new(weights, analyzer, body, EXCERPT))
    }
}

/// Counts documents by the values of a field. The counts are exact.
struct CountBy(&'static str);

/// The counts of one segment, by the ordinal of the value.
struct SegmentCounts {
    values: Option<StrColumn>,
    counts: Vec<u64>,
}

impl Collector for CountBy {
    type Fruit = BTreeMap<String, u64>;
    type Child = SegmentCounts;

    fn for_segment(
        &self,
        _: SegmentOrdinal,
        reader: &SegmentReader,
    ) -> tantivy::Result<SegmentCounts> {
        let values = reader.fast_fields().str(self.0)?;
        let known = values.as_ref().map_or(0, |values| values.num_terms());
        Ok(SegmentCounts { values, counts: vec![0; known] })
    }

    fn requires_scoring(&self) -> bool {
        false
    }

    fn merge_fruits(
        &self,
        segments: Vec<tantivy::Result<BTreeMap<String, u64>>>,
    ) -> tantivy::Result<Self::Fruit> {
        let mut all = BTreeMap::new();
        for segment in segments {
            for (value, count) in segment? {
                *all.entry(value).or_default() += count;
            }
        }
        Ok(all)
    }
}

impl SegmentCollector for SegmentCounts {
    type Fruit = tantivy::Result<BTreeMap<String, u64>>;

    fn collect(&mut self, doc: DocId, _: Score) {
        let number = self.values.as_ref().and_then(|values| values.ords().first(doc));
        let number = number.and_then(|number| usize::try_from(number).ok());
        if let Some(count) = number.and_then(|number| self.counts.get_mut(number)) {
            *count += 1;
        }
    }

    fn harvest(self) -> Self::Fruit {
        let mut named = BTreeMap::new();
        let Some(values) = self.values else { return Ok(named) };
        for (number, count) in (0..).zip(self.counts).filter(|(_, count)| *count > 0) {
            let mut name = String::new();
            values.ord_to_str(number, &mut name).map_err(TantivyError::from)?;
            named.insert(name, count);
        }
        Ok(named)
    }
}

/// Returns a query that requires both queries and scores by the first only.
fn with(query: Box<dyn Query>, filter: Box<dyn Query>) -> Box<dyn Query> {
    let filter = Box::new(ConstScoreQuery::new(filter, 0.0));
    Box::new(BooleanQuery::new(vec![(Occur::Must, query), (Occur::Must, filter)]))
}

/// Replaces apostrophes inside words (`l'encre`) by typographic ones (`l’encre`), because a
/// straight one begins a quotation in the query language. Quoted parts are unchanged.
fn with_apostrophes(query: &str) -> String {
    let mut written = String::with_capacity(query.len());
    let mut quoted = false;
    let mut before = ' ';
    let mut chars = query.chars().peekable();
    while let Some(c) = chars.next() {
        quoted ^= c == '"' && before != '\\';
        let after = chars.peek().is_some_and(|next| next.is_alphanumeric());
        let within = !quoted && before.is_alphanumeric() && after;
        written.push(if c == '\'' && within { '’' } else { c });
        before = c;
    }
    written
}

/// Returns the primary subtag of a language tag, as it is indexed.
fn primary(tag: &str) -> String {
    Language::from_tag(tag).map_or(UNKNOWN.to_owned(), |language| language.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apostrophes_within_words() {
        for (query, expected) in [
            ("l'encre don't", "l’encre don’t"),
            ("url:\"it's\" it's", "url:\"it's\" it’s"),
            ("'two words' dogs'", "'two words' dogs'"),
            ("\"a\\\"b'c\"", "\"a\\\"b'c\""),
        ] {
            assert_eq!(with_apostrophes(query), expected);
        }
    }
}
