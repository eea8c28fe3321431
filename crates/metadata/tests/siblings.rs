//! What siblings tell about the fields of a page that it does not tell by itself.

use dom::{Document, NodeId};
use model::{Metadata, Source};
use proptest::prelude::*;
use sitegrove_metadata::{PageContext, TemplateFields, metadata};

const NAMES: [&str; 6] =
    ["Ines Kowal", "Tom Barry", "Ada Lind", "Petra Novak", "Jon Hale", "Mia Sorel"];
const TEXT: &str = "<p>The ferry was late again, and nobody on the pier knew when it would leave, said a clerk.</p>\
    <p>Rain fell on the roofs of the old harbour until the evening, when the market closed its gates.</p>";

struct Site {
    pages: Vec<(String, Document)>,
}

impl Site {
    /// Six pages; `html` gives a page by its number.
    fn new(html: impl Fn(usize) -> String) -> Self {
        let page = |n: usize| (format!("https://pier.example/story-{n}"), dom::parse(&html(n)));
        Self { pages: (0..6).map(page).collect() }
    }

    fn context<'a>(&'a self, n: usize, body: &'a [NodeId]) -> PageContext<'a> {
        PageContext {
            fetched: "2024-06-01T00:00:00Z".parse().ok(),
            body: Some(body),
            detected: terms::detect(self.pages[n].1.text_content(0)),
            body_text: self.pages[n].1.text_content(0),
            ..PageContext::new(&self.pages[n].1, &self.pages[n].0)
        }
    }

    fn bodies(&self) -> Vec<Vec<NodeId>> {
        let article = |document: &Document| {
            let is_article = |id: &NodeId| document.is(*id, &dom::local_name!("main"));
            document.ids().filter(is_article).collect()
        };
        self.pages.iter().map(|(_, document)| article(document)).collect()
    }

    fn learn(&self) -> TemplateFields {
        let bodies = self.bodies();
        let contexts: Vec<PageContext<'_>> =
            (0..self.pages.len()).map(|n| self.context(n, &bodies[n])).collect();
        TemplateFields::learn(&contexts, &[], &|wanted| self.path_to(wanted))
    }

    /// An expression by tag and class of the first wanted element, and on how many pages it is exact.
    fn path_to(&self, wanted: &[Vec<NodeId>]) -> (Vec<dom::xpath::Path>, f64) {
        let first =
            wanted.iter().zip(&self.pages).find_map(|(own, page)| Some((*own.first()?, &page.1)));
        let Some((id, document)) = first else { return (Vec::new(), 0.0) };
        let name = document.name(id).unwrap();
        let path = match document.attribute(id, &dom::local_name!("class")) {
            Some(class) => format!("//{name}[@class='{class}']"),
            None => format!("//{name}"),
        };
        let path: dom::xpath::Path = path.parse().unwrap();
        let is_exact =
            |both: &(&Vec<NodeId>, &(String, Document))| path.select(&both.1.1) == *both.0;
        let exact = wanted.iter().zip(&self.pages).filter(is_exact).count();
        (vec![path.clone()], exact as f64 / wanted.len() as f64)
    }

    /// The metadata of each page, by itself and with what siblings tell.
    fn read(&self) -> Vec<(Metadata, Metadata)> {
        let (bodies, learnt) = (self.bodies(), self.learn());
        let of = |n: usize| {
            let context = self.context(n, &bodies[n]);
            let alone = metadata(&context);
            (alone, metadata(&PageContext { learnt: Some(&learnt), ..context }))
        };
        (0..self.pages.len()).map(of).collect()
    }
}

fn page(head: &str, lead: &str, n: usize) -> String {
    format!(
        "<html><head>{head}</head><body><div class=top><a href=/>Start</a></div>
         <h1>Ferry number {n} leaves the pier</h1>{lead}<main>{TEXT}</main></body></html>"
    )
}

