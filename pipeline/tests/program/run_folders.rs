//! Run folders of unfinished runs, or without the files that a command needs: every command reports
//! it.

use std::fs;
use std::path::Path;

use crate::common::combinations::{Inputs, call};
use crate::common::crawl::{Crawl, small};
use crate::common::program::{parts, sitegrove, word, write_file};
use crate::common::prose;
use crate::common::results::files;

/// Calls every command that takes the folder of a finished run; each must fail and say why.
fn every_command_refuses(out: &Path, site: &str, inputs: &Inputs, why: &str) {
    let (out, archive) = (out.to_str().unwrap(), inputs.archive.to_str().unwrap());
    let hand = inputs.wrappers.to_str().unwrap();
    for arguments in [
        &["inspect", out, site, "--out", "-"][..],
        &["inspect", out, "--all"],
        &["report", out],
        &["wrappers", "list", out],
        &["wrappers", "show", out, site],
        &["wrappers", "export", out],
        &["wrappers", "export", out, "--format", "json"],
        &["wrappers", "test", out, archive],
        &["wrappers", "test", hand, archive, "--run", out],
    ] {
        let (code, stdout, stderr) = parts(&sitegrove().args(arguments).output().unwrap());
        assert!(code == 2 && stdout.is_empty(), "{arguments:?}: {stdout}{stderr}");
        assert!(stderr.contains(why), "{arguments:?}: {stderr}");
    }
}

#[cfg(unix)]
#[test]
fn no_command_takes_an_unfinished_run_for_a_finished_one() {
    use crate::common::unfinished::{run_command, signal, wait_for_a_site};

    let inputs = Inputs::make();
    let mut crawl = Crawl::new();
    for site in 0..400 {
        for n in 0..4 {
            let url = format!("https://site-{site}.example/notes/{n}");
            crawl.page(&url, &prose::post(site * 4 + n));
        }
    }
    let archive = crawl.write(inputs.folder.path(), "large.warc.gz");
    for (sent, memory) in [("-INT", "1GiB"), ("-KILL", "1kB")] {
        let out = inputs.folder.path().join(format!("unfinished{sent}"));
        let options = ["--quiet", "--jobs", "1", "--sinks", "all", "--memory", memory];
        let mut child = run_command(&[&archive], &out, &options).spawn().unwrap();
        wait_for_a_site(&mut child, &out);
        signal(&child, sent);
        let _ = child.wait().unwrap();
        assert_eq!(call(&["status".to_owned(), out.to_str().unwrap().to_owned()]).0, 1);
        every_command_refuses(&out, "site-1.example", &inputs, "unfinished run");
        let search = ["search", out.to_str().unwrap(), "word"].map(str::to_owned);
        let (code, _, stderr) = call(&search);
        assert!(code == 2 && stderr.contains("unfinished run; give its command again"), "{stderr}");
    }
}

#[test]
fn folders_that_hold_no_run_are_refused() {
    let inputs = Inputs::make();
    let out = inputs.folder.path().join("empty");
    fs::create_dir(&out).unwrap();
    let (code, _, stderr) = call(&["inspect", out.to_str().unwrap(), "--all"].map(str::to_owned));
    assert!(code == 2 && stderr.contains("contains no finished run"), "{stderr}");
    for command in ["status", "report"] {
        let nowhere = inputs.folder.path().join("nowhere");
        let (code, _, stderr) = call(&[command, nowhere.to_str().unwrap()].map(str::to_owned));
        let told = format!("error: {}: the folder does not exist\n", nowhere.display());
        assert_eq!((code, stderr), (2, told), "{command}");
    }
}

#[test]
fn articles_that_could_not_be_written_are_not_taken_from_an_earlier_run() {
    let inputs = Inputs::make();
    let out = inputs.folder.path().join("out");
    inputs.run_before(&out);
    // An earlier run's file in one form, and an obstacle at the path of the other.
    fs::create_dir_all(out.join("articles.jsonl.zst/in-the-way")).unwrap();
    let settings = write_file(inputs.folder.path(), "zstd.toml", "[emit]\njsonl = 'zstd'\n");
    let (settings, archive) = (settings.to_str().unwrap(), inputs.archive.to_str().unwrap());
    let run = ["run", settings, archive, "--overwrite", "--out", out.to_str().unwrap()];
    let (code, _, stderr) = call(&run.map(str::to_owned));
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("cannot write the output jsonl"), "{stderr}");
    let out = out.to_str().unwrap();
    for arguments in [
        &["inspect", out, "a.example", "--out", "-"][..],
        &["inspect", out, "--all"],
        &["wrappers", "export", out],
        &["wrappers", "test", inputs.wrappers.to_str().unwrap(), archive, "--run", out],
    ] {
        let (code, _, stderr) = parts(&sitegrove().args(arguments).output().unwrap());
        assert!(code == 2 && stderr.contains("could not write its articles"), "{stderr}");
    }
}

