//! A store over several runs: what is kept, what is refused, and who waits.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use database::{Obstacle, WaitPolicy};
use model::{
    Assessment, Charset, CharsetEvidence, NightFigures, Origin, Page, RetainedHead, Revision,
    SharedWords, SiteNight, TemplateNight, Verdict,
};
use proptest::prelude::*;
use rusqlite::Connection;
use sitegrove_modelstore::{
    Import, ModelRow, RETAIN, RetainLimits, Retained, RevisionRow, RunIdentity, Store, StoreError,
    pack_pages, retain,
};
use tempfile::TempDir;

fn page(url: &str, html: &str) -> Page {
    Page {
        url: url.to_owned(),
        site: "news.example".to_owned(),
        fetched: Some("2026-03-01T04:00:00Z".parse().unwrap()),
        origin: Origin {
            file: "crawl.warc.gz".into(),
            offset: 77,
            record_id: "urn:uuid:1".to_owned(),
            truncated: None,
        },
        charset: Charset {
            name: "UTF-8",
            evidence: CharsetEvidence::ValidUtf8,
            overruled: model::Overruled::default(),
        },
        notes: None,
        html: html.into(),
    }
}

fn sample(pages: usize) -> Vec<Retained> {
    let retained = |n| Retained {
        template: "a1b2".to_owned(),
        page: page(&format!("https://news.example/{n}"), &"<p>The harbour is open.".repeat(40 + n)),
        items: Vec::new(),
    };
    (0..pages).map(retained).collect()
}

fn update(site: &str, night: &str, revision: u32) -> SiteNight {
    SiteNight {
        site: site.to_owned(),
        night: night.to_owned(),
        decision: "learn".to_owned(),
        reason: "no model".to_owned(),
        model_revision: revision,
        health: Assessment {
            verdict: Verdict::Healthy,
            blocked_by: None,
            evidence: "7 articles".to_owned(),
            next: String::new(),
        },
        figures: NightFigures {
            pages: 7,
            articles: 6,
            words: 600,
            lengths: [27.5, 126.0],
            confidence: 5.4,
            fields: [("title".to_owned(), 6)].into(),
            drops: [("http-403".to_owned(), 1)].into(),
            templates: [("a1b2".to_owned(), 6)].into(),
            partial: 1,
            gone: 2,
            known: 4,
            similarity: 3.5,
            agreement: Some(0.9),
        },
        usual: None,
        second_round: false,
        sampled: 7,
        unassigned: 1,
        revision: Some(Revision {
            number: revision,
            reason: "no model".to_owned(),
            pages: 7,
            templates: 2,
            format: 1,
            engine: "grove".to_owned(),
            weights: Some("ab".to_owned()),
            settings: "cd".to_owned(),
            model: format!("model {revision} of {site}").into_bytes(),
        }),
        sample: Some(pack_pages(&sample(3)).unwrap()),
        texts: Some(format!("texts of {night}").into_bytes()),
        lost_texts: None,
        shared_words: SharedWords::default(),
        change: None,
        templates: vec![TemplateNight {
            template: "a1b2".to_owned(),
            verdict: Verdict::Healthy,
            pages: 6,
            by_wrapper: 1.0,
            by_wrapper_expected: 0.9,
            confidence: 0.8,
            confidence_expected: 0.9,
            agreement: Some(0.97),
        }],
    }
}

fn run(digest: &str) -> RunIdentity {
    RunIdentity { digest: digest.to_owned(), program: "0.1.0".to_owned() }
}

/// Never set.
static NEVER: AtomicBool = AtomicBool::new(false);

/// Nobody else is there to wait for.
const ALONE: WaitPolicy<'_> = WaitPolicy {
    stop: &NEVER,
    tell: |path, obstacle| panic!("{}: {obstacle:?}", path.display()),
    patience: Duration::from_secs(60),
};

fn open(path: &Path) -> Store {
    Store::open(path, ALONE).unwrap()
}

/// Takes in a run.
fn night(path: &Path, digest: &str, updates: &[SiteNight]) -> bool {
    let store = open(path);
    let before = store.begin(&run(digest)).unwrap();
    updates.iter().for_each(|update| store.add_night(update).unwrap());
    store.commit(u64::MAX, ALONE).unwrap();
    before
}

