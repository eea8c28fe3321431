//! Extract.
//!
//! Takes: a page and what was learnt about its template.
//! Gives: the article: text, HTML fragment, the XPaths that select it, metadata with sources.
//! Why: this is the purpose of the program.
//! Drops: pages on which neither the wrapper nor the page-wise method finds text (`no-article`).

use std::cell::LazyCell;

use dom::{Document, NodeId, PrefixSums, local_names, markdown_of_text, text_of};
use grove::DecidedNodes;
use metadata::{
    GivenMetadata, PageContext, TemplateFields, language_probability, metadata_given, rights_of,
};
use model::{
    Article, Doubt, DropReason, Extracted, Mark, Quality, Rights, Route, SiteConfigRole, TypedAs,
};
use region::{ChosenArticle, region_of};
use terms::Detected;
use terms::letters::{is_alphanumeric, lowercase, split_at_spaces};
use url::Url;
use wrapper::Samples;
use xxhash_rust::xxh3::xxh3_128;

pub use boilerplate::remove_paragraphs;
pub(crate) use passages::paragraphs_of;
pub use passages::{append_passages, correct_text};

use crate::body::{ArticleBody, agreement, page_wise};
use crate::parsed::ParsedPage;
use crate::settings::{Settings, Tables};
use crate::site_config::ConfiguredPage;
use crate::stages::signify::SiblingPage;
use crate::stages::wrap::{CompiledWrapper, paths_to};

mod boilerplate;
mod judged;
mod passages;
mod posts;
mod thread;

pub(crate) use judged::{By, by_template_alone, fast_body, judged_body};

/// Name of the engine in articles that a site config found.
pub const SITE_CONFIG: &str = "site-config";

/// Conditions and context for the extraction of an article.
#[derive(Clone, Copy)]
pub struct Demands<'a> {
    /// Whether it is a part of a longer article: the minimum number of words does not apply.
    pub part: bool,
    /// Decides whether a body is a list; the page is then dropped.
    pub is_list: &'a dyn Fn(&ArticleBody) -> bool,
    /// The page type of its template.
    pub page_type: Option<TypedAs>,
    /// What was learnt about its fields from siblings.
    pub fields: &'a TemplateFields,
}

/// Extracts the article of a page. A site config takes precedence, unless it finds next to nothing where the engine finds an
/// article. `found` is the body that the engine found. If it is absent or too short, the wrapper is tried, then the page-wise
/// method of the settings.
///
/// # Errors
/// The reason for dropping the page.
pub fn extract(
    sibling: &SiblingPage<'_>,
    template: &str,
    wrapper: Option<&CompiledWrapper>,
    found: Option<ArticleBody>,
    demands: Demands<'_>,
    settings: &Settings,
) -> Result<Extracted, DropReason> {
    let SiblingPage { page: parsed, .. } = *sibling;
    let tables = settings.tables();
    let least = if demands.part { 1 } else { tables.extract.min_words.max(1) };
    let usable = |body: &ArticleBody| {
        let words = |&node: &NodeId| parsed.words.sum(&parsed.document, node);
        body.elsewhere.is_some() || body.nodes.iter().map(words).sum::<u32>() >= least
    };
    if let Some(configured) = &parsed.configured {
        let judged = found.as_ref().filter(|body| usable(body));
        let judged = judged.map(|body| Judged::of(body, parsed, tables));
        if let Some(body) = by_site_config(parsed, configured, least, judged.as_ref()) {
            return Ok(article(sibling, template, demands, body, settings));
        }
        if configured.forbids() {
            return Err(DropReason::NoArticle);
        }
    }
    let alone = || page_wise(sibling, tables.extract.page_wise, None, tables);
    let body = found
        .filter(usable)
        .or_else(|| wrapper.map(|wrapper| by_wrapper(parsed, wrapper)).filter(usable))
        .or_else(|| alone().filter(usable))
        .ok_or(DropReason::NoArticle)?;
    let body = without_removed(body, parsed);
    if (demands.is_list)(&body) {
        return Err(DropReason::ListPage);
    }
    Ok(article(sibling, template, demands, body, settings))
}

/// Removes from a body the nodes that a site config removes from the page.
fn without_removed(mut body: ArticleBody, parsed: &ParsedPage<'_>) -> ArticleBody {
    if let Some(configured) =
        parsed.configured.as_ref().filter(|page| !page.found.removed.is_empty())
    {
        body.prune.extend(&configured.found.removed);
        body.prune.sort_unstable();
        body.prune.dedup();
        body.prune_xpath.extend(configured.found.removed_by.iter().cloned());
    }
    body
}

