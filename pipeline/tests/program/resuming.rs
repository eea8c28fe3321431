//! A run that was killed is resumed with the results that it kept, with its pages in memory or on disk, and gives the same
//! bytes as a run that was not interrupted.

#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::common::crawl::{self, RESPONSE, gzip};
use crate::common::program::{parts, refused, write_file};
use crate::common::prose;
use crate::common::results::parse;
use crate::common::steps::HEAD;
use crate::common::unfinished::{
    RESULTS, assert_same, copy, ends_of_frames, kill_process, outcome, run_command, sites_done,
    wait_for,
};
use archive::{RecordKind, Wrapping};

const SITES: usize = 60;
/// Sites that are done before a run is killed, of those and fifteen of copies.
const DONE: usize = 55;

fn record(kind: RecordKind, n: usize, url: &str, fields: &[(&str, &str)], html: &str) -> Vec<u8> {
    let (id, block) = (format!("{n:08}"), format!("{HEAD}{html}"));
    let date = format!("2024-05-01T{:02}:{:02}:{:02}Z", n / 3600, n / 60 % 60, n % 60);
    let named = (&*id, &*date);
    crawl::record(Wrapping::Plain, kind, named, url, RESPONSE, fields, block.as_bytes())
}

/// Records of many small sites with requests between them, dropped pages, and revisits of pages
/// that are sites of their own.
fn records() -> Vec<Vec<u8>> {
    let filler: String =
        (0..40).map(|n| format!("<p>{}</p>", prose::paragraphs(n + 7).join(" "))).collect();
    let mut records = Vec::new();
    for page in 0..4 * SITES {
        let url = format!("https://site-{}.example/notes/{}", page / 4, page % 4);
        let html = prose::post_with(page, "", &filler);
        records.push(record(RecordKind::Request, 5_000 + page, &url, &[], ""));
        records.push(record(RecordKind::Response, page, &url, &[], &html));
        if page % 16 == 3 {
            let copy = format!("https://copy-{page}.example/notes");
            let original = format!("<urn:uuid:{page:08}>");
            let fields = [("WARC-Refers-To", original.as_str())];
            records.push(record(RecordKind::Revisit, 6_000 + page, &copy, &fields, ""));
            // An older capture, and a record that is not a page.
            let older = prose::post_with(page + 1, "", &filler);
            records.push(record(RecordKind::Response, page, &url, &[], &older));
            records.push(record(RecordKind::Response, 7_000 + page, &copy, &[], " "));
        }
        if page % 16 == 5 {
            // A later capture with a server error: the earlier one gives the article.
            let down = "<h1>Service unavailable</h1>";
            records.push(record(RecordKind::Response, 8_000 + page, &url, &[], down));
        }
    }
    records
}

fn command(inputs: &[&Path], out: &Path, memory: &str) -> Command {
    let more = ["--jobs", "2", "--memory", memory, "--sinks", "jsonl,csv,warc,report"];
    run_command(inputs, out, &more)
}

/// Runs; returns the number of input bytes read, and the messages.
fn run(inputs: &[&Path], out: &Path) -> (u64, String) {
    let (code, _, stderr) = parts(&command(inputs, out, "1GiB").output().unwrap());
    assert_eq!(code, 0, "{stderr}");
    let ledger = parse(&fs::read_to_string(out.join("ledger.json")).unwrap());
    (ledger["bytes_read"].as_u64().unwrap(), stderr)
}

/// Kills a run once a condition holds.
fn kill(inputs: &[&Path], out: &Path, memory: &str, what: &str, until: impl Fn() -> bool) {
    let mut child = command(inputs, out, memory).spawn().unwrap();
    wait_for(&mut child, what, until);
    kill_process(child);
}

/// A run that was killed after most of its sites were finished.
fn killed(inputs: &[&Path], out: &Path, memory: &str) {
    kill(inputs, out, memory, "most of its sites", || sites_done(out) >= DONE);
}

fn wrapped(records: &[Vec<u8>], wrap: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    records.iter().flat_map(|record| wrap(record)).collect()
}

/// Frames that need the preceding dictionary.
fn with_dictionary(records: &[Vec<u8>]) -> Vec<u8> {
    // Any text can be used as a dictionary.
    let dictionary = records[1].clone();
    let frame = |record: &[u8]| {
        let mut to = zstd::Encoder::with_dictionary(Vec::new(), 3, &dictionary).unwrap();
        to.write_all(record).unwrap();
        to.finish().unwrap()
    };
    let length = u32::try_from(dictionary.len()).unwrap().to_le_bytes();
    let skippable: Vec<u8> = [&[0x5d, 0x2a, 0x4d, 0x18], &length[..], &dictionary].concat();
    [skippable, wrapped(records, frame)].concat()
}

