//! The type of a page: features of the page as a whole, and the probabilities of the types.
//!
//! Takes: a page with its blocks and its address. Gives: one row of features, and what trees make of it: a
//! probability for each type. Siblings have one type, so their probabilities are averaged; the mean is a
//! feature of every block in both scores, as what belongs to the content depends on the type: posts of a
//! thread do, comments below an article do not.

use std::sync::LazyLock;

use dom::{Document, PrefixSums, local_name};
use model::{PageType, TypedAs};

use crate::block::density;
use crate::cues::{self, Cues, KindCues};
use crate::elementary::log;
use crate::lexicon::{ADDRESS, GENERATORS, Lexicon, NAMES, SCHEMA, lexicon};
use crate::page::{PageBlocks, TAGS, TYPES, TypeProbabilities};
use crate::repeats::{CountedPage, Repeats};
use crate::rows::{FeatureRow, FeatureTable, column_names, flag};
use crate::signs::{Begins, Ends, Signs};
use crate::trees::Trees;

/// The input for predicting the type of a page, besides its blocks.
#[derive(Clone, Copy, Debug)]
pub struct TypeView<'a> {
    /// The parsed page, from whose head and elements features are computed.
    pub document: &'a Document,
    /// Words of its text nodes.
    pub words: &'a PrefixSums,
    /// Words in links.
    pub link_words: &'a PrefixSums,
    /// Its address.
    pub url: &'a str,
}

pub(crate) fn type_feature_names() -> Vec<String> {
    crate::siblings::with_example(|document, page, _| {
        let none = PrefixSums::new(document, |_| 0);
        let view = TypeView { document, words: &none, link_words: &none, url: "" };
        column_names(|row| fill(row, &view, page.page, &mut Cues::new()))
    })
}

/// One row for a page. Linear in its nodes.
pub fn type_rows(view: &TypeView<'_>, blocks: &PageBlocks, cues: &mut Cues) -> FeatureTable {
    static WIDTH: LazyLock<usize> = LazyLock::new(|| type_feature_names().len());
    FeatureTable::of(*WIDTH, std::iter::once(()), |row, ()| fill(row, view, blocks, cues))
}

/// The probabilities of the types, by trees that distinguish each type from all others; equal without trees.
pub fn type_probabilities(trees: &[Trees], rows: &FeatureTable) -> TypeProbabilities {
    let mut each = [1.0f32; TYPES];
    for (own, trees) in each.iter_mut().zip(trees) {
        *own = trees.probability(rows.row(0)).max(1e-4);
    }
    let sum: f32 = each.iter().sum();
    each.map(|own| own / sum)
}

/// The mean over sibling pages.
pub fn mean_types(pages: &[TypeProbabilities]) -> TypeProbabilities {
    let mean = |at: usize| pages.iter().map(|own| own[at]).sum::<f32>() / pages.len().max(1) as f32;
    std::array::from_fn(mean)
}

/// The most probable type; of equal ones, the first.
pub fn most_probable(types: &TypeProbabilities) -> TypedAs {
    let better = |best: usize, at: usize| if types[at] > types[best] { at } else { best };
    let best = (1..TYPES).fold(0, better);
    TypedAs { page_type: PageType::ALL[best], probability: f64::from(types[best]) }
}

/// The probability of a type.
pub fn probability_of(types: &TypeProbabilities, wanted: PageType) -> f32 {
    types[wanted as usize]
}

const TAGS_COUNTED: usize = 24;

static COUNTED: [dom::LocalName; TAGS_COUNTED] = local_names![
    "img", "table", "tr", "form", "input", "button", "textarea", "label", "pre", "code",
    "blockquote", "time", "h1", "h2", "h3", "h4", "li", "dl", "article", "section", "main",
    "aside", "video", "figure"
];

fn fill(row: &mut impl FeatureRow, view: &TypeView<'_>, page: &PageBlocks, cues: &mut Cues) {
    fill_head(row, view.document);
    fill_address(row, view.url);
    fill_blocks(row, view, page);
    fill_elements(row, view.document, &page.of_kinds, cues);
    let is_byline = |&bits: &u64| bits & cues::BYLINE != 0;
    let counted = CountedPage {
        document: view.document,
        words: view.words,
        link_words: view.link_words,
        blocks: &page.blocks,
        signs: &page.signs,
        bylines: &page.cues.iter().map(is_byline).collect::<Vec<_>>(),
    };
    Repeats::of(&counted).fill(row);
}

