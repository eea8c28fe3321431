//! Articles as an EPUB 3 book: one chapter each.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use model::Article;
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::xhtml::{Written, address, escaped, is_language, written};
use crate::{PictureFiles, byline, direction, fragment, heading};

/// Why a book could not be made.
pub type EpubError = zip::result::ZipError;

const STYLE: &str = "body{line-height:1.5}h1,h2,h3,h4{line-height:1.25;page-break-after:avoid}img{max-width:100%;height:auto}\
figure{margin:1.2em 0;page-break-inside:avoid}figcaption,.byline,.source,caption{font-size:.85em;color:#555}\
blockquote{margin-block:1em;margin-inline:1em 0;padding-inline-start:.8em;border-inline-start:.2em solid #bbb}pre{white-space:pre-wrap;font-size:.85em}\
table{border-collapse:collapse}th,td{border-bottom:1px solid #bbb;padding-block:.3em;padding-inline:0 .7em;text-align:start;vertical-align:top}\
dt{font-weight:bold}dd{margin-inline-start:1.5em}\n";

const CONTAINER: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
<container version=\"1.0\" xmlns=\"urn:oasis:names:tc:opendocument:xmlns:container\">\n\
<rootfiles><rootfile full-path=\"EPUB/package.opf\" media-type=\"application/oebps-package+xml\"/></rootfiles>\n\
</container>\n";

/// The book of these articles, in this order. Its title is that of the first article, or `title` if there are several.
///
/// # Errors
/// If the file would be larger than the format allows.
pub fn epub(articles: &[Article], title: &str, pictures: &PictureFiles) -> Result<Vec<u8>, EpubError> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut manifest = String::new();
    let mut spine = String::new();
    let mut entries = String::new();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for (number, text) in articles.iter().enumerate() {
        let name = |at: usize, media_type: &str| picture_name(number, at, media_type);
        let chapter = written(&fragment(text), pictures, name);
        let file = format!("chapter-{}.xhtml", number + 1);
        let properties = if chapter.formulas { " properties=\"mathml\"" } else { "" };
        let _ = writeln!(
            manifest,
            "<item id=\"c{0}\" href=\"{file}\" media-type=\"application/xhtml+xml\"{properties}/>",
            number + 1
        );
        let _ = writeln!(spine, "<itemref idref=\"c{}\"/>", number + 1);
        let _ = writeln!(entries, "<li><a href=\"{file}\">{}</a></li>", escaped(heading(text)));
        for (at, source) in chapter.pictures.iter().enumerate() {
            let Some(picture) = pictures.get(source) else { continue };
            let name = picture_name(number, at, picture.media_type);
            let _ = writeln!(
                manifest,
                "<item id=\"p{}-{}\" href=\"{name}\" media-type=\"{}\"/>",
                number + 1,
                at + 1,
                picture.media_type
            );
            names.insert(name, source.clone());
        }
        files.push((file, chapter_of(text, &chapter).into_bytes()));
    }
    let package = package(articles, title, &manifest, &spine);
    let nav = nav(articles, title, &entries);
    let stored = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default());
    let packed = stored.compression_method(CompressionMethod::Deflated);
    let mut book = ZipWriter::new(Cursor::new(Vec::new()));
    let mut add = |name: &str, bytes: &[u8], options: SimpleFileOptions| -> Result<(), EpubError> {
        book.start_file(name, options)?;
        Ok(book.write_all(bytes)?)
    };
    // The first file of a book, which is not compressed, says what it is.
    add("mimetype", b"application/epub+zip", stored)?;
    add("META-INF/container.xml", CONTAINER.as_bytes(), packed)?;
    add("EPUB/package.opf", package.as_bytes(), packed)?;
    add("EPUB/nav.xhtml", nav.as_bytes(), packed)?;
    add("EPUB/style.css", STYLE.as_bytes(), packed)?;
    for (name, bytes) in &files {
        add(&format!("EPUB/{name}"), bytes, packed)?;
    }
    for (name, source) in &names {
        if let Some(picture) = pictures.get(source) {
            add(&format!("EPUB/{name}"), &picture.bytes, stored)?;
        }
    }
    Ok(book.finish()?.into_inner())
}

fn picture_name(chapter: usize, number: usize, media_type: &str) -> String {
    let ending = media_type.rsplit('/').next().unwrap_or_default().replace("jpeg", "jpg");
    format!("pictures/{}-{}.{ending}", chapter + 1, number + 1)
}

fn language_of(articles: &[Article]) -> &str {
    articles
        .iter()
        .find_map(|text| text.language.as_deref().filter(|tag| is_language(tag)))
        .unwrap_or("und")
}

