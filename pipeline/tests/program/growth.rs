//! A store stays small whatever a site does: one with new layouts every night, beside one that stays as it is.

use std::fs;
use std::path::Path;

use rusqlite::Connection;

use crate::common::nights::{DAYS, Nights, posts};
use crate::common::prose;
use crate::common::rows::number;

/// Layouts that are new every night.
const NEW: usize = 40;
/// Templates that a model of earlier nights may have (docs/NIGHTLY.md).
const MOST_TEMPLATES: i64 = 256;
/// Bytes of the revisions of a site (docs/NIGHTLY.md).
const MOST_REVISION_BYTES: i64 = 4 << 20;

/// Pages of a layout that no other has: its elements have names of their own.
fn pages_of_layout(layout: usize) -> Vec<(String, String)> {
    let letter = |at: u32| char::from(b'a' + (layout / 26_usize.pow(at) % 26) as u8);
    let own: String = [letter(0), letter(1)].into_iter().cycle().take(6).collect();
    let page = |n: usize| {
        let seed = layout * 3 + n;
        let paragraph = |text: &String| format!("<p class=p{own}>{text}</p>");
        let text: String = prose::paragraphs(seed).iter().map(paragraph).collect();
        let title = prose::title(seed);
        let html = format!(
            "<title>{title}</title><body class=b{own}><div class=o{own}><div class=i{own}>\
             <h1 class=h{own}>{title}</h1><ul class=u{own}><li class=l{own}>Home<li class=l{own}>\
             Contact</ul><div class=t{own}>{text}</div></div></div>"
        );
        (format!("https://hostile.example/{own}/{n}"), html)
    };
    (0..3).map(page).collect()
}

#[test]
fn a_store_grows_linearly_at_most_whatever_a_site_does() {
    let mut nights = Nights::new();
    let mut quiet = Nights::new();
    let mut sizes = Vec::new();
    let mut archives = Vec::new();
    let mut is_told = false;
    for (night, day) in DAYS.iter().enumerate() {
        let own = posts(4 * night..4 * night + 8);
        let hostile = (night * NEW..(night + 1) * NEW).flat_map(pages_of_layout);
        let archive = nights.crawl(day, &[own.clone(), hostile.collect()].concat());
        let run = nights.run(&archive, &format!("out-{night}"), &[]);
        is_told |= run.of("hostile.example", "reason").contains("not seen for longest removed");
        quiet.night(&own);
        archives.push(archive);
        sizes.push(fs::metadata(nights.store()).unwrap().len());
        let of_hostile = "WHERE site = 'hostile.example'";
        let templates = number(
            nights.store(),
            &format!("SELECT templates FROM models {of_hostile} ORDER BY revision DESC LIMIT 1"),
        );
        let bytes = format!("SELECT sum(length(blob)) FROM models {of_hostile}");
        assert!(number(nights.store(), &bytes) <= MOST_REVISION_BYTES, "{night}");
        assert!(templates <= MOST_TEMPLATES + 3 * NEW as i64, "{night}: {templates}");
    }
    let store = nights.store();
    // The budgets were used, or this shows nothing.
    let all = number(&store, "SELECT count(*) FROM templates WHERE site = 'hostile.example'");
    assert!(all > MOST_TEMPLATES + NEW as i64, "{all} templates");
    assert!(is_told, "no templates were removed");
    // With the budget of templates used up, the file does not grow by more every three nights.
    let grown =
        |nights: std::ops::RangeInclusive<usize>| sizes[*nights.end()] - sizes[*nights.start()];
    assert!(grown(8..=11) <= grown(5..=8), "{sizes:?}");

    // The other site is the same as without this one.
    let models = |store: &Path| -> Vec<(i64, Vec<u8>)> {
        let db = Connection::open(store).unwrap();
        let sql =
            "SELECT revision, blob FROM models WHERE site = 'posts.example' ORDER BY revision";
        let mut models = db.prepare(sql).unwrap();
        let models = models.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        models.map(Result::unwrap).collect()
    };
    assert!(models(&store) == models(&quiet.store()) && !models(&store).is_empty());

    // The last night again gives the same, and leaves the store as it is.
    let night = DAYS.len() - 1;
    nights.run(&archives[night], "again", &[]);
    let articles =
        |out: &str| fs::read(nights.folder.path().join(out).join("articles.jsonl")).unwrap();
    assert!(articles(&format!("out-{night}")) == articles("again"), "other articles");
    assert_eq!(fs::metadata(&store).unwrap().len(), *sizes.last().unwrap());
}
