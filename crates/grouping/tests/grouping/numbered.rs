//! Numbers of pages in addresses and titles.

use sitegrove_grouping::{page_number, title_without_page};

#[test]
fn pages_of_one_article_have_one_base() {
    let of = page_number;
    for (first, second) in [
        ("https://e.org/story", "https://www.e.org/story?page=2"),
        ("https://e.org/story/", "https://e.org/story/2/"),
        ("https://e.org/a/story", "http://e.org/a/story/page/2"),
        ("https://e.org/a/story", "https://e.org/a/story/seite-2"),
        ("https://e.org/a/story.html", "https://e.org/a/story-2.html"),
        ("https://e.org/a/story.html", "https://e.org/a/story_page2.html"),
        ("https://e.org/a/story.html", "https://e.org/a/story,seite-2.html"),
        ("https://e.org/s.php?id=7", "https://e.org/s.php?id=7&p=2"),
        ("https://e.org/a/story?page=1", "https://e.org/a/story?page=2"),
    ] {
        assert_eq!(of(first).0, of(second).0, "{first} {second}");
        assert_eq!((of(first).1, of(second).1), (1, 2), "{first} {second}");
    }
    for alone in [
        "https://e.org/news/1002", "https://e.org/top10", "https://e.org/2",
        "https://e.org/a/x.2024.html",
    ] {
        assert_eq!(of(alone).1, 1, "{alone}");
    }
    assert_eq!(of("").1, 1);
}

#[test]
fn titles_without_numbers_of_pages() {
    let of = title_without_page;
    for other in
        ["A story - Page 2", "A story | 3 ", "A story (page 2 of 3)", "A Story, Seite 2 von 3"]
    {
        assert_eq!(of(other), of("A story"), "{other}");
    }
    assert_ne!(of("Another story"), of("A story"));
}