#[test]
fn only_sites_not_done_are_processed_again() {
    let records = records();
    let pairs: Vec<Vec<u8>> = records.chunks(2).map(<[_]>::concat).collect();
    for (name, bytes) in [
        ("plain.warc", records.concat()),
        ("members.warc.gz", wrapped(&records, gzip)),
        ("pairs.warc.gz", wrapped(&pairs, gzip)),
        ("frames.warc.zst", wrapped(&records, |r| zstd::encode_all(r, 3).unwrap())),
        ("one-member.warc.gz", gzip(&records.concat())),
        ("dictionary.warc.zst", with_dictionary(&records)),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let input = write_file(folder.path(), name, &bytes);
        let (whole, out) = (folder.path().join("whole"), folder.path().join("out"));
        let all = bytes.len() as u64;
        assert_eq!(run(&[&input], &whole).0, all, "{name}");
        killed(&[&input], &out, "1GiB");
        let kept = fs::read(out.join(RESULTS)).unwrap();
        let kept = kept[..*ends_of_frames(&kept).last().unwrap()].to_vec();
        let (read, told) = run(&[&input], &out);
        assert_same(&outcome(&out), &outcome(&whole), name);
        assert!(told.is_empty() && read == all, "{name}: {read} of {all}: {told}");
        // The same once more, with a second kill: what was kept stays as it was.
        let again = folder.path().join("again");
        killed(&[&input], &again, "1GiB");
        fs::write(again.join(RESULTS), &kept).unwrap();
        let is_longer = || fs::metadata(again.join(RESULTS)).unwrap().len() > kept.len() as u64;
        kill(&[&input], &again, "1GiB", "another site", is_longer);
        assert!(fs::read(again.join(RESULTS)).unwrap().starts_with(&kept), "{name}");
    }
}

#[test]
fn a_run_of_chosen_pages_is_resumed_and_another_choice_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let input = write_file(folder.path(), "crawl.warc.gz", wrapped(&records(), gzip));
    let settings = write_file(
        folder.path(),
        "settings.toml",
        "[run]\nlimit = 240\nuntil = '2024-05-01T01:00:00Z'\n",
    );
    let (whole, out) = (folder.path().join("whole"), folder.path().join("out"));
    run(&[&settings, &input], &whole);
    let ledger = parse(&fs::read_to_string(whole.join("ledger.json")).unwrap());
    for reason in ["over-limit", "other-date"] {
        assert!(ledger["drops"][reason].as_u64() > Some(0), "{reason}: {}", ledger["drops"]);
    }
    killed(&[&settings, &input], &out, "1GiB");
    let stderr = refused(&command(&[&input], &out, "1GiB").output().unwrap());
    assert!(stderr.contains("it took the first 240 pages captured before 2024-05-01T01:00:01Z"));
    assert!(stderr.contains("and this one takes all pages"), "{stderr}");
    let (read, told) = run(&[&settings, &input], &out);
    assert_same(&outcome(&out), &outcome(&whole), "chosen pages");
    assert!(read <= fs::metadata(&input).unwrap().len() && told.is_empty(), "{read}: {told}");
}

#[test]
fn saved_pages_and_feeds_are_resumed_too() {
    let folder = tempfile::tempdir().unwrap();
    let archive = write_file(folder.path(), "crawl.warc.gz", wrapped(&records(), gzip));
    let saved = folder.path().join("saved");
    fs::create_dir(&saved).unwrap();
    for n in 0..8 {
        let canonical = format!("<link rel=canonical href=https://saved-{n}.example/a>");
        let head = if n % 2 == 0 { canonical.as_str() } else { "" };
        fs::write(saved.join(format!("{n}.html")), prose::post_with(900 + n, head, "")).unwrap();
    }
    let items: String = (0..SITES)
        .map(|n| {
            let link = format!("https://site-{n}.example/notes/1");
            format!("<item><title>{}</title><link>{link}</link></item>", prose::title(4 * n + 1))
        })
        .collect();
    let feed = folder.path().join("feed.xml");
    let text = format!("<rss version='2.0'><channel><title>All</title>{items}</channel></rss>");
    fs::write(&feed, &text).unwrap();
    let inputs = [&*archive, &*saved, Path::new("--feeds"), &*feed];
    let (whole, out) = (folder.path().join("whole"), folder.path().join("out"));
    let (all, _) = run(&inputs, &whole);
    let items = &parse(&fs::read_to_string(whole.join("ledger.json")).unwrap())["counts"];
    assert_eq!(items["feed_items"], SITES);
    killed(&inputs, &out, "1GiB");
    let (read, told) = run(&inputs, &out);
    assert!(read == all && told.is_empty(), "{read} of {all}: {told}");
    assert_same(&outcome(&out), &outcome(&whole), "with saved pages and a feed");
}

