use dom::{parse, text_and_blocks};
use proptest::prelude::*;

use super::*;

/// Divides a page into passages; returns headings, kind and text of each.
fn divided(html: &str, most_words: u32) -> Vec<(String, PassageKind, String)> {
    let (text, blocks) = text_and_blocks(&parse(html), &[]);
    let passages = passages_of(&text, &blocks, most_words);
    check(&text, &passages, most_words);
    let shown = |own: &Passage| (own.headings.join(" > "), own.kind, slice(&text, own));
    passages.iter().map(shown).collect()
}

fn slice(text: &str, passage: &Passage) -> String {
    let (start, end) = (passage.start as usize, passage.end as usize);
    text.chars().skip(start).take(end - start).collect()
}

/// Checks that passages are in order, are as they claim, and have all of the text except white space exactly once.
fn check(text: &str, passages: &[Passage], most_words: u32) {
    let mut rest = String::new();
    for (at, passage) in passages.iter().enumerate() {
        let own = slice(text, passage);
        assert_eq!(passage.ordinal as usize, at);
        assert!(passage.start < passage.end && !own.trim().is_empty(), "{passage:?}");
        assert!(at == 0 || passages[at - 1].end <= passage.start, "{passages:?}");
        assert_eq!(passage.words, terms::count_words(&own), "{own:?}");
        assert!(passage.words <= most_words, "{own:?}");
        assert_eq!(passage.hash, content_hash(&own));
        rest.push_str(&own);
    }
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(squeezed(&rest), squeezed(text));
    let all: u32 = passages.iter().map(|own| own.words).sum();
    assert_eq!(all, terms::count_words(text));
}

fn expect(html: &str, most_words: u32, expected: &[(&str, PassageKind, &str)]) {
    let expected: Vec<(String, PassageKind, String)> = expected
        .iter()
        .map(|(headings, kind, text)| ((*headings).to_owned(), *kind, (*text).to_owned()))
        .collect();
    assert_eq!(divided(html, most_words), expected, "{most_words}: {html}");
}

use PassageKind::{Code, List, Prose, Table};

#[test]
fn blocks_are_put_together_within_sections() {
    let html = "<p>One two.<p>Three four.<h2>A</h2><h3>B</h3><p>Five six.<h3>C</h3><p>Seven.<h2>D</h2><p>Eight.";
    let expected = [
        ("", Prose, "One two.\n\nThree four."),
        ("A > B", Prose, "A\n\nB\n\nFive six."),
        ("A > C", Prose, "C\n\nSeven."),
        ("D", Prose, "D\n\nEight."),
    ];
    expect(html, 100, &expected);
}

#[test]
fn kinds_are_apart_and_structures_whole_where_they_fit() {
    let html = "<h2>A</h2><p>So we need:<ul><li>one nail<li>two nails</ul><table><tr><td>a<td>b<tr><td>c<td>d</table>\
                <pre>let x;\n  let y;</pre><p>Done.";
    let expected = [
        ("A", Prose, "A\n\nSo we need:"),
        ("A", List, "one nail\ntwo nails"),
        ("A", Table, "a\nb\nc\nd"),
        ("A", Code, "let x;\n  let y;"),
        ("A", Prose, "Done."),
    ];
    expect(html, 4, &expected);
    expect(
        html,
        2,
        &[
            ("A", Prose, "A\n\nSo"),
            ("A", Prose, "we need:"),
            ("A", List, "one nail"),
            ("A", List, "two nails"),
            ("A", Table, "a\nb"),
            ("A", Table, "c\nd"),
            ("A", Code, "let x;"),
            ("A", Code, "  let y;"),
            ("A", Prose, "Done."),
        ],
    );
    // A heading stays with the first rows.
    let html = "<h2>On ships</h2><table><tr><td>a<td>b<tr><td>c<td>d<tr><td>e<td>f</table>";
    expect(html, 6, &[("On ships", Table, "On ships\n\na\nb\nc\nd"), ("On ships", Table, "e\nf")]);
}

#[test]
fn what_is_too_long_is_divided_at_sentences_and_words() {
    let html = "<p>He came, e.g. on foot. \u{201c}Why?\u{201d} she said. It cost 3.50 in all.";
    let expected = [
        ("", Prose, "He came, e.g. on foot."),
        ("", Prose, "\u{201c}Why?\u{201d} she said."),
        ("", Prose, "It cost 3.50 in all."),
    ];
    expect(html, 6, &expected);
    expect(
        "<p>one two (three) four-five",
        2,
        &[("", Prose, "one two"), ("", Prose, "(three) four-"), ("", Prose, "five")],
    );
    expect(
        "<p>他来了。「好吧。」她说",
        4,
        &[("", Prose, "他来了。"), ("", Prose, "「好吧。」她说")],
    );
    // A heading that is too long.
    expect("<h1>a b c</h1><p>d", 2, &[("a b c", Prose, "a b"), ("a b c", Prose, "c\n\nd")]);
}