fn by_wrapper(parsed: &ParsedPage<'_>, learnt: &CompiledWrapper) -> ArticleBody {
    let DecidedNodes { keep, prune } = learnt.select(&parsed.document);
    ArticleBody {
        nodes: keep,
        prune,
        xpath: learnt.wrapper.content.clone(),
        prune_xpath: learnt.wrapper.prune.clone(),
        engine: learnt.wrapper.engine.clone(),
        route: Route::Wrapper,
        wrapper_version: learnt.wrapper.version,
        confidence: learnt.wrapper.confidence,
        ..ArticleBody::default()
    }
}

fn article(
    sibling: &SiblingPage<'_>,
    template: &str,
    Demands { part: is_part, page_type, fields, .. }: Demands<'_>,
    body: ArticleBody,
    settings: &Settings,
) -> Extracted {
    let parsed = sibling.page;
    let (page, document) = (parsed.page, &parsed.document);
    let forms = settings.forms;
    let base = base_of(document, &page.url);
    let (mut body, found_nodes) = with_standfirst(body, document, fields, is_part);
    let elsewhere = body.elsewhere.clone();
    let chosen = base.as_ref().and_then(|base| match &elsewhere {
        Some(elsewhere) => ChosenArticle::of(elsewhere, &[0], &[], &[], base),
        None => ChosenArticle::of(document, &body.nodes, &body.prune, &body.left_out, base),
    });
    let region = chosen.as_ref().map(|chosen| chosen.region(&[]));
    let (text, mut blocks) = match &region {
        Some(region) if forms.passages > 0 => region.text_and_blocks(),
        Some(region) => (region.text(), Vec::new()),
        None => (body.text(document), Vec::new()),
    };
    let detected = match &elsewhere {
        Some(elsewhere) => detect_language(elsewhere, &[0], &[], &text),
        None => detect_language(document, &body.nodes, &body.prune, &text),
    };
    body.nodes = found_nodes;
    let learnt = Some(fields);
    let pictures = region.as_ref().map(|region| region.images()).unwrap_or_default();
    let context = PageContext {
        learnt,
        pictures: &pictures.0,
        ..field_context(sibling, &body.nodes, &text, detected)
    };
    let language = detected.map(|found| found.language);
    let tag = language.as_ref().map(|l| l.as_str());
    let posts = posts::posts(document, &body, &context, tag);
    let region = match &chosen {
        Some(chosen) if posts.len() > 1 => Some(chosen.region(&posts::starts_of(&posts))),
        _ => region,
    };
    if posts.len() > 1 && forms.passages > 0 {
        let of_thread = region.as_ref().map(|region| region.text_and_blocks());
        // A post that begins within a paragraph would divide it.
        if let Some((_, own)) = of_thread.filter(|own| own.0 == text) {
            blocks = own;
        }
    }
    let shown = region.as_ref().filter(|_| forms.html);
    let html = shown.map_or_else(String::new, |region| region.html());
    let markdown = forms.markdown.then(|| {
        let own = region.as_ref().zip(base.as_ref());
        own.map_or_else(|| markdown_of_text(&text), |(region, base)| region.markdown(base))
    });
    let given = parsed.configured.as_ref().map_or_else(GivenMetadata::default, |configured| {
        GivenMetadata {
            title: configured.found.given.title.as_deref(),
            authors: &configured.found.given.authors,
            published: configured.found.given.date.as_deref(),
        }
    });
    let mut metadata = metadata_given(&context, &given);
    posts::ask_first_post(&mut metadata, &posts);
    metadata.omit_below(settings.tables().extract.omit_fields_below);
    let before = text.len();
    let text = match &metadata.title {
        Some(title) => titled(text, &title.value, is_part, settings),
        None => text,
    };
    let passages = match forms.passages {
        0 => Vec::new(),
        most_words => {
            if region.is_none() {
                blocks = passages::paragraphs_of(&text);
            } else if let Some(title) = &metadata.title {
                blocks = passages::blocks_after_title(blocks, before, text.len(), &title.value);
            }
            passages::passages_of(&text, &blocks, most_words)
        }
    };
    let site_config = parsed.configured.as_ref().map(|configured| {
        let found = configured.found.body.is_some();
        match body.engine == SITE_CONFIG {
            true => SiteConfigRole::Used,
            false if found => SiteConfigRole::Overruled,
            false => SiteConfigRole::NoBody,
        }
    });
    let quality = quality_of(&body, &text, parsed);
    let doubtful = body.confidence < settings.tables().extract.doubtful_below;
    let doubt = doubtful.then(|| Doubt::about(&quality, page_type.map(|own| own.probability)));
    let (images, image_sources) = match shown {
        Some(region) if posts.len() > 1 => region.images(),
        Some(_) => pictures,
        None => Default::default(),
    };
    let mut article = Article {
        url: page.url.clone(),
        site: page.site.clone(),
        template: template.to_owned(),
        page_type: page_type.map(|own| own.page_type),
        page_type_probability: page_type.map(|own| own.probability),
        language_score: detected
            .zip(metadata.language.as_ref())
            .map(|(found, field)| language_probability(&field.value, &found)),
        images,
        tables: shown.map_or_else(Vec::new, |region| region.tables()),
        embeds: shown.map_or_else(Vec::new, |region| region.embeds()),
        footnotes: shown.map_or_else(Vec::new, |region| region.footnotes()),
        html,
        markdown,
        xpath: body.xpath,
        prune: body.prune_xpath,
        cut: body.cut,
        comments: body.comments,
        posts: posts.into_iter().map(|(_, post)| post).collect(),
        passages,
        engine: body.engine,
        route: body.route,
        wrapper_version: body.wrapper_version,
        confidence: body.confidence,
        quality,
        doubtful,
        doubt,
        site_config,
        rights: Some(rights_of_page(parsed, settings)).filter(|rights| !rights.is_empty()),
        extra: page.notes.as_ref().map(|notes| notes.extra.clone()).unwrap_or_default(),
        fetched: page.fetched,
        charset: page.charset.name,
        charset_evidence: page.charset.evidence,
        charset_overruled: page.charset.overruled,
        origin: page.origin.clone(),
        ..Article::default()
    };
    article.set_metadata(metadata);
    set_text(&mut article, text);
    let payload = page.html.digest().to_be_bytes();
    Extracted { article, payload, image_sources, ..Extracted::default() }
}

