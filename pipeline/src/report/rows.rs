//! Reads the figures of the sites: sums over all, and the rows of the table.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::Result;
use model::{SiteChange, SiteFigures, WeakTemplate, WorstArticle};
use sink::site_file_name;

use super::lines::SiteLines;

/// Maximum number of sites in the table, those with the most articles; a browser still sorts as many quickly.
const MOST_ROWS: usize = 50_000;
/// Maximum number of sites whose changes are shown.
const MOST_CHANGES: usize = 50;
/// Maximum number of articles and of templates that are listed to be looked at first.
pub(super) const MOST_LISTED: usize = 50;
/// Maximum number of characters of a site's expressions.
const EXPRESSION_LETTERS: usize = 200;

/// Contents of `report/sites.jsonl`.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) totals: Totals,
    /// The sites with the most articles, most first.
    pub(super) rows: Vec<Row>,
    /// Whether some sites have single-site pages, and whether some have none.
    pub(super) pages: Pages,
    /// The first sites that changed since an earlier night, in the order of sites.
    pub(super) changes: Vec<(String, SiteChange)>,
    /// How many sites changed.
    pub(super) changed: usize,
    /// The doubtful articles with the lowest confidence, lowest first.
    pub(super) worst: Vec<Listed<WorstArticle>>,
    /// Templates with little evidence, the most serious first.
    pub(super) weak: Vec<Listed<WeakTemplate>>,
}

/// Something of a site that is listed to be looked at first.
#[derive(Debug)]
pub(super) struct Listed<T> {
    pub(super) site: String,
    /// File name of the single-site page, if there is one.
    pub(super) page: Option<String>,
    pub(super) of: T,
}

/// What is wrong with a template, the most serious first.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Weakness {
    /// Half or fewer of the pages held back agree.
    Disagrees,
    /// It has no wrapper, although it has several article pages.
    NoWrapper,
    /// It was learnt from few pages.
    FewPages,
}

impl Weakness {
    pub(super) fn of(template: &WeakTemplate) -> Self {
        match template {
            own if !own.wrapper => Self::NoWrapper,
            own if own.held_back > 0 && own.held_back_agreeing * 2 <= own.held_back => {
                Self::Disagrees
            }
            _ => Self::FewPages,
        }
    }
}

/// Pages held back on which something else is selected without their vote.
pub(super) fn disagreeing(template: &WeakTemplate) -> u32 {
    template.held_back.saturating_sub(template.held_back_agreeing)
}

/// Which sites have single-site pages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Pages {
    #[default]
    None,
    Some,
    All,
}

/// Sums over all sites.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Totals {
    pub(super) sites: u64,
    pub(super) with_wrapper: u64,
    pub(super) articles: u64,
    pub(super) doubtful: u64,
    pub(super) characters: u64,
    pub(super) characters_kept: u64,
    pub(super) confidences: BTreeMap<u32, u64>,
    pub(super) lengths: BTreeMap<u32, u64>,
    pub(super) fields: BTreeMap<String, u64>,
    pub(super) languages: BTreeMap<String, u64>,
    pub(super) months: BTreeMap<String, u64>,
    pub(super) page_types: BTreeMap<String, u64>,
    /// Templates with little evidence; at most three are counted of each site.
    pub(super) weak: u64,
    /// Sites by the bit length of their number of articles: 0, 1, 2 to 3, 4 to 7, …
    pub(super) sites_by_size: BTreeMap<u32, u64>,
}

/// A site in the table.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) site: String,
    /// File name of its single-site page, if it has one.
    pub(super) page: Option<String>,
    pub(super) articles: usize,
    pub(super) pages: usize,
    pub(super) left_out: usize,
    pub(super) doubtful: usize,
    pub(super) layouts: usize,
    pub(super) confidence: Option<f64>,
    /// Pages its best wrapper was learnt from, pages held back, and the number of those that agree.
    pub(super) support: Option<[u32; 3]>,
    /// Share of characters removed on pages with an article.
    pub(super) boilerplate: Option<f64>,
    pub(super) expressions: String,
}

impl Rows {
    /// Reads the file, and determines which sites have pages.
    ///
    /// # Errors
    /// If the file is missing, or not in the format of this version.
    pub(super) fn read(path: &Path, pages: &Path) -> Result<Self> {
        let of_sites = file_names(pages);
        let mut all = Self::default();
        let mut with_page = 0;
        for row in SiteLines::open(path)? {
            let mut row = row?;
            all.totals.add(&row);
            if let Some(change) = row.change.take() {
                all.changed += 1;
                if all.changes.len() < MOST_CHANGES {
                    all.changes.push((row.site.clone(), change));
                }
            }
            let (worst, weak) = (std::mem::take(&mut row.worst), std::mem::take(&mut row.weak));
            let row = Row::of(row, &of_sites);
            all.list(&row, worst, weak);
            with_page += u64::from(row.page.is_some());
            all.rows.push(row);
            if all.rows.len() >= 2 * MOST_ROWS {
                all.keep_the_largest();
            }
        }
        all.keep_the_largest();
        all.keep_the_first();
        all.pages = match with_page {
            0 => Pages::None,
            n if n == all.totals.sites => Pages::All,
            _ => Pages::Some,
        };
        Ok(all)
    }

    fn keep_the_largest(&mut self) {
        self.rows.sort_by(|a, b| b.articles.cmp(&a.articles).then_with(|| a.site.cmp(&b.site)));
        self.rows.truncate(MOST_ROWS);
    }

