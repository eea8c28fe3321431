//! Errors are reported before any work, and other people's files are not touched.

use std::fs;

use crate::common::crawl::{Crawl, small};
use crate::common::program::{call, parts, refuse, run, sitegrove, succeed, word, write_file};
use crate::common::results::{Results, files, text};

/// Calls `run` with an error: exit code 2, a message that names the problem, and no output folder.
fn refused(arguments: &[&str], named: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut all = vec!["run", "--out", word(&out)];
    all.extend(arguments);
    let (code, stdout, stderr) = parts(&call(&all));
    assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}: {stderr}");
    for name in named {
        assert!(
            stderr.contains(name),
            "{arguments:?}: the message does not say `{name}`: {stderr}"
        );
    }
    assert!(!stderr.contains('\x1b') && !stderr.contains("panicked"), "{stderr}");
    assert!(!out.exists(), "{arguments:?}: the output folder was made all the same");
}

#[test]
fn what_is_wrong_is_said_before_any_work() {
    let (folder, archive, _) = small();
    let (place, archive) = (folder.path(), word(&archive));
    let missing = place.join("missing.warc.gz");
    refused(&[archive, word(&missing)], &["missing.warc.gz"]);
    refused(&[archive, "--feeds", word(&place.join("nofeeds"))], &["nofeeds"]);
    refused(&[word(&place.join("*.zip"))], &["*.zip"]);
    refused(&[word(&place.join("no.toml"))], &["no.toml"]);
    refused(&[], &["inputs"]);
    refused(&[archive, "--memory", "4"], &["memory", "`4`", "unit"]);
    let empty = place.join("empty");
    fs::create_dir(&empty).unwrap();
    refused(&[word(&empty)], &["empty", "archives or HTML"]);
    // Beside others it is an input that cannot be read.
    for more in [&[word(&empty)][..], &["--feeds", word(&empty)]] {
        let out = place.join("beside");
        let arguments = [&["run", archive, "--overwrite", "--out", word(&out)][..], more].concat();
        let (code, _, stderr) = parts(&call(&arguments));
        assert!(
            code == 1 && stderr.contains("empty: cannot be read: the folder contains no"),
            "{stderr}"
        );
        assert_eq!(Results::read(&out).articles.len(), 4);
    }
    // All problems are reported at once.
    refused(&[word(&missing), word(&place.join("*.zip"))], &["missing.warc.gz", "*.zip"]);

    refused(&[archive, "--colour", "red"], &["--colour"]);
    refused(&[archive, "--engine", "oracle"], &["oracle", "forest", "euclid"]);
    refused(&[archive, "--signifiers", "stars"], &["stars", "tfidf", "feeds"]);
    refused(&[archive, "--jobs", "many"], &["many", "--jobs"]);
    refused(&[archive, "--jobs", "4000"], &["--jobs", "give at most 1024"]);
    refused(&[archive, "--jobs", "99999999999999999999"], &["--jobs", "too large"]);
    refused(&[archive, "--feeds", archive], &[archive, "is an input and in --feeds; name it once"]);
    assert_eq!(parts(&call(&["harvest"])).0, 2);
    let stderr = refuse::<&str>(&[]);
    assert!(stderr.contains("Usage"), "{stderr}");
}

