//! Finds the posts of a thread by their structure: elements of one kind, each with a date, a name, and a text of its own.
//!
//! Nothing is known of forum software or languages. Elements are of one kind if they have the same tag and class name, or the
//! same tag and parent. A few words at the same place in all of them, different in each, are the author's name. Texts that repeat
//! in half of them, and short texts that all have, are labels. The text of a post is the element with the most other words and
//! the fewest labels. An answer nested in the post that it answers is a post of its own.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use dom::{
    Document, LocalName, NodeId, PrefixSums, class_tokens, is_heading, is_inline, local_name,
    local_names, normalize_space,
};
use grove::TextBlock;
use memchr::memmem;
use metadata::{name_before_date, says_changed};
use region::is_hidden_from_sight;
use rustc_hash::FxHashMap;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::body::ThreadPost;
use crate::parsed::ParsedPage;

/// Minimum probability of a thread from which a page with posts is one.
const LEAST_PROBABILITY: f32 = 0.2;
/// Minimum share of the posts' words that the engine must have kept for the posts to be the article.
const KEPT: f32 = 0.25;
/// Minimum probability if the posts follow a text that is not like them, as comments follow an article; minimum number of such
/// posts; and minimum share of the kept words that this text must have.
const ANSWERED: f32 = 0.5;
const LEAST_ANSWERS: usize = 3;
const QUESTION: f32 = 0.9;
/// Maximum number of quotations of a thread that are compared with earlier posts, and minimum bytes of a quotation.
const MOST_QUOTES: usize = 400;
const LEAST_QUOTED: usize = 12;
/// Longest control behind a quotation, in bytes, and maximum number of texts behind it that are looked at.
const LONGEST_BEHIND: usize = 24;
/// Maximum number of texts of a quotation that are compared.
const MOST_COMPARED: usize = 4;
/// Maximum and minimum number of elements of a kind that may be posts.
const MOST: usize = 2_000;
const LEAST: usize = 2;
/// Maximum number of class names of an element that are considered.
const MOST_CLASSES: usize = 6;
/// Maximum number of kinds of elements that are considered.
const MOST_KINDS: usize = 16;
/// Maximum number of dates per post, on average.
const MOST_DATES: usize = 16;
/// The columns of a table from this number on count as one place.
const MOST_CELLS: usize = 8;
/// Minimum share of the elements of a kind with a date and a text, and of the posts with a name or a text at one place.
const LEAST_SHARE: f32 = 0.6;
/// Maximum words and bytes of a name, and of a date.
const NAME: (usize, usize) = (4, 48);
const DATE: (usize, usize) = (12, 80);
/// Maximum number of nodes between a date and its label.
const LABEL_NODES: NodeId = 6;
/// Longest text that is compared with those of other posts, in bytes.
const LONGEST_REPEATED: usize = 400;
/// Weight of posts without author names.
const WITHOUT_NAMES: f32 = 0.5;
/// Factor by which the words of a kind must exceed those of the best kind so far.
const CLEARLY: f32 = 1.1;
/// Maximum number of ancestors of a name that are searched for a declaration of the author.
const DECLARED: usize = 10;
/// Maximum number of posts that may all have the same author.
const FEW: usize = 4;
/// Places whose texts have fewer words on average hold labels.
const LABEL: f32 = 3.0;

/// Parts of class names of elements that hold author names. They decide between several places.
const NAMED: [&str; 8] =
    ["author", "user", "poster", "byline", "nick", "creator", "screenname", "name"];

/// Returns the posts of a page in document order if it is a thread: `probability` is high enough, and the engine kept its posts
/// or a text before them. `kept` are indices of `blocks`.
pub(super) fn thread_of(
    parsed: &ParsedPage<'_>,
    blocks: &[TextBlock],
    kept: &[usize],
    probability: f32,
) -> Vec<ThreadPost> {
    if probability < LEAST_PROBABILITY {
        return Vec::new();
    }
    let document = &parsed.document;
    let kept = kept_words(parsed, blocks, kept);
    let posts = find_posts(parsed, &kept);
    let Some(first) = posts.first() else { return posts };
    let of_posts = |sums: &PrefixSums| -> f32 {
        posts.iter().map(|post| sums.sum(document, post.content) as f32).sum()
    };
    // All kept text is in the first post or before the posts.
    let begins = is_kept_in(parsed, &kept, first);
    let end_of_posts = posts.iter().map(|post| document.node(post.element).end).max();
    let is_answered = || {
        let end = if begins { document.node(first.content).end } else { first.element };
        let are_signed = posts.iter().any(|post| !post.authors.is_empty());
        let before = kept.range(0, end);
        // Names and dates of posts may be kept although their texts are not.
        let behind = kept.range(end_of_posts.unwrap_or(end), document.len() as NodeId);
        (begins || posts.len() >= LEAST_ANSWERS && are_signed && probability >= ANSWERED)
            && before as f32 >= QUESTION * (before + behind) as f32
    };
    let of_kept = posts.iter().filter(|post| is_kept_in(parsed, &kept, post)).count();
    let are_kept = of_posts(&kept) >= KEPT * of_posts(&parsed.words) || of_kept * 2 >= posts.len();
    if are_kept || is_answered() { posts } else { Vec::new() }
}

/// Returns the number of kept words of each text.
fn kept_words(parsed: &ParsedPage<'_>, blocks: &[TextBlock], kept: &[usize]) -> PrefixSums {
    let mut is_kept = vec![false; parsed.document.len()];
    for block in kept.iter().map(|&at| &blocks[at]) {
        is_kept[block.first as usize..=block.last as usize].fill(true);
    }
    let words = |id: NodeId| if is_kept[id as usize] { parsed.words.range(id, id + 1) } else { 0 };
    PrefixSums::new(&parsed.document, words)
}

/// Minimum number of words of an article before comments that no class name marks as such.
const BEFORE_COMMENTS: u32 = 100;

/// Returns where comments begin that were kept with the article because no class name marks them: posts by several people,
/// without headings, after which nothing else is kept. `None` if the page may be a thread.
pub(super) fn comments_behind(
    parsed: &ParsedPage<'_>,
    blocks: &[TextBlock],
    kept: &[usize],
    probability: f32,
) -> Option<NodeId> {
    let document = &parsed.document;
    // Most articles have no dates between their paragraphs.
    let has_date_between = |pair: &&[usize]| {
        (blocks[pair[0]].last + 1..=blocks[pair[1]].last).any(|id| has_date(document, id))
    };
    let are_dated = || kept.windows(2).filter(has_date_between).nth(LEAST - 1).is_some();
    let last = blocks[*kept.last()?].last;
    if probability >= LEAST_PROBABILITY || !are_dated() || !may_end_post(document, last) {
        return None;
    }
    let kept_sums = kept_words(parsed, blocks, kept);
    let posts = find_posts(parsed, &kept_sums);
    let first = posts.first()?.element;
    let end = document.len() as NodeId;
    let texts = posts.iter().filter(|post| {
        let is_heading = |id| document.name(id).is_some_and(is_heading);
        !post.dates.is_empty()
            && is_kept_in(parsed, &kept_sums, post)
            && !document.subtree(post.element).any(is_heading)
    });
    // Name and date may be one text.
    let name = |post: &ThreadPost| match post.authors.first() {
        Some(&id) => document.text(id).map(str::trim),
        None => post.dates.iter().find_map(|own| name_before_date(document.text(own.1)?)),
    };
    let authors: BTreeSet<&str> = texts.clone().filter_map(name).collect();
    let of_contents: u32 = texts.clone().map(|post| kept_sums.sum(document, post.content)).sum();
    // Names and dates may be kept, too.
    let elements = document.outermost(texts.map(|post| post.element).collect());
    let of_posts: u32 = elements.iter().map(|&id| kept_sums.sum(document, id)).sum();
    let is_tail = of_posts == kept_sums.range(first, end) && of_contents * 2 > of_posts;
    (authors.len() >= LEAST && is_tail && kept_sums.range(0, first) >= BEFORE_COMMENTS)
        .then_some(first)
}

