//! Kinds of pages by their addresses.

use model::TemplateKind;
use sitegrove_sitemodel::page_kind::address_says;

#[test]
fn addresses_of_lists_and_of_articles() {
    let list = Some(TemplateKind::List);
    let article = Some(TemplateKind::Article);
    for (path, expected) in [
        ("", list),
        ("/", list),
        ("/?p=12", None),
        ("/index.html", list),
        ("/sport/index.php", list),
        ("/sport/index.php?id=1", None),
        ("/sport/rowing/archive", None),
        ("/tag/boats", list),
        ("/en/category/boats", list),
        ("/category", list),
        ("/en/boats/category", None),
        ("/news/page/2", list),
        ("/page/two", None),
        ("/2", None),
        ("/news/swing-bridge-closes-again", article),
        ("/news/swing-bridge-closes", None),
        ("/news/2026", article),
        ("/news/202", None),
    ] {
        let url = format!("https://a.example{path}");
        assert_eq!(address_says(&url, false), expected, "{url}");
        assert_eq!(address_says(&url, true), list, "{url}");
    }
    assert_eq!(address_says("no address", false), None);
}