#[test]
fn an_account_that_all_pages_name_gives_way_to_bylines() {
    let html = |n: usize| {
        let account = "<meta name=author content='Web Desk'>";
        page(account, &format!("<p class=author>{}</p>", NAMES[n % 4]), n)
    };
    for (n, (alone, found)) in Site::new(html).read().into_iter().enumerate() {
        assert_eq!(alone.authors.unwrap().value, ["Web Desk"]);
        let authors = found.authors.unwrap();
        assert_eq!(
            (authors.value, authors.source.source),
            (vec![NAMES[n % 4].to_owned()], Source::Page)
        );
    }
    // The same name everywhere is that of the one who writes the site.
    let one = Site::new(|n| {
        page("<meta name=author content='Ada Lind'>", "<p class=author>Ada Lind</p>", n)
    });
    for (_, found) in one.read() {
        assert_eq!(found.authors.unwrap().value, ["Ada Lind"]);
    }
}

#[test]
fn a_line_that_names_others_on_each_page_is_the_byline_in_any_language() {
    let lead = |line: &str, n: usize| {
        format!("<p>{} May 2024</p><div><span class=x7>{line} {}</span></div>", n + 1, NAMES[n])
    };
    let site = Site::new(|n| page("", &lead("Testo di", n), n));
    for (n, (alone, found)) in site.read().into_iter().enumerate() {
        assert_eq!(alone.authors, None);
        assert_eq!(found.authors.unwrap().value, [NAMES[n]]);
    }
    for label in ["Sponsored by", "Artist:", "Advertisement feature by", "Contact (press):"] {
        for (_, found) in Site::new(|n| page("", &lead(label, n), n)).read() {
            assert_eq!(found.authors, None, "{label}");
        }
    }
    let places: Vec<_> =
        site.learn().places().map(|(field, place)| (field, place.xpath().join(" | "))).collect();
    assert_eq!(places, [("authors", "//span[@class='x7']".to_owned())]);
}

#[test]
fn what_stands_before_dates_on_all_pages_is_no_author() {
    let html =
        |n: usize| page("", &format!("<p class=meta>Press Release, {} May 2024</p>", n + 1), n);
    for (_, found) in Site::new(html).read() {
        assert_eq!(found.authors, None);
    }
}

#[test]
fn a_sentence_of_the_template_is_no_standfirst() {
    let days = ["Monday", "Tuesday", "Friday"];
    let html = |n: usize| {
        let day = days[n % 3];
        let line =
            format!("This entry was posted on {day}, May {}, and is filed under Town.", n + 3);
        page("", &format!("<p class=k8>{line}</p>"), n)
    };
    for (_, found) in Site::new(html).read() {
        assert_eq!(found.subtitle, None);
    }
}

#[test]
fn people_in_pictures_facts_and_links_are_no_authors() {
    let of: [&dyn Fn(&str) -> String; 5] = [
        &|name| {
            format!("<figure><img src=p.jpg><figcaption>{name} at the fair</figcaption></figure>")
        },
        &|name| format!("<figure><img src=p.jpg><figcaption>© {name}</figcaption></figure>"),
        &|name| format!("<dl><dt>Speaker</dt><dd>{name}</dd></dl>"),
        &|name| format!("<p class=k>Artist: {name}</p>"),
        &|name| format!("<p class=k>{name}</p>"),
    ];
    let names = ["North Lind", "Old Hale", "Late Barry", "Upper Sorel", "Pier Novak", "Dark Roofs"];
    for (at, lead) in of.into_iter().enumerate() {
        let html = |n: usize| {
            let name = if at == 4 { names[n] } else { NAMES[n] };
            page("", &format!("<p class=when>{} May 2024</p>{}", n + 1, lead(name)), n)
        };
        for (_, found) in Site::new(html).read() {
            assert_eq!(found.authors, None, "{at}");
        }
    }
    // Nor what follows the text, such as a link to the next page.
    let html = |n: usize| {
        let next = format!("</main><p class=n>Next: <a href=/{n}>{}</a></p>", NAMES[n]);
        page("", &format!("<p>{} May 2024</p>", n + 1), n).replace("</main>", &next)
    };
    for (_, found) in Site::new(html).read() {
        assert_eq!(found.authors, None);
    }
    // A byline goes before what is nearer to the headline.
    let html = |n: usize| {
        let lead = format!("<p class=k>{}</p><p class=w>By {}", NAMES[n], NAMES[(n + 1) % 6]);
        page("", &format!("<p class=when>{} May 2024</p>{lead}</p>", n + 1), n)
    };
    for (n, (_, found)) in Site::new(html).read().into_iter().enumerate() {
        assert_eq!(found.authors.unwrap().value, [NAMES[(n + 1) % 6]]);
    }
}

