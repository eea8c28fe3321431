//! Seven nights of sites that are blocked, lost, shrunken, redesigned or quiet, and the verdict of each in each night.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::crawl::{Crawl, HTML};
use crate::common::nights::{DAYS, Night, Nights};
use crate::common::program::{call, parts};
use crate::common::prose;
use crate::common::results::{parse, text};
use crate::common::rows::{column, number};

/// Pages of a site a night.
const PAGES: usize = 12;

/// What a site does in a night.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Does {
    /// It serves so many posts.
    Posts(usize),
    /// It serves posts with other names in their markup.
    Renamed,
    /// It serves posts in another layout.
    Redesigned,
    /// It answers with this status.
    Status(&'static str),
    BotCheck,
    Consent,
    Shell,
    Paywall,
    /// The same below the beginnings of its posts, and beside a list.
    Teaser,
    /// It serves a notice of which nothing is known.
    Notice,
    /// It serves the heads of its posts, without their texts.
    Headless,
}

fn bot_check(n: usize) -> String {
    format!(
        "<!doctype html><html lang=en><head><title>One moment, please</title></head><body><main>\
         <h1>One moment, please</h1><p>We are checking that your browser is not a robot.</p>\
         <p>Please enable JavaScript and cookies to continue. Request 9f{n:04x}77ab</p></main></body></html>"
    )
}

const CONSENT: &str = "<!doctype html><html lang=en><head><title>Your privacy</title></head><body><div class=cmp>\
    <h1>Your privacy</h1><p>We and our 311 partners store cookies on your device and process personal data for \
    advertising and audience measurement.</p><p>You can consent to this processing, or refuse it.</p>\
    <button>Accept all</button><button>Reject all</button></div></body></html>";

const SHELL: &str = "<!doctype html><html><head><title>Posts</title><script src=/app.js></script></head><body>\
    <noscript></noscript><div id=root></div><script>start()</script></body></html>";

fn with_text(n: usize, text: &str) -> String {
    let paragraphs: String = prose::paragraphs(n).iter().map(|p| format!("<p>{p}</p>\n")).collect();
    let html = prose::post(n);
    assert!(html.contains(&paragraphs));
    html.replace(&paragraphs, text)
}

const PAYWALL: &str = "<div class=wall><p>This article is for subscribers only. Subscribe now to read this story and \
    all others from just one pound a week.</p><p>Already a subscriber? Sign in to continue reading.</p></div>\n";

const NOTICE: &str = "<section><p>The rest of these lines is kept in a drawer for those who have the key to it.</p></section>\n";

fn teaser(n: usize) -> String {
    let first = &prose::paragraphs(n)[0];
    with_text(n, &format!("<p>{first}</p>\n{PAYWALL}<ul><li>Part {n}<li>Number {n}</ul>"))
}

fn add(crawl: &mut Crawl, site: &str, first: usize, does: Does) {
    let pages = match does {
        Does::Posts(pages) => pages,
        Does::BotCheck => 7,
        _ => PAGES,
    };
    for n in first..first + pages {
        let url = format!("https://{site}/notes/{n:04}");
        let html = match does {
            Does::Status(status) => {
                let head = format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\n");
                crawl.response(&url, &head, b"<h1>No</h1>");
                continue;
            }
            Does::Posts(_) => prose::post(n),
            Does::Renamed => prose::renamed(n),
            Does::Redesigned => prose::redesigned(n),
            Does::BotCheck => bot_check(n),
            Does::Consent => CONSENT.to_owned(),
            Does::Shell => SHELL.to_owned(),
            Does::Paywall => with_text(n, PAYWALL),
            Does::Teaser => teaser(n),
            Does::Notice => with_text(n, NOTICE),
            Does::Headless => with_text(n, "<p>Read on.</p>"),
        };
        crawl.response(&url, HTML, html.as_bytes());
    }
}

const ALL: Does = Does::Posts(PAGES);
const NONE: Does = Does::Posts(0);
const FORBIDDEN: Does = Does::Status("403 Forbidden");
const LIMITED: Does = Does::Status("429 Too Many Requests");

