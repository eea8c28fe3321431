//! Pages whose declarations, headlines or times contradict each other.

use model::{AuthorKind, Source};
use sitegrove_metadata::{PageContext, metadata};

use crate::{FILLER, page, published, read, title};

fn dated(published: &str, modified: &str, shown: &str) -> String {
    let modified = match modified {
        "" => String::new(),
        day => format!("<meta property=article:modified_time content='{day}'>"),
    };
    format!(
        "<meta property=article:published_time content='{published}'>{modified}
        <h1>Pears ripen early</h1>{shown}{}",
        FILLER.repeat(40)
    )
}

#[test]
fn the_day_beside_the_headline_goes_before_that_of_the_last_build() {
    let shown = "<div>Published <span>May 4, 2019</span></div>";
    published(&dated("2020-02-03", "2020-02-03", shown), "2019-05-04");
    published(&dated("2020-02-03", "", shown), "2019-05-04");
    // Built before it was published.
    published(&dated("2020-02-03", "2020-02-01", shown), "2019-05-04");
    // The two differ, so that the first is no change.
    published(&dated("2020-02-03", "2020-02-20", shown), "2020-02-03");
    // A day later or next to it, labelled as a change, or one of several.
    published(&dated("2019-02-03", "", shown), "2019-02-03");
    published(&dated("2019-05-05", "", shown), "2019-05-05");
    published(&dated("2020-02-03", "", "<div>Updated May 4, 2019</div>"), "2020-02-03");
    let two = "<div>May 4, 2019</div><div>May 9, 2019</div>";
    published(&dated("2020-02-03", "", two), "2020-02-03");
    // The address has the declared day.
    let document = dom::parse(&dated("2020-02-03", "", shown));
    let found =
        metadata(&PageContext { url: "https://a.example/2020/02/03/pears", ..page(&document) });
    assert_eq!(found.published.map(|field| field.value).as_deref(), Some("2020-02-03"));
    // A sentence is not beside the headline.
    let far = format!("{}<p>Frost came on May 4, 2019</p>", FILLER.repeat(90));
    published(&dated("2020-02-03", "", &far), "2020-02-03");
}

#[test]
fn a_page_published_again_says_when_it_was_first() {
    let page = |note: &str| {
        format!("<h1>Pears ripen early</h1><p class=date>May 4, 2020</p>{}{note}", FILLER.repeat(4))
    };
    published(&page(""), "2020-05-04");
    let note = "<p>This article was originally published on 3 May 2018 and is kept current.</p>";
    published(&page(note), "2018-05-03");
    // Two such notes are those of other articles.
    published(&page(&note.repeat(2)), "2020-05-04");
}

#[test]
fn a_time_is_written_as_the_page_shows_it() {
    let shown = "<time datetime='2020-05-04T21:30:00-04:00'>May 4</time>";
    published(&dated("2020-05-05T01:30:00Z", "", shown), "2020-05-04T21:30:00-04:00");
    // Another point in time.
    let other = shown.replace("21:30", "21:45");
    published(&dated("2020-05-05T01:30:00Z", "", &other), "2020-05-05T01:30:00Z");
}

#[test]
fn a_change_after_the_fetch_shows_that_its_time_is_wrong() {
    published(&dated("2020-09-03", "2020-09-20", ""), "2020-09-03");
    // Also without a change, unless another date is possible.
    published(&dated("2020-09-03", "", ""), "2020-09-03");
    published(&dated("2020-09-03", "", "<time>4 May 2020</time>"), "2020-05-04");
    // Also if it only shows one, unless that is when something begins.
    published("<h1>Pears ripen early</h1><p class=date>3 September 2020</p>", "2020-09-03");
    let event = r#"<script type="application/ld+json">{"startDate": "2020-09-03"}</script>"#;
    published(&format!("{event}<h1>Pears ripen early</h1><p>3 September 2020</p>"), "");
    // Errors of the page.
    published(&dated("2020-09-03", "2022-09-20", ""), "2020-09-03");
    published(&dated("2022-09-03", "", ""), "");
    // Not even such a page is published after its last change.
    published(&dated("2020-09-23", "2020-09-20", ""), "2020-09-20");
}