/// Whether a node may be the last of a post without headings: an element around it has no heading, and has a date or follows one.
fn may_end_post(document: &Document, last: NodeId) -> bool {
    let is_heading = |id: &NodeId| document.name(*id).is_some_and(is_heading);
    let before = (0..last).rev().find(is_heading);
    let after = (last..document.len() as NodeId).find(is_heading);
    let is_without = |id: &NodeId| {
        before.is_none_or(|heading| heading < *id)
            && after.is_none_or(|heading| document.node(*id).end <= heading)
    };
    let Some(outer) = document.ancestors(last).take_while(is_without).last() else { return false };
    let siblings = document.parent(outer).into_iter().flat_map(|above| document.children(above));
    let from = siblings.take_while(|&id| id < outer).filter(|&id| document.name(id).is_some());
    (from.last().unwrap_or(outer)..document.node(outer).end).any(|id| has_date(document, id))
}

/// Whether at least half of a post is kept.
fn is_kept_in(parsed: &ParsedPage<'_>, kept: &PrefixSums, post: &ThreadPost) -> bool {
    let document = &parsed.document;
    2 * kept.sum(document, post.content) >= parsed.words.sum(document, post.content)
}

/// The posts to add to the body of a thread.
#[derive(Debug, Default)]
pub(super) struct MissingPosts {
    /// The contents of the posts of which nothing was kept.
    pub(super) contents: Vec<NodeId>,
    /// Nodes of all posts that are left out: quotations of earlier posts, and what stands around texts.
    pub(super) parts: Vec<NodeId>,
}

/// Returns the posts of which nothing was kept.
pub(super) fn missing_posts(
    parsed: &ParsedPage<'_>,
    blocks: &[TextBlock],
    kept: &[usize],
    posts: &[ThreadPost],
    probability: f32,
) -> MissingPosts {
    let document = &parsed.document;
    let mut missing = MissingPosts::default();
    let mut before = match posts.first() {
        Some(first) => normalize_space(&text_between(document, 0, first.element)),
        None => return missing,
    };
    let mut left = MOST_QUOTES;
    for post in posts {
        let from = kept.partition_point(|&at| blocks[at].first < post.content);
        let end = document.node(post.content).end;
        if kept.get(from).is_none_or(|&at| blocks[at].first >= end) {
            missing.contents.push(post.content);
            missing.parts.extend(&post.labels);
        } else if probability >= ANSWERED && !post.authors.is_empty() {
            missing.parts.extend(whole_lines(parsed, blocks, kept, &post.beside));
        }
        // The whole text of a post may be in a quotation element.
        let all = parsed.words.sum(document, post.content);
        let is_quote = |id: &NodeId| {
            document.is(*id, &local_name!("blockquote")) && parsed.words.sum(document, *id) < all
        };
        let quotes: Vec<NodeId> =
            document.subtree(post.content).skip(1).filter(is_quote).take(left).collect();
        left -= quotes.len();
        missing.parts.extend(quotes.into_iter().filter(|&id| repeats_text(document, id, &before)));
        before.push(' ');
        before.push_str(&normalize_space(document.text_content(post.content)));
    }
    missing
}

/// Returns those of the nodes beside a post's text that are not in a kept block with other words. All are ascending.
fn whole_lines(
    parsed: &ParsedPage<'_>,
    blocks: &[TextBlock],
    kept: &[usize],
    beside: &[NodeId],
) -> Vec<NodeId> {
    let end_of = |id: NodeId| parsed.document.node(id).end;
    let is_beside = |id: NodeId| {
        let before = beside.partition_point(|&own| own <= id).checked_sub(1);
        before.is_some_and(|at| id < end_of(beside[at]))
    };
    let is_whole = |&id: &NodeId| {
        let from = kept.partition_point(|&at| blocks[at].last < id);
        let own =
            kept[from..].iter().map(|&at| &blocks[at]).take_while(|own| own.first < end_of(id));
        let mut texts = own.flat_map(|own| own.first..=own.last);
        texts.all(|text| parsed.words.range(text, text + 1) == 0 || is_beside(text))
    };
    beside.iter().copied().filter(is_whole).collect()
}

fn text_between(document: &Document, from: NodeId, to: NodeId) -> String {
    (from..to).filter_map(|id| document.text(id)).collect::<Vec<_>>().join(" ")
}

/// Whether `text` contains the longest texts of an element, if these have a few words at least. Shorter ones are labels.
fn repeats_text(document: &Document, id: NodeId, text: &str) -> bool {
    let own = document.subtree(id).filter_map(|own| document.text(own));
    let mut own: Vec<String> = own.map(normalize_space).collect();
    // What is added behind a quotation is an answer, unless it is as short as a control.
    let longest = own.iter().enumerate().max_by_key(|own| own.1.len()).map_or(0, |own| own.0);
    let is_known = |own: &String| memmem::find(text.as_bytes(), own.as_bytes()).is_some();
    let mut behind = own.iter().skip(longest + 1).take(LONGEST_BEHIND);
    if behind.any(|own| own.len() > LONGEST_BEHIND && !is_known(own)) {
        return false;
    }
    own.sort_by_key(|own| Reverse(own.len()));
    own.first().is_some_and(|longest| longest.len() >= LEAST_QUOTED)
        && (own.iter().enumerate().take(MOST_COMPARED))
            .take_while(|(at, own)| *at == 0 || own.len() > DATE.1)
            .all(|(_, own)| is_known(own))
}

/// The elements of one kind, which may be nested in each other.
struct Kind {
    members: Vec<NodeId>,
    /// Number of words outside links of the members with a date, without those of members nested in them.
    words: u32,
}

