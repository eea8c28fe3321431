//! Texts that a page has only as data for its scripts, and what renderings of archives have.

use archive::RecordKind;
use serde_json::{Value, json};

use crate::common::crawl::Crawl;
use crate::common::prose;
use crate::common::results::{Results, text};

/// The address of a page.
fn url(n: usize) -> String {
    format!("https://shell.example/stories/{}", slug(n))
}

fn slug(n: usize) -> String {
    format!("a-story-of-many-words-{n}")
}

fn html(n: usize) -> String {
    prose::paragraphs(n).iter().map(|paragraph| format!("<p>{paragraph}</p>")).collect()
}

/// A page whose scripts show its article. The others of the site are in its data, too.
fn shell(n: usize, data: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>{} | Shell</title></head>\
         <body><div id=app></div>{data}<script src=app.js></script></body></html>",
        prose::title(n)
    )
}

/// The state of a page: its article, and further ones.
fn state(n: usize, body: Value) -> Value {
    let related: Vec<Value> = (50..56)
        .map(|other| json!({"headline": prose::title(other), "slug": slug(other), "text": html(other).repeat(3)}))
        .collect();
    let article =
        json!({"headline": prose::title(n), "slug": slug(n), "content": body, "related": related});
    let legal = "We use cookies and similar means to remember what you like. You may refuse them at any time. ";
    let messages = json!({"en": {"common": {"texts": {"legal": legal.repeat(40)}}}});
    json!({"props": {"pageProps": {"story": article, "messages": messages}}, "query": {"slug": slug(n)}})
}

fn run_pages(page: &dyn Fn(usize) -> String) -> Results {
    let mut crawl = Crawl::new();
    for n in 0..4 {
        crawl.page(&url(n), &page(n));
    }
    crawl.run(&["--markdown"])
}

fn assert_from_data(name: &str, results: &Results) {
    assert_eq!(results.articles.len(), 4, "{name}: {:?}", results.dropped);
    for n in 0..4 {
        let article = results.article(&url(n));
        assert_eq!(article["route"], "page-data", "{name}");
        assert_eq!(text(article, "title"), prose::title(n), "{name}");
        assert_eq!(text(article, "text"), prose::paragraphs(n).join("\n\n"), "{name}");
        assert_eq!(text(article, "markdown"), prose::paragraphs(n).join("\n\n"), "{name}");
        let html = text(article, "html");
        assert_eq!(html.matches("<p>").count(), prose::paragraphs(n).len(), "{name}: {html}");
    }
}

