//! A run in steps of several processes gives the bytes of one run.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::program::{call, in_repository, parts, sitegrove, succeeded, write_file};
use crate::common::prose;
use crate::common::results::{Results, text};
use crate::common::steps::{HEAD, check, entries, record};
use archive::RecordKind;

/// The sample crawl, one file for every ten records.
fn sample(folder: &Path) -> Vec<PathBuf> {
    let mut members: Vec<Vec<u8>> = Vec::new();
    for archive in entries("data/crawl") {
        let bytes = fs::read(archive).unwrap();
        let limits = archive::Limits::USUAL;
        let mut starts: Vec<usize> = archive::RecordReader::new(&bytes[..], &limits)
            .map(|record| usize::try_from(record.unwrap().offset).unwrap())
            .collect();
        starts.dedup();
        let ends = starts[1..].iter().copied().chain([bytes.len()]);
        members.extend(starts.iter().zip(ends).map(|(start, end)| bytes[*start..end].to_vec()));
    }
    assert!(members.len() > 100);
    let write = |(number, some): (usize, &[Vec<u8>])| {
        write_file(folder, format!("part-{number:02}.warc.gz"), some.concat())
    };
    members.chunks(10).enumerate().map(write).collect()
}

#[test]
fn the_sample_crawl_gives_the_same_bytes_however_it_is_divided() {
    let folder = tempfile::tempdir().unwrap();
    let mut inputs = sample(folder.path());
    inputs.push(in_repository("data/pages/lighthouse-almanac.example"));
    let feeds = entries("data/feeds");
    let splits = [(1, 1), (2, 3), (3, 2), (7, 7)];
    check(&inputs, &feeds, "", &["--sinks", "jsonl,csv,siteconfig,report"], &splits);
    // Nearly every site is a large one.
    check(
        &inputs,
        &feeds,
        "[sample]\npages = 3\n",
        &["--sinks", "jsonl,siteconfig,report"],
        &splits[1..],
    );
    let in_parts = "[sample]\npages = 3\n[run]\nbatch_bytes = 30_000\n";
    let forest = ["--sinks", "jsonl", "--engine", "forest", "--signifiers", "feeds"];
    check(&inputs, &feeds, in_parts, &forest, &splits[2..]);
}

const DOWN: &str = "<html><head><title>Service unavailable</title></head><body><h1>Service unavailable</h1>\
    <p>Please try again later.</p></body></html>";

