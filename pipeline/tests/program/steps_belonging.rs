//! A step refuses files that do not belong together.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::common::crawl::Crawl;
use crate::common::program::{parts, sitegrove};

/// A crawl of a large site, and the files of its steps.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::write(place.at("settings.toml"), "[sample]\npages = 5\n").unwrap();
        for (name, from) in [("a", 0), ("b", 12), ("other", 24), ("another", 36)] {
            Crawl::of_posts("https://large.example/notes/", from..from + 12)
                .write(place.folder.path(), &format!("{name}.warc.gz"));
        }
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Calls a step; names stand for files of the folder. Gives the exit code and the message.
    fn call(&self, line: &str) -> (i32, String) {
        let mut words = line.split(' ');
        let step = words.next().unwrap();
        let path = |word: &str| match word.starts_with("--") || word.contains('/') {
            true => PathBuf::from(word),
            false => self.at(word),
        };
        let mut command = sitegrove();
        let command = command.arg(step).args(words.map(path));
        let (code, _, stderr) =
            parts(&command.arg("--config").arg(self.at("settings.toml")).output().unwrap());
        (code, stderr)
    }

    fn does(&self, line: &str) {
        let (code, stderr) = self.call(line);
        assert_eq!(code, 0, "{line}: {stderr}");
    }

    fn refuses(&self, line: &str, said: &[&str]) {
        let (code, stderr) = self.call(line);
        assert_eq!(code, 2, "{line}: {stderr}");
        for text in said {
            assert!(stderr.contains(text), "{line} does not say `{text}`: {stderr}");
        }
    }
}

#[test]
fn files_of_before_are_refused_after_learning_again() {
    let place = Place::new();
    for name in ["a", "b"] {
        place.does(&format!("survey {name}.warc.gz --models m.sqlite --out s-{name}.parquet"));
    }
    let learn = |out: &str| {
        place.does(&format!("learn s-a.parquet s-b.parquet --models m.sqlite --out {out}"))
    };
    learn("l.parquet");
    place.does("apply s-a.parquet s-b.parquet l.parquet --models m.sqlite --out p.parquet");
    // Another night is taken in, and the sites are learnt with that.
    let night = |crawl: &str, store: &str| {
        let mut command = sitegrove();
        let command = command.arg("run").arg(place.at(crawl)).arg("--models").arg(place.at(store));
        let output = command.arg("--out").arg(place.at(&format!("of-{store}-{crawl}"))).output();
        assert_eq!(parts(&output.unwrap()).0, 0);
    };
    night("other.warc.gz", "m.sqlite");
    let again =
        "learn s-a.parquet s-b.parquet l.parquet p.parquet --models m.sqlite --out again.parquet";
    place.refuses(
        again,
        &["m.sqlite changed after the sites were learnt", "l.parquet", "learn all of them again"],
    );
    learn("l2.parquet");
    place.refuses(
        "learn s-a.parquet s-b.parquet l2.parquet p.parquet --models m.sqlite --out again.parquet",
        &["p.parquet was not made of", "l2.parquet", "apply the models again"],
    );
    place.refuses(
        "merge s-a.parquet s-b.parquet l2.parquet p.parquet --models m.sqlite --out merged",
        &["p.parquet was not made of", "l2.parquet"],
    );
    place.refuses(
        "learn s-a.parquet s-b.parquet l.parquet l2.parquet p.parquet --models m.sqlite --out again.parquet",
        &["l.parquet", "l2.parquet", "name one of them"],
    );
    place.does("apply s-a.parquet s-b.parquet l2.parquet --models m.sqlite --out p2.parquet");
    place.does(
        "learn s-a.parquet s-b.parquet l2.parquet p2.parquet --models m.sqlite --out again.parquet",
    );
    place.does("apply s-a.parquet s-b.parquet l2.parquet again.parquet --models m.sqlite --out rest.parquet");
    // The second round was made of what was learnt and applied in the first.
    place.refuses(
        "apply s-a.parquet l.parquet again.parquet --models m.sqlite --out x.parquet",
        &["again.parquet was not made of", "l.parquet", "learn the second round again"],
    );
    let all = "s-a.parquet s-b.parquet l2.parquet p2.parquet again.parquet rest.parquet";
    place.refuses(
        &format!("merge {} --models m.sqlite --out merged", all.replace("p2.", "p.")),
        &["p.parquet was not made of", "l2.parquet"],
    );

    // A store with as many runs, sites and models, of another crawl.
    night("another.warc.gz", "n.sqlite");
    place.refuses(
        &format!("merge {all} --models n.sqlite --out merged"),
        &["n.sqlite changed after the sites were learnt", ".parquet among them"],
    );
    place.does(&format!("merge {all} --models m.sqlite --out merged"));
    assert!(Path::new(&place.at("merged/articles.jsonl")).exists());
}

#[test]
fn descriptions_belong_to_what_they_describe() {
    let place = Place::new();
    place.does("survey a.warc.gz --out s.parquet");
    place.does("survey b.warc.gz --out t.parquet");
    place.does("learn s.parquet t.parquet --out l.parquet");
    // The same models, applied by one process and by two, are in other files.
    place.does("apply s.parquet t.parquet l.parquet --out p.parquet");
    place.does("apply s.parquet l.parquet --out p-s.parquet");
    place.does("apply t.parquet l.parquet --out p-t.parquet");
    place.does("learn s.parquet t.parquet l.parquet p.parquet --out again.parquet");
    place.does("apply s.parquet t.parquet l.parquet again.parquet --out rest.parquet");
    let all = "s.parquet t.parquet l.parquet p.parquet again.parquet rest.parquet";
    place.does(&format!("describe {all} --out d.parquet"));
    let others = all.replace("p.parquet", "p-s.parquet p-t.parquet");
    place.refuses(
        &format!("merge {others} d.parquet --out merged"),
        &["again.parquet was not made of", "/p-", "learn the second round again"],
    );
    place.does("learn s.parquet t.parquet l.parquet p-s.parquet p-t.parquet --out again-2.parquet");
    place.does("apply s.parquet t.parquet l.parquet again-2.parquet --out rest-2.parquet");
    let others =
        "s.parquet t.parquet l.parquet p-s.parquet p-t.parquet again-2.parquet rest-2.parquet";
    place.refuses(
        &format!("merge {others} d.parquet --out merged"),
        &["d.parquet was not made of", "describe the articles again"],
    );
    place.does(&format!("merge {all} d.parquet --out merged"));
    place.does(&format!("merge {others} --out merged-2"));
    let lines = |out: &str| fs::read(place.at(out).join("articles.jsonl")).unwrap();
    assert!(lines("merged") == lines("merged-2"));
}
