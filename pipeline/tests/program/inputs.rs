//! Inputs that exist but cannot be read, or that keep a run waiting.

#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::common::crawl::Crawl;
use crate::common::program::{parts, run, sitegrove, succeeded, write_file};
use crate::common::prose;
use crate::common::results::{Results, files};
use crate::common::unfinished::{assert_same, kill_process, outcome, run_command, wait_for_a_site};
use crate::common::waiting::{ended, fifo, waiting, with_pipe};

fn archive(folder: &Path, name: &str, site: &str, pages: usize) -> PathBuf {
    Crawl::of_posts(&format!("https://{site}/notes/"), 0..pages).write(folder, name)
}

/// A link to itself: it exists, and nobody can open it, not even a privileged user.
fn loop_at(path: &Path) {
    symlink(path.file_name().unwrap(), path).unwrap();
}

/// Runs to the end, with any exit code.
fn attempt(inputs: &[&Path], out: &Path) -> (i32, String, String) {
    let mut command = sitegrove();
    parts(&command.arg("run").args(inputs).arg("--out").arg(out).output().unwrap())
}

/// The inputs that the ledger lists as unreadable.
fn unreadable(results: &Results) -> Vec<String> {
    let of = results.ledger["unreadable"].as_array().unwrap();
    of.iter().map(|problem| problem.as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_cannot_be_read_in_a_folder_is_named_and_the_rest_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = folder.path().join("crawl");
    fs::create_dir_all(crawl.join("below")).unwrap();
    archive(&crawl, "a.warc.gz", "a.example", 4);
    let all_is_well = run(&[&crawl], &folder.path().join("out"), &[]);
    assert_eq!(unreadable(&all_is_well).len(), 0);

    symlink("nowhere", crawl.join("below/gone.warc.gz")).unwrap();
    symlink("nowhere", crawl.join("gone.html")).unwrap();
    loop_at(&crawl.join("loop.warc.zst"));
    fs::create_dir(crawl.join("empty.warc.gz")).unwrap();
    symlink("below", crawl.join("linked.warc")).unwrap();
    fifo(&crawl.join("pipe.arc"));
    // A folder may have any name, and its contents are read. The other entries below are not
    // inputs.
    fs::create_dir(crawl.join("full.warc.gz")).unwrap();
    archive(&crawl.join("full.warc.gz"), "b.warc.gz", "b.example", 5);
    symlink("nowhere", crawl.join("notes.txt")).unwrap();
    fifo(&crawl.join("pipe"));
    fs::create_dir(crawl.join("saved.html")).unwrap();

    let out = folder.path().join("out-2");
    let (code, _, stderr) = attempt(&[&crawl], &out);
    assert_eq!(code, 1, "{stderr}");
    let results = Results::read(&out);
    assert_eq!(results.articles.len(), 9);
    let problems = unreadable(&results);
    let named = [
        ("below/gone.warc.gz", "No such file"),
        ("gone.html", "No such file"),
        ("loop.warc.zst", "symbolic links"),
        ("empty.warc.gz", "it is a folder"),
        ("linked.warc", "it is a link to a folder"),
        ("pipe.arc", "it is not a regular file"),
    ];
    assert_eq!(problems.len(), named.len(), "{problems:?}");
    for (name, why) in named {
        let path = crawl.join(name);
        let says = |text: &str| text.contains(path.to_str().unwrap()) && text.contains(why);
        assert!(problems.iter().any(|problem| says(problem)), "{name}: {problems:?}");
        // Before the work and after it.
        let told: Vec<&str> = stderr.lines().filter(|line| says(line)).collect();
        assert_eq!(told.len(), 2, "{name}: {stderr}");
    }
}

#[test]
fn a_named_file_that_cannot_be_opened_is_told_and_the_others_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let good = archive(folder.path(), "good.warc.gz", "a.example", 4);
    let closed = folder.path().join("closed.warc.gz");
    loop_at(&closed);
    let out = folder.path().join("out");
    let (code, _, stderr) = attempt(&[&good, &closed], &out);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("closed.warc.gz"), "{stderr}");
    let results = Results::read(&out);
    assert_eq!(results.articles.len(), 4);
    assert!(unreadable(&results)[0].contains("closed.warc.gz"), "{:?}", results.ledger);
    // The same command reads it once it is readable.
    fs::remove_file(&closed).unwrap();
    archive(folder.path(), "closed.warc.gz", "b.example", 5);
    let (code, _, stderr) = attempt(&[&good, &closed], &out);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(Results::read(&out).articles.len(), 9);

    // Without any readable input there is nothing to do.
    fs::remove_file(&closed).unwrap();
    loop_at(&closed);
    let out = folder.path().join("nothing");
    let (code, _, stderr) = attempt(&[&closed, &closed], &out);
    assert!(code == 2 && stderr.contains("closed.warc.gz"), "{code}: {stderr}");
    assert!(!out.exists());
    // A misspelt name is an error, too.
    let (code, _, stderr) = attempt(&[&good, &folder.path().join("misspelt.warc.gz")], &out);
    assert!(code == 2 && stderr.contains("misspelt.warc.gz"), "{code}: {stderr}");
    assert!(!out.exists());
}

