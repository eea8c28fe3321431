//! The inputs in `fuzz/corpus`, used by the fuzz targets, as plain tests.

use std::fs;

#[path = "../../../fuzz/src/checks.rs"]
mod checks;

/// Runs a check on every input of a target.
fn replay(target: &str, check: fn(&[u8])) {
    let folder = crate::common::program::repository().join("fuzz/corpus").join(target);
    let mut files: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    for file in files {
        let bytes = fs::read(&file).unwrap();
        let outcome = std::panic::catch_unwind(|| check(&bytes));
        assert!(outcome.is_ok(), "{}", file.display());
    }
}

#[test]
fn records() {
    replay("records", checks::records);
}

#[test]
fn http() {
    replay("http", checks::http);
}

#[test]
fn page() {
    replay("page", checks::page);
}

#[test]
fn tokens() {
    replay("tokens", checks::tokens);
}

#[test]
fn feed() {
    replay("feed", checks::feed);
}

#[test]
fn site_config() {
    replay("site_config", checks::site_config);
}

#[test]
fn wrapper() {
    replay("wrapper", checks::wrapper);
}

#[test]
fn model() {
    replay("model", checks::model);
    let folder = crate::common::program::repository().join("fuzz/corpus/model");
    let whole = fs::read_dir(folder).unwrap().filter(|entry| {
        let bytes = fs::read(entry.as_ref().unwrap().path()).unwrap();
        sitemodel::SiteModel::from_bytes(&bytes).is_ok()
    });
    assert!(whole.count() >= 2, "the models of the corpus have another format: make them anew");
}

/// Bytes changed, removed and repeated at random positions: each gives a model or an error.
#[test]
fn mutated_models() {
    let folder = crate::common::program::repository().join("fuzz/corpus/model");
    let mut state = 1u64;
    let mut chance = |bound: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    for name in ["grove", "forest", "blocks"] {
        let whole = fs::read(folder.join(name)).unwrap();
        let mut models = 0;
        for _ in 0..2_000 {
            let mut bytes = whole.clone();
            for _ in 0..=chance(3) {
                let at = 12 + chance(bytes.len() - 12);
                match chance(3) {
                    0 => bytes[at] = [0, 1, 0x7f, 0x80, 0x91, 0xc0, 0xdd, 0xff][chance(8)],
                    1 => bytes[at] ^= 1 << chance(8),
                    _ => {
                        let end = (at + 1 + chance(8)).min(bytes.len());
                        let some: Vec<u8> = bytes[at..end].to_vec();
                        if chance(2) == 0 { drop(bytes.drain(at..end)) } else { bytes.extend(some) }
                    }
                }
            }
            models += usize::from(checks::is_model(&bytes));
        }
        assert!((1..2_000).contains(&models), "{models} of {name}");
    }
}

/// Creates the models of the corpus: `cargo nextest run --run-ignored only -E 'test(make_models)'`.
#[test]
#[ignore = "writes fuzz/corpus/model"]
fn make_models() {
    use grouping::{AddressDigest, Tracking};
    use sitemodel::{SamplePage, Settings, SiteEvidence, learn};
    let folder = crate::common::program::repository().join("fuzz/corpus/model");
    fs::create_dir_all(&folder).unwrap();
    let page = |n: usize, html: &str| ::model::Page {
        url: format!("https://example.org/a/page-number-{n}-of-few"),
        html: html.replace("{n}", &format!("number {n} of the pages")).into(),
        ..checks::page_of("")
    };
    let posts = "<body><ul><li><a href=/>Home</a></ul><div class=post><h1>A {n}</h1><p>Some words \
                 of this page, {n}, that are nowhere else.<p>And a second paragraph.</div>";
    let tables = "<table><tr><td width=100><a href=/>Home</a><td width=400>The old text {n}, which \
                  is long enough to be told from the menu beside it.</table>";
    for (name, engine) in [("grove", "grove"), ("forest", "forest"), ("blocks", "blocks")] {
        let mut tables_of = Settings::standard().tables().clone();
        tables_of.rank.engine = engine.parse().unwrap();
        tables_of.cluster.min_words = 3;
        let settings = Settings::new(tables_of);
        let pages: Vec<_> = (0..6).map(|n| page(n, if n < 4 { posts } else { tables })).collect();
        let urls = pages.iter().map(|page| &*page.url);
        let addresses = AddressDigest::of(urls, &Tracking::new(&[]));
        let evidence =
            SiteEvidence { site: "example.org", addresses: &addresses, cut: false, earlier: &[] };
        let sample: Vec<SamplePage<'_>> = pages.iter().map(|page| (page, &[][..])).collect();
        let bytes = learn(&evidence, &sample, None, &settings).to_bytes();
        assert!(bytes.len() < 64 << 10, "{} bytes", bytes.len());
        fs::write(folder.join(name), &bytes).unwrap();
        fs::write(folder.join(format!("{name}-cut")), &bytes[..bytes.len() / 2]).unwrap();
    }
    fs::write(folder.join("empty"), b"sitegrov\x01\0\0\0").unwrap();
}
