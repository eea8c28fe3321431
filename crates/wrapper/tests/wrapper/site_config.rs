//! Files of the ftr-site-config format: parsed, printed, and applied to pages.

use dom::{Document, ParseOptions, markdown_of, text_of};
use proptest::prelude::*;
use sitegrove_wrapper::site_config::{
    AppliedConfig, CompiledSiteConfig, Directive, DirectiveVerdict, Expression, ExpressionError,
    ProbeSamples, SampleWithValues, SiteConfig, SiteConfigLine, apply, compile, known_directives,
};

const PAGE: &str = r#"<html><head><title>A headline | The Site</title>
<meta property="article:published_time" content="2024-05-01T10:00:00Z">
<script>var when = "May 2";</script></head><body>
<h1>A headline</h1><p class="by">By <a rel=author>Ann Lee</a> and <a rel=author>Bo Chan</a></p>
<div id="main" class="story wide"><h2>A headline</h2><p>One <b>two</b>.</p><p class=ad>Buy!</p>
<p style="display:none">hidden</p><img src="x.gif" data-full="/big.jpg"><div class="share-bar">Share</div>
<p>Three.</p></div><div class=related><p>Other</p></div></body></html>"#;

fn compiled(file: &str) -> CompiledSiteConfig {
    let (wrapper, findings) = compile(&SiteConfig::parse(file));
    let bad: Vec<_> = findings.iter().filter(|f| f.verdict != DirectiveVerdict::Honoured).collect();
    assert!(bad.is_empty(), "{bad:?}");
    wrapper
}

fn applied_to(html: &str, file: &str) -> (Document, AppliedConfig) {
    apply(html, &compiled(file), &ParseOptions::CONTENT)
}

/// The body's text on one line.
fn body_of(html: &str, file: &str) -> String {
    let (document, applied) = applied_to(html, file);
    let Some((_, nodes)) = &applied.body else { return "nothing".to_owned() };
    dom::normalize_space(&text_of(&document, nodes, &applied.removed))
}

fn body(file: &str) -> String {
    body_of(PAGE, file)
}

fn body_markdown(file: &str) -> String {
    let (document, applied) = applied_to(PAGE, file);
    let (_, nodes) = applied.body.unwrap();
    let base = url::Url::parse("https://a.example/").unwrap();
    markdown_of(&document, &nodes, &applied.removed, &base)
}

#[test]
fn body_is_the_first_expression_that_finds_something() {
    assert_eq!(body("body: //article\nbody: //div[@class='related']"), "Other");
    assert_eq!(body("body: //div/p[1] | //div/p[1]/b"), "One two. Other");
    assert_eq!(body("body: //article"), "nothing");
    assert_eq!(body("body: //meta/@content\nbody: //div[@class='related']/p/text()"), "Other");
    let (_, applied) = applied_to(PAGE, "body: //article\nbody: //h1");
    assert_eq!(applied.body.unwrap().0, "//h1");
}

#[test]
fn what_is_stripped_is_named_and_left_out() {
    let all = "One two. Buy! Share Three.";
    assert_eq!(body("body: //div[@id='main']\nstrip: //h2"), all);
    assert_eq!(
        body("body: //div[@id='main']\nstrip: //h2 | //p[@class='ad']"),
        "One two. Share Three."
    );
    let file =
        "body: //div[@id='main']\nstrip: //h2\nstrip: //nothing\nstrip_id_or_class: \"share\"\n";
    assert_eq!(body(file), "One two. Buy! Three.");
    let (_, applied) = applied_to(PAGE, file);
    assert_eq!(
        applied.removed_by,
        [
            "//h2",
            "//*[contains(@class,'share') or contains(@id,'share')]",
            "//*[contains(@style,'display:none')]",
        ]
    );
    assert!(!body_markdown("body: //div[@id='main']\nstrip_image_src: .gif").contains("!["));
    assert!(body_markdown("body: //div[@id='main']").contains("!["));
}