#[test]
fn a_text_that_is_only_in_the_state_of_scripts_is_taken_from_there() {
    let blocks = |n: usize| {
        let block = |words: &String| json!({"kind": "paragraph", "children": [{"text": words, "marks": []}]});
        Value::Array(prose::paragraphs(n).iter().map(block).collect())
    };
    let flight = |n: usize| {
        let mut state = state(n, json!("$a"));
        state["query"] = Value::Null;
        let body = html(n);
        let rows = format!(
            "1:I[\"app.js\"]\n0:{}\na:T{:x},{body}b:\"end\"\n",
            json!(["$", "$L1", null, state]),
            body.len()
        );
        let middle = rows.floor_char_boundary(rows.len() / 2);
        let push = |part: &str| {
            format!("<script>self.__next_f.push([1,{}])</script>", Value::String(part.to_owned()))
        };
        format!(
            "<script>(self.__next_f=self.__next_f||[]).push([0])</script>{}{}",
            push(&rows[..middle]),
            push(&rows[middle..])
        )
        .replace("</p>", "\\u003c/p>")
    };
    let in_script = |value: &Value| value.to_string().replace("</", "<\\/");
    let flat = |n: usize| {
        let value = json!([["Reactive", 1], {"data": 2}, {"story": 3}, {"headline": 4, "slug": 5, "content": 6},
            prose::title(n), slug(n), html(n)]);
        format!("<script type='application/json' id=DATA>{}</script>", in_script(&value))
    };
    let cache = |n: usize| {
        let value = json!({"Root": {"story": {"__ref": "Story:1"}}, "Body:2": {"html": html(n)},
            "Story:1": {"headline": prose::title(n), "content": {"__ref": "Body:2"}},
            "Story:2": {"headline": prose::title(70), "content": {"html": html(70).repeat(2)}}});
        format!("<script>window.__CACHE__={};</script>", in_script(&value))
    };
    type WritePage<'a> = Box<dyn Fn(usize) -> String + 'a>;
    let forms: [(&str, WritePage<'_>); 7] = [
        (
            "json",
            Box::new(|n| {
                format!(
                    "<script id=__DATA__ type='application/json'>{}</script>",
                    in_script(&state(n, json!(html(n))))
                )
            }),
        ),
        (
            "assigned",
            Box::new(|n| {
                let state = in_script(&state(n, json!({"rendered": html(n)})));
                format!(
                    "<script>!function(){{window.a={{}}}}();window.__STATE__ = {{user:undefined,at:new Date(1),main:{state}}};go()</script>"
                )
            }),
        ),
        (
            "blocks",
            Box::new(|n| {
                format!(
                    "<script>window.S=JSON.parse({})</script>",
                    in_script(&Value::String(state(n, blocks(n)).to_string()))
                )
            }),
        ),
        (
            "attribute",
            Box::new(|n| {
                let state = state(n, json!(prose::paragraphs(n))).to_string();
                format!(
                    "<div id=root data-page=\"{}\"></div>",
                    state.replace('&', "&amp;").replace('"', "&quot;")
                )
            }),
        ),
        ("rows", Box::new(flight)),
        ("places", Box::new(flat)),
        ("cache", Box::new(cache)),
    ];
    for (name, data) in forms {
        assert_from_data(name, &run_pages(&|n| shell(n, &data(n))));
    }
}

#[test]
fn data_is_not_read_where_the_page_has_its_article() {
    let data = |n: usize| {
        let mut state = state(n, json!(html(n)));
        state["props"]["pageProps"]["story"]["author"] = json!({"about": html(80).repeat(3)});
        format!(
            "<script type='application/json'>{}</script></body>",
            state.to_string().replace("</", "<\\/")
        )
    };
    let results = run_pages(&|n| prose::post(n).replace("</body>", &data(n)));
    assert_eq!(results.articles.len(), 4);
    for n in 0..4 {
        let article = results.article(&url(n));
        assert_ne!(article["route"], "page-data");
        assert!(text(article, "text").contains(&prose::paragraphs(n)[0]));
    }
}

#[test]
fn texts_of_other_articles_are_not_those_of_a_shell() {
    let list = |_: usize| {
        let items: Vec<Value> = (50..56)
            .map(|other| json!({"headline": prose::title(other), "slug": slug(other), "text": html(other)}))
            .collect();
        json!({"items": items, "about": html(60)}).to_string().replace("</", "<\\/")
    };
    let results =
        run_pages(&|n| shell(n, &format!("<script type='application/json'>{}</script>", list(n))));
    assert!(results.articles.is_empty(), "{:?}", results.urls());
    assert_eq!(results.drops("script-shell").len(), 4);
}

/// What a crawler with a browser saw, beside what the server sent.
#[test]
fn renderings_of_archives_are_read_where_the_page_has_no_article() {
    let rendered = |n: usize| {
        let mut lines = vec!["Home".to_owned(), "News".to_owned(), prose::title(n)];
        lines.extend(prose::paragraphs(n));
        lines.push("Imprint".to_owned());
        lines.join("\n")
    };
    let mut crawl = Crawl::new();
    let address = |kind: &str, n: usize| format!("urn:{kind}:{}", url(n));
    for n in 0..4 {
        crawl.page(&url(n), &shell(n, ""));
        crawl.record(
            RecordKind::Resource,
            &address("text", n),
            "text/plain",
            rendered(n).as_bytes(),
        );
    }
    for n in 4..8 {
        crawl.page(&url(n), &prose::post(n));
        let other = rendered(n + 90);
        crawl.record(
            RecordKind::Resource,
            &address("textFinal", n),
            "text/plain; charset=utf-8",
            other.as_bytes(),
        );
        crawl.record(
            RecordKind::Resource,
            &address("pageinfo", n),
            "application/json",
            b"{\"counts\": 1}",
        );
    }
    for n in 8..12 {
        crawl.page(&url(n), &shell(n, ""));
        crawl.record(
            RecordKind::Resource,
            &address("dom", n),
            "text/html",
            prose::post(n).as_bytes(),
        );
    }
    let results = crawl.run(&[]);
    assert_eq!(results.articles.len(), 12, "{:?}", results.dropped);
    for n in 0..12 {
        let article = results.article(&url(n));
        let own = text(article, "text");
        assert!(prose::paragraphs(n).iter().all(|p| own.contains(p.as_str())), "{n}: {own}");
        assert!(!own.contains(&prose::paragraphs(n + 90)[0]), "{own}");
    }
}