/// Many sites with long pages, which keep a run busy.
fn large(folder: &Path) -> PathBuf {
    let filler = prose::filler(30);
    let mut crawl = Crawl::new();
    for page in 0..240 {
        let url = format!("https://large-{}.example/notes/{page}", page / 4);
        crawl.page(&url, &prose::post_with(page, "", &filler));
    }
    crawl.write(folder, "large.warc.gz")
}

#[test]
fn an_unfinished_run_without_a_file_takes_it_in_once_it_can_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let (large, late) = (large(folder.path()), folder.path().join("late.warc.gz"));
    let options = ["--jobs", "1", "--sinks", "jsonl,csv,report"];
    let call = |out: &Path| run_command(&[&large, &late], out, &options);
    loop_at(&late);
    let out = folder.path().join("out");
    let mut child = call(&out).spawn().unwrap();
    wait_for_a_site(&mut child, &out);
    kill_process(child);
    fs::remove_file(&late).unwrap();
    archive(folder.path(), "late.warc.gz", "late.example", 4);
    let whole = folder.path().join("whole");
    assert!(call(&whole).status().unwrap().success());
    succeeded(&call(&out).output().unwrap());
    assert_same(&outcome(&out), &outcome(&whole), "with the file");
}

#[test]
fn the_first_signal_ends_a_run_that_waits_for_input() {
    let (folder, pipe) = with_pipe();
    let good = archive(folder.path(), "good.warc.gz", "a.example", 4);
    let out = folder.path().join("out");
    let (pipe_name, good, out_name) =
        (pipe.to_str().unwrap(), good.to_str().unwrap(), out.to_str().unwrap());
    for (what, inputs) in [
        ("a pipe that nobody writes to", &[pipe_name][..]),
        ("beside a file", &[good, pipe_name]),
        ("the standard input", &["-"]),
        ("a pipe as feeds", &[good, "--feeds", pipe_name]),
    ] {
        for name in ["-TERM", "-INT"] {
            let arguments = [&["run", "--jobs", "1", "--out", out_name], inputs].concat();
            let (code, stdout, stderr) = parts(&ended(waiting(&arguments), name));
            assert_eq!((code, stdout.as_str()), (130, ""), "{what}, {name}: {stderr}");
            assert!(stderr.contains("nothing was written"), "{what}, {name}: {stderr}");
            assert_eq!(files(&out).len(), 0, "{what}, {name}");
        }
    }
    // Half of an archive, then nothing more.
    let mut child = waiting(&["run", "--jobs", "1", "--out", out_name, "-"]);
    let bytes = fs::read(good).unwrap();
    child.stdin.as_mut().unwrap().write_all(&bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(parts(&ended(child, "-TERM")).0, 130);
    assert_eq!(files(&out).len(), 0);
}

#[test]
fn a_signal_ends_commands_that_have_nothing_to_tidy_up() {
    use std::os::unix::process::ExitStatusExt;
    let (_folder, pipe) = with_pipe();
    let pipe = pipe.to_str().unwrap();
    let status = ended(waiting(&["extract", pipe]), "-TERM").status;
    assert_eq!(status.signal(), Some(15), "{status}");
}

#[test]
fn a_pipe_that_somebody_writes_to_is_read() {
    let (folder, pipe) = with_pipe();
    let good = archive(folder.path(), "good.warc.gz", "a.example", 30);
    let expected = run(&[&good], &folder.path().join("expected"), &[]);
    let text = |results: &Results| {
        let lines: Vec<String> = results.articles.iter().map(|a| a["text"].to_string()).collect();
        lines
    };
    for patience in [0, 400] {
        let (to, bytes) = (pipe.clone(), fs::read(&good).unwrap());
        // The writer waits for a reader, and its data must be read to the end: else this fails with
        // a broken pipe.
        let writer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(patience));
            let mut to = fs::File::options().write(true).open(to)?;
            for chunk in bytes.chunks(bytes.len() / 3 + 1) {
                to.write_all(chunk)?;
                std::thread::sleep(Duration::from_millis(patience / 2));
            }
            std::io::Result::Ok(())
        });
        let out = folder.path().join(format!("out-{patience}"));
        let (code, _, stderr) = attempt(&[&pipe], &out);
        assert_eq!(code, 0, "{stderr}");
        writer.join().unwrap().unwrap();
        let results = Results::read(&out);
        assert_eq!(text(&results), text(&expected));
        assert_eq!(results.ledger["inputs"][0]["sha256"], expected.ledger["inputs"][0]["sha256"]);
    }
}

