//! Articles as TEI P5 documents.

use std::fmt::Write as _;

use askama::Template;
use dom::{Document, NodeId, is_inline};
use model::Article;

use crate::xhtml::{Surroundings, address, escaped, is_language, xml_id};
use crate::{
    PROGRAM, ProvenanceFact, attribute, body, finish, fragment, heading, is, parsed, provenance,
};

#[derive(Template)]
#[template(path = "tei.xml")]
struct TeiFile<'a> {
    article: &'a Article,
    language: &'a str,
    publisher: &'a str,
    url: String,
    fetched: Option<String>,
    provenance: Vec<ProvenanceFact>,
    /// Number of the article's pictures that are in the archives.
    archived: usize,
    body: String,
}

/// The version of the program, in the numeric form that TEI requires.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Writes the article as a TEI P5 document.
pub fn to_tei(article: &Article) -> String {
    let document = parsed(&fragment(article));
    let mut writer = TeiWriter {
        document: &document,
        below: Surroundings::of(&document, |name| !is_inline(name) && **name != *"br"),
        out: String::new(),
        sections: Vec::new(),
        open: Vec::new(),
        loose: false,
    };
    writer.body();
    finish(&TeiFile {
        article,
        language: article.language.as_deref().filter(|tag| is_language(tag)).unwrap_or("und"),
        publisher: article.site_name.as_deref().unwrap_or(&article.url),
        url: address(&article.url),
        fetched: article.fetched.map(|fetched| fetched.to_string()),
        provenance: provenance(article),
        archived: article.images.iter().filter(|image| image.record.is_some()).count(),
        body: writer.out,
    })
}

fn day_of(date: &str) -> Option<&str> {
    date.get(..10).filter(|day| day.parse::<jiff::civil::Date>().is_ok())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TeiContext {
    /// Between blocks of a section.
    Section,
    /// In a figure, which may not contain phrases.
    Figure,
    /// Between blocks of an item, a cell or a quotation, which may also contain phrases.
    Blocks,
    Phrases,
}

struct OpenTeiElement {
    end: NodeId,
    close: &'static str,
    place: TeiContext,
}

struct TeiWriter<'a> {
    document: &'a Document,
    below: Vec<Surroundings>,
    out: String,
    /// Ranks of the headings of open sections, the outermost first.
    sections: Vec<u8>,
    open: Vec<OpenTeiElement>,
    /// Whether a paragraph is open for phrases between blocks.
    loose: bool,
}

