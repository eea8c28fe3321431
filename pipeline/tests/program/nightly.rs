//! Sites over many nights with a model store: decisions, stability of articles, and reported health.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::common::crawl::Crawl;
use crate::common::nights::{DAYS, Night, Nights, posts, url};
use crate::common::program::{
    call, parts, refuse, run, sitegrove, succeed, succeeded, word, write_file,
};
use crate::common::prose;
use crate::common::results::{Results, parse, text};
use crate::common::rows::{all_rows, number};
use crate::common::unfinished::{kill_process, run_command, wait_for_a_site};

/// The same posts in a new design of the site: a completely different template.
fn redesigned(of: impl Iterator<Item = usize>) -> Vec<(String, String)> {
    of.map(|n| (url(n), prose::redesigned(n))).collect()
}

#[test]
fn the_first_night_is_a_run_without_a_store_and_the_same_night_again_changes_nothing() {
    let mut nights = Nights::new();
    let archive = nights.crawl(DAYS[0], &posts(0..12));
    let first = nights.run(&archive, "first", &[]);
    assert_eq!((&*first.decision(), &*first.verdict()), ("learn-fresh", "healthy"));
    assert!(first.told.contains("models in "), "{}", first.told);
    let plain = nights.folder.path().join("plain");
    let (code, ..) =
        parts(&call(&["run", archive.to_str().unwrap(), "--out", plain.to_str().unwrap()]));
    assert_eq!(code, 0);
    assert!(!plain.join("health.jsonl").exists());
    let plain = Results::read(&plain);
    for (own, other) in plain.articles.iter().zip(&first.results.articles) {
        let mut other = other.clone();
        let fields = other.as_object_mut().unwrap();
        assert_eq!(fields.remove("model_revision"), Some(1.into()));
        assert_eq!(fields.remove("health"), Some("healthy".into()));
        assert_eq!(*own, other);
    }

    let second_archive = nights.crawl(DAYS[1], &posts(6..20));
    nights.run(&second_archive, "second", &[]);
    let before = all_rows(&nights.store());
    let again = nights.run(&archive, "again", &[]);
    assert_eq!(all_rows(&nights.store()), before);
    assert_eq!(again.health, first.health);
    assert_eq!(again.results.articles, first.results.articles);
}

/// A run that was killed after it committed its store is such a night.
#[test]
fn the_same_night_again_gives_the_same_articles_of_templates_of_the_second_round() {
    let mut nights = Nights::new();
    let few = nights.folder.path().join("few.toml");
    fs::write(&few, "[sample]\npages = 4\n").unwrap();
    let pages: Vec<_> = posts(0..16).into_iter().chain(redesigned(20..22)).collect();
    let archive = nights.crawl(DAYS[0], &pages);
    let few = ["--config", few.to_str().unwrap()];
    let first = nights.run(&archive, "first", &few);
    let again = nights.run(&archive, "again", &few);
    assert_eq!(again.results.articles, first.results.articles);
    let templates = &first.health["posts.example"]["templates"];
    assert!(templates.as_array().unwrap().iter().any(|own| own["pages"] == 0), "{templates}");
}

#[test]
fn a_model_grows_from_few_pages_and_is_then_left_alone() {
    let mut nights = Nights::new();
    let mut decisions = Vec::new();
    for n in 0..12 {
        let night = nights.night(&posts(n..n + 1));
        night.has_text_of(n);
        decisions.push(night.decision());
    }
    let (growing, grown) = decisions[3..].split_at(5);
    assert_eq!(&decisions[..3], ["too-few", "too-few", "learn-fresh"]);
    assert!(growing.contains(&"grow".to_owned()), "{decisions:?}");
    assert!(grown.iter().all(|own| own == "keep"), "{decisions:?}");
    let newest = "SELECT max(revision) FROM models";
    let before = number(nights.store(), newest);
    let archive = nights.crawl("2026-04-01", &posts(40..60));
    let many = nights.run(&archive, "many", &[]);
    assert_eq!((&*many.decision(), &*many.verdict()), ("keep", "healthy"));
    assert_eq!(number(nights.store(), newest), before);
    for n in 40..60 {
        many.has_text_of(n);
    }
    let retained = ["count(*)", "count(DISTINCT url)"]
        .map(|what| number(nights.store(), &format!("SELECT {what} FROM retained")));
    assert_eq!(retained, [12, 12]);
}