/// A new folder, and the path of a store in it.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("models.sqlite");
    (folder, path)
}

#[test]
fn what_is_kept_comes_back() {
    let (folder, path) = place();
    assert!(!night(&path, "r1", &[update("news.example", "2026-03-01", 1)]));
    let second = SiteNight { sample: None, ..update("news.example", "2026-03-02", 2) };
    assert!(!night(&path, "r2", &[second]));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "one file, nothing beside it");

    let store = open(&path);
    assert!(!store.begin(&run("r3")).unwrap());
    let state = store.site("news.example").unwrap();
    assert_eq!((state.revision, state.before), (2, None));
    assert_eq!(state.model.unwrap(), b"model 2 of news.example");
    assert_eq!(state.last_seen["a1b2"], "2026-03-02");
    let pages = store.sample("news.example").unwrap();
    assert_eq!(pages.len(), 3);
    assert_eq!(pages[2].page.html, sample(3)[2].page.html);
    assert_eq!(pages[0].page.origin, sample(1)[0].page.origin);
    let heads: Vec<RetainedHead> = pages.iter().map(RetainedHead::from).collect();
    assert_eq!(state.retained, heads);
    assert_eq!(store.site("other.example").unwrap().revision, 0);
}

#[test]
fn the_same_run_twice_changes_nothing_and_finds_what_it_found() {
    let (folder, path) = place();
    night(&path, "r1", &[update("news.example", "2026-03-01", 1)]);
    night(&path, "r2", &[update("news.example", "2026-03-02", 2)]);
    let before = fs::read(&path).unwrap();
    assert!(night(&path, "r1", &[update("news.example", "2026-03-09", 9)]));
    let store = open(&path);
    assert!(store.begin(&run("r1")).unwrap());
    let state = store.site("news.example").unwrap();
    assert_eq!(state.model.unwrap(), b"model 1 of news.example", "that of its own night");
    let found = state.before.unwrap();
    assert_eq!(
        (found.model_revision, &*found.night, found.health.verdict),
        (1, "2026-03-01", Verdict::Healthy)
    );
    assert_eq!(found.templates, update("news.example", "", 1).templates);
    drop(store);
    let dump = |bytes: &[u8]| {
        let copy = folder.path().join("copy");
        fs::write(&copy, bytes).unwrap();
        let store = Store::open_read_only(&copy).unwrap();
        (store.summary().unwrap(), store.revisions("news.example").unwrap())
    };
    assert_eq!(dump(&before), dump(&fs::read(&path).unwrap()));
}

#[test]
fn older_crawls_do_not_turn_dates_back() {
    let (_folder, path) = place();
    night(&path, "new", &[update("news.example", "2026-03-02", 1)]);
    night(&path, "old", &[update("news.example", "2026-02-01", 2)]);
    let store = Store::open_read_only(&path).unwrap();
    let site = store.sites().unwrap().remove(0);
    assert_eq!((&*site.first_seen, &*site.last_seen), ("2026-02-01", "2026-03-02"));
    assert_eq!(site.revision, 2);
    let nights = store.nights("news.example").unwrap();
    assert_eq!(nights.iter().map(|n| &*n.night).collect::<Vec<_>>(), ["2026-02-01", "2026-03-02"]);
}

#[test]
fn a_run_that_does_not_end_leaves_no_trace() {
    let (folder, path) = place();
    let store = open(&path);
    store.begin(&run("r1")).unwrap();
    store.add_night(&update("news.example", "2026-03-01", 1)).unwrap();
    drop(store);
    let error = Store::open_read_only(&path).unwrap_err().to_string();
    assert!(error.contains("nothing is in the model store"), "{error}");
    assert_eq!(Store::open_or_empty(&path).unwrap().summary().unwrap().runs, 0);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "one file, nothing beside it");

    night(&path, "r1", &[update("news.example", "2026-03-01", 1)]);
    let store = open(&path);
    store.begin(&run("r2")).unwrap();
    store.add_night(&update("news.example", "2026-03-02", 2)).unwrap();
    drop(store);
    let store = Store::open_read_only(&path).unwrap();
    assert_eq!(store.summary().unwrap().runs, 1);
    assert_eq!(store.sites().unwrap()[0].revision, 1);
}

