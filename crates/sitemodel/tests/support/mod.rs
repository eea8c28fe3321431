//! The pages of the sample crawl, by site, with their feed items, gold and kinds.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use archive::{RecordReader, Response};
use grouping::{AddressDigest, site_key};
use model::{FeedItem, Origin, Page};
use serde_json::Value;
use sitegrove_sitemodel::{
    Applied, ApplyOptions, Engine, LearningResult, NoMeter, Settings, SiblingPage, SiteEvidence,
    learn_parsed, parse_page,
};

/// A site.
pub(crate) struct Site {
    pub(crate) key: String,
    pub(crate) pages: Vec<Page>,
    pub(crate) feed_items: Vec<FeedItem>,
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(name)
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files
}

/// The pages of an archive that were answered with 200.
fn pages_of(archive: &Path) -> Vec<Page> {
    let limits = archive::Limits::USUAL;
    let reader = RecordReader::new(fs::File::open(archive).unwrap(), &limits);
    let mut pages = Vec::new();
    for record in reader.map(Result::unwrap).filter(|record| record.kind.of_pages()) {
        let response = Response::parse(&record.body).unwrap();
        let content_type = response.get("Content-Type").unwrap_or("text/html").to_owned();
        if response.status != 200 || !content_type.contains("html") {
            continue;
        }
        let url = record.target_uri.unwrap();
        let hints = charset::CharsetHints {
            http_charset: charset::charset_of(&content_type),
            url: Some(&url),
            ..charset::CharsetHints::default()
        };
        let body = response.into_body(record.body, 1 << 20).unwrap().0;
        let (html, charset) = charset::decode(body, &hints);
        let origin = Origin {
            file: archive.file_name().unwrap().to_string_lossy().into(),
            offset: record.offset,
            record_id: record.record_id,
            truncated: None,
        };
        pages.push(Page {
            site: site_key(&url).unwrap(),
            url,
            fetched: record.date,
            origin,
            charset,
            notes: None,
            html: html.into(),
        });
    }
    pages
}

/// The sites of the sample crawl, without the one that is a folder.
pub(crate) fn sample_crawl() -> Vec<Site> {
    let mut sites: BTreeMap<String, Site> = BTreeMap::new();
    for page in sorted(&data("crawl")).iter().flat_map(|archive| pages_of(archive)) {
        let empty = || Site { key: page.site.clone(), pages: Vec::new(), feed_items: Vec::new() };
        let site = sites.entry(page.site.clone()).or_insert_with(empty);
        if site.pages.iter().all(|known| known.url != page.url) {
            site.pages.push(page);
        }
    }
    for path in sorted(&data("feeds")) {
        let id = path.file_name().unwrap().to_str().unwrap().to_owned();
        let source = feed::FeedSource { id: &id, url: None, http_charset: None };
        let feed = feed::parse(&fs::read(&path).unwrap(), &source, 16 << 20).unwrap();
        for item in feed.items {
            if let Some(site) = site_key(&item.link).and_then(|key| sites.get_mut(&key)) {
                site.feed_items.push(item);
            }
        }
    }
    assert_eq!(sites.len(), 10);
    sites.into_values().collect()
}

/// The objects of a file of `data/`, by their `url`.
pub(crate) fn by_url(name: &str) -> BTreeMap<String, Value> {
    let text = fs::read_to_string(data(name)).unwrap();
    let values = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    values.map(|value| (value["url"].as_str().unwrap().to_owned(), value)).collect()
}

/// The default settings with an engine.
pub(crate) fn settings(engine: &str) -> Settings {
    let mut tables = Settings::standard().tables().clone();
    tables.rank.engine = engine.parse::<Engine>().unwrap();
    Settings::new(tables)
}

/// What was learnt of some pages of a site.
pub(crate) struct Taught<'a> {
    site: &'a Site,
    pub(crate) learning: LearningResult,
}

/// Learns from some pages of a site, by their numbers.
pub(crate) fn teach<'a>(site: &'a Site, numbers: &[usize], settings: &Settings) -> Taught<'a> {
    let addresses =
        AddressDigest::of(site.pages.iter().map(|page| &*page.url), settings.tracking());
    let evidence =
        SiteEvidence { site: &site.key, addresses: &addresses, cut: false, earlier: &[] };
    let pages: Vec<&Page> = numbers.iter().map(|&number| &site.pages[number]).collect();
    let parsed: Vec<_> = pages.iter().map(|page| parse_page(page, settings)).collect();
    let items: Vec<Vec<&FeedItem>> = pages.iter().map(|page| site.items_of(page)).collect();
    let sample: Vec<SiblingPage<'_>> = (parsed.iter().zip(&items))
        .map(|(page, feed_items)| SiblingPage { page, feed_items })
        .collect();
    let learning = learn_parsed(&evidence, &sample, None, settings, &NoMeter);
    Taught { site, learning }
}

impl Site {
    /// The feed items that point to a page.
    fn items_of(&self, page: &Page) -> Vec<&FeedItem> {
        let bare = |address: &str| address.split('?').next().map(str::to_owned);
        self.feed_items.iter().filter(|item| bare(&item.link) == bare(&page.url)).collect()
    }
}

impl Taught<'_> {
    /// The outcome of a page.
    pub(crate) fn apply(&self, page: &Page, settings: &Settings) -> Applied {
        self.learning.model.apply(page, &self.site.items_of(page), settings)
    }

    /// The outcome of a page that was learnt from, by its number.
    pub(crate) fn apply_known(&self, page: &Page, number: usize, settings: &Settings) -> Applied {
        let parsed = parse_page(page, settings);
        let items = self.site.items_of(page);
        let sibling = SiblingPage { page: &parsed, feed_items: &items };
        let hints = ApplyOptions { known: Some(&self.learning.known[number]), part: false };
        self.learning.model.apply_parsed(&sibling, hints, settings, &NoMeter)
    }
}