#[test]
fn title_authors_and_date_are_told_and_taken_out() {
    let given = |file: &str| applied_to(PAGE, file).1.given;
    assert_eq!(given("title: //nothing\ntitle: //h2").title.unwrap(), "A headline");
    assert_eq!(given("title: substring-before(//title, ' | ')").title.unwrap(), "A headline");
    assert_eq!(given("author: //a[@rel='author']").authors, ["Ann Lee", "Bo Chan"]);
    assert_eq!(given("date: //meta/@content").date.unwrap(), "2024-05-01T10:00:00Z");
    let in_script = "date: substring-before(substring-after(//script, '\"'), '\"')";
    assert_eq!(given(in_script).date.unwrap(), "May 2");
    assert_eq!(given("body: //div").title, None);
    // As in other readers, the title element is removed from the body.
    assert_eq!(body("title: //div/h2\nbody: //div[@id='main']/*[1] | //h1"), "A headline One two.");
}

#[test]
fn pages_are_changed_before_the_body_is_looked_for() {
    assert_eq!(body("replace_string(<b>two</b>): 2\nbody: //div[@id='main']/p[1]"), "One 2.");
    assert_eq!(body("find_string: One\nreplace_string: Uno\nbody: //div/p[1]"), "Uno two. Other");
    assert_eq!(
        body_markdown("wrap_in(blockquote): //div[@id='main']/p[1]\nbody: //blockquote"),
        "> One **two**."
    );
    assert_eq!(body_markdown("dissolve: //b\nbody: //div[@id='main']/p[1]"), "One two.");
    assert_eq!(
        body(
            "move_into(//div[@class='related']): //div[@id='main']/p[last()]\nbody: //div[@class='related']"
        ),
        "Other Three."
    );
    assert_eq!(body("move_into(h1): //b\nbody: //h1"), "A headlinetwo");
    // Moving an element into itself or into its content leaves it in place.
    assert_eq!(body("move_into(//b): //p[b]\nbody: //div[@id='main']/p[1]"), "One two.");
    let images = body_markdown("src_lazy_load_attr: data-full\nbody: //div[@id='main']");
    assert!(images.contains("https://a.example/big.jpg"), "{images}");
    assert!(!body_markdown("body: //div[@id='main']").contains("big.jpg"));
    assert!(
        body_markdown("strip_attr: //img/@src\nbody: //div[@id='main']").find("x.gif").is_none()
    );
}

#[test]
fn switches() {
    assert!(compiled("body: //p").autodetects());
    assert!(!compiled("body: //p\nautodetect_on_failure: no").autodetects());
    let page = "<script type='application/ld+json'>{}</script><p>a";
    assert_eq!(applied_to(page, "skip_json_ld: yes").0.head().json_ld.len(), 0);
    assert_eq!(applied_to(page, "skip_json_ld: no").0.head().json_ld.len(), 1);
    let wrapper =
        compiled("test_url: https://a.example/1\ntest_contains: b\ntest_contains: c\ntest_url: d");
    assert_eq!(wrapper.tests().len(), 2);
    assert_eq!(wrapper.tests()[0].contains, ["b", "c"]);
}

#[test]
fn a_file_for_all_comes_after_the_own_one() {
    let global = compiled("title: //h2\nbody: //h1\nstrip: //b\nautodetect_on_failure: no");
    let mut own = compiled("body: //article");
    own.extend(&global);
    let (_, applied) = apply(PAGE, &own, &ParseOptions::CONTENT);
    assert_eq!(applied.body.unwrap().0, "//h1");
    assert_eq!(applied.removed_by[0], "(//h2)[1]");
    assert!(!own.autodetects());
    let mut alone = compiled("body: //article\nautodetect_on_failure: no");
    alone.extend(&global);
    assert_eq!(alone.body().collect::<Vec<_>>(), ["//article"]);
}

#[test]
fn a_page_that_is_too_much_work_has_no_body() {
    let wrapper = compiled("body: //h1");
    let (document, applied) =
        apply(PAGE, &wrapper, &ParseOptions { max_steps: 20, ..ParseOptions::CONTENT });
    assert!(document.notes().given_up && applied.body.is_none());
}

#[test]
fn every_directive_has_a_finding() {
    assert!(known_directives().is_sorted_by_key(|directive| directive.0));
    for (name, verdict, why) in known_directives() {
        let line = match name {
            "wrap_in" => "wrap_in(p): //a".to_owned(),
            "move_into" => "move_into(//p): //a".to_owned(),
            "http_header" => "http_header(cookie): a".to_owned(),
            "test_contains" => "test_url: a\ntest_contains: b".to_owned(),
            "find_string" => "replace_string: b\nfind_string: a".to_owned(),
            "replace_string" => "replace_string(a): b".to_owned(),
            "prune" | "insert_detected_image" => format!("{name}: no"),
            name => format!("{name}: //a"),
        };
        let (_, findings) = compile(&SiteConfig::parse(&line));
        let finding = findings.last().unwrap();
        assert_eq!(finding.directive, name);
        assert_eq!(
            (finding.verdict, finding.why.as_deref().unwrap_or("")),
            (verdict, why),
            "{name}"
        );
    }
}