#[test]
fn others_are_left_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recipes.sqlite");
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup')")
        .unwrap();
    drop(other);
    let text = folder.path().join("notes.txt");
    fs::write(&text, "These are notes, and no database at all. ".repeat(30)).unwrap();
    let newer = folder.path().join("newer.sqlite");
    night(&newer, "r1", &[]);
    Connection::open(&newer).unwrap().pragma_update(None, "user_version", 99).unwrap();
    for (path, says) in [
        (&path, "the database of another program"),
        (&text, "is not a database, so it is no model store"),
        (&newer, "has schema 99, this program knows 4"),
    ] {
        let before = fs::read(path).unwrap();
        let names = path.file_name().unwrap().to_string_lossy().into_owned();
        for error in
            [Store::open(path, ALONE).unwrap_err(), Store::open_read_only(path).unwrap_err()]
        {
            let told = error.to_string();
            assert!(told.contains(says) && told.contains(&names), "{told}");
        }
        assert!(fs::read(path).unwrap() == before, "{names} was changed");
    }
    let gone = Store::open_read_only(&folder.path().join("none.sqlite"));
    assert!(matches!(gone, Err(StoreError::Absent(_))));
}

#[test]
fn a_damaged_store_is_refused_and_left_as_it_is() {
    let (_folder, path) = place();
    let updates: Vec<SiteNight> =
        (0..60).map(|n| update(&format!("{n:02}.example"), "2026-03-01", 1)).collect();
    night(&path, "r1", &updates);
    let whole = fs::read(&path).unwrap();
    assert!(whole.len() > 40_000);
    let mut refused = 0;
    for page in 1..whole.len() / 4096 {
        let mut damaged = whole.clone();
        damaged[page * 4096..page * 4096 + 64].fill(0xA5);
        fs::write(&path, &damaged).unwrap();
        if let Err(error) = Store::open(&path, ALONE) {
            refused += 1;
            assert!(error.to_string().contains("models.sqlite"), "{error}");
            assert!(fs::read(&path).unwrap() == damaged, "page {page}: the file was changed");
        }
    }
    assert!(refused * 2 > whole.len() / 4096, "{refused} of {} damages", whole.len() / 4096);
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let error = Store::open(&path, ALONE).unwrap_err().to_string();
    assert!(error.contains("models.sqlite is damaged: "), "{error}");
    assert!(error.contains("restore it from a copy"), "{error}");
}

#[test]
fn a_damaged_model_is_named() {
    let (_folder, path) = place();
    night(&path, "r1", &[update("news.example", "2026-03-01", 1)]);
    let db = Connection::open(&path).unwrap();
    db.execute_batch("UPDATE models SET blob = x'00112233'; UPDATE samples SET blob = x'00'")
        .unwrap();
    drop(db);
    let store = open(&path);
    for told in [
        store.model("news.example", None).unwrap_err().to_string(),
        store.sample("news.example").unwrap_err().to_string(),
    ] {
        assert!(told.contains("models.sqlite") && told.contains("news.example"), "{told}");
    }
    // Bytes that are no model: the site is learnt anew.
    assert_eq!(store.site("news.example").unwrap().model, Some(Vec::new()));
}