#[test]
fn what_is_wrong_in_a_configuration_is_named() {
    let (folder, archive, _) = small();
    for (settings, named) in [
        ("[signify]\ntopp = 3", &["signify.topp", "did you mean `signify.top`?"][..]),
        ("[signfy]\ntop = 3", &["signfy", "did you mean `signify`?"]),
        ("[run]\nengine = 'grove'", &["run.engine", "did you mean `rank.engine`?"]),
        ("[parse]\nmax_node = 3", &["did you mean `parse.max_nodes`?"]),
        ("[runs]\njobs = 3", &["c.toml: ", "did you mean `run`?"]),
        ("[grove]\nzzz = 3", &["the keys of [grove] are weights"]),
        ("qqq = 3", &["the tables are "]),
        (
            "[run]\njobs = 'four'",
            &["c.toml: run.jobs: invalid type: string \"four\", expected a whole number\n"],
        ),
        (
            "[run]\njobs = 4000",
            &["c.toml: run.jobs: 4000 threads are too many: give at most 1024\n"],
        ),
        (
            "[signify]\nsource = 'stars'",
            &["c.toml: signify.source: unknown value `stars`, expected `tfidf` or `feeds`\n"],
        ),
        ("[rank]\nengine = 'oracle'", &["c.toml: rank.engine: unknown engine `oracle`", "forest"]),
        ("signify = 3", &["c.toml: `signify` must be a table: [signify]\n"]),
        ("[signify\ntop = 3", &["c.toml", "line 1"]),
        ("[run]\ninputs = ['missing.warc']", &["missing.warc"]),
    ] {
        let file = write_file(folder.path(), "c.toml", settings);
        refused(&[word(&file), word(&archive)], named);
    }
    // Paths are relative to the file, and options override it.
    let file = write_file(
        folder.path(),
        "good.toml",
        "[run]\ninputs = ['small.warc.gz']\nout = 'there'\n[rank]\nengine = 'blocks'",
    );
    assert_eq!(parts(&call(&["run", word(&file)])).0, 0);
    let there = Results::read(&folder.path().join("there"));
    assert_eq!((there.articles.len(), text(&there.ledger, "engine")), (4, "blocks"));
    let results = run(&[&file], &folder.path().join("here"), &["--engine", "density"]);
    assert_eq!(text(&results.ledger, "engine"), "density");
}