#[test]
fn those_who_review_or_illustrate_are_no_authors() {
    for (label, other) in [
        ("By", "Reviewed by"),
        ("By", "Hosted by"),
        ("Autor:", "Redaktor:"),
        ("Words by", "Photographs by"),
    ] {
        let line = |label: &str, name: &str| format!("<p>{label} <a href=/a>{name}</a></p>");
        let lead = |n: usize| {
            let mut lines = [line(label, NAMES[n]), line(other, NAMES[(n + 1) % 6])];
            lines.rotate_left(n % 2);
            format!("<div>{}<p>{} May 2024</p></div>", lines.concat(), n + 1)
        };
        for (n, (_, found)) in Site::new(|n| page("", &lead(n), n)).read().into_iter().enumerate() {
            assert_eq!(found.authors.unwrap().value, [NAMES[n]], "{other}");
        }
    }
    // All of a list are.
    let lead = |n: usize| format!("<p>By <a>{}</a>, <a>{}</a></p>", NAMES[n], NAMES[(n + 1) % 6]);
    for (n, (_, found)) in Site::new(|n| page("", &lead(n), n)).read().into_iter().enumerate() {
        assert_eq!(found.authors.unwrap().value, [NAMES[n], NAMES[(n + 1) % 6]]);
    }
}

#[test]
fn bylines_and_what_follows_the_text_are_no_standfirsts() {
    let paragraph = "<p class=t>The ferry was late again, and nobody knew when it would leave.</p>";
    for line in [
        "Story and photos by {} for us",
        "{}, staff writer of the Pier Post",
        "Words and pictures: {}, Lee",
    ] {
        for is_last in [false, true] {
            let html = |n: usize| {
                let line = format!("<p class=w>{}</p>", line.replace("{}", NAMES[n]));
                let text = paragraph.repeat(3);
                let text = if is_last { text + &line } else { line + &text };
                format!(
                    "<h1>Ferry number {n} leaves</h1><p>{} May 2024</p><main>{text}</main>",
                    n + 1
                )
            };
            for (_, found) in Site::new(html).read() {
                assert_eq!(found.subtitle, None, "{line}");
            }
        }
    }
}

#[test]
fn a_role_that_all_names_have_beside_them_is_none() {
    let lead = |n: usize| {
        format!(
            "<div class=who>{}<br>Senior harbour correspondent</div><p>{} May 2024</p>",
            NAMES[n],
            n + 1
        )
    };
    for (n, (_, with)) in Site::new(|n| page("", &lead(n), n)).read().into_iter().enumerate() {
        assert_eq!(with.authors.map(|field| field.value), Some(vec![NAMES[n].to_owned()]));
    }
}

#[test]
fn the_only_author_of_a_site_may_be_linked_in_a_footer() {
    let html = |name: &str, n: usize| {
        let footer =
            format!("</main><footer>Filed by <a rel=author href=/about>{name}</a></footer>");
        page("", "", n).replace("</main>", &footer)
    };
    for (alone, found) in Site::new(|n| html("Ada Lind", n)).read() {
        assert_eq!(alone.authors, None, "by itself, it may be that of another article");
        assert_eq!(found.authors.unwrap().value, ["Ada Lind"]);
    }
    for (_, found) in Site::new(|n| html(NAMES[n], n)).read() {
        assert_eq!(found.authors, None);
    }
}

#[test]
fn topics_places_and_shops_are_no_bylines() {
    let topics =
        ["Harbour News", "Old Market", "Night Ferry", "Pier Works", "Rain Watch", "Late Roofs"];
    let shops = ["Visit Lind Store", "Visit Hale Store", "Visit Kowal Store", "Visit Barry Store"];
    let links = |n: usize| format!("<p><a href=/tag/x rel=tag>{}</a></p>", NAMES[n]);
    let of: [&dyn Fn(usize) -> String; 3] = [
        &|n| format!("<p class=k>{}</p>", topics[n]),
        &|n| format!("<p class=k>{}</p>", shops[n % 4]),
        &links,
    ];
    for lead in of {
        for (_, found) in Site::new(|n| page("", &lead(n), n)).read() {
            assert_eq!(found.authors, None);
        }
    }
}