/// By site what it does in each night, and the verdicts.
const SITES: [(&str, [Does; 7], &str); 18] = [
    ("always.example", [Does::BotCheck; 7], "B B B B B B B"),
    (
        "check.example",
        [ALL, ALL, ALL, Does::BotCheck, Does::BotCheck, Does::BotCheck, ALL],
        "h h h B B B h",
    ),
    ("consent.example", [ALL, ALL, Does::Consent, Does::Consent, ALL, ALL, ALL], "h h B B h h h"),
    (
        "forbidden.example",
        [ALL, ALL, FORBIDDEN, FORBIDDEN, FORBIDDEN, FORBIDDEN, FORBIDDEN],
        "h h B B B B B",
    ),
    ("never.example", [FORBIDDEN; 7], "B B B B B B B"),
    ("limited.example", [ALL, ALL, LIMITED, LIMITED, ALL, ALL, ALL], "h h B B h h h"),
    (
        "shell.example",
        [ALL, ALL, Does::Shell, Does::Shell, Does::Shell, Does::Shell, Does::Shell],
        "h h B B B B B",
    ),
    (
        "paywall.example",
        [ALL, ALL, Does::Paywall, Does::Paywall, Does::Paywall, ALL, ALL],
        "h h B B B h h",
    ),
    ("teasers.example", [ALL, ALL, ALL, Does::Teaser, Does::Teaser, ALL, ALL], "h h h B B h h"),
    (
        "unheard-notice.example",
        [ALL, ALL, ALL, Does::Notice, Does::Notice, ALL, ALL],
        "h h h B B h h",
    ),
    ("lost.example", [ALL, ALL, ALL, NONE, NONE, ALL, ALL], "h h h M M h h"),
    (
        "shrunken.example",
        [ALL, ALL, ALL, Does::Posts(2), Does::Posts(2), ALL, ALL],
        "h h h S S h h",
    ),
    ("empty.example", [ALL, ALL, ALL, Does::Headless, Does::Headless, ALL, ALL], "h h h X X h h"),
    (
        "redesigned.example",
        [ALL, ALL, ALL, Does::Redesigned, Does::Redesigned, Does::Redesigned, Does::Redesigned],
        "h h h h h h h",
    ),
    (
        "markup.example",
        [ALL, ALL, Does::Renamed, Does::Renamed, Does::Renamed, Does::Renamed, Does::Renamed],
        "h h h h h h h",
    ),
    (
        "alternating.example",
        [ALL, Does::Redesigned, ALL, Does::Redesigned, ALL, Does::Redesigned, ALL],
        "h h h h h h h",
    ),
    (
        "quiet.example",
        [
            Does::Posts(1),
            Does::Posts(2),
            NONE,
            Does::Posts(1),
            NONE,
            Does::Posts(3),
            Does::Posts(1),
        ],
        "f f f f f h f",
    ),
    ("steady.example", [ALL; 7], "h h h h h h h"),
];

fn letter(verdict: &str) -> char {
    match verdict {
        "healthy" => 'h',
        "too-few-pages" => 'f',
        "drifting" => 'd',
        "shrunken" => 'S',
        "broken" => 'X',
        "blocked" => 'B',
        "missing" => 'M',
        _ => '?',
    }
}

fn crawl_of(night: usize) -> Crawl {
    let mut crawl = Crawl::of_day(DAYS[night]);
    for (site, does, _) in SITES {
        let first = night * PAGES + 100 * usize::from(site.len() as u8);
        add(&mut crawl, site, first, does[night]);
    }
    crawl
}

fn seven_nights() -> (Nights, Vec<Night>) {
    let nights = Nights::new();
    let run = |night: usize| {
        let archive = crawl_of(night).write(nights.folder.path(), &format!("{night}.warc.gz"));
        nights.run(&archive, &format!("out-{night}"), &[])
    };
    let all = (0..7).map(run).collect();
    (nights, all)
}

#[test]
fn verdicts_are_those_of_the_output() {
    let (nights, all) = seven_nights();
    let mut found: BTreeMap<&str, String> = BTreeMap::new();
    let mut told = String::new();
    for (at, night) in all.iter().enumerate() {
        for (site, ..) in SITES {
            let health = night.health.get(site);
            let verdict = health.map_or('-', |health| letter(health["health"].as_str().unwrap()));
            let line = found.entry(site).or_default();
            *line += if line.is_empty() { "" } else { " " };
            line.push(verdict);
            if let Some(health) = health {
                let _ = writeln!(
                    told,
                    "{at} {site}: {} | {} | {} | {}",
                    health["health"], health["evidence"], health["next"], health["reason"]
                );
            }
        }
    }
    let expected: BTreeMap<&str, String> =
        SITES.iter().map(|(site, _, verdicts)| (*site, (*verdicts).to_owned())).collect();
    assert!(found == expected, "{told}\nexpected {expected:#?}\nfound {found:#?}");

    for night in &all {
        // Each verdict has its numbers, and each that wakes somebody says what to do.
        for health in night.health.values() {
            let has = |field: &str| !health[field].as_str().unwrap().is_empty();
            let wakes = !["healthy", "too-few-pages"].contains(&health["health"].as_str().unwrap());
            assert!(has("evidence") && has("next") == wakes, "{health}");
        }
    }
    let kinds: Vec<String> = [
        "check.example", "consent.example", "forbidden.example", "limited.example",
        "shell.example", "paywall.example", "teasers.example", "unheard-notice.example",
    ]
    .map(|site| all[3].of(site, "blocked_by"))
    .into();
    let expected = [
        "bot-check", "consent-wall", "http-403", "http-429", "script-shell", "paywall-stub",
        "paywall-stub", "duplicate-text",
    ];
    assert_eq!(kinds, expected);
    walls_are_neither_learnt_nor_retained(&nights.store());
    all_files_agree(&all[3]);
    the_history_of_a_site_is_a_table(&nights.store());
    a_night_once_more_says_the_same(&nights, &all);
}