#[test]
fn posts_begin_passages_and_sections_end_with_them() {
    let document = parse("<p>One.<h3>A</h3><p>Two.<p>Three.<p>Four.");
    let post = document.ids().find(|&id| document.text(id) == Some("Three.")).unwrap();
    let (text, blocks) = text_and_blocks(&document, &[post]);
    let passages = passages_of(&text, &blocks, 50);
    check(&text, &passages, 50);
    let found: Vec<(&[String], String)> =
        passages.iter().map(|own| (&own.headings[..], slice(&text, own))).collect();
    let a = ["A".to_owned()];
    let expected: [(&[String], &str); 3] =
        [(&[], "One."), (&a, "A\n\nTwo."), (&[], "Three.\n\nFour.")];
    assert_eq!(found, expected.map(|(headings, text)| (headings, text.to_owned())));
}

#[test]
fn titles_at_the_start_are_no_blocks() {
    let (text, blocks) =
        text_and_blocks(&parse("<h1>On ships</h1><p>They sail.<h2>A</h2><p>So."), &[]);
    let without = &text["On ships\n\n".len()..];
    let own = blocks_after_title(blocks.clone(), text.len(), without.len(), "On ships");
    let passages = passages_of(without, &own, 9);
    check(without, &passages, 9);
    assert_eq!(passages[0].headings, [""; 0]);
    let with = format!("Über\n\n{without}");
    let own = blocks_after_title(own, without.len(), with.len(), "Über");
    let passages = passages_of(&with, &own, 9);
    check(&with, &passages, 9);
    assert_eq!(slice(&with, &passages[0]), "Über\n\nThey sail.");
    assert_eq!(passages[1].headings, ["Über", "A"]);
    assert_eq!(paragraphs_of(&with).len(), 4);
}

#[test]
fn parts_of_an_article_are_joined() {
    let article = |html: &str| {
        let (text, blocks) = text_and_blocks(&parse(html), &[]);
        Article { passages: passages_of(&text, &blocks, 5), text, ..Article::default() }
    };
    let mut whole = article("<h2>Äpfel</h2><p>Eins zwei.");
    let part = article("<p>橋は閉じた。<h2>B</h2><p>Vier.");
    append_passages(&mut whole, &part);
    let text = format!("{}\n\n{}", whole.text, part.text);
    check(&text, &whole.passages, 5);
    let headings: Vec<&str> = whole.passages.iter().map(|own| &*own.headings[0]).collect();
    assert_eq!(headings, ["Äpfel", "Äpfel", "B"]);
}

#[test]
fn paths_have_a_limit() {
    let html = format!("<h1>{}</h1><p>x", "ü".repeat(5000));
    assert_eq!(divided(&html, 3)[0].0.chars().count(), HEADING);
}

/// Pieces of text in several scripts, with marks at which sentences and words end or do not.
fn words_of_any_kind() -> impl Strategy<Value = String> {
    const PIECES: [&str; 30] = [
        "one", "don't", "'", "’", " ", " ", ". ", "! ", "。", "？", "「", "」", "橋", "は", "ไทย",
        "हिन्दी", "(", ")", "\"", "…", "3.5", "_", "-", "\u{1f600}", "É", "<br>", "&nbsp;", ";",
        "e.g. ", "\u{301}",
    ];
    prop::collection::vec(prop::sample::select(&PIECES[..]), 1..24).prop_map(|own| own.concat())
}

fn html_of_any_kind() -> impl Strategy<Value = String> {
    let block = (words_of_any_kind(), words_of_any_kind(), 0..11_u8).prop_map(
        |(one, two, kind)| match kind {
            0 | 1 => format!("<h{}>{one}</h{}>", kind + 1, kind + 1),
            2 => format!("<ul><li>{one}<li>{two}</ul>"),
            3 => format!("<table><tr><td>{one}<td>{two}<tr><th>{two}</table>"),
            4 => format!("<pre>{one}\n\n  {two}\n</pre>"),
            5 => format!("<ol><li><h3>{one}</h3>{two}<ul><li>{one}</ul></ol>"),
            6 => format!("<dl><dt>{one}<dd>{two}<dt>{two}</dl>"),
            7 => format!("<blockquote>{one}<table><tr><td>{two}</table></blockquote>"),
            8 => one,
            _ => format!("<p>{one} {two}</p>"),
        },
    );
    prop::collection::vec(block, 1..12).prop_map(|own| own.concat())
}

proptest! {
    #[test]
    fn passages_have_every_text_once(html in html_of_any_kind(), most_words in 1..40_u32, post in 0..60_u32) {
        let document = parse(&html);
        let (text, blocks) = text_and_blocks(&document, &[post]);
        prop_assert_eq!(&text, &dom::text_with_notes(&document));
        for pair in blocks.windows(2) {
            prop_assert!(text[pair[0].range.end..pair[1].range.start].trim().is_empty());
        }
        check(&text, &passages_of(&text, &blocks, most_words), most_words);
        check(&text, &passages_of(&text, &paragraphs_of(&text), most_words), most_words);
    }
}
