//! The file `results`: the results of sites in the order of outputs, from which runs resume and outputs are written.
//!
//! The file consists of frames (`frames`). The first holds a digest of what the results were computed from. Each other frame
//! holds the length of a heading (4 bytes, little endian), the heading in MessagePack, the uncompressed length of the results
//! (4 bytes), and the results as an LZ4 block: articles as lines of `articles.jsonl`, everything else in MessagePack, and the
//! length of the lines (8 bytes). The first incomplete or damaged frame ends the file: results that did not reach the disk
//! before a crash are computed again. Only the version of the program that wrote the file reads it.
//!
//! An article is serialised once, by the thread that extracted it. It is parsed and serialised again only if it has
//! duplicates, or if an output needs its fields.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use duplicates::{ArticleDescription, Describer, boilerplate_of};
use model::{Drop, DropReason, Extracted, SiteResult, Stage};
use segment::frames::{Frames, HEADER, frame, unpacked, write_frame};
use segment::marks::ArticleMark;
use serde::{Deserialize, Serialize};
use sink::{figures_of, json_lines, write_line};
use sitemodel::stages::extract::remove_paragraphs;

use crate::run::ledger::SiteCounts;

/// Bytes of a length field.
const LENGTH: usize = 4;
/// The heading of the results of a site, or of a part of a large site: what is needed before all results are known.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct ResultHeading {
    pub(crate) index: usize,
    pub(crate) part: usize,
    pub(crate) counted: SiteCounts,
    /// Descriptions of its articles; empty if neither duplicates nor shared text are wanted.
    pub(crate) evidence: Vec<ArticleDescription>,
}

impl ResultHeading {
    /// The heading for the result of a site, or of its part number `part`.
    pub(crate) fn of(
        index: usize,
        part: usize,
        result: &SiteResult,
        describer: Option<&Describer>,
    ) -> Self {
        let describe = |describer: &Describer| {
            result.articles.iter().map(|of| describer.describe(of)).collect()
        };
        let evidence = describer.map(describe).unwrap_or_default();
        Self { index, part, counted: SiteCounts::of(result), evidence }
    }

    pub(crate) fn frame(&self, mut result: SiteResult) -> io::Result<Vec<u8>> {
        result.figures = Some(Box::new(figures_of(&result)));
        let articles = std::mem::take(&mut result.articles);
        let mut heading = vec![0; LENGTH];
        rmp_serde::encode::write_named(&mut heading, self).map_err(io::Error::other)?;
        let length = u32::try_from(heading.len() - LENGTH).map_err(io::Error::other)?;
        heading[..LENGTH].copy_from_slice(&length.to_le_bytes());
        frame(&heading, |to| {
            let mut articles_kept = Vec::with_capacity(articles.len());
            for Extracted { article, payload, .. } in &articles {
                let before = to.len();
                write_line(article, to);
                articles_kept.push(KeptArticle { bytes: to.len() - before, payload: *payload });
            }
            let lines = to.len() as u64;
            let kept = (result, articles_kept);
            rmp_serde::encode::write_named(to, &kept).map_err(io::Error::other)?;
            to.extend(lines.to_le_bytes());
            Ok(())
        })
    }

    /// Splits the content of a frame into its heading and the compressed results.
    pub(crate) fn of_content(content: &[u8]) -> io::Result<(Self, &[u8])> {
        let (length, rest) = content.split_first_chunk().ok_or(io::ErrorKind::UnexpectedEof)?;
        let heading = rest.split_at_checked(u32::from_le_bytes(*length) as usize);
        let (heading, packed) = heading.ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok((rmp_serde::from_slice(heading).map_err(io::Error::other)?, packed))
    }

    pub(crate) fn next(&self) -> (usize, usize) {
        if self.counted.more { (self.index, self.part + 1) } else { (self.index + 1, 0) }
    }
}

/// Uncompressed length of packed results in bytes.
pub(crate) fn unpacked_length(packed: &[u8]) -> usize {
    packed.first_chunk().map_or(0, |length| u32::from_le_bytes(*length) as usize)
}

/// Data of an article that is not in its line.
#[derive(Debug, Deserialize, Serialize)]
struct KeptArticle {
    /// Length of its line.
    bytes: usize,
    payload: [u8; 16],
}

