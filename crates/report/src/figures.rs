//! Reads `report/sites.jsonl`: computes the sums over all sites and the rows of the report's tables.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result};
use model::{SiteChange, SiteFigures, WeakTemplate, WorstArticle};
use sink::site_file_name;

use crate::readable::{count, short_xpath};

/// Maximum number of sites in the table: the sites with the most articles. A browser still sorts this many quickly.
const MOST_ROWS: usize = 50_000;
/// Maximum number of sites whose changes are shown.
const MOST_CHANGES: usize = 50;
/// Maximum number of articles and of templates listed for a first look.
const MOST_LISTED: usize = 50;
/// Maximum number of characters of a site's expressions.
const EXPRESSION_LETTERS: usize = 200;

/// The figures of the sites of a run, in the order of sites.
pub(crate) type SiteLines = Box<dyn Iterator<Item = Result<SiteFigures>>>;

pub(crate) fn site_lines(path: &Path) -> Result<SiteLines> {
    let cannot = |path: &Path| format!("cannot read {}", path.display());
    let file = File::open(path).with_context(|| cannot(path))?;
    let path = path.to_owned();
    let figures = move |(number, line): (usize, io::Result<String>)| {
        let line = line.with_context(|| cannot(&path))?;
        serde_json::from_str(&line).with_context(|| foreign_line(&path, number))
    };
    Ok(Box::new((1..).zip(BufReader::new(file).lines()).map(figures)))
}

/// The error message for a line that cannot be parsed.
pub fn foreign_line(path: &Path, number: usize) -> String {
    let shown = path.display();
    format!("{shown}, line {number}: not in the format of this version of sitegrove")
}

/// Contents of `report/sites.jsonl`.
#[derive(Debug, Default)]
pub(crate) struct SiteTable {
    pub(crate) totals: RunTotals,
    /// The sites with the most articles, most first.
    pub(crate) rows: Vec<SiteTableRow>,
    /// Number of sites that have a page of their own.
    pub(crate) with_page: u64,
    /// The first sites that changed since an earlier night, in the order of sites.
    pub(crate) changes: Vec<(String, SiteChange)>,
    pub(crate) changed: usize,
    /// The doubtful articles with the lowest confidence, lowest first.
    pub(crate) worst: Vec<FirstLook<WorstArticle>>,
    /// Templates with little evidence, the most serious first.
    pub(crate) weak: Vec<FirstLook<WeakTemplate>>,
}

/// An article or a template that is listed for a first look.
#[derive(Debug)]
pub(crate) struct FirstLook<T> {
    pub(crate) site: String,
    /// File name of the single-site page, if there is one.
    pub(crate) page: Option<String>,
    pub(crate) of: T,
}

/// What is wrong with a template, the most serious first.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Weakness {
    /// At most half of the held-out pages agree.
    Disagrees,
    /// It has no wrapper, although it has several article pages.
    NoWrapper,
    FewPages,
}

impl FirstLook<WeakTemplate> {
    pub(crate) fn weakness(&self) -> Weakness {
        match &self.of {
            own if !own.wrapper => Weakness::NoWrapper,
            own if own.held_back > 0 && own.held_back_agreeing * 2 <= own.held_back => {
                Weakness::Disagrees
            }
            _ => Weakness::FewPages,
        }
    }

    /// Held-out pages on which wrappers learnt without them select something else.
    fn disagreeing(&self) -> u32 {
        self.of.held_back.saturating_sub(self.of.held_back_agreeing)
    }

    /// The sort key of the column with the evidence.
    pub(crate) fn order(&self) -> i64 {
        /// Distance between kinds of weakness: larger than any number of held-out pages.
        const KIND: i64 = 1 << 33;
        i64::from(self.weakness() as u8) * KIND - i64::from(self.disagreeing())
    }
}

#[derive(Debug, Default, PartialEq)]
pub(crate) struct RunTotals {
    pub(crate) sites: u64,
    pub(crate) with_wrapper: u64,
    /// Figures of their pages and articles.
    pub(crate) of: SiteFigures,
    /// Templates with little evidence; at most three per site are counted.
    pub(crate) weak: u64,
    /// Sites by the bit length of their number of articles: 0, 1, 2 to 3, 4 to 7, …
    pub(crate) sites_by_size: BTreeMap<u32, u64>,
}

#[derive(Clone, Debug)]
pub(crate) struct SiteTableRow {
    pub(crate) site: String,
    /// File name of its single-site page, if it has one.
    pub(crate) page: Option<String>,
    pub(crate) articles: u64,
    pub(crate) pages: u64,
    pub(crate) left_out: u64,
    pub(crate) doubtful: u64,
    pub(crate) layouts: u64,
    pub(crate) confidence: Option<f64>,
    /// Numbers of pages that its best wrapper was learnt from, of held-out pages, and of held-out pages that agree.
    pub(crate) support: Option<[u32; 3]>,
    /// Share of characters removed on pages with an article.
    pub(crate) boilerplate: Option<f64>,
    /// The expressions of its best wrapper, abbreviated.
    pub(crate) best: String,
}

