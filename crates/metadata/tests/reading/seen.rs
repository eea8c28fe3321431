//! Pages with visible authors and dates, and pages whose declarations are misleading.

use model::Source;
use sitegrove_metadata::{PageContext, metadata};

use crate::{FILLER, authors, published, read, title};

#[test]
fn asides_of_facts_are_no_side_matter() {
    let body = FILLER.repeat(40);
    let page = |aside: &str| format!("<article>{aside}<h2>Pears ripen early</h2>{body}</article>");
    published(&page("<aside><time datetime=2020-05-04>May 4</time></aside>"), "2020-05-04");
    let many = "<p>Words <b>in</b> many <i>elements</i>".repeat(4);
    let large = |class: &str| {
        format!("<aside class='{class}'>{many}<time datetime=2020-05-04>May 4</time></aside>")
    };
    published(&page(&large("post-meta")), "2020-05-04");
    published(&page(&large("elsewhere")), "");
}

#[test]
fn asides_and_footers_of_the_article_are_no_side_matter() {
    let many = "<p>Words <b>in</b> many <i>elements</i>".repeat(4);
    let body = FILLER.repeat(22);
    let rest = "<i>a</i>".repeat(60);
    let around = |before: &str, after: &str| {
        format!(
            "<article><h1>Pears ripen early</h1>{before}<main>{body}</main>{after}</article>{rest}"
        )
    };
    let name = "<a href=/authors/jane-doe>Jane Doe</a>";
    let byline = format!("<div class=col>{many}</div><p class=byline>{name}</p>");
    authors(&around(&format!("<aside>{byline}</aside>"), ""), &["Jane Doe"]);
    authors(&around(&format!("<div class=sidebar-left>{byline}</div>"), ""), &["Jane Doe"]);
    authors(&around(&format!("<aside><h3>More</h3>{byline}</aside>"), ""), &[]);
    authors(&around(&format!("<nav>{byline}</nav>"), ""), &[]);
    authors(&around("", &format!("<div class=entry-footer>By: {name}</div>")), &["Jane Doe"]);
    authors(&around("", &format!("<div class=site-footer>By: {name}</div>")), &[]);
    let time = |day: u32| format!("<time datetime=2020-05-0{day}>{day} May</time> ");
    published(&around(&format!("<aside>{many}{}</aside>", time(4)), ""), "2020-05-04");
    let list: String = (1..7).map(time).collect();
    published(&around(&format!("<aside>{many}{list}</aside>"), ""), "");
}

#[test]
fn another_article_has_dates_of_its_own() {
    let article = |rest: &str| {
        format!("<article><h1>Pears ripen early</h1>{rest}{}</article>", FILLER.repeat(3))
    };
    let other = "<article><h2><a href=/plums>Plums are late</a></h2><time datetime=2020-05-01>1 May</time></article>";
    published(&format!("{}{other}", article("")), "");
    published(
        &format!("{other}{}", article("<time datetime=2020-05-04>4 May</time>")),
        "2020-05-04",
    );
}

#[test]
fn teasers_above_the_headline_have_dates_and_authors_of_their_own() {
    let teaser = |day: u32| {
        format!(
            "<div><a href=/plums/{day}><h3>Plums are late this year</h3></a><span class=by>By Carl Other</span> \
             <time datetime=2020-05-0{day}>{day} May 2020</time></div>"
        )
    };
    let strip = format!("<div class=strip>{}{}</div>", teaser(1), teaser(2));
    let article = |byline: &str| {
        let body = FILLER.repeat(30);
        format!("{strip}<div><h1>Pears ripen early</h1>{byline}{body}</div>")
    };
    let dated = article("<div class=date>4 May 2020</div>");
    published(&dated, "2020-05-04");
    authors(&dated, &[]);
    authors(&article("<div class=who>By Jane Doe</div>"), &["Jane Doe"]);
    // A headline of the page's own section is no teaser.
    let head = "<div><h2><a href=/fruit>Fruit and vegetables of May</a></h2><time datetime=2020-05-04>4 May</time></div>";
    published(&format!("{head}<h1>Pears ripen early</h1>{FILLER}"), "2020-05-04");
}