#[test]
fn what_most_titles_end_with_is_no_part_of_them() {
    let html = |n: usize| {
        format!(
            "<title>Ferry number {n} leaves - Harbour - Treble Zine</title><body><main>{TEXT}</main>"
        )
    };
    for (n, (alone, found)) in Site::new(html).read().into_iter().enumerate() {
        let title = format!("Ferry number {n} leaves - Harbour");
        assert_eq!(alone.title.unwrap().value, format!("{title} - Treble Zine"));
        assert_eq!(found.title.unwrap().value, format!("Ferry number {n} leaves"));
    }
    let title = ["轮船晚点了", "码头关门了", "灯塔亮了", "市场开张了", "大桥修好了", "公园扩建了"];
    for site in ["-城市-飞报网", "——飞报网", "：飞报网"] {
        let html = |n: usize| format!("<title>{}{site}</title><body><main>{TEXT}</main>", title[n]);
        for (n, (alone, found)) in Site::new(html).read().into_iter().enumerate() {
            assert_eq!(alone.title.unwrap().value, format!("{}{site}", title[n]));
            assert_eq!(found.title.unwrap().value, title[n]);
        }
    }
}

#[test]
fn a_heading_or_title_of_all_pages_is_that_of_none() {
    let html = |n: usize| {
        let headings = format!("<h1>National Ferry League</h1><h2>Ferry {n} leaves</h2>");
        format!("<title>Late boats and their causes {n}</title><body>{headings}<main>{TEXT}</main>")
    };
    for (n, (alone, found)) in Site::new(html).read().into_iter().enumerate() {
        assert_eq!(alone.title.unwrap().value, "National Ferry League");
        assert_eq!(found.title.unwrap().value, format!("Ferry {n} leaves"));
    }
    let html = |n: usize| {
        let head = "<title>All news of the ferries, by the hour</title>";
        format!("{head}<body><h2>Ferry {n} leaves the pier</h2><main>{TEXT}</main>")
    };
    for (n, (_, found)) in Site::new(html).read().into_iter().enumerate() {
        assert_eq!(found.title.unwrap().value, format!("Ferry {n} leaves the pier"));
    }
}

#[test]
fn one_page_tells_the_order_of_day_and_month() {
    let days = ["05/09/2023", "23/09/2023", "07/10/2023", "08/10/2023", "01/11/2023", "02/11/2023"];
    let html = |n: usize| page("", &format!("<p class=when>{}</p>", days[n]), n);
    let found: Vec<_> = Site::new(|n| html(n).replace("<html>", "<html lang=en>")).read();
    let dates: Vec<Option<String>> =
        found.into_iter().map(|(_, found)| found.published.map(|date| date.value)).collect();
    assert_eq!(dates[0].as_deref(), Some("2023-09-05"));
    assert_eq!(dates[5].as_deref(), Some("2023-11-02"));
}

#[test]
fn a_comment_does_not_change_the_order_of_day_and_month() {
    let html = |n: usize| {
        let day = format!("{}/09/2023", if n == 4 { 21 } else { 5 + n });
        let comment = if n == 0 { "<p>Ann, 12/25/2023: Late again" } else { "" };
        page("", &format!("<p class=when>{day}</p>"), n)
            .replace("<html>", "<html lang=en>")
            .replace("</main>", &format!("</main>{comment}"))
    };
    let (_, found) = Site::new(html).read().swap_remove(0);
    assert_eq!(found.published.unwrap().value, "2023-09-05");
}

#[test]
fn siblings_tell_that_days_have_24_hours() {
    let time = |hours: [u32; 6], expected: &str| {
        let date = |n: usize| format!("<p class=when>1{n} March 2024, {}:12 kvxt</p>", hours[n]);
        let (_, found) = Site::new(|n| page("", &date(n), n)).read().swap_remove(0);
        assert_eq!(found.published.unwrap().value, expected);
    };
    time([8, 9, 15, 17, 10, 21], "2024-03-10T08:12:00");
    time([8, 9, 3, 5, 10, 9], "2024-03-10");
}

