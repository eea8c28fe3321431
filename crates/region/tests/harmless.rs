//! What is written of any page has nothing that runs, and all of its text.

#[path = "../../dom/tests/support/soup.rs"]
mod soup;

use dom::{Keep, ParseOptions, parse, parse_with, text_of};
use proptest::prelude::*;
use sitegrove_region::{ChosenArticle, PostStart, region_of};

use self::soup::tag_soup;

/// A fragment never contains active content, whatever the page.
fn check_harmless(fragment: &str) {
    let config = ParseOptions { keep: Keep::Everything, ..ParseOptions::CONTENT };
    let d = parse_with(fragment, &config);
    for id in d.ids() {
        let Some(element) = d.element(id) else { continue };
        let name = &**element.name;
        let runs = [
            "script", "style", "iframe", "object", "embed", "form", "svg", "base", "meta", "link",
            "template", "frame", "frameset", "input", "button",
        ];
        assert!(!runs.contains(&name), "<{name}> in {fragment}");
        for (attribute, value) in element.attributes() {
            assert!(
                !attribute.starts_with("on") && &**attribute != "style",
                "{attribute}: {fragment}"
            );
            let address = matches!(&**attribute, "href" | "src" | "srcset" | "cite");
            let start = value.trim_start().to_lowercase();
            assert!(
                !address
                    || start.starts_with("http")
                    || start.starts_with("data:image/")
                    || start.starts_with("#article-"),
                "{attribute}={value}: {fragment}"
            );
            assert!(!start.starts_with("javascript") || !address);
        }
    }
}

/// The HTML of everything on a page.
fn html_of(document: &dom::Document) -> String {
    let base = url::Url::parse("https://news.example/a/b").unwrap();
    region_of(document, &[0], &[], &base).map_or_else(String::new, |region| region.html())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fragments_are_harmless(html in tag_soup()) {
        check_harmless(&html_of(&parse(&html)));
        let everything = ParseOptions { keep: Keep::Everything, ..ParseOptions::CONTENT };
        check_harmless(&html_of(&parse_with(&html, &everything)));
    }

    /// A parsed fragment has the same text, and what is written in place of embedded media. Captions are written before
    /// the rows of their tables.
    #[test]
    fn fragments_keep_the_text(html in tag_soup()) {
        // Controls and line numbers are no code, and controls beside a heading none of it.
        let is_number = |text: &str| {
            let number = text.trim().trim_end_matches(['.', ':']);
            !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
        };
        let page = parse(&html);
        let has_numbers = page.ids().filter_map(|id| page.text(id)).any(is_number);
        prop_assume!(!html.contains("<pre") || !html.contains("<button") && !has_numbers);
        let titles = ["<h1", "<h2", "<h3", "<h4", "<h5", "<h6", "<dt", "<caption", "<figcaption"];
        prop_assume!(!html.contains("<button") || !titles.iter().any(|title| html.contains(title)));
        let moves = |html: &str| html.contains("<caption");
        // Icons of fonts, and what says where a line may break.
        let is_shown = |c: &char| {
            !c.is_whitespace() && !matches!(c, '\u{feff}' | '\u{ad}' | '\u{e000}'..='\u{f8ff}')
        };
        let squeeze = |text: String, moves: bool| {
            let mut letters: Vec<char> = text.chars().filter(is_shown).collect();
            if moves {
                letters.sort_unstable();
            }
            letters.into_iter().collect::<String>()
        };
        let d = parse(&html);
        let base = url::Url::parse("https://news.example/a/b").unwrap();
        let region = region_of(&d, &[0], &[], &base);
        let html = html_of(&d);
        let read = squeeze(region.map_or_else(String::new, |region| region.text()), moves(&html));
        let written = squeeze(text_of(&parse(&html), &[0], &[]), moves(&html));
        let text = squeeze(text_of(&d, &[0], &[]), moves(&html));
        prop_assert!(html.contains("data-embed") || written == text, "{text} in {html}");
        // Every word is read once, and none that is not shown.
        let everything = ParseOptions { keep: Keep::Everything, ..ParseOptions::CONTENT };
        let shown = squeeze(text_of(&parse_with(&html, &everything), &[0], &[]), moves(&html));
        prop_assert!(html.contains("data-embed") || shown == read, "{read} for {html}");
    }
}

