//! Writes learnt wrappers as a site config.

use super::{Samples, SiteConfig};

/// The contents of a file to write.
#[derive(Clone, Copy, Debug)]
pub struct Exported<'a> {
    /// Comments about the file, one per line.
    pub about: &'a [String],
    /// Wrappers in the order in which they are to be tried: expressions of the body, and of the
    /// parts to remove from it.
    pub wrappers: &'a [(&'a [String], &'a [String])],
    /// Expressions that give the title, the authors and the date, the best first.
    pub title: &'a [String],
    /// Authors.
    pub author: &'a [String],
    /// Date.
    pub date: &'a [String],
    /// Addresses of pages, each with a text its article contains.
    pub tests: &'a [(&'a str, Option<&'a str>)],
    /// Sample pages that decide how bodies and removals are written, if available.
    pub samples: Option<&'a Samples<'a>>,
}

/// Writes a file. Values that cannot be written on a line are left out.
///
/// The format's readers try bodies in turn, on pages of any layout. An expression that selects something on sample pages of
/// another wrapper is restricted to pages on which a more specific one of its wrapper does.
///
/// The format's readers remove what `strip` selects before they select the body, anywhere on the
/// page. A removal is written as it was learnt if that leaves the bodies of the sample pages
/// intact; else it is restricted to the selected body.
pub fn export(exported: &Exported<'_>) -> SiteConfig {
    let mut file = SiteConfig::default();
    for line in exported.about {
        file.comment(line);
    }
    file.blank();
    for (name, expressions) in
        [("title", exported.title), ("author", exported.author), ("date", exported.date)]
    {
        for expression in expressions {
            file.push(name, expression);
        }
    }
    for (content, _) in exported.wrappers {
        let apart = exported.samples.map(|samples| samples.apart(content));
        file.push("body", &apart.as_deref().unwrap_or(content).join(" | "));
    }
    let mut said: Vec<String> = Vec::new();
    for (content, prune) in exported.wrappers {
        for taken in *prune {
            for expression in within(content, taken, exported.samples) {
                if !said.contains(&expression) {
                    file.push("strip", &expression);
                    said.push(expression);
                }
            }
        }
    }
    // The expressions select exactly what was learnt: nothing may be removed by heuristics, and the
    // page must be parsed unchanged.
    file.push("prune", "no");
    file.push("tidy", "no");
    for (url, contains) in exported.tests {
        if file.push("test_url", url) {
            contains.map(|text| file.push("test_contains", text));
        }
    }
    file
}

/// Expressions that remove nodes only inside what the other expressions select.
fn within(content: &[String], taken: &str, samples: Option<&Samples<'_>>) -> Vec<String> {
    let begins = |content: &String| {
        let rest = taken.strip_prefix(content.as_str());
        rest.is_some_and(|rest| rest.starts_with('/'))
    };
    let spares = samples.is_some_and(|samples| samples.spares_bodies(taken));
    if spares || !taken.starts_with("//") || content.iter().any(begins) {
        return vec![taken.to_owned()];
    }
    let all: Vec<String> = content.iter().map(|content| format!("{content}{taken}")).collect();
    let seen = |expression: &&String| samples.is_some_and(|samples| samples.have(expression));
    let found: Vec<String> = all.iter().filter(seen).cloned().collect();
    if found.is_empty() { all } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site_config::Sought;

    #[test]
    fn bodies_of_other_layouts_are_left_alone() {
        let story = ["//p[@class='par']".to_owned(), "//table".to_owned()];
        let print = ["//h1".to_owned(), "//div[@class='print']/p".to_owned()];
        let sought = |html, body| Sought { html, title: None, authors: &[], has_date: false, body };
        let pages = [
            sought("<h1>a</h1><p class=par>b</p><table><td>c</table>", &story[..]),
            sought("<table><td>menu</table><h1>a</h1><div class=print><p>b</div>", &print[..]),
        ];
        let samples = Samples::new(&pages);
        let body = |wrappers: &[(&[String], &[String])]| {
            let file = export(&Exported {
                about: &[],
                wrappers,
                title: &[],
                author: &[],
                date: &[],
                tests: &[],
                samples: Some(&samples),
            });
            file.to_string()
                .lines()
                .filter(|line| line.starts_with("body"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert_eq!(
            body(&[(&story, &[]), (&print, &[])]),
            "body: //p[@class='par'] | //table[//p[@class='par']]\n\
             body: //h1[//div[@class='print']/p] | //div[@class='print']/p"
        );
        // Nothing tells its pages from the others, or it would be lost on one of them.
        assert_eq!(body(&[(&print[..1], &[])]), "body: //h1");
        let pages = [pages[0], pages[1], sought("<table><td>c</table>", &story[1..])];
        let samples = Samples::new(&pages);
        assert_eq!(samples.apart(&story), story);
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
}