#[test]
fn a_list_in_a_small_aside_is_that_of_others() {
    let other = "<aside><h3>Latest</h3><a href=/plums>Plums</a><time datetime=2020-05-09>9 May</time></aside>";
    published(&format!("<h1>Pears ripen early</h1>{}{other}", FILLER.repeat(22)), "");
}

#[test]
fn the_date_that_is_called_one_of_publication_goes_before_that_of_an_event() {
    let event = "<p>Fair: <time datetime=2020-05-20>20 May</time></p>";
    let own = "<p>Published <time datetime=2020-05-04>4 May</time></p>";
    published(&format!("<h1>Pears ripen early</h1>{event}{own}{FILLER}"), "2020-05-04");
}

#[test]
fn a_label_of_publication_goes_before_dates_of_other_things() {
    for lines in [
        "<dl><dt>Deadline</dt><dd>20 May 2020</dd><dt>Published</dt><dd>4 May 2020</dd></dl>",
        "<ul class=meta><li><b>Closing date:</b> <b>20 May 2020</b></li><li><b>Posted:</b> <b>4 May 2020</b></li></ul>",
        "<p>Photo taken 20 May 2015. Posted 4 May 2020</p>",
        "<p>Fair: 20 May 2020</p><p>Posted on 4 May 2020</p>",
    ] {
        published(&format!("<h1>Pears ripen early</h1>{lines}{}", FILLER.repeat(9)), "2020-05-04");
    }
}

#[test]
fn of_two_labelled_dates_the_earlier_is_the_publication() {
    let page = |lines: &str| format!("<h1>Pears ripen early</h1>{lines}{}", FILLER.repeat(9));
    published(&page("<p>Päivitetty 20.5.2020</p><p>Julkaistu 4.5.2020</p>"), "2020-05-04");
    published(
        &page("<p>Güncelleme: 20.05.2020 10:12 | Giriş: 04.05.2020 09:12</p>"),
        "2020-05-04T09:12:00",
    );
    // Dates of other things are not beside it, have the same label, or are much older.
    published(&page("<p>Xyz: 20 May 2020</p><p>Words</p><p>Zyx: 4 May 2020</p>"), "2020-05-20");
    published(&page("<p>Xyz: 20 May 2020</p><p>Xyz: 4 May 2020</p>"), "2020-05-20");
    published(&page("<p>Xyz: 20 May 2020</p><p>Zyx: 4 May 1998</p>"), "2020-05-20");
}

#[test]
fn of_two_labelled_dates_the_later_is_the_change() {
    let modified = |language: &str, lines: &str| {
        let head = format!("<html lang={language}><h1>Pears ripen early</h1>");
        read(&format!("{head}{lines}{}", FILLER.repeat(9))).modified.map(|field| field.value)
    };
    for lines in [
        "<p>Giriş: 04.05.2020 10:12 Güncelleme: 20.05.2020</p>",
        "<p>4.5.2020 10:12 • Päivitetty 20.5.2020</p>",
        "<p>Wydano: 4.05.2020</p><p>Poprawiono: 20.05.2020</p>",
        "<p>Päivitetty 20.5.2020</p><p>Julkaistu 4.5.2020</p>",
        "<p>입력 2020.05.04 10:12 수정 2020.05.20</p>",
        "<p>04.05.2020 (modifica il 20.05.2020)</p>",
        "<p>Đăng lúc 04/05/2020 10:12 Cập nhật 20/05/2020</p>",
    ] {
        assert_eq!(modified("tr", lines).as_deref(), Some("2020-05-20"), "{lines}");
    }
    for (language, lines) in [
        ("de", "<p>4. Mai 2020, 10:12 Uhr bis 20. Mai 2020</p>"),
        ("de", "<p>4. Mai 2020</p><p>Treffen: 20. Mai 2020</p>"),
        ("fi", "<p>4.5.2020 – 20.5.2020</p>"),
        ("en", "<p>Opens: 4 May 2020 Closes: 20 May 2020</p>"),
        ("tr", "<p>Giriş: 04.05.2020 Fuar: 20.05.2023</p>"),
    ] {
        assert_eq!(modified(language, lines), None, "{lines}");
    }
}