#[test]
fn a_redesign_is_noticed_in_its_night_and_the_old_layout_is_kept() {
    let mut nights = Nights::new();
    nights.night(&posts(0..12));
    let healthy = nights.night(&posts(12..20));
    assert_eq!((&*healthy.decision(), &*healthy.verdict()), ("keep", "healthy"));
    let archive = nights.crawl(DAYS[2], &redesigned(20..24));
    let changed = nights.run(&archive, "redesign", &["--fail-on", "broken"]);
    assert_eq!((&*changed.verdict(), changed.code), ("healthy", 0), "{:?}", changed.health);
    assert!(["add-templates", "replace"].contains(&&*changed.decision()), "{:?}", changed.health);
    assert!(changed.of("posts.example", "reason").contains("4 of 4 pages"));
    for n in 20..24 {
        changed.has_text_of(n);
    }
    // For some time, the site serves both.
    let mut both = redesigned(24..28);
    both.extend(posts(30..34));
    let after = nights.night(&both);
    assert_ne!(&*after.verdict(), "broken", "{:?}", after.health);
    let templates: Vec<&str> =
        [24, 30].iter().map(|n| text(after.results.article(&url(*n)), "template")).collect();
    assert_ne!(templates[0], templates[1]);
    assert_eq!(
        templates[1],
        text(healthy.results.article(&url(12)), "template"),
        "it keeps its id"
    );
    for n in (24..28).chain(30..34) {
        after.has_text_of(n);
    }
}

/// Readers' comments are longer than the posts; the new layout has none.
#[test]
fn comments_that_go_with_a_redesign_are_no_loss_of_texts() {
    let mut nights = Nights::new();
    let commented = |n: usize| {
        let comment = |at| format!("<li><p>{}</p></li>", prose::paragraphs(n * 5 + at)[0]);
        let comments: String = (1_000..1_005).map(comment).collect();
        let end = format!("<ol class=comments>{comments}</ol></body>");
        (url(n), prose::post(n).replace("</body>", &end))
    };
    for night in 0..2 {
        nights.night(&(12 * night..12 * night + 12).map(commented).collect::<Vec<_>>());
    }
    let night = nights.night(&redesigned(30..42));
    let found = (night.decision(), night.verdict());
    assert_eq!(found, ("add-templates".to_owned(), "healthy".to_owned()), "{:?}", night.health);
    for n in 30..42 {
        night.has_text_of(n);
    }
    let later = nights.night(&redesigned(42..54));
    assert_eq!((&*later.decision(), &*later.verdict()), ("keep", "healthy"), "{:?}", later.health);
}

const LONG_NOTICE: &str = "<p>We are down for maintenance tonight, and expect to be back before the ferry leaves in the \
                           morning. Thank you for your patience, says the whole crew of this small journal.</p>";

/// A notice in the layout of the posts, instead of some of them.
fn closed(of: impl Iterator<Item = usize>, notice: &str) -> Vec<(String, String)> {
    let of_post = |n| {
        let paragraphs = format!("<p>{}</p>", prose::paragraphs(n).join("</p>\n<p>"));
        let html = prose::post(n).replace(&prose::title(n), "Back soon");
        assert!(html.contains(&paragraphs), "{html}");
        (url(n), html.replace(&paragraphs, notice))
    };
    of.map(of_post).collect()
}

#[test]
fn what_is_served_instead_of_articles_tonight_is_noted() {
    let mut nights = Nights::new();
    nights.night(&posts(0..12));
    let mut pages = posts(12..16);
    pages.extend(closed(16..22, LONG_NOTICE));
    let closed_tonight = nights.night(&pages);
    assert_eq!(closed_tonight.decision(), "note-walls", "{:?}", closed_tonight.health);
    let reasons = |night: &Night| -> Vec<String> {
        night.results.dropped.iter().map(|drop| text(drop, "reason").to_owned()).collect()
    };
    assert_eq!(reasons(&closed_tonight), ["duplicate-text"; 6]);
    assert_eq!(closed_tonight.results.articles.len(), 4);
    // It is known from then on, on a single page too, also if the template is learnt again.
    let mut pages = posts(22..26);
    pages.extend(closed(26..27, LONG_NOTICE));
    let after = nights.night(&pages);
    assert_eq!(&*after.decision(), "keep", "{:?}", after.health);
    assert_eq!(reasons(&after), ["duplicate-text"]);
    for n in 22..26 {
        after.has_text_of(n);
    }
}