/// Puts features that are sums over blocks.
fn fill_blocks(row: &mut impl FeatureRow, view: &TypeView<'_>, page: &PageBlocks) {
    let (own, signs) = (&page.blocks, &page.signs);
    let count = own.len().max(1) as f32;
    let words: f32 = own.iter().map(|b| b.words as f32).sum::<f32>().max(1.0);
    let links: f32 = own.iter().map(|b| b.link_words as f32).sum();
    let share = |is: &dyn Fn(usize) -> bool| {
        let of = (0..own.len()).filter(|&at| is(at));
        of.map(|at| own[at].words as f32).sum::<f32>() / words
    };
    let good = |at: usize| density(&own[at]) < 0.33 && own[at].words >= 10;
    row.put("log blocks", log(own.len() as f32));
    row.put("log words", log(words));
    row.put("link density", links / words);
    row.put("good words", share(&good));
    row.put("log good words", log(share(&good) * words));
    let long = |least: u32| share(&|at| good(at) && own[at].words >= least);
    row.put("words of long blocks", long(40));
    row.put("words of longest blocks", long(100));
    row.put("words of short blocks", share(&|at| own[at].words <= 4));
    let longest = own.iter().map(|b| b.words - b.link_words).max().unwrap_or(0);
    row.put("longest block", log(longest as f32));
    row.put("sentences", share(&|at| signs[at].ends == Ends::Sentence));
    row.put("ellipses", share(&|at| signs[at].ends == Ends::Ellipsis));
    let blocks_that =
        |is: &dyn Fn(usize) -> bool| (0..own.len()).filter(|&at| is(at)).count() as f32 / count;
    row.put("blocks that ask", blocks_that(&|at| signs[at].questions > 0));
    row.put("blocks with a year", blocks_that(&|at| signs[at].year));
    row.put("blocks with a price", blocks_that(&|at| signs[at].currency > 0));
    row.put("blocks with a colon", blocks_that(&|at| signs[at].ends == Ends::Colon));
    row.put("blocks with a digit first", blocks_that(&|at| signs[at].begins == Begins::Digit));
    let sum = |of: fn(&Signs) -> u32| -> f32 { signs.iter().map(|own| of(own) as f32).sum() };
    let chars = sum(|s| s.chars).max(1.0);
    row.put("digits", sum(|s| s.digits) / chars);
    row.put("capitals", sum(|s| s.upper) / chars);
    row.put("prices", log(sum(|s| s.currency)));
    row.put("separators", sum(|s| s.separators) / words);
    row.put("quotes", sum(|s| s.quotes) / words);
    row.put("commas", sum(|s| s.commas) / words);
    row.put("questions", sum(|s| s.questions) / words);
    let mut in_tags = TAGS.each_ref().map(|_| 0.0f32);
    let mut with_cues = [[0.0f32; 2]; cues::COUNT];
    for (at, block) in own.iter().enumerate() {
        let words = block.words as f32;
        let name = view.document.name(block.element);
        if let Some(tag) = TAGS.iter().position(|tag| name == Some(tag)) {
            in_tags[tag] += words;
        }
        let is_good = good(at);
        let mut cues = page.cues[at];
        while cues != 0 {
            let [all, good] = &mut with_cues[cues.trailing_zeros() as usize];
            *all += words;
            *good += if is_good { words } else { 0.0 };
            cues &= cues - 1;
        }
    }
    for (tag, sum) in TAGS.iter().zip(in_tags) {
        row.put(format_args!("words in <{tag}>"), sum / words);
    }
    let names = cues::names().flat_map(|of| [format!("words, {of}"), format!("good words, {of}")]);
    row.put_all(names, &with_cues.as_flattened().iter().map(|sum| sum / words).collect::<Vec<_>>());
}

/// Puts the numbers of elements by tag and by the words of their names.
fn fill_elements(
    row: &mut impl FeatureRow,
    document: &Document,
    read: &[Option<KindCues>],
    cues: &mut Cues,
) {
    let kinds = document.kinds();
    let mut of_kinds = vec![0u32; kinds.all().len()];
    for &kind in kinds.of_nodes() {
        if let Some(count) = of_kinds.get_mut(kind as usize) {
            *count += 1;
        }
    }
    let mut by_tag = [0u32; TAGS_COUNTED];
    let mut by_name = vec![0u32; NAMES.len()];
    for ((at, kind), &count) in kinds.all().iter().enumerate().zip(&of_kinds) {
        let Some(name) = document.name(kind.first) else { continue };
        if let Some(at) = COUNTED.iter().position(|own| own == name) {
            by_tag[at] += count;
        }
        let known = read.get(at).copied().flatten();
        let mut bits = known.unwrap_or_else(|| cues.of_kind(document, kind.first)).types;
        while bits != 0 {
            by_name[bits.trailing_zeros() as usize] += count;
            bits &= bits - 1;
        }
    }
    for (name, count) in COUNTED.iter().zip(by_tag) {
        row.put(format_args!("number of <{name}>"), log(count as f32));
    }
    for ((name, _), count) in NAMES.iter().zip(by_name) {
        row.put(format_args!("named {name}"), log(count as f32));
    }
}