/// Parts of pages with a place for a word each, marked `@`. Where they refer to each other, `%` is the number of the part.
const PARTS: [&str; 16] = [
    "<p>@ <b>@</b></p>",
    "<ul><li><input type=checkbox checked> @<li><input type=checkbox disabled> <i>@</i></ul>",
    "<p>@<a id=r% href=#n%>%</a></p><p id=n%><a href=#r%>%</a> @</p>",
    "<p>@<sup id=r%><a href=#n%>[%]</a></sup></p><ol><li id=n%><p>@ <a href=#r%>\u{21a9}</a></ol>",
    "<p>@<a id=r% href=#n%>%</a></p><dl><dt id=n%><a href=#r%>%</a><dd>@</dl>",
    "<p>@<a id=r% href=#n%>[%]</a></p><table id=n%><tr><td><a href=#r%>[%]</a><td>@ <p>@</table>",
    "<p>@<a id=r% href=#n%>%</a></p><aside id=n%><b>[<a href=#r%>%</a>]</b> @<p>@</aside>",
    "<p>@<a href=#n%>%</a></p><div id=n%>@</div>",
    "<p>@ <script type=math/tex>x</script> \\(y\\) $$z$$ @ \\[</p>",
    "<p><img src=/%.jpg width=600></p><p>@</p>",
    "<div class=post><p>@</p><div class=post>@<div class=post>@</div></div></div>",
    "<ol><li class=post>@<ol><li class=post><p>@</p></ol><li class=post>@</ol>",
    "<table><tr class=post><td>@<td>@<tr class=post><td>@<td>@</table>",
    "<blockquote><p>@</p></blockquote>",
    "<dl><dt class=post>@<dd>@</dl>",
    "<div class=post>@</div><div class=post><h3>@</h3>@</div>",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// Each word of a page is once in HTML, Markdown and text, in one order.
    #[test]
    fn words_are_once_in_each_form(parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 1..9), shows_tex in any::<bool>()) {
        let mut words = 0;
        let mut page = String::from(if shows_tex { "<script src=/mathjax.js></script>" } else { "" });
        for (number, part) in parts.iter().enumerate() {
            for piece in part.replace('%', &number.to_string()).split_inclusive('@') {
                page.push_str(piece.trim_end_matches('@'));
                if piece.ends_with('@') {
                    page.push_str(&format!("w{words}w"));
                    words += 1;
                }
            }
        }
        let document = parse(&format!("<!doctype html><body>{page}"));
        let base = url::Url::parse("https://news.example/a/b").unwrap();
        let is_post = |id: &u32| document.element(*id).is_some_and(|own| own.attributes().any(|a| a.1 == "post"));
        let start = |node: u32| PostStart { node, byline: format!("By {node}") };
        let posts: Vec<PostStart> = document.ids().filter(is_post).map(start).collect();
        let region = ChosenArticle::of(&document, &[0], &[], &[], &base).unwrap().region(&posts);
        let numbers = |form: &str| -> Vec<usize> {
            form.split('w').filter_map(|word| word.parse().ok()).collect()
        };
        let html = region.html();
        for form in [&html, &region.markdown(&base)] {
            prop_assert_eq!(form.matches("By ").count(), posts.len(), "{}\n{}", &page, form);
        }
        for form in [html, region.markdown(&base), region.text()] {
            prop_assert_eq!(numbers(&form), (0..words).collect::<Vec<_>>(), "{}\n{}", page, form);
        }
    }
}
