//! A run in steps of several processes gives the bytes of one run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

mod common;
use archive::{NewRecord, RecordKind, Wrapping, Writer};
use common::program::{in_repository, parts, run, sitegrove};
use common::prose;
use common::results::{Results, files, text};

/// The files that must be the same, without those that have times.
fn bytes(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let results = Results::read(folder);
    let mut files = files(folder);
    assert!(files.remove("ledger.json").is_some());
    files.remove("report/index.html");
    for part in ["counts", "drops", "inputs", "config_hash"] {
        files.insert(format!("{part} of the ledger"), results.ledger[part].to_string().into());
    }
    files
}

fn assert_same(a: &BTreeMap<String, Vec<u8>>, b: &BTreeMap<String, Vec<u8>>, what: &str) {
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>(), "{what}");
    for (name, bytes) in a {
        if *bytes == b[name] {
            continue;
        }
        let lines = |bytes: &[u8]| -> Vec<String> {
            String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
        };
        let (one, other) = (lines(bytes), lines(&b[name]));
        let at = one.iter().zip(&other).position(|(a, b)| a != b);
        let shown = |lines: &[String]| at.and_then(|at| lines.get(at)).cloned();
        panic!("{what}: {name} differs at {at:?}:\n{:?}\n{:?}", shown(&one), shown(&other));
    }
}

/// Inputs of a survey: files, and feeds.
type Inputs = (Vec<PathBuf>, Vec<PathBuf>);

/// A run in steps: one survey for each of these inputs, and so many shares of sites. Files are named in an order that
/// depends on `turn`.
struct Steps<'a> {
    folder: PathBuf,
    settings: &'a [&'a str],
    surveys: Vec<Inputs>,
    shares: usize,
    turn: usize,
}

impl Steps<'_> {
    /// Calls a step, which must succeed; gives what it says.
    fn call(&self, step: &str, files: &[PathBuf], more: &[String], out: &Path) -> String {
        let mut files = files.to_vec();
        let middle = self.turn % files.len().max(1);
        files.rotate_left(middle);
        let output = sitegrove()
            .arg(step)
            .args(&files)
            .args(more)
            .args(self.settings)
            .arg("--out")
            .arg(out)
            .output()
            .unwrap();
        let (code, stdout, stderr) = parts(&output);
        assert_eq!(code, 0, "{step} failed\n{stdout}\n{stderr}");
        stdout
    }

    fn out(&self, name: &str, number: usize) -> PathBuf {
        self.folder.join(format!("steps/{name}-{number}.parquet"))
    }

    fn survey(&self) -> Vec<PathBuf> {
        let survey = |(number, (files, feeds)): (usize, &Inputs)| {
            let out = self.out("survey", number);
            let feeds = feeds
                .iter()
                .flat_map(|feed| ["--feeds".to_owned(), feed.to_str().unwrap().to_owned()]);
            self.call("survey", files, &feeds.collect::<Vec<_>>(), &out);
            out
        };
        self.surveys.iter().enumerate().map(survey).collect()
    }

    /// Learns all shares; gives what the steps say, too.
    fn learn(&self, name: &str, files: &[PathBuf]) -> (Vec<PathBuf>, String) {
        let learn = |number: usize| {
            let out = self.out(name, number);
            let share = format!("{number}/{}", self.shares);
            let said = self.call("learn", files, &["--share".to_owned(), share], &out);
            (out, said)
        };
        let (files, said): (Vec<PathBuf>, Vec<String>) = (1..=self.shares).map(learn).unzip();
        (files, said.concat())
    }

    fn apply(&self, name: &str, surveys: &[PathBuf], learnt: &[PathBuf]) -> Vec<PathBuf> {
        let apply = |(number, survey): (usize, &PathBuf)| {
            let out = self.out(name, number);
            self.call("apply", &[std::slice::from_ref(survey), learnt].concat(), &[], &out);
            out
        };
        surveys.iter().enumerate().map(apply).collect()
    }

    /// Whether shares of the results make up the whole.
    fn check_shares(&self, files: &[PathBuf], whole: &Path) {
        let merge = |share: usize| {
            let out = self.folder.join(format!("share-{share}"));
            self.call("merge", files, &["--share".to_owned(), format!("{share}/3")], &out);
            out
        };
        let shares: Vec<PathBuf> = (1..=3).map(merge).collect();
        for name in ["articles.jsonl", "dropped.jsonl"] {
            let lines = |folder: &PathBuf| fs::read(folder.join(name)).unwrap();
            let all: Vec<u8> = shares.iter().flat_map(lines).collect();
            assert!(all == fs::read(whole.join(name)).unwrap(), "{name} of shares");
        }
        let pages = |folder: &PathBuf| Results::read(folder).count("pages");
        assert_eq!(shares.iter().map(pages).sum::<u64>(), pages(&whole.to_owned()));
    }

    /// All steps; gives the run folder, and whether the second round had something to do.
    fn run(&self) -> (PathBuf, bool) {
        let surveys = self.survey();
        let (learnt, _) = self.learn("learn", &surveys);
        let applied = self.apply("apply", &surveys, &learnt);
        let first = [surveys.clone(), learnt.clone(), applied].concat();
        let (again, said) = self.learn("again", &first);
        let rest = self.apply("rest", &surveys, &[learnt, again.clone()].concat());
        let out = self.folder.join("merged");
        let all = [first, again, rest].concat();
        self.call("merge", &all, &[], &out);
        self.check_shares(&all, &out);
        let have = said.lines().any(|line| !line.contains(", 0 have something left"));
        (out, have)
    }
}