/// Adds the standfirst that siblings have in the same place before the body. Also returns the nodes without it.
fn with_standfirst(
    mut body: ArticleBody,
    document: &Document,
    fields: &TemplateFields,
    is_part: bool,
) -> (ArticleBody, Vec<NodeId>) {
    let found = body.nodes.clone();
    let is_apart = body.elsewhere.is_some() || body.engine == SITE_CONFIG || !body.posts.is_empty();
    // Later parts of an article repeat the standfirst.
    let standfirst = fields.standfirst_on(document).filter(|_| !is_apart && !is_part);
    if let Some((node, xpath)) = standfirst
        && found.first().is_some_and(|&first| document.node(node).end <= first)
    {
        body.nodes.insert(0, node);
        body.xpath.splice(0..0, xpath);
    }
    (body, found)
}

fn quality_of(body: &ArticleBody, text: &str, parsed: &ParsedPage<'_>) -> Quality {
    let [precision, recall] = body.expected.map_or([None; 2], |expected| expected.map(Some));
    let sum = |of: &PrefixSums| -> f64 {
        let add = |nodes: &[NodeId]| -> f64 {
            nodes.iter().map(|&node| f64::from(of.sum(&parsed.document, node))).sum()
        };
        add(&body.nodes) - add(&body.prune)
    };
    let links = match body.elsewhere {
        Some(_) => 0.0,
        None => (sum(&parsed.link_words) / sum(&parsed.words).max(1.0)).clamp(0.0, 1.0),
    };
    let (repeated, boilerplate) = (terms::share_repeated(text), body.boilerplate);
    Quality { precision, recall, repeated, links, boilerplate, elsewhere: 0.0 }
}

/// Returns what a page and its server say about its use.
pub(crate) fn rights_of_page(parsed: &ParsedPage<'_>, settings: &Settings) -> Rights {
    let (page, document) = (parsed.page, &parsed.document);
    let base = base_of(document, &page.url);
    let robot = &settings.rights.robot;
    let rights = |base: &Url| rights_of(document.head(), page.notes.as_deref(), base, robot);
    base.as_ref().map(rights).unwrap_or_default()
}

/// Collects the evidence for the metadata of a page, without what was learnt from siblings.
fn field_context<'a>(
    sibling: &SiblingPage<'a>,
    body: &'a [NodeId],
    text: &'a str,
    detected: Option<Detected>,
) -> PageContext<'a> {
    let SiblingPage { page: parsed, feed_items } = *sibling;
    PageContext {
        json_ld: Some(parsed.json_ld()),
        scan: Some(parsed.scan()),
        fetched: parsed.page.fetched,
        feed_items,
        body: Some(body),
        detected,
        body_text: text,
        ..PageContext::new(&parsed.document, &parsed.page.url)
    }
}