#[test]
fn a_second_writer_waits_and_is_told_or_refused() {
    let (_folder, path) = place();
    night(&path, "r0", &[update("news.example", "2026-03-01", 1)]);
    let first = open(&path);
    first.begin(&run("r1")).unwrap();
    static WAITED: AtomicUsize = AtomicUsize::new(0);
    let wait = WaitPolicy::new(&NEVER, |_, obstacle| {
        assert_eq!(obstacle, Obstacle::Writer);
        WAITED.fetch_add(1, Ordering::Relaxed);
    });
    let hasty = WaitPolicy { patience: Duration::from_millis(50), ..wait };
    let refused = Store::open(&path, hasty).unwrap_err();
    assert!(refused.to_string().contains("another run is still writing to"), "{refused}");
    assert_eq!(WAITED.load(Ordering::Relaxed), 1);
    let stopped =
        Store::open(&path, WaitPolicy { stop: &AtomicBool::new(true), ..wait }).unwrap_err();
    assert!(stopped.is_stopped() && !refused.is_stopped(), "{stopped}");

    // One who looks sees the store as it was.
    first.add_night(&update("news.example", "2026-03-02", 2)).unwrap();
    assert_eq!(Store::open_read_only(&path).unwrap().sites().unwrap()[0].revision, 1);

    let second = std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            let second = Store::open(&path, wait).unwrap();
            second.begin(&run("r2")).unwrap();
            second.site("news.example").unwrap().revision
        });
        while WAITED.load(Ordering::Relaxed) < 2 {
            std::thread::sleep(Duration::from_millis(1));
        }
        first.commit(u64::MAX, ALONE).unwrap();
        second.join().unwrap()
    });
    assert_eq!(second, 2, "it sees what the first one kept");
    assert_eq!(WAITED.load(Ordering::Relaxed), 2);
}

#[test]
fn samples_of_sites_not_seen_for_long_go_first() {
    let (_folder, path) = place();
    let updates: Vec<SiteNight> = (1..=4)
        .map(|n| update(&format!("{n}.example"), &format!("2026-03-0{}", 5 - n), 1))
        .collect();
    let one = updates[0].sample.as_ref().unwrap().blob.len() as u64;
    let store = open(&path);
    store.begin(&run("r1")).unwrap();
    updates.iter().for_each(|update| store.add_night(update).unwrap());
    let evicted = store.commit(2 * one + 1, ALONE).unwrap();
    assert_eq!((evicted.sites, evicted.bytes), (2, 2 * one));
    let store = Store::open_read_only(&path).unwrap();
    let left: Vec<u64> = store.sites().unwrap().iter().map(|site| site.retained).collect();
    assert_eq!(left, [3, 3, 0, 0], "the newest stay");
    assert!(store.model("4.example", None).unwrap().is_some(), "models stay");
}

#[test]
fn old_revisions_go_where_all_weigh_too_much() {
    let (_folder, path) = place();
    // Bytes that cannot be compressed.
    let noise = |seed: u64, length: usize| -> Vec<u8> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        (0..length).map(|_| next()).collect()
    };
    for (number, bytes) in [(1, 1 << 20), (2, 1 << 20), (3, 3 << 19), (4, 1 << 20), (5, 5 << 20)] {
        let mut own = update("news.example", &format!("2026-03-0{number}"), number);
        own.revision.as_mut().unwrap().model = noise(u64::from(number), bytes);
        let small = update("small.example", &format!("2026-03-0{number}"), number);
        let store = open(&path);
        store.begin(&run(&format!("r{number}"))).unwrap();
        store.add_night(&own).unwrap();
        store.add_night(&small).unwrap();
        let removed = store.commit(u64::MAX, ALONE).unwrap().revisions;
        assert_eq!(removed, [0, 0, 0, 1, 2][number as usize - 1], "{number}");
    }
    let revisions = |site: &str| -> Vec<u32> {
        let store = Store::open_read_only(&path).unwrap();
        store.revisions(site).unwrap().iter().map(|row| row.revision).collect()
    };
    assert_eq!(revisions("news.example"), [4, 5], "the newest two stay however large");
    assert_eq!(revisions("small.example"), [1, 2, 3, 4, 5]);
    // A night whose revision was removed is read with the oldest that is left, and says so.
    let store = open(&path);
    assert!(store.begin(&run("r2")).unwrap());
    let state = store.site("news.example").unwrap();
    assert_eq!(state.before.unwrap().model_revision, 4);
    assert!(state.model.unwrap() == noise(4, 1 << 20));
    assert_eq!(store.site("small.example").unwrap().before.unwrap().model_revision, 2);
}

