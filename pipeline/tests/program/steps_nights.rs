//! Steps with a store of models give the results of nights with `sitegrove run`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::program::{parts, run, sitegrove, write_file};
use crate::common::prose;
use crate::common::results::text;
use crate::common::rows::all_rows;
use crate::common::steps::{HEAD, Steps, assert_same, bytes, dealt, record};
use archive::RecordKind;

/// What a site serves on the second night instead of some of its posts.
const NOTICE: &str = "We are down for maintenance tonight, and expect to be back before the ferry leaves in the \
                      morning. Thank you for your patience, says the whole crew of this small journal.";

/// A night of a large site and of small ones, whose layout changes on the third.
fn night(folder: &Path, night: usize) -> Vec<PathBuf> {
    let mut members: Vec<Vec<u8>> = Vec::new();
    let mut add = |url: &str, page: &str| {
        let number = night * 3600 + members.len();
        members.push(record(RecordKind::Response, url, number, &[], &format!("{HEAD}{page}")));
    };
    for n in 0..24 {
        let at = night * 20 + n;
        let paragraphs = |at: usize| -> String {
            prose::paragraphs(at).iter().map(|p| format!("<p>{p}</p>")).collect()
        };
        let page = match night {
            2 => format!(
                "<html><head><title>Note {at}</title></head><body><header><nav><a href=/>Home</a></nav></header>\
                 <div id=page><div class=column><h1>Note {at}</h1>{}</div></div><footer>About us</footer></body></html>",
                paragraphs(at)
            ),
            _ => prose::post(at),
        };
        add(&format!("https://large.example/notes/{at:03}"), &page);
        if n % 3 == 0 {
            let text = paragraphs(500 + at);
            let other = format!(
                "<html><head><title>Story {at}</title></head><body><main id=story><section><h2>Story {at}</h2>\
                 <article class=long>{text}</article></section></main></body></html>"
            );
            // On the first night there is a page or two of this layout.
            if night > 0 || n < 6 {
                add(&format!("https://large.example/stories/{at}"), &other);
            }
            add(&format!("https://small-{}.example/{at}", n % 2), &prose::post(700 + at));
            let post = prose::post(800 + at);
            let page = match night {
                1 if n >= 12 => {
                    post.replace(&prose::text(800 + at).replace("\n\n", "</p>\n<p>"), NOTICE)
                }
                _ => post,
            };
            add(&format!("https://closed.example/{at}"), &page);
        }
    }
    let write = |(number, some): (usize, &[Vec<u8>])| {
        write_file(folder, format!("night-{night}-{number:02}.warc.gz"), some.concat())
    };
    members.chunks(7).enumerate().map(write).collect()
}

#[test]
fn nights_with_a_store_of_models_are_those_of_runs() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let config = path("settings.toml");
    for (settings, splits) in [
        ("", [(2, 1), (1, 3), (3, 2), (2, 2)]),
        ("[sample]\npages = 10\n", [(3, 2), (2, 3), (1, 1), (4, 2)]),
        ("[sample]\npages = 10\n[run]\nbatch_bytes = 20_000\n", [(2, 2), (4, 1), (3, 3), (1, 2)]),
    ] {
        fs::write(&config, settings).unwrap();
        let stores = ["of-runs.sqlite", "of-steps.sqlite"].map(path);
        let flags = ["--sinks", "jsonl,siteconfig,report"];
        let with = |store: &Path| {
            let mut flags: Vec<String> = flags.map(str::to_owned).into();
            flags.extend(["--models".to_owned(), store.to_str().unwrap().to_owned()]);
            flags
        };
        let mut decisions: Vec<String> = Vec::new();
        // The third night is taken in a second time, which changes nothing.
        for (turn, (number, (surveys, shares))) in [0, 1, 2, 2].into_iter().zip(splits).enumerate()
        {
            let inputs = night(folder.path(), number);
            let mut files: Vec<&Path> = vec![&config];
            files.extend(inputs.iter().map(PathBuf::as_path));
            let own = with(&stores[0]);
            let own: Vec<&str> = own.iter().map(String::as_str).collect();
            let whole = run(&files, &path(&format!("run-{turn}")), &own);
            let lines = fs::read_to_string(whole.folder.join("health.jsonl")).unwrap();
            let decision = |line: &str| {
                let line: serde_json::Value = serde_json::from_str(line).unwrap();
                text(&line, "decision").to_owned()
            };
            decisions.extend(lines.lines().map(decision));
            let of_steps = with(&stores[1]);
            let mut settings = vec!["--config", config.to_str().unwrap()];
            settings.extend(of_steps.iter().map(String::as_str));
            let steps = Steps {
                folder: path(&format!("steps-{turn}")),
                settings: &settings,
                surveys: dealt(&inputs, &[], surveys, turn),
                shares,
                turn,
            };
            let (merged, _) = steps.run();
            let (mut whole, mut merged) = (bytes(&whole.folder), bytes(&merged));
            // The stores have other names.
            let hash = "config_hash of the ledger";
            assert!(whole.remove(hash).is_some() && merged.remove(hash).is_some());
            assert_same(
                &whole,
                &merged,
                &format!("night {turn}, {surveys} surveys, {shares} shares"),
            );
            assert_eq!(all_rows(&stores[0]), all_rows(&stores[1]), "stores after night {turn}");
            fs::remove_dir_all(path(&format!("run-{turn}"))).unwrap();
            fs::remove_dir_all(path(&format!("steps-{turn}"))).unwrap();
        }
        for wanted in ["learn-fresh", "grow", "add-templates", "note-walls"] {
            assert!(decisions.iter().any(|own| own == wanted), "no {wanted}: {decisions:?}");
        }
        stores.iter().for_each(|store| fs::remove_file(store).unwrap());
    }
}

#[test]
fn a_store_that_changed_between_learning_and_merging_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let store = path("models.sqlite");
    let call = |step: &str, files: &[String], more: &[&str], out: &str| {
        let output = sitegrove()
            .arg(step)
            .args(files)
            .args(more)
            .args(["--models", &store, "--out", &path(out)])
            .output()
            .unwrap();
        let (code, _, stderr) = parts(&output);
        (code, stderr)
    };
    let inputs = |number: usize| -> Vec<String> {
        let files = night(folder.path(), number);
        files.into_iter().map(|file| file.to_str().unwrap().to_owned()).collect()
    };
    assert_eq!(call("survey", &inputs(0), &[], "survey.parquet").0, 0);
    assert_eq!(call("learn", &[path("survey.parquet")], &[], "learn.parquet").0, 0);
    assert!(!Path::new(&store).exists(), "learning only reads");
    let all = [path("survey.parquet"), path("learn.parquet")];
    let (code, stderr) = call("merge", &all, &["--share", "1/2"], "half");
    assert!(code == 2 && stderr.contains("one process has to merge all sites"), "{stderr}");
    assert_eq!(call("run", &inputs(1), &[], "other").0, 0);
    let (code, stderr) = call("merge", &all, &[], "merged");
    assert!(code == 2 && stderr.contains("changed after the sites were learnt"), "{stderr}");
    assert_eq!(call("learn", &[path("survey.parquet")], &[], "learn.parquet").0, 0);
    assert_eq!(call("merge", &all, &[], "merged").0, 0);
    // Merged again, the night is known.
    let before = all_rows(Path::new(&store));
    let (code, stderr) = call("merge", &all, &["--overwrite"], "merged");
    assert_eq!((code, all_rows(Path::new(&store))), (0, before), "{stderr}");
}
