//! A learnt wrapper in the format.

use super::SiteConfig;

/// What a file is to say.
#[derive(Clone, Copy, Debug)]
pub struct Exported<'a> {
    /// What the file says about itself, a comment a line.
    pub about: &'a [String],
    /// Wrappers in the order they are to be tried: expressions of the body, and of what is taken out
    /// of it.
    pub wrappers: &'a [(&'a [String], &'a [String])],
    /// Expressions that give the title, the authors and the date, the best first.
    pub title: &'a [String],
    /// Authors.
    pub author: &'a [String],
    /// Date.
    pub date: &'a [String],
    /// Addresses of pages, each with a text its article contains.
    pub tests: &'a [(&'a str, Option<&'a str>)],
}

/// Writes a file. What cannot stand on a line is left out.
///
/// Readers of the format take out what `strip` names before they look for the body, wherever it is;
/// so that nothing outside the body, and not the body itself, is lost, what is taken out is looked
/// for within what is selected.
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
        file.push("body", &content.join(" | "));
    }
    let mut said: Vec<String> = Vec::new();
    for (content, prune) in exported.wrappers {
        for taken in *prune {
            let within: Vec<String> = if taken.starts_with("//") {
                content.iter().map(|content| format!("{content}{taken}")).collect()
            } else {
                vec![taken.clone()]
            };
            for expression in within {
                if !said.contains(&expression) {
                    file.push("strip", &expression);
                    said.push(expression);
                }
            }
        }
    }
    // What the expressions select is what was learnt: nothing is to be guessed away, and the page is to
    // be parsed as it is.
    file.push("prune", "no");
    file.push("tidy", "no");
    for (url, contains) in exported.tests {
        if file.push("test_url", url) {
            contains.map(|text| file.push("test_contains", text));
        }
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

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
        });
        assert_eq!(
            file.to_string(),
            "# x strip: //body\n\ndate: # //time\nbody: //div\nstrip: //div//p\nprune: no\n\
             tidy: no\ntest_url: https://a.example/1\n"
        );
    }
}