#[test]
fn models_move_between_stores_and_sites_are_forgotten() {
    let (_folder, path) = place();
    night(&path, "r1", &[update("news.example", "2026-03-01", 1)]);
    let [row] = &Store::open_read_only(&path).unwrap().models("news.example").unwrap()[..] else {
        panic!("one revision")
    };
    assert_eq!((row.head.revision, &*row.head.night), (1, "2026-03-01"));
    assert_eq!(row.model().unwrap(), b"model 1 of news.example");
    let store = open(&path);
    assert_eq!(store.import(row).unwrap(), Import::Known);
    let changed = ModelRow { blob: vec![1], ..row.clone() };
    assert_eq!(store.import(&changed).unwrap(), Import::Other);
    let head = RevisionRow { revision: 2, night: "2026-04-01".to_owned(), ..row.head.clone() };
    let next = ModelRow { head, ..row.clone() };
    assert_eq!(store.import(&next).unwrap(), Import::Added);
    let elsewhere = ModelRow { site: "new.example".to_owned(), ..row.clone() };
    assert_eq!(store.import(&elsewhere).unwrap(), Import::Added);
    let news = &store.sites().unwrap()[1];
    assert_eq!((news.revision, &*news.last_seen), (2, "2026-04-01"));
    store.commit(u64::MAX, ALONE).unwrap();
    let store = open(&path);
    assert_eq!(store.model("new.example", Some(1)).unwrap().unwrap(), b"model 1 of news.example");
    assert!(store.forget("news.example").unwrap());
    assert!(!store.forget("news.example").unwrap());
    store.commit(u64::MAX, ALONE).unwrap();
    let store = Store::open_read_only(&path).unwrap();
    assert_eq!(store.sites().unwrap().len(), 1);
    assert_eq!(store.model("news.example", None).unwrap(), None);
}

#[test]
fn pages_are_retained_up_to_the_limit_of_their_template() {
    let heads: Vec<RetainedHead> = sample(40).iter().map(RetainedHead::from).collect();
    let kept = retain(&heads, RETAIN);
    assert_eq!(kept.len(), RETAIN.pages);
}

fn heads_of(of: &[(u8, u8, u16)]) -> Vec<RetainedHead> {
    of.iter()
        .map(|(url, template, bytes)| RetainedHead {
            url: format!("https://site.example/{url}"),
            template: format!("t{}", template % 3),
            fetched: String::new(),
            html_bytes: u64::from(*bytes),
        })
        .collect()
}

fn chosen(heads: &[RetainedHead], limits: RetainLimits) -> Vec<RetainedHead> {
    retain(heads, limits).into_iter().map(|at| heads[at].clone()).collect()
}

proptest! {
    #[test]
    fn bounds_hold_and_each_address_is_kept_once(
        of in prop::collection::vec((0u8..60, 0u8..6, 1u16..900), 0..80),
        pages in 1usize..6,
    ) {
        let limits = RetainLimits { pages, template_bytes: 3_000, site_bytes: 5_000 };
        let kept = chosen(&heads_of(&of), limits);
        let mut urls: Vec<_> = kept.iter().map(|head| &head.url).collect();
        urls.sort();
        prop_assert!(urls.windows(2).all(|two| two[0] != two[1]));
        prop_assert!(kept.iter().map(|head| head.html_bytes).sum::<u64>() <= 5_000);
        for template in ["t0", "t1", "t2"] {
            let own: Vec<_> = kept.iter().filter(|head| head.template == template).collect();
            prop_assert!(own.len() <= pages);
            prop_assert!(own.iter().all(|head| head.html_bytes <= 750));
        }
    }

    #[test]
    fn pages_of_one_size_do_not_depend_on_the_nights_they_came_in(
        of in prop::collection::btree_map(0u8..60, 0u8..6, 1..40),
        cut in 0usize..40,
    ) {
        let of: Vec<(u8, u8, u16)> = of.into_iter().map(|(url, t)| (url, t, 10)).collect();
        let all = heads_of(&of);
        let limits = RetainLimits { pages: 4, template_bytes: 1_000, site_bytes: 100_000 };
        let (first, second) = all.split_at(cut.min(all.len()));
        let mut over_nights = chosen(first, limits);
        over_nights.extend_from_slice(second);
        prop_assert_eq!(chosen(&over_nights, limits), chosen(&all, limits));
    }
}
