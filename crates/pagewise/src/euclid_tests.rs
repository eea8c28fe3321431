use super::*;
use crate::text::tests::{find, texts};

fn kept(html: &str) -> Vec<String> {
    let d = dom::parse(html);
    texts(&d, &euclid(&d, &EuclidConfig::PUBLISHED))
}

/// Calculated manually. Depths: body 1, div 2, p 3, its texts and `b` 4, the text in `b` 5, so the
/// first half ends at 2.5. Words by distance: div 2/1 + 2/2 + 1/3 + 2/2 (the link's do not count), p
/// 2/1 + 1/2 + 2/1; links: 1 in both; children: the div has 3, the paragraph 4; position: div 1, p
/// 5/3 − 1.
#[test]
fn ratios() {
    let d = dom::parse("<div>one two<p>a b <b>c</b> d e<a href=x>f g</a></p><hr></div>");
    let page = RatedPage::new(&d);
    let points = page.points(&[find(&d, "div"), find(&d, "p")]);
    assert_eq!(points[0], [2.0 + 2.0 / 2.0 + 1.0 / 3.0 + 2.0 / 2.0, 1.0, 1.0, 1.0]);
    assert_eq!(points[1], [4.0 + 1.0 / 2.0, 1.0, 1.0, 5.0 / 3.0 - 1.0]);
}

#[test]
fn ratios_at_their_edges() {
    let d = dom::parse("<div><p>a<i>b</i></p></div><ul><li><a href=x>c</a><a href=y>d</a></ul>");
    let page = RatedPage::new(&d);
    let points = page.points(&[find(&d, "p"), find(&d, "ul")]);
    assert_eq!(points[0][2], 0.0, "two children are not more than two");
    assert_eq!((points[0][1], points[1][1]), (1.0, 0.5), "no link, two links");
    assert_eq!(points[1][0], 0.0, "only links");
}

#[test]
fn standardised() {
    let mut points = [[1.0, 5.0, 0.0, 0.0], [3.0, 5.0, 0.0, 0.0], [5.0, 5.0, 0.0, 1.0]];
    standardise(&mut points);
    assert_eq!(points[0][..2], [-1.0, 0.0], "mean 3, deviation 2; no deviation");
    assert_eq!(points[2][0], 1.0);
    assert_eq!(farthest(&[4, 5, 6], &points, 1), [6]);
    assert_eq!(farthest(&[4, 5, 6], &[[0.0; 4]; 3], 2), [4, 5], "of equals the first");
}

/// Criterion 3: of the names listed there, three are siblings and at most two are nested.
#[test]
fn wide_pages_are_content() {
    let is_wide = |html: &str| RatedPage::new(&dom::parse(html)).is_wide();
    let wide = "<h1><a name=x>a</a></h1><p>b <b>c</b></p><hr><a href=y>d</a>";
    assert!(is_wide(wide));
    assert_eq!(kept(wide), ["a", "b c", "", "d"]);
    assert!(!is_wide(&wide.replace(">a<", "><em>a</em><")), "three in one another");
    assert!(!is_wide("<div>a</div><div>b</div><div>c</div>"));
    assert!(!is_wide(""));
}

/// Algorithm 3: a container with the same text as one inside it replaces it.
#[test]
fn same_text() {
    let d = dom::parse("<section><div> <div><p>a</p><p>b</p></div></div></section><p>c");
    let page = RatedPage::new(&d);
    let (outer, p) = (find(&d, "div"), find(&d, "p"));
    let inner = outer + 2;
    assert_eq!(page.reduced(&[inner, outer, p]), [outer, p]);
}

/// Algorithm 4: text relative to tags, ties, siblings.
#[test]
fn most_text_by_tags() {
    let d = dom::parse("<div><p>aaaa</p><ul><li>b<li>c</ul></div><div><p>dddd</p></div>");
    let page = RatedPage::new(&d);
    let p: Vec<_> = d.ids().filter(|&id| d.is(id, &local_name!("p"))).collect();
    let ul = find(&d, "ul");
    assert_eq!(page.content_of(&[ul, p[0]]), [ul, p[0]], "siblings");
    assert_eq!(page.content_of(&[ul, p[1]]), [p[1]], "4/1 against 2/3");
    assert_eq!(page.content_of(&p), p, "a tie");
    assert!(page.content_of(&[]).is_empty());
}

/// Algorithm 5: eight links are removed, seven are kept; half of the text may be links.
#[test]
fn groups_of_links() {
    let links = |n: usize| "<a href=x>ab</a> ".repeat(n);
    let removed = |inner: &str| {
        let d = dom::parse(&format!("<main><div>{inner}</div>text text</main>"));
        let (main, div) = (find(&d, "main"), find(&d, "div"));
        RatedPage::new(&d).link_groups(&[main], &EuclidConfig::PUBLISHED)[div as usize]
    };
    assert!(removed(&links(8)));
    assert!(!removed(&links(7)));
    // 16 characters of links: text ratio (16 + 32) / 32 = 1.5 is not above, (16 + 31) / 31 is.
    assert!(!removed(&format!("{}{}", links(8), "x".repeat(32))));
    assert!(removed(&format!("{}{}", links(8), "x".repeat(31))));
}

#[test]
fn lists_of_single_links() {
    let is_list = |html: &str| {
        let d = dom::parse(html);
        RatedPage::new(&d).is_link_list(find(&d, "ul"))
    };
    assert!(is_list("<ul> <li><a href=x>a</a> <li><a href=y>b</a></ul>"));
    assert!(!is_list("<ul><li><a href=x>a</a> b<li><a href=y>b</a></ul>"));
    assert!(!is_list("<ul><li><a href=x><img></a><li><a href=y>b</a></ul>"));
    assert!(!is_list("<ul><li><a href=x>a</a></ul>"));
    assert!(!is_list("<ul></ul>"));
}

#[test]
fn article_among_menus() {
    let menu = format!("<ul>{}</ul>", "<li><a href=x>Section of it</a></li>".repeat(9));
    let paragraphs = "<p>Some twelve words of an article that goes on for a while.</p>".repeat(5);
    let html = format!(
        "<div id=page><div>{menu}</div><div id=story>{paragraphs}{menu}</div><div>{menu}</div></div>"
    );
    let kept = kept(&html);
    assert_eq!(kept.len(), 5, "{kept:?}");
    assert!(euclid(&dom::parse(""), &EuclidConfig::PUBLISHED).is_empty());
}