fn walls_are_neither_learnt_nor_retained(store: &Path) {
    let count = |sql: &str| number(store, sql);
    assert_eq!(count("SELECT count(*) FROM models WHERE site = 'always.example'"), 0);
    for site in ["check", "consent", "shell"] {
        let sql = format!("SELECT max(templates) FROM models WHERE site = '{site}.example'");
        assert_eq!(count(&sql), 1, "{site}");
    }
    // Two layouts that alternate are two templates, and not a new revision each night.
    let alternating = "FROM models WHERE site = 'alternating.example'";
    assert_eq!(count(&format!("SELECT max(templates) {alternating}")), 2);
    assert_eq!(count(&format!("SELECT max(revision) {alternating}")), 2);
    for row in column::<String>(store, "SELECT site || ' ' || url FROM retained") {
        let (site, url) = row.split_once(' ').unwrap();
        let (_, does, _) = SITES.into_iter().find(|(own, ..)| *own == site).unwrap();
        let n: usize = url.rsplit('/').next().unwrap().parse().unwrap();
        let night = (n - 100 * site.len()) / PAGES;
        let is_wall = !matches!(does[night], Does::Posts(_) | Does::Renamed | Does::Redesigned);
        assert!(!is_wall, "{url} of night {night}");
    }
}

/// The counts of the ledger, the list of what needs attention, and the comparison of a night say the same as `health.jsonl`.
fn all_files_agree(night: &Night) {
    let mut verdicts: BTreeMap<String, u64> = BTreeMap::new();
    for health in night.health.values() {
        *verdicts.entry(text(health, "health").to_owned()).or_default() += 1;
    }
    let counted = &night.results.ledger["counts"]["sites_by_health"];
    assert_eq!(*counted, serde_json::to_value(&verdicts).unwrap());
    let alarms: Vec<&str> = night.results.ledger["attention"]
        .as_array()
        .unwrap()
        .iter()
        .map(|alarm| text(alarm, "health"))
        .collect();
    assert_eq!(alarms[0], "missing", "the worst first");
    let waking = ["missing", "blocked", "broken", "shrunken"];
    let all: u64 = waking.iter().filter_map(|verdict| verdicts.get(*verdict)).sum();
    assert_eq!(alarms.len() as u64, all);
    assert!(night.told.contains("sites to look at:\n"), "{}", night.told);
    let comparison = fs::read_to_string(night.results.folder.join("comparison.json")).unwrap();
    let comparison = parse(&comparison);
    let sites = comparison["sites"].as_array().unwrap();
    assert_eq!(sites.len(), night.health.len());
    for site in sites {
        assert_eq!(site["evidence"], night.health[text(site, "site")]["evidence"]);
    }
    let of = |name: &str| sites.iter().find(|site| site["site"] == name).unwrap();
    let forbidden = of("forbidden.example");
    assert_eq!(forbidden["drops"]["http-403"], PAGES);
    assert_eq!(
        (&forbidden["articles"], &forbidden["usual"]["articles"]),
        (&0.into(), &12.0.into())
    );
    let steady = of("steady.example");
    assert_eq!(steady["usual"]["nights"], 3);
    assert_eq!((&steady["pages"], &steady["fields"]["title"]), (&PAGES.into(), &PAGES.into()));
    let refused = night.results.drops("http-status");
    assert!(refused.iter().all(|drop| text(drop, "url").contains(text(drop, "site"))));
    let report = fs::read_to_string(night.results.folder.join("report/index.html")).unwrap();
    let at = |what: &str| report.find(what).unwrap_or_else(|| panic!("no {what} in the report"));
    assert!(at("lost.example") < at("steady.example"), "what needs attention comes first");
    assert!(report.contains("no page for 1 night"));
    let usual = &night.results.ledger["counts"]["usual_articles"];
    assert!(report.contains(&format!("; usually {usual} articles")));
    let mut changed = report.split("<h3><bdi>").skip(1).filter(|part| part.contains("Now</h5>"));
    assert!(changed.all(|part| {
        let (site, rest) = part.split_once("</bdi> <span class=\"verdict ").unwrap();
        rest.starts_with(&format!("{}\"", text(&night.health[site], "health")))
    }));
}