/// Reads the results of a site for the outputs and applies the marks, which are in the order of articles. Shared boilerplate is
/// removed, unless an article would keep fewer than `least_words` words. Articles are parsed from their lines if
/// `reads_articles`. Also returns the indices of articles from which boilerplate was removed.
pub(crate) fn read_results(
    packed: &[u8],
    marks: Vec<(usize, ArticleMark)>,
    reads_articles: bool,
    least_words: u32,
) -> io::Result<(SiteResult, Vec<usize>)> {
    let mut before = unpacked(packed)?;
    let (rest, length) = before.split_last_chunk().ok_or(io::ErrorKind::UnexpectedEof)?;
    let length = u64::from_le_bytes(*length) as usize;
    let rest = rest.get(length..).ok_or(io::ErrorKind::UnexpectedEof)?;
    let (mut result, articles): (SiteResult, Vec<KeptArticle>) =
        rmp_serde::from_slice(rest).map_err(io::Error::other)?;
    before.truncate(length);
    if marks.is_empty() && !reads_articles {
        return Ok((SiteResult { lines: before, ..result }, Vec::new()));
    }
    let mut without_boilerplate = Vec::new();
    let mut marks = marks.into_iter().peekable();
    result.lines.reserve(before.len() + before.len() / 16);
    let mut left = &*before;
    for (index, KeptArticle { bytes, payload }) in articles.into_iter().enumerate() {
        let (line, rest) = left.split_at_checked(bytes).ok_or(io::ErrorKind::UnexpectedEof)?;
        left = rest;
        let is_marked = marks.peek().is_some_and(|(at, _)| *at == index);
        if !is_marked && !reads_articles {
            result.lines.extend_from_slice(line);
            continue;
        }
        let article = serde_json::from_slice(line)?;
        let mut article = Extracted { article, payload, ..Extracted::default() };
        let mut boilerplate = Vec::new();
        while let Some((_, mark)) = marks.next_if(|(at, _)| *at == index) {
            boilerplate.extend(mark.note(&mut article));
        }
        let paragraphs = boilerplate_of(&article.text, &boilerplate);
        let is_removed = remove_paragraphs(&mut article, &paragraphs, least_words);
        without_boilerplate.extend(is_removed.then_some(index));
        match is_marked {
            true => write_line(&article.article, &mut result.lines),
            false => result.lines.extend_from_slice(line),
        }
        if reads_articles {
            result.articles.push(article);
        }
    }
    Ok((result, without_boilerplate))
}

/// Drops the duplicates. The articles must have been parsed.
pub(crate) fn drop_duplicates(result: &mut SiteResult) {
    let drops = &mut result.drops;
    result.articles.retain(|article| {
        let of = article.duplicate_of.as_ref().zip(article.similarity);
        let Some((url, similarity)) = of else { return true };
        drops.push(Drop {
            site: article.site.clone(),
            url: article.url.clone(),
            origin: article.origin.clone(),
            stage: Stage::Emit,
            reason: DropReason::DuplicateArticle,
            detail: format!("the article at {url}; similarity of the texts {similarity:.2}"),
            gone: None,
            refused: None,
        });
        false
    });
    drops.sort();
    result.lines = json_lines(result.articles.iter().map(|extracted| &extracted.article));
    result.figures = Some(Box::new(figures_of(result)));
}

#[derive(Debug)]
pub(crate) struct SiteResults {
    file: File,
    end: u64,
    next: (usize, usize),
}

impl SiteResults {
    /// Length of a file without results, which holds a digest in hex.
    pub(crate) const EMPTY: u64 = (HEADER + 64) as u64;

    /// Opens or creates the file at `path`. Results computed from the same `causes` are kept, and their headings passed on;
    /// others are removed. Also returns whether any were removed.
    pub(crate) fn open(
        path: &Path,
        causes: &str,
        see: &mut dyn FnMut(&ResultHeading),
    ) -> io::Result<(Self, bool)> {
        let (mut end, mut next, mut had_others) = (0, (0, 0), false);
        if let Some(mut frames) = Frames::open(path)?
            && let Some(first) = frames.next_until_damage()?
        {
            had_others = first != causes.as_bytes();
            if !had_others {
                while let Some(content) = frames.next_until_damage()? {
                    let (heading, _) = ResultHeading::of_content(&content)?;
                    next = heading.next();
                    see(&heading);
                }
                end = frames.end();
            }
        }
        let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        if end == 0 {
            end = write_frame(&mut file, causes.as_bytes())?;
        }
        Ok((Self { file, end, next }, had_others))
    }

    pub(crate) fn next(&self) -> (usize, usize) {
        self.next
    }

