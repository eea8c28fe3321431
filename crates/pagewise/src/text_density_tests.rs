use super::*;
use crate::text::tests::{find, texts};

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// Calculated manually. `div`: 30 characters, of them 5 in a link; tags p, a: 2, link tags 1. The
/// body has the same characters, so LCb/Cb = 1/6. Base: ln(30/25·5 + 30/6 + e) = ln(11 + e);
/// quotient (30/5)·(2/1) = 12.
#[test]
fn composite_density() {
    let d = dom::parse("<div><p>Twenty-five characters....<a href=x>click</a></p></div>");
    let div = find(&d, "div");
    assert_eq!(PrefixSums::of_texts(&d, length).0.sum(&d, div), 31);
    let d = dom::parse("<div><p>Twenty-five characters...<a href=x>click</a></p></div>");
    let (div, p, a) = (find(&d, "div"), find(&d, "p"), find(&d, "a"));
    let of = |measure| densities(&d, body(&d), measure);
    let plain = of(DensityMeasure::Text);
    assert_eq!((plain[div as usize], plain[p as usize]), (15.0, 30.0));
    assert_eq!(plain[a as usize], 5.0, "no tag inside counts as one");
    let composite = of(DensityMeasure::Composite);
    let base = libm::log(11.0 + std::f64::consts::E);
    assert!(close(composite[div as usize], 15.0 * libm::log(12.0) / libm::log(base)));
    // The link: ¬LC is 0 and counts as 1; quotient (5/5)·(1/1) = 1, its logarithm 0.
    assert_eq!(composite[a as usize], 0.0);
}

/// Without links their counts are 1: base ln(20/20·1 + 0 + e), quotient (20/1)·(2/1).
#[test]
fn page_without_links() {
    let d = dom::parse("<div><p>Ten chars.</p><p>Ten chars.</p></div>");
    let composite = densities(&d, body(&d), DensityMeasure::Composite);
    let base = libm::log(1.0 + std::f64::consts::E);
    assert!(close(composite[find(&d, "div") as usize], 10.0 * libm::log(40.0) / libm::log(base)));
}

/// Definition 3, calculated manually: children's densities, not grandchildren's.
#[test]
fn sums() {
    let d = dom::parse("<div><p>1234567890</p><p>12345<b>67</b></p></div>");
    let plain = densities(&d, body(&d), DensityMeasure::Text);
    let sums = density_sums(&d, &plain);
    assert_eq!(plain[find(&d, "div") as usize], 17.0 / 3.0);
    assert_eq!(sums[find(&d, "div") as usize], 10.0 + 7.0);
    assert_eq!(sums[find(&d, "body") as usize], 17.0 / 3.0);
}

/// Calculated manually, plain density: article 120/2 tags = 60 with sum 60 + 60 = 120, the highest;
/// body 128/6; menu 8/2 = 4. Threshold min(60, 128/6) = 21.3: the menu does not reach it.
#[test]
fn small_page() {
    let sixty = "x".repeat(60);
    let d = dom::parse(&format!(
        "<menu><li>Home<li>News</menu><article><p>{sixty}<p>{sixty}</article>"
    ));
    let plain = TextDensityConfig { measure: DensityMeasure::Text };
    assert_eq!(text_density(&d, &plain), [find(&d, "article")]);
    let empty = dom::parse("");
    assert!(text_density(&empty, &plain).is_empty());
    assert!(text_density(&empty, &TextDensityConfig::PUBLISHED).is_empty());
}

/// The lowest density on the path to the root is the threshold, so a second part of the article is
/// included.
#[test]
fn parts_of_an_article() {
    let long = "Many words in a row that make a paragraph of the article, and no link at all. ";
    let menu = "<ul><li><a href=a>Home page</a><li><a href=b>News page</a></ul>".repeat(3);
    let part = |class: &str, n: usize| {
        format!("<div class={class}>{}</div>", format!("<p>{long}</p>").repeat(n))
    };
    let d =
        dom::parse(&format!("<nav>{menu}</nav>{}<nav>{menu}</nav>{}", part("a", 4), part("b", 3)));
    let kept = texts(&d, &text_density(&d, &TextDensityConfig::PUBLISHED));
    assert_eq!(kept.len(), 2, "{kept:?}");
    assert!(kept.iter().all(|text| text.starts_with("Many words")));
}
