//! The document: one self-contained page about a site.

use super::look::{Outcome, PageView, SiteView, TemplateView};
use super::records::DropLine;
use super::sample::{Shown, sample};
use super::tables::{pattern_table, ranked_patterns};
use super::words::{support, why_first};
use crate::html::{Brought, Html};
use crate::numerals::count;

/// The style sheet, the only thing that the Content-Security-Policy allows.
const STYLE: &str = concat!(include_str!("../../html/base.css"), include_str!("style.css"));
const BROUGHT: Brought = Brought { style: STYLE, script: "" };

/// Size in bytes from which no further sample pages are written.
const MOST_BYTES: usize = 12_000_000;
/// Maximum number of drops in a list.
const DROPS: usize = 50;
/// Maximum number of templates that are shown in full; of hundreds of layouts, most have one page.
const TEMPLATES: usize = 40;

/// Writes the document.
pub(super) fn document(view: &SiteView<'_>) -> String {
    let mut html = Html::default();
    html.head(&format!("{} – sitegrove inspect", view.records.site), BROUGHT);
    html.raw("<body>\n<a class=\"skip\" href=\"#layouts\">Skip to the layouts</a>\n");
    header(&mut html, view);
    html.raw("<main id=\"layouts\">\n");
    let (whole, rest) = view.templates.split_at(view.templates.len().min(TEMPLATES));
    for template in whole {
        section(&mut html, template);
    }
    if !rest.is_empty() {
        html.raw("<section><h2>Further layouts</h2><p class=\"note\">");
        html.text(&format!("{} with fewer pages are not shown: ", count(rest.len(), "layout")));
        let named = rest.iter().map(|t| format!("{} ({})", t.line.id, count(t.line.pages, "page")));
        html.text(&named.collect::<Vec<_>>().join(", ")).raw(".</p></section>\n");
    }
    if !view.drops.is_empty() {
        html.raw("<section><h2>Dropped without a layout</h2>\n");
        drops(&mut html, &view.drops);
        html.raw("</section>\n");
    }
    html.raw("</main>\n").end(BROUGHT);
    html.finish()
}

fn header(html: &mut Html, view: &SiteView<'_>) {
    let records = view.records;
    html.raw("<header>\n").element("<h1><bdi>", &records.site, "</bdi></h1>\n<p class=\"facts\">");
    html.text(&format!(
        "{}, {}, {} dropped · engine {} · sitegrove {} · settings {}",
        count(records.templates.len(), "layout"),
        count(records.articles.len(), "article"),
        records.drops.len(),
        records.ledger.engine,
        records.ledger.version,
        records.ledger.config_hash.get(..12).unwrap_or_default(),
    ));
    html.raw("</p>\n");
    for note in &view.notes {
        html.element("<p class=\"note\" role=\"note\">", note, "</p>\n");
    }
    html.raw("<nav aria-label=\"Layouts\"><ul>\n");
    for template in view.templates.iter().take(TEMPLATES) {
        let line = template.line;
        html.raw("<li><a href=\"#").text(&line.id).raw("\">").text(&line.id).raw("</a> ");
        html.text(&format!("{}, {}", line.kind, count(line.pages, "page"))).raw("</li>\n");
    }
    html.raw("</ul></nav>\n</header>\n");
}

fn section(html: &mut Html, template: &TemplateView<'_>) {
    let line = template.line;
    html.raw("<section id=\"").text(&line.id).raw("\">\n<h2>Layout ").text(&line.id);
    html.raw(" <small>").text(&format!("{} · {}", line.kind, count(line.pages, "page")));
    if template.articles > 0 {
        html.text(&format!(" · {}", count(template.articles, "article")));
    }
    html.raw("</small></h2>\n");
    for note in &template.notes {
        html.element("<p class=\"note\" role=\"note\">", note, "</p>\n");
    }
    wrapper(html, template);
    if !line.patterns.is_empty() {
        html.raw("<h3>Ranked patterns</h3>\n<p>").text(&why_first(&line.patterns));
        if template.patterns.is_some() {
            html.text(
                " The default engine takes this ranking as one clue among others; what it keeps is \
                 decided pattern by pattern, below.",
            );
        }
        html.raw("</p>\n");
        ranked_patterns(html, &line.patterns);
    }
    if let Some(patterns) = &template.patterns {
        pattern_table(html, patterns);
    }
    samples(html, template);
    if !template.drops.is_empty() {
        html.raw("<h3>Dropped</h3>\n");
        drops(html, &template.drops);
    } else if template.samples.is_empty() && !line.examples.is_empty() {
        html.raw("<h3>Some of its pages</h3>\n<ul class=\"drops\">\n");
        for url in &line.examples {
            html.raw("<li>").address(url).raw("</li>\n");
        }
        html.raw("</ul>\n");
    }
    html.raw("</section>\n");
}