/// Returns the posts of a page; empty if it has fewer than two. `kept` has the kept words of each text. Linear in nodes times
/// class names per element.
fn find_posts(parsed: &ParsedPage<'_>, kept: &PrefixSums) -> Vec<ThreadPost> {
    let document = &parsed.document;
    let dates = PrefixSums::new(document, |id| u32::from(has_date(document, id)));
    if (dates.total() as usize) < LEAST {
        return Vec::new();
    }
    let mut page = DatedPage {
        document,
        words: &parsed.words,
        links: &parsed.link_words,
        starts: starts(document, &parsed.words, &dates),
        dates,
        nodes: Vec::new(),
        base: Url::parse(&parsed.page.url).ok(),
    };
    let mut kinds = kinds(&page);
    if !kinds.is_empty() {
        page.nodes = document.ids().map(|id| SeenNode::of(parsed, id)).collect();
    }
    let kept_in =
        |kind: &Kind| -> u32 { kind.members.iter().map(|&id| kept.sum(document, id)).sum() };
    kinds
        .sort_by_cached_key(|kind| (Reverse(kind.words + 4 * kept_in(kind)), kind.members.clone()));
    // Kinds of posts of which something is kept take precedence over all others.
    let mut best: (bool, f32, Vec<ThreadPost>) = (false, 0.0, Vec::new());
    for kind in kinds.into_iter().take(MOST_KINDS) {
        let Some((words, posts)) = posts_of(&page, &kind.members) else { continue };
        // The question may have a different structure from its answers.
        let asks = |&id: &NodeId| {
            id < posts[0].element
                && 2 * kept.sum(document, id) >= parsed.words.sum(document, id).max(1)
        };
        let is_kept =
            posts.iter().any(|post| is_kept_in(parsed, kept, post) && !post.authors.is_empty())
                || kind.members.iter().any(asks);
        if is_kept && !best.0 || is_kept == best.0 && words > best.1 * CLEARLY {
            best = (is_kept, words, posts);
        }
    }
    best.2
}

/// A page with the places of its dates.
struct DatedPage<'a> {
    document: &'a Document,
    words: &'a PrefixSums,
    links: &'a PrefixSums,
    dates: PrefixSums,
    /// The start of each element, including a line before it that belongs to it.
    starts: Vec<NodeId>,
    /// What places depend on, of each node; empty if there are no kinds of elements that may be posts.
    nodes: Vec<SeenNode<'a>>,
    base: Option<Url>,
}

/// What places depend on, of a node of any possible post.
#[derive(Clone, Copy)]
enum SeenNode<'a> {
    /// A text with words: a hash of its words, and whether it may repeat in other posts.
    Text(u64, bool),
    /// An element within a link that gives a name its colour: it makes no place.
    Colour,
    /// An element with its first class name without digits, and the number of its column if it is a cell.
    Element(&'a str, u8),
    Blank,
}

impl<'a> SeenNode<'a> {
    fn of(parsed: &'a ParsedPage<'_>, id: NodeId) -> Self {
        let document = &parsed.document;
        if let Some(text) = document.text(id) {
            let is_quoted = || {
                let mut around = document.ancestors(id).take(DECLARED);
                text.len() > NAME.1
                    && around.any(|own| document.is(own, &local_name!("blockquote")))
            };
            let hash = || xxh3_64(normalize_space(text).as_bytes());
            let is_compared = text.len() <= LONGEST_REPEATED && !is_quoted();
            return match parsed.words.range(id, id + 1) {
                0 => Self::Blank,
                _ => Self::Text(hash(), is_compared),
            };
        }
        let Some(name) = document.name(id) else { return Self::Blank };
        let is_in_link = || {
            document.ancestors(id).skip(1).take(3).any(|own| document.is(own, &local_name!("a")))
        };
        let is_mark = || {
            document.text_content(id).trim().chars().nth(1).is_none()
                || is_hidden_from_sight(document, id)
        };
        if is_inline(name) && !is_part_of_text(name) && is_in_link() && !is_mark() {
            return Self::Colour;
        }
        // Further class names describe a state: online, first, edited.
        let class = document.attribute(id, &local_name!("class")).unwrap_or_default();
        let class = class_tokens(class).find(|token| !has_digit(token)).unwrap_or_default();
        let is_cell = matches!(*name, local_names!("td" "th"));
        let row = document.parent(id).filter(|_| is_cell);
        let before =
            row.into_iter().flat_map(|row| document.children(row).take_while(|&own| own < id));
        let column = before.filter(|&own| document.name(own).is_some()).take(MOST_CELLS).count();
        Self::Element(class, column as u8)
    }
}

impl DatedPage<'_> {
    fn has_date(&self, id: NodeId) -> bool {
        self.dates.range(id, id + 1) > 0
    }

    /// Sums over an element and the line before it that belongs to it.
    fn sum(&self, sums: &PrefixSums, id: NodeId) -> u32 {
        sums.range(self.starts[id as usize], self.document.node(id).end)
    }
}

/// Returns the kinds of elements that may be posts: elements with the same tag and class name, or children of one element with
/// the same tag.
fn kinds(page: &DatedPage<'_>) -> Vec<Kind> {
    let document = page.document;
    let may_be_post = |id: &NodeId| {
        document.name(*id).is_some_and(|name| !is_inline(name) && !is_part_of_text(name))
            && page.sum(&page.dates, *id) > 0
            && page.words.sum(document, *id) > 1
    };
    let mut numbers: FxHashMap<(&LocalName, &str, NodeId), usize> = FxHashMap::default();
    let mut named: Vec<Vec<NodeId>> = Vec::new();
    let mut add = |key, id: NodeId| {
        let at = *numbers.entry(key).or_insert(named.len());
        if at == named.len() {
            named.push(Vec::new());
        }
        // A class may have a name twice.
        if named[at].last() != Some(&id) {
            named[at].push(id);
        }
    };
    for id in document.ids().skip(1).filter(may_be_post) {
        let Some(name) = document.name(id) else { continue };
        let class = document.attribute(id, &local_name!("class")).unwrap_or_default();
        add((name, "", document.node(id).parent), id);
        let tokens = class_tokens(class).filter(|own| !has_digit(own)).take(MOST_CLASSES);
        tokens.for_each(|token| add((name, token, 0), id));
    }
    let mut seen: BTreeSet<Vec<NodeId>> = BTreeSet::new();
    let mut kinds = Vec::new();
    for members in named.into_iter().filter(|own| (LEAST..=MOST).contains(&own.len())) {
        let own = |sums: &PrefixSums| -> Vec<u32> {
            let mut own: Vec<u32> = members.iter().map(|&id| page.sum(sums, id)).collect();
            let mut around: Vec<usize> = Vec::new();
            for (at, &id) in members.iter().enumerate() {
                while around.last().is_some_and(|&last| !document.contains(members[last], id)) {
                    around.pop();
                }
                if let Some(&outer) = around.last() {
                    own[outer] = own[outer].saturating_sub(page.sum(sums, id));
                }
                around.push(at);
            }
            own
        };
        let (all, linked, dated) = (own(page.words), own(page.links), own(&page.dates));
        let plain: Vec<u32> =
            all.iter().zip(&linked).map(|(all, linked)| all - all.min(linked)).collect();
        let signed = plain.iter().zip(&dated).filter(|own| *own.0 > 0 && *own.1 > 0);
        let (count, sum) = signed.fold((0, 0), |sum, own| (sum.0 + 1, sum.1 + own.0));
        let all_dates: usize = dated.iter().map(|own| *own as usize).sum();
        if count >= LEAST
            && count as f32 >= LEAST_SHARE * members.len() as f32
            && all_dates <= MOST_DATES * members.len()
            && seen.insert(members.clone())
        {
            kinds.push(Kind { members, words: sum });
        }
    }
    kinds
}

