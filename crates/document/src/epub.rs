//! Articles as an EPUB 3 book: one chapter each.

use std::collections::BTreeSet;
use std::io::{Cursor, Write as _};

use askama::Template;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use model::Article;
use sha2::{Digest, Sha256};
use terms::is_right_to_left;
use uuid::Uuid;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::xhtml::{address, is_language, written};
use crate::{PROGRAM, PictureFile, PictureFiles, byline, finish, fragment, heading, provenance};

/// The error of [`to_epub`].
pub type EpubError = zip::result::ZipError;

const STYLE: &str = include_str!("../templates/book.css");

const CONTAINER: &str = include_str!("../templates/container.xml");

/// A chapter: an article and the file it is written to.
struct Chapter<'a> {
    article: &'a Article,
    file: String,
    has_formulas: bool,
    pictures: Vec<ChapterPicture<'a>>,
    xhtml: String,
}

struct ChapterPicture<'a> {
    /// Number of the picture in its chapter, from 1.
    number: usize,
    name: String,
    file: &'a PictureFile,
}

#[derive(Template)]
#[template(path = "package.xml")]
struct PackageFile<'a> {
    title: &'a str,
    language: &'a str,
    is_rtl: bool,
    articles: &'a [Article],
    chapters: &'a [Chapter<'a>],
    id: Uuid,
}

#[derive(Template)]
#[template(path = "nav.xhtml")]
struct NavFile<'a> {
    title: &'a str,
    language: &'a str,
    is_rtl: bool,
    chapters: &'a [Chapter<'a>],
}

#[derive(Template)]
#[template(path = "chapter.xhtml")]
struct ChapterFile<'a> {
    title: &'a str,
    language: &'a str,
    is_rtl: bool,
    byline: String,
    body: &'a str,
    article: &'a Article,
    /// Number of the article's pictures that are in the book.
    held: usize,
}

/// Writes the articles as a book, in this order. Its title is the title of its only article, else `title`.
///
/// # Errors
/// If the file would be larger than the format allows.
pub fn to_epub(
    articles: &[Article],
    title: &str,
    pictures: &PictureFiles,
) -> Result<Vec<u8>, EpubError> {
    let title = if let [article] = articles { heading(article) } else { title };
    // The writing direction of a book is the direction of most of its articles.
    let rtl = articles.iter().filter(|article| is_right_to_left(&article.text)).count();
    let is_rtl = rtl > articles.len() / 2;
    let language = language_of(articles);
    let chapters: Vec<Chapter<'_>> = articles
        .iter()
        .zip(1..)
        .map(|(article, number)| Chapter::new(article, number, pictures))
        .collect();
    let id = id_of(articles);
    let package = PackageFile { title, language, is_rtl, articles, chapters: &chapters, id };
    let nav = NavFile { title, language, is_rtl, chapters: &chapters };

    let stored = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default());
    let packed = stored.compression_method(CompressionMethod::Deflated);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let mut add = |name: &str, bytes: &[u8], options: SimpleFileOptions| -> Result<(), EpubError> {
        zip.start_file(name, options)?;
        Ok(zip.write_all(bytes)?)
    };
    // The first file of a book is not compressed, and identifies the format.
    add("mimetype", b"application/epub+zip", stored)?;
    add("META-INF/container.xml", CONTAINER.as_bytes(), packed)?;
    add("EPUB/package.opf", finish(&package).as_bytes(), packed)?;
    add("EPUB/nav.xhtml", finish(&nav).as_bytes(), packed)?;
    add("EPUB/style.css", STYLE.as_bytes(), packed)?;
    for chapter in &chapters {
        add(&format!("EPUB/{}", chapter.file), chapter.to_xhtml().as_bytes(), packed)?;
    }
    let mut files: Vec<&ChapterPicture<'_>> =
        chapters.iter().flat_map(|chapter| &chapter.pictures).collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    for picture in files {
        add(&format!("EPUB/{}", picture.name), &picture.file.bytes, stored)?;
    }
    Ok(zip.finish()?.into_inner())
}

impl<'a> Chapter<'a> {
    fn new(article: &'a Article, number: usize, pictures: &'a PictureFiles) -> Self {
        let name = |at: usize, media_type: &str| {
            let ending = media_type.rsplit('/').next().unwrap_or_default().replace("jpeg", "jpg");
            format!("pictures/{number}-{}.{ending}", at + 1)
        };
        let written = written(&fragment(article), pictures, name);
        let shown = written.pictures.iter().enumerate().filter_map(|(at, source)| {
            let file = pictures.get(source)?;
            Some(ChapterPicture { number: at + 1, name: name(at, file.media_type), file })
        });
        Self {
            article,
            file: format!("chapter-{number}.xhtml"),
            has_formulas: written.formulas,
            pictures: shown.collect(),
            xhtml: written.xhtml,
        }
    }

    fn to_xhtml(&self) -> String {
        let article = self.article;
        finish(&ChapterFile {
            title: heading(article),
            language: language_of(std::slice::from_ref(article)),
            is_rtl: is_right_to_left(&article.text),
            byline: byline(article),
            body: &self.xhtml,
            article,
            held: self.pictures.len(),
        })
    }
}

impl PackageFile<'_> {
    /// The provenance of an article, in one line.
    fn provenance_of(article: &Article) -> String {
        let facts =
            provenance(article).into_iter().map(|fact| format!("{} {}", fact.kind, fact.value));
        format!("{}: {}", article.url, facts.collect::<Vec<_>>().join(", "))
    }

    fn authors(&self) -> BTreeSet<&String> {
        self.articles.iter().flat_map(|article| &article.authors).collect()
    }

    /// The article, if the book has only one.
    fn single(&self) -> Option<&Article> {
        if let [article] = self.articles { Some(article) } else { None }
    }

    /// When the newest page of the book was fetched: the book's date of modification, so that no clock is read.
    fn newest(&self) -> String {
        let newest = self.articles.iter().filter_map(|article| article.fetched).max();
        let newest = newest.unwrap_or(Timestamp::UNIX_EPOCH).to_zoned(TimeZone::UTC);
        newest.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }
}

fn language_of(articles: &[Article]) -> &str {
    let mut tags = articles.iter().filter_map(|article| article.language.as_deref());
    tags.find(|tag| is_language(tag)).unwrap_or("und")
}

fn id_of(articles: &[Article]) -> Uuid {
    let mut hash = Sha256::new();
    for article in articles {
        hash.update(article.url.as_bytes());
        hash.update([0]);
        hash.update(article.html.as_bytes());
        hash.update([0]);
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// When the article was published, if its date has a form that EPUB allows.
fn date_of(article: &Article) -> Option<&str> {
    let date = article.published.as_deref()?;
    let is_day = date.len() == 10 && date.parse::<jiff::civil::Date>().is_ok();
    (is_day || date.parse::<Timestamp>().is_ok()).then_some(date)
}