#[test]
fn a_label_may_stand_in_a_block_of_its_own() {
    let page = format!(
        "<div><div>Last updated:</div><div>May 4, 2020</div></div><h1>Pears ripen early</h1>{}",
        FILLER.repeat(4)
    );
    let found = read(&page);
    assert_eq!(found.modified.map(|f| f.value).as_deref(), Some("2020-05-04"));
    assert_eq!(found.published.map(|f| f.source.source), Some(Source::Page));
}

#[test]
fn the_day_of_the_visit_is_no_date_of_the_page() {
    let page = |name: &str| {
        format!(
            "<div id='{name}'>Friday, <b>May 29</b>, 2020</div><h1>Pears ripen early</h1>{FILLER}"
        )
    };
    published(&page("todays-date"), "");
    published(&page("post-date"), "2020-05-29");
}

#[test]
fn a_footer_of_the_header_has_the_date() {
    let page = |class: &str| {
        format!(
            "<h1>Pears ripen early</h1><footer class='{class}'>Jane Doe <span>May 4, 2020</span>
            </footer>{FILLER}"
        )
    };
    published(&page("node__meta"), "2020-05-04");
    published(&page("site"), "");
}

#[test]
fn the_heading_of_the_page_goes_before_that_of_the_book() {
    let page = |head: &str, headings: &str| format!("<title>{head}</title>{headings}{FILLER}");
    let book = "<h1>The Growing of Pears</h1>";
    let head = "Frost at night - The Growing of Pears";
    title(&page(head, &format!("{book}<h2>Frost at night</h2>")), "Frost at night");
    // The words of the title in another order.
    title(&page(head, &format!("{book}<h1>Frost: one night</h1>")), "Frost: one night");
    // Nothing below names the page.
    title(&page(head, &format!("{book}<h2>Early frost</h2>")), "The Growing of Pears");
    // A section above the headline, or a headline that is declared.
    let section = "Orchards today - Pears ripen early";
    let above = "<h2>Orchards today</h2><h1>Pears ripen early</h1>";
    title(&page(section, above), "Pears ripen early");
    let declared = format!("{section}</title><meta property=og:title content='Pears ripen early'>");
    let below = "<h1>Pears ripen early</h1><h2>Orchards today</h2>";
    title(&page(&declared, below), "Pears ripen early");
}

#[test]
fn a_link_to_the_front_page_is_no_headline() {
    let page = |address: &str| {
        format!(
            "<title>Pears ripen early - Fruit</title><h1><a href='{address}'>Grove talk</a></h1>{FILLER}"
        )
    };
    title(&page("/"), "Pears ripen early - Fruit");
    title(&page("/pears"), "Grove talk");
}

#[test]
fn headings_have_no_buttons_and_no_references() {
    title("<h1>Crate pear <button>Copy item path</button></h1>", "Crate pear");
    title("<h1 id=pears>Pears ripen<a href=#pears>¶</a></h1>", "Pears ripen");
    title("<title>Pears &amp; plums</title><h1>Pears &amp;#x26; plums</h1>", "Pears & plums");
}

#[test]
fn what_follows_a_paragraph_is_no_standfirst() {
    let other = "<div class=x><p>Growers of plums, however, were less happy with the frost of this spring.</p></div>";
    let subtitle = |before: &str| {
        let page = format!("<h1>Pears ripen early</h1>{before}{other}{}", FILLER.repeat(3));
        crate::read(&page).subtitle.is_some()
    };
    assert!(subtitle(""));
    assert!(!subtitle(FILLER));
}

#[test]
fn a_standfirst_in_a_heading_is_no_title() {
    let heads =
        "<meta property=og:title content='Pears ripen early'><title>Pears ripen early</title>";
    let long =
        "Learn when pears ripen and how to keep them, with advice from growers of five countries";
    title(&format!("{heads}<h1>{long}, {long}</h1>{FILLER}"), "Pears ripen early");
    title(&format!("{heads}<h1>When pears ripen</h1>{FILLER}"), "When pears ripen");
}

#[test]
fn a_publication_and_its_change_long_after_the_fetch_show_that_the_time_of_the_fetch_is_wrong() {
    let published = |published: &str, modified: &str| {
        let head = format!(
            "<meta property=article:published_time content={published}>\
             <meta property=article:modified_time content={modified}>"
        );
        let found = read(&format!("<head>{head}</head><h1>Pears ripen early</h1>{FILLER}"));
        found.published.map(|field| field.value)
    };
    let later = published("2023-05-04T08:00:00Z", "2023-05-04T09:10:00Z");
    assert_eq!(later.as_deref(), Some("2023-05-04T08:00:00Z"));
    // One of them is a slip.
    let slip = published("2023-05-04T08:00:00Z", "2019-05-04T09:10:00Z");
    assert_eq!(slip.as_deref(), Some("2019-05-04T09:10:00Z"));
    assert_eq!(published("2032-05-04T08:00:00Z", "2032-05-04T08:00:00Z"), None);
}