static ADDRESS_WORDS: LazyLock<Lexicon> = LazyLock::new(|| lexicon(&ADDRESS));
static SCHEMA_TYPES: LazyLock<Lexicon> = LazyLock::new(|| lexicon(&SCHEMA));

/// Puts the features of a page's head and its marked-up types. Linear in its JSON-LD and elements.
pub(crate) fn fill_head(row: &mut impl FeatureRow, document: &Document) {
    let head = document.head();
    let og_type = head.meta("og:type").unwrap_or_default().to_ascii_lowercase();
    for name in ["article", "product", "website", "profile", "video"] {
        row.put(format_args!("og:type {name}"), flag(og_type.starts_with(name)));
    }
    row.put("og:type given", flag(!og_type.is_empty()));
    let has = |keys: &[&str]| flag(keys.iter().any(|key| head.meta(key).is_some()));
    row.put("published time", has(&["article:published_time", "datepublished", "date"]));
    row.put("author", has(&["author", "article:author", "byl"]));
    row.put("section", has(&["article:section", "article:tag", "news_keywords"]));
    row.put("price", has(&["product:price:amount", "og:price:amount", "product:availability"]));
    row.put("description", has(&["og:description", "description"]));
    let generator = head.meta("generator").unwrap_or_default().to_ascii_lowercase();
    for (name, list) in &*GENERATORS {
        let found = list.split_ascii_whitespace().any(|word| generator.contains(word));
        row.put(format_args!("generator {name}"), flag(found));
    }
    let feeds = head.links.iter().filter(|link| link.media_type.contains("rss")).count();
    row.put("feeds", log(feeds as f32));
    let title = head.title.as_deref().unwrap_or_default();
    row.put("title words", log(title.split_whitespace().count() as f32));
    let mut counts = vec![0u32; SCHEMA.len()];
    head.json_ld.iter().for_each(|json| each_type(json, |name| count(name, &mut counts)));
    let kinds = document.kinds();
    let of_kinds: Vec<Option<&str>> = (kinds.all().iter())
        .map(|kind| document.attribute(kind.first, &local_name!("itemtype")))
        .collect();
    if of_kinds.iter().any(Option::is_some) {
        for &kind in kinds.of_nodes() {
            let Some(Some(value)) = of_kinds.get(kind as usize) else { continue };
            let names = value.split_ascii_whitespace();
            names.for_each(|own| count(own.rsplit('/').next().unwrap_or_default(), &mut counts));
        }
    }
    for ((name, _), count) in SCHEMA.iter().zip(counts) {
        row.put(format_args!("schema {name}"), log(count as f32));
    }
}

fn count(name: &str, counts: &mut [u32]) {
    let bits = SCHEMA_TYPES.get(name).copied().unwrap_or(0);
    counts.iter_mut().enumerate().for_each(|(bit, count)| *count += bits >> bit & 1);
}

/// Calls `found` with the values of `@type` in JSON-LD, which need not be valid.
fn each_type(json: &str, mut found: impl FnMut(&str)) {
    for (at, key) in json.match_indices("\"@type\"") {
        let rest = json[at + key.len()..].trim_start().trim_start_matches(':').trim_start();
        let (list, end) = match rest.strip_prefix('[') {
            Some(list) => (list, list.find(']')),
            None => (rest, rest.strip_prefix('"').and_then(|r| Some(r.find('"')? + 2))),
        };
        let names = list[..end.unwrap_or(0)].split('"').skip(1).step_by(2);
        names.for_each(|name| found(name.rsplit('/').next().unwrap_or_default()));
    }
}