impl SiteTable {
    /// Reads the file, and determines which sites have pages of their own in the folder `pages`.
    pub(crate) fn read(path: &Path, pages: &Path) -> Result<Self> {
        let entries = fs::read_dir(pages).into_iter().flatten().flatten();
        let pages: BTreeSet<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        let mut all = Self::default();
        for figures in site_lines(path)? {
            let mut figures = figures?;
            all.totals.add(&figures);
            if let Some(change) = figures.change.take() {
                all.changed += 1;
                if all.changes.len() < MOST_CHANGES {
                    all.changes.push((figures.site.clone(), change));
                }
            }
            let name = site_file_name(&figures.site);
            let page = pages.contains(&format!("{name}.html")).then_some(name);
            all.with_page += u64::from(page.is_some());
            let first_look = |of| FirstLook { site: figures.site.clone(), page: page.clone(), of };
            all.worst.extend(std::mem::take(&mut figures.worst).into_iter().map(first_look));
            let first_look = |of| FirstLook { site: figures.site.clone(), page: page.clone(), of };
            all.weak.extend(std::mem::take(&mut figures.weak).into_iter().map(first_look));
            if all.worst.len().max(all.weak.len()) >= 8 * MOST_LISTED {
                all.keep_most_serious();
            }
            all.rows.push(SiteTableRow::new(figures, page));
            if all.rows.len() >= 2 * MOST_ROWS {
                all.keep_largest();
            }
        }
        all.keep_largest();
        all.keep_most_serious();
        Ok(all)
    }

    fn keep_largest(&mut self) {
        self.rows.sort_by(|a, b| b.articles.cmp(&a.articles).then_with(|| a.site.cmp(&b.site)));
        self.rows.truncate(MOST_ROWS);
    }

    fn keep_most_serious(&mut self) {
        self.worst.sort_by(|a, b| {
            a.of.confidence.total_cmp(&b.of.confidence).then_with(|| a.of.url.cmp(&b.of.url))
        });
        self.worst.truncate(MOST_LISTED);
        self.weak.sort_by(|a, b| {
            let names = || (&a.site, &a.of.template).cmp(&(&b.site, &b.of.template));
            let pages = || Reverse(a.of.pages).cmp(&Reverse(b.of.pages));
            a.order().cmp(&b.order()).then_with(pages).then_with(names)
        });
        self.weak.truncate(MOST_LISTED);
    }
}

impl RunTotals {
    fn add(&mut self, figures: &SiteFigures) {
        self.sites += 1;
        self.with_wrapper += u64::from(figures.wrappers > 0);
        self.of.count(figures);
        self.weak += figures.weak.len() as u64;
        let size = (u64::BITS - figures.articles.leading_zeros()).min(u64::BITS - 1);
        *self.sites_by_size.entry(size).or_default() += 1;
    }
}

impl SiteTableRow {
    fn new(figures: SiteFigures, page: Option<String>) -> Self {
        let expressions = figures.best.iter().flat_map(|best| &best.content);
        let short: Vec<String> = expressions.map(|path| short_xpath(path)).collect();
        let mut best = short.join("  |  ");
        if let Some((end, _)) = best.char_indices().nth(EXPRESSION_LETTERS) {
            best.truncate(end);
            best.push('…');
        }
        if best.is_empty() {
            best.push_str(match figures.articles {
                0 => "(no articles)",
                1 => "(one page)",
                _ => "(no wrapper)",
            });
        }
        Self {
            page,
            articles: figures.articles,
            pages: figures.pages,
            left_out: figures.drops.values().sum(),
            doubtful: figures.doubtful,
            layouts: figures.layouts,
            confidence: figures.confidence,
            support: figures.best.map(|b| [b.learnt_from, b.held_back, b.held_back_agreeing]),
            boilerplate: removed_share(figures.characters.pages, figures.characters.kept),
            best,
            site: figures.site,
        }
    }

    /// The support of its best wrapper, in words.
    pub(crate) fn support(&self) -> String {
        match self.support {
            None => "–".to_owned(),
            Some([learnt_from, 0, _]) => count(learnt_from as usize, "page"),
            Some([learnt_from, held_back, agreeing]) => {
                format!("{}, {agreeing} of {held_back}", count(learnt_from as usize, "page"))
            }
        }
    }
}

/// The share of characters that was removed, in thousandths; `None` if there are no characters.
pub(crate) fn removed_share(characters: u64, kept: u64) -> Option<f64> {
    let share = characters.saturating_sub(kept) as f64 / characters as f64;
    (characters > 0).then(|| (share * 1000.0).round() / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_removed_of_nothing() {
        assert_eq!(removed_share(0, 0), None);
        assert_eq!(removed_share(1000, 334), Some(0.666));
        assert_eq!(removed_share(10, 20), Some(0.0));
    }
}