#[test]
fn a_name_after_the_only_unknown_label_in_a_script_without_case() {
    let page =
        |lines: &str| format!("<html lang=fa><h1>Pears ripen</h1>{lines}{}", FILLER.repeat(9));
    authors(&page("<p>روزنامه‌نگار: مریم احمدی</p>"), &["مریم احمدی"]);
    authors(&page("<p>کارگردان: مریم احمدی</p><p>بازیگر: رضا کریمی</p>"), &[]);
    authors(&page("<p>منبع: مریم احمدی</p>"), &[]);
}

#[test]
fn names_before_weekdays_and_readings_of_characters() {
    let body = FILLER.repeat(9);
    authors(
        &format!("<h1>Pears ripen</h1><p>Jane Doe — Friday, 4 May 2020, 10:12</p>{body}"),
        &["Jane Doe"],
    );
    let ruby = "<title>雨が降っていました</title><h1><ruby>雨<rp>（</rp><rt>あめ</rt><rp>）</rp></ruby>が降っていました</h1>";
    title(&format!("{ruby}{body}"), "雨が降っていました");
    let declared =
        "<meta property=og:title content='Pears ripen early...'><h1>Pears ripen early</h1>";
    title(&format!("{declared}{body}"), "Pears ripen early");
}

#[test]
fn times_in_sentences_lists_and_heads_of_pages_come_last() {
    let page = |head: &str, lines: &str, end: &str| {
        let body = FILLER.repeat(20);
        format!("<header>{head}</header><h1>Pears ripen early</h1><div>{lines}{body}</div>{end}")
    };
    let date = "<p class=date>4 May 2020</p>";
    let time = "<time datetime=2020-05-20>20 May</time>";
    let sentence = format!("<p>The fair of the growers opens on {time} in the old hall.</p>");
    published(&page("", &format!("{date}{sentence}"), ""), "2020-05-04");
    published(&page(time, date, ""), "2020-05-04");
    published(&page(time, "", ""), "2020-05-20");
    let latest = format!("<ul><li>{time} <a href=/plums>Plums</a></ul>");
    published(
        &page("", "", "")
            .replace("<h1>", &format!("{latest}<h1>"))
            .replace("<div>", "<div>4 May 2020"),
        "2020-05-04",
    );
    let list = format!("<ul><li>{time} <a href=/plums>Plums</a></ul>");
    let document = dom::parse(&page("", date, &list));
    let is_paragraph = |id: &dom::NodeId| document.is(*id, &dom::local_name!("p"));
    let body: Vec<dom::NodeId> = document.ids().filter(is_paragraph).collect();
    let found = metadata(&PageContext { body: Some(&body), ..crate::page(&document) });
    assert_eq!(found.published.unwrap().value, "2020-05-04");
}

#[test]
fn properties_of_rdfa() {
    let drupal = "<span property='dc:date dc:created' content='2020-05-04T09:30:00+02:00'>Submitted by \
                  <span property='foaf:name'>Jane Doe</span> on Mon, 05/04/2020</span>";
    published(&format!("<h1>Pears ripen early</h1>{drupal}{FILLER}"), "2020-05-04T09:30:00+02:00");
    let schema = "<div vocab='https://schema.org/' typeof=Article><div property=author typeof=Person><i>Editor</i>\
                  <span property=name>Jane Doe</span></div></div>";
    authors(&format!("<h1>Pears ripen early</h1>{schema}{FILLER}"), &["Jane Doe"]);
}