#[test]
fn what_cannot_be_honoured_is_reported_and_the_rest_counts() {
    for (line, said) in [
        ("body: //div[", "not XPath 1.0"),
        ("body: //div[matches(., 'x')]", "no function `matches`"),
        ("strip: //x:y", "`x:`"),
        ("bodi: //div", "misspelt"),
        ("body //div", "no colon"),
        ("body:", "no value"),
        ("replace_string(a:b): c", "first colon"),
        (": x", "no name"),
        ("find_string: a", "pairs"),
        ("test_contains: a", "before any test_url"),
        ("wrap_in: //p", "needs a tag"),
        ("move_into: //p", "needs an expression"),
        ("strip_id_or_class: ''", "everything"),
        ("prune: yes", "guessed away"),
        ("body(x): //p", "brackets"),
    ] {
        let (wrapper, findings) = compile(&SiteConfig::parse(&format!("{line}\nbody: //h1")));
        assert_eq!(findings[0].verdict, DirectiveVerdict::NotHonoured, "{line}");
        let why = findings[0].why.as_deref().unwrap();
        assert!(why.contains(said), "{line}: {why}");
        assert_eq!(findings[0].line, 1);
        assert_eq!(wrapper.body().last().as_deref(), Some("//h1"), "{line}");
    }
}

#[test]
fn what_is_foreign_in_an_expression_is_named() {
    let known = "//a[contains(@b, 'c')]/text()[position() < last()] | id('x')/b";
    assert!(Expression::new(known).is_ok());
    for (expression, named) in [
        ("//a[matches(@b, 'c')]", "`matches`"),
        ("//a[contains(@b)]", "does not take 1"),
        ("(//a | //b[lower-case(.) = 'c'])[1]", "lower-case"),
        ("//svg:a", "`svg:`"),
        ("//a[@b = $c]", "`$c`"),
        ("php:functionString('x', //a)", "php:"),
    ] {
        let error = Expression::new(expression).unwrap_err().to_string();
        assert!(error.contains(named), "{expression}: {error}");
    }
}

#[test]
fn expressions_have_limits_and_an_end() {
    let size = |text: String| Expression::new(&text) == Err(ExpressionError::Size);
    assert!(size("(".repeat(40) + "1" + &")".repeat(40)));
    assert!(size("//a".to_owned() + &"|//a".repeat(200)));
    assert!(size(format!("1{}", "+1".repeat(200))));
    assert!(size(format!("{}1", "-".repeat(200))));
    assert!(size(format!("//a['{}']", "x".repeat(5000))));
    assert!(!size("//a['((((((((((((((((((((((((((((((((((((((((((((((((((((']".to_owned()));
    // Cubic time: evaluation is given up, and the page counts as one without a match.
    let page = "<p>x".repeat(3000);
    let (_, applied) = applied_to(&page, "body: //*[//*[//*[. = 'y']]]\nbody: //p");
    assert!(applied.exhausted);
    assert_eq!(applied.body, None);
    // A replacement that would make the page a thousand times as long is skipped.
    let bomb = format!("replace_string(x): {}\nbody: //body", "y".repeat(3000));
    assert!(body_of(&"x".repeat(1_000_000), &bomb).starts_with("xxx"));
    // Of the directives of one name, there is a limit to how many are looked for on each page.
    let pairs: String = (0..20_000).map(|n| format!("replace_string(a{n}b): c\n")).collect();
    let file = format!("{pairs}body: //body");
    let (wrapper, findings) = compile(&SiteConfig::parse(&file));
    let beyond = findings.iter().filter(|f| f.verdict == DirectiveVerdict::NotHonoured).count();
    assert_eq!(beyond, 19_500);
    assert_eq!(findings[500].why.as_deref(), Some("only the first 500 of one name are used"));
    let (document, applied) = apply("<p>a499b a500b", &wrapper, &ParseOptions::CONTENT);
    let (_, nodes) = applied.body.unwrap();
    assert_eq!(text_of(&document, &nodes, &applied.removed), "c a500b");
}

