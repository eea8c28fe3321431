//! Notes in a model what its site serves instead of articles since it was learnt.

use std::collections::{BTreeMap, BTreeSet};

use crate::apply::{Applied, Outcome};
use crate::model::SiteModel;
use crate::walls::{ADDRESSES, add_repeated, lines_of, story};

impl SiteModel {
    /// Notes what the site serves instead of articles since it was learnt: texts that several addresses of a template
    /// have. Gives the model with their lines and the ids of the templates, or `None` if there is nothing to note.
    /// `applied` are the outcomes of all pages in hand, by this model.
    pub fn with_walls<'a>(
        &self,
        applied: impl Iterator<Item = &'a Applied>,
    ) -> Option<(Self, Vec<String>)> {
        let mut pages: BTreeMap<u32, usize> = BTreeMap::new();
        // By template and lines of a text, the stories that have it.
        let mut texts: BTreeMap<(u32, BTreeSet<u64>), BTreeSet<String>> = BTreeMap::new();
        for Applied { template, outcome, .. } in applied {
            let Some(template) = *template else { continue };
            *pages.entry(template).or_default() += 1;
            let Outcome::Article(article) = outcome else { continue };
            let Some(lines) = lines_of(article) else { continue };
            texts.entry((template, lines)).or_default().insert(story(&article.url));
        }
        let judgement = |at: u32| self.templates[at as usize].learnt.as_ref()?.judgement();
        texts.retain(|(at, _), stories| stories.len() >= ADDRESSES && judgement(*at).is_some());
        if texts.is_empty() {
            return None;
        }
        let mut model = self.clone();
        let mut changed: BTreeSet<u32> = BTreeSet::new();
        for ((number, lines), stories) in texts {
            let of_most = 2 * stories.len() >= pages[&number];
            let repeated = &mut model.templates[number as usize].repeated;
            if add_repeated(repeated, lines.into_iter().map(|line| (line, of_most))) {
                changed.insert(number);
            }
        }
        let ids = changed.iter().map(|&at| model.templates[at as usize].id.clone()).collect();
        (!changed.is_empty()).then_some((model, ids))
    }
}