#[test]
fn the_place_of_dates_is_labelled_and_no_sentence() {
    for line in [
        "<p class=when>The concert at the old pier took place on 10 August 2023.</p>",
        "<p class=when>Concert: 10 August 2023</p>",
    ] {
        let html = |n: usize| {
            let line = line.replace("10", &(10 + n).to_string());
            page("", &format!("{line}<p class=put>Posted on {} March 2024</p>", n + 1), n)
        };
        for (n, (_, found)) in Site::new(html).read().into_iter().enumerate() {
            assert_eq!(found.published.unwrap().value, format!("2024-03-0{}", n + 1));
        }
    }
}

#[test]
fn a_date_inside_a_story_is_not_that_of_its_publication() {
    let html = |n: usize| {
        let lead =
            "<p>On 12 October 2002 a bomb went off, and the ferry did not leave for a month.</p>";
        let lead = if n == 3 { lead } else { "" };
        page("", lead, n)
            .replace("</main>", &format!("</main><div class=end>{} March 2024</div>", n + 1))
    };
    for (n, (_, found)) in Site::new(html).read().into_iter().enumerate() {
        assert_eq!(found.published.unwrap().value, format!("2024-03-0{}", n + 1));
    }
}

#[test]
fn where_only_changes_are_dated_they_go_before_dates_of_the_story() {
    let html = |n: usize| {
        let lead = format!("<div class=u>Updated {} March 2024</div>", n + 1);
        let story =
            "<p>On 12 October 2002 a bomb went off, and the ferry did not leave for a month.</p>";
        page("", &format!("{lead}{}", if n % 5 == 3 { story } else { "" }), n)
    };
    for (n, (_, found)) in Site::new(html).read().into_iter().enumerate() {
        assert_eq!(found.published.unwrap().value, format!("2024-03-0{}", n + 1));
    }
}

#[test]
fn images_and_descriptions_of_the_site_are_none_of_its_pages() {
    let head = "<meta property=og:image content=/logo.png><meta name=description content='News from the pier'>";
    for (alone, found) in Site::new(|n| page(head, "", n)).read() {
        assert_eq!(alone.image.unwrap().value, "https://pier.example/logo.png");
        assert_eq!(alone.description.unwrap().value, "News from the pier");
        assert_eq!((found.image, found.description), (None, None));
    }
    // On some of the pages.
    let head = |n: usize| {
        let picture = if n < 3 { "/logo.png".to_owned() } else { format!("/{n}.jpg") };
        format!("<meta property=og:image content='{picture}'>")
    };
    for (n, (_, found)) in Site::new(|n| page(&head(n), "", n)).read().into_iter().enumerate() {
        assert_eq!(found.image.is_some(), n >= 3);
    }
}

#[test]
fn a_language_that_nobody_detects_is_believed() {
    let text = "<p>Zubiaren lanak hiru hilabete iraun zuten, baina azkenean kotxeak pasatzen hasi dira.</p>";
    let html =
        |lang: &str, text: &str| format!("<html lang={lang}><body><main>{}</main>", text.repeat(4));
    for (alone, found) in Site::new(|_| html("eu", text)).read() {
        assert_eq!(
            (alone.language.unwrap().value, found.language.unwrap().value),
            ("eu".into(), "eu".into())
        );
    }
    // "cz" is no language, and a declaration that all texts contradict is one of the system.
    let czech = "<p>Trajekt měl opět zpoždění a nikdo na molu nevěděl, kdy odpluje, řekl úředník novinám.</p>";
    for (_, found) in Site::new(|_| html("cz", czech)).read() {
        assert_eq!(found.language.unwrap().value, "cs");
    }
    for (_, found) in Site::new(|_| html("de", TEXT)).read() {
        assert_eq!(found.language.unwrap().value, "en");
    }
}