#[test]
fn marks_of_affiliations_are_no_part_of_names() {
    let byline = "<p class=authors>Jane Doe<sup>1,2</sup>, John M<sup>c</sup>Roe<sup>2</sup> and Mary Poe<sup>*</sup></p>";
    authors(
        &format!("<h1>Pears ripen early</h1>{byline}{FILLER}"),
        &["Jane Doe", "John McRoe", "Mary Poe"],
    );
}

#[test]
fn times_of_scripts_and_of_dot_net() {
    let span = "<span class=timeago title=2020-05-04T08:30:00Z>2 days ago</span>";
    published(&format!("<h1>Pears ripen early</h1>{span}{FILLER}"), "2020-05-04T08:30:00Z");
    published("<meta name=date content='/Date(1588581000000)/'>", "2020-05-04T08:30:00Z");
    let moment = "<span data-moment=2020-05-04T08:30:00Z></span>";
    published(&format!("<h1>Pears ripen early</h1>{moment}{FILLER}"), "2020-05-04T08:30:00Z");
}

#[test]
fn dates_in_tooltips_of_a_few_words() {
    let page = |line: &str| format!("<h1>Pears ripen early</h1><p>{line}</p>{FILLER}");
    for (line, date) in [
        ("<span title='May 4, 2020 10:12'>3 weeks ago</span>", "2020-05-04T10:12:00"),
        ("<a href=/p title='Mon, 4 May 2020 10:12:00 +0000'>3w</a>", "2020-05-04T10:12:00Z"),
        ("<span data-tooltip='4. Mai 2020'>vor 3 Wochen</span>", "2020-05-04"),
        ("<span aria-label='Opens on May 4, 2020'>soon</span>", ""),
        ("<a href=/4 title='May 4, 2020'>4</a>", ""),
        (
            "<span title='May 4, 2020'>3 weeks ago</span> in reply to that of 6 May 2020",
            "2020-05-04",
        ),
    ] {
        published(&page(line), date);
    }
}