/// Learns where the pages of a template have their fields, from the bodies found on them and from the elements of each page that
/// are marked as fields.
pub(crate) fn learn_fields(
    pages: &[(SiblingPage<'_>, Option<&ArticleBody>)],
    marked: &[(Mark, Vec<Vec<NodeId>>)],
) -> TemplateFields {
    if pages.len() < TemplateFields::FEWEST_PAGES && marked.is_empty() {
        return TemplateFields::default();
    }
    let text = |(sibling, body): &(SiblingPage<'_>, Option<&ArticleBody>)| {
        let of = |body: &ArticleBody| text_of(&sibling.page.document, &body.nodes, &body.prune);
        body.map_or_else(String::new, of)
    };
    let texts: Vec<String> = pages.iter().map(text).collect();
    let mut contexts: Vec<PageContext<'_>> = Vec::with_capacity(pages.len());
    for ((sibling, body), text) in pages.iter().zip(&texts) {
        let (nodes, prune) = body.map_or((&[][..], &[][..]), |body| (&body.nodes, &body.prune));
        let detected = detect_language(&sibling.page.document, nodes, prune, text);
        contexts.push(field_context(sibling, nodes, text, detected));
    }
    let documents = || pages.iter().map(|(sibling, _)| &sibling.page.document);
    let samples = LazyCell::new(|| Samples::new(documents()));
    TemplateFields::learn(&contexts, marked, &|wanted| paths_to(&samples, wanted))
}

/// Detects the language of `text`, the text of `nodes` without `prune`. Code and computer output, which are English everywhere,
/// are ignored unless the other words are not enough.
fn detect_language(
    document: &Document,
    nodes: &[NodeId],
    prune: &[NodeId],
    text: &str,
) -> Option<Detected> {
    let is_code = |id: &NodeId| {
        let name = document.name(*id);
        name.is_some_and(|name| matches!(*name, local_names!("pre" "code" "samp" "kbd")))
    };
    let mut without = prune.to_vec();
    if document.kinds().all().iter().any(|kind| is_code(&kind.first)) {
        without.extend(document.ids().filter(is_code));
    }
    let words = || text_of(document, nodes, &without);
    let detected = (without.len() > prune.len()).then(|| terms::detect(&words())).flatten();
    detected.filter(|found| found.reliable).or_else(|| terms::detect(text))
}

/// Returns the text that readers see of an article at `url` that consists of the subtrees of `nodes` without those of `prune`:
/// the text of its region. Linear in the page's nodes for each level of nesting.
pub fn article_text(document: &Document, url: &str, nodes: &[NodeId], prune: &[NodeId]) -> String {
    let base = base_of(document, url);
    let region = base.and_then(|base| region_of(document, nodes, prune, &base));
    region.map_or_else(|| text_of(document, nodes, prune), |region| region.text())
}

/// Sets the text of an article, its number of words and its content hash.
pub fn set_text(article: &mut Article, text: String) {
    article.word_count = terms::count_words(&text);
    article.content_hash = content_hash(&text);
    article.text = text;
}

/// The hash of a text's words: XXH3-128 of the words between white space, in UTF-8, separated by single spaces, as 32 hex
/// digits. Equal for equal words, whatever the paragraphs.
fn content_hash(text: &str) -> String {
    let mut words = String::with_capacity(text.len() + 1);
    for word in split_at_spaces(text) {
        words.push_str(word);
        words.push(' ');
    }
    words.pop();
    format!("{:032x}", xxh3_128(words.as_bytes()))
}

/// Returns the base of relative links: the page's `<base>`, else its URL or, for a saved file, the canonical address that it
/// declares.
fn base_of(document: &Document, url: &str) -> Option<Url> {
    let head = document.head();
    let own = Url::parse(url).ok()?;
    let own = match head.link("canonical").and_then(|c| Url::parse(c).ok()) {
        Some(canonical) if own.scheme() == "file" => canonical,
        _ => own,
    };
    // A base of `javascript:` or `data:` is ignored, as in browsers.
    let base = head.base.as_deref().and_then(|base| own.join(base).ok());
    Some(base.filter(|base| !base.cannot_be_a_base()).unwrap_or(own))
}

/// Number of paragraphs at the start of a text in which its title is looked for: a section or a date may come before it.
const FIRST: usize = 4;

/// Adds the title to the text or removes it: one rule for all templates. Later parts of an article never have a title.
fn titled(text: String, title: &str, is_part: bool, settings: &Settings) -> String {
    let of_title = letters(title);
    if of_title.is_empty() {
        return text;
    }
    if settings.tables().extract.title_in_text && !is_part {
        let has_title = text.split("\n\n").take(FIRST).any(|own| letters(own) == of_title);
        return if has_title { text } else { format!("{title}\n\n{text}") };
    }
    without_title(&text, title).to_owned()
}

/// Removes the first paragraph of a text if it is the title and more text follows.
pub fn without_title<'t>(text: &'t str, title: &str) -> &'t str {
    let of_title = letters(title);
    match text.split_once("\n\n") {
        Some((first, rest)) if !of_title.is_empty() && letters(first) == of_title => rest,
        _ => text,
    }
}

