//! Applies a model to a page: finds its template, and extracts the article.

use std::collections::{BTreeMap, BTreeSet};

use dom::Document;
use model::{
    Article, CharacterCounts, Contained, Drop, DropReason, Extracted, FeedItem, Page, Stage,
    contain_panics,
};
use serde::{Deserialize, Serialize};

use crate::body::ArticleBody;
use crate::learn::{KnownPage, SiteEvidence, learn_parsed};
use crate::model::{SiteModel, Template};
use crate::page_kind::{Lists, refusal};
use crate::parsed::{ParsedPage, parse_page};
use crate::settings::Settings;
use crate::stages::cluster::{Assigned, Layouts};
use crate::stages::extract::{Demands, extract, rights_of_page};
use crate::stages::signify::SiblingPage;
use crate::template::{LearntTemplate, Way};
use crate::walls::{self, ADDRESSES, MOST_LINES, add_repeated, lines_of, story};
use crate::{Meter, ModelStep, NoMeter};

/// The outcome of a page.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub enum Outcome {
    /// An article.
    Article(Box<Extracted>),
    /// A drop with its reason.
    Drop(Box<Drop>),
    /// The model has no template for it: another round of learning may add one, or [`SiteModel::apply_alone`]
    /// extracts it by itself.
    Unassigned,
}

impl Outcome {
    /// The article, if it is one.
    pub fn article(&self) -> Option<&Extracted> {
        if let Self::Article(article) = self { Some(article) } else { None }
    }

    /// Takes the article, if it is one.
    pub fn into_article(self) -> Option<Extracted> {
        if let Self::Article(article) = self { Some(*article) } else { None }
    }
}

/// The outcome of a page, with its counts.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Applied {
    /// The outcome.
    pub outcome: Outcome,
    /// Number of the page's template.
    pub template: Option<u32>,
    /// How it was processed.
    pub way: Way,
    /// Characters of the page and of its article.
    pub characters: CharacterCounts,
    /// Hashes of elements with text of the article that no page has that the template was learnt from.
    pub new_elements: Vec<u64>,
}

/// Options for applying a model to a page.
#[derive(Clone, Copy, Debug, Default)]
pub struct ApplyOptions<'a> {
    /// What learning found out about the page: its entry in [`crate::LearningResult::known`].
    pub known: Option<&'a KnownPage>,
    /// Whether the page is a later part of an article, for which the minimum number of words does not apply.
    pub part: bool,
}

/// A template: its number, and what was learnt about it.
type NumberedTemplate<'a> = (u32, &'a Template, &'a LearntTemplate);

impl SiteModel {
    /// Returns the outcome of a page, given the feed items that point to it. It depends on nothing else: for a page of
    /// the sample, it is the outcome of the run. Never panics.
    pub fn apply(&self, page: &Page, feed_items: &[&FeedItem], settings: &Settings) -> Applied {
        match contain_panics(|| parse_page(page, settings)) {
            Ok(parsed) => {
                let sibling = SiblingPage { page: &parsed, feed_items };
                self.apply_parsed(&sibling, ApplyOptions::default(), settings, &NoMeter)
            }
            Err(panic) => self.failed(page, Stage::Cluster, &panic),
        }
    }

    /// Like [`SiteModel::apply`], for a parsed page.
    pub fn apply_parsed(
        &self,
        sibling: &SiblingPage<'_>,
        hints: ApplyOptions<'_>,
        settings: &Settings,
        meter: &dyn Meter,
    ) -> Applied {
        let apply = || self.apply_unguarded(sibling, hints, settings, meter);
        contain_panics(apply)
            .unwrap_or_else(|panic| self.failed(sibling.page.page, Stage::Extract, &panic))
    }

    fn apply_unguarded(
        &self,
        sibling: &SiblingPage<'_>,
        hints: ApplyOptions<'_>,
        settings: &Settings,
        meter: &dyn Meter,
    ) -> Applied {
        let parsed = sibling.page;
        let drop = |stage, reason| Applied::dropped(self.drop_parsed(parsed, stage, reason));
        match meter.step(ModelStep::Cluster, || self.place(sibling, hints.known, settings)) {
            Err((reason, template)) => Applied { template, ..drop(Stage::Cluster, reason) },
            Ok(Some((number, template, learnt))) => {
                let applied = self.take(sibling, template, learnt, hints, settings, meter);
                Applied { template: Some(number), ..applied }
            }
            Ok(None) => Applied::without_article(Outcome::Unassigned),
        }
    }