#[test]
fn short_notices_in_place_of_texts_are_dropped() {
    let mut nights = Nights::new();
    nights.night(&posts(0..12));
    let notice = "<p>The crew has been informed, please come again in a few minutes.</p>";
    let mut later = closed(24..26, notice);
    later.extend(posts(26..30));
    for (pages, verdict, dropped) in
        [(closed(12..24, notice), "blocked", 12), (later, "healthy", 2)]
    {
        let night = nights.night(&pages);
        assert_eq!(&*night.verdict(), verdict, "{:?}", night.health);
        let reasons = night.results.dropped.iter().map(|drop| text(drop, "reason"));
        assert!(reasons.clone().all(|reason| reason == "duplicate-text"));
        assert_eq!(reasons.count(), dropped);
        assert_eq!(night.results.articles.len(), pages.len() - dropped);
    }
}

#[test]
fn a_site_that_moved_is_missing_and_says_where_it_is() {
    let mut nights = Nights::new();
    for _ in 0..4 {
        let from = 12 * nights.count;
        nights.night(&posts(from..from + 12));
    }
    let mut crawl = Crawl::of_day(DAYS[4]);
    for n in 0..5 {
        let head = format!(
            "HTTP/1.1 301 Moved Permanently\r\nLocation: https://www.new.example/notes/{n:03}\r\n"
        );
        crawl.response(&url(n), &head, b"");
        crawl.page(&format!("https://www.new.example/notes/{n:03}"), &prose::post(n));
    }
    let archive = crawl.write(nights.folder.path(), "moved.warc.gz");
    let moved = nights.run(&archive, "moved", &[]);
    assert_eq!(moved.verdict(), "missing", "{:?}", moved.health);
    let evidence = moved.of("posts.example", "evidence");
    assert!(evidence.ends_with("; 5 of its addresses redirect to www.new.example"), "{evidence}");
}

/// Posts with markup after their first paragraph, in place of the rest if `is_cut`.
fn with_markup(
    of: impl Iterator<Item = usize>,
    markup: impl Fn(usize) -> String,
    is_cut: bool,
) -> Vec<(String, String)> {
    let page = |n: usize| {
        let paragraphs = prose::paragraphs(n);
        let all = format!("<p>{}</p>", paragraphs.join("</p>\n<p>"));
        let rest = if is_cut { "" } else { &all[paragraphs[0].len() + 7..] };
        let with = format!("<p>{}</p>{}{rest}", paragraphs[0], markup(n));
        let html = prose::post(n).replace(&all, &with);
        assert!(html.contains(&with), "{html}");
        (url(n), html)
    };
    of.map(page).collect()
}

#[test]
fn what_a_site_adds_to_its_texts_is_learnt_to_be_left_out() {
    // With other elements beside the paragraphs, the wrapper selects the element around them.
    let own = |n: usize| {
        let [more, quoted] = [n + 50, n + 70].map(|n| prose::paragraphs(n).join(" "));
        format!(
            "<h3>{}</h3>\n<ul><li>{more}</ul><blockquote>{quoted}</blockquote>",
            prose::title(n + 90)
        )
    };
    let with_appeal = |n: usize| {
        let appeal = "<div class=support><h3>Support our journal</h3><p>We depend on readers like you: please \
                      consider a gift of five pounds a month.</p><a href=/give>Give now</a></div>";
        format!("{appeal}{}", own(n))
    };
    let mut nights = Nights::new();
    nights.night(&with_markup(0..12, own, false));
    let first = nights.night(&with_markup(12..24, with_appeal, false));
    assert_eq!((&*first.decision(), &*first.verdict()), ("relearn", "healthy"));
    let reason = first.of("posts.example", "reason");
    assert!(reason.contains("new elements in the texts of its pages: one in 12 of 12"), "{reason}");
    let second = nights.night(&with_markup(24..30, with_appeal, false));
    assert_eq!((&*second.decision(), &*second.verdict()), ("keep", "healthy"));
    for (night, of) in [(&first, 12..24), (&second, 24..30)] {
        assert_eq!(night.results.articles.len(), of.len());
        for (n, article) in of.zip(&night.results.articles) {
            let text = text(article, "text");
            assert!(!text.contains("readers like you"), "{article}");
            assert!(prose::paragraphs(n).iter().all(|own| text.contains(own)), "{article}");
        }
    }
}