/// A crawl with all that is settled among pages: revisits of pages of the same and of other sites, captures of which
/// the last is none, redirects, feeds, articles of several pages, layouts that the sample does not have, saved files.
fn tangled(folder: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let mut members: Vec<Vec<u8>> = Vec::new();
    let mut add = |kind: RecordKind, url: &str, fields: &[(&str, &str)], block: &str| {
        members.push(record(kind, url, members.len(), fields, block));
    };
    let html = |body: &str| format!("{HEAD}{body}");
    for n in 0..60 {
        let url = format!("https://large.example/notes/{n:03}");
        let digest = format!("sha1:LARGE{n}");
        let inside = match n % 10 {
            1 => format!("<a class=next href=\"/notes/{:03}?page=2\">next</a>", n),
            2 => format!(
                "<figure><img src=\"/img/{n}.jpg\"><figcaption>Boat {n}</figcaption></figure>"
            ),
            _ => String::new(),
        };
        let block = html(&prose::post_with(n, "", &inside));
        add(RecordKind::Response, &url, &[("WARC-Payload-Digest", &digest)], &block);
        if n % 10 == 2 {
            let image = "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n\r\nnot shown here";
            add(RecordKind::Response, &format!("https://large.example/img/{n}.jpg"), &[], image);
        }
        if n % 10 == 1 {
            let second = format!("{url}?page=2");
            add(RecordKind::Response, &second, &[], &html(&prose::post(1_000 + n)));
        }
        if n % 7 == 3 {
            // Captured again: down, the same, or revisited.
            add(RecordKind::Response, &url, &[], &html(DOWN));
        }
        if n % 9 == 4 {
            let again = &[("WARC-Payload-Digest", digest.as_str())];
            add(RecordKind::Revisit, &url, again, HEAD);
            let mirror = format!("https://mirror.example/copies/{n}");
            add(RecordKind::Revisit, &mirror, again, HEAD);
        }
    }
    for n in 0..20 {
        // Another layout, which few pages have.
        let text: String =
            prose::paragraphs(500 + n).iter().map(|p| format!("<p>{p}</p>")).collect();
        let other = format!(
            "<html><head><title>Story {n}</title></head><body><main id=story><section><h2>Story {n}</h2>\
             <article class=long>{text}</article></section></main><aside><p>Further reading</p></aside></body></html>"
        );
        add(
            RecordKind::Response,
            &format!("https://large.example/stories/{n}"),
            &[],
            &html(&other),
        );
        add(
            RecordKind::Response,
            &format!("https://mirror.example/own/{n}"),
            &[],
            &html(&prose::post(700 + n)),
        );
    }
    add(
        RecordKind::Revisit,
        "https://mirror.example/lost",
        &[("WARC-Payload-Digest", "sha1:NONE")],
        HEAD,
    );
    let moved = "HTTP/1.1 301 Moved\r\nLocation: https://large.example/notes/005\r\n\r\n";
    add(RecordKind::Response, "https://go.example/5", &[], moved);
    let items: String = [5, 12, 30].iter().map(|n| {
        format!(
            "<item><title>{}</title><link>https://large.example/notes/{n:03}?utm_source=feed</link></item>",
            prose::title(*n)
        )
    }).collect();
    let feed = format!(
        "<rss version=\"2.0\"><channel><title>Notes</title>{items}<item><title>Moved</title>\
         <link>https://go.example/5</link></item></channel></rss>"
    );
    let feed_block = format!("HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\n\r\n{feed}");
    add(RecordKind::Response, "https://large.example/feed.xml", &[], &feed_block);
    let mut inputs: Vec<PathBuf> = (members.chunks(9).enumerate())
        .map(|(number, some)| {
            write_file(folder, format!("tangled-{number:02}.warc.gz"), some.concat())
        })
        .collect();
    for n in 0..8 {
        let pages = folder.join(format!("saved-{}", n % 2));
        fs::create_dir_all(&pages).unwrap();
        let canonical =
            format!("<link rel=canonical href=\"https://large.example/saved/{}\">", n / 3);
        fs::write(pages.join(format!("{n}.html")), prose::post_with(900 + n, &canonical, ""))
            .unwrap();
    }
    inputs.extend([folder.join("saved-0"), folder.join("saved-1")]);
    let feed_at = write_file(folder, "notes.rss", feed.replace("Notes", "Other notes"));
    (inputs, vec![feed_at])
}

#[test]
fn what_is_settled_among_pages_is_settled_across_processes() {
    let folder = tempfile::tempdir().unwrap();
    let (inputs, feeds) = tangled(folder.path());
    let configs = folder.path().join("site-configs");
    fs::create_dir_all(&configs).unwrap();
    let config =
        "body: //div[@class='entry']\nstrip: //a[@class]\nnext_page_link: //a[@class='next']\n";
    fs::write(configs.join("large.example.txt"), config).unwrap();
    let configs = configs.to_str().unwrap();
    let all = ["--sinks", "jsonl,siteconfig,report"];
    let configured = [&all[..], &["--site-configs", configs]].concat();
    let splits = [(1, 2), (3, 1), (7, 3)];
    for (settings, more, large) in [
        ("", &all[..], false),
        ("[sample]\npages = 10\n", &all, true),
        ("[sample]\npages = 10\n", &configured, true),
        ("[sample]\npages = 10\n[run]\nbatch_bytes = 20_000\n", &configured, true),
        (
            "[sample]\npages = 6\n[run]\nbatch_bytes = 20_000\n[group]\njoin_parts = \"rel-next\"\n",
            &all,
            true,
        ),
    ] {
        let (results, left) = check(&inputs, &feeds, settings, more, &splits);
        assert_eq!(left, large, "{settings}: something is left for a second round");
        // What was down when it was captured last is taken from the capture before; what is revisited, from its original.
        let again = results.article("https://large.example/notes/003");
        assert!(text(again, "text").contains(&prose::text(3)[..40]), "{settings}");
        let copy = results.article("https://mirror.example/copies/4");
        assert!(text(copy, "text").contains(&prose::text(4)[..40]), "{settings}");
        let pictured = results.articles.iter().filter_map(|article| article["images"].as_array());
        let placed = pictured.flatten().filter(|image| image["record"]["offset"].is_u64()).count();
        assert_eq!(placed, 6, "{settings}");
        let joined = !results.drops("joined-page").is_empty();
        assert_eq!(joined, more.len() > 2, "{settings} {more:?}");
        assert_eq!(results.drops("revisit-without-original").len(), 1, "{settings}");
        assert!(results.count("feed_items") == 7 || results.count("feed_items") == 8, "{settings}");
    }
}

