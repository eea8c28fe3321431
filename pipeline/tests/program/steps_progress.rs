//! Every step of a run in steps says how far it is, as a run does.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::common::crawl::Crawl;
use config::Config;
use segment::identity::SiteShare;
use sitegrove::run::RunRequest;
use sitegrove::steps::{apply, learn, merge, survey};
use terminal::progress_bar::{Observer, Quiet};

/// Records the calls of an observer.
#[derive(Debug, Default)]
struct Calls {
    bytes: AtomicU64,
    bytes_read: AtomicU64,
    sites: AtomicU64,
    pages: AtomicU64,
    pages_done: AtomicU64,
}

impl Observer for Calls {
    fn reading(&self, _files: usize, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    fn read(&self, bytes: u64) {
        self.bytes_read.fetch_add(bytes, Ordering::Relaxed);
    }

    fn processing(&self, sites: usize, pages: usize) {
        self.sites.fetch_add(sites as u64, Ordering::Relaxed);
        self.pages.fetch_add(pages as u64, Ordering::Relaxed);
    }

    fn site_done(&self, _site: &str, pages: usize) {
        self.pages_done.fetch_add(pages as u64, Ordering::Relaxed);
    }
}

impl Calls {
    /// Checks that everything that was announced was done; gives the sites and pages.
    #[track_caller]
    fn all(&self) -> (u64, u64) {
        let get = |of: &AtomicU64| of.load(Ordering::Relaxed);
        assert_eq!(get(&self.bytes), get(&self.bytes_read), "{self:?}");
        assert_eq!(get(&self.pages), get(&self.pages_done), "{self:?}");
        (get(&self.sites), get(&self.pages))
    }
}

#[test]
fn what_is_announced_is_what_is_done() {
    let mut crawl = Crawl::new();
    for (site, pages) in [("one", 3), ("two", 9), ("three", 20)] {
        crawl.posts(&format!("https://{site}.example/notes/"), 0..pages);
    }
    let (folder, archive, _) = crawl.placed("crawl.warc.gz");
    let mut config = Config::load(None).unwrap();
    // The two larger sites are finished in rounds.
    config.sample.pages = 5;
    config.run.inputs = vec![archive.to_str().unwrap().to_owned()];
    config.run.out = folder.path().join("merged");
    let request = RunRequest { config: &config, stop: &AtomicBool::new(false), observer: &Quiet };
    let at = |name: &str| folder.path().join(format!("{name}.parquet"));

    let calls = Calls::default();
    survey::survey(RunRequest { observer: &calls, ..request }, &at("survey")).unwrap();
    // Pages are learnt by later steps.
    assert_eq!(calls.all(), (0, 0));
    let learn = |files: &[&str], name: &str| {
        let (calls, files) =
            (Calls::default(), files.iter().map(|name| at(name)).collect::<Vec<PathBuf>>());
        learn::learn(RunRequest { observer: &calls, ..request }, &files, SiteShare::ALL, &at(name))
            .unwrap();
        calls.all()
    };
    let apply = |files: &[&str], name: &str| {
        let (calls, files) =
            (Calls::default(), files.iter().map(|name| at(name)).collect::<Vec<PathBuf>>());
        apply::apply(RunRequest { observer: &calls, ..request }, &files, &at(name)).unwrap();
        calls.all()
    };
    assert_eq!(learn(&["survey"], "learn"), (3, 32));
    assert_eq!(apply(&["survey", "learn"], "apply"), (2, 29));
    assert_eq!(learn(&["survey", "learn", "apply"], "again"), (2, 29));
    let (sites, _) = apply(&["survey", "learn", "again"], "rest");
    assert_eq!(sites, 2);
    let all: Vec<PathBuf> = ["survey", "learn", "apply", "again", "rest"].map(at).into();
    let mut shares = (0, 0);
    for part in 1..=2 {
        let calls = Calls::default();
        let share = SiteShare { part, of: 2 };
        let to = at(&format!("describe-{part}"));
        merge::describe(RunRequest { observer: &calls, ..request }, &all, share, &to).unwrap();
        let (sites, pages) = calls.all();
        shares = (shares.0 + sites, shares.1 + pages);
    }
    assert_eq!(shares, (3, 32));
    let calls = Calls::default();
    merge::merge(RunRequest { observer: &calls, ..request }, &all, SiteShare::ALL, false).unwrap();
    assert_eq!(calls.all(), (3, 32));
}