#[test]
fn the_first_signal_ends_what_waits_for_settings_lists_and_devices() {
    let (folder, pipe) = with_pipe();
    let good = archive(folder.path(), "good.warc.gz", "a.example", 4);
    let out = folder.path().join("out");
    let (pipe, good, out) = (pipe.to_str().unwrap(), good.to_str().unwrap(), out.to_str().unwrap());
    let list = format!("@{pipe}");
    let index = folder.path().join("index.cdxj");
    let line = format!(r#"a 2026 {{"filename": "{pipe}", "offset": 0, "length": 9}}"#);
    fs::write(&index, line).unwrap();
    for arguments in [
        &["run", good, "--config", pipe, "--out", out][..],
        &["run", good, "--site-configs", pipe, "--out", out],
        &["run", &list, "--out", out],
        &["run", "/dev/zero", "--out", out],
        &["survey", &list, "--out", out],
        &["wrappers", "test", pipe, good],
    ] {
        let (code, stdout, stderr) = parts(&ended(waiting(arguments), "-TERM"));
        assert_eq!((code, stdout.as_str()), (130, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains("nothing was written"), "{arguments:?}: {stderr}");
    }
    // Records cannot be found in a pipe, and rows of a step neither.
    let (code, _, stderr) = attempt(&[&index], Path::new(out));
    assert!(code == 1 && stderr.contains("not a regular file"), "{code}: {stderr}");
    let rows = folder.path().join("rows.parquet");
    let learn = ["learn", pipe, "--out", rows.to_str().unwrap()];
    let (code, _, stderr) = parts(&sitegrove().args(learn).output().unwrap());
    assert!(code == 2 && stderr.contains("not a regular file"), "{code}: {stderr}");
}

#[test]
fn lists_and_indexes_have_limits() {
    let folder = tempfile::tempdir().unwrap();
    let good = archive(folder.path(), "good.warc.gz", "a.example", 4);
    let good = good.to_str().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = write_file(folder.path(), name, bytes);
        path.to_str().unwrap().to_owned()
    };
    let itself = write("itself.txt", format!("@{}/itself.txt", folder.path().display()).as_bytes());
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    fs::write(&one, format!("{good}\n@{}", other.display())).unwrap();
    fs::write(&other, format!("@{}", one.display())).unwrap();
    for depth in 0..20 {
        let next = folder.path().join(format!("list-{}", depth + 1));
        write(&format!("list-{depth}"), format!("@{}\n", next.display()).as_bytes());
    }
    let index = write("long.cdxj", "x".repeat(3 << 20).as_bytes());
    let out = folder.path().join("out");
    for (named, says) in [
        (format!("@{itself}"), &["itself.txt names itself"][..]),
        (format!("@{}", one.display()), &["one names itself", "other -> "]),
        (format!("@{}/list-0", folder.path().display()), &["more than 16 lists name each other"]),
        ("@/dev/zero".to_owned(), &["list of inputs /dev/zero", "more than 67.1 MB"]),
        (format!("@{}", folder.path().display()), &["it is a folder"]),
        (index, &["long.cdxj", "line 1 has more than 1048576 bytes"]),
    ] {
        let (code, _, stderr) = attempt(&[Path::new(&named)], &out);
        assert_eq!(code, 2, "{named}: {stderr}");
        assert!(says.iter().all(|text| stderr.contains(text)), "{named}: {stderr}");
        assert!(!out.exists() && stderr.len() < 2_000, "{stderr}");
    }
    for option in ["--config", "--site-configs"] {
        let output = sitegrove().args(["run", good, option, "/dev/zero"]).output().unwrap();
        let (code, _, stderr) = parts(&output);
        assert!(code == 2 && stderr.contains("/dev/zero"), "{option}: {stderr}");
        assert!(stderr.contains("it has more than"), "{option}: {stderr}");
    }
    // As editors of other systems write them.
    let utf16 =
        |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    for (name, bytes) in [
        ("utf-8", format!("\u{feff}{good}\r\n").into_bytes()),
        ("utf-16", utf16(&format!("\u{feff}{good}\r\n"))),
    ] {
        let list = format!("@{}", write(name, &bytes));
        let out = folder.path().join(format!("out-{name}"));
        let (code, _, stderr) = attempt(&[Path::new(&list)], &out);
        assert_eq!(code, 0, "{name}: {stderr}");
        assert_eq!(Results::read(&out).articles.len(), 4);
    }
}
