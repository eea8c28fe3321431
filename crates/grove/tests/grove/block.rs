//! Pages are split into blocks.

use dom::PrefixSums;
use sitegrove_grove::{TextBlock, blocks};

fn texts(html: &str) -> Vec<String> {
    let d = dom::parse(html);
    let count = |id| {
        d.text(id).map_or(0, |t| {
            t.split_whitespace().filter(|w| w.contains(char::is_alphanumeric)).count() as u32
        })
    };
    let words = PrefixSums::new(&d, count);
    let links = PrefixSums::within_links(&d, count);
    let text = |b: &TextBlock| {
        let parts = (b.first..=b.last).filter_map(|id| d.text(id));
        format!("{}:{}", d.name(b.element).unwrap(), parts.collect::<String>().trim())
    };
    blocks(&d, &words, &links).iter().map(text).collect()
}

#[test]
fn inline_elements_stay_in_their_block() {
    assert_eq!(texts("<p>a <b>b</b> c</p><p>d</p>"), ["p:a b c", "p:d"]);
}

#[test]
fn two_line_breaks_separate_and_one_does_not() {
    assert_eq!(texts("<div>a<br>b<br><br>c</div>"), ["div:ab", "div:c"]);
}

#[test]
fn text_around_a_block_is_the_outer_elements() {
    assert_eq!(texts("<div>a<p>b</p>c</div>"), ["div:a", "p:b", "div:c"]);
    assert_eq!(texts("<div><a>x<div>y</div></a></div>"), ["a:x", "div:y"]);
}

#[test]
fn signs_without_words_are_no_block() {
    assert!(texts("<p>***</p>").is_empty());
}
