//! Documents of articles: well-formed, with their pictures, the same every time.

use std::io::{Cursor, Read};

use model::{Article, Image, Origin, RecordPlace, Route};
use sitegrove_document::{
    PictureFile, PictureFiles, picture_addresses, to_epub, to_html, to_markdown, to_tei,
};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n picture";

fn text() -> Article {
    Article {
        url: "https://a.example/b?c=1&d=2".into(),
        title: Some("Bread & <salt>".into()),
        authors: vec!["Ann".into(), "Bob".into()],
        published: Some("2026-01-12T06:30:00Z".into()),
        language: Some("en".into()),
        site_name: Some("The Example".into()),
        fetched: Some("2026-10-05T03:00:02Z".parse().unwrap()),
        html: "<h1>Bread &amp; &lt;salt&gt;</h1><p>One <b>two</b> &amp; three<br>four.<sup><a href=\"#article-n\">1</a></sup></p>\
            <h2>Next</h2><figure><img src=\"https://a.example/i.png\" srcset=\"https://a.example/j.png 2x\" alt=\"I\">\
            <figcaption>A picture.</figcaption></figure><span id=\"article-s\"><div>loose</div></span>\
            <p><a href=\"#article-s\">back</a>, <a href=\"#article-x\">nowhere</a></p>\
            <ul><li>x<ul><li>y</li></ul></li></ul><dl><dd>no term</dd></dl>\
            <table><tbody><tr><th scope=\"col\">a</th><td colspan=\"0\">b</td></tr></tbody></table>\
            <pre class=\"language-rust\">let x = \"&lt;\";</pre><math><mi>x</mi></math>\
            <video src=\"https://a.example/v.mp4\" title=\"Film\"></video><details><summary>More</summary><p>folded</p></details>\
            <ol><li id=\"article-n\">A note.</li></ol><p>\u{b}End.</p>"
            .into(),
        ..Article::default()
    }
}

/// The article with its record, and with pictures of which one is in an archive.
fn recorded() -> Article {
    let record = RecordPlace { url: String::new(), file: "crawl/a.warc.gz".into(), offset: 9 };
    let origin = Origin {
        file: "crawl/a & b.warc.gz".into(),
        offset: 4_711,
        record_id: "urn:uuid:1".into(),
        truncated: None,
    };
    let held = Image { record: Some(record), ..Image::default() };
    Article {
        origin,
        content_hash: "00ff".into(),
        engine: "grove".into(),
        route: Route::Wrapper,
        model_revision: Some(3),
        images: vec![held, Image::default(), Image::default()],
        ..text()
    }
}

#[test]
fn documents_say_where_their_article_is_from() {
    let tei = to_tei(&recorded());
    assert_well_formed(&tei);
    for wanted in [
        "<note type=\"archive\">crawl/a &amp; b.warc.gz</note>",
        "<note type=\"offset\">4711</note>",
        "<idno type=\"WARC-Record-ID\">urn:uuid:1</idno>",
        "<note type=\"digest\">00ff</note>",
        "<note type=\"found-by\">grove, wrapper, model revision 3</note>",
        "<measure unit=\"pictures\" quantity=\"3\">",
        "<measure unit=\"archived-pictures\" quantity=\"1\">",
        "<application ident=\"sitegrove\" version=\"",
    ] {
        assert!(tei.contains(wanted), "{wanted} in {tei}");
    }
    let files = files(&to_epub(&[recorded(), text()], "Articles", &pictures()).unwrap());
    let file = |name: &str| {
        let found = files.iter().find(|file| file.0 == name).unwrap();
        String::from_utf8(found.1.clone()).unwrap()
    };
    let (package, chapter) = (file("EPUB/package.opf"), file("EPUB/chapter-1.xhtml"));
    assert_well_formed(&package);
    assert_well_formed(&chapter);
    assert!(
        package.contains("archive crawl/a &amp; b.warc.gz, offset 4711, record urn:uuid:1"),
        "{package}"
    );
    assert_eq!(package.matches("dcterms:provenance").count(), 2);
    assert!(chapter.contains("<dt>Archive</dt><dd>crawl/a &amp; b.warc.gz</dd>"), "{chapter}");
    assert!(chapter.contains("1 in this book, of 3 of the article"), "{chapter}");
    assert!(!file("EPUB/chapter-2.xhtml").contains("<dt>Archive</dt>"));
}

