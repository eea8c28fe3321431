//! Corrections of templates, by the site of the corrected page.

use std::collections::{BTreeMap, BTreeSet};

use grouping::site_key;
use model::{Mark, MarkedBlock, TemplateCorrection};

/// Corrections, by the site of the corrected page.
#[derive(Clone, Debug, Default)]
pub struct Corrections {
    by_site: BTreeMap<String, Vec<TemplateCorrection>>,
    /// SHA-256 of the files, in hex; empty if they do not come from files.
    pub digest: String,
}

impl Corrections {
    /// Builds the table. All corrections of a page count, in their order; of several marks of one block only the last.
    pub fn new(all: impl IntoIterator<Item = TemplateCorrection>, digest: String) -> Self {
        let mut by_site: BTreeMap<String, Vec<TemplateCorrection>> = BTreeMap::new();
        let mut last: BTreeMap<(String, String), usize> = BTreeMap::new();
        let all: Vec<TemplateCorrection> = all.into_iter().collect();
        let key =
            |own: &TemplateCorrection, block: &MarkedBlock| (own.url.clone(), block.xpath.clone());
        for (number, own) in all.iter().enumerate() {
            last.extend(own.blocks.iter().map(|block| (key(own, block), number)));
        }
        for (number, mut own) in all.into_iter().enumerate() {
            let had = !own.blocks.is_empty();
            let mut blocks = std::mem::take(&mut own.blocks);
            blocks.retain(|block| last[&key(&own, block)] == number);
            own.blocks = blocks;
            if !own.blocks.is_empty() || !had {
                by_site.entry(site_key(&own.url).unwrap_or_default()).or_default().push(own);
            }
        }
        Self { by_site, digest }
    }

    /// Whether there are corrections of a page, given its address.
    pub fn has(&self, url: &str) -> bool {
        site_key(url).is_some_and(|key| self.of_site(&key).iter().any(|own| own.url == url))
    }

    /// All corrections, by site.
    pub fn all(&self) -> impl Iterator<Item = &TemplateCorrection> {
        self.by_site.values().flatten()
    }

    /// The corrections of the pages of a site, given its key.
    pub fn of_site(&self, key: &str) -> &[TemplateCorrection] {
        self.by_site.get(key).map_or(&[], Vec::as_slice)
    }
}

/// Whether the correction `stored` in a model is `given`, completed.
pub fn is_of(stored: &TemplateCorrection, given: &TemplateCorrection) -> bool {
    let marks = |of: &TemplateCorrection| -> BTreeSet<(String, Mark)> {
        of.blocks.iter().map(|block| (block.xpath.clone(), block.mark)).collect()
    };
    let origin = |of: &TemplateCorrection| [&of.url, &of.by, &of.at, &of.reason].map(String::clone);
    origin(stored) == origin(given) && marks(stored).is_subset(&marks(given))
}
