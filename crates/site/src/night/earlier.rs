//! Earlier captures of tonight's pages as evidence: the store retains them, and the stored model reads them.

use std::collections::BTreeSet;
use std::io;

use model::{FeedItem, Page, SharedWords};
use modelstore::Store;
use sitemodel::{Applied, EarlierReading, MIN_PAGES_FOR_VERDICT, Outcome, SiteModel};

use crate::Work;
use crate::apply::Outcomes;
use crate::learn::parse;
use crate::night::in_hand::{CandidatePage, retained_candidates, template_id};
use crate::texts::KnownTexts;
use crate::verdict::OTHERS as OTHER_TEXTS;

/// Agreement with earlier texts below which the texts of a template have changed.
pub(crate) const OTHERS: f64 = 0.97;

impl Work<'_> {
    /// Whether tonight's texts differ from the known texts of their addresses.
    pub(crate) fn texts_differ(&self, store: &Store, applied: &Outcomes) -> io::Result<bool> {
        let known = store.texts(&self.key).map_err(io::Error::other)?;
        let known = KnownTexts::of(known.as_deref());
        let articles = applied.values().filter_map(|applied| match &applied.outcome {
            Outcome::Article(article) => Some(&**article),
            Outcome::Drop(_) | Outcome::Unassigned => None,
        });
        Ok(known.differing(&known.known_of(articles)) >= OTHER_TEXTS)
    }

    /// Reads the earlier captures of tonight's pages with a model.
    pub(crate) fn earlier_readings(
        &self,
        store: &Store,
        model: &SiteModel,
        tonight: &[CandidatePage<'_>],
    ) -> io::Result<Vec<EarlierReading>> {
        let urls: BTreeSet<&str> = tonight.iter().map(CandidatePage::url).collect();
        let mut retained = store.sample(&self.key).map_err(io::Error::other)?;
        retained.retain(|own| urls.contains(&*own.page.url));
        let (items, pages): (Vec<Vec<FeedItem>>, Vec<Page>) =
            retained.into_iter().map(|own| (own.items, own.page)).unzip();
        let pages: Vec<(usize, Page)> = pages.into_iter().enumerate().collect();
        let parsed = parse(&pages, self.settings, self.clock);
        let again = retained_candidates(&parsed, &items, None, self);
        let applied = self.of_retained(model, &again);
        let reading = |(page, applied): (&CandidatePage<'_>, &Applied)| {
            let Outcome::Article(article) = &applied.outcome else { return None };
            Some(EarlierReading::of(page.sibling.0, article))
        };
        Ok(again.iter().zip(&applied).filter_map(reading).collect())
    }
}

/// Compares how outcomes and earlier captures of the same pages read the words that both have.
pub(crate) fn shared_words<'p>(
    earlier: &[EarlierReading],
    pages: impl Iterator<Item = &'p CandidatePage<'p>>,
    applied: &Outcomes,
) -> SharedWords {
    let mut all = SharedWords::default();
    for page in pages {
        let Some(reading) = earlier.iter().find(|own| own.url == page.url()) else { continue };
        let outcome = page.at.and_then(|at| applied.get(&at)).map(|applied| &applied.outcome);
        if let Some(Outcome::Article(article)) = outcome {
            all.add(&reading.compare(page.sibling.0, &article.text));
        }
    }
    all
}

/// Returns the ids of templates whose texts differ from those of earlier captures, although the words are still there.
pub(crate) fn changed_texts(
    earlier: &[EarlierReading],
    model: &SiteModel,
    tonight: &[CandidatePage<'_>],
    applied: &Outcomes,
) -> Vec<String> {
    let templates: BTreeSet<u32> = tonight.iter().filter_map(|page| page.template).collect();
    let is_changed = |template: &u32| {
        let of_template = tonight.iter().filter(|page| page.template == Some(*template));
        let shared = shared_words(earlier, of_template, applied);
        shared.pages >= MIN_PAGES_FOR_VERDICT
            && shared.mean_agreement().is_some_and(|own| own < OTHERS)
    };
    let changed = templates.into_iter().filter(is_changed);
    changed.filter_map(|at| template_id(model, at).map(str::to_owned)).collect()
}
