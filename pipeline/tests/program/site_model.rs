//! The invariants of the site model, on the sample crawl and on invented sites: applying is a pure
//! function, learning depends only on the set of pages, and the bytes of a model are equivalent to
//! the model.

use config::Config;
use grouping::{AddressDigest, Tracking};
use model::{FeedItem, Page, Site};
use sitegrove::run::read_sites;
use sitemodel::{
    ApplyStatistics, ModelError, Outcome, SamplePage, Settings, SiteEvidence, SiteModel, Verdict,
    assess, learn,
};

use crate::common::crawl::Crawl;
use crate::common::prose;

/// The sites of archives, as a run groups them.
fn sites_of(inputs: &[String]) -> Vec<Site> {
    read_sites(inputs, &[], &Config::load(None).unwrap()).unwrap()
}

fn sample_crawl() -> Vec<Site> {
    sites_of(&[format!("{}/../data/crawl", env!("CARGO_MANIFEST_DIR"))])
}

/// A site with two layouts, a list and a page that is neither.
fn made_up() -> Site {
    let mut crawl = Crawl::new();
    for n in 0..40 {
        crawl.page(&format!("https://posts.example/notes/{n:02}"), &prose::post(n));
    }
    for n in 0..12 {
        let paragraphs: String =
            prose::paragraphs(n + 100).iter().map(|p| format!("<dd class=t>{p}</dd>")).collect();
        let html = format!("<table><tr><td class=m>menu<td><dl id=entry>{paragraphs}</dl></table>");
        crawl.page(&format!("https://posts.example/old/{n:02}.html"), &html);
    }
    let links: String =
        (0..40).map(|n| format!("<li><a href='/notes/{n:02}'>Note {n} of many</a>")).collect();
    crawl.page("https://posts.example/", &format!("<body><ul>{links}</ul>"));
    let (_folder, archive, _) = crawl.placed("posts.warc.gz");
    sites_of(&[archive.to_str().unwrap().to_owned()]).remove(0)
}

fn settings(engine: &str) -> Settings {
    let mut config = Config::load(None).unwrap();
    config.rank.engine = engine.parse().unwrap();
    config.settings()
}

fn addresses(site: &Site) -> AddressDigest {
    let config = Config::load(None).unwrap();
    let tracking = Tracking::new(&config.group.tracking_parameters);
    AddressDigest::of(site.pages.iter().map(|page| &*page.url), &tracking)
}

fn learn_from(site: &Site, pages: &[&Page], settings: &Settings) -> SiteModel {
    let addresses = addresses(site);
    let evidence =
        SiteEvidence { site: &site.key, addresses: &addresses, cut: false, earlier: &[] };
    let sample: Vec<SamplePage<'_>> = pages.iter().map(|page| (*page, &[][..])).collect();
    learn(&evidence, &sample, None, settings)
}

/// Permutations of the items.
fn orders<T: Copy>(all: &[T]) -> Vec<Vec<T>> {
    let turned = all.iter().rev().copied().collect();
    let mut mixed: Vec<T> = all.iter().step_by(2).copied().collect();
    mixed.extend(all.iter().skip(1).step_by(2).rev());
    vec![turned, mixed]
}

const ENGINES: [&str; 4] = ["grove", "forest", "blocks", "euclid"];

#[test]
fn learning_depends_on_the_set_of_pages_alone() {
    for site in sample_crawl().iter().chain([&made_up()]) {
        for engine in ENGINES {
            let settings = settings(engine);
            let pages: Vec<&Page> = site.pages.iter().collect();
            let model = learn_from(site, &pages, &settings);
            for order in orders(&pages) {
                let again = learn_from(site, &order, &settings);
                assert!(model.to_bytes() == again.to_bytes(), "{} by {engine}", site.key);
            }
        }
    }
}

#[test]
fn the_bytes_of_a_model_are_the_model() {
    for site in sample_crawl().iter().chain([&made_up()]) {
        for engine in ENGINES {
            let settings = settings(engine);
            let pages: Vec<&Page> = site.pages.iter().collect();
            let model = learn_from(site, &pages, &settings);
            let bytes = model.to_bytes();
            let back = SiteModel::from_bytes(&bytes).unwrap();
            assert!(back.to_bytes() == bytes, "{} by {engine}", site.key);
            assert_eq!(back.fits(&settings), Ok(()));
            for page in pages {
                let (ours, theirs) =
                    (model.apply(page, &[], &settings), back.apply(page, &[], &settings));
                assert_eq!(ours, theirs, "{} by {engine}", page.url);
            }
        }
    }
}

