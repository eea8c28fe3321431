//! Makes copies of articles in the form of older websites: with comments in the page, and without modern declarations.
//!
//! Today's pages load comments by scripts, so that in most gold only threads contain comments, and trees would learn
//! that a page with comments is a thread. The copies are articles with comments, in forms that blogs and newspapers
//! have used. They are made from the gold alone: the comments are lines of other pages.

use std::fmt::Write;

use html5gum::Token;
use model::{Page, PageHtml, PageType, Site};
use rayon::prelude::*;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::gold::{GoldPage, pages_by_url};
use crate::recover::mask::{Edits, mask, tokens};

/// Elements of HTML 5 that older pages write as `div`, and elements that they write as `span`.
const BLOCKS: [&str; 8] =
    ["article", "section", "main", "nav", "aside", "header", "footer", "figure"];
const INLINE: [&str; 3] = ["time", "figcaption", "button"];
/// Elements that may end where the article ends.
const CONTAINERS: [&str; 5] = ["div", "article", "section", "main", "td"];

/// Makes an aged copy of each article of the gold that has no siblings, if the end of its text is found in its source. Each
/// copy is a site of one page, with the key of the original site. The same gold gives the same copies.
pub(super) fn aged_copies(sites: &[Site], gold: &[GoldPage]) -> Vec<Site> {
    let by_url = pages_by_url(gold);
    let remarks = Remarks::of(gold);
    let copy = |site: &Site, page: &Page| {
        let gold = by_url.get(page.url.as_str())?;
        let is_article = gold.page_type.is_none_or(|own| own == PageType::Article);
        if !is_article || gold.template.is_some() || gold.marks.is_some() {
            return None;
        }
        let html = age(&page.html, gold, &remarks)?;
        let pages = vec![Page { html: PageHtml::new(html), ..page.clone() }];
        Some(Site { key: site.key.clone(), pages, feed_items: Vec::new() })
    };
    let pages =
        sites.par_iter().flat_map_iter(|site| site.pages.iter().map(move |page| (site, page)));
    pages.filter_map(|(site, page)| copy(site, page)).collect()
}

/// The source of an aged copy of a page; `None` if the end of its text is not found.
fn age(html: &str, gold: &GoldPage, remarks: &Remarks<'_>) -> Option<String> {
    let mut dice = Dice { seed: xxh3_64(gold.url.as_bytes()), thrown: 0 };
    let mut source = html.to_owned();
    if dice.throw(3) > 0 {
        // The page type is a declaration that `mask` keeps.
        source = mask(html).shown.replace("og:type", "type").replace("itemtype", "data-itemtype");
    }
    let is_renamed = dice.throw(3) > 0;
    // One copy in five shows an old page without comments.
    let mut comments = (dice.throw(5) > 0).then(|| remarks.comments(&mut dice));
    let mut containers = *dice.pick(&[1, 1, 2, 2, 3]);
    let end_of_text = end_of_text(&source, &gold.text)?;
    let mut edits = Edits::of(&source);
    for token in tokens(&source) {
        let (name, from, end) = match &token {
            Token::StartTag(tag) => (&tag.name, tag.span.start + 1, None),
            Token::EndTag(tag) => (&tag.name, tag.span.start + 2, Some(tag.span.end)),
            _ => continue,
        };
        let is_one_of = |names: &[&str]| names.iter().any(|own| own.as_bytes() == name.as_slice());
        let older = if is_one_of(&BLOCKS) { Some("div") } else { None };
        let older = older.or_else(|| is_one_of(&INLINE).then_some("span"));
        if let Some(older) = older.filter(|_| is_renamed) {
            edits.replace(from..from + name.len(), older);
        }
        if let Some(end) = end.filter(|&end| end > end_of_text && is_one_of(&CONTAINERS)) {
            containers -= 1;
            if let Some(comments) = comments.take_if(|_| containers == 0) {
                edits.replace(end..end, &comments);
            }
        }
    }
    Some(edits.into_source())
}

/// Finds the last line of a text whose last words occur in the source; returns the position of these words.
fn end_of_text(html: &str, text: &str) -> Option<usize> {
    let lines = text.lines().rev().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let long = lines.filter(|words| words.len() >= 6);
    let mut ends =
        long.flat_map(|words| [5, 4].map(|count| words[words.len() - count..].join(" ")));
    ends.find_map(|end| html.rfind(&end))
}

/// Lines and names that comments are made from.
struct Remarks<'a> {
    lines: Vec<&'a str>,
    names: Vec<&'a str>,
}

impl<'a> Remarks<'a> {
    fn of(gold: &'a [GoldPage]) -> Self {
        let words = |text: &str| text.split_whitespace().count();
        let lines = gold.iter().flat_map(|page| page.text.lines());
        let names = gold.iter().flat_map(|page| &page.fields.authors).map(String::as_str);
        Self {
            lines: lines.filter(|line| (3..=80).contains(&words(line))).collect(),
            names: names.filter(|name| (1..4).contains(&words(name))).collect(),
        }
    }