fn pictures() -> PictureFiles {
    [("https://a.example/j.png".to_owned(), PictureFile::of(PNG.to_vec()).unwrap())].into()
}

/// Asserts that every tag is closed by its own.
fn assert_well_formed(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    for piece in xml.split('<').skip(1) {
        let tag = piece.split('>').next().unwrap();
        let name = tag.split([' ', '/', '\n']).find(|name| !name.is_empty()).unwrap();
        if tag.starts_with(['?', '!']) || tag.ends_with('/') {
            continue;
        }
        match tag.starts_with('/') {
            true => assert_eq!(open.pop(), Some(name), "in {xml}"),
            false => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?} stay open in {xml}");
}

fn files(book: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(Cursor::new(book)).unwrap();
    let number = archive.len();
    let file = |at: usize| {
        let mut file = archive.by_index(at).unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        (file.name().unwrap().into_owned(), bytes)
    };
    (0..number).map(file).collect()
}

#[test]
fn a_page_has_its_pictures_and_one_headline() {
    let page = to_html(&text(), &pictures());
    assert!(
        page.contains("<img src=\"data:image/png;base64,iVBORw0KGgogcGljdHVyZQ==\" alt=\"I\""),
        "{page}"
    );
    assert_eq!(page.matches("<h1>").count(), 1, "{page}");
    assert!(page.contains("Ann, Bob · 2026-01-12 · The Example"), "{page}");
    assert!(!page.contains("srcset"), "{page}");
    assert!(
        page.contains("<span class=\"on-paper\">Film: https://a.example/v.mp4</span>"),
        "{page}"
    );
    assert!(page.contains("<details open=\"\">"), "{page}");
    let without = sitegrove_document::to_html(&text(), &PictureFiles::new());
    assert!(
        without
            .contains("<img src=\"https://a.example/i.png\" srcset=\"https://a.example/j.png 2x\"")
    );
}

#[test]
fn a_book_has_its_files_in_order() {
    let book = to_epub(&[text()], "Articles", &pictures()).unwrap();
    assert!(book == to_epub(&[text()], "Articles", &pictures()).unwrap(), "other bytes");
    let files = files(&book);
    let names: Vec<&str> = files.iter().map(|file| file.0.as_str()).collect();
    assert_eq!(
        names,
        [
            "mimetype", "META-INF/container.xml", "EPUB/package.opf", "EPUB/nav.xhtml",
            "EPUB/style.css", "EPUB/chapter-1.xhtml", "EPUB/pictures/1-1.png",
        ]
    );
    assert_eq!(files[0].1, b"application/epub+zip");
    assert_eq!(files[6].1, PNG);
    for (name, bytes) in &files[1..6] {
        if !name.ends_with("css") {
            assert_well_formed(&String::from_utf8(bytes.clone()).unwrap());
        }
    }
    let chapter = String::from_utf8(files[5].1.clone()).unwrap();
    assert!(chapter.contains("<img src=\"pictures/1-1.png\" alt=\"I\"/>"), "{chapter}");
    assert!(
        !chapter.contains('\u{b}')
            && !chapter.contains("<dl>")
            && !chapter.contains("colspan=\"0\"")
    );
    // A link within a chapter leads to an element that is written, or nowhere.
    assert!(chapter.contains("<span id=\"article-s\"></span>"), "{chapter}");
    assert!(chapter.contains("<a href=\"#article-s\">back</a>, <a>nowhere</a>"), "{chapter}");
    let package = String::from_utf8(files[2].1.clone()).unwrap();
    assert!(
        package.contains("properties=\"mathml\"") && package.contains("2026-10-05T03:00:02Z"),
        "{package}"
    );
}

#[test]
fn several_articles_are_chapters() {
    let other = Article {
        url: "https://a.example/2".into(),
        title: None,
        text: "Plain.\n\nText.".into(),
        ..Article::default()
    };
    let book = to_epub(&[text(), other], "Both", &PictureFiles::new()).unwrap();
    let files = files(&book);
    let find = |name: &str| {
        let found = files.iter().find(|file| file.0 == name).unwrap();
        String::from_utf8(found.1.clone()).unwrap()
    };
    assert!(find("EPUB/chapter-2.xhtml").contains("<p>Plain.</p>\n<p>Text.</p>"));
    assert!(find("EPUB/nav.xhtml").contains("<a href=\"chapter-2.xhtml\">https://a.example/2</a>"));
    assert!(find("EPUB/chapter-1.xhtml").contains("<a href=\"https://a.example/i.png\">I</a>"));
}

#[test]
fn tei_has_sections_notes_and_code() {
    let tei = to_tei(&text());
    assert_well_formed(&tei);
    for piece in [
        "<title>Bread &amp; &lt;salt&gt;</title>",
        "<date when=\"2026-01-12\">",
        "<hi rend=\"sup\"><ref target=\"#article-n\">1</ref></hi>",
        "<div><head>Next</head>",
        "<item xml:id=\"article-n\">A note.</item>",
        "<code lang=\"rust\">let x = &quot;&lt;&quot;;</code>",
        "<graphic url=\"https://a.example/i.png\"/><figDesc>I</figDesc><head>A picture.</head>",
        "<p>loose</p>",
        "<list><item>no term</item>",
    ] {
        assert!(tei.contains(piece), "no {piece} in {tei}");
    }
}

#[test]
fn markdown_begins_with_the_headline() {
    let markdown = to_markdown(&text());
    assert!(
        markdown.starts_with("# Bread & \\<salt>\n\nAnn, Bob · 2026-01-12 · The Example\n\n"),
        "{markdown}"
    );
    assert!(
        markdown.contains("## Next") && markdown.ends_with("<https://a.example/b?c=1&d=2>\n"),
        "{markdown}"
    );
}

#[test]
fn pictures_have_all_their_addresses() {
    let addresses = picture_addresses(&text().html);
    assert_eq!(addresses, [["https://a.example/i.png", "https://a.example/j.png"]]);
    assert_eq!(PictureFile::of(b"<svg>".to_vec()), None);
}

#[test]
fn right_to_left_texts_are_set_so() {
    let arabic = Article {
        url: "https://a.example/3".into(),
        title: Some("\u{645}\u{646} \u{646}\u{62d}\u{646}".into()),
        text: "\u{628}\u{62f}\u{623}\u{62a} \u{627}\u{644}\u{635}\u{62d}\u{64a}\u{641}\u{629} A"
            .into(),
        ..Article::default()
    };
    let none = PictureFiles::new();
    let of_book = |texts: &[Article], name: &str| {
        let files = files(&to_epub(texts, "Both", &none).unwrap());
        let found = files.iter().find(|file| file.0 == name).unwrap();
        String::from_utf8(found.1.clone()).unwrap()
    };
    assert!(to_html(&arabic, &none).contains("<html dir=\"rtl\">"));
    assert!(!to_html(&text(), &none).contains("dir="));
    let book = [arabic.clone()];
    assert!(of_book(&book, "EPUB/chapter-1.xhtml").contains(" dir=\"rtl\">"));
    assert!(of_book(&book, "EPUB/nav.xhtml").contains(" dir=\"rtl\">"));
    assert!(of_book(&book, "EPUB/package.opf").contains("page-progression-direction=\"rtl\""));
    // A book reads as most of its articles do; chapters read each in its own way.
    let book = [text(), arabic, text()];
    assert!(!of_book(&book, "EPUB/package.opf").contains("progression"));
    assert!(of_book(&book, "EPUB/chapter-2.xhtml").contains(" dir=\"rtl\">"));
    assert!(!of_book(&book, "EPUB/chapter-1.xhtml").contains(" dir=\"rtl\">"));
}

/// Takes minutes if the whole list is looked at for each of its terms.
#[test]
fn a_list_of_many_terms_takes_linear_time() {
    let terms: String = (0..60_000).map(|n| format!("<dt>{n}</dt><dd>about {n}</dd>")).collect();
    let text = Article { html: format!("<dl>{terms}</dl>"), ..text() };
    assert!(to_tei(&text).contains("<label>59999</label><item>about 59999</item>"));
    let book = files(&to_epub(&[text], "Terms", &PictureFiles::new()).unwrap());
    let chapter = String::from_utf8(book[5].1.clone()).unwrap();
    assert!(chapter.contains("<dt>59999</dt><dd>about 59999</dd>\n</dl>"));
}