#[test]
fn files_that_do_not_belong_together_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let archives = entries("data/crawl");
    let call = |arguments: &[&str], files: &[PathBuf], out: &str| {
        let output =
            sitegrove().args(arguments).args(files).arg("--out").arg(path(out)).output().unwrap();
        let (code, _, stderr) = parts(&output);
        (code, stderr)
    };
    let (one, two) = (path("one.parquet"), path("two.parquet"));
    assert_eq!(call(&["survey"], &archives[..1], "one.parquet").0, 0);
    assert_eq!(call(&["survey"], &archives[1..], "two.parquet").0, 0);
    let surveys = [one.clone(), two.clone()];
    assert_eq!(call(&["learn", "--share", "1/2"], &surveys, "half.parquet").0, 0);
    let half = path("half.parquet");
    let refused = |arguments: &[&str], files: &[PathBuf], why: &str| {
        let (code, stderr) = call(arguments, files, "refused");
        assert!(code == 2 && stderr.contains(why), "{arguments:?} {files:?}: {code} {stderr}");
        assert!(!path("refused").exists(), "{arguments:?} left something");
    };
    let with_half = [one.clone(), two.clone(), half.clone()];
    refused(&["merge"], &with_half, "share 2/2 of round 1 of `sitegrove learn` is missing");
    refused(&["merge"], &[one.clone(), half.clone()], "was made of 2 surveys");
    refused(
        &["apply"],
        &[one.clone(), half.clone()],
        "share 2/2 of round 1 of `sitegrove learn` is missing",
    );
    refused(&["learn"], &with_half, "none of `sitegrove apply`");
    refused(&["learn", "--engine", "euclid"], &surveys, "with other settings");
    refused(&["learn", "--share", "3/2"], &surveys, "invalid share");
    refused(&["learn"], &[archives[0].clone()], "is not a file that a step of sitegrove wrote");
    refused(&["learn"], &[path("none.parquet")], "none.parquet");
    assert_eq!(call(&["survey"], &archives[..1], "copy.parquet").0, 0);
    refused(&["learn"], &[one.clone(), path("copy.parquet")], "surveys of the same inputs");
    assert_eq!(call(&["survey"], &archives, "all.parquet").0, 0);
    refused(&["learn"], &[one.clone(), path("all.parquet")], "in two of the surveys");
    // A file that was cut short is recognised as such.
    let whole = fs::read(&one).unwrap();
    fs::write(&one, &whole[..whole.len() / 2]).unwrap();
    refused(&["learn"], &surveys, "one.parquet is not a file that a step of sitegrove wrote");
    fs::write(&one, whole).unwrap();
    // All there is: merged. A second time only if that is asked for.
    assert_eq!(call(&["learn", "--share", "2/2"], &surveys, "other.parquet").0, 0);
    let all = [one, two, half, path("other.parquet")];
    refused(&["merge", "--share", "1/2"], &all, "`sitegrove describe`");
    assert_eq!(call(&["describe", "--share", "1/2"], &all, "described.parquet").0, 0);
    let with_description = [&all[..], &[path("described.parquet")]].concat();
    refused(
        &["merge", "--share", "1/2"],
        &with_description,
        "share 2/2 of `sitegrove describe` is missing",
    );
    refused(&["merge", "--share", "1/2", "--duplicates", "keep"], &all, "shared text");
    let config = path("neither.toml");
    fs::write(&config, "emit.duplicates = 'keep'\nemit.find_shared_text = false\n").unwrap();
    let apart = ["merge", "--share", "1/2", "--config", config.to_str().unwrap()];
    assert_eq!(call(&apart, &all, "kept").0, 0);
    assert_eq!(call(&["merge"], &all, "merged").0, 0);
    assert!(Results::read(&path("merged")).articles.len() > 50);
    assert_eq!(text(&Results::read(&path("merged")).ledger, "state"), "complete");
    let (code, stderr) = call(&["merge"], &all, "merged");
    assert!(code == 2 && stderr.contains("--overwrite"), "{stderr}");
    assert_eq!(call(&["merge", "--overwrite"], &all, "merged").0, 0);
}

