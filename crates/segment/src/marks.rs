//! Marks: facts about an article that are known only when all articles of a crawl are.

use std::io;

use model::Article;
use serde::{Deserialize, Serialize};

use crate::sorted::Merged;

/// A fact about one article.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct ArticleMark {
    number: u32,
    noted: Noted,
}

#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
enum Noted {
    Duplicate {
        cluster: u64,
        /// Address of the article that represents the group, and the bits of the similarity to it; `None` for the representative.
        of: Option<(String, u64)>,
    },
    SharedText {
        /// Bits of the share of its words that other sites have, boilerplate excluded.
        elsewhere: u64,
        /// Hashes of its boilerplate paragraphs, in ascending order.
        boilerplate: Vec<u64>,
    },
}

impl ArticleMark {
    /// Marks an article with its group, and with the article that represents the group and the similarity to it.
    pub fn of_duplicate(number: u32, cluster: u64, of: Option<(String, f64)>) -> Self {
        let of = of.map(|(url, similarity)| (url, similarity.to_bits()));
        Self { number, noted: Noted::Duplicate { cluster, of } }
    }

    /// Marks an article with the share of its text that other sites have, and with the hashes of its boilerplate.
    pub(crate) fn of_shared_text(number: u32, elsewhere: f64, boilerplate: Vec<u64>) -> Self {
        let elsewhere = elsewhere.to_bits();
        Self { number, noted: Noted::SharedText { elsewhere, boilerplate } }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        match &self.noted {
            Noted::Duplicate { of, .. } => of.as_ref().map_or(0, |(url, _)| url.len()),
            Noted::SharedText { boilerplate, .. } => size_of_val(boilerplate.as_slice()),
        }
    }

    /// Whether another article represents the group of this one.
    pub fn is_of_other(&self) -> bool {
        matches!(self.noted, Noted::Duplicate { of: Some(_), .. })
    }

    /// Whether a part of the text is boilerplate.
    pub fn has_boilerplate(&self) -> bool {
        matches!(&self.noted, Noted::SharedText { boilerplate, .. } if !boilerplate.is_empty())
    }

    /// Adds the mark to the article. Returns the hashes of its boilerplate, in ascending order; the text still contains it.
    pub fn note(self, article: &mut Article) -> Vec<u64> {
        match self.noted {
            Noted::Duplicate { cluster, of } => {
                article.cluster = Some(format!("{cluster:016x}"));
                let of = of.map(|(url, similarity)| (url, f64::from_bits(similarity)));
                (article.duplicate_of, article.similarity) = of.unzip();
                Vec::new()
            }
            Noted::SharedText { elsewhere, boilerplate } => {
                article.quality.elsewhere = f64::from_bits(elsewhere);
                boilerplate
            }
        }
    }
}

/// The marks of articles, in the order of outputs.
#[derive(Debug)]
pub struct Marks {
    marks: Option<Merged<ArticleMark>>,
    next: u64,
}

impl Marks {
    pub(crate) fn of(marks: Merged<ArticleMark>) -> Self {
        Self { marks: Some(marks), next: 0 }
    }

    /// No marks.
    pub fn none() -> Self {
        Self { marks: None, next: 0 }
    }

    /// Skips the marks of the next articles in the order of outputs.
    ///
    /// # Errors
    /// If marks cannot be read.
    pub fn pass(&mut self, articles: u64) -> io::Result<()> {
        self.next += articles;
        while self.next_mark()?.is_some() {}
        Ok(())
    }

    /// Takes the next mark if it belongs to an article before `self.next`.
    fn next_mark(&mut self) -> io::Result<Option<ArticleMark>> {
        let Some(marks) = &mut self.marks else { return Ok(None) };
        marks.next_if(|mark| u64::from(mark.number) < self.next)
    }

    /// Takes the marks of the next articles in the order of outputs, each with its index among them, in order.
    ///
    /// # Errors
    /// If marks cannot be read.
    pub fn of_next(&mut self, articles: usize) -> io::Result<Vec<(usize, ArticleMark)>> {
        let mut found = Vec::new();
        let first = self.next;
        self.next += articles as u64;
        while let Some(mark) = self.next_mark()? {
            found.push(((u64::from(mark.number) - first) as usize, mark));
        }
        Ok(found)
    }
}