#[test]
fn a_failed_output_leaves_no_file_of_an_earlier_run() {
    let inputs = Inputs::make();
    let out = inputs.folder.path().join("out");
    inputs.run_before(&out);
    // The index cannot be moved to its place: both files of `warc` must be removed, not one of
    // them.
    fs::remove_file(out.join("articles.cdxj")).unwrap();
    fs::create_dir_all(out.join("articles.cdxj/in-the-way")).unwrap();
    let archive = inputs.archive.to_str().unwrap();
    let run =
        ["run", archive, "--overwrite", "--sinks", "jsonl,warc", "--out", out.to_str().unwrap()];
    let (code, _, stderr) = call(&run.map(str::to_owned));
    assert!(code == 1 && stderr.contains("cannot write the output warc"), "{stderr}");
    assert!(!out.join("articles.warc.gz").exists());
}

#[test]
fn other_outputs_do_not_remove_those_of_a_finished_run() {
    let (folder, archive, out) = small();
    let obstacle = out.join("articles.csv/in-the-way");
    fs::create_dir_all(&obstacle).unwrap();
    let again = |more: &[&str]| {
        parts(
            &sitegrove()
                .args(["run", word(&archive), "-o", word(&out)])
                .args(more)
                .output()
                .unwrap(),
        )
    };
    // With a failed output, the others are of a finished run, too.
    assert_eq!(again(&["--overwrite", "--sinks", "jsonl,csv,report"]).0, 1);
    assert_eq!(call(&["status".to_owned(), word(&out).to_owned()]).0, 1, "an output is missing");
    let (code, _, stderr) = again(&["--sinks", "parquet"]);
    assert!(
        code == 2 && stderr.contains("jsonl, report;") && stderr.contains("--overwrite"),
        "{stderr}"
    );
    fs::remove_dir_all(obstacle.parent().unwrap()).unwrap();
    assert_eq!(again(&["--sinks", "jsonl,report"]).0, 0, "one that failed is not lost");
    for other in [&["--sinks", "csv"][..], &["--sinks", "report,csv"], &["--passages", "50"]] {
        let before = files(&out);
        let (code, _, stderr) = again(other);
        assert!(code == 2 && stderr.contains("jsonl"), "{other:?}: {stderr}");
        assert!(before == files(&out), "{other:?}");
    }
    let index = folder.path().join("index");
    let (code, _, stderr) = again(&["--sinks", "csv,jsonl,report", "--index", word(&index)]);
    assert_eq!(code, 0, "more outputs lose nothing: {stderr}");
    assert!(out.join("articles.csv").exists() && out.join("articles.jsonl").exists());
    assert_eq!(again(&["--sinks", "csv", "--overwrite"]).0, 0);
}

#[test]
fn an_unfinished_merge_is_told_and_not_replaced_by_a_run() {
    let (folder, archive, _) = small();
    let out = folder.path().join("merged");
    fs::create_dir_all(out.join(".sitegrove")).unwrap();
    fs::write(out.join(".sitegrove/merge"), "of some files").unwrap();
    let call = |arguments: &[&str]| parts(&sitegrove().args(arguments).output().unwrap());
    let (code, stdout, stderr) = call(&["status", word(&out)]);
    assert!(code == 1 && stdout.contains("a merge; the same command"), "{stdout}{stderr}");
    for command in [
        &["inspect", word(&out), "a.example"][..],
        &["search", word(&out), "word"],
        &["run", word(&archive), "--out", word(&out)],
    ] {
        let (code, _, stderr) = call(command);
        assert!(code == 2 && stderr.contains("unfinished merge"), "{stderr}");
    }
    assert_eq!(call(&["run", word(&archive), "--out", word(&out), "--overwrite"]).0, 0);
}