#[test]
fn a_request_to_subscribe_in_place_of_texts_is_left_out() {
    let mut nights = Nights::new();
    nights.night(&posts(0..12));
    let request = "<p>Continue reading with a subscription.</p>\n<p>Subscribe now for one euro a week and read on \
                   without limits.</p>\n<p><a href=/subscribe>Subscribe</a></p>";
    for (of, decision) in [(12..24, "note-walls"), (24..36, "keep")] {
        let night = nights.night(&with_markup(of, |_| request.to_owned(), true));
        assert_eq!((&*night.decision(), &*night.verdict()), (decision, "blocked"));
        assert_eq!(night.results.articles.len(), 12);
        for article in &night.results.articles {
            assert!(!text(article, "text").to_lowercase().contains("subscri"), "{article}");
            assert_eq!(text(article, "access"), "partial");
        }
    }
}

#[test]
fn a_wrapper_that_finds_nothing_is_replaced() {
    let mut nights = Nights::new();
    nights.night(&posts(0..12));
    // The same outline, but the names that the wrapper uses are changed, and given to other
    // elements.
    let renamed = |n: usize| (url(n), prose::renamed(n));
    let pages: Vec<_> = (12..20).map(renamed).collect();
    let night = nights.night(&pages);
    assert_eq!(
        (&*night.decision(), &*night.verdict()),
        ("replace", "healthy"),
        "{:?}",
        night.health
    );
    assert!(night.of("posts.example", "reason").contains("finds 0 % of 8 articles, 100 % before"));
    for n in 12..20 {
        night.has_text_of(n);
    }
    let pages: Vec<_> = (20..26).map(renamed).collect();
    let later = nights.night(&pages);
    assert_eq!((&*later.decision(), &*later.verdict()), ("keep", "healthy"), "{:?}", later.health);
}

#[test]
fn pages_of_a_new_layout_get_a_template_and_the_others_stay() {
    let mut nights = Nights::new();
    let first = nights.night(&posts(0..12));
    let mut pages = posts(0..8);
    pages.extend(redesigned(20..21));
    assert_eq!(nights.night(&pages).decision(), "keep", "one page is no layout");
    let mut pages = posts(0..8);
    pages.extend(redesigned(21..23));
    let night = nights.night(&pages);
    assert_eq!((&*night.decision(), &*night.verdict()), ("add-templates", "healthy"));
    for n in 0..8 {
        let of = |night: &Night| {
            let article = night.results.article(&url(n)).clone();
            (
                text(&article, "text").to_owned(),
                article["xpath"].clone(),
                article["template"].clone(),
            )
        };
        assert_eq!(of(&first), of(&night));
    }
    night.has_text_of(21);
}

#[test]
fn a_model_of_other_settings_is_learnt_anew_from_the_retained_pages() {
    let mut nights = Nights::new();
    nights.night(&posts(0..12));
    let config = write_file(nights.folder.path(), "other.toml", "[cluster]\nsimilarity = 0.36\n");
    let archive = nights.crawl(DAYS[1], &posts(20..21));
    let store = nights.store();
    let out = nights.folder.path().join("other");
    let arguments: Vec<&str> = [&config, &archive].map(|path| path.to_str().unwrap()).into();
    let options = ["--out", out.to_str().unwrap(), "--models", store.to_str().unwrap()];
    succeed(&[&["run"], &arguments[..], &options].concat());
    let health = parse(&fs::read_to_string(out.join("health.jsonl")).unwrap());
    assert_eq!(text(&health, "decision"), "learn-fresh");
    assert!(text(&health, "reason").contains("other settings"), "{health}");
    let pages = number(&store, "SELECT pages FROM models WHERE revision = 2");
    assert_eq!(pages, 13, "twelve retained, one of tonight");
}