/// The letters and digits of a text, in lower case.
fn letters(text: &str) -> String {
    text.chars().filter(|&c| is_alphanumeric(c)).flat_map(lowercase).collect()
}

/// Confidence in a site config if the engine finds the same text, or nothing to compare with.
const CONFIRMED: f64 = 0.9;
/// Confidence in a site config if the engine finds a completely different text.
const CONTRADICTED: f64 = 0.5;
/// A site config's body with less than this share of the engine's words is next to nothing.
const SHARE: f64 = 0.2;
/// Minimum number of words of an engine's body that may overrule a site config.
const WORDS: u32 = 40;

/// The body that the engine finds on a page with a site config.
struct Judged {
    text: String,
    words: u32,
    /// Whether the engine may overrule the site config.
    is_trusted: bool,
}

impl Judged {
    fn of(body: &ArticleBody, parsed: &ParsedPage<'_>, tables: &Tables) -> Self {
        let text = without_removed(body.clone(), parsed).text(&parsed.document);
        let words = terms::count_words(&text);
        let is_trusted = body.confidence >= tables.extract.doubtful_below && words >= WORDS;
        Self { text, words, is_trusted }
    }
}

/// Returns the body of the first expression of a site config that finds a text which is not next to nothing compared with the
/// engine's. If none does, returns `None`, or the first text if the site config forbids other methods.
fn by_site_config(
    parsed: &ParsedPage<'_>,
    configured: &ConfiguredPage,
    least: u32,
    judged: Option<&Judged>,
) -> Option<ArticleBody> {
    let applied = &configured.found;
    let all = applied.body.iter().chain(&applied.further);
    let with_text = |(xpath, nodes): &(String, Vec<NodeId>)| {
        let text = text_of(&parsed.document, nodes, &applied.removed);
        let words = terms::count_words(&text);
        (words >= least).then(|| (xpath.clone(), nodes.clone(), text, words))
    };
    let mut found = all.filter_map(with_text);
    let trusted = judged.filter(|judged| judged.is_trusted);
    let enough = |words: u32| {
        trusted.is_none_or(|judged| f64::from(words) >= SHARE * f64::from(judged.words))
    };
    let first = found.next()?;
    let (xpath, nodes, text, _) = match enough(first.3) {
        true => first,
        false => match found.find(|own| enough(own.3)) {
            Some(later) => later,
            None if configured.by.wrapper.autodetects() => return None,
            None => first,
        },
    };
    let agrees = judged.map_or(1.0, |judged| agreement(&text, &judged.text));
    Some(ArticleBody {
        nodes,
        prune: applied.removed.clone(),
        xpath: vec![xpath],
        prune_xpath: applied.removed_by.clone(),
        engine: SITE_CONFIG.to_owned(),
        route: Route::Wrapper,
        confidence: CONTRADICTED + (CONFIRMED - CONTRADICTED) * agrees,
        ..ArticleBody::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_is_there_always_or_never() {
        let without = Settings::standard();
        let mut tables = without.tables().clone();
        tables.extract.title_in_text = true;
        let with = Settings::new(tables);
        let of =
            |text: &str, is_part, settings| titled(text.to_owned(), "A Bridge", is_part, settings);
        for text in ["Text.", "a bridge!\n\nText."] {
            assert_eq!(of(text, false, &without), "Text.", "{text}");
            assert_eq!(of(text, true, &with), "Text.", "later parts have none: {text}");
        }
        assert_eq!(of("Text.", false, &with), "A Bridge\n\nText.");
        for has_it in ["A Bridge\n\nText.", "Sport\n\n2 May\n\n\u{201c}A bridge\u{201d}\n\nText."] {
            assert_eq!(of(has_it, false, &with), has_it);
        }
        // The whole text may be its title.
        assert_eq!(of("A Bridge", false, &without), "A Bridge");
        assert_eq!(titled("Text.".to_owned(), "?!", false, &with), "Text.", "no letter");
    }
}