fn the_history_of_a_site_is_a_table(store: &Path) {
    let health = |site: &str, more: &[&str]| {
        let fixed = ["models", "health", store.to_str().unwrap(), site];
        parts(&call(&[&fixed[..], more].concat()))
    };
    let (code, table, errors) = health("check.example", &[]);
    assert_eq!(code, 0, "{errors}");
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[0].starts_with("night       health") && rows.len() == 8, "{table}");
    assert!(rows[4].starts_with("2026-03-04  blocked"), "{table}");
    let (_, json, _) = health("lost.example", &["--format", "json"]);
    let pages: Vec<Value> = json.lines().map(|line| parse(line)["pages"].clone()).collect();
    assert_eq!(pages, [12, 12, 12, 0, 0, 12, 12].map(Value::from));
    let (code, _, errors) = health("nobody.example", &[]);
    assert!(code == 2 && errors.contains("models list"), "{errors}");
}

fn a_night_once_more_says_the_same(nights: &Nights, all: &[Night]) {
    let archive = nights.folder.path().join("3.warc.gz");
    let again =
        nights.run(&archive, "again", &["--fail-on", "missing,blocked>2,articles<80%", "--quiet"]);
    assert_eq!(again.health, all[3].health);
    assert_eq!(again.results.articles, all[3].results.articles);
    assert_eq!(again.code, 1);
}

#[test]
fn a_night_that_comes_late_is_judged_by_those_before_it() {
    let nights = Nights::new();
    let run = |night: usize| {
        let archive = crawl_of(night).write(nights.folder.path(), &format!("{night}.warc.gz"));
        nights.run(&archive, &format!("out-{night}"), &[])
    };
    let late = [0, 1, 2, 4, 3].map(run).into_iter().next_back().unwrap();
    for (site, _, verdicts) in SITES {
        let wanted = verdicts.split(' ').nth(3).unwrap();
        assert_eq!(
            letter(&late.of(site, "health")).to_string(),
            wanted,
            "{site}: {:?}",
            late.health[site]
        );
    }
    let dates = format!("{:?}", DAYS.iter().take(5).collect::<Vec<_>>());
    let sql = "SELECT night FROM nights WHERE site = 'lost.example' ORDER BY night";
    let found: Vec<String> = column(nights.store(), sql);
    assert_eq!(format!("{found:?}"), dates);
}

#[test]
fn what_makes_a_night_fail_is_named_on_standard_error() {
    let (nights, _) = seven_nights();
    let fail = |conditions: &str, more: &[&str]| {
        let (out, store) = (nights.folder.path().join("out-3"), nights.store());
        let archive = nights.folder.path().join("3.warc.gz");
        let [out, store, archive] = [&out, &store, &archive].map(|path| path.to_str().unwrap());
        let fixed = ["run", archive, "--out", out, "--models", store, "--fail-on", conditions];
        parts(&call(&[&fixed[..], more].concat()))
    };
    let (code, told, errors) = fail("missing", &["--quiet"]);
    assert_eq!((code, &*told), (1, ""));
    let lines: Vec<&str> = errors.lines().collect();
    assert!(lines[0].contains("--fail-on missing: 1 site is missing"), "{errors}");
    assert!(lines[1].contains("lost.example: missing: no page for 1 night"), "{errors}");
    assert!(errors.contains("sitegrove models forget FILE lost.example"), "{errors}");
    let (code, _, errors) = fail("missing>1,broken>1,articles<20%", &["--quiet"]);
    assert_eq!((code, &*errors), (0, ""));
    let (code, _, errors) = fail("articles<80%", &["--quiet", "--log-format", "json"]);
    assert_eq!(code, 1);
    let lines: Vec<Value> = errors.lines().map(parse).collect();
    assert_eq!(lines.len(), 12, "ten sites, before them why, behind them how many more: {errors}");
    assert!(lines[11].to_string().contains("and 3 more"), "{errors}");
    let (_, _, errors) = fail("too-few-pages", &["--quiet"]);
    assert!(errors.contains("1 more; comparison.json has all of them"), "{errors}");
    let (code, _, errors) = fail("lost", &[]);
    assert!(code == 2 && errors.contains("articles<80%"), "{errors}");
}