#[test]
fn an_output_folder_that_holds_something_else_is_left_alone() {
    let (folder, archive, out) = small();
    run(&[&archive], &out, &[]);
    let before = files(&out);
    // The same run again is accepted.
    run(&[&archive], &out, &[]);
    let attempt = |more: &[&str]| {
        let mut arguments = vec!["run", word(&archive), "--out", word(&out)];
        arguments.extend(more);
        parts(&call(&arguments))
    };
    let (code, _, stderr) = attempt(&["--engine", "density"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("--overwrite") && stderr.contains(word(&out)), "{stderr}");
    let after = files(&out);
    assert_eq!(before["articles.jsonl"], after["articles.jsonl"]);
    assert_eq!(attempt(&["--engine", "density", "--overwrite"]).0, 0);
    assert_ne!(before["articles.jsonl"], files(&out)["articles.jsonl"]);

    // Other inputs with the same name make a different run.
    Crawl::of_posts("https://other.example/notes/", 0..4).write(folder.path(), "small.warc.gz");
    assert_eq!(attempt(&["--engine", "density"]).0, 2);
    assert_eq!(attempt(&["--engine", "density", "--overwrite"]).0, 0);
    let wrappers = files(&out.join("wrappers"));
    assert_eq!(wrappers.keys().collect::<Vec<_>>(), ["other.example.json"], "stale wrappers stay");

    // A folder with other files.
    let theirs = folder.path().join("theirs");
    fs::create_dir(&theirs).unwrap();
    fs::write(theirs.join("thesis.tex"), "years of work").unwrap();
    refuse(&["run", word(&archive), "--out", word(&theirs)]);
    assert_eq!(files(&theirs).len(), 1);
    run(&[&archive], &theirs, &["--overwrite"]);
    assert_eq!(fs::read_to_string(theirs.join("thesis.tex")).unwrap(), "years of work");
}

#[test]
fn an_output_place_that_cannot_be() {
    let (folder, archive, _) = small();
    let file = write_file(folder.path(), "file", "x");
    for (out, named) in [(file.clone(), "is a file"), (file.join("below"), "cannot create")] {
        let stderr = refuse(&["run", word(&archive), "--out", word(&out)]);
        assert!(stderr.contains(named) && stderr.contains(word(&out)), "{stderr}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "x");
}

#[cfg(target_os = "linux")]
#[test]
fn an_input_that_cannot_be_read_to_its_end_gives_exit_code_1() {
    let (folder, archive, out) = small();
    // It can be opened, but its first page cannot be read.
    let broken = folder.path().join("broken.warc");
    std::os::unix::fs::symlink("/proc/self/mem", &broken).unwrap();
    let mut command = sitegrove();
    command.arg("run").args([&archive, &broken]).arg("--out").arg(&out);
    let (code, _, stderr) = parts(&command.output().unwrap());
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("broken.warc"), "{stderr}");
    let results = Results::read(&out);
    assert_eq!(results.articles.len(), 4);
    assert!(results.ledger["unreadable"][0].as_str().unwrap().contains("broken.warc"));
}

#[test]
fn what_is_named_wrongly_is_told_once_and_with_the_next_step() {
    let (folder, archive, _) = small();
    let (out, file) = (folder.path().join("out"), folder.path().join("notes.txt"));
    fs::write(&file, "no database, no index").unwrap();
    run(&[&archive], &out, &["--sinks", "jsonl"]);
    let said = |arguments: &[&str]| {
        let (code, _, stderr) = parts(&call(arguments));
        assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
        stderr
    };
    let (out, file) = (word(&out), word(&file));
    let stderr = said(&["models", "list", file]);
    assert!(stderr.contains("notes.txt is not a database, so it is no model store"), "{stderr}");
    let absent = word(&archive).replace("warc.gz", "sqlite");
    assert!(said(&["models", "list", &absent]).contains("--models FILE"));
    for command in [&["history", "small.example/1"][..], &["changes", "--since", "2024-01-01"]] {
        let stderr = said(&[command, &["--archive", out]].concat());
        assert!(stderr.contains("contains no archive of articles; `sitegrove run"), "{stderr}");
    }
    assert!(said(&["search", file, "words"]).contains("is a file, and a search index is a folder"));
    let stderr = said(&["inspect", out]);
    assert!(stderr.contains("name one of its sites (small.example), or give --all"), "{stderr}");
}

#[test]
fn the_archive_in_a_run_folder_is_found() {
    let (_folder, archive, out) = small();
    run(&[&archive], &out, &["--sinks", "sqlite"]);
    let arguments = ["changes", "--since", "2024-01-01", "--archive", word(&out)];
    let (code, stdout, stderr) = parts(&call(&arguments));
    assert_eq!((code, stdout.lines().count()), (0, 4), "{stdout}{stderr}");
}

#[test]
fn numbers_that_are_none_are_told_in_plain_words() {
    for (arguments, told) in [
        (["run", "a.warc.gz", "--jobs", "two"], "'--jobs <N>': give a whole number\n"),
        (["run", "a.warc.gz", "--limit", "0"], "'--limit <N>': give a whole number above 0\n"),
    ] {
        let (code, _, stderr) = parts(&call(&arguments));
        assert!(code == 2 && stderr.contains(told), "{stderr}");
    }
}

#[test]
fn weights_that_cannot_be_used_are_refused_with_the_reason() {
    let (folder, archive, _) = small();
    let (weights, config) = (folder.path().join("weights.json"), folder.path().join("own.toml"));
    fs::write(&config, format!("[grove]\nweights = '{}'\n", word(&weights))).unwrap();
    for (content, named) in [
        ("nonsense", &["weights.json", "not a weights file"][..]),
        ("{\"schema\": 99}", &["schema 99", "train again"]),
    ] {
        fs::write(&weights, content).unwrap();
        refused(&[word(&config), word(&archive)], named);
    }
}

#[test]
fn folders_of_earlier_runs_are_named_together() {
    let (folder, archive, _) = small();
    let earlier = ["d", "b", "a", "c"].map(|name| folder.path().join(name));
    for (count, out) in earlier.iter().enumerate() {
        assert_eq!(parts(&call(&["run", word(&archive), "-o", word(out), "-q"])).0, 0);
        let now = folder.path().join(format!("now-{count}"));
        let _ = fs::remove_dir_all(&now);
        let all = ["run", word(folder.path()), "-o", word(&now)];
        let (code, _, stderr) = parts(&call(&all));
        fs::remove_dir_all(&now).unwrap();
        let place = word(folder.path());
        let told = match count {
            0 => format!("warning: {}: skipping the folder of an earlier run; ", word(out)),
            1 => format!(
                "warning: {place}: skipping 2 folders of earlier runs: {place}/b, {place}/d; "
            ),
            2 => format!("warning: {place}: skipping 3 folders of earlier runs: {place}/a, "),
            _ => {
                let named = format!("{place}/a, {place}/b, {place}/c and 1 more; ");
                format!("warning: {place}: skipping 4 folders of earlier runs: {named}")
            }
        };
        assert_eq!(code, 0, "{stderr}");
        assert!(stderr.starts_with(&told) && stderr.lines().count() == 1, "{stderr}");
    }
}

#[test]
fn a_configuration_is_named_first_or_by_an_option_but_once() {
    let (folder, archive, _) = small();
    let config = write_file(folder.path(), "own.toml", "[emit]\nmarkdown = true\n");
    let with = |name: &str, arguments: &[&str]| {
        let out = folder.path().join(name);
        let all = [&["run", "--out", word(&out)], arguments].concat();
        succeed(&all);
        fs::read(out.join("articles.jsonl")).unwrap()
    };
    let (config, archive) = (word(&config), word(&archive));
    let first = with("first", &[config, archive]);
    assert!(String::from_utf8_lossy(&first).contains("\"markdown\""));
    assert_eq!(with("option", &[archive, "--config", config]), first);
    refused(&[config, archive, "--config", config], &["own.toml", "one of them"]);
    refused(&[archive, "--config", "missing.toml"], &["missing.toml"]);
}

#[test]
fn databases_are_called_what_they_are() {
    let (folder, archive, out) = small();
    let [articles, models] =
        ["articles.sqlite", "models.sqlite"].map(|name| folder.path().join(name));
    run(&[&archive], &out, &["--archive", word(&articles), "--models", word(&models)]);
    for (arguments, named) in [
        (vec!["models", "list", word(&articles)], "is an archive of articles, not a model store"),
        (
            vec!["changes", "--since", "2020-01-01", "--archive", word(&models)],
            "it is a model store",
        ),
    ] {
        let stderr = refuse(&arguments);
        assert!(stderr.contains(named), "{arguments:?}: {stderr}");
    }
}

/// Wherever a file is expected, an error about a folder names it.
#[test]
fn a_folder_in_the_place_of_a_file_is_named() {
    let (folder, archive, out) = small();
    run(&[&archive], &out, &[]);
    let place = folder.path().join("a-folder");
    fs::create_dir(&place).unwrap();
    fs::write(place.join("note.txt"), "a note").unwrap();
    let (run, archive, place) = (word(&out), word(&archive), word(&place));
    let list = format!("@{place}");
    let more = folder.path().join("more");
    for arguments in [
        &["run", "--config", place, archive, "--out", word(&more)][..],
        &["run", &list, "--out", word(&more)],
        &["run", archive, "--out", word(&more), "--models", place],
        &["run", archive, "--out", word(&more), "--archive", place],
        &["run", archive, "--out", word(&more), "--metrics", place],
        &["run", archive, "--out", word(&more), "--index", place],
        &["run", archive, "--out", word(&more), "--dataset", place],
        &["run", archive, "--out", word(&more), "--compare", place],
        &["survey", archive, "--out", place],
        &["learn", place, "--out", word(&more)],
        &["merge", place, "--out", word(&more)],
        &["export", "article", "--archive", place, "--out", "x.html"],
        &["export", "article", "--run", place, "--out", "x.html"],
        &["inspect", run, "small.example", "--out", place],
        &["search", place, "harbour"],
        &["models", "list", place],
        &["history", "https://small.example/notes/1", "--archive", place],
        &["changes", "--since", "2020-01-01", "--archive", place],
        &["wrappers", "test", place, archive],
        &["report", place],
        &["status", place],
        &["extract", place],
    ] {
        let stderr = refuse(arguments);
        assert!(stderr.contains("a-folder"), "{arguments:?}: {stderr}");
    }
}