    /// Returns the template of a page, if the model has one for it, or why pages of its template or kind are dropped.
    fn place(
        &self,
        sibling: &SiblingPage<'_>,
        known: Option<&KnownPage>,
        settings: &Settings,
    ) -> Result<Option<NumberedTemplate<'_>>, (DropReason, Option<u32>)> {
        let refuse = |kind, template| match refusal(kind, sibling.page, &self.addresses, settings) {
            Some(reason) => Err((reason, template)),
            None => Ok(()),
        };
        let known = known.and_then(|known| known.template).map(Assigned::Template);
        match known.unwrap_or_else(|| self.assign(sibling, settings)) {
            Assigned::Template(number) => {
                let template = &self.templates[number as usize];
                let learnt = template.learnt.as_ref();
                if !learnt.is_some_and(LearntTemplate::has_marked_text) {
                    refuse(template.kind, Some(number))?;
                }
                Ok(learnt.map(|learnt| (number, template, learnt)))
            }
            Assigned::Kind(kind) => refuse(kind, None).map(|()| None),
            Assigned::No => Ok(None),
        }
    }

    /// Whether the model has no template for a page, so that its outcome is [`Outcome::Unassigned`].
    pub fn is_unassigned(&self, sibling: &SiblingPage<'_>, settings: &Settings) -> bool {
        let place = || matches!(self.place(sibling, None, settings), Ok(None));
        contain_panics(place).unwrap_or(false)
    }

    /// Returns the outcome of a page of a template.
    fn take(
        &self,
        sibling: &SiblingPage<'_>,
        template: &Template,
        learnt: &LearntTemplate,
        hints: ApplyOptions<'_>,
        settings: &Settings,
        meter: &dyn Meter,
    ) -> Applied {
        let page_type = learnt.page_type();
        let dropped =
            |reason| Applied::dropped(self.drop_parsed(sibling.page, Stage::Extract, reason));
        if page_type.is_some_and(|own| !settings.wants(own.page_type)) {
            return dropped(DropReason::PageType);
        }
        if let Some(drop) = self.skip(sibling.page, settings) {
            return Applied::dropped(drop);
        }
        let found = hints.known.and_then(|known| known.found.clone());
        let (body, way) = found.unwrap_or_else(|| learnt.body(sibling, settings, meter));
        let new_elements = body.as_ref().map_or_else(Vec::new, |body| body.new_elements.clone());
        let wrapper = learnt.wrapper.as_ref();
        let lists = Lists {
            sibling,
            kind: template.kind,
            drops_excerpts: learnt.drops_excerpts(),
            addresses: &self.addresses,
            settings,
        };
        let is_list = |body: &ArticleBody| !learnt.has_marked_text() && lists.is_list(body);
        let wanted =
            Demands { part: hints.part, is_list: &is_list, page_type, fields: &learnt.fields };
        let extracted = || {
            let mut article = extract(sibling, &template.id, wrapper, body, wanted, settings)?;
            // Only grove compares siblings.
            if learnt.judgement().is_some() {
                if let Some(reason) = walls::reason(&article, sibling.page, template) {
                    return Err(reason);
                }
                walls::note_paywall(&mut article, &template.repeated);
            }
            Ok(article)
        };
        meter.step(ModelStep::Extract, || match extracted() {
            Ok(article) => Applied {
                characters: character_counts(&sibling.page.document, &article),
                outcome: Outcome::Article(Box::new(article)),
                template: None,
                way,
                new_elements,
            },
            Err(reason) => Applied { way, ..dropped(reason) },
        })
    }

    /// Finds the template of a page: the first round of learning decides that has a template for it, or drops its kind.
    fn assign(&self, sibling: &SiblingPage<'_>, settings: &Settings) -> Assigned {
        let decides = |assigned: &Assigned| match *assigned {
            Assigned::No => false,
            Assigned::Kind(kind) => {
                refusal(kind, sibling.page, &self.addresses, settings).is_some()
            }
            Assigned::Template(_) => true,
        };
        let assign = |round: &Layouts| round.assign(sibling, &self.addresses, settings);
        self.rounds.iter().map(assign).find(decides).unwrap_or(Assigned::No)
    }

    /// Returns the number of the template that a page belongs to.
    pub fn template_of(&self, sibling: &SiblingPage<'_>, settings: &Settings) -> Option<u32> {
        match self.assign(sibling, settings) {
            Assigned::Template(number) => Some(number),
            Assigned::Kind(_) | Assigned::No => None,
        }
    }

    /// Returns the outcome of a page without a template, by a model that is learnt from this page alone. Its article has
    /// no template.
    pub fn apply_alone(
        &self,
        sibling: &SiblingPage<'_>,
        hints: ApplyOptions<'_>,
        settings: &Settings,
        meter: &dyn Meter,
    ) -> Applied {
        let alone = || {
            let (site, addresses) = (&*self.head.site, &self.addresses);
            let evidence = SiteEvidence { site, addresses, cut: false, earlier: &[] };
            let learning = learn_parsed(&evidence, &[*sibling], None, settings, meter);
            let hints = ApplyOptions { known: learning.known.first(), ..hints };
            learning.model.apply_unguarded(sibling, hints, settings, meter)
        };
        let mut applied = contain_panics(alone)
            .unwrap_or_else(|panic| self.failed(sibling.page.page, Stage::Extract, &panic));
        applied.template = None;
        match &mut applied.outcome {
            Outcome::Article(article) => article.template.clear(),
            Outcome::Drop(_) => {}
            // A model that was learnt from the page has a template for it, unless the page exceeds a limit.
            Outcome::Unassigned => {
                let drop = self.drop_parsed(sibling.page, Stage::Extract, DropReason::NoArticle);
                applied = Applied::dropped(drop);
            }
        }
        applied
    }

    /// Drops a page that makes a statement for which the settings leave articles out.
    fn skip(&self, parsed: &ParsedPage<'_>, settings: &Settings) -> Option<Drop> {
        let skip = &settings.rights.skip;
        let rights = (!skip.is_empty()).then(|| rights_of_page(parsed, settings))?;
        let said: Vec<&str> =
            skip.iter().filter(|own| rights.has(**own)).map(|own| own.as_str()).collect();
        let drop = || self.drop_parsed(parsed, Stage::Extract, DropReason::Rights);
        (!said.is_empty()).then(|| Drop { detail: said.join(", "), ..drop() })
    }

    fn drop_parsed(&self, parsed: &ParsedPage<'_>, stage: Stage, reason: DropReason) -> Drop {
        let reason = match reason {
            _ if parsed.document.notes().given_up => DropReason::TooMuchWork,
            DropReason::NoContent | DropReason::NoArticle if walls::is_script_shell(parsed) => {
                DropReason::ScriptShell
            }
            _ => reason,
        };
        self.drop_of(parsed.page, stage, reason)
    }

    /// Makes the outcome of a page on which something panicked.
    fn failed(&self, page: &Page, stage: Stage, panic: &Contained) -> Applied {
        let detail =
            format!("processing this page failed: {panic}; please report it with the page");
        Applied::dropped(Drop { detail, ..self.drop_of(page, stage, DropReason::Internal) })
    }

    fn drop_of(&self, page: &Page, stage: Stage, reason: DropReason) -> Drop {
        Drop {
            site: self.head.site.clone(),
            url: page.url.clone(),
            origin: page.origin.clone(),
            stage,
            reason,
            detail: String::new(),
            gone: None,
            refused: None,
        }
    }
}

