use super::*;
use crate::text::tests::{find, texts};

/// Blocks as root name and children, `#` for text.
fn shapes(html: &str) -> Vec<String> {
    let d = dom::parse(html);
    let name = |id| d.name(id).map_or("#", |n| n);
    ble_ie_blocks(&d)
        .iter()
        .map(|block| {
            let children: Vec<_> = block.children.iter().map(|&id| name(id)).collect();
            format!("{}: {}", name(block.root), children.join(" "))
        })
        .collect()
}

/// Definition 1, each part of `(IE|text)*p?q*l*t*` in its order.
#[test]
fn blocks_in_order() {
    assert_eq!(
        shapes(
            "a<b>b</b><div>c<i>d</i></div><div>e</div><address>f</address><ul></ul><ol></ol><h1>g</h1><p>h</p>"
        ),
        ["body: # b div div address ul ol h1 p"]
    );
    assert_eq!(shapes("<p>a</p><p>b</p>c<p>d"), ["body: p p", "body: # p"]);
    assert_eq!(
        shapes("<div>a<i>b</i></div><div>c<i>d</i></div>"),
        ["body: div", "body: div"],
        "p once"
    );
    assert_eq!(shapes("<div>a</div><div>b</div>"), ["body: div div"], "q as often as you like");
    assert_eq!(shapes("<ul></ul><div>b</div>"), ["body: ul", "body: div"]);
    assert_eq!(shapes("<p>a</p><ul></ul>"), ["body: p", "body: ul"]);
    assert_eq!(shapes(" <p> </p> \n "), ["body: p"]);
    assert_eq!(shapes(""), [""; 0]);
}

/// Algorithm 1, line 15: an element that matches no rule is split, and ends the block.
#[test]
fn recursion() {
    assert_eq!(
        shapes("a<div>b<section>c<p>d</p></section>e</div>f<p>g</p>"),
        ["body: #", "div: #", "section: # p", "div: #", "body: # p"]
    );
    assert_eq!(shapes("<a><p>a</p></a>"), ["a: p"], "an IE with a BLE in it");
}

/// Definition 2. `div class=x`: 3 + 5 + 1 = 9, `b` 1, `p` 1; text 5 + 4 + 8.
#[test]
fn densities() {
    let d = dom::parse("<div class=x><section><p>a  b c <b>bold</b></p></section>or eight</div>");
    let lengths = Lengths::new(&d);
    assert_eq!(lengths.density(find(&d, "p")), 9.0 / 2.0);
    assert_eq!(lengths.density(find(&d, "div")), 17.0 / (9.0 + 7.0 + 2.0));
    let block = BleIeBlock { root: find(&d, "div"), children: vec![find(&d, "section")] };
    assert_eq!(lengths.block_density(&block), 9.0 / (9.0 + 7.0 + 2.0));
}

fn kept(html: &str) -> Vec<String> {
    let d = dom::parse(html);
    texts(&d, &blocks(&d, &BlocksConfig::PUBLISHED))
}

/// Algorithm 2, calculated manually. First block: root `div` (3) with a text of 30 characters and a
/// `p` of 31 with tag length 1: 61/4. Second: `ul` in the body (4 + 2) with two `li` (2 each) that
/// contain an `a href=/x` (1 + 4 + 2 = 7) with 4 characters: 8/24, noise.
#[test]
fn small_page() {
    let html = "<div>Thirty characters, counting it<p>A paragraph with 31 characters.</p></div>\
                <ul><li><a href=/x>Home</a><li><a href=/x>News</a></ul>";
    assert_eq!(kept(html), ["Thirty characters, counting it", "A paragraph with 31 characters."]);
}

/// A dense block may contain a BLE of low density, which is removed alone; an IE is never tested.
#[test]
fn noise_in_blocks() {
    let html = "<main>Some text that is long enough for all of it, links included. \
                <a href=https://example.org/a/long/address>IE</a>\
                <ul><li>An item of the list that is long enough.<li><b class=thin>x</b></ul></main>";
    assert_eq!(
        kept(html),
        [
            "Some text that is long enough for all of it, links included.",
            "IE",
            "An item of the list that is long enough."
        ]
    );
    // body + p: 5 characters of tags.
    assert_eq!(kept("<p>12345678"), ["12345678"], "8/5");
    assert!(kept("<p>1234567").is_empty(), "7/5 is below 1.5");
    assert_eq!(kept("123456"), ["123456"], "6/4 is 1.5");
}