/// What outputs that grow hold after `merge`, and after a run of the same inputs.
#[test]
fn outputs_that_grow_are_named_for_merge_as_for_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let archives = entries("data/crawl");
    let call = |arguments: &[&str], files: &[PathBuf], out: &str, more: &[String]| {
        let call = &mut sitegrove();
        let output = call.args(arguments).args(files).arg("--out").arg(path(out)).args(more);
        let (code, _, stderr) = parts(&output.output().unwrap());
        (code, stderr)
    };
    let outputs = |of: &str| {
        let named = [("--archive", "sqlite"), ("--index", "index"), ("--dataset", "dataset")];
        let option = |(option, name): (&str, &str)| {
            [option.to_owned(), path(&format!("{of}.{name}")).to_str().unwrap().to_owned()]
        };
        named.into_iter().flat_map(option).collect::<Vec<String>>()
    };
    assert_eq!(call(&["survey"], &archives, "survey", &[]).0, 0);
    assert_eq!(call(&["learn"], &[path("survey")], "learnt", &[]).0, 0);
    let all = [path("survey"), path("learnt")];
    let (code, stderr) = call(&["merge", "--forget-gone"], &all, "none", &[]);
    assert!(code == 2 && stderr.contains("--forget-gone needs an index"), "{stderr}");
    let (code, stderr) = call(&["merge", "--forget-gone"], &all, "merged", &outputs("merged"));
    assert_eq!(code, 0, "{stderr}");
    let (code, stderr) = call(&["run", "--forget-gone"], &archives, "whole", &outputs("whole"));
    assert_eq!(code, 0, "{stderr}");
    let found = |of: &str| {
        let archive = rusqlite::Connection::open(path(&format!("{of}.sqlite"))).unwrap();
        let rows =
            "SELECT group_concat(key, char(10)) FROM (SELECT key FROM articles ORDER BY key)";
        let keys: String = archive.query_row(rows, [], |row| row.get(0)).unwrap();
        let index = path(&format!("{of}.index"));
        let search =
            sitegrove().args(["search", "--format", "json"]).arg(index).arg("bridge").output();
        let hits = succeeded(&search.unwrap());
        assert!(hits.contains("http"), "{hits}");
        (keys, hits, crate::common::results::files(&path(&format!("{of}.dataset"))))
    };
    assert!(found("merged") == found("whole"));
}

#[test]
fn a_merge_of_nothing_ends_as_a_run_of_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (archive, survey, learnt, out) =
        (at("zero.warc.gz"), at("survey"), at("learnt"), at("out"));
    fs::write(&archive, "").unwrap();
    assert_eq!(parts(&call(&["run", &archive, "--out", &at("run")])).0, 1);
    assert_eq!(parts(&call(&["survey", &archive, "--out", &survey])).0, 0);
    assert_eq!(parts(&call(&["learn", &survey, "--out", &learnt])).0, 0);
    let (code, _, stderr) = parts(&call(&["merge", &survey, &learnt, "--out", &out]));
    assert!(code == 1 && stderr.contains("error: no page was found"), "{stderr}");
}