/// The direction of a book: that of most of its articles.
fn direction_of(articles: &[Article]) -> &'static str {
    let mut directions: Vec<&str> = articles.iter().map(direction).collect();
    directions.sort_unstable();
    directions.get(directions.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

fn package(articles: &[Article], title: &str, manifest: &str, spine: &str) -> String {
    let mut hash = Sha256::new();
    for text in articles {
        hash.update(text.url.as_bytes());
        hash.update([0]);
        hash.update(text.html.as_bytes());
        hash.update([0]);
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    let id = uuid::Builder::from_custom_bytes(bytes).into_uuid();
    let mut metadata = String::new();
    let authors: BTreeSet<&String> = articles.iter().flat_map(|text| &text.authors).collect();
    for author in authors {
        let _ = writeln!(metadata, "<dc:creator>{}</dc:creator>", escaped(author));
    }
    if let [text] = articles {
        let _ = writeln!(metadata, "<dc:source>{}</dc:source>", escaped(&text.url));
        if let Some(published) = text.published.as_deref().filter(|date| is_date(date)) {
            let _ = writeln!(metadata, "<dc:date>{}</dc:date>", escaped(published));
        }
        if let Some(publisher) = &text.site_name {
            let _ = writeln!(metadata, "<dc:publisher>{}</dc:publisher>", escaped(publisher));
        }
        if let Some(summary) = &text.description {
            let _ = writeln!(metadata, "<dc:description>{}</dc:description>", escaped(summary));
        }
    }
    // No clock is read: the book is as new as the newest page in it.
    let newest = articles.iter().filter_map(|article| article.fetched).max().unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let newest = newest.to_zoned(jiff::tz::TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%SZ");
    let progression = match direction_of(articles) {
        "" => "",
        _ => " page-progression-direction=\"rtl\"",
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <package xmlns=\"http://www.idpf.org/2007/opf\" version=\"3.0\" unique-identifier=\"id\">\n\
         <metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n\
         <dc:identifier id=\"id\">urn:uuid:{id}</dc:identifier>\n<dc:title>{}</dc:title>\n\
         <dc:language>{}</dc:language>\n{metadata}<meta property=\"dcterms:modified\">{newest}</meta>\n</metadata>\n\
         <manifest>\n<item id=\"nav\" href=\"nav.xhtml\" media-type=\"application/xhtml+xml\" properties=\"nav\"/>\n\
         <item id=\"style\" href=\"style.css\" media-type=\"text/css\"/>\n{manifest}</manifest>\n\
         <spine{progression}>\n{spine}</spine>\n</package>\n",
        escaped(title_of(articles, title)),
        language_of(articles),
    )
}

/// Whether a date has the form that books demand.
fn is_date(date: &str) -> bool {
    let is_day = |day: &str| day.parse::<jiff::civil::Date>().is_ok();
    date.len() == 10 && is_day(date) || date.parse::<jiff::Timestamp>().is_ok()
}

fn title_of<'a>(articles: &'a [Article], title: &'a str) -> &'a str {
    match articles {
        [text] => heading(text),
        _ => title,
    }
}

fn start(language: &str, direction: &str, title: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html>\n\
         <html xmlns=\"http://www.w3.org/1999/xhtml\" xmlns:epub=\"http://www.idpf.org/2007/ops\" \
         lang=\"{language}\" xml:lang=\"{language}\"{direction}>\n<head>\n<meta charset=\"utf-8\"/>\n<title>{}</title>\n\
         <link rel=\"stylesheet\" href=\"style.css\"/>\n</head>\n",
        escaped(title)
    )
}

fn nav(articles: &[Article], title: &str, entries: &str) -> String {
    format!(
        "{}<body>\n<nav epub:type=\"toc\" id=\"toc\">\n<h1>{}</h1>\n<ol>\n{entries}</ol>\n</nav>\n</body>\n</html>\n",
        start(language_of(articles), direction_of(articles), title_of(articles, title)),
        escaped(title_of(articles, title)),
    )
}

fn chapter_of(text: &Article, chapter: &Written) -> String {
    let language = language_of(std::slice::from_ref(text));
    let byline = byline(text);
    let byline = match byline.is_empty() {
        true => String::new(),
        false => format!("<p class=\"byline\">{}</p>\n", escaped(&byline)),
    };
    let source = match text.url.starts_with("http") {
        true => format!("<a href=\"{}\">{}</a>", escaped(&address(&text.url)), escaped(&text.url)),
        false => escaped(&text.url),
    };
    format!(
        "{}<body>\n<h1>{}</h1>\n{byline}<div>{}</div>\n<p class=\"source\">{source}</p>\n</body>\n</html>\n",
        start(language, direction(text), heading(text)),
        escaped(heading(text)),
        chapter.xhtml,
    )
}