#[test]
fn metas_of_other_names_and_forms() {
    let page = |head: &str| format!("{head}<h1>Pears ripen early</h1>{FILLER}");
    let tags = read(r#"<meta name=keywords content='["pears", "plums"]'>"#).tags.unwrap();
    assert_eq!(tags.value, ["pears", "plums"]);
    for name in [
        "published_at", "citation_online_date", "cXenseParse:recs:publishtime",
        "weibo:article:create_at",
    ] {
        published(&page(&format!("<meta name='{name}' content=2020-05-04>")), "2020-05-04");
    }
    let parsely = r#"<meta name=parsely-page content='{"type": "post", "pub_date": "2020-05-04T08:30:00Z", "authors": ["Jane Doe"]}'>"#;
    published(&page(parsely), "2020-05-04T08:30:00Z");
    authors(&page(parsely), &["Jane Doe"]);
    let names = r#"<meta name=author content='["Jane Doe", "John Roe"]'>"#;
    authors(&page(names), &["Jane Doe", "John Roe"]);
}

#[test]
fn names_that_addresses_confirm() {
    let page = |byline: &str| format!("<h1>Pears ripen early</h1>{byline}{}", FILLER.repeat(40));
    let link = |to: &str, name: &str| format!("<li class=author><a href='{to}'>{name}</a></li>");
    let two = [link("/author/jane_doe", "jane doe"), link("/author/j%C3%B6rg-roe", "jörg roe")];
    let two = format!("<ul><li>By</li>{}</ul>", two.concat());
    authors(&page(&two), &["jane doe", "jörg roe"]);
    authors(&page(&link("/author/12", "more stories")), &[]);
    authors(&page("<address><a href=/people/7>Jane Doe</a></address>"), &["Jane Doe"]);
    authors(&page("<p>von</p><p>Jane Doe</p>"), &["Jane Doe"]);
    authors(&page("<p>October 11, 2023 by Jane Doe</p>"), &["Jane Doe"]);
}

#[test]
fn dates_directly_below_the_headline_go_before_those_of_elements_further_away() {
    let related = format!("<div>{}</div><p class=date>May 9, 2020</p>", "<i>a</i>".repeat(90));
    let page =
        |line: &str| format!("<h1>Pears ripen early</h1>{line}{related}{}", FILLER.repeat(40));
    published(&page("<p>May 4, 2020 | 14 min read</p>"), "2020-05-04");
    published(&page(""), "2020-05-09");
}

#[test]
fn a_labelled_date_at_the_end_of_the_headline() {
    let long =
        "Pears ripen early, and nobody at the market knows when they will be sold ".repeat(2);
    let page = |end: &str| format!("<h1>{long}<i>{end}</i></h1>{}", FILLER.repeat(40));
    published(&page("Fruit, Posted on May 4, 2020"), "2020-05-04");
    published(&page("since May 4, 2020"), "");
}

#[test]
fn a_labelled_date_in_a_column_is_the_last_but_one_resort() {
    let column = "<div class=sidebar><h4>Published</h4><time datetime=2020-05-04>4 May</time>
        <h4>Reviewed</h4><time datetime=2020-05-20>20 May</time></div>";
    let page = format!("<h1>Pears ripen early</h1>{}", FILLER.repeat(40));
    published(&format!("{page}{column}"), "2020-05-04");
    published(&format!("{page}{}", column.replace("Published", "Next meeting")), "");
}

#[test]
fn dates_of_old_pages() {
    let page = |date: &str| format!("<h1>Pears ripen early</h1>{date}{}", FILLER.repeat(40));
    published(
        &page("<abbr title='2020-05-04T10:05:00Z'>1 hour ago</abbr>"),
        "2020-05-04T10:05:00Z",
    );
    published(&page("<abbr title='Member of Parliament'>MP</abbr>"), "");
    for seen in [
        "<span class=ago data-timestamp=1588586700>2 hours ago</span>",
        "<span data-post-time=1588586700000></span>",
        "<b data-date='2020-05-04T10:05:00Z'>today</b>",
    ] {
        published(&page(seen), "2020-05-04T10:05:00Z");
    }
    published(&page("<span data-id=1588586700 data-timeout=1588586700>2 hours ago</span>"), "");
    published(&page("<meta name=Issue_Date content='May 4, 2020'>"), "2020-05-04");
    published(&page("<title>Orchard Post - Pears ripen early - May 4, 2020</title>"), "2020-05-04");
    published(&page("<title>Pears of May 4, 2020 ripen early</title>"), "");
    let facts =
        "<div class='by-line-comments-date'>432 views<span class=date>May 4, 2020</span></div>";
    published(&page(facts), "2020-05-04");
    let comments = "<div class=comments><p><span class=date>May 4, 2020</span> Nice</div>";
    published(&page(comments), "");
}

#[test]
fn a_date_mentioned_in_a_sentence_is_not_the_publication_date() {
    let page = |line: &str| format!("<h1>Pears ripen early</h1><p>{line}</p>{}", FILLER.repeat(9));
    published(&page("On 4 May 2020 a storm took half of the old trees."), "");
    published(&page("OAKHAM, May 4, 2020 – A storm took half of the old trees."), "2020-05-04");
    published(&page("This entry was posted in Fruit on May 4, 2020 by Jane Doe."), "2020-05-04");
}

#[test]
fn one_date_tells_the_order_of_the_others() {
    let body = FILLER.repeat(90);
    let page = |other: &str| {
        format!("<html lang=en><h1>Pears ripen early</h1><p>03/04/2020</p>{body}<p>{other}</p>")
    };
    published(&page("Last frost: 02/29/2020"), "2020-03-04");
    published(&page("Last frost: 29/02/2020"), "2020-04-03");
    published(&page("Last frost: 29/02/2020</p><p>First: 11/21/2020"), "");
    published(&page("No frost"), "");
    published(&page("2/29/20"), "2020-03-04");
    let meta = |other: &str| {
        let head = "<html lang=en><meta name=date content='03/04/2020 10:05:00 AM'>";
        format!("{head}<meta name=changed content='{other}'><h1>Pears ripen early</h1>{body}")
    };
    published(&meta("05/21/2020 10:05:00 AM"), "2020-03-04T10:05:00");
    published(&meta("05/06/2020 10:05:00 AM"), "");
}

#[test]
fn a_labelled_date_that_stands_only_once() {
    let page = |end: &str| {
        format!("<h1>Pears ripen early</h1>{}<footer>{end}</footer>", FILLER.repeat(40))
    };
    published(&page("<h5>Posted: 05.14.2020</h5>"), "2020-05-14");
    published(&page("<p>Posted May 14, 2020</p><p>Posted May 15, 2020</p>"), "");
    published(&page("<p>Next fair: May 14, 2020</p>"), "");
}

#[test]
fn where_only_a_change_is_told_it_is_the_publication() {
    let page = read(&format!("<h1>Pears ripen early</h1><p>Updated May 4, 2020</p>{FILLER}"));
    assert_eq!(page.published.as_ref().map(|f| &f.value), page.modified.as_ref().map(|f| &f.value));
    assert_eq!(page.published.map(|f| f.value).as_deref(), Some("2020-05-04"));
    // Any other date takes precedence.
    let both = "<h1>Pears ripen early</h1><p>Updated May 4, 2020</p><p>May 1, 2020</p>";
    published(&format!("{both}{FILLER}"), "2020-05-01");
}

#[test]
fn json_ld_written_into_a_meta() {
    let page = read(
        r#"<meta name="script:ld+json" content="{&quot;@type&quot;:&quot;Article&quot;,&quot;datePublished&quot;:&quot;2020-05-04&quot;}"><h1>Pears</h1>"#,
    );
    assert_eq!(
        page.published.map(|field| (field.value, field.source.source)),
        Some(("2020-05-04".to_owned(), Source::JsonLd))
    );
}

#[test]
fn the_publisher_of_a_site_of_ones_own_is_its_author() {
    let page = |kind: &str| {
        format!(
            r##"<script type="application/ld+json">{{"@graph": [
            {{"@type": "Article", "headline": "Pears", "author": {{"@id": "#j"}}, "publisher": {{"@id": "#j"}}}},
            {{"@type": {kind}, "@id": "#j", "name": "Jane Doe"}}]}}</script>
            <h1>Pears ripen early</h1><a rel=author>Follow Jane</a>{FILLER}"##
        )
    };
    authors(&page(r#"["Person", "Organization"]"#), &["Jane Doe"]);
    assert_eq!(read(&page(r#""Person""#)).site_name, None);
}

#[test]
fn a_byline_goes_before_the_account_that_posted_the_page() {
    let page = |meta: &str, line: &str| {
        format!(
            "<meta name=author content='{meta}'><h1>Pears ripen early</h1><p>{line}</p>{FILLER}"
        )
    };
    authors(&page("Web Desk", "By Jane Doe"), &["Jane Doe"]);
    authors(&page("jdoe", "By Jane Doe, Orchard Writer"), &["Jane Doe"]);
    // Another spelling of the same name, or a single word that may be anything.
    authors(&page("Jane Q. Doe", "By Jane Doe"), &["Jane Q. Doe"]);
    authors(&page("Web Desk", "By Train"), &["Web Desk"]);
}

#[test]
fn elements_that_are_called_a_name() {
    let page = |class: &str| {
        format!("<h1>Pears ripen early</h1><div class='{class}'>Newsroom</div>{FILLER}")
    };
    authors(&page("creator-name"), &["Newsroom"]);
    authors(&page("story-author-name"), &["Newsroom"]);
    authors(&page("creator"), &[]);
    authors(&page("author-box"), &[]);
}

#[test]
fn links_to_what_a_post_is_filed_under_are_no_authors() {
    let page = |byline: &str| {
        format!(
            "<meta property=og:site_name content='Pears on Toast'><h1>Pears ripen early</h1><div class=author>{byline}</div>{FILLER}"
        )
    };
    authors(&page("in <a href=/category/ripe-pears>Ripe Pears</a>"), &[]);
    authors(&page("in <a rel='category tag' href=/?c=1>Ripe Pears</a>"), &[]);
    authors(
        &page("<a href=/jane>Jane Doe</a> in <a href=/tag/pears>Ripe Pears</a>"),
        &["Jane Doe"],
    );
    authors(&page("<a href=/us>Pears on Toast</a>"), &["Pears on Toast"]);
}

#[test]
fn blocks_within_a_link_are_apart() {
    let link = "<a class=author href=/jane><div>Team Orchard</div><div>May 4, 2020</div></a>";
    let page = format!("<h1>Pears ripen early</h1>{link}{FILLER}");
    authors(&page, &["Team Orchard"]);
    published(&page, "2020-05-04");
}

#[test]
fn inline_elements_that_styles_set_apart() {
    let page = "<h1>Pears ripen early</h1><p>By <span>Jane Doe</span><span>May 4, 2020</span></p>";
    authors(&format!("{page}{FILLER}"), &["Jane Doe"]);
}

#[test]
fn names_without_a_label_right_below_the_headline() {
    let page = |line: &str| format!("<h1>Pears ripen early</h1><p>{line}</p>{FILLER}");
    authors(&page("Jane Doe | Senior Writer | May 4, 2020"), &["Jane Doe"]);
    authors(&page("<i>Jane Doe, 4 May 2020</i>"), &["Jane Doe"]);
    authors(&page("<b class=byline><i>Jane Doe</i><i>Senior writer</i></b>"), &["Jane Doe"]);
    authors(&page("Orchard Post, 4 May 2020"), &[]);
    authors(&page("Market news, 4 May 2020"), &[]);
    // The staff, elsewhere on the page.
    let staff = "<ul><li>Ann Poe<br>Reporter</li><li>John Roe, Editor in Chief</li></ul>";
    authors(&format!("<h1>Pears ripen early</h1>{}{staff}", FILLER.repeat(6)), &[]);
}

#[test]
fn a_label_among_other_facts_in_chinese() {
    let line = "<div>2020年5月4日　来源：果园　作者：王小明　<a>大</a> <a>中</a></div>";
    authors(&format!("<h1>梨子早熟</h1>{line}<p>今年梨子熟得早。"), &["王小明"]);
}

#[test]
fn a_date_in_the_headline_is_none_of_it() {
    let head = "<meta property=og:title content='Pears ripen early'><title>Pears ripen early | Jane</title>";
    let title = |h1: &str| read(&format!("{head}<h1>{h1}</h1>{FILLER}")).title.map(|f| f.value);
    let plain = Some("Pears ripen early".to_owned());
    assert_eq!(title("<span>May 4 2020</span> Pears ripen early"), plain);
    assert_eq!(title("<span>Fruit</span> Pears ripen early"), plain, "a kicker");
    let head = "<title>Pears ripen early | The Valley</title>";
    let page = read(&format!("{head}<h1><span>Fruit</span> Pears ripen early</h1>{FILLER}"));
    assert_eq!(page.title.map(|f| f.value), plain);
    // A subtitle is part of the title.
    let long = Some("Pears ripen early: a report".to_owned());
    assert_eq!(title("Pears ripen early: a report"), long);
}

#[test]
fn a_headline_without_a_word_of_the_titles_is_none() {
    let head =
        "<meta property=og:title content='Quickstart'><title>Quickstart | Orchard Post</title>";
    let title = |head: &str, h1: &str| {
        read(&format!("{head}<h1>{h1}</h1>{FILLER}")).title.map(|field| field.value)
    };
    assert_eq!(title(head, "Copy page Open in editor").as_deref(), Some("Quickstart"));
    assert_eq!(title(head, "A quickstart for all").as_deref(), Some("A quickstart for all"));
    let alone = "<title>Orchard</title>";
    assert_eq!(title(alone, "Pears ripen early").as_deref(), Some("Pears ripen early"));
}

#[test]
fn labels_before_dates_are_no_authors() {
    let page = |line: &str| format!("<h1>Pears ripen early</h1><p>{line}</p>{FILLER}");
    authors(&page("Release Date: 4 May 2020"), &[]);
    authors(&page("Fecha Publicación: 04/05/2020"), &[]);
    authors(&page("Monday Morning, 4 May 2020"), &[]);
    authors(&page("<a href=/c/0>Game Review</a> | 4 May 2020"), &[]);
    authors(&page("Jane Doe, 4 May 2020"), &["Jane Doe"]);
}

#[test]
fn a_label_without_a_name_takes_none_of_the_text() {
    let page = |byline: &str, text: &str| {
        format!("<h1>Pears ripen early</h1><div>{byline}</div><p>{text}</p>{FILLER}")
    };
    for byline in ["By <span></span>", "Written by:"] {
        authors(
            &page(byline, "According to Anton Okafor, the bridge cost more than a ferry."),
            &[],
        );
        authors(&page(byline, "Anton Okafor left town."), &[]);
        authors(&page(byline, "Anton Okafor"), &["Anton Okafor"]);
    }
}

#[test]
fn a_headline_is_no_byline() {
    for headline in ["Von Braun museum opens in Ashmere", "By Train Through Dunfell Valley"] {
        authors(&format!("<h1>{headline}</h1>{FILLER}"), &[]);
    }
}

#[test]
fn names_end_where_elements_do() {
    let page = |byline: &str| format!("<h1>Pears ripen early</h1>{byline}{FILLER}");
    let name = "<a href=/u/0>Jane Doe</a>";
    let other = "<a href=/u/1>John Roe</a>";
    let both = ["Jane Doe", "John Roe"];
    authors(
        &page(&format!("<div class=byline><span>By</span>{name}<span>and</span>{other}</div>")),
        &both,
    );
    authors(
        &page(
            "<div><span>Written by</span><span>Jane Doe</span><span>and</span><span>John Roe</span></div>",
        ),
        &both,
    );
    authors(
        &page("<div class=byline><span>Jane Doe</span><span>reporter</span></div>"),
        &["Jane Doe"],
    );
    authors(
        &page("<div class=byline><i><b>Jane Doe</b><i>staff reporter</i></i></div>"),
        &["Jane Doe"],
    );
    authors(&page("<ul class=authors><li>Jane Doe</li><li>John Roe</li></ul>"), &both);
    let card = "<div class='author vcard'><span class=fn>Jane Doe</span> <span class=org>Feed Post</span></div>";
    authors(&page(card), &["Jane Doe"]);
    authors(&page("<a rel=author href=/u>View all posts by Jane Doe →</a>"), &["Jane Doe"]);
}

#[test]
fn names_of_parts_of_an_author_are_others() {
    let byline = "<div itemprop=author itemscope><span itemprop=affiliation itemscope>\
                  <span itemprop=name>Feed Post Desk</span></span> <span itemprop=name>Jane Doe</span></div>";
    authors(&format!("<h1>Pears ripen early</h1>{byline}{FILLER}"), &["Jane Doe"]);
}