impl Applied {
    /// Makes the outcome of a page that was dropped.
    pub fn dropped(drop: Drop) -> Self {
        Self::without_article(Outcome::Drop(Box::new(drop)))
    }

    fn without_article(outcome: Outcome) -> Self {
        let (way, characters) = (Way::Other, CharacterCounts::default());
        Self { outcome, template: None, way, characters, new_elements: Vec::new() }
    }
}

/// Counts the characters of a page's text and of its article, without white space. Both are 0 if the article
/// was not taken from elements of the page.
pub(crate) fn character_counts(document: &Document, article: &Article) -> CharacterCounts {
    if document.is_empty() || !article.route.is_of_elements() {
        return CharacterCounts::default();
    }
    let all = characters(document.text_content(0));
    let kept = characters(&article.text) + characters(&article.comments);
    // Some text may be in the article and in the comments: limit the sum.
    CharacterCounts { pages: all, kept: kept.min(all) }
}

/// Counts the characters of a text without white space.
fn characters(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut count = 0;
    for (piece, from) in bytes.chunks(PIECE).zip((0..).step_by(PIECE)) {
        // Without branches and with small integers, so that the compiler vectorises the loop.
        let begun = piece.iter().fold(0u8, |begun, &byte| {
            let is_space = (byte.wrapping_sub(b'\t') < 5) | (byte == b' ');
            let goes_on = byte & 0xc0 == 0x80;
            begun + u8::from(!is_space & !goes_on)
        });
        count += u64::from(begun);
        let may_be_wide =
            |any: u8, &byte: &u8| any | u8::from((byte == 0xc2) | (byte.wrapping_sub(0xe1) < 3));
        if piece.iter().fold(0u8, may_be_wide) != 0 {
            let begins = (from..from + piece.len()).filter(|&at| is_wide_space(&bytes[at..]));
            count -= begins.count() as u64;
        }
    }
    count
}

