//! Samples select what paths do.

use dom::NodeId;
use dom::xpath::Path;
use sitegrove_wrapper::Samples;

#[test]
fn samples_select_what_paths_do() {
    let pages = [
        "<div id=a class='x y'><div class=x><p>1</p><ul><li><p>2</p><li><b>3</b></ul></div><p>4</p></div>\
         <div class=y><div><div class=x><p class=x>5</p><h1>6</h1></div></div><p>7</p></div>",
        "<p>1<div class=x>2<span class='y x'><p>3</span></div><div><p>4<div><div><p>5</div></div></div>",
        "",
    ]
    .map(dom::parse);
    let samples = Samples::new(&pages);
    let paths = [
        "//p",
        "/html",
        "//div//p",
        "//div/p",
        "//div/div/p",
        "//div[@id='a']//li/p",
        "/html/body/div/div/p",
        "/html/body/div//div/div//p",
        "//*[contains(concat(' ',normalize-space(@class),' '),' x ')]",
        "//div[contains(concat(' ',normalize-space(@class),' '),' x ')]/p",
        "//div[contains(concat(' ',normalize-space(@class),' '),' x ')][h1]//p",
        "//div[.//li]/p",
        "//div[p][not(@class)]",
        "//div[2]/p",
        "//div[not(@id)]/div[1]//p[@class='x']",
        "/p",
    ];
    for path in paths {
        let path: Path = path.parse().unwrap();
        for (at, page) in pages.iter().enumerate() {
            let found = samples.select_nested(at, std::slice::from_ref(&path));
            assert_eq!(found, path.select(page), "{path} on page {at}");
            let each = |id: &NodeId| path.steps[0].matches(page, *id);
            if let [step] = &path.steps[..]
                && step.deep
            {
                assert_eq!(found, page.ids().filter(each).collect::<Vec<_>>(), "{path}");
            }
        }
    }
}