#[test]
fn a_standfirst_is_set_apart_from_the_paragraphs() {
    let standfirsts = [
        "Why the ferry is late, and what the people on the pier say about it.",
        "A captain tells of his last winter between the islands.",
        "Tickets become cheaper for those who buy them a week before.",
        "Nobody wants to clean the old harbour, though all complain.",
        "Half of the crew is ill; the other half works twice as much.",
        "What the new council has promised to fishermen and their children.",
    ];
    let lead = |n: usize| format!("<p class=z>{}</p>", standfirsts[n]);
    for (n, (alone, found)) in Site::new(|n| page("", &lead(n), n)).read().into_iter().enumerate() {
        assert_eq!(alone.subtitle.unwrap().value, standfirsts[n]);
        assert_eq!(found.subtitle.unwrap().value, standfirsts[n]);
    }
    let author = "<meta name=author content='Ada Lind'>";
    let signed = |n| page(author, &lead(n).replace("</p>", " Von <b>Ada Lind</b></p>"), n);
    for (n, (_, found)) in Site::new(signed).read().into_iter().enumerate() {
        assert_eq!(found.subtitle.unwrap().value, standfirsts[n]);
    }
    for (alone, found) in Site::new(|n| page("", "", n)).read() {
        assert_eq!((alone.subtitle, found.subtitle), (None, None), "the first paragraph is none");
    }
}

proptest! {
    #[test]
    fn learning_never_panics_and_survives_its_bytes(
        leads in proptest::collection::vec(
            "(<(p class=[ab]|span|div|a rel=tag|time|h2)>|</p>|</div>|By |[A-Z][a-z]{0,5}[ \u{a0}]|王小明|／|3 May 2012|04/05/2012|\\PC{0,4}){0,16}",
            6,
        ),
    ) {
        let site = Site::new(|n| page("<title>a | b</title>", &leads[n], n));
        let learnt = site.learn();
        let read: TemplateFields = serde_json::from_str(&serde_json::to_string(&learnt).unwrap()).unwrap();
        prop_assert_eq!(&read, &learnt);
        site.read();
    }
}

#[test]
fn values_that_sources_share_are_more_certain_than_those_that_they_deny() {
    let head = |n: usize, author: &str| {
        format!(
            "<meta property=og:title content='Ferry number {n} leaves the pier'>\
             <meta name=author content='{author}'>\
             <meta property=article:published_time content=2024-03-1{n}T08:00:00Z>"
        )
    };
    let lead = |n: usize| {
        format!("<p class=byline>By {}</p><time datetime=2024-03-1{n}>March 1{n}</time>", NAMES[n])
    };
    let agreeing = Site::new(|n| page(&head(n, NAMES[n]), &lead(n), n));
    let denied = Site::new(|n| page(&head(n, "Ole Brandt"), "<p class=byline>By Karl Unger", n));
    let (_, sure) = &agreeing.read()[0];
    let [alone, unsure] =
        [&denied.context(0, &denied.bodies()[0]), &agreeing.context(1, &[])].map(metadata);
    let authors = |of: &Metadata| of.authors.clone().unwrap().source;
    let of_sure = authors(sure);
    assert!(of_sure.agree >= Some(2) && of_sure.differ == Some(0), "{of_sure:?}");
    assert!(of_sure.confidence > authors(&alone).confidence, "{:?}", authors(&alone));
    let published = |of: &Metadata| of.published.clone().unwrap().source;
    assert!(published(sure).agree >= Some(2), "{:?}", published(sure));
    assert!(published(sure).confidence > Some(0.9));
    assert_eq!(sure.language.clone().and_then(|field| field.source.confidence), None);
    assert!(unsure.title.is_some_and(|title| title.source.confidence > Some(0.5)));
}

#[test]
fn a_value_at_the_place_of_the_template_has_its_expression() {
    let site = Site::new(|n| page("", &format!("<div class=byline>{}</div>", NAMES[n]), n));
    for (_, found) in site.read() {
        let authors = found.authors.unwrap().source;
        assert_eq!(authors.xpath.as_deref(), Some("//div[@class='byline']"));
        let title = found.title.unwrap().source;
        assert_eq!((title.source, title.xpath.is_some()), (Source::Page, true));
    }
}
