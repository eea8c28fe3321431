//! Attacks by untrusted pages and feeds; docs/SECURITY.md refers to these tests line by line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use crate::common::crawl::Crawl;
use crate::common::program::{repository, run, write_file};
use crate::common::prose;
use crate::common::results::{files, text};

#[test]
fn nothing_is_fetched() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let place = format!("http://{}", listener.local_addr().unwrap());
    let head = format!(
        "<base href={place}/base/><link rel=canonical href={place}/canonical>\
         <link rel=stylesheet href={place}/style.css><script src={place}/x.js></script>\
         <meta http-equiv=refresh content='0;url={place}/refresh'>\
         <meta property=og:image content={place}/image.png>\
         <link rel=alternate type=application/rss+xml href={place}/feed.xml>"
    );
    let body = format!(
        "<iframe src={place}/frame></iframe><img src={place}/a.png srcset='{place}/b.png 2x'>\
         <object data={place}/o></object><video poster={place}/p src={place}/v></video>"
    );
    let mut crawl = Crawl::new();
    for n in 0..4 {
        crawl.page(&format!("{place}/notes/{n}"), &prose::post_with(n, &head, &body));
    }
    let (folder, archive, out) = crawl.placed("pages.warc.gz");
    let feed = folder.path().join("feed.xml");
    fs::write(
        &feed,
        format!(
            "<?xml version='1.0'?><?xml-stylesheet href='{place}/feed.xsl'?>\
             <!DOCTYPE rss SYSTEM '{place}/rss.dtd' [<!ENTITY x SYSTEM '{place}/entity'>\
             <!ENTITY % p SYSTEM '{place}/parameter'> %p;]>\
             <rss version='2.0' xmlns:xi='http://www.w3.org/2001/XInclude'><channel>\
             <title>&x;</title><link>{place}</link><xi:include href='{place}/include'/>\
             <item><title>t &x;</title><link>{place}/notes/1</link></item></channel></rss>"
        ),
    )
    .unwrap();
    let feed = feed.to_str().unwrap();
    let results = run(&[&archive], &out, &["--feeds", feed]);
    assert_eq!(results.articles.len(), 4, "{:?}", results.dropped);
    assert_eq!(results.count("feed_items"), 1, "the feed was not read: {:?}", results.dropped);
    let caller = listener.accept();
    assert!(caller.is_err(), "somebody called: {caller:?}");
    // A connection would have been observed.
    TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    assert!(listener.accept().is_ok());
}

#[test]
fn nothing_that_could_fetch_is_linked() {
    // The default build: only the feature `remote` has an HTTP client.
    let tree = std::process::Command::new(env!("CARGO"))
        .args(["tree", "--package", "sitegrove", "--edges", "normal", "--prefix", "none"])
        .args(["--locked", "--offline", "--format", "{p}", "--manifest-path"])
        .arg(repository().join("Cargo.toml"))
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).unwrap();
    let is_linked = |name: &str| tree.lines().any(|line| line.split(' ').next() == Some(name));
    assert!(is_linked("html5ever") && is_linked("sitegrove"), "{tree}");
    for name in [
        "reqwest", "hyper", "ureq", "curl", "isahc", "attohttpc", "native-tls", "rustls", "tokio",
        "async-std", "mio", "socket2", "openssl", "surf",
    ] {
        assert!(!is_linked(name), "{name} is linked");
    }
}

/// In place of the C library's `socket`: notes the call in the file `$SOCKETS`, and refuses.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const NO_SOCKET: &str = r#"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
int socket(int domain, int type, int protocol) {
    FILE *to = fopen(getenv("SOCKETS"), "a");
    fprintf(to, "%d %d %d\n", domain, type, protocol);
    fclose(to);
    errno = EACCES;
    return -1;
}
"#;