#[test]
fn applying_is_a_function() {
    for site in sample_crawl().iter().chain([&made_up()]) {
        for engine in ENGINES {
            let settings = settings(engine);
            let pages: Vec<&Page> = site.pages.iter().collect();
            // Half of the pages were learnt from, half were not.
            let half: Vec<&Page> = pages.iter().step_by(2).copied().collect();
            let model = learn_from(site, &half, &settings);
            let first: Vec<_> =
                pages.iter().map(|page| model.apply(page, &[], &settings)).collect();
            for order in orders(&(0..pages.len()).collect::<Vec<_>>()) {
                for at in order {
                    let again = model.apply(pages[at], &[], &settings);
                    assert_eq!(first[at], again, "{} by {engine}", pages[at].url);
                }
            }
            let in_threads: Vec<_> = std::thread::scope(|scope| {
                let apply = |page| {
                    let (model, settings) = (&model, &settings);
                    scope.spawn(move || model.apply(page, &[], settings))
                };
                let threads: Vec<_> = pages.iter().map(|page| apply(*page)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert!(first == in_threads, "{} by {engine}", site.key);
        }
    }
}

#[test]
fn templates_keep_their_ids_and_wrappers_count_their_revisions() {
    let site = made_up();
    let settings = settings("grove");
    let pages: Vec<&Page> = site.pages.iter().collect();
    let (some, others) = pages.split_at(pages.len() / 2);
    let model = learn_from(&site, some, &settings);
    let addresses = addresses(&site);
    let evidence =
        SiteEvidence { site: &site.key, addresses: &addresses, cut: false, earlier: &[] };
    let more: Vec<SamplePage<'_>> = others.iter().map(|page| (*page, &[][..])).collect();
    let next = learn(&evidence, &more, Some(&model), &settings);
    let posts = |model: &SiteModel| {
        let found = model.templates().iter().find(|t| t.examples[0].contains("/notes/"));
        found.map(|t| (t.id.clone(), t.wrapper().unwrap().version)).unwrap()
    };
    let (id, version) = posts(&model);
    let (same, later) = posts(&next);
    assert_eq!(id, same);
    assert_eq!(version, 1);
    let content = |model: &SiteModel| {
        let found = model.templates().iter().find(|t| t.id == id).unwrap();
        (found.wrapper().unwrap().content.clone(), found.wrapper().unwrap().prune.clone())
    };
    assert_eq!(later, if content(&model) == content(&next) { 1 } else { 2 });
    let ids: std::collections::BTreeSet<_> = next.templates().iter().map(|t| &t.id).collect();
    assert_eq!(ids.len(), next.templates().len(), "each id once");
    assert_eq!(next.head().pages, pages.len() as u64);
}

#[test]
fn damaged_bytes_say_what_and_where() {
    let site = made_up();
    let settings = settings("grove");
    let bytes = learn_from(&site, &site.pages.iter().collect::<Vec<_>>(), &settings).to_bytes();
    assert_eq!(SiteModel::from_bytes(b"WARC/1.0\r\n"), Err(ModelError::NotAModel));
    let mut other = bytes.clone();
    other[8] = 99;
    assert_eq!(SiteModel::from_bytes(&other), Err(ModelError::Version(99)));
    for cut in [9, 40, bytes.len() / 2, bytes.len() - 1] {
        let error = SiteModel::from_bytes(&bytes[..cut]).unwrap_err();
        assert!(!error.to_string().is_empty(), "{error}");
    }
    let mut wrong = bytes.clone();
    let at = bytes.len() - 3;
    wrong[at] ^= 1;
    let Err(ModelError::Damaged { offset, section, what }) = SiteModel::from_bytes(&wrong) else {
        panic!("damage was not noticed")
    };
    assert!((offset as usize) < at && section == "tmpl" && what.contains("checksum"), "{what}");
    let mut longer = bytes;
    longer.extend(b"more");
    assert!(matches!(SiteModel::from_bytes(&longer), Err(ModelError::Damaged { .. })));
}

#[test]
fn health_tells_a_redesign() {
    let site = made_up();
    let settings = settings("grove");
    let pages: Vec<&Page> = site.pages.iter().filter(|page| page.url.contains("/notes/")).collect();
    let model = learn_from(&site, &pages, &settings);
    let seen_of = |changed: &dyn Fn(&Page) -> Page| {
        let mut seen = ApplyStatistics::default();
        let items: [&FeedItem; 0] = [];
        pages.iter().for_each(|page| seen.add(&model.apply(&changed(page), &items, &settings)));
        seen
    };
    let healthy = assess(&model, &seen_of(&Page::clone));
    assert_eq!(healthy.site, Verdict::Healthy, "{healthy:?}");
    let redesigned = |page: &Page| {
        let text = prose::text(page.url[page.url.len() - 2..].parse().unwrap());
        let text = text.replace("\n\n", "<br><br>");
        let html = format!("<main><section><article><span><i>{text}</i></span></article></main>");
        Page { html: html.into(), ..page.clone() }
    };
    assert_eq!(assess(&model, &seen_of(&redesigned)).site, Verdict::Broken);
    let one = ApplyStatistics::default();
    assert_eq!(assess(&model, &one).site, Verdict::TooFewPages);
}

#[test]
fn a_page_without_a_template_is_unassigned() {
    let site = made_up();
    let settings = settings("grove");
    let pages: Vec<&Page> = site.pages.iter().filter(|page| page.url.contains("/notes/")).collect();
    let model = learn_from(&site, &pages, &settings);
    let other = site.pages.iter().find(|page| page.url.contains("/old/")).unwrap();
    assert_eq!(model.apply(other, &[], &settings).outcome, Outcome::Unassigned);
}

#[test]
fn vector_instructions_change_nothing() {
    let site = made_up();
    let settings = settings("grove");
    let pages: Vec<&Page> = site.pages.iter().collect();
    let mut first = None;
    for kind in grove::vectors::available() {
        assert!(grove::vectors::force(Some(kind)));
        let model = learn_from(&site, &pages, &settings);
        let applied: Vec<_> = pages.iter().map(|page| model.apply(page, &[], &settings)).collect();
        let own = (model.to_bytes(), applied);
        let first = first.get_or_insert_with(|| own.clone());
        assert!(*first == own, "{kind:?}");
    }
    assert!(grove::vectors::force(None));
}