/// Returns the start of each element: itself or, if it has no date, a sibling directly before it that is a line with a date.
fn starts(document: &Document, words: &PrefixSums, dates: &PrefixSums) -> Vec<NodeId> {
    let mut starts: Vec<NodeId> = document.ids().collect();
    // The last child of each element so far.
    let mut last: Vec<NodeId> = vec![0; document.len()];
    for id in document.ids().skip(1).filter(|&id| document.name(id).is_some()) {
        let parent = document.parent(id).unwrap_or(0) as usize;
        let before = std::mem::replace(&mut last[parent], id);
        let is_line = before > 0
            && dates.sum(document, before) > 0
            && words.sum(document, before) as usize <= 2 * DATE.0;
        if is_line && dates.sum(document, id) == 0 && words.sum(document, id) > 0 {
            starts[id as usize] = before;
        }
    }
    starts
}

/// The content at one place in the posts of a kind. A place is a path of tags and classes below a post.
#[derive(Default)]
struct Place {
    /// The first element there in each post, and its post.
    elements: Vec<(usize, NodeId)>,
    /// The first text there in each post, with a hash of all texts there.
    texts: Vec<(usize, NodeId, u64)>,
    /// All texts there, and their words.
    count: usize,
    words: u32,
    /// Whether most members have a date there.
    is_dated: bool,
    /// Whether the texts there depend on the author: rank, number of posts, signature.
    is_of_profile: bool,
}

impl Place {
    /// Whether two posts with the same texts at another place have the same texts here, and there are such posts.
    fn is_determined_by(&self, other: &Self) -> bool {
        let mut known: BTreeMap<u64, u64> = BTreeMap::new();
        let mut is_shared = false;
        for (post, _, own) in &self.texts {
            let Ok(at) = other.texts.binary_search_by_key(post, |own| own.0) else { continue };
            match known.insert(other.texts[at].2, *own) {
                Some(before) if before != *own => return false,
                before => is_shared |= before.is_some(),
            }
        }
        is_shared
    }
}

/// The content of the elements of one kind, by place.
struct PostPlaces<'a> {
    page: &'a DatedPage<'a>,
    members: &'a [NodeId],
    /// The first place is that of the posts themselves.
    places: Vec<Place>,
    /// The place of each text and element.
    place_of: FxHashMap<NodeId, usize>,
    /// By the hash of a text, the last member that contains it, and the number of members that do.
    repeated: FxHashMap<u64, (usize, usize)>,
}

/// The number of each place, by the place above, the tag name, the class name and the column.
type PlaceNumbers<'a> = FxHashMap<(usize, &'a LocalName, &'a str, u8), usize>;

impl<'a> PostPlaces<'a> {
    fn of(page: &'a DatedPage<'a>, members: &'a [NodeId]) -> Self {
        let document = page.document;
        let mut found = Self {
            page,
            members,
            places: vec![Place::default()],
            place_of: FxHashMap::default(),
            repeated: FxHashMap::default(),
        };
        let mut numbers = PlaceNumbers::default();
        // The class names of the elements with a tag name below a place.
        let mut classes: FxHashMap<(usize, &LocalName), Vec<&str>> = FxHashMap::default();
        for (at, &member) in members.iter().enumerate() {
            let end = document.node(member).end;
            let mut open: Vec<(NodeId, usize)> = vec![(end, 0)];
            let mut id = found.start(member);
            while id < end {
                if id == member {
                    open.truncate(1);
                    id += 1;
                    continue;
                }
                if members.binary_search(&id).is_ok() {
                    id = document.node(id).end;
                    continue;
                }
                while open.len() > 1 && open.last().is_some_and(|last| last.0 <= id) {
                    open.pop();
                }
                let above = open.last().map_or(0, |last| last.1);
                let own = match (page.nodes[id as usize], document.name(id)) {
                    (SeenNode::Element(class, column), Some(name)) => {
                        let known = classes.entry((above, name)).or_default();
                        let class = known_class(known, class);
                        let next = found.places.len();
                        *numbers.entry((above, name, class, column)).or_insert(next)
                    }
                    (SeenNode::Text(hash, is_compared), _) => {
                        found.add_text(at, id, (hash, is_compared), above);
                        above
                    }
                    _ => above,
                };
                if document.name(id).is_some() {
                    found.place_of.insert(id, own);
                    open.push((document.node(id).end, own));
                    if own == found.places.len() {
                        found.places.push(Place::default());
                    }
                    let place = &mut found.places[own];
                    if place.elements.last().is_none_or(|last| last.0 != at) {
                        place.elements.push((at, id));
                    }
                }
                id += 1;
            }
        }
        let least = found.least();
        for place in &mut found.places {
            let dated = place.texts.iter().filter(|own| page.has_date(own.1)).count();
            place.is_dated = dated >= least;
        }
        found
    }

    fn add_text(&mut self, at: usize, id: NodeId, (hash, is_compared): (u64, bool), above: usize) {
        self.place_of.insert(id, above);
        let place = &mut self.places[above];
        place.count += 1;
        place.words += self.page.words.range(id, id + 1);
        match place.texts.last_mut().filter(|last| last.0 == at) {
            Some(last) => last.2 = last.2.rotate_left(1) ^ hash,
            None => place.texts.push((at, id, hash)),
        }
        if is_compared {
            let seen = self.repeated.entry(hash).or_insert((usize::MAX, 0));
            if seen.0 != at {
                *seen = (at, seen.1 + 1);
            }
        }
    }

    /// Minimum number of members that must have something at a place.
    fn least(&self) -> usize {
        ((LEAST_SHARE * self.members.len() as f32).ceil() as usize).max(LEAST)
    }

    /// Returns the place of the authors' names: the first of the places with the best rating.
    fn authors(&self) -> Option<usize> {
        let rated = self.places.iter().enumerate();
        let rated = rated.filter(|own| own.1.texts.len() >= self.least());
        let rated = rated.filter_map(|(path, place)| {
            let rating = (rate_names(self.page.document, place)?, place.texts.len());
            Some((rating, Reverse(&place.texts), path, place))
        });
        let rated: Vec<_> = rated.collect();
        let best = rated.iter().max_by_key(|own| (own.0, own.1))?;
        // Members of one rank have several names, but no member has several ranks. Names are more often links.
        let number =
            |place: &Place| place.texts.iter().map(|own| own.2).collect::<BTreeSet<u64>>().len();
        // Links have odd ratings.
        let finer = rated.iter().filter(|own| {
            let rank = |own: &((usize, usize), _, _, &Place)| (number(own.3), own.0.0 % 2);
            own.0.0 > 0 && rank(own) > rank(best) && best.3.is_determined_by(own.3)
        });
        let finer = finer.max_by_key(|own| (own.0, own.1));
        Some(finer.unwrap_or(best).2)
    }

    /// Whether a text is an author's name, a date, a label, or repeated in half of the members.
    fn is_around(&self, id: NodeId, authors: Option<usize>) -> bool {
        let SeenNode::Text(hash, _) = self.page.nodes[id as usize] else { return false };
        let Some(&at) = self.place_of.get(&id) else { return false };
        let place = &self.places[at];
        let is_label =
            (place.words as f32) < LABEL * place.count as f32 && place.texts.len() >= self.least();
        let is_repeated = || {
            let times = self.repeated.get(&hash).map_or(0, |own| own.1);
            let is_short =
                self.page.document.text(id).is_some_and(|own| own.len() <= LONGEST_REPEATED);
            times > 1 && times * 2 >= self.members.len() && is_short
        };
        Some(at) == authors || is_label || place.is_dated || place.is_of_profile || is_repeated()
    }

