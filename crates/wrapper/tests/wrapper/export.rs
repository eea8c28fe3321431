//! Learnt wrappers are written as site configs.

use sitegrove_wrapper::site_config::{Exported, ProbeSamples, SampleWithValues, export};

#[test]
fn bodies_of_other_layouts_are_left_alone() {
    let story = ["//p[@class='par']".to_owned(), "//table".to_owned()];
    let print = ["//h1".to_owned(), "//div[@class='print']/p".to_owned()];
    let sought =
        |html, body| SampleWithValues { html, title: None, authors: &[], has_date: false, body };
    let pages = [
        sought("<h1>a</h1><p class=par>b</p><table><td>c</table>", &story[..]),
        sought("<table><td>menu</table><h1>a</h1><div class=print><p>b</div>", &print[..]),
    ];
    let samples = ProbeSamples::new(&pages);
    let body = |wrappers: &[(&[String], &[String])], samples: &ProbeSamples<'_>| {
        let file = export(&Exported {
            about: &[],
            wrappers,
            title: &[],
            author: &[],
            date: &[],
            tests: &[],
            samples: Some(samples),
        });
        file.to_string()
            .lines()
            .filter(|line| line.starts_with("body"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(
        body(&[(&story, &[]), (&print, &[])], &samples),
        "body: //p[@class='par'] | //table[//p[@class='par']]\n\
         body: //h1[//div[@class='print']/p] | //div[@class='print']/p"
    );
    // Nothing tells its pages from the others, or it would be lost on one of them.
    assert_eq!(body(&[(&print[..1], &[])], &samples), "body: //h1");
    let pages = [pages[0], pages[1], sought("<table><td>c</table>", &story[1..])];
    let samples = ProbeSamples::new(&pages);
    assert_eq!(body(&[(&story, &[])], &samples), "body: //p[@class='par'] | //table");
}

#[test]
fn nothing_in_a_value_begins_a_line() {
    let bad = "x\nstrip: //body".to_owned();
    let file = export(&Exported {
        about: std::slice::from_ref(&bad),
        wrappers: &[(&["//div".to_owned()], &["//p".to_owned(), bad.clone()])],
        title: std::slice::from_ref(&bad),
        author: &[],
        date: &["# //time".to_owned()],
        tests: &[(&bad, None), ("https://a.example/1", Some(&bad))],
        samples: None,
    });
    assert_eq!(
        file.to_string(),
        "# x strip: //body\n\ndate: # //time\nbody: //div\nstrip: //div//p\nprune: no\n\
         tidy: no\ntest_url: https://a.example/1\n"
    );
}
