//! The fast path: pages are extracted with the wrapper and the learnt scores, unless they do not
//! resemble those that their template was learnt from.

use std::path::Path;

use crate::common::crawl::Crawl;
use crate::common::program::{run, write_file};
use crate::common::prose;
use crate::common::results::{Results, text};

const PAGES: usize = 60;
/// Pages with a different layout of the article: the text is where no page of the sample has any.
const ODD: [usize; 3] = [9, 28, 40];

fn page(n: usize) -> String {
    if !ODD.contains(&n) {
        return prose::post(n);
    }
    let paragraphs = prose::paragraphs(n);
    let long: String = paragraphs.iter().map(|p| format!("<blockquote>{p}</blockquote>")).collect();
    prose::post(n)
        .replace(
            "<div class=entry>",
            &format!("<section class=poem>{long}</section><div class=entry>"),
        )
        .replace(&paragraphs.iter().map(|p| format!("<p>{p}</p>\n")).collect::<String>(), "")
}

fn url(n: usize) -> String {
    format!("https://posts.example/notes/{n:02}")
}

fn results(folder: &Path, fast_path: bool) -> Results {
    let mut crawl = Crawl::new();
    (0..PAGES).for_each(|n| {
        crawl.page(&url(n), &page(n));
    });
    let archive = crawl.write(folder, "posts.warc.gz");
    let own = write_file(
        folder,
        format!("{fast_path}.toml"),
        format!("[rank]\nlearn_from = 8\nfast_path = {fast_path}\n"),
    );
    run(&[&own, &archive], &folder.join(fast_path.to_string()), &[])
}

#[test]
fn pages_like_the_sample_are_not_judged_and_others_are() {
    let folder = tempfile::tempdir().unwrap();
    let (fast, judged) = (results(folder.path(), true), results(folder.path(), false));
    let counts =
        |results: &Results| (results.count("pages_fast_path"), results.count("pages_judged"));
    assert_eq!(counts(&judged), (0, PAGES as u64));
    let (on_fast_path, others) = counts(&fast);
    assert_eq!(on_fast_path + others, PAGES as u64);
    assert!((1..=ODD.len() as u64).contains(&others), "{others} of {PAGES} pages were judged");
    for results in [&fast, &judged] {
        for n in 0..PAGES {
            let found = text(results.article(&url(n)), "text");
            assert!(found.contains(&prose::text(n)), "page {n}: {found}");
            assert!(!found.contains("All rights"), "page {n}: {found}");
        }
    }
}
