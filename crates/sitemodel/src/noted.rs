//! Notes in a model what its site serves instead of articles since it was learnt.

use std::collections::{BTreeMap, BTreeSet};

use crate::apply::{Applied, Outcome};
use crate::model::SiteModel;
use crate::walls::{ADDRESSES, add_repeated, lines_of, story};

/// Pages of a template with the same text.
struct Same {
    lines: BTreeSet<u64>,
    stories: BTreeSet<String>,
}

impl SiteModel {
    /// Notes what the site serves instead of articles since it was learnt: texts that several addresses of a template
    /// have. Gives the model with their lines and the ids of the templates, or `None` if there is nothing to note.
    /// `applied` are the outcomes of all pages in hand, by this model.
    pub fn with_walls<'a>(
        &self,
        applied: impl Iterator<Item = &'a Applied>,
    ) -> Option<(Self, Vec<String>)> {
        let mut pages: BTreeMap<u32, usize> = BTreeMap::new();
        let mut texts: BTreeMap<(u32, String), Same> = BTreeMap::new();
        for Applied { template, outcome, .. } in applied {
            let Some(template) = *template else { continue };
            *pages.entry(template).or_default() += 1;
            let Outcome::Article(article) = outcome else { continue };
            let Some(lines) = lines_of(article) else { continue };
            let key = (template, format!("{lines:?}"));
            let new = || Same { lines, stories: BTreeSet::new() };
            texts.entry(key).or_insert_with(new).stories.insert(story(&article.url));
        }
        let is_judged =
            |at: u32| self.templates[at as usize].learnt.as_ref()?.judgement().map(|_| ());
        texts.retain(|(at, _), same| same.stories.len() >= ADDRESSES && is_judged(*at).is_some());
        if texts.is_empty() {
            return None;
        }
        let mut model = self.clone();
        let mut changed: BTreeSet<u32> = BTreeSet::new();
        for ((number, _), same) in texts {
            let of_most = 2 * same.stories.len() >= pages[&number];
            let repeated = &mut model.templates[number as usize].repeated;
            if add_repeated(repeated, same.lines.into_iter().map(|line| (line, of_most))) {
                changed.insert(number);
            }
        }
        let ids = changed.iter().map(|&at| model.templates[at as usize].id.clone()).collect();
        (!changed.is_empty()).then_some((model, ids))
    }
}