#[test]
fn layouts_not_seen_for_long_are_retired() {
    let mut nights = Nights::new();
    let mut both = posts(0..12);
    both.extend(redesigned(20..26));
    let first = nights.night(&both);
    let old = text(first.results.article(&url(20)), "template").to_owned();
    let templates = "SELECT templates FROM models ORDER BY revision DESC LIMIT 1";
    let before = number(nights.store(), templates);
    let other = |n: usize| {
        let html = format!(
            "<table><tr><td class=m>menu<td><dl id=e>{}</dl></table>",
            prose::paragraphs(n)
                .iter()
                .map(|p| format!("<dd class=t>{p}</dd>"))
                .collect::<String>()
        );
        (format!("https://posts.example/tables/{n}"), html)
    };
    let mut late = posts(12..16);
    late.extend((50..54).map(other));
    let archive = nights.crawl("2026-09-01", &late);
    let night = nights.run(&archive, "late", &[]);
    assert_eq!(night.decision(), "add-templates", "{:?}", night.health);
    assert_eq!(number(nights.store(), templates), before, "one came, one went");
    let shown = call(&["models", "show", nights.store().to_str().unwrap(), "posts.example"]);
    let shown = succeeded(&shown);
    assert!(!shown.contains(&old), "{shown}");
}

/// A crawl of many sites.
fn many(nights: &mut Nights, day: &'static str, from: usize) -> PathBuf {
    let pages: Vec<(String, String)> = (0..240)
        .map(|n| {
            (format!("https://s{:02}.example/notes/{}", n / 6, from + n % 6), prose::post(from + n))
        })
        .collect();
    nights.crawl(day, &pages)
}

#[test]
fn a_killed_run_goes_on_and_leaves_the_same_store() {
    let mut nights = Nights::new();
    let first = many(&mut nights, DAYS[0], 0);
    nights.run(&first, "first", &[]);
    let second = many(&mut nights, DAYS[1], 300);
    let kept = nights.folder.path().join("kept.sqlite");
    fs::copy(nights.store(), &kept).unwrap();
    let undisturbed = nights.run(&second, "whole", &[]);
    let expected = all_rows(&nights.store());
    for delay in [0, 3, 9, 20, 45] {
        fs::copy(&kept, nights.store()).unwrap();
        let out = nights.folder.path().join(format!("killed-{delay}"));
        let store = nights.store();
        let mut child = run_command(&[&second], &out, &["--models", word(&store)]).spawn().unwrap();
        wait_for_a_site(&mut child, &out);
        std::thread::sleep(std::time::Duration::from_millis(delay));
        kill_process(child);
        let name = format!("killed-{delay}");
        let resumed = nights.run(&second, &name, &[]);
        assert_eq!(all_rows(&nights.store()), expected, "after {delay} ms");
        assert_eq!(resumed.health, undisturbed.health);
        for file in ["articles.jsonl", "health.jsonl", "dropped.jsonl"] {
            let read = |run: &str| fs::read(nights.folder.path().join(run).join(file)).unwrap();
            assert!(read(&name) == read("whole"), "{file} after {delay} ms");
        }
    }
}

#[test]
fn a_large_site_in_batches_gives_what_it_gives_at_once() {
    let mut nights = Nights::new();
    let config = write_file(nights.folder.path(), "small.toml", "[run]\nbatch_bytes = 60000\n");
    for (day, range) in [(DAYS[0], 0..60), (DAYS[1], 60..120)] {
        let archive = nights.crawl(day, &posts(range));
        let both: Vec<(Vec<u8>, Vec<u8>)> = [None, Some(&config)]
            .into_iter()
            .map(|config| {
                let name = if config.is_some() { "batches" } else { "whole" };
                let out = nights.folder.path().join(format!("{name}-{day}"));
                let store = nights.folder.path().join(format!("{name}.sqlite"));
                let inputs: Vec<&Path> =
                    config.into_iter().chain([&archive]).map(|p| &**p).collect();
                run(&inputs, &out, &["--models", word(&store)]);
                let read = |name: &str| fs::read(out.join(name)).unwrap();
                (read("articles.jsonl"), read("health.jsonl"))
            })
            .collect();
        assert!(both[0] == both[1], "{day}");
    }
}

#[test]
fn a_store_that_is_none_is_refused() {
    let mut nights = Nights::new();
    let archive = nights.crawl(DAYS[0], &posts(0..4));
    fs::write(nights.store(), "no database ".repeat(100)).unwrap();
    let before = fs::read(nights.store()).unwrap();
    let out = nights.folder.path().join("out");
    let (store, out) = (nights.store(), out.to_str().unwrap());
    let arguments =
        ["run", archive.to_str().unwrap(), "--out", out, "--models", store.to_str().unwrap()];
    let errors = refuse(&arguments);
    assert!(errors.contains("models.sqlite: is text, not a model store"), "{errors}");
    assert_eq!(fs::read(&store).unwrap(), before);
}