    /// Returns the start of a member, including a line before it that belongs to it unless that is itself a member.
    fn start(&self, member: NodeId) -> NodeId {
        let start = self.page.starts[member as usize];
        if self.members.binary_search(&start).is_ok() { member } else { start }
    }

    /// Returns the end of a member, or the start of the next member nested in it.
    fn end(&self, member: NodeId) -> NodeId {
        let end = self.page.document.node(member).end;
        let next = self.members.partition_point(|&own| own <= member);
        self.members.get(next).map_or(end, |&next| end.min(next))
    }
}

/// Returns the class name that stands for `class` among those with the same tag name below one place: extensions of a name
/// describe a state.
fn known_class<'a>(known: &mut Vec<&'a str>, class: &'a str) -> &'a str {
    let extends = |own: &str, other: &str| {
        own.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
    };
    if let Some(other) = known.iter().find(|other| extends(class, other) || extends(other, class)) {
        return other;
    }
    if known.len() < MOST_CLASSES {
        known.push(class);
    }
    class
}

/// Returns the posts of a kind with their weighted number of words; `None` if the members are not posts.
fn posts_of(page: &DatedPage<'_>, members: &[NodeId]) -> Option<(f32, Vec<ThreadPost>)> {
    let document = page.document;
    let mut found = PostPlaces::of(page, members);
    let place_of_authors = found.authors();
    if let Some(authors) = place_of_authors {
        for at in 0..found.places.len() {
            found.places[at].is_of_profile =
                found.places[at].is_determined_by(&found.places[authors]);
        }
    }
    let from = members.iter().map(|&id| found.start(id)).min()?;
    let end = members.iter().map(|&id| document.node(id).end).max()?;
    // Running sums of the words of the posts, and of the words around them (names, dates, labels).
    let mut sums = vec![(0, 0)];
    let (mut own, mut around) = (0, 0);
    for id in from..end {
        let words = page.words.range(id, id + 1);
        if words > 0 && found.place_of.contains_key(&id) {
            match found.is_around(id, place_of_authors) {
                true => around += words,
                false => own += words,
            }
        }
        sums.push((own, around));
    }
    let sums_of = |id: NodeId| {
        let (before, all) =
            (sums[(id - from) as usize], sums[(document.node(id).end - from) as usize]);
        (all.0 - before.0, all.1 - before.1)
    };
    let gain = |id: NodeId| i64::from(sums_of(id).0) - i64::from(sums_of(id).1);
    // An element that contains other posts is not the text of a post.
    let is_whole = |id: NodeId| {
        let next = members.partition_point(|&member| member <= id);
        members.get(next).is_none_or(|&next| next >= document.node(id).end)
    };
    let contents = found.places.iter().filter_map(|place| {
        let whole: Vec<(usize, NodeId)> =
            place.elements.iter().copied().filter(|own| is_whole(own.1)).collect();
        let words: i64 = whole.iter().map(|own| gain(own.1)).sum();
        // If several have the same number of words, the innermost wins.
        (whole.len() >= found.least()).then(|| (words, whole.first().map(|own| own.1), whole))
    });
    let (words, _, contents) = contents.max_by_key(|own| (own.0, own.1)).filter(|own| own.0 > 0)?;
    let authors_of = |member: NodeId| -> Vec<NodeId> {
        let all = found.start(member)..found.end(member);
        let is_author = |id: &NodeId| {
            document.text(*id).is_some() && found.place_of.get(id).copied() == place_of_authors
        };
        let all: Vec<NodeId> =
            all.filter(|id| place_of_authors.is_some() && is_author(id)).collect();
        // Some names look like dates.
        let names: Vec<NodeId> = all.iter().copied().filter(|&id| !page.has_date(id)).collect();
        if names.is_empty() { all } else { names }
    };
    let dates_of = |member: NodeId, content: NodeId| {
        let all = found.start(member)..found.end(member);
        // A date in the text is not the date of the post, unless most posts have one at that place.
        let is_signed = |id: &NodeId| {
            let place = found.place_of.get(id);
            !document.contains(content, *id) || place.is_some_and(|&own| found.places[own].is_dated)
        };
        let all = all.filter(|id| page.has_date(*id) && is_signed(id));
        let dated: Vec<NodeId> = all.take(2 * MOST_DATES).collect();
        let place = |id: NodeId| (found.place_of.get(&id).copied().unwrap_or_default(), id);
        let written = dated.iter().copied().filter(|&id| !is_of_change(document, id));
        let mut dates: Vec<(usize, NodeId)> = written.map(place).collect();
        if dates.is_empty() {
            dates.extend(dated.first().copied().map(place));
        }
        dates
    };
    let is_label = |id: &NodeId| matches!(sums_of(*id), (0, 1..));
    let labels_in = |content: NodeId| {
        let elements = document.subtree(content).filter(|&id| document.name(id).is_some());
        document.outermost(elements.filter(is_label).collect())
    };
    let labels_beside = |member: NodeId, content: NodeId| {
        let all = found.start(member)..found.end(member);
        let beside = all.filter(|&id| !document.contains(content, id));
        document.outermost(beside.filter(is_label).collect())
    };
    let written = contents.into_iter().filter(|post| sums_of(post.1).0 > 0);
    let mut posts: Vec<ThreadPost> = written
        .map(|(at, content)| ThreadPost {
            element: members[at],
            content,
            authors: authors_of(members[at]),
            dates: dates_of(members[at], content),
            labels: labels_in(content),
            beside: labels_beside(members[at], content),
        })
        .collect();
    // Elements after the last post may have the structure of posts.
    while posts.last().is_some_and(|last| last.authors.is_empty() && last.dates.is_empty()) {
        posts.pop();
    }
    // Posts may all link the title of their thread.
    let links = posts.iter().filter_map(|post| title_link(page, post, found.end(post.element)));
    if links.map(without_reply).collect::<BTreeSet<&str>>().len() * 2 >= posts.len() {
        return None;
    }
    let is_signed = |post: &&ThreadPost| {
        (place_of_authors.is_none() || !post.authors.is_empty()) && !post.dates.is_empty()
    };
    let signed = posts.iter().filter(is_signed).count();
    let is_enough = signed >= LEAST && signed as f32 >= LEAST_SHARE * posts.len() as f32;
    let share = signed as f32 / members.len() as f32;
    let named = if place_of_authors.is_some() { 1.0 } else { WITHOUT_NAMES };
    is_enough.then_some((named * share * words as f32, posts))
}