impl TeiWriter<'_> {
    fn body(&mut self) {
        let root = body(self.document);
        self.out.push_str("<div>");
        let started = self.out.len();
        let end = self.document.node(root).end;
        let mut id = root + 1;
        while id < end {
            while self.open.last().is_some_and(|last| last.end <= id) {
                self.close();
            }
            id = self.node(id);
        }
        while !self.open.is_empty() {
            self.close();
        }
        self.end_loose();
        if self.out.len() == started {
            self.out.push_str("<p/>");
        }
        let sections = self.sections.len();
        self.out.push_str(&"</div>".repeat(sections + 1));
    }

    fn close(&mut self) {
        if let Some(last) = self.open.pop() {
            if last.place != TeiContext::Phrases || last.close.is_empty() {
                self.end_loose_at(last.place);
            }
            self.out.push_str(last.close);
        }
    }

    fn place(&self) -> TeiContext {
        self.open.last().map_or(TeiContext::Section, |last| last.place)
    }

    /// Ends the paragraph for loose phrases, before a block.
    fn end_loose(&mut self) {
        if std::mem::take(&mut self.loose) {
            self.out.push_str("</p>\n");
        }
    }

    fn end_loose_at(&mut self, place: TeiContext) {
        if matches!(place, TeiContext::Section | TeiContext::Figure) {
            self.end_loose();
        }
    }

    /// Opens a paragraph for phrases between the blocks of a section or a figure.
    fn begin_phrase(&mut self) {
        if matches!(self.place(), TeiContext::Section | TeiContext::Figure) && !self.loose {
            self.out.push_str("<p>");
            self.loose = true;
        }
    }

    fn enter(&mut self, id: NodeId, open: &str, close: &'static str, place: TeiContext) -> NodeId {
        self.out.push_str(open);
        self.open.push(OpenTeiElement { end: self.document.node(id).end, close, place });
        id + 1
    }

    /// The attribute `xml:id` of an element; empty if it has no id.
    fn id_of(&self, id: NodeId) -> String {
        let named = attribute(self.document, id, "id");
        named.map_or_else(String::new, |name| format!(" xml:id=\"{}\"", xml_id(name)))
    }

    /// Writes a node; returns the next to write.
    fn node(&mut self, id: NodeId) -> NodeId {
        let document = self.document;
        let end = document.node(id).end;
        let Some(name) = document.name(id) else {
            let text = document.text(id).unwrap_or_default();
            if !text.trim().is_empty() {
                self.begin_phrase();
            }
            if !text.trim().is_empty() || self.place() == TeiContext::Phrases || self.loose {
                self.out.push_str(&escaped(text));
            }
            return id + 1;
        };
        let own = self.id_of(id);
        match &**name {
            "img" => {
                self.picture(id);
                return end;
            }
            "video" | "audio" => {
                self.begin_phrase();
                let source = attribute(document, id, "src").unwrap_or_default();
                let shown = attribute(document, id, "title").unwrap_or(source);
                let _ = write!(
                    self.out,
                    "<ref target=\"{}\">{}</ref>",
                    escaped(&address(source)),
                    escaped(shown)
                );
                return end;
            }
            "math" => {
                self.begin_phrase();
                let tex = escaped(&dom::Formula::of(document, id).tex);
                let _ = write!(self.out, "<formula notation=\"TeX\">{tex}</formula>");
                return end;
            }
            "br" => {
                if matches!(self.place(), TeiContext::Phrases | TeiContext::Blocks) || self.loose {
                    self.out.push_str("<lb/>");
                }
                return end;
            }
            "hr" => {
                if self.place() == TeiContext::Section {
                    self.end_loose();
                    self.out.push_str("<milestone unit=\"section\" rend=\"rule\"/>\n");
                }
                return end;
            }
            "wbr" | "col" | "colgroup" => return end,
            _ => {}
        }
        if self.place() == TeiContext::Phrases || is_inline(name) {
            return self.phrase(id, name, &own);
        }
        self.block(id, name, &own)
    }

    fn phrase(&mut self, id: NodeId, name: &str, own: &str) -> NodeId {
        let document = self.document;
        // Of blocks in phrases, and of phrases around blocks, only the content is written.
        if self.below[id as usize].holds_blocks || !document.name(id).is_some_and(is_inline) {
            let place = self.place();
            if place == TeiContext::Phrases {
                self.out.push(' ');
            }
            return self.enter(id, "", "", place);
        }
        // In a figure, a phrase without words is a link around the picture: only its content is written.
        if self.place() == TeiContext::Figure && !self.below[id as usize].holds_words {
            return self.enter(id, "", "", TeiContext::Figure);
        }
        self.begin_phrase();
        let hi = |rend: &str| format!("<hi rend=\"{rend}\"{own}>");
        let (open, close) = match name {
            "a" => match attribute(document, id, "href") {
                Some(href) if href.starts_with('#') => {
                    (format!("<ref target=\"#{}\"{own}>", xml_id(&href[1..])), "</ref>")
                }
                Some(href) => {
                    (format!("<ref target=\"{}\"{own}>", escaped(&address(href))), "</ref>")
                }
                None => (format!("<seg{own}>"), "</seg>"),
            },
            "b" | "strong" => (hi("bold"), "</hi>"),
            "i" | "em" | "var" | "cite" | "dfn" => (hi("italic"), "</hi>"),
            "u" => (hi("underline"), "</hi>"),
            "s" => (hi("strikethrough"), "</hi>"),
            "sub" => (hi("sub"), "</hi>"),
            "sup" => (hi("sup"), "</hi>"),
            "small" => (hi("small"), "</hi>"),
            "mark" => (hi("highlight"), "</hi>"),
            "code" | "kbd" | "samp" => (format!("<code{own}>"), "</code>"),
            "q" => (format!("<q{own}>"), "</q>"),
            "del" => (format!("<del{own}>"), "</del>"),
            "ins" => (format!("<add{own}>"), "</add>"),
            _ if own.is_empty() => (String::new(), ""),
            _ => (format!("<seg{own}>"), "</seg>"),
        };
        // In TEI, code contains no markup.
        if close == "</code>" {
            let _ = write!(self.out, "{open}{}{close}", escaped(document.text_content(id)));
            return document.node(id).end;
        }
        self.enter(id, &open, close, TeiContext::Phrases)
    }

    fn block(&mut self, id: NodeId, name: &str, own: &str) -> NodeId {
        let document = self.document;
        let place = self.place();
        self.end_loose();
        let of_terms = |list: NodeId| self.below[list as usize].is_in_pairs();
        let (open, close, inner) = match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if place == TeiContext::Section => {
                self.begin_section(name.as_bytes()[1] - b'0');
                (format!("<head{own}>"), "</head>\n", TeiContext::Phrases)
            }
            "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "summary" | "dt"
                if name != "dt" || !is_in(document, id, "dl") =>
            {
                (format!("<p{own}>"), "</p>\n", TeiContext::Phrases)
            }
            "ul" => (format!("<list rend=\"bulleted\"{own}>"), "</list>\n", TeiContext::Blocks),
            "ol" => (format!("<list rend=\"numbered\"{own}>"), "</list>\n", TeiContext::Blocks),
            "dl" if of_terms(id) => {
                (format!("<list type=\"gloss\"{own}>"), "</list>\n", TeiContext::Blocks)
            }
            "dl" => (format!("<list{own}>"), "</list>\n", TeiContext::Blocks),
            "dt" if !document.parent(id).is_some_and(of_terms) => {
                let open = format!("<item{own}><hi rend=\"bold\">");
                (open, "</hi></item>\n", TeiContext::Phrases)
            }
            "dt" => (format!("<label{own}>"), "</label>", TeiContext::Phrases),
            "li" | "dd" => (format!("<item{own}>"), "</item>\n", TeiContext::Blocks),
            "table" => (format!("<table{own}>"), "</table>\n", TeiContext::Blocks),
            "caption" | "figcaption" => (format!("<head{own}>"), "</head>\n", TeiContext::Phrases),
            "tr" => (format!("<row{own}>"), "</row>\n", TeiContext::Blocks),
            "td" | "th" => {
                let mut open = format!("<cell{own}");
                if name == "th" {
                    open.push_str(" role=\"label\"");
                }
                for (from, to) in [("colspan", "cols"), ("rowspan", "rows")] {
                    let span = attribute(document, id, from).and_then(|n| n.parse::<u32>().ok());
                    if let Some(span) = span.filter(|span| *span > 1) {
                        let _ = write!(open, " {to}=\"{span}\"");
                    }
                }
                open.push('>');
                (open, "</cell>", TeiContext::Blocks)
            }
            "blockquote" => {
                let source = attribute(document, id, "cite")
                    .or_else(|| attribute(document, id, "data-address"));
                let source = source.map(|url| format!(" source=\"{}\"", escaped(&address(url))));
                let open = format!("<quote{}{own}>", source.unwrap_or_default());
                (open, "</quote>\n", TeiContext::Blocks)
            }
            "figure" => (format!("<figure{own}>"), "</figure>\n", TeiContext::Figure),
            "pre" => {
                let class = attribute(document, id, "class")
                    .and_then(|class| class.strip_prefix("language-"));
                let language =
                    class.map(|name| format!(" lang=\"{}\"", escaped(name))).unwrap_or_default();
                let code = escaped(document.text_content(id));
                let _ = writeln!(
                    self.out,
                    "<p xml:space=\"preserve\"{own}><code{language}>{code}</code></p>"
                );
                return document.node(id).end;
            }
            _ => (String::new(), "", place),
        };
        self.enter(id, &open, close, inner)
    }

    fn begin_section(&mut self, rank: u8) {
        while self.sections.pop_if(|open| *open >= rank).is_some() {
            self.out.push_str("</div>\n");
        }
        self.out.push_str("<div>");
        self.sections.push(rank);
    }

    fn picture(&mut self, id: NodeId) {
        let source = attribute(self.document, id, "src").unwrap_or_default();
        if !source.starts_with("http") {
            return;
        }
        let alt = attribute(self.document, id, "alt").unwrap_or_default();
        let pixels = |name: &str| {
            let side =
                attribute(self.document, id, name).filter(|side| side.parse::<u32>().is_ok());
            side.map_or_else(String::new, |side| format!(" {name}=\"{side}px\""))
        };
        let graphic = format!(
            "<graphic url=\"{}\"{}{}/>",
            escaped(&address(source)),
            pixels("width"),
            pixels("height")
        );
        let described = match alt {
            "" => String::new(),
            alt => format!("<figDesc>{}</figDesc>", escaped(alt)),
        };
        if self.place() == TeiContext::Figure && !self.loose {
            let _ = write!(self.out, "{graphic}{described}");
        } else {
            self.begin_phrase();
            let _ = write!(self.out, "<figure>{graphic}{described}</figure>");
        }
    }
}

fn is_in(document: &Document, id: NodeId, name: &str) -> bool {
    document.ancestors(id).skip(1).any(|around| is(document, around, name))
}