    /// Appends a frame. It survives the death of this process; a crash of the machine may lose the last seconds.
    pub(crate) fn add(&mut self, heading: &ResultHeading, frame: &[u8]) -> io::Result<()> {
        let written = self.file.write_all(frame);
        if written.is_err() {
            // A partial frame on a full disk must not be in the way of the next attempt.
            self.file.set_len(self.end)?;
            self.file.seek(SeekFrom::Start(self.end))?;
        } else {
            self.end += frame.len() as u64;
            self.next = heading.next();
        }
        written
    }

    pub(crate) fn frames(path: &Path) -> io::Result<Frames> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "the file is missing");
        let mut frames = Frames::open(path)?.ok_or_else(missing)?;
        frames.next_of_whole()?;
        Ok(frames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn article(number: u32) -> Extracted {
        let texts =
            ["", "plain", "\"quoted\" \\ </script>", "a\nb\tc\u{1}\u{2028}", "Žluťoučký 漢字 🌳"];
        let text = |offset: u32| texts[((number + offset) as usize) % texts.len()].to_owned();
        let third = f64::from(number) / 3.0;
        let mut article = model::Article {
            url: format!("https://a.example/{number}"),
            charset: "UTF-8",
            title: Some(text(0)),
            authors: vec![text(1), text(2)],
            language: Some("en".to_owned()),
            published: Some("2026-01-12".to_owned()),
            text: text(3),
            html: text(4),
            confidence: third.fract(),
            doubtful: number.is_multiple_of(2),
            language_score: Some((third * 0.7).fract()),
            fetched: Some("2026-01-13T00:00:01.123456789Z".parse().unwrap()),
            ..model::Article::default()
        };
        article.images.push(model::Image { alt: Some(text(1)), ..model::Image::default() });
        article.gone = number.is_multiple_of(3).then_some(jiff::Timestamp::UNIX_EPOCH);
        Extracted { article, payload: [number as u8; 16], ..Extracted::default() }
    }

    /// Parses kept results.
    fn kept(
        articles: &[Extracted],
        marks: Vec<(usize, ArticleMark)>,
        reads_articles: bool,
    ) -> SiteResult {
        let result = SiteResult::from_articles("a.example", articles.to_vec());
        let frame = ResultHeading::of(0, 0, &result, None).frame(result).unwrap();
        let (heading, packed) = ResultHeading::of_content(&frame[HEADER..]).unwrap();
        assert_eq!(heading.counted.articles(), articles.len());
        read_results(packed, marks, reads_articles, 0).unwrap().0
    }

    #[test]
    fn marked_lines_are_those_of_marked_articles() {
        let articles: Vec<Extracted> = (0..40).map(article).collect();
        for step in 1..9 {
            let mark = |number: u32| {
                let of = (!number.is_multiple_of(2))
                    .then(|| ("https://b.example/é".to_owned(), 2.0 / 3.0));
                ArticleMark::of_duplicate(number, 7, of)
            };
            let marks: Vec<_> = (0..40).step_by(step).map(|at| (at as usize, mark(at))).collect();
            let mut marked = articles.clone();
            for (at, mark) in &marks {
                assert!(mark.clone().note(&mut marked[*at]).is_empty());
            }
            let lines = json_lines(marked.iter().map(|extracted| &extracted.article));
            for reads_articles in [false, true] {
                let found = kept(&articles, marks.clone(), reads_articles);
                assert!(found.lines == lines, "{}", String::from_utf8_lossy(&found.lines));
                let read = json_lines(found.articles.iter().map(|extracted| &extracted.article));
                assert!(read == if reads_articles { &*lines } else { b"" });
                assert!(found.articles.iter().zip(&marked).all(|(a, b)| a.payload == b.payload));
            }
        }
    }

    #[test]
    fn figures_of_articles_read_from_lines_are_the_same() {
        let articles: Vec<Extracted> = (0..40).map(article).collect();
        let found = kept(&articles, Vec::new(), true);
        assert_eq!(found.articles.len(), 40);
        assert_eq!(found.figures.as_deref(), Some(&figures_of(&found)));
        let mark = ArticleMark::of_duplicate(1, 7, Some(("https://b.example/".to_owned(), 0.9)));
        let mut left = kept(&articles, vec![(1, mark)], true);
        drop_duplicates(&mut left);
        assert_eq!((left.articles.len(), left.drops.len()), (39, 1));
        let articles = left.articles.iter().map(|extracted| &extracted.article);
        assert!(left.lines == json_lines(articles));
        assert_eq!(left.figures.as_deref(), Some(&figures_of(&left)));
    }
}