/// Returns the text of a link that makes an element a teaser of another page: a heading, a link outside the post's text that is
/// longer than names and dates, or most of the text.
fn title_link<'a>(page: &DatedPage<'a>, post: &ThreadPost, end: NodeId) -> Option<&'a str> {
    let DatedPage { document, words, base, .. } = page;
    let in_heading = |own: NodeId| document.name(own).is_some_and(is_heading);
    let text = |id: NodeId| document.text_content(id).trim();
    let author = post.authors.first().copied().filter(|&id| is_named_around(document, id));
    // The name may be on the page twice, for phones and for wide screens.
    let name = author.and_then(|id| document.text(id)).unwrap_or_default().trim();
    let is_other = |id: &NodeId| {
        let is_author = author.is_some_and(|author| document.contains(*id, author))
            || !name.is_empty() && text(*id) == name;
        document.is(*id, &local_name!("a")) && !is_author
    };
    let end_of_content = document.node(post.content).end;
    let is_title = |id: &NodeId| {
        if text(*id).len() <= DATE.1 && is_date(text(*id)) {
            return false;
        }
        let count = words.sum(document, *id);
        let is_heading = document.ancestors(*id).take(3).any(in_heading)
            || document.subtree(*id).take(4).any(in_heading);
        if is_heading && count > 0 {
            let href = document.attribute(*id, &local_name!("href"));
            return href.zip(base.as_ref()).is_some_and(|(href, base)| {
                base.join(href).is_ok_and(|target| target.path() != base.path())
            });
        }
        if document.contains(post.content, *id) {
            return count * 2 > words.sum(document, post.content);
        }
        // After a post, the people who liked it may be listed.
        let is_name = |part: &str| part.split_whitespace().count() <= NAME.0;
        count as usize > NAME.0 && !(*id >= end_of_content && text(*id).split(',').all(is_name))
    };
    (post.element..end).filter(is_other).find(is_title).map(text)
}

/// Removes a prefix that marks the title of a reply, such as "Re: ".
fn without_reply(title: &str) -> &str {
    title.split_once(": ").filter(|own| own.0.chars().count() <= 3).map_or(title, |own| own.1)
}

/// Rates how likely the texts at a place are author names: few words that differ between posts. `None` if they are not.
fn rate_names(document: &Document, place: &Place) -> Option<usize> {
    let texts: Vec<&str> =
        place.texts.iter().filter_map(|own| document.text(own.1)).map(str::trim).collect();
    let names = texts.iter().filter(|text| may_be_name(text)).count();
    let (_, first, _) = place.texts.first()?;
    let is_named = is_named_around(document, *first);
    // The menu of the first post may differ from that of the answers.
    let others = usize::from(!is_named && texts.len() > FEW);
    let different: BTreeSet<&&str> = texts.iter().skip(others).collect();
    let in_link =
        document.ancestors(*first).skip(1).take(3).any(|id| document.is(id, &local_name!("a")));
    let is_label = document.parent(*first).is_some_and(|own| document.is(own, &local_name!("dt")));
    let least = if is_named && in_link { 6 } else { 9 };
    if is_label || names * 10 < texts.len() * least || place.count > place.texts.len() * 3 {
        return None;
    }
    let is_declared =
        document.ancestors(*first).take(DECLARED).any(|id| has_property(document, id, "author"));
    // A few posts may have one author.
    let differ = different.len() > 1 || is_named && texts.len() <= FEW;
    let is_hidden = document.ancestors(*first).take(4).any(|id| is_hidden_from_sight(document, id));
    let rating = 2 * usize::from(is_named) + 2 * usize::from(is_declared) + usize::from(in_link);
    differ.then_some(if is_hidden || different.len() == 1 { 0 } else { rating })
}

/// Whether a text has the form of a member's name.
pub(super) fn may_be_name(text: &str) -> bool {
    // A single letter stands for the picture of a member.
    text.len() <= NAME.1
        && text.chars().nth(1).is_some()
        && text.split_whitespace().count() <= NAME.0
        && text.contains(char::is_alphabetic)
        && !text.ends_with(['!', '?', ':', '。', '！', '？', '：'])
        && (!text.ends_with('.') || ends_in_initial(text))
        && !is_phrase(text)
        && !is_date(text)
        && !is_span(text)
}

/// Whether a text is several words in lower case, such as "posted an update".
fn is_phrase(text: &str) -> bool {
    text.split_whitespace().filter(|word| word.contains(char::is_lowercase)).count() > 2
        && !text.contains(char::is_uppercase)
}

/// Whether the last word has at most three characters, such as an initial with its full stop.
fn ends_in_initial(text: &str) -> bool {
    text.rsplit(char::is_whitespace).next().is_some_and(|word| word.chars().count() <= 3)
}

/// Whether the names of the elements around a text say that it is a person's name.
fn is_named_around(document: &Document, text: NodeId) -> bool {
    document.ancestors(text).skip(1).take(5).any(|id| is_named(document, id, &NAMED))
}

/// Whether an element has this microdata property.
pub(super) fn has_property(document: &Document, id: NodeId, wanted: &str) -> bool {
    let names = document.attribute(id, &local_name!("itemprop")).unwrap_or_default();
    names.split_ascii_whitespace().any(|name| name == wanted)
}

/// Whether the `class`, `itemprop` or `rel` of an element contains one of these words.
pub(super) fn is_named(document: &Document, id: NodeId, words: &[&str]) -> bool {
    [local_name!("class"), local_name!("itemprop"), local_name!("rel")].iter().any(|name| {
        document.attribute(id, name).is_some_and(|value| {
            let value = value.to_ascii_lowercase();
            words.iter().any(|word| value.contains(word))
        })
    })
}

/// Whether elements of this name are parts of texts, so that they cannot be posts.
fn is_part_of_text(name: &LocalName) -> bool {
    matches!(
        *name,
        local_names!("html" "body" "p" "h1" "h2" "h3" "h4" "h5" "h6" "td" "br" "time" "figure" "pre")
    )
}

pub(super) fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Attributes that declare dates.
pub(super) const DECLARING: [LocalName; 2] = [local_name!("datetime"), local_name!("title")];

/// Whether a node says when something was written: a short text with a date, or an element with a date in `datetime` or `title`.
pub(super) fn has_date(document: &Document, id: NodeId) -> bool {
    match document.text(id) {
        Some(text) => {
            let text = text.trim();
            text.len() <= DATE.1
                && has_digit(text)
                && text.split_whitespace().count() <= DATE.0
                && (is_date(text) || is_span(text))
        }
        None => document.element(id).is_some_and(|element| {
            element.attributes().any(|(name, value)| {
                matches!(*name, local_names!("datetime" "title"))
                    && value.len() <= DATE.1
                    && is_date(value)
            })
        }),
    }
}

/// Whether a date is labelled as the date of a change, by its own text or the text before it ("edited <span>3 May 2012</span>").
fn is_of_change(document: &Document, id: NodeId) -> bool {
    if document.text(id).is_some_and(says_changed) {
        return true;
    }
    let before = (id.saturating_sub(LABEL_NODES)..id).rev().filter_map(|own| document.text(own));
    let label = before.map(str::trim).find(|text| !text.is_empty());
    label.is_some_and(|text| text.len() <= DATE.1 && !has_digit(text) && says_changed(text))
}