#[test]
fn samples_tell_what_gives_their_metadata() {
    let pages = [
        "<title>One | S</title><meta property=og:title content=One><h1>One</h1><article><h1>x</h1>a</article>",
        "<title>Two | S</title><h1>Two</h1><a rel=author>Ann  Lee</a><article>b</article>",
        "<title>Three | S</title><meta property=og:title content=Three><meta name=author content='Bo Chan'>",
    ];
    let authors = [vec![], vec!["Ann Lee".to_owned()], vec!["Bo Chan".to_owned()]];
    let body = ["//article".to_owned()];
    let sought: Vec<SampleWithValues<'_>> = pages
        .iter()
        .zip(["One", "Two", "Three"])
        .zip(&authors)
        .map(|((html, title), authors)| SampleWithValues {
            html,
            title: Some(title),
            authors,
            has_date: false,
            body: &body,
        })
        .collect();
    let samples = ProbeSamples::new(&sought);
    let probed = samples.probe(&|_, _| false, &|_| Vec::new());
    // The first `h1` would be right on two pages, but the other one is part of the body.
    assert_eq!(
        probed.title,
        ["//meta[@property='og:title']/@content", "substring-before(//title,' | ')"]
    );
    assert_eq!(probed.author, ["//meta[@name='author']/@content", "//a[@rel='author']"]);
    assert!(probed.date.is_empty());
    // What was learnt goes before what is common.
    let learnt = |field: &str| match field {
        "authors" => vec!["//p[@class='none']".to_owned(), "//a".to_owned()],
        _ => Vec::new(),
    };
    let probed = samples.probe(&|_, _| false, &learnt);
    assert_eq!(probed.author, ["//a", "//meta[@name='author']/@content"]);
}

/// Any possible contents of a file.
fn file() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        prop::sample::select(known_directives()).prop_map(|d| d.0.to_owned()),
        "[a-z_]{0,8}",
        "#?",
    ];
    let value = prop_oneof![
        r#"//[a-z]{1,3}(\[@id='[a-z]'\])?"#,
        "[a-z()\\[\\]@/'\".|:=<> -]{0,20}",
        any::<String>(),
    ];
    let argument = prop_oneof![Just(String::new()), "\\([a-z/<>:\" ]{0,8}\\)"];
    let line = (name, argument, value, prop_oneof![Just("\n"), Just("\r\n"), Just("")])
        .prop_map(|(name, argument, value, end)| format!("{name}{argument}: {value}{end}"));
    prop::collection::vec(prop_oneof![line, any::<String>()], 0..12)
        .prop_map(|lines| lines.concat())
}

proptest! {
    #[test]
    fn files_are_read_as_printed(file in file()) {
        let config = SiteConfig::parse(&file);
        prop_assert_eq!(SiteConfig::parse(&config.to_string()), config);
    }

    #[test]
    fn what_can_be_written_is_read_back(
        name in "[a-z_]{1,12}",
        argument in prop::option::of(any::<String>()),
        value in any::<String>(),
        comment in any::<String>(),
    ) {
        let mut config = SiteConfig::default();
        config.comment(&comment);
        config.push(&name, &value);
        let directive = Directive::new(&name, argument.as_deref(), &value);
        let lines = config.lines().len();
        prop_assert!(lines <= 2);
        let text = config.to_string();
        prop_assert_eq!(text.lines().count(), lines);
        let again = SiteConfig::parse(&text);
        prop_assert_eq!(&again, &config);
        if let Some(directive) = directive {
            let printed = SiteConfig::parse(&directive.to_string());
            prop_assert_eq!(printed.lines(), &[SiteConfigLine::Directive(directive)]);
        }
    }

    #[test]
    fn any_file_on_any_page(file in file(), html in "(<(p|div|b|table|td|a|script)( (id|class)=[a-c])?>|</(p|div|b)>|[a-z ]{1,5}){0,40}") {
        let (wrapper, _) = compile(&SiteConfig::parse(&file));
        let (document, applied) = apply(&html, &wrapper, &ParseOptions::CONTENT);
        let nodes = applied.body.map_or_else(Vec::new, |b| b.1);
        prop_assert!(nodes.is_sorted_by(|a, b| a < b));
        prop_assert!(nodes.iter().chain(&applied.removed).all(|&id| (id as usize) < document.len()));
        text_of(&document, &nodes, &applied.removed);
    }
}
