//! Earlier captures of a page as evidence for later ones.

use model::{Article, Origin, Page, SharedWords};
use sitegrove_sitemodel::{EarlierReading, Settings, parse_page};

fn page(body: &str) -> Page {
    Page {
        url: "https://e.org/story/1".to_owned(),
        site: "e.org".to_owned(),
        fetched: None,
        origin: Origin::default(),
        charset: charset::decode(Vec::new(), &charset::CharsetHints::default()).1,
        notes: None,
        html: format!("<!doctype html><title>A story</title>{body}").into(),
    }
}

#[test]
fn only_words_that_both_captures_have_are_compared() {
    let settings = Settings::standard();
    let text = "The mayor of the town said on Monday that the bridge stays open.";
    let beside = "Readers of this paper also liked these stories of other towns.";
    let then = page(&format!("<p>{text}</p><aside>{beside}</aside>"));
    let article = Article { text: text.to_owned(), ..Article::default() };
    let reading = EarlierReading::of(&parse_page(&then, &settings), &article);
    let added = "Nobody had said a word of this on the day before.";
    let now = page(&format!("<main><p>{text}</p><p>{added}</p><p>{beside}</p></main>"));
    let now = parse_page(&now, &settings);
    let compare = |text: &str| reading.compare(&now, text);
    let same = compare(text);
    assert_eq!((same.lost, same.gained, same.agreement), (0.0, 0.0, 1.0));
    // What is edited is on one of both pages only.
    let edited = compare(&format!("{text}\n\n{added}"));
    assert_eq!((same.edited, edited), (0, SharedWords { edited: 1, ..same }));
    let more = compare(&format!("{text}\n\n{beside}"));
    assert!(more.lost == 0.0 && more.gained > 0.4 && more.agreement < 0.8, "{more:?}");
    let other = compare(beside);
    assert_eq!((other.lost, other.gained, other.agreement), (1.0, 1.0, 0.0));
}

#[test]
fn a_page_with_another_article_is_not_compared() {
    let settings = Settings::standard();
    let beside = "Readers of this paper also liked these stories of other towns.";
    let text = "The mayor of the town said on Monday that the bridge stays open.";
    let then = page(&format!("<p>{text}</p><aside>{beside}</aside>"));
    let article = Article { text: text.to_owned(), ..Article::default() };
    let reading = EarlierReading::of(&parse_page(&then, &settings), &article);
    let other = "A ferry was late on Tuesday, and nobody at the pier knew the reason for it.";
    let now = page(&format!("<p>{other}</p><aside>{beside}</aside>"));
    assert_eq!(reading.compare(&parse_page(&now, &settings), other), SharedWords::default());
}
