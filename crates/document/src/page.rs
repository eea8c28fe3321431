//! An article as one HTML page, to be read and printed.

use std::borrow::Cow;
use std::fmt::Write as _;

use data_encoding::BASE64;
use model::Article;

use crate::xhtml::escaped;
use crate::{
    PictureFiles, attribute, body, byline, direction, fragment, heading, is, parsed, picture,
};

/// How pages look, on screens of any size and on paper.
pub(crate) const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1b1b18;--paper:#fdfcf9;--soft:#6b675e;--line:#d9d5ca;--link:#0b4f7d;--tint:#f3f0e8}
@media(prefers-color-scheme:dark){:root{--ink:#e4e1d9;--paper:#1a1a18;--soft:#a39e92;--line:#3d3b36;--link:#8ec3ea;--tint:#252421}}
html{font-size:112.5%;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font-family:Charter,'Bitstream Charter','Iowan Old Style',Georgia,'Noto Serif',serif;line-height:1.6;overflow-wrap:break-word}
main{max-width:36em;margin:0 auto;padding:2.5rem 1.25rem 4rem}
header{margin-bottom:2rem}h1,h2,h3,h4,h5,h6{line-height:1.25;text-wrap:balance;margin:2em 0 .6em}
header h1{font-size:2em;margin:0 0 .5em}article h1{font-size:1.6em}h2{font-size:1.4em}h3{font-size:1.15em}h4,h5,h6{font-size:1em}
.standfirst{font-size:1.12em;color:var(--soft);margin:0 0 .8em}
.byline,footer,figcaption,caption{color:var(--soft);font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:.82em;line-height:1.45}
p,ul,ol,dl,blockquote,pre,table,figure,details{margin:0 0 1.1em}
a{color:var(--link);text-decoration-thickness:.06em;text-underline-offset:.15em}
img,video{max-width:100%;height:auto}figure{margin:1.8em 0}figure img,figure video{display:block;margin:0 auto}figcaption{margin-top:.6em}
blockquote{border-inline-start:.2em solid var(--line);margin-inline:0;padding-inline-start:1.1em;color:var(--soft)}
pre{background:var(--tint);padding:.9em 1em;overflow-x:auto;font-size:.85em;line-height:1.5}code,kbd,samp{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:.92em}pre code{font-size:1em}
table{display:block;overflow-x:auto;border-collapse:collapse;font-size:.92em}th,td{border-bottom:1px solid var(--line);padding-block:.4em;padding-inline:0 .9em;text-align:start;vertical-align:top}caption{text-align:start;padding-bottom:.4em}
sub,sup{line-height:0}dt{font-weight:600}dd{margin-block:0 .5em;margin-inline:1.5em 0}li{margin-bottom:.3em}summary{cursor:pointer;font-weight:600}audio{width:100%}
[data-embed]{border:1px solid var(--line);padding:.7em 1em;border-radius:.3em}[data-embed]::before{content:attr(data-embed) ' ';text-transform:capitalize;color:var(--soft);font-size:.8em;font-family:system-ui,sans-serif}
blockquote[data-embed]{border-inline-start-width:.2em}hr{border:0;border-top:1px solid var(--line);margin:2em 25%}footer{border-top:1px solid var(--line);margin-top:3rem;padding-top:1rem}
@page{margin:2.2cm 2cm}@media print{html{font-size:10.5pt}:root{--ink:#000;--paper:#fff;--soft:#444;--line:#bbb;--link:#000;--tint:#f4f4f4}main{max-width:none;padding:0}p{orphans:3;widows:3}h1,h2,h3,h4{break-after:avoid}figure,tr{break-inside:avoid}table{display:table}footer a::after{content:''}video,audio{display:none}}
@media not print{.on-paper{display:none}}
";

/// The article as one page. PictureFiles whose bytes are at hand are in the page; others keep their addresses.
pub fn page(text: &Article, pictures: &PictureFiles) -> String {
    let mut out = String::from("<!doctype html>\n<html");
    if let Some(language) = &text.language {
        let _ = write!(out, " lang=\"{}\"", escaped(language));
    }
    out.push_str(direction(text));
    let title = escaped(heading(text));
    let _ = write!(
        out,
        ">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n"
    );
    for author in &text.authors {
        let _ = writeln!(out, "<meta name=\"author\" content=\"{}\">", escaped(author));
    }
    if let Some(published) = &text.published {
        let _ = writeln!(
            out,
            "<meta property=\"article:published_time\" content=\"{}\">",
            escaped(published)
        );
    }
    let url = escaped(&text.url);
    let _ = write!(
        out,
        "<link rel=\"canonical\" href=\"{url}\">\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
    );
    out.push_str(&header(text));
    let _ = write!(
        out,
        "<article>\n{}\n</article>\n<footer>\n<p><a href=\"{url}\">{url}</a>",
        body_of(text, pictures)
    );
    if let Some(fetched) = &text.fetched {
        let _ = write!(out, "<br>Archived {}", fetched.strftime("%Y-%m-%d"));
    }
    out.push_str("</p>\n</footer>\n</main>\n</body>\n</html>\n");
    out
}

/// Headline, summary and byline.
fn header(text: &Article) -> String {
    let mut out = format!("<header>\n<h1>{}</h1>\n", escaped(heading(text)));
    // Summaries of feeds often repeat the beginning of the text.
    let repeats = |summary: &&String| text.text.contains(summary.trim_end_matches(['…', '.']));
    if let Some(summary) =
        text.description.as_ref().filter(|summary| !repeats(summary) && summary.len() <= 400)
    {
        let _ = writeln!(out, "<p class=\"standfirst\">{}</p>", escaped(summary));
    }
    let byline = byline(text);
    if !byline.is_empty() {
        let _ = writeln!(out, "<p class=\"byline\">{}</p>", escaped(&byline));
    }
    out.push_str("</header>\n");
    out
}

/// The fragment with its pictures.
fn body_of(text: &Article, pictures: &PictureFiles) -> String {
    let html = fragment(text);
    let document = parsed(&html);
    let root = body(&document);
    let mut out = String::with_capacity(html.len());
    let mut open: Vec<(dom::NodeId, String)> = Vec::new();
    for id in document.subtree(root).skip(1) {
        while open.last().is_some_and(|last| last.0 <= id) {
            out.extend(open.pop().map(|last| last.1));
        }
        let Some(element) = document.element(id) else {
            out.push_str(&escaped(document.text(id).unwrap_or_default()));
            continue;
        };
        let own = is(&document, id, "img").then(|| picture(&document, id, pictures)).flatten();
        let _ = write!(out, "<{}", element.name);
        for (name, value) in element.attributes() {
            let value: Cow<'_, str> = match (&**name, &own) {
                ("srcset", Some(_)) => continue,
                ("src", Some((_, picture))) => {
                    format!("data:{};base64,{}", picture.media_type, BASE64.encode(&picture.bytes))
                        .into()
                }
                _ => value.into(),
            };
            let _ = write!(out, " {name}=\"{}\"", escaped(&value));
        }
        if is(&document, id, "img") && attribute(&document, id, "loading").is_none() {
            out.push_str(" loading=\"lazy\"");
        }
        let is_player = matches!(&**element.name, "video" | "audio");
        if is(&document, id, "details") && attribute(&document, id, "open").is_none() {
            // What is folded is not printed.
            out.push_str(" open=\"\"");
        }
        out.push('>');
        if is(&document, id, "pre") {
            // Parsers leave out a line feed directly after the tag.
            out.push('\n');
        }
        if !dom::is_void(element.name) {
            let mut close = format!("</{}>", element.name);
            if is_player {
                let source = attribute(&document, id, "src").unwrap_or_default();
                let shown = attribute(&document, id, "title").map(|title| format!("{title}: "));
                let shown = escaped(&format!("{}{source}", shown.unwrap_or_default()));
                let _ = write!(close, "<span class=\"on-paper\">{shown}</span>");
            }
            open.push((document.node(id).end, close));
        }
    }
    out.extend(open.into_iter().rev().map(|last| last.1));
    out
}