    /// Writes comments by several people, all in one of the usual forms.
    fn comments(&self, dice: &mut Dice) -> String {
        let class =
            *dice.pick(&["comment", "comment", "comment", "cmt", "c", "reply", "post", "msg", ""]);
        let class = |part: &str| match class {
            "" => String::new(),
            name => format!(" class=\"{name}{part}\""),
        };
        let form = dice.throw(7);
        let count = *dice.pick(&[1, 2, 3, 5, 8, 12, 20, 30]);
        let mut all = String::new();
        for number in 0..count {
            let (name, date) = (self.name(dice), date(dice));
            let lines: Vec<String> = (0..*dice.pick(&[1, 1, 1, 2, 3]))
                .map(|_| escape(self.lines.get(dice.throw(self.lines.len())).unwrap_or(&"")))
                .collect();
            let (text, lines) = (format!("<p>{}</p>", lines.join("</p><p>")), lines.join("<br>"));
            let [own, by, at, body] = ["", "-author", "-date", "-body"].map(class);
            let _ = match form {
                0 => write!(
                    all,
                    "<li{own}><div{by}>{name} says:</div><div{at}><a href=\"#{number}\">{date}</a></div>{text}<div class=reply><a href=\"#\">Reply</a></div></li>"
                ),
                1 => {
                    write!(all, "<dt{by}>{name} <span{at}>{date}</span></dt><dd{body}>{text}</dd>")
                }
                2 => write!(all, "<div{own}><p>{lines}</p><p>{name} | {date}</p></div>"),
                3 => write!(all, "<b>{name}</b> {date}<br>{lines}<hr>"),
                4 => write!(all, "<tr><td{by}>{name}<br>{date}</td><td{body}>{lines}</td></tr>"),
                5 => write!(
                    all,
                    "<div{own}><img src=\"/{number}.gif\"><span{by}>{name}</span> <span{at}>{date}</span><div{body}>{text}</div><a href=\"#\">Report abuse</a></div>"
                ),
                _ => {
                    write!(all, "<blockquote>{text}</blockquote><p>posted by {name} at {date}</p>")
                }
            };
        }
        let list = match form {
            0 => format!("<ol{}>{all}</ol>", class("list")),
            1 => format!("<dl>{all}</dl>"),
            4 => format!("<table>{all}</table>"),
            _ => all,
        };
        let heading = match dice.throw(6) {
            0 => format!("<h3>{count} Comments</h3>"),
            1 => "<h2>Comments</h2>".to_owned(),
            2 => format!("<p>{count} responses to this post</p>"),
            3 => "<h4>What others say</h4>".to_owned(),
            4 => "<p><a href=\"#respond\">Post a comment</a></p>".to_owned(),
            _ => String::new(),
        };
        let id = *dice.pick(&["comments", "comments", "responses", "discussion", "feedback", "c"]);
        format!("<div id={id}>{heading}{list}</div>")
    }

    /// A name or a pseudonym, sometimes in a link.
    fn name(&self, dice: &mut Dice) -> String {
        let name = self.names.get(dice.throw(self.names.len())).unwrap_or(&"Guest");
        let first = name.split_whitespace().next().unwrap_or_default().to_lowercase();
        let name = match dice.throw(5) {
            0 | 1 => format!("{first}{}", 1 + dice.throw(99)),
            _ => (*name).to_owned(),
        };
        let name = escape(&name);
        if dice.throw(2) == 0 {
            format!("<a href=\"/users/{}\">{name}</a>", dice.throw(9999))
        } else {
            name
        }
    }
}

fn date(dice: &mut Dice) -> String {
    const MONTHS: [&str; 4] = ["January", "April", "August", "November"];
    let (year, month, day) = (2003 + dice.throw(14), 1 + dice.throw(12), 1 + dice.throw(28));
    let (hour, minute) = (1 + dice.throw(12), dice.throw(60));
    match dice.throw(5) {
        0 => format!("{} {day}, {year} at {hour}:{minute:02} pm", dice.pick(&MONTHS)),
        1 => format!("{day:02}.{month:02}.{year} {hour:02}:{minute:02}"),
        2 => format!("{month}/{day}/{:02}", year % 100),
        3 => format!("{year}-{month:02}-{day:02}"),
        _ => format!("{day} days ago"),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// A deterministic source of pseudo-random numbers.
struct Dice {
    seed: u64,
    thrown: u64,
}

impl Dice {
    /// A number below the number of sides; 0 without sides.
    fn throw(&mut self, sides: usize) -> usize {
        self.thrown += 1;
        (xxh3_64_with_seed(&self.thrown.to_le_bytes(), self.seed) % sides.max(1) as u64) as usize
    }

    fn pick<'s, T>(&mut self, of: &'s [T]) -> &'s T {
        &of[self.throw(of.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_keep_the_article_and_have_the_comments_of_others_behind_it() {
        let text =
            "The harbour was closed on Tuesday.\nNobody knows when it opens again, the mayor said.";
        let others = "I saw that coming for years.";
        let page = |at: usize, text: &str| GoldPage {
            url: format!("https://a.example/{at}"),
            text: text.to_owned(),
            ..GoldPage::default()
        };
        let gold: Vec<GoldPage> = (0..60).map(|at| page(at, text)).collect();
        let other = [page(60, others)];
        let remarks = Remarks::of(&other);
        let lines = text.replace('\n', "</p><p>");
        let html = format!(
            "<meta property=og:type content=article><script type=application/ld+json>{{}}</script>\
             <article><p>{lines}</p></article><div>Menu</div><div>Contact</div>"
        );
        let mut counts = [0; 3];
        for page in &gold {
            let copy = age(&html, page, &remarks).unwrap();
            assert_eq!(age(&html, page, &remarks).unwrap(), copy);
            let end = copy.find(&lines).unwrap() + lines.len();
            assert!(!copy[..end].contains(others), "{copy}");
            let has = [copy.contains(others), copy.contains("<article>"), copy.contains("ld+json")];
            counts.iter_mut().zip(has).for_each(|(sum, has)| *sum += u32::from(has));
        }
        assert!(counts.iter().all(|count| (5..55).contains(count)), "{counts:?}");
        let unfound = page(61, "None of these words are anywhere in the page.");
        assert_eq!(age(&html, &unfound, &remarks), None);
    }
}