#[test]
fn inputs_that_changed_without_a_trace_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let input = write_file(folder.path(), "crawl.warc", records().concat());
    let out = folder.path().join("out");
    killed(&[&input], &out, "1GiB");
    let changed = fs::metadata(&input).unwrap().modified().unwrap();
    let text = fs::read_to_string(&input).unwrap();
    fs::write(&input, text.replace("harbour", "lantern")).unwrap();
    fs::File::open(&input).unwrap().set_modified(changed).unwrap();
    let whole = folder.path().join("whole");
    run(&[&input], &whole);
    let (_, told) = run(&[&input], &out);
    assert!(told.contains("processing all sites again"), "{told}");
    assert_same(&outcome(&out), &outcome(&whole), "after a change without a trace");
}

/// A folder with an archive of all records, and its folders of a complete run and of a killed one.
fn places() -> (TempDir, PathBuf, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let places = (at("crawl.warc.gz"), at("whole"), at("killed"));
    fs::write(&places.0, wrapped(&records(), gzip)).unwrap();
    (folder, places.0, places.1, places.2)
}

#[test]
fn pages_on_disk_are_not_read_again_unless_they_are_damaged() {
    let (folder, input, whole, killed_at) = places();
    let (all, _) = run(&[&input], &whole);
    killed(&[&input], &killed_at, "64kB");
    // After a crash of the machine, say: half of each file is there.
    let cut = folder.path().join("cut");
    copy(&killed_at, &cut);
    for entry in fs::read_dir(cut.join(".sitegrove/segments")).unwrap().map(Result::unwrap) {
        let file = fs::File::options().write(true).open(entry.path()).unwrap();
        file.set_len(entry.metadata().unwrap().len() / 2).unwrap();
    }
    assert_eq!(run(&[&input], &killed_at).0, 0);
    assert_same(&outcome(&killed_at), &outcome(&whole), "with its pages");
    let (read, told) = run(&[&input], &cut);
    assert!(read == all && told.contains("reading all inputs again"), "{read} of {all}: {told}");
    assert_same(&outcome(&cut), &outcome(&whole), "with half of its pages");
}

#[test]
fn results_are_kept_for_more_than_one_process_and_with_less_memory() {
    let (_folder, input, whole, out) = places();
    run(&[&input], &whole);
    killed(&[&input], &out, "1GiB");
    let kept = fs::read(out.join(RESULTS)).unwrap();
    let kept = &kept[..*ends_of_frames(&kept).last().unwrap()];
    let is_longer = || fs::metadata(out.join(RESULTS)).unwrap().len() > kept.len() as u64 + 100;
    kill(&[&input], &out, "1MiB", "another site", is_longer);
    assert!(fs::read(out.join(RESULTS)).unwrap().starts_with(kept));
    run(&[&input], &out);
    assert_same(&outcome(&out), &outcome(&whole), "killed twice");
}

#[test]
fn results_torn_anywhere_in_their_last_frame_are_resumed_from() {
    let (folder, input, whole, killed_at) = places();
    run(&[&input], &whole);
    killed(&[&input], &killed_at, "1GiB");
    let expected = outcome(&whole);
    let results = fs::read(killed_at.join(RESULTS)).unwrap();
    let [.., last, end] = ends_of_frames(&results)[..] else { panic!("two sites and more") };
    // Inside its length field, after its header, and such that another header would be cut off.
    for kept in [3, 12, 15, 23, 24, end - last - 1] {
        let out = folder.path().join(kept.to_string());
        copy(&killed_at, &out);
        fs::write(out.join(RESULTS), &results[..last + kept]).unwrap();
        run(&[&input], &out);
        assert_same(&outcome(&out), &expected, &format!("{kept} bytes of the last"));
    }
}