/// Deals inputs out to so many surveys.
fn dealt(inputs: &[PathBuf], feeds: &[PathBuf], surveys: usize, turn: usize) -> Vec<Inputs> {
    let mut dealt = vec![Inputs::default(); surveys];
    for (number, input) in inputs.iter().enumerate() {
        dealt[(number * (turn + 1) + turn) % surveys].0.push(input.clone());
    }
    for (number, feed) in feeds.iter().enumerate() {
        dealt[(number + turn) % surveys].1.push(feed.clone());
    }
    dealt.retain(|(files, feeds)| !files.is_empty() || !feeds.is_empty());
    dealt
}

/// Whether steps give the bytes of a run, for each number of surveys and shares. Gives the results of the run, and
/// whether the second round had something to do.
fn check(
    inputs: &[PathBuf],
    feeds: &[PathBuf],
    settings: &str,
    more: &[&str],
    splits: &[(usize, usize)],
) -> (Results, bool) {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("settings.toml");
    fs::write(&config, settings).unwrap();
    let mut files: Vec<&Path> = vec![&config];
    files.extend(inputs.iter().map(PathBuf::as_path));
    let mut flags = more.to_vec();
    feeds.iter().for_each(|feed| flags.extend(["--feeds", feed.to_str().unwrap()]));
    let whole = run(&files, &folder.path().join("run"), &flags);
    assert!(whole.articles.len() > 10);
    let (results, whole) = (Results::read(&whole.folder), bytes(&whole.folder));
    let mut left = false;
    let mut flags = vec!["--config", config.to_str().unwrap()];
    flags.extend(more);
    for (turn, &(surveys, shares)) in splits.iter().enumerate() {
        let steps = Steps {
            folder: folder.path().join(format!("{surveys}-{shares}-{turn}")),
            settings: &flags,
            surveys: dealt(inputs, feeds, surveys, turn),
            shares,
            turn,
        };
        let what = format!("{surveys} surveys, {shares} shares; {settings}");
        let (merged, has_left) = steps.run();
        assert_same(&whole, &bytes(&merged), &what);
        left |= has_left;
    }
    (results, left)
}

fn entries(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(in_repository(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

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
        let path = folder.join(format!("part-{number:02}.warc.gz"));
        fs::write(&path, some.concat()).unwrap();
        path
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
    check(&inputs, &feeds, in_parts, &["--sinks", "jsonl", "--signifiers", "feeds"], &splits[2..]);
}

/// A record in a gzip member; its number gives date and id.
fn record(
    kind: RecordKind,
    url: &str,
    number: usize,
    fields: &[(&str, &str)],
    block: &str,
) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), Wrapping::Gzip);
    let record = NewRecord {
        kind,
        record_id: &format!("urn:uuid:{number:08}"),
        date: format!(
            "2024-05-{:02}T10:{:02}:{:02}Z",
            1 + number / 3600,
            number / 60 % 60,
            number % 60
        )
        .parse()
        .unwrap(),
        target_uri: Some(url),
        content_type: "application/http; msgtype=response",
        fields,
        body: block.as_bytes(),
    };
    writer.write(&record).unwrap();
    writer.finish().unwrap()
}

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
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
            _ => String::new(),
        };
        let block = html(&prose::post_with(n, "", &inside));
        add(RecordKind::Response, &url, &[("WARC-Payload-Digest", &digest)], &block);
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
            let path = folder.join(format!("tangled-{number:02}.warc.gz"));
            fs::write(&path, some.concat()).unwrap();
            path
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
    let feed_at = folder.join("notes.rss");
    fs::write(&feed_at, feed.replace("Notes", "Other notes")).unwrap();
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
            "[sample]\npages = 6\n[run]\nbatch_bytes = 20_000\n[group]\njoin_rel_next = true\n",
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
    refused(&["merge"], &with_half, "share 2/2 of round 1 is missing");
    refused(&["merge"], &[one.clone(), half.clone()], "was learnt from 2 surveys");
    refused(&["apply"], &[one.clone(), half.clone()], "share 2/2 of round 1 is missing");
    refused(&["learn"], &with_half, "none of `sitegrove apply`");
    refused(&["learn", "--engine", "euclid"], &surveys, "with other settings");
    refused(&["learn", "--share", "3/2"], &surveys, "invalid share");
    refused(&["learn"], &[archives[0].clone()], "is no file of a step");
    refused(&["learn"], &[path("none.parquet")], "none.parquet");
    assert_eq!(call(&["survey"], &archives[..1], "copy.parquet").0, 0);
    refused(&["learn"], &[one.clone(), path("copy.parquet")], "surveys of the same inputs");
    assert_eq!(call(&["survey"], &archives, "all.parquet").0, 0);
    refused(&["learn"], &[one.clone(), path("all.parquet")], "in two of the surveys");
    // A file that was cut short is recognised as such.
    let whole = fs::read(&one).unwrap();
    fs::write(&one, &whole[..whole.len() / 2]).unwrap();
    refused(&["learn"], &surveys, "one.parquet is no file of a step");
    fs::write(&one, whole).unwrap();
    // All there is: merged. A second time only if that is asked for.
    assert_eq!(call(&["learn", "--share", "2/2"], &surveys, "other.parquet").0, 0);
    let all = [one, two, half, path("other.parquet")];
    assert_eq!(call(&["merge"], &all, "merged").0, 0);
    assert!(Results::read(&path("merged")).articles.len() > 50);
    assert_eq!(text(&Results::read(&path("merged")).ledger, "state"), "complete");
    let (code, stderr) = call(&["merge"], &all, "merged");
    assert!(code == 2 && stderr.contains("--overwrite"), "{stderr}");
    assert_eq!(call(&["merge", "--overwrite"], &all, "merged").0, 0);
}