    /// Lists what of a site is to be looked at first.
    fn list(&mut self, row: &Row, worst: Vec<WorstArticle>, weak: Vec<WeakTemplate>) {
        fn listed<T>(row: &Row, of: T) -> Listed<T> {
            Listed { site: row.site.clone(), page: row.page.clone(), of }
        }
        self.worst.extend(worst.into_iter().map(|own| listed(row, own)));
        self.weak.extend(weak.into_iter().map(|own| listed(row, own)));
        if self.worst.len().max(self.weak.len()) >= 8 * MOST_LISTED {
            self.keep_the_first();
        }
    }

    fn keep_the_first(&mut self) {
        self.worst.sort_by(|a, b| {
            a.of.confidence.total_cmp(&b.of.confidence).then_with(|| a.of.url.cmp(&b.of.url))
        });
        self.worst.truncate(MOST_LISTED);
        let key = |own: &Listed<WeakTemplate>| {
            (Weakness::of(&own.of), Reverse(disagreeing(&own.of)), Reverse(own.of.pages))
        };
        self.weak.sort_by(|a, b| {
            let names = || (&a.site, &a.of.template).cmp(&(&b.site, &b.of.template));
            key(a).cmp(&key(b)).then_with(names)
        });
        self.weak.truncate(MOST_LISTED);
    }
}

/// Names of the pages in a folder; empty if there is no folder.
fn file_names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

impl Totals {
    fn add(&mut self, row: &SiteFigures) {
        self.sites += 1;
        self.with_wrapper += u64::from(row.wrappers > 0);
        self.articles += row.articles as u64;
        self.doubtful += row.doubtful as u64;
        self.characters += row.characters.pages;
        self.characters_kept += row.characters.kept;
        for (&class, &n) in &row.confidences {
            *self.confidences.entry(class).or_default() += n as u64;
        }
        for (&class, &n) in &row.lengths {
            *self.lengths.entry(class).or_default() += n as u64;
        }
        for (all, own) in [
            (&mut self.fields, &row.fields),
            (&mut self.languages, &row.languages),
            (&mut self.months, &row.months),
            (&mut self.page_types, &row.page_types),
        ] {
            for (name, &n) in own {
                *all.entry(name.clone()).or_default() += n as u64;
            }
        }
        self.weak += row.weak.len() as u64;
        let size = (usize::BITS - row.articles.leading_zeros()).min(u64::BITS - 1);
        *self.sites_by_size.entry(size).or_default() += 1;
    }
}

impl Row {
    fn of(row: SiteFigures, pages: &BTreeSet<String>) -> Self {
        let name = site_file_name(&row.site);
        let page = pages.contains(&format!("{name}.html")).then_some(name);
        let expressions = row.best.iter().flat_map(|best| &best.content);
        let mut text = expressions.map(String::as_str).map(short).collect::<Vec<_>>().join("  |  ");
        if let Some((end, _)) = text.char_indices().nth(EXPRESSION_LETTERS) {
            text.truncate(end);
            text.push('…');
        }
        Self {
            page,
            articles: row.articles,
            pages: row.pages,
            left_out: row.drops.values().sum(),
            doubtful: row.doubtful,
            layouts: row.layouts,
            confidence: row.confidence,
            support: row.best.map(|b| [b.learnt_from, b.held_back, b.held_back_agreeing]),
            boilerplate: removed(row.characters.pages, row.characters.kept),
            expressions: text,
            site: row.site,
        }
    }
}

/// A short form of an expression, with `.name` for a class and `#name` for an id, as in style sheets, so that
/// the distinguishing parts come early.
pub(super) fn short(path: &str) -> String {
    const CLASS: [&str; 2] = ["[contains(concat(' ',normalize-space(@class),' '),' ", " ')]"];
    const ID: [&str; 2] = ["[@id='", "']"];
    let mut out = String::new();
    let mut rest = path;
    while let Some(at) = rest.find('[') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let named = [(CLASS, '.'), (ID, '#')].into_iter().find_map(|([open, close], mark)| {
            let (name, after) = rest.strip_prefix(open)?.split_once(close)?;
            let plain = !name.is_empty() && !name.contains(['[', ']', '\'', '"', ' ', '.', '#']);
            plain.then_some((mark, name, after))
        });
        match named {
            Some((mark, name, after)) => {
                out.push(mark);
                out.push_str(name);
                rest = after;
            }
            None => {
                out.push('[');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The share of characters that was removed, in thousandths; `None` if there are no characters.
pub(super) fn removed(characters: u64, kept: u64) -> Option<f64> {
    let share = characters.saturating_sub(kept) as f64 / characters as f64;
    (characters > 0).then(|| (share * 1000.0).round() / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_shortened_only_where_nothing_is_lost() {
        let class = "[contains(concat(' ',normalize-space(@class),' '),' story__body ')]";
        for (path, shown) in [
            ("//main/article", "//main/article"),
            (&format!("//div{class}/p[2]"), "//div.story__body/p[2]"),
            (&format!("//div[@id='art']{class}//li"), "//div#art.story__body//li"),
            ("//div[@id='a b']", "//div[@id='a b']"),
            ("//div[@id='']", "//div[@id='']"),
            ("//div[@id='a", "//div[@id='a"),
            ("//td[@id='x'][@width='10']", "//td#x[@width='10']"),
        ] {
            assert_eq!(short(path), shown);
        }
    }

    #[test]
    fn nothing_is_removed_of_nothing() {
        assert_eq!(removed(0, 0), None);
        assert_eq!(removed(1000, 334), Some(0.666));
        assert_eq!(removed(10, 20), Some(0.0));
    }
}