/// Whether a text contains a year or a time of day.
pub(super) fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    // Names may end in a year.
    let letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let is_year = |at: usize| {
        (bytes[at..].starts_with(b"19") || bytes[at..].starts_with(b"20"))
            && digit(at + 2)
            && digit(at + 3)
            && !letter(at + 4)
            && (at == 0 || !letter(at - 1))
    };
    let is_time =
        |at: usize| at > 0 && digit(at - 1) && digit(at + 1) && digit(at + 2) && !digit(at + 3);
    has_digit(text)
        && bytes.iter().enumerate().any(|(at, byte)| match byte {
            b'1' | b'2' => text.len() > 4 && is_year(at),
            b':' => is_time(at),
            _ => false,
        })
}

/// Whether a text may say how long ago something was: a small number and a few letters.
fn is_span(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let first = text.starts_with(|c: char| c.is_ascii_digit());
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    (1..=2).contains(&digits)
        && letters > 0
        && letters <= 16
        && (first || text.split_whitespace().any(is_number))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::parsed::parse_page;
    use crate::settings::Settings;

    pub(crate) fn page_of(html: &str) -> model::Page {
        model::Page {
            url: "https://forum.example/t/1".into(),
            site: "forum.example".into(),
            origin: model::Origin {
                file: "a.html".into(),
                offset: 0,
                record_id: String::new(),
                truncated: None,
            },
            fetched: None,
            charset: model::Charset {
                name: "UTF-8",
                evidence: model::CharsetEvidence::Http,
                overruled: model::Overruled::default(),
            },
            notes: None,
            html: html.into(),
        }
    }

    /// Returns the author, date and text of each post, with `+` before missing posts. Elements with `data-k` are kept.
    fn found(html: &str, probability: f32) -> Vec<String> {
        let (page, settings) = (page_of(html), Settings::standard());
        let parsed = parse_page(&page, &settings);
        let document = &parsed.document;
        let blocks = grove::blocks(document, &parsed.words, &parsed.link_words);
        let is_kept = |id: NodeId| document.attribute(id, &LocalName::from("data-k")).is_some();
        let kept: Vec<usize> = (0..blocks.len())
            .filter(|&at| document.ancestors(blocks[at].first).any(is_kept))
            .collect();
        let posts = thread_of(&parsed, &blocks, &kept, probability);
        let missing = missing_posts(&parsed, &blocks, &kept, &posts, probability);
        let text = |id: Option<NodeId>| {
            let own =
                id.map(|id| document.text(id).or(document.attribute(id, &local_name!("title"))));
            own.flatten().unwrap_or("-").trim().to_owned()
        };
        let each = posts.iter().map(|post| {
            let is_missing = missing.contents.contains(&post.content);
            let own = dom::text_of(document, &[post.content], &missing.parts);
            let sign = if is_missing { "+" } else { "" };
            format!(
                "{sign}{} | {} | {}",
                text(post.authors.first().copied()),
                text(post.dates.first().map(|own| own.1)),
                own.replace("\n\n", " / ")
            )
        });
        each.collect()
    }

    #[test]
    fn comments_are_known_without_their_names() {
        let behind = |body: &str, probability: f32| {
            let (page, settings) = (page_of(body), Settings::standard());
            let parsed = parse_page(&page, &settings);
            let document = &parsed.document;
            let blocks = grove::blocks(document, &parsed.words, &parsed.link_words);
            let kept: Vec<usize> = (0..blocks.len())
                .filter(|&at| document.is(blocks[at].element, &local_name!("p")))
                .collect();
            let first = comments_behind(&parsed, &blocks, &kept, probability)?;
            Some(normalize_space(document.text_content(first)))
        };
        let comment = |name: &str, text: &str| {
            format!("<div class=x7><b>{name}</b> <i>3. Mai 2020</i><p>{text}</p></div>")
        };
        let article = format!("<p>{LONG}.</p>").repeat(9);
        let first = comment("Uwe", "Abschleifen und von vorn.");
        let two =
            format!("<h3>Was Leser sagen</h3>{first}{}", comment("mo_77", "Trocknen lassen!"));
        let page = format!("<main>{article}{two}</main>");
        assert_eq!(behind(&page, 0.0).as_deref(), Some("Uwe 3. Mai 2020Abschleifen und von vorn."));
        // Name and date as one text, and as kept blocks.
        let joined = |name: &str, text: &str| {
            format!("<div class=x7><div>{name}, 03.05.2020 10:12</div><p>{text}</p></div>")
        };
        let joined = format!(
            "{}{}",
            joined("Uwe Berg", "Abschleifen und von vorn."),
            joined("Mo Lind", "Trocknen lassen!")
        );
        let begin = |page: &str| behind(page, 0.0).map(|text| text[..4].to_owned());
        assert_eq!(begin(&format!("<main>{article}{joined}</main>")).as_deref(), Some("Uwe "));
        let blocks = |name: &str, text: &str| {
            format!(
                "<div class=x7><p>{name}</p><p class=d>3. Mai 2020</p><div><p>{text}</p></div></div>"
            )
        };
        let (uwe, mo) =
            ("Ab damit und alles langsam von vorn.", "Trocknen lassen und dann ein Jahr warten!");
        let blocks =
            format!("<main>{article}{}{}</main>", blocks("Uwe Berg", uwe), blocks("Mo Lind", mo));
        assert_eq!(begin(&blocks).as_deref(), Some("Uwe "));
        // Entries with dates alone.
        let dated = joined.replace("Uwe Berg, ", "").replace("Mo Lind, ", "");
        assert_eq!(behind(&format!("<main>{article}{dated}</main>"), 0.0), None);
        // A thread, a short article, other text after the comments, and entries with headings.
        assert_eq!(behind(&page, 0.3), None);
        assert_eq!(behind(&format!("<main><p>{LONG}</p>{two}</main>"), 0.0), None);
        assert_eq!(behind(&format!("<main>{article}{two}{article}</main>"), 0.0), None);
        let entries = page.replace("<p>", "<h4>Das Boot</h4><p>");
        assert_eq!(behind(&entries, 0.0), None);
    }

    const LONG: &str = "Wir hatten das Boot im Mai gestrichen und dann im Regen stehen lassen";

    #[test]
    fn answers_are_found_without_their_names_being_known() {
        let answer = |name: &str, when: &str, text: &str| {
            format!(
                "<li class=x7><a href=/u/{name}>{name}</a> <i>{when}</i><div>{text}</div><a href=#>antworten</a></li>"
            )
        };
        let question = format!("<div data-k><p>{LONG}: was tun?</p></div>");
        let answers = answer("Uwe", "vor 2 Tagen", "Abschleifen und von vorn.")
            + &answer(
                "mo_77",
                "vor 5 Stunden",
                &format!("<blockquote>{LONG}: was tun?</blockquote>Trocknen lassen!"),
            )
            + &answer("Uwe", "vor 20 Minuten", "Das sage ich auch, aber langsam.");
        let page = format!("{question}<ul>{answers}</ul>");
        let wanted = [
            "+Uwe | vor 2 Tagen | Abschleifen und von vorn.",
            "+mo_77 | vor 5 Stunden | Trocknen lassen!",
            "+Uwe | vor 20 Minuten | Das sage ich auch, aber langsam.",
        ];
        assert_eq!(found(&page, 0.6), wanted);
        let tools = "<li class=x7><div>Ansicht wechseln</div></li></ul>";
        assert_eq!(found(&page.replace("</ul>", tools), 0.6), wanted);
        // Probably an article with comments; two posts are too few; the text goes on after the posts.
        assert!(found(&page, 0.4).is_empty());
        assert!(
            found(
                &format!(
                    "{question}<ul>{}</ul>",
                    answer("Uwe", "vor 2 Tagen", "So ist es.").repeat(2)
                ),
                0.9
            )
            .is_empty()
        );
        assert!(found(&format!("{page}{question}"), 0.9).is_empty());
    }

    #[test]
    fn posts_within_posts_are_posts() {
        let post = |name: &str, text: &str, inner: &str| {
            format!(
                "<div class='c c--2'><div><h4 class=username><a href=/members/{name}>{name}</a></h4><time title='2024-05-0{}'></time></div><section><p>{text}</section>{inner}</div>",
                name.len()
            )
        };
        let inner = post(
            "Bob",
            "Second of all, quoted by none.",
            &post("Eve", "Third, as it is an answer.", ""),
        );
        let page = post("Al", "First of all posts here.", &inner)
            + &post("Dora", "Fourth and the last one.", "");
        let page = page.replacen("<section>", "<section data-k>", 1);
        let wanted = [
            "Al | 2024-05-02 | First of all posts here.",
            "+Bob | 2024-05-03 | Second of all, quoted by none.",
            "+Eve | 2024-05-03 | Third, as it is an answer.",
            "+Dora | 2024-05-04 | Fourth and the last one.",
        ];
        assert_eq!(found(&page, 0.5), wanted);
    }

    #[test]
    fn dates_may_stand_in_lines_before_the_posts() {
        let post = |name: &str, day: u32, text: &str| {
            format!(
                "<div class=head>2024-05-{day} at 10:3{} <a href=#p{day}>#{day}</a></div><div class=r><div><a href=/m/{name}>{name}</a><br>Member</div><div><p>{text}</p></div></div>",
                day % 10
            )
        };
        let page = post("Ann", 12, "How is it done at sea?")
            + &post("Ben", 13, "Like this, with a rope.")
            + &post("Cy", 14, "Or with a chain.");
        let page = format!("<div class=all>{}</div>", page.replacen("<p>", "<p data-k>", 2));
        let wanted = [
            "Ann | 2024-05-12 at 10:32 | How is it done at sea?",
            "Ben | 2024-05-13 at 10:33 | Like this, with a rope.",
            "+Cy | 2024-05-14 at 10:34 | Or with a chain.",
        ];
        assert_eq!(found(&page, 0.5), wanted);
    }

    /// Four posts by three authors with rank and signature, of which the third quotes the first.
    fn board(post: impl Fn(&str, &str, usize, &str) -> String) -> String {
        let quote = format!("<blockquote>Ann wrote: <div>{LONG}</div></blockquote>");
        let texts = [LONG, "Sanding it down is best.", "Then let it dry well.", "Thank you both."];
        let authors = [("Ann", "Captain"), ("Ben", "Sailor"), ("Cy", "Sailor"), ("Ann", "Captain")];
        let all = authors.iter().zip(texts).enumerate().map(|(at, ((name, rank), text))| {
            let quote = if at == 2 { &*quote } else { "" };
            post(name, rank, at, &format!("{quote}{text}"))
        });
        all.collect()
    }

    #[test]
    fn ranks_are_no_names() {
        let page = board(|name, rank, at, text| {
            format!(
                "<div class=c><dl><dt><b><a href=/u>{name}</a></b><dd class=usertitle><b>{rank}</b></dl><i>{} May 2024</i><div data-k>{text}</div></div>",
                at + 2
            )
        });
        let names: Vec<String> =
            found(&page, 0.9).iter().map(|own| own.split(' ').next().unwrap().to_owned()).collect();
        assert_eq!(names, ["Ann", "Ben", "Cy", "Ann"]);
    }

    #[test]
    fn profiles_signatures_and_quotations_are_left_out() {
        let page = board(|name, rank, at, text| {
            format!(
                "<div class=c data-k><a href=/u>{name}</a> <i>{} May 2024</i><p class=r>{rank} since 200{}</p><div class=t>{text}</div><div class=s>Best wishes from {name} and her boat</div></div>",
                at + 2,
                rank.len()
            )
        });
        let left = |probability: f32| {
            let (page, settings) = (page_of(&page), Settings::standard());
            let parsed = parse_page(&page, &settings);
            let document = &parsed.document;
            let blocks = grove::blocks(document, &parsed.words, &parsed.link_words);
            let kept: Vec<usize> = (0..blocks.len()).collect();
            let posts = thread_of(&parsed, &blocks, &kept, probability);
            let missing = missing_posts(&parsed, &blocks, &kept, &posts, probability);
            normalize_space(&dom::text_of(document, &[0], &missing.parts))
        };
        let wanted =
            format!("{LONG} Sanding it down is best. Then let it dry well. Thank you both.");
        let signed = |text: &str| text.replace("Best wishes from Ben and her boat", "");
        let own = left(0.9);
        assert!(!own.contains("Captain") && !own.contains("Ann"), "{own}");
        assert_eq!(
            normalize_space(&signed(&own)).matches(LONG).count(),
            wanted.matches(LONG).count()
        );
        // An article with comments keeps what stands around them.
        assert!(left(0.3).contains("Captain"));
    }

    #[test]
    fn cells_of_a_row_are_places_of_their_own() {
        let page = board(|name, rank, at, text| {
            format!(
                "<tr><td><b>{name}</b> <small>{rank}</small> <i>{} May 2024</i><td data-k>{text}",
                at + 2
            )
        });
        let page = format!("<table>{page}</table>");
        assert_eq!(found(&page, 0.9)[1], "Ben | 3 May 2024 | Sanding it down is best.");
    }

    #[test]
    fn lists_of_other_pages_are_no_posts() {
        let entry = |name: &str, n: u32| {
            format!(
                "<li class=t><h3><a href=/t/{n}>The boat of {name}</a></h3><a href=/u/{name}>{name}</a> <i>{n} May 2024</i><p data-k>It lies in the harbour {n} of the town.</p></li>"
            )
        };
        let page: String =
            (["Ann", "Ben", "Cy", "Dot"].iter().zip(2..)).map(|(name, n)| entry(name, n)).collect();
        assert!(found(&format!("<ul>{page}</ul>"), 0.9).is_empty());
        // Entries below a text that name no author.
        let feed: String = (2..6).map(|n| format!("<li class=t>listed a new event <i>{n} May 2024</i><p>It lies in the harbour {n}.</li>")).collect();
        assert!(found(&format!("<p data-k>{LONG}</p><ul>{feed}</ul>"), 0.9).is_empty());
    }

    /// Would not finish in reasonable time if nested posts were read again for each level.
    #[test]
    fn deep_threads_take_linear_time() {
        let open = |n: usize| {
            format!(
                "<div class=c><b>Ann {}</b> <i>2 May 2024</i><p data-k>Post {n} of {n}.</p>",
                n % 7
            )
        };
        let flat: String = (0..1_900).map(|n| open(n) + "</div>").collect();
        assert_eq!(found(&flat, 0.5).len(), 1_900);
        assert_eq!(found(&(0..200).map(open).collect::<String>(), 0.5).len(), 200);
    }
}