#[test]
fn a_fetch_before_the_web_was_archived_is_no_bound() {
    let html =
        "<meta property=article:published_time content=2023-05-04T08:00:00Z><h1>Pears</h1><p>Ripe.";
    let document = dom::parse(html);
    let page = PageContext { fetched: "1980-01-01T00:00:00Z".parse().ok(), ..page(&document) };
    assert_eq!(metadata(&page).published.unwrap().value, "2023-05-04T08:00:00Z");
}

#[test]
fn values_that_stand_for_none_are_passed_over() {
    let found = read(
        "<meta property=og:description content=undefined><meta name=description content='Pears are ripe.'>\
         <meta name=keywords content='梨、null、プラム'><meta property=og:site_name content='...'>\
         <link rel='canonical shortlink' href=http://localhost:3000/p/1>\
         <meta property=og:url content=https://www.orchard-post.example/p/1><h1>Pears</h1><p>Ripe.",
    );
    assert_eq!(found.description.unwrap().value, "Pears are ripe.");
    assert_eq!(found.tags.unwrap().value, ["梨", "プラム"]);
    assert_eq!(found.canonical.unwrap().value, "https://www.orchard-post.example/p/1");
    assert!(found.site_name.is_none());
}

#[test]
fn what_authors_are_is_said_of_each() {
    let kinds = |authors: &str| {
        let head = format!(
            "<meta property=og:site_name content='Orchard Post'><script type=application/ld+json>\
             {{\"@type\": \"NewsArticle\", \"author\": {authors}}}</script>"
        );
        let found = read(&format!("<head>{head}</head><h1>Pears ripen early</h1>{FILLER}"));
        found.author_kinds.into_iter().map(AuthorKind::as_str).collect::<Vec<_>>()
    };
    let agency = r#"{"@type": "NewsMediaOrganization", "name": "Harbour Wire"}"#;
    let person = r#"{"@type": "Person", "name": "Jane McArthur"}"#;
    assert_eq!(kinds(&format!("[{agency}, {person}]")), ["organization", "person"]);
    assert_eq!(kinds(r#""Orchard Post""#), ["organization"]);
    for login in ["jane_mcarthur", "j.mcarthur", "jmcarthur", "jane77", "JaneM"] {
        assert_eq!(kinds(&format!("{{\"name\": \"{login}\"}}")), ["account"], "{login}");
    }
    for name in ["Voltaire", "McArthur", "王小明"] {
        assert_eq!(kinds(&format!("{{\"name\": \"{name}\"}}")), ["person"], "{name}");
    }
}

#[test]
fn what_is_declared_beside_a_value_is_another() {
    let page = |declared: &str, shown: &str| {
        let site = "<meta property=og:site_name content='Orchard Post'>";
        let html = format!(
            "{site}<meta property=og:title content='{declared}'><h1>{shown}</h1>{}",
            FILLER.repeat(9)
        );
        let title = read(&html).title.unwrap();
        assert_eq!(title.value, shown);
        (title.source.agree, title.source.differ, title.source.confidence.unwrap())
    };
    let same = page("Pears ripen early | Orchard Post", "Pears ripen early");
    let longer = page("Pears ripen: what to do | Orchard Post", "Pears ripen");
    assert_eq!((same.0, same.1), (Some(2), Some(0)));
    assert_eq!((longer.0, longer.1), (Some(1), Some(1)));
    assert!(same.2 > longer.2);
    let by = |name: &str| {
        let json = "<script type=application/ld+json>{\"@type\": \"Article\", \"author\": \"Jo Field\"}</script>";
        let html = format!("{json}<h1>Pears ripen</h1><p>By {name}</p>{}", FILLER.repeat(9));
        let found = read(&html).authors.unwrap();
        assert_eq!(found.value, ["Jo Field"]);
        (found.source.agree, found.source.differ)
    };
    assert_eq!(by("Jo Field"), (Some(2), Some(0)));
    assert_eq!(by("Ann Brook"), (Some(1), Some(1)));
}