fn wrapper(html: &mut Html, template: &TemplateView<'_>) {
    html.raw("<h3>Wrapper</h3>\n");
    let Some(wrapper) = &template.line.wrapper else {
        let why = match (template.line.kind.as_str(), template.line.pages) {
            ("article", 1) => "None: a lone page has nothing to be compared with.",
            ("article", _) => "None: the engine learns none, or found nothing to keep.",
            ("list", _) => "None: these pages list articles and are none.",
            _ => "None: there is next to no text on these pages.",
        };
        html.raw("<p>").raw(why).raw("</p>\n");
        return;
    };
    html.raw("<dl>\n<dt>Keeps</dt><dd>");
    expressions(html, &wrapper.content);
    html.raw("</dd>\n<dt>Prunes</dt><dd>");
    expressions(html, &wrapper.prune);
    html.raw("</dd>\n<dt>Confidence</dt><dd>");
    html.text(&format!("{:.2}", wrapper.confidence));
    html.raw("</dd>\n<dt>Support</dt><dd>").text(&support(wrapper));
    html.raw("</dd>\n<dt>Engine</dt><dd>");
    html.text(&format!("{}, version {} of the wrapper", wrapper.engine, wrapper.version));
    html.raw("</dd>\n</dl>\n");
}

fn expressions(html: &mut Html, expressions: &[String]) {
    if expressions.is_empty() {
        html.raw("nothing");
    }
    for expression in expressions {
        html.element("<code class=\"xpath\">", expression, "</code>");
    }
}

fn samples(html: &mut Html, template: &TemplateView<'_>) {
    if template.samples.is_empty() {
        return;
    }
    html.raw("<h3>Pages as they read</h3>\n<p class=\"legend\">");
    html.raw("<span class=\"kept\">kept</span> <span class=\"pruned\">pruned</span> ");
    html.raw("<span class=\"cut\">after the end</span> <span class=\"comment\">comment</span> ");
    html.raw("and, folded away, what lies outside. <span class=\"low\">kept though the score is low</span> ");
    html.raw("<span class=\"high\">not kept though the score is high</span>. Point at a block, or move to it with ");
    html.raw("the tab key, for what is known of it and the pattern that it has.</p>\n");
    let mut above = Shown::default();
    for (at, page) in template.samples.iter().enumerate() {
        if html.len() > MOST_BYTES {
            let left = template.samples.len() - at;
            html.raw("<p class=\"note\">").text(&count(left, "more page"));
            html.raw(" left out to keep this file small.</p>\n");
            return;
        }
        one_page(html, page, &mut above, at == 0);
    }
}

fn one_page(html: &mut Html, page: &PageView<'_>, above: &mut Shown, open: bool) {
    let (name, fact) = match page.outcome {
        Outcome::Article(article) => {
            let title = article.title.as_deref().unwrap_or("(without a title)");
            let doubtful = if article.doubtful { ", doubtful" } else { "" };
            (title, format!("{:.2}{doubtful}", article.confidence))
        }
        Outcome::Drop(drop) => (drop.url.as_str(), drop.reason.clone()),
    };
    html.raw(if open { "<details class=\"page\" open>" } else { "<details class=\"page\">" });
    html.element("<summary><bdi>", name, "</bdi> <small>").text(&fact).raw("</small></summary>\n");
    sample(html, page, above);
    html.raw("</details>\n");
}

fn drops(html: &mut Html, drops: &[&DropLine]) {
    html.raw("<details><summary>")
        .text(&count(drops.len(), "page"))
        .raw(" without an article</summary>");
    html.raw("<ul class=\"drops\">\n");
    for drop in drops.iter().take(DROPS) {
        html.raw("<li>").address(&drop.url).raw(" <small>");
        html.text(&format!("{} ({})", drop.reason, drop.stage));
        if !drop.detail.is_empty() {
            html.text(": ").element("<bdi>", &drop.detail, "</bdi>");
        }
        html.raw("</small></li>\n");
    }
    if drops.len() > DROPS {
        html.raw("<li>").text(&format!("and {} more, in dropped.jsonl", drops.len() - DROPS));
        html.raw("</li>\n");
    }
    html.raw("</ul></details>\n");
}