#[test]
fn a_night_without_pages_is_a_success_unless_it_is_to_fail() {
    let mut crawl = Crawl::new();
    crawl.response("https://e.example/a", "HTTP/1.1 404 Not Found\r\n", b"gone");
    let (folder, archive, out) = crawl.placed("night.warc.gz");
    let store = folder.path().join("models.sqlite");
    let store = store.to_str().unwrap();
    for (more, code) in [
        (vec![], 0),
        (vec!["--fail-on", "empty"], 1),
        (vec!["--fail-on", "empty", "--overwrite"], 1),
        (vec!["--fail-on", "broken,empty", "--overwrite", "--models", store], 1),
        (vec!["--fail-on", "broken", "--overwrite", "--models", store], 0),
    ] {
        let mut command = sitegrove();
        command.arg("run").arg(&archive).arg("--out").arg(&out).args(&more);
        let (found, stdout, stderr) = parts(&command.output().unwrap());
        assert_eq!(found, code, "{more:?}: {stderr}");
        let failure = "error: --fail-on empty: the inputs hold no page";
        assert_eq!(stderr.contains(failure), code == 1, "{stderr}");
        assert!(
            stdout.contains("No page among the 1 record of 1 input")
                || stdout.contains("Nothing to do"),
            "{stdout}"
        );
    }
    let mut command = sitegrove();
    command.arg("run").arg(&archive).arg("--out").arg(&out).args(["--fail-on", "broken"]);
    let (code, _, stderr) = parts(&command.output().unwrap());
    assert!(code == 2 && stderr.contains("--models"), "{stderr}");
}

#[test]
fn a_template_that_an_older_night_learnt_from_walls_is_removed() {
    let gates = |of: std::ops::Range<usize>| {
        let html = "<!doctype html><html lang=en><head><title>The old gate</title></head><body><main class=gate>\
            <section><h2>The old gate</h2><p>This gate stays closed while the keeper is away, and what lies behind it is \
            shown to those who carry the key of the house.</p><p>Come back with the key, or write to the keeper, who \
            answers every letter within a week or so.</p></section></main></body></html>";
        let page = move |n| (format!("https://posts.example/gate/{n:03}"), html.to_owned());
        of.map(page).collect::<Vec<_>>()
    };
    let mut nights = Nights::new();
    // Two pages with one text may be an article at two addresses.
    let first = nights.night(&[posts(0..8), gates(0..2)].concat());
    assert_eq!(first.results.articles.len(), 10);
    let second = nights.night(&[posts(10..18), gates(10..16)].concat());
    assert_eq!(second.verdict(), "blocked", "{:?}", second.health);
    assert_eq!(second.results.drops("duplicate-text").len(), 6);
    let count = |sql: &str| number(nights.store(), sql);
    assert_eq!(count("SELECT templates FROM models ORDER BY revision DESC LIMIT 1"), 1);
    assert_eq!(count("SELECT count(*) FROM retained WHERE url LIKE '%gate%'"), 0);
    let third = nights.night(&posts(20..28));
    assert_eq!((&*third.verdict(), third.results.articles.len()), ("healthy", 8));
}

#[test]
fn a_damaged_model_is_told_and_counted() {
    let mut nights = Nights::new();
    nights.night(&posts(0..8));
    let db = Connection::open(nights.store()).unwrap();
    let model: Vec<u8> = db.query_row("SELECT blob FROM models", [], |row| row.get(0)).unwrap();
    let mut bytes = zstd::decode_all(&*model).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..].fill(0);
    db.execute("UPDATE models SET blob = ?1", [zstd::encode_all(&*bytes, 3).unwrap()]).unwrap();
    drop(db);
    let archive = nights.crawl(DAYS[1], &posts(8..16));
    let (store, out) = (nights.store(), nights.folder.path().join("again"));
    let run = ["run", word(&archive), "--models", word(&store), "--out", word(&out)];
    let (code, _, stderr) = parts(&call(&run));
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stderr.contains("models.sqlite: 1 model cannot be read; others were learnt instead"),
        "{stderr}"
    );
    assert_eq!(Results::read(&out).count("models_damaged"), 1);
}