/// Puts the features of an address. Linear in its length.
pub(crate) fn fill_address(row: &mut impl FeatureRow, url: &str) {
    let url = url.split_once("://").map_or(url, |(_, rest)| rest).to_ascii_lowercase();
    let url = url.split('#').next().unwrap_or_default();
    let (url, query) = url.split_once('?').unwrap_or((url, ""));
    let (host, path) = url.split_once('/').unwrap_or((url, ""));
    let bits = |word: &str| ADDRESS_WORDS.get(word).copied().unwrap_or(0);
    let labels = host.split('.').filter(|label| label.len() > 1);
    let of_host = labels.flat_map(|label| label.split('-')).fold(0, |all, word| all | bits(word));
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let stem = |segment: &&str| bits(segment.split('.').next().unwrap_or_default());
    let last = segments.last().copied().unwrap_or_default();
    let before = segments.iter().take(segments.len().saturating_sub(1));
    let (of_path, of_last) = (before.fold(0, |all, segment| all | stem(segment)), stem(&last));
    for (bit, (name, _)) in ADDRESS.iter().enumerate() {
        row.put(format_args!("host {name}"), flag(of_host >> bit & 1 == 1));
        row.put(format_args!("path {name}"), flag(of_path >> bit & 1 == 1));
        row.put(format_args!("address {name}"), flag(of_last >> bit & 1 == 1));
    }
    row.put("path segments", segments.len() as f32);
    row.put("path root", flag(segments.is_empty()));
    row.put("labels of host", host.split('.').count() as f32);
    row.put("words of slug", last.split(['-', '_']).filter(|word| word.len() > 1).count() as f32);
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count() as f32;
    row.put("digits of slug", digits(last));
    row.put("digits of path", digits(path) - digits(last));
    let is_year = |segment: &&str| segment.len() == 4 && digits(segment) == 4.0;
    row.put("year in path", flag(segments.iter().any(is_year)));
    row.put("extension", flag(last.contains('.')));
    row.put("query keys", query.split('&').filter(|pair| !pair.is_empty()).count() as f32);
    row.put("ends in a slash", flag(path.ends_with('/')));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::WordsOnly;
    use crate::trees::{DecisionNode, DecisionTree};

    #[test]
    fn names_and_values_are_as_many_and_names_differ() {
        let mut names = type_feature_names();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn words_are_summed_up_by_tag_and_by_name() {
        let html = "<h1 class=headline>a b c</h1><div class='comments sidebar'><p>a b</p>\
                    <p>a b c d e f g h i j k l</p></div><ul class=comments><li>a</li></ul>";
        let only = WordsOnly::of(html);
        let WordsOnly { document, words, link_words, .. } = &only;
        let page = crate::read_page(&only.view(), &mut crate::Cues::new());
        let view = TypeView { document, words, link_words, url: "" };
        let (names, rows) = (type_feature_names(), type_rows(&view, &page, &mut Cues::new()));
        let value = |name: &str| rows.row(0)[names.iter().position(|own| own == name).unwrap()];
        let share = |is: &dyn Fn(usize) -> bool| {
            let of = (0..page.blocks.len()).filter(|&at| is(at));
            of.map(|at| page.blocks[at].words as f32).sum::<f32>() / words.total() as f32
        };
        for tag in &TAGS {
            let is = |at: usize| document.name(page.blocks[at].element) == Some(tag);
            assert_eq!(value(&format!("words in <{tag}>")), share(&is), "{tag}");
        }
        for (bit, name) in cues::names().enumerate() {
            let is = |at: usize| page.cues[at] >> bit & 1 == 1;
            assert_eq!(value(&format!("words, {name}")), share(&is), "{name}");
            let good = |at: usize| is(at) && page.blocks[at].words >= 10;
            assert_eq!(value(&format!("good words, {name}")), share(&good), "{name}");
        }
        assert!(value("words, cue comments") > value("good words, cue comments"));
    }

    #[test]
    fn probabilities_sum_to_one_and_the_largest_is_the_type() {
        let stump = |value: f32| {
            Trees::new(
                0.0,
                vec![DecisionTree { nodes: vec![DecisionNode { feature: -1, right: 0, value }] }],
            )
        };
        let trees: Vec<Trees> =
            (0..TYPES).map(|at| stump(if at == 3 { 3.0 } else { -1.0 })).collect();
        let one = FeatureTable::of(1, [1.0].into_iter(), |row, value| row.put("x", value));
        let types = type_probabilities(&trees, &one);
        assert!((types.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!(most_probable(&types).page_type, PageType::Forum);
        assert_eq!(mean_types(&[types, types]), types);
        assert_eq!(most_probable(&type_probabilities(&[], &one)).page_type, PageType::Article);
    }

    #[test]
    fn types_are_read_from_any_json() {
        let types = |json: &str| {
            let mut found = Vec::new();
            each_type(json, |name| found.push(name.to_owned()));
            found
        };
        let json =
            r#"{"@type":["Product","http://schema.org/Book"],"a":{"@type" : "Offer"}, "@type":3"#;
        assert_eq!(types(json), ["Product", "Book", "Offer"]);
        assert!(types(r#""@type""#).is_empty() && types(r#""@type":["a"#).is_empty());
    }
}
