//! What every engine learns of the sample crawl, and what comes of its pages, as `tests/data/learnt.txt` has it: neither
//! changes unnoticed. `SITEGROVE_UPDATE=1 cargo test --package sitegrove-sitemodel learnt` updates the file, which is
//! committed with the change that made it differ.

use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

use sitegrove_sitemodel::{ArticleForms, Engine, Outcome};
use xxhash_rust::xxh3::xxh3_64;

use crate::support::{Site, sample_crawl, settings, teach};

/// A line for the model of a site and its outcomes, and one for each template that has a wrapper.
fn lines_of(engine: &str, site: &Site) -> String {
    let mut settings = settings(engine);
    settings.forms = ArticleForms { html: true, markdown: true, passages: 0 };
    let all: Vec<usize> = (0..site.pages.len()).collect();
    let taught = teach(site, &all, &settings);
    let model = &taught.learning.model;
    let (mut articles, mut outcomes) = (0, String::new());
    for page in &site.pages {
        let applied = taught.apply(page, &settings);
        articles += usize::from(matches!(applied.outcome, Outcome::Article(_)));
        writeln!(outcomes, "{}", serde_json::to_string(&applied).unwrap()).unwrap();
    }
    let mut lines = format!(
        "{engine} {}: {} templates, model {:016x}, {articles} articles, outcomes {:016x}\n",
        site.key,
        model.templates().len(),
        xxh3_64(&model.to_bytes()),
        xxh3_64(outcomes.as_bytes()),
    );
    for template in model.templates() {
        let Some(wrapper) = template.wrapper() else { continue };
        let (id, pages) = (&template.id, template.pages);
        let (content, prune) = (wrapper.content.join(" | "), wrapper.prune.join(" | "));
        writeln!(lines, "  {id} {pages} pages {:.4} {content} − {prune}", wrapper.confidence)
            .unwrap();
    }
    lines
}

#[test]
fn what_is_learnt_changes_by_decision() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/learnt.txt");
    let sites = sample_crawl();
    let engines = Engine::all();
    let of_engine = |engine: &Engine| {
        sites.iter().map(|site| lines_of(engine.name(), site)).collect::<String>()
    };
    let learnt: String = engines.iter().map(of_engine).collect();
    if env::var_os("SITEGROVE_UPDATE").is_some() {
        fs::write(&path, &learnt).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let changed = learnt.lines().zip(expected.lines()).find(|(now, then)| now != then);
    assert!(learnt == expected, "the first line that changed: {changed:#?}");
}