/// With the feature `remote`, too: no address is named here.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn no_socket_is_opened_unless_an_address_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(at("socket.c"), NO_SOCKET).unwrap();
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o", &at("socket.so"), &at("socket.c")]);
    assert!(compiler.status().unwrap().success());
    let watched = |program: &str, arguments: &[&str]| {
        let mut command = std::process::Command::new(program);
        command.args(arguments).env("LD_PRELOAD", at("socket.so")).env("SOCKETS", at("sockets"));
        command.output().unwrap()
    };
    // A program that opens one is seen.
    watched("bash", &["-c", "echo > /dev/tcp/127.0.0.1/9"]);
    assert!(fs::read_to_string(at("sockets")).unwrap().starts_with("2 "));
    fs::remove_file(at("sockets")).unwrap();

    let sample = repository().join("data");
    let data = |name: &str| sample.join(name).to_str().unwrap().to_owned();
    let (out, store, archive) = (at("out"), at("models.sqlite"), at("articles.sqlite"));
    let (crawl, feeds) = (data("crawl"), data("feeds"));
    let kept = ["--models", &store, "--archive", &archive, "--sinks", "jsonl,parquet,warc,index"];
    let calls: [&[&str]; 5] = [
        &[&["run", &crawl, "--feeds", &feeds, "--out", &out], &kept[..]].concat(),
        &["search", &out, "bridge"],
        &["inspect", &out, "--all"],
        &["export", "article", "--run", &out, "--out", &at("book.epub")],
        &["extract", &data("structure/tide-mill.html")],
    ];
    for arguments in calls {
        let output = watched(crate::common::program::PATH, arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(!fs::exists(at("sockets")).unwrap(), "{arguments:?}");
    }
}

#[test]
fn external_entities_bring_in_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let secret = write_file(folder.path(), "secret.txt", "the-secret-words");
    let archive = Crawl::of_posts("https://entity.example/notes/", 0..3)
        .write(folder.path(), "pages.warc.gz");
    let feed = folder.path().join("feed.xml");
    fs::write(
        &feed,
        format!(
            "<!DOCTYPE rss [<!ENTITY x SYSTEM 'file://{0}'>]><rss version='2.0'><channel>\
             <title>f</title><item><title>t</title><description>&x;</description>\
             <link>https://entity.example/notes/1</link></item></channel></rss>",
            secret.display()
        ),
    )
    .unwrap();
    let out = folder.path().join("out");
    let results = run(&[&archive], &out, &["--feeds", feed.to_str().unwrap()]);
    assert_eq!(results.count("feed_items"), 1, "the feed was not read: {:?}", results.dropped);
    for (name, bytes) in files(&out) {
        let found = String::from_utf8_lossy(&bytes).contains("the-secret-words");
        assert!(!found, "{name} has the file's words");
    }
}