/// Number of bytes per step.
const PIECE: usize = 128;

/// Whether bytes start with non-ASCII white space.
fn is_wide_space(bytes: &[u8]) -> bool {
    matches!(
        *bytes,
        [0xc2, 0x85 | 0xa0, ..]
            | [0xe1, 0x9a, 0x80, ..]
            | [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..]
            | [0xe2, 0x81, 0x9f, ..]
            | [0xe3, 0x80, 0x80, ..]
    )
}

impl SiteModel {
    /// Notes texts that the site has come to serve instead of articles: those that several addresses of a template have.
    /// Returns the model with the lines of these texts and the ids of the templates, or `None` if there is nothing to
    /// note. `applied` has the outcomes of all pages in hand by this model.
    pub fn with_walls<'a>(
        &self,
        applied: impl Iterator<Item = &'a Applied>,
    ) -> Option<(Self, Vec<String>)> {
        let mut pages: BTreeMap<u32, usize> = BTreeMap::new();
        // For each template and set of lines of a text, the stories that have it.
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
        let lines = texts
            .into_iter()
            .map(|((number, lines), stories)| (number, lines, 2 * stories.len() >= pages[&number]));
        self.with_repeated(lines)
    }

    /// Notes lines that pages of a template, given by its number, have in place of their texts. Returns the model with them and
    /// the ids of the templates, or `None` if they are known.
    pub fn with_notices(
        &self,
        notices: &BTreeMap<u32, BTreeSet<u64>>,
    ) -> Option<(Self, Vec<String>)> {
        let lines = notices.iter().map(|(number, lines)| (*number, lines.clone(), true));
        let mut model = self.with_repeated(lines).map_or_else(|| self.clone(), |(model, _)| model);
        let mut ids = Vec::new();
        for (number, lines) in notices {
            let template = &mut model.templates[*number as usize];
            let known = template.notices.len();
            template.notices.extend(lines.iter().take(MOST_LINES.saturating_sub(known)));
            if template.notices.len() > known {
                ids.push(template.id.clone());
            }
        }
        (!ids.is_empty()).then_some((model, ids))
    }

    /// Adds repeated lines to templates; the last value of each is whether most of their pages have the lines.
    fn with_repeated(
        &self,
        of_templates: impl Iterator<Item = (u32, BTreeSet<u64>, bool)>,
    ) -> Option<(Self, Vec<String>)> {
        let mut model = self.clone();
        let mut changed: BTreeSet<u32> = BTreeSet::new();
        for (number, lines, of_most) in of_templates {
            let repeated = &mut model.templates[number as usize].repeated;
            if add_repeated(repeated, lines.into_iter().map(|line| (line, of_most))) {
                changed.insert(number);
            }
        }
        let ids = changed.iter().map(|&at| model.templates[at as usize].id.clone()).collect();
        (!changed.is_empty()).then_some((model, ids))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_does_not_count() {
        assert_eq!(characters(" a\u{a0}b\n\n城 "), 3);
        let long: String = ('\0'..=char::MAX).collect();
        let counted = long.chars().filter(|letter| !letter.is_whitespace()).count();
        assert_eq!(characters(&long), counted as u64);
    }
}