#[test]
fn results_of_other_inputs_are_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let (input, others) =
        (folder.path().join("crawl.warc.gz"), folder.path().join("other.warc.gz"));
    fs::write(&input, wrapped(&records(), gzip)).unwrap();
    // The same number of sites, all but one of them the same: from some number on, numbers denote
    // other sites.
    let swap = |record: &Vec<u8>| {
        String::from_utf8(record.clone()).unwrap().replace("//site-7.example", "//site-x.example")
    };
    let other: Vec<Vec<u8>> = records().iter().map(|record| swap(record).into_bytes()).collect();
    fs::write(&others, wrapped(&other, gzip)).unwrap();
    let whole = folder.path().join("whole");
    let (all, _) = run(&[&input], &whole);
    let other_out = folder.path().join("other");
    killed(&[&others], &other_out, "1GiB");
    let foreign = fs::read(other_out.join(RESULTS)).unwrap();
    // Pages in memory, and in files.
    for memory in ["1GiB", "64kB"] {
        let out = folder.path().join(memory);
        killed(&[&input], &out, memory);
        fs::write(out.join(RESULTS), &foreign).unwrap();
        let (read, told) = run(&[&input], &out);
        assert!(told.contains("processing all sites again"), "{memory}: {told}");
        // Pages on disk are not read again.
        assert_eq!(read, if memory == "1GiB" { all } else { 0 }, "{memory}");
        assert_same(&outcome(&out), &outcome(&whole), memory);
    }
}

/// The last file of pages, if all are written.
fn last_file(out: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(out.join(".sitegrove/segments")).ok()?;
    let mut paths = entries.map(|entry| entry.unwrap().path());
    paths.find(|path| path.file_name().unwrap().to_string_lossy().starts_with("last-of-"))
}

#[test]
fn a_file_of_pages_that_is_missing_is_noticed() {
    let (folder, input, whole, killed_at) = places();
    let (all, _) = run(&[&input], &whole);
    kill(&[&input], &killed_at, "64kB", "all pages", || last_file(&killed_at).is_some());
    let first = killed_at.join(".sitegrove/segments/segment-000000");
    let last = last_file(&killed_at).unwrap();
    for (path, is_told) in [(&first, true), (&last, false)] {
        let out = folder.path().join(path.file_name().unwrap());
        copy(&killed_at, &out);
        fs::remove_file(out.join(path.strip_prefix(&killed_at).unwrap())).unwrap();
        let mut command = command(&[&input], &out, "1GiB");
        let (code, _, told) = parts(&command.arg("--overwrite").output().unwrap());
        assert_eq!(code, 0, "{told}");
        let ledger = parse(&fs::read_to_string(out.join("ledger.json")).unwrap());
        assert_eq!(ledger["bytes_read"], all, "{told}");
        assert_eq!(told.contains("reading all inputs again"), is_told, "{told}");
        assert_same(&outcome(&out), &outcome(&whole), &path.display().to_string());
    }
}

/// Small pages of one site in many archives, so that many threads write pages to one place at the
/// same time.
#[test]
fn no_page_is_lost_when_a_run_is_killed_as_soon_as_all_is_read() {
    const ARCHIVES: usize = 32;
    const PAGES: usize = 300;
    let folder = tempfile::tempdir().unwrap();
    let inputs = folder.path().join("crawl");
    fs::create_dir(&inputs).unwrap();
    for archive in 0..ARCHIVES {
        let page = |n: usize| {
            let number = archive * PAGES + n;
            let url = format!("https://site.example/{number}");
            let html = format!("<title>{number}</title><p>Short note number {number}.");
            record(RecordKind::Response, number, &url, &[], &html)
        };
        let records: Vec<Vec<u8>> = (0..PAGES).map(page).collect();
        fs::write(inputs.join(format!("{archive}.warc")), records.concat()).unwrap();
    }
    let out = folder.path().join("out");
    for round in 0..4 {
        // Two fifths of the memory are filled when about half is read.
        let call = || run_command(&[&inputs], &out, &["--jobs", "32", "--memory", "5200kB"]);
        let mut child = call().spawn().unwrap();
        wait_for(&mut child, "all pages", || last_file(&out).is_some());
        kill_process(child);
        let (code, _, stderr) = parts(&call().output().unwrap());
        let ledger = parse(&fs::read_to_string(out.join("ledger.json")).unwrap());
        assert_eq!(ledger["bytes_read"], 0, "{round}: all inputs were read again: {stderr}");
        let count = |name: &str| ledger["counts"][name].as_u64().unwrap();
        let all = (ARCHIVES * PAGES) as u64;
        assert_eq!((code, count("pages")), (0, all), "{round}: {stderr}");
        assert_eq!(count("articles") + count("dropped"), all, "{round}");
        fs::remove_dir_all(&out).unwrap();
    }
}
