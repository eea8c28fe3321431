//! A run gives the same bytes on processors with other vector instructions. In a separate file,
//! because the instructions are selected for the whole process.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use config::Config;
use grove::vectors::{available, force};
use sitegrove::run::RunRequest;
use terminal::progress_bar::Quiet;

use crate::common::program::in_repository;
use crate::common::results::files;

/// The files of a run of the sample crawl, without those that contain times.
fn files_of_run(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut config = Config::load(Some(&in_repository("configs/quickstart.toml"))).unwrap();
    config.run.out = out.to_owned();
    config.run.jobs = 2;
    let request = RunRequest { config: &config, stop: &AtomicBool::new(false), observer: &Quiet };
    sitegrove::run::run(request, false).unwrap();
    let mut files = files(out);
    files.retain(|name, _| name != "ledger.json" && name != "report/index.html");
    files
}

#[test]
fn vectors_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let kinds = available();
    let mut first = None;
    for kind in &kinds {
        assert!(force(Some(*kind)));
        let own = files_of_run(&folder.path().join(format!("{kind:?}")));
        let first = first.get_or_insert_with(|| own.clone());
        assert!(first["articles.jsonl"].len() > 100_000, "{:?}", first.keys());
        for (name, bytes) in first {
            assert!(own.get(name) == Some(bytes), "{kind:?}: {name} differs");
        }
    }
    assert!(kinds.len() > 1, "{kinds:?}");
}
