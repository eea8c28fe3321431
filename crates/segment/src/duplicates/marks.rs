//! What is noted of articles that are the same as others.

use std::io;

use model::Extracted;
use serde::{Deserialize, Serialize};

use crate::sorted::Merged;

/// What is noted of one article.
#[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub(crate) struct DuplicateMark {
    /// The number of the article in the order of outputs.
    number: u32,
    cluster: u64,
    /// Address of the article that represents the group, and the bits of the similarity.
    of: Option<(String, u64)>,
}

impl DuplicateMark {
    /// Notes an article by its number: its group, and the article that represents that, with the similarity.
    pub(super) fn new(number: u32, cluster: u64, of: Option<(String, f64)>) -> Self {
        Self { number, cluster, of: of.map(|(url, similarity)| (url, similarity.to_bits())) }
    }
}

/// Notes for articles, in the order of outputs.
#[derive(Debug)]
pub struct Marks {
    marks: Option<Merged<DuplicateMark>>,
    next: u64,
}

impl Marks {
    pub(super) fn of(marks: Merged<DuplicateMark>) -> Self {
        Self { marks: Some(marks), next: 0 }
    }

    /// No notes at all.
    pub fn none() -> Self {
        Self { marks: None, next: 0 }
    }

    /// Passes over articles that come next in the order of outputs.
    ///
    /// # Errors
    /// If notes cannot be read.
    pub fn pass(&mut self, articles: u64) -> io::Result<()> {
        self.next += articles;
        while self
            .marks
            .as_ref()
            .and_then(Merged::peek)
            .is_some_and(|mark| u64::from(mark.number) < self.next)
        {
            self.marks.as_mut().and_then(Iterator::next).transpose()?;
        }
        Ok(())
    }

    /// Notes the groups of the next articles in the order of outputs.
    ///
    /// # Errors
    /// If notes cannot be read.
    pub fn note(&mut self, articles: &mut [Extracted]) -> io::Result<()> {
        let Some(marks) = &mut self.marks else { return Ok(()) };
        let first = self.next;
        self.next += articles.len() as u64;
        while let Some(at) =
            marks.peek().map(|mark| u64::from(mark.number)).filter(|&at| at < self.next)
        {
            let Some(mark) = marks.next().transpose()? else { break };
            let of = mark.of.map(|(url, similarity)| (url, f64::from_bits(similarity)));
            let article = &mut articles[(at - first) as usize];
            article.cluster = Some(format!("{:016x}", mark.cluster));
            (article.duplicate_of, article.similarity) = of.unzip();
        }
        Ok(())
    }
}
