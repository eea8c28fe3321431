//! Values for people: short texts, and models as HTML for notebooks.

use std::fmt::Write;

use sitemodel::SiteModel;

/// Longest text that a `repr` shows.
const LONGEST: usize = 80;

/// A text, cut where it is long.
pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A text as HTML.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            _ => html.push(c),
        }
    }
    html
}

/// A model as a table of its templates, with their XPaths and a page of each.
pub(crate) fn table_of(model: &SiteModel) -> String {
    let head = model.head();
    let mut html = format!(
        "<div><strong>SiteModel</strong> of {}: {} templates, learnt from {} pages by {}\
         <table><thead><tr><th>template</th><th>kind</th><th>pages</th><th>confidence</th>\
         <th>XPath</th><th>a page of it</th></tr></thead><tbody>",
        escaped(&head.site),
        model.templates().len(),
        head.pages,
        escaped(&head.engine),
    );
    for template in model.templates() {
        let wrapper = template.wrapper();
        let confidence = wrapper.map_or("–".to_owned(), |w| format!("{:.2}", w.confidence));
        let paths = wrapper.map_or(&[][..], |wrapper| &wrapper.content);
        let paths: Vec<String> =
            paths.iter().map(|path| format!("<code>{}</code>", escaped(path))).collect();
        let example = template.examples.first().map_or("", String::as_str);
        // A string takes every write.
        let _ = write!(
            html,
            "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{confidence}</td><td>{}</td>\
             <td>{}</td></tr>",
            escaped(&template.id),
            template.kind.as_str(),
            template.pages,
            paths.join("<br>"),
            escaped(&short(example)),
        );
    }
    html.push_str("</tbody></table></div>");
    html
}
