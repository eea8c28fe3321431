//! Pages beyond those that their template is learnt from: by what was learnt alone, unless a page is not
//! like those.

use std::path::Path;

use model::{Charset, CharsetEvidence, Origin, Overruled, Page, Template, TemplateKind};
use sitegrove::config::Config;
use sitegrove::ledger::Clock;
use sitegrove::parsed::{ParsedPage, parse_page};
use sitegrove::stages::signify::Sibling;
use sitegrove::template::{Outcome, learn_template, sample_size};

mod common;
use common::crawl::Crawl;
use common::program::run;
use common::prose;
use common::results::{Results, text};

const PAGES: usize = 60;
/// Pages that are laid out otherwise where it matters: the text is where no page of the sample has any.
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

fn results(folder: &Path, beyond: &str) -> Results {
    let mut crawl = Crawl::new();
    (0..PAGES).for_each(|n| {
        crawl.page(&url(n), &page(n));
    });
    let archive = crawl.write(folder, "posts.warc.gz");
    let own = folder.join(format!("{beyond}.toml"));
    std::fs::write(&own, format!("[rank]\nlearn_from = 8\nbeyond = \"{beyond}\"\n")).unwrap();
    run(&[&own, &archive], &folder.join(beyond), &[])
}

#[test]
fn pages_like_the_sample_are_not_judged_and_others_are() {
    let folder = tempfile::tempdir().unwrap();
    let (glance, judge) = (results(folder.path(), "glance"), results(folder.path(), "judge"));
    let beyond = |results: &Results| {
        (results.count("pages_at_a_glance"), results.count("pages_judged_beyond"))
    };
    let of_all = (PAGES - 8) as u64;
    assert_eq!(beyond(&judge), (0, of_all));
    let (at_a_glance, judged) = beyond(&glance);
    assert_eq!(at_a_glance + judged, of_all);
    assert!((1..=ODD.len() as u64).contains(&judged), "{judged} of {of_all} pages were judged");
    for results in [&glance, &judge] {
        for n in 0..PAGES {
            let found = text(results.article(&url(n)), "text");
            assert!(found.contains(&prose::text(n)), "page {n}: {found}");
            assert!(!found.contains("All rights"), "page {n}: {found}");
        }
    }
}

fn made_up(n: usize) -> Page {
    Page {
        url: url(n),
        site: "posts.example".to_owned(),
        fetched: None,
        origin: Origin {
            file: "posts.warc.gz".into(),
            offset: n as u64,
            record_id: String::new(),
            truncated: None,
        },
        charset: Charset {
            name: "UTF-8",
            evidence: CharsetEvidence::Http,
            overruled: Overruled::default(),
        },
        html: page(n),
    }
}

/// What comes of the pages of a template that are handed in so many at a time.
fn in_batches(parsed: &[ParsedPage<'_>], at_a_time: usize, config: &Config) -> Vec<String> {
    let siblings: Vec<Sibling<'_>> =
        (0..).zip(parsed).map(|(index, page)| Sibling { index, page, feed_items: &[] }).collect();
    let template = Template {
        id: "t1".to_owned(),
        site: "posts.example".to_owned(),
        kind: TemplateKind::Article,
        signature: 0,
        members: (0..parsed.len() as u32).collect(),
    };
    let clock = Clock::default();
    let (sample, others) = siblings.split_at(sample_size(config));
    let (learnt, mut outcomes) = learn_template(&template, sample, config, &clock);
    for batch in others.chunks(at_a_time) {
        outcomes.extend(learnt.extract(batch, config, &clock, &mut sink::PageWork::default()));
    }
    let told = |outcome: &Outcome| match outcome {
        Outcome::Article(article, letters) => format!("{article:?} {letters:?}"),
        Outcome::Drop(drop) => format!("{drop:?}"),
    };
    outcomes.iter().map(told).collect()
}

#[test]
fn it_does_not_matter_which_pages_are_handed_in_together() {
    let pages: Vec<Page> = (0..PAGES).map(made_up).collect();
    for engine in ["grove", "forest"] {
        let mut config = Config::load(None).unwrap();
        config.rank.learn_from = 8;
        config.rank.engine = engine.parse().unwrap();
        let parsed: Vec<ParsedPage<'_>> =
            pages.iter().map(|page| parse_page(page, &config)).collect();
        let all = in_batches(&parsed, PAGES, &config);
        assert_eq!(all.len(), PAGES);
        assert_eq!(all, in_batches(&parsed, 1, &config), "{engine}");
        assert_eq!(all, in_batches(&parsed, 7, &config), "{engine}");
    }
}