#[test]
fn a_feed_of_a_hundred_megabytes_is_one_drop() {
    let mut crawl = Crawl::new();
    crawl.page("https://large.example/notes/1", &prose::post(1));
    let (folder, archive, out) = crawl.placed("pages.warc.gz");
    let item = "<item><title>t</title><link>https://large.example/notes/1</link></item>\n";
    let mut text_of = String::from("<rss version='2.0'><channel><title>f</title>");
    while text_of.len() < 100 << 20 {
        text_of += item;
    }
    text_of += "</channel></rss>";
    let feed = write_file(folder.path(), "feed.xml", text_of);
    let begun = Instant::now();
    let feed = feed.to_str().unwrap();
    let results = run(&[&archive], &out, &["--feeds", feed]);
    let drops = results.drops("bad-feed");
    assert_eq!(drops.len(), 1);
    assert!(text(drops[0], "detail").contains("read.max_feed_bytes"), "{drops:?}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    let without = run(&[&archive], &folder.path().join("without"), &[]);
    let peak = |results: &crate::common::results::Results| {
        results.ledger["peak_rss_bytes"].as_u64().unwrap_or(0) >> 20
    };
    let (with, without) = (peak(&results), peak(&without));
    // A buffer of up to 16 MiB, twice while it grows, and fragmentation by the growth.
    assert!(with < without + 64, "{with} MiB, and {without} without it");
}

#[test]
fn names_in_markup_do_not_escape_their_expressions() {
    // Names that would end a string, a predicate, a line or a file if they were inserted unescaped.
    let names = [
        "x'] | //*[@a='",
        "x\"] | //*[@a=\"",
        "'\"",
        "]]>",
        "a\nstrip: //body\nb",
        "a\u{2028}b",
        "</script><script>alert(1)</script>",
        "${jndi:ldap}",
    ];
    let url = |n: usize, seed: usize| format!("https://names-{n}.example/notes/{seed}");
    let (mut crawl, mut pages) = (Crawl::new(), BTreeMap::new());
    for (n, name) in names.iter().enumerate() {
        let escaped = name.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
        for seed in 0..5 {
            // Only these names distinguish the article from its surroundings.
            let entry = format!("<div id=\"{escaped}\" class=\"{escaped}\" data-x=\"{escaped}\">");
            let post = prose::post(seed);
            let named = post
                .replace("<div class=entry>", &entry)
                .replace("<body", &format!("<body class=\"{escaped}\""));
            assert_ne!(post.replace("<body", &format!("<body class=\"{escaped}\"")), named);
            crawl.page(&url(n, seed), &named);
            pages.insert(url(n, seed), named);
        }
    }
    let results = crawl.run(&[]);
    assert_eq!(results.articles.len(), 5 * names.len(), "{:?}", results.dropped);
    for article in &results.articles {
        let read = |expression: &serde_json::Value| -> dom::xpath::Path {
            let expression = expression.as_str().unwrap();
            assert!(!expression.contains(['\n', '\r', '\u{2028}']), "{expression:?}");
            expression.parse().unwrap_or_else(|e| panic!("{expression}: {e:?}"))
        };
        let paths: Vec<_> = article["xpath"].as_array().unwrap().iter().map(read).collect();
        // The expressions select exactly the article, so no name has changed their meaning.
        let document = dom::parse(&pages[text(article, "url")]);
        let selected = wrapper::select(&paths, &document);
        let found = dom::text_of(&document, &selected, &[]);
        assert!(found.contains("The "), "{:?} selects {found:?}", article["xpath"]);
        for beside in ["Home", "About us", "All rights reserved"] {
            assert!(!found.contains(beside), "{:?} selects {found:?}", article["xpath"]);
        }
    }
    // Some of the names are used in the expressions.
    let expressions: BTreeSet<&str> = (results.articles.iter())
        .flat_map(|article| article["xpath"].as_array().unwrap())
        .map(|expression| expression.as_str().unwrap())
        .collect();
    for written in ["' x\"] '", "\" x'] \"", "@id=']]>'", "@id=concat('',\"'\",'\"')"] {
        let used = expressions.iter().any(|expression| expression.contains(written));
        assert!(used, "{written} is in none of {expressions:?}");
    }
}

#[test]
fn text_of_pages_adds_no_directive_to_wrapper_files() {
    // Text, titles, names and addresses that would begin a line or end a comment if they were
    // inserted unescaped.
    let bad = [
        "x\nstrip: //body\ny",
        "x\r\nstrip: //body\r\ny",
        "x\rstrip: //body",
        "# strip: //body",
        "strip: //body",
        "x\u{2028}strip: //body\u{85}strip: //html",
        "http_header(cookie): a=b",
    ];
    let mut crawl = Crawl::new();
    for (n, text) in bad.iter().enumerate() {
        for seed in 0..5 {
            let name = text.replace('"', "&quot;");
            let post =
                prose::post_with(seed, &format!("<meta property=og:title content=\"{name}\">"), "")
                    .replace("<p>The", &format!("<p>{text} The"))
                    .replace("<h1>", &format!("<h1 id=\"{name}\">{text}"))
                    .replace("class=entry", &format!("class=\"entry {name}\""));
            let path =
                text.replace(' ', "%20").replace(['\n', '\r', '#', '\u{2028}', '\u{85}'], "%0A");
            crawl.page(&format!("https://lines-{n}.example/{path}/{seed}?q={path}"), &post);
        }
    }
    let (_folder, archive, out) = crawl.placed("lines.warc.gz");
    let results = run(&[&archive], &out, &["--sinks", "jsonl,siteconfig"]);
    assert_eq!(results.articles.len(), 5 * bad.len(), "{:?}", results.dropped);
    let mut bodies = 0;
    for entry in std::fs::read_dir(out.join("site-config")).unwrap() {
        let file = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for line in file.split(['\n', '\r', '\u{2028}', '\u{85}']).filter(|line| !line.is_empty()) {
            let name = line.split(':').next().unwrap_or_default();
            let ours = ["title", "author", "date", "body", "strip", "prune", "tidy"];
            let tests = ["test_url", "test_contains"];
            let known = line.starts_with("# ") || ours.contains(&name) || tests.contains(&name);
            assert!(known, "{line:?} in\n{file}");
            assert!(!["strip: //body", "strip: //html"].contains(&line), "{file}");
            bodies += usize::from(name == "body");
        }
    }
    assert!(bodies >= bad.len(), "{bodies}");
}
