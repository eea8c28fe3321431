//! A data set of articles that grows from night to night: `--dataset`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

use crate::common::crawl::Crawl;
use crate::common::program::{call, in_repository, parts, run, succeed, word};
use crate::common::prose;
use crate::common::results::files;
use crate::common::unfinished::{kill_process, run_command, wait_for_a_site};

fn night(folder: &Path, day: &'static str, notes: std::ops::Range<usize>) -> PathBuf {
    let mut crawl = Crawl::of_day(day);
    crawl.posts("https://notes.example/on-bridges-", notes);
    crawl.write(folder, &format!("{day}.warc.gz"))
}

/// The addresses in a file.
fn urls(file: &[u8]) -> Vec<String> {
    let copy = tempfile::NamedTempFile::new().unwrap();
    fs::write(copy.path(), file).unwrap();
    let reader = SerializedFileReader::new(File::open(copy.path()).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    rows.map(|row| row.unwrap().get_string(1).unwrap().clone()).collect()
}

#[test]
fn nights_add_files_and_the_same_night_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let dataset = at("articles");
    let add = ["--dataset", word(&dataset), "--overwrite"];
    let first = night(folder.path(), "2024-05-01", 0..5);
    let second = night(folder.path(), "2024-05-02", 3..9);
    let results = run(&[&first], &at("out"), &add);
    assert_eq!(results.articles.len(), 5);
    let one = files(&dataset);
    assert_eq!(one.len(), 1, "{:?}", one.keys());
    let (name, file) = one.first_key_value().unwrap();
    assert!(name.starts_with("date=2024-05-01/part-") && name.ends_with(".parquet"), "{name}");
    assert_eq!(urls(file).len(), 5);

    run(&[&second], &at("out"), &add);
    let two = files(&dataset);
    assert_eq!(two.len(), 2, "{:?}", two.keys());
    assert_eq!(two[name], *file);
    // The same nights again, in other run folders and with other threads.
    run(&[&first], &at("again"), &[&add[..], &["--jobs", "1"]].concat());
    run(&[&second], &at("again"), &add);
    assert!(files(&dataset) == two);
    // With other settings they are replaced, and nothing of them is left over.
    run(&[&second], &at("again"), &[&add[..], &["--engine", "euclid"]].concat());
    let replaced = files(&dataset);
    assert!(replaced.keys().eq(two.keys()) && replaced != two && replaced[name] == two[name]);
    run(&[&second], &at("again"), &[&add[..], &["--page-types", "product"]].concat());
    assert!(files(&dataset).keys().eq([name]));
    assert!(!dataset.join("date=2024-05-02").exists());

    // Both in one run are a night of its own, with a file for each date.
    let both = at("both");
    run(&[&first, &second], &at("out"), &["--dataset", word(&both), "--overwrite"]);
    let both = files(&both);
    assert_eq!(both.len(), 2, "{:?}", both.keys());
    let all: Vec<String> = both.values().flat_map(|file| urls(file)).collect();
    assert_eq!(all.len(), 9);
    // Pages without a date.
    let undated = at("undated");
    let page = at("page.html");
    fs::write(&page, prose::post(1)).unwrap();
    run(&[&page], &at("out"), &["--dataset", word(&undated), "--overwrite"]);
    let undated = files(&undated);
    let name = undated.keys().next().unwrap();
    assert!(name.starts_with("date=__HIVE_DEFAULT_PARTITION__/"), "{name}");
}

#[test]
fn folders_that_are_no_data_sets_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (out, other) = (folder.path().join("out"), folder.path().join("other"));
    let crawl = night(folder.path(), "2024-05-01", 0..3);
    fs::create_dir(&other).unwrap();
    fs::write(other.join("letter.txt"), "dear").unwrap();
    let fails = |more: &[&str]| {
        let arguments = [&["run", word(&crawl), "--out", word(&out)], more].concat();
        let (code, _, stderr) = parts(&call(&arguments));
        assert_ne!(code, 0, "{stderr}");
        stderr
    };
    let error = fails(&["--dataset", word(&other)]);
    assert!(error.contains("letter.txt") && error.contains("no data set"), "{error}");
    let inside = out.join("articles");
    assert!(fails(&["--dataset", word(&inside), "--overwrite"]).contains("run folder"));
    assert!(fails(&["--sinks", "dataset", "--overwrite"]).contains("--dataset"));
    assert_eq!(fs::read_dir(&other).unwrap().count(), 1);
}

#[test]
fn a_run_that_is_killed_and_steps_give_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let input = in_repository("data/crawl");
    let input = word(&input);
    run(&[Path::new(input)], &at("out"), &["--dataset", word(&at("whole")), "--memory", "64MiB"]);
    let whole = files(&at("whole"));
    let (out, killed) = (at("killed-out"), at("killed"));
    let more = ["--dataset", word(&killed), "--memory", "64MiB"];
    let mut child = run_command(&[input.as_ref()], &out, &more).spawn().unwrap();
    wait_for_a_site(&mut child, &out);
    kill_process(child);
    run(&[Path::new(input)], &out, &more);
    assert!(files(&killed) == whole);

    let settings = at("steps.toml");
    let stepped = at("stepped");
    let toml = format!("[emit]\nsinks = [\"dataset\"]\ndataset = {stepped:?}\n");
    fs::write(&settings, toml).unwrap();
    let (a, b, c, d) = (at("a.parquet"), at("b.parquet"), at("c.parquet"), at("merged"));
    let config = ["--config", word(&settings)];
    succeed(&[&["survey", input], &config[..], &["--out", word(&a)]].concat());
    succeed(&[&["learn", word(&a)], &config[..], &["--out", word(&b)]].concat());
    succeed(&[&["apply", word(&a), word(&b)], &config[..], &["--out", word(&c)]].concat());
    succeed(
        &[&["merge", word(&a), word(&b), word(&c)], &config[..], &["--out", word(&d)]].concat(),
    );
    assert!(files(&stepped) == whole);
}

#[test]
fn a_choice_of_pages_is_a_night_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let dataset = at("articles");
    let mut crawl = Crawl::of_day("2024-05-01");
    for site in 0..2 {
        for n in 0..4 {
            crawl.page(&format!("https://s{site}.example/notes/{n}"), &prose::post(10 * site + n));
        }
    }
    let crawl = crawl.write(folder.path(), "crawl.warc.gz");
    let add = |more: &[&str]| {
        let options = ["--dataset", word(&dataset), "--overwrite"];
        run(&[&crawl], &at("out"), &[&options, more].concat());
        let files = files(&dataset);
        let mut all: Vec<String> = files.values().flat_map(|file| urls(file)).collect();
        all.sort();
        (files.len(), all)
    };
    let of = |site: usize| (0..4).map(move |n| format!("https://s{site}.example/notes/{n}"));
    assert_eq!(add(&["--site", "s0.example"]), (1, of(0).collect()));
    let both: Vec<String> = of(0).chain(of(1)).collect();
    assert_eq!(add(&["--site", "s1.example"]), (2, both.clone()));
    // The same choice is the same night, also with other settings.
    assert_eq!(add(&["--site", "s1.example", "--engine", "density"]), (2, both));
    // Other dates and numbers of pages are other choices.
    assert_eq!(add(&["--since", "2024-05-01"]).0, 3);
    assert_eq!(add(&["--limit", "3"]).0, 4);
    assert_eq!(add(&["--limit", "2"]).0, 5);
}
