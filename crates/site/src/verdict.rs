//! Judges a site: compares tonight's outcomes with those of earlier nights.
//!
//! Takes: the site's history and tonight's figures, nothing else.
//! Gives: the verdict, the numbers that it is based on, and one thing to do.
//! Why: somebody may be woken by it. It judges what is written, not how that was found.
//! Drops: nothing.
//!
//! Numbers of pages are compared by the probability that chance alone explains them: in a Poisson or a binomial
//! distribution with the rates of the earlier nights.

use std::collections::BTreeMap;

use model::{
    Assessment, DropReason, LostTexts, NightFigures, OF_FEEDS, PastNight, SharedWords, UsualNight,
    Verdict,
};
use report::readable::count;
use sitemodel::at_least_of;

/// Minimum number of pages for a verdict.
pub const FEWEST: u64 = 3;
/// Maximum number of earlier nights that tonight is compared with.
const NIGHTS: usize = 14;
/// Number of nights in a row after which fewer or other articles count as usual.
const SETTLED: usize = 7;
/// Number of pauses after which nights without a page count as usual; and likewise of times with few articles.
const PAUSES: usize = 3;
/// Probability below which chance does not explain so few pages or articles.
const RARE: f64 = 0.005;
/// Weight of the variance of a Poisson distribution beside that of the usual nights, in nights.
const NIGHTS_OF_CHANCE: f64 = 2.0;
/// Probability below which chance does not explain such a share of pages.
const RARE_SHARE: f64 = 0.001;
/// Minimum number of usual nights that show how many articles a night has.
const NIGHTS_TO_SHRINK: usize = 3;
/// Maximum ratio of tonight's articles to the fewest of a usual night, for them to be far fewer.
const FAR_FEWER: f64 = 0.4;
/// The same ratio for a site that has lost a template.
const FEWER: f64 = 0.8;
/// Minimum share of walls, and of pages without a text, that is remarkable.
const REFUSED: f64 = 0.2;
const LOST: f64 = 0.3;
/// Minimum number of walls for each article for a site without earlier nights to be blocked.
const WALLS: u64 = 4;
/// Minimum loss of mean confidence for articles to be worse, and to be somewhat worse.
const UNSURE: f64 = 0.18;
const LESS_SURE: f64 = 0.1;
/// Minimum loss of agreement with pages extracted by themselves for somewhat worse articles to count as worse.
const DISPUTED: f64 = 0.3;
/// Minimum loss of similarity to the earlier texts of the same addresses for texts to have changed, and the minimum sum
/// of this loss and the loss of confidence.
const CHANGED: f64 = 0.07;
const CHANGED_AND_UNSURE: f64 = 0.1;
/// Maximum loss of similarity for texts to be the same.
const SAME: f64 = 0.03;
/// Minimum number of addresses whose sure texts were replaced by other texts: fewer may be an accident.
pub(crate) const OTHERS: u64 = 2;
/// Ratio of lengths up to which articles are cut, and from which they contain more than their text.
const CUT: f64 = 0.6;
const SWOLLEN: f64 = 1.7;
/// Ratio of lengths from which texts may have been lost.
const SHORTER: f64 = 0.8;
/// Number of standard errors by which lengths must differ.
const ERRORS: f64 = 3.5;
/// Variance of the mean logarithm of lengths between nights that is added to the measured variances.
const BETWEEN_NIGHTS: f64 = 0.01;
/// Minimum share of articles with a field for it to be required, and minimum number of earlier articles to tell.
const REQUIRED: f64 = 0.9;
const SHOWN_BY: u64 = 10;

/// A night of a site, to be judged.
#[derive(Clone, Copy, Debug)]
pub struct Tonight<'a> {
    /// Key of the site.
    pub site: &'a str,
    /// The date, `YYYY-MM-DD`; empty if pages have no dates.
    pub night: &'a str,
    /// Figures of the outcomes of its pages.
    pub figures: &'a NightFigures,
    /// Pages that have lost their texts; `None` if the run did not look for them.
    pub lost_texts: Option<&'a [LostTexts]>,
    /// What became of the words that pages had in earlier captures.
    pub shared_words: SharedWords,
    /// Number of known addresses whose sure texts were replaced by other texts.
    pub other_texts: u64,
    /// What was decided about its model.
    pub decision: &'a str,
    /// The worst verdict on a template, by tonight's sample.
    pub worst_template: Verdict,
    /// Whether the run took all pages of the inputs; otherwise fewer pages mean nothing.
    pub is_whole: bool,
}

/// The verdict on a night.
pub struct NightVerdict {
    /// The verdict with its evidence.
    pub health: Assessment,
    /// The mean of the usual nights that it was compared with.
    pub usual: Option<UsualNight>,
    /// Ids of the templates that usually give articles, but gave none.
    pub lost_templates: Vec<String>,
    /// Whether the night counts as usual for later nights.
    pub is_usual: bool,
}

/// Judges a night. `history` has the earlier nights, oldest first.
pub fn judge(history: &[PastNight], tonight: &Tonight<'_>) -> NightVerdict {
    let compared = Compared::of(history, tonight);
    let found = compared
        .blocked()
        .or_else(|| compared.behind_a_notice())
        .or_else(|| compared.behind_a_paywall())
        .or_else(|| compared.missing())
        .or_else(|| compared.broken())
        .or_else(|| compared.shrunken())
        .or_else(|| compared.drifting())
        .unwrap_or_else(|| compared.as_usual());
    let lost = compared.lost.iter().filter(|(_, articles, _)| *articles == 0);
    let with_articles = history.iter().filter(|past| past.figures.articles > 0);
    let lasting = with_articles.rev().take_while(|past| is_other(past)).count();
    NightVerdict {
        usual: compared.mean_night(),
        lost_templates: lost.map(|(id, ..)| id.clone()).collect(),
        is_usual: found.verdict < Verdict::Shrunken
            || found.verdict < Verdict::Blocked && lasting >= SETTLED,
        health: found,
    }
}

struct Compared<'a> {
    history: &'a [PastNight],
    /// At most [`NIGHTS`] nights.
    usual: Vec<&'a NightFigures>,
    /// The sum of all usual nights, with their mean agreement.
    sum: NightFigures,
    /// Templates that give far fewer articles than usual: ids, tonight's articles, and the mean of the usual nights.
    lost: Vec<(String, u64, f64)>,
    tonight: &'a Tonight<'a>,
    now: &'a NightFigures,
}

fn assessment(verdict: Verdict, evidence: String, next: impl Into<String>) -> Assessment {
    Assessment { verdict, blocked_by: None, evidence, next: next.into() }
}

impl<'a> Compared<'a> {
    fn of(history: &'a [PastNight], tonight: &'a Tonight<'a>) -> Self {
        let usual = usual_nights(history);
        let mut sum = NightFigures::default();
        usual.iter().for_each(|night| sum.add(night));
        let agreements: Vec<f64> = usual.iter().filter_map(|night| night.agreement).collect();
        let agreement = agreements.iter().sum::<f64>() / agreements.len() as f64;
        sum.agreement = (!agreements.is_empty()).then_some(agreement);
        let now = tonight.figures;
        let lost = match tonight.is_whole && now.articles > 0 {
            true => lost_templates(&usual, &sum, now),
            false => Vec::new(),
        };
        Self { history, usual, sum, lost, tonight, now }
    }

    fn nights(&self) -> String {
        count(self.usual.len(), "night")
    }

    fn mean(&self, of: impl Fn(&NightFigures) -> u64) -> f64 {
        of(&self.sum) as f64 / self.usual.len().max(1) as f64
    }

    fn mean_night(&self) -> Option<UsualNight> {
        (!self.usual.is_empty()).then(|| UsualNight {
            nights: self.usual.len() as u64,
            pages: self.mean(|night| night.pages),
            articles: self.mean(|night| night.articles),
            words: per_article(&self.sum),
            confidence: self.sum.mean_confidence().unwrap_or(0.0),
        })
    }

    /// Describes the articles of the usual nights in words.
    fn usual_articles(&self) -> String {
        format!("usually {:.0} in {}", self.mean(|night| night.articles), self.nights())
    }

    /// Like `usual_articles`, with lengths and confidence.
    fn usual_texts(&self) -> String {
        format!(
            "usually {:.0}, {:.0} words and {:.2} in {}",
            self.mean(|night| night.articles),
            per_article(&self.sum),
            self.sum.mean_confidence().unwrap_or(0.0),
            self.nights()
        )
    }

    /// Checks whether walls are served instead of pages. Without articles, walls since the last night with articles count too.
    fn blocked(&self) -> Option<Assessment> {
        let (refused, articles) =
            (self.now.refused() - self.left_over(self.now), self.now.articles);
        if refused == 0 {
            return None;
        }
        let answers = refused + articles + self.lost(self.now);
        let share = refused as f64 / answers as f64;
        let before = self.history.iter().rev().take_while(|past| past.figures.articles == 0);
        let walls_before: u64 = before.clone().map(|past| past.figures.refused()).sum();
        let is_blocked = if articles == 0 {
            refused + walls_before >= FEWEST && share >= 0.5
        } else if self.usual.is_empty() {
            refused >= FEWEST && refused >= WALLS * articles
        } else {
            refused >= FEWEST && self.is_unusual_share(refused, answers)
        };
        if !is_blocked {
            return None;
        }
        let by = self.now.refused_by()?.to_owned();
        let usual = match self.usual.is_empty() {
            true => "no earlier night without them".to_owned(),
            false => format!("usually {:.0}", self.mean(NightFigures::refused)),
        };
        let (name, next) = wall(&by);
        let lasting = match walls_before {
            of if of > 0 && articles == 0 => {
                let nights = count(before.count(), "night");
                format!(", and {} in {nights} before", count(of as usize, "wall"))
            }
            _ => String::new(),
        };
        let evidence = format!("{refused} of {answers} pages are {name}{lasting}; {usual}");
        Some(Assessment { blocked_by: Some(by), ..assessment(Verdict::Blocked, evidence, next) })
    }

    /// Whether walls are a far larger share of all answers than usual.
    fn is_unusual_share(&self, walls: u64, of: u64) -> bool {
        walls as f64 >= REFUSED * of as f64 && self.is_rare(walls, of)
    }

    /// Whether chance does not explain so many walls.
    fn is_rare(&self, walls: u64, of: u64) -> bool {
        let usual = self.sum.refused() + self.sum.articles + self.sum.lost();
        let rate = (self.sum.refused() + 1) as f64 / (usual + 2) as f64;
        at_least_of(walls, of, rate) < RARE_SHARE
    }

    /// Returns the number of pages whose remaining text other pages have, too. No notice stands in place of the lost
    /// text, so nothing shows that they are walls.
    fn left_over(&self, of: &NightFigures) -> u64 {
        let left = [DropReason::DuplicateText, DropReason::PaywallStub];
        match self.tonight.lost_texts {
            Some(lost) if lost.iter().all(|lost| lost.kind.is_none()) => {
                left.iter().filter_map(|reason| of.drops.get(reason.as_str())).sum()
            }
            _ => 0,
        }
    }

    /// Returns the number of pages without a text of their own.
    fn lost(&self, of: &NightFigures) -> u64 {
        of.lost() + self.left_over(of)
    }

    /// Whether unusually many pages of a template have lost their texts.
    fn has_template_without_texts(&self) -> bool {
        let mut all = self.tonight.lost_texts.unwrap_or_default().iter();
        !self.usual.is_empty() && all.any(|lost| self.is_rare(lost.pages, lost.of))
    }

    /// Describes an unusual loss of texts, and returns its largest group of pages, which has a notice if `with_notice`.
    fn unusually_lost(&self, with_notice: bool) -> Option<(String, &LostTexts)> {
        let lost = || {
            let all = self.tonight.lost_texts.unwrap_or_default().iter();
            all.filter(|lost| !with_notice || lost.kind.is_some())
        };
        let most = lost().max_by_key(|lost| lost.pages)?;
        let (pages, of) = (lost().map(|lost| lost.pages).sum(), most.of);
        let is_unusual = !self.usual.is_empty() && self.is_unusual_share(pages, of);
        let share = 100.0 * most.lost;
        is_unusual.then(|| {
            (format!("{pages} of {of} pages have {share:.0} % fewer words than usual"), most)
        })
    }

    /// Checks whether unusually many pages have a notice in place of their texts.
    fn behind_a_notice(&self) -> Option<Assessment> {
        let (lost, most) = self.unusually_lost(true)?;
        let by = most.kind?.as_str();
        let evidence = format!("{lost}; as none did before, they say “{}”", most.notice);
        let found = assessment(Verdict::Blocked, evidence, wall(by).1);
        Some(Assessment { blocked_by: Some(by.to_owned()), ..found })
    }

    /// Checks whether articles are cut and their pages ask to subscribe, unlike in usual nights.
    fn behind_a_paywall(&self) -> Option<Assessment> {
        let (now, then) = (self.now, &self.sum);
        let (partial, articles) = (now.partial, now.articles);
        let is_paywall = 2 * partial >= articles && 4 * then.partial < then.articles;
        let lengths =
            self.other_lengths().filter(|_| is_paywall && mean_length(now) < mean_length(then))?;
        let by = DropReason::PaywallStub.as_str();
        let evidence = format!(
            "{partial} of {articles} pages have only the beginning of their text; {lengths}"
        );
        let found = assessment(Verdict::Blocked, evidence, wall(by).1);
        Some(Assessment { blocked_by: Some(by.to_owned()), ..found })
    }

    /// Checks whether there is no page, although there usually are.
    fn missing(&self) -> Option<Assessment> {
        let tonight = self.tonight;
        let is_here = |past: &&PastNight| {
            past.night == tonight.night && !past.night.is_empty() && past.figures.pages > 0
        };
        if self.now.pages > 0 || self.now.refused() > 0 || !tonight.is_whole {
            return None;
        }
        let last = self.history.iter().rposition(|past| !is_pause(past))?;
        if self.history.iter().rev().any(|past| is_here(&past)) {
            return None;
        }
        let is_usual = |past: &&PastNight| {
            past.figures.pages > 0 || is_pause(past) && self.is_usual_pause(past)
        };
        let before: Vec<&PastNight> = self.history[..=last].iter().filter(is_usual).collect();
        if before.is_empty() {
            return None;
        }
        let nights = before.len() as f64;
        let empty = before.iter().filter(|past| is_pause(past)).count();
        let mean = before.iter().map(|past| past.figures.pages).sum::<u64>() as f64 / nights;
        let (by_rate, by_nights) = (libm::exp(-mean), (empty + 1) as f64 / (nights + 2.0));
        let one = if empty == 0 { by_rate.min(by_nights) } else { by_rate.max(by_nights) };
        let missed = self.history.len() - last;
        if libm::pow(one, missed as f64) >= RARE {
            return None;
        }
        let evidence = format!(
            "no page for {}; before, {mean:.1} pages a night in {}, {empty} of them without a page",
            count(missed, "night"),
            count(before.len(), "night")
        );
        let next = format!(
            "look whether the crawl still asks for {0}; if it is left out on purpose: sitegrove models forget FILE {0}",
            tonight.site
        );
        Some(assessment(Verdict::Missing, evidence, next))
    }

    /// Whether a pause is usual: it was not judged as missing, or there were several pauses.
    fn is_usual_pause(&self, past: &PastNight) -> bool {
        past.verdict != Verdict::Missing || self.come_and_go(is_pause)
    }

    /// Whether nights of a kind came several times and ended by themselves.
    fn come_and_go(&self, are: impl Fn(&PastNight) -> bool) -> bool {
        let ends = self.history.windows(2).filter(|two| are(&two[0]) && !are(&two[1]));
        ends.count() >= PAUSES
    }

    /// Checks whether texts or fields are worse.
    fn broken(&self) -> Option<Assessment> {
        let (now, sum) = (self.now, &self.sum);
        let evidence = self
            .lost_texts()
            .or_else(|| self.unusually_lost(false).map(|(lost, _)| lost))
            .or_else(|| self.other_lengths())
            .or_else(|| self.unsure_texts())
            .or_else(|| self.words_elsewhere())
            .or_else(|| self.changed_texts())
            .or_else(|| self.lost_field())?;
        (now.articles + self.lost(now) >= FEWEST && sum.articles >= FEWEST).then(|| {
            let corrections = match self.is_corrected() {
                true => "; it began with corrections: mark the page again, or take the marks back",
                false => "",
            };
            let next = format!(
                "compare pages with their texts: sitegrove inspect RUN_DIR {}{corrections}",
                self.tonight.site
            );
            assessment(Verdict::Broken, evidence, next)
        })
    }

    /// Whether a template was learnt from corrections tonight, or in the first night that was not as usual since.
    fn is_corrected(&self) -> bool {
        let first = self.history.iter().rev().take_while(|past| is_other(past)).last();
        first.map_or(self.tonight.decision, |past| &past.decision) == "correct"
    }

    fn lost_texts(&self) -> Option<String> {
        let (lost, was_lost) = (self.lost(self.now), self.lost(&self.sum));
        let (pages, were) = (lost + self.now.articles, was_lost + self.sum.articles);
        let rate = (was_lost + 1) as f64 / (were + 2) as f64;
        let is_worse = lost >= FEWEST
            && lost as f64 >= LOST * pages as f64
            && at_least_of(lost, pages, rate) < RARE_SHARE;
        is_worse.then(|| {
            format!(
                "no text found in {lost} of {pages} pages; before, in {was_lost} of {were} in {}",
                self.nights()
            )
        })
    }

    fn other_lengths(&self) -> Option<String> {
        let (now, then) = (self.now, &self.sum);
        if now.articles < FEWEST || then.articles < FEWEST {
            return None;
        }
        let usual = UsualLengths::of_nights(&self.usual, then);
        let difference = mean_length(now) - usual.mean;
        let spread = (variance(now) * (now.articles - 1) as f64
            + usual.variance * (then.articles - 1) as f64)
            / (now.articles + then.articles - 2) as f64;
        let error = usual.error(spread, now.articles as f64);
        let ratio = libm::exp(difference);
        let is_other = difference.abs() >= ERRORS * error && (ratio <= CUT || ratio >= SWOLLEN);
        is_other.then(|| {
            format!(
                "{:.0} words an article; before, {:.0} in {}",
                per_article(now),
                per_article(then),
                self.nights()
            )
        })
    }

    fn unsure_texts(&self) -> Option<String> {
        let (now, then) = (self.now.mean_confidence()?, self.sum.mean_confidence()?);
        let agreement = self.now.agreement.zip(self.sum.agreement);
        let is_disputed = agreement.is_some_and(|(now, then)| then - now >= DISPUTED);
        let is_worse = !self.are_texts_the_same()
            && (then - now >= UNSURE || then - now >= LESS_SURE && is_disputed);
        (self.now.articles >= FEWEST && is_worse).then(|| {
            let agreement = agreement.map_or(String::new(), |(now, then)| {
                format!("; agreement with single pages {now:.2}, before {then:.2}")
            });
            format!("confidence {now:.2}; before, {then:.2} in {}{agreement}", self.nights())
        })
    }

    /// Whether the texts of most articles are known and have not changed: confidence then says nothing about them.
    fn are_texts_the_same(&self) -> bool {
        let usual = self.sum.mean_similarity().unwrap_or(1.0);
        let is_same = |similarity| usual - similarity <= SAME;
        self.now.known >= FEWEST
            && 2 * self.now.known >= self.now.articles
            && self.now.mean_similarity().is_some_and(is_same)
    }

    /// Checks whether known addresses have other texts than before.
    fn changed_texts(&self) -> Option<String> {
        let (now, sum) = (self.now, &self.sum);
        let (similarity, usual) = (now.mean_similarity()?, sum.mean_similarity());
        let unsure = sum.mean_confidence()? - now.mean_confidence()?;
        let lost = usual.unwrap_or(1.0) - similarity;
        let is_changed = lost >= CHANGED && lost + unsure >= CHANGED_AND_UNSURE;
        let others = self.tonight.other_texts;
        // Pages that were edited are not read otherwise than before.
        let unedited = others.saturating_sub(self.tonight.shared_words.edited);
        (unedited >= OTHERS && is_changed).then(|| {
            let before = |usual: f64| format!("; before, by {usual:.2} in {}", self.nights());
            format!(
                "{others} of {} addresses that came before have other texts: all are by {similarity:.2} as they were{}",
                now.known,
                usual.map_or(String::new(), before)
            )
        })
    }

    /// Checks whether words that were text of an article are now beside it on the page, or the other way round.
    fn words_elsewhere(&self) -> Option<String> {
        let SharedWords { pages, others, lost, gained, .. } = self.tonight.shared_words;
        let agreement = self.tonight.shared_words.mean_agreement()?;
        let percent = |of: f64| 100.0 * of / pages as f64;
        (others >= OTHERS && agreement <= SharedWords::OTHER).then(|| {
            format!(
                "of the words that {pages} pages still have, the texts have lost {:.0} %, and {:.0} % of them were no text before",
                percent(lost),
                percent(gained)
            )
        })
    }

    /// Checks whether a field that nearly all articles had is missing.
    fn lost_field(&self) -> Option<String> {
        let (now, then) = (self.now, &self.sum);
        if then.articles < SHOWN_BY {
            return None;
        }
        let number = |of: &BTreeMap<String, u64>, name: &str| of.get(name).copied().unwrap_or(0);
        let mut of_all = then.fields.iter().filter(|own| !own.0.starts_with(OF_FEEDS));
        of_all.find_map(|(field, &shown)| {
            let has = number(&now.fields, field);
            // An article whose feed item says less has lost nothing.
            let name = format!("{OF_FEEDS}{field}");
            let usual = number(&then.fields, &name) as f64 / then.articles as f64;
            let by_feed = (usual * now.articles as f64) as u64;
            let less = by_feed.saturating_sub(number(&now.fields, &name));
            let lacking = now.articles.saturating_sub(has + less);
            let rate = (then.articles.saturating_sub(shown) + 1) as f64 / (then.articles + 2) as f64;
            let is_lost = shown as f64 >= REQUIRED * then.articles as f64
                && lacking >= FEWEST
                && 2 * lacking >= now.articles
                && at_least_of(lacking, now.articles, rate) < RARE_SHARE;
            is_lost.then(|| {
                format!(
                    "the field {field} is found in {has} of {} articles; before, in {shown} of {} in {}",
                    now.articles, then.articles, self.nights()
                )
            })
        })
    }

    /// Checks whether there are far fewer articles.
    fn shrunken(&self) -> Option<Assessment> {
        if self.usual.len() < NIGHTS_TO_SHRINK || !self.tonight.is_whole || self.now.pages == 0 {
            return None;
        }
        // Several runs on one date count as one night.
        let same = self
            .history
            .iter()
            .filter(|past| past.night == self.tonight.night && !past.night.is_empty());
        let articles = self.now.articles + same.map(|past| past.figures.articles).sum::<u64>();
        let last = self.history.iter().rposition(|past| past.figures.articles > 0)?;
        // A site that has fewer articles every weekend comes and goes.
        let is_shrunken = |past: &PastNight| past.verdict == Verdict::Shrunken;
        let are_usual = self.come_and_go(is_shrunken);
        let unremarkable = self.history[..=last].iter().filter(|past| {
            past.verdict <= Verdict::Drifting
                || is_shrunken(past) && are_usual
                || past.verdict == Verdict::Missing && self.is_usual_pause(past)
        });
        let settled = self.usual.iter().map(|night| night.articles);
        let fewest = unremarkable.map(|past| past.figures.articles).chain(settled).min()?;
        let most = if self.lost.is_empty() { FAR_FEWER } else { FEWER };
        let (mean, dispersion) = self.spread_of_articles();
        let is_rare = at_most((articles as f64 / dispersion) as u64, mean / dispersion) < RARE;
        let is_far_fewer = articles as f64 <= most * fewest as f64 && is_rare;
        is_far_fewer.then(|| {
            let evidence = format!(
                "{}, {}, at least {fewest}{}",
                count(articles as usize, "article"),
                self.usual_articles(),
                self.of_templates()
            );
            let next =
                "compare the addresses that the crawl asked for with those of an earlier night";
            assessment(Verdict::Shrunken, evidence, next)
        })
    }

    /// Returns the mean number of articles of a usual night, and the ratio of the variance to it, which is 1 in a Poisson
    /// distribution. The ratio is at most 1: larger differences show in the fewest articles.
    fn spread_of_articles(&self) -> (f64, f64) {
        let mean = self.mean(|night| night.articles);
        let differences = self.usual.iter().map(|night| night.articles as f64 - mean);
        let squares: f64 = differences.map(|own| own * own).sum();
        let nights = self.usual.len() as f64 - 1.0 + NIGHTS_OF_CHANCE;
        (mean, ((squares / mean + NIGHTS_OF_CHANCE) / nights).min(1.0))
    }

    /// Checks whether articles are somewhat less certain.
    fn drifting(&self) -> Option<Assessment> {
        let confidence = self.now.mean_confidence().zip(self.sum.mean_confidence());
        let lost = confidence.is_some_and(|(now, then)| then - now >= LESS_SURE);
        let enough = self.now.articles >= FEWEST && self.sum.articles >= FEWEST;
        let are_templates_worse =
            self.tonight.worst_template >= Verdict::Drifting || self.has_template_without_texts();
        let is_worse = lost || are_templates_worse;
        (enough && is_worse).then(|| {
            let (now, then) = confidence.unwrap_or_default();
            let more = "; templates in health.jsonl say more";
            let templates = if are_templates_worse { more } else { "" };
            let evidence =
                format!("confidence {now:.2}; before, {then:.2} in {}{templates}", self.nights());
            let next = format!(
                "look at its doubtful articles: sitegrove inspect RUN_DIR {}",
                self.tonight.site
            );
            assessment(Verdict::Drifting, evidence, next)
        })
    }

    fn as_usual(&self) -> Assessment {
        let now = self.now;
        let pages = now.articles + now.lost() + now.refused();
        let before = match self.usual.is_empty() {
            true => "no earlier night to compare with".to_owned(),
            false => self.usual_articles(),
        };
        if pages < FEWEST {
            let what = match pages {
                0 => "no page that could have an article".to_owned(),
                _ => format!("{} that could have articles", count(pages as usize, "page")),
            };
            let evidence = format!("{what}, at least three are needed for a verdict; {before}");
            return assessment(Verdict::TooFewPages, evidence, "");
        }
        let mut evidence = format!("{} of {pages} pages", count(now.articles as usize, "article"));
        if let Some(confidence) = now.mean_confidence() {
            evidence +=
                &format!(", {:.0} words and confidence {confidence:.2} each", per_article(now));
        }
        let before = if self.usual.is_empty() { before } else { self.usual_texts() };
        let templates = self.of_templates();
        assessment(Verdict::Healthy, format!("{evidence}; {before}{templates}"), "")
    }

    /// Describes the template that lost the most articles.
    fn of_templates(&self) -> String {
        let lost = |of: &&(String, u64, f64)| of.2 - of.1 as f64;
        let several = self.lost.iter().filter(|_| self.sum.templates.len() > 1);
        let most = several.max_by(|a, b| lost(a).total_cmp(&lost(b)));
        most.map_or(String::new(), |(id, now, usual)| {
            let articles = count(*now as usize, "article");
            format!("; {articles} of template {id}, usually {usual:.0}")
        })
    }
}

/// Whether a site had neither pages nor walls in a night.
fn is_pause(past: &PastNight) -> bool {
    past.figures.pages == 0 && past.figures.refused() == 0
}

/// Whether a night had fewer or other articles than usual.
fn is_other(past: &PastNight) -> bool {
    past.verdict >= Verdict::Shrunken
}

/// Returns the nights that tonight is compared with: the last ones with articles on which nothing was wrong. If fewer or
/// other articles have lasted, these nights count, too, and none before them.
fn usual_nights(history: &[PastNight]) -> Vec<&NightFigures> {
    let with_articles: Vec<&PastNight> = history
        .iter()
        .filter(|past| past.figures.articles > 0 && past.verdict < Verdict::Blocked)
        .collect();
    let mut usual = Vec::new();
    for spell in with_articles.chunk_by(|a, b| is_other(a) == is_other(b)).rev() {
        let (is_other, has_lasted) = (is_other(spell[0]), spell.len() >= SETTLED);
        if !is_other || has_lasted {
            usual.extend(spell.iter().rev().map(|past| &past.figures));
        }
        if is_other && has_lasted {
            break;
        }
    }
    usual.into_iter().take(NIGHTS).collect()
}

/// The logarithms of the lengths of articles in usual nights.
pub(crate) struct UsualLengths {
    mean: f64,
    variance: f64,
    articles: f64,
    /// Variance of the means of nights.
    between: f64,
}

impl UsualLengths {
    /// Returns `None` if there is no usual night.
    pub(crate) fn of(history: &[PastNight]) -> Option<Self> {
        let usual = usual_nights(history);
        let mut sum = NightFigures::default();
        usual.iter().for_each(|night| sum.add(night));
        (sum.articles > 0).then(|| Self::of_nights(&usual, &sum))
    }

    fn of_nights(usual: &[&NightFigures], sum: &NightFigures) -> Self {
        let means: Vec<f64> = usual
            .iter()
            .filter(|night| night.articles >= FEWEST)
            .map(|night| mean_length(night) - mean_length(sum))
            .collect();
        let between = means.iter().map(|mean| mean * mean).sum::<f64>() / means.len().max(1) as f64;
        let (mean, variance) = (mean_length(sum), variance(sum));
        Self { mean, variance, articles: sum.articles as f64, between }
    }

    /// Returns the standard error of the difference from the mean of so many articles.
    fn error(&self, variance: f64, articles: f64) -> f64 {
        libm::sqrt(
            variance * (1.0 / articles + 1.0 / self.articles) + self.between + BETWEEN_NIGHTS,
        )
    }

    /// Whether the middle of so many lengths is lower than usual, by some standard errors.
    pub(crate) fn is_shorter(&self, middle: f64, articles: usize, errors: f64) -> bool {
        let least = errors * self.error(self.variance, articles as f64);
        middle - self.mean <= libm::log(SHORTER).min(-least)
    }
}

/// Returns the templates that give far fewer articles than usual: their ids, articles and usual articles.
fn lost_templates(
    usual: &[&NightFigures],
    sum: &NightFigures,
    now: &NightFigures,
) -> Vec<(String, u64, f64)> {
    let of = |night: &NightFigures, id: &str| night.templates.get(id).copied().unwrap_or(0);
    let lost = |(id, total): (&String, &u64)| {
        let (articles, mean) = (of(now, id), *total as f64 / usual.len() as f64);
        let fewest = usual.iter().map(|night| of(night, id)).min()?;
        let is_lost =
            articles as f64 <= FAR_FEWER * fewest as f64 && at_most(articles, mean) < RARE;
        is_lost.then(|| (id.clone(), articles, mean))
    };
    sum.templates.iter().filter_map(lost).collect()
}

fn per_article(figures: &NightFigures) -> f64 {
    figures.words as f64 / figures.articles.max(1) as f64
}

fn mean_length(figures: &NightFigures) -> f64 {
    figures.lengths[0] / figures.articles.max(1) as f64
}

fn variance(figures: &NightFigures) -> f64 {
    let mean = mean_length(figures);
    (figures.lengths[1] / figures.articles.max(1) as f64 - mean * mean).max(0.0)
}

/// Returns the probability of at most so many events in a Poisson distribution with this mean.
fn at_most(few: u64, mean: f64) -> f64 {
    if few as f64 >= mean {
        return 1.0;
    }
    let few = few as f64;
    let mut term = libm::exp(few * libm::log(mean) - mean - libm::lgamma(few + 1.0));
    let (mut sum, mut at) = (0.0, few);
    while at >= 0.0 && term > sum * 1e-9 {
        sum += term;
        term *= at / mean;
        at -= 1.0;
    }
    sum
}

/// Describes the pages that are served instead of those of the site, and says what to do about them.
fn wall(by: &str) -> (String, &'static str) {
    let (name, next) = match DropReason::ALL.iter().find(|reason| reason.as_str() == by) {
        Some(DropReason::ConsentWall) => ("consent forms", "crawl it with consent given"),
        Some(DropReason::BotCheck) => ("checks for bots", "crawl it more slowly, or ask the site"),
        Some(DropReason::SoftNotFound) => {
            ("error pages with a good status", "look whether its addresses have changed")
        }
        Some(DropReason::PaywallStub) => {
            let next = "crawl it with a subscription, or take it out of the crawl";
            ("requests to subscribe", next)
        }
        Some(DropReason::ScriptShell) => {
            ("empty shells that scripts fill", "crawl it with a browser that runs scripts")
        }
        Some(DropReason::DuplicateText) => {
            ("one text that several addresses have", "open an address that dropped.jsonl names")
        }
        _ => {
            let next = match by {
                "http-401" => "give the crawler access, or take the site out of the crawl",
                "http-429" => "crawl it more slowly",
                "http-403" => "ask the site for access, or crawl it more slowly",
                _ => "look whether the site is down; the next night may be good",
            };
            return (format!("refused with status {}", by.trim_start_matches("http-")), next);
        }
    };
    (format!("{name} ({by})"), next)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn night(articles: u64, drops: &[(&str, u64)]) -> NightFigures {
        let refused: u64 = drops.iter().map(|(_, number)| number).sum();
        let length = libm::log(401.0);
        NightFigures {
            pages: articles + refused,
            articles,
            words: 400 * articles,
            lengths: [length * articles as f64, (length * length + 0.3) * articles as f64],
            confidence: 0.9 * articles as f64,
            fields: [("title".to_owned(), articles), ("published".to_owned(), articles)].into(),
            drops: drops.iter().map(|(reason, number)| ((*reason).to_owned(), *number)).collect(),
            templates: [("a1".to_owned(), articles)].into(),
            partial: 0,
            gone: 0,
            known: 0,
            similarity: 0.0,
            agreement: Some(0.95),
        }
    }

    /// A night in which all known addresses have other texts.
    fn of_night<'a>(night: &'a str, figures: &'a NightFigures) -> Tonight<'a> {
        Tonight {
            site: "a.example",
            night,
            figures,
            lost_texts: None,
            shared_words: SharedWords::default(),
            other_texts: figures.known,
            decision: "keep",
            worst_template: Verdict::Healthy,
            is_whole: true,
        }
    }

    /// Judges some nights in turn, and returns the verdict on the last.
    fn last(nights: &[NightFigures]) -> NightVerdict {
        last_with(nights, None)
    }

    /// Like `last`, but pages of the last night have lost their texts.
    fn last_with(nights: &[NightFigures], lost_texts: Option<&[LostTexts]>) -> NightVerdict {
        let mut history: Vec<PastNight> = Vec::new();
        let mut found = None;
        for (at, figures) in nights.iter().enumerate() {
            let date = format!("2026-03-{:02}", at + 1);
            let lost_texts = lost_texts.filter(|_| at + 1 == nights.len());
            let tonight = Tonight { lost_texts, ..of_night(&date, figures) };
            let judged = judge(&history, &tonight);
            let verdict = judged.health.verdict;
            found = Some(judged);
            let (night, figures) = (date, figures.clone());
            history.push(PastNight { night, verdict, figures, ..PastNight::default() });
        }
        found.unwrap()
    }

    fn verdict(nights: &[NightFigures]) -> Verdict {
        last(nights).health.verdict
    }

    fn many(articles: u64) -> Vec<NightFigures> {
        (0..6).map(|_| night(articles, &[])).collect()
    }

    fn after(before: &[NightFigures], tonight: NightFigures) -> Vec<NightFigures> {
        before.iter().cloned().chain([tonight]).collect()
    }

    #[test]
    fn a_site_without_pages_is_missing_unless_that_is_usual() {
        let none = || night(0, &[]);
        assert_eq!(verdict(&after(&many(12), none())), Verdict::Missing);
        assert_eq!(verdict(&after(&many(1), none())), Verdict::TooFewPages);
        // One page every night for weeks, then none for some nights.
        let weeks: Vec<_> = (0..20).map(|_| night(1, &[])).chain([none(), none()]).collect();
        assert_eq!(verdict(&weeks), Verdict::Missing);
        let weekly: Vec<_> =
            (0..28).map(|at| if at % 7 == 0 { night(40, &[]) } else { none() }).collect();
        assert_eq!(verdict(&weekly), Verdict::TooFewPages);
        assert_eq!(verdict(&[none()]), Verdict::TooFewPages);
        // Nights in which all requests were refused were no pauses.
        let refused = (0..3).map(|_| night(0, &[("http-503", 8)]));
        let back: Vec<_> = many(12).into_iter().chain(refused).chain(many(12)).collect();
        assert_eq!(verdict(&after(&back, none())), Verdict::Missing);
    }

    #[test]
    fn walls_block_a_site_until_articles_come_again() {
        let wall = || night(0, &[("bot-check", 7)]);
        let blocked = last(&after(&many(12), wall())).health;
        assert_eq!(blocked.verdict, Verdict::Blocked);
        assert_eq!(blocked.blocked_by.as_deref(), Some("bot-check"));
        assert!(blocked.evidence.contains("7 of 7"), "{}", blocked.evidence);
        assert_eq!(verdict(&[wall()]), Verdict::Blocked, "in the first night");
        let long: Vec<_> = many(12).into_iter().chain((0..60).map(|_| wall())).collect();
        assert_eq!(verdict(&long), Verdict::Blocked);
        assert_eq!(verdict(&after(&long, night(12, &[]))), Verdict::Healthy);
        // With one wall a night, the third night is blocked.
        let one = || night(0, &[("http-403", 1)]);
        assert_eq!(verdict(&after(&many(1), one())), Verdict::TooFewPages);
        let three: Vec<_> = many(1).into_iter().chain([one(), one(), one()]).collect();
        assert_eq!(verdict(&three), Verdict::Blocked);
        // Half of the pages are walls: unusual in the first site, usual in the second.
        let half = || night(6, &[("paywall-stub", 6)]);
        assert_eq!(verdict(&after(&many(12), half())), Verdict::Blocked);
        assert_eq!(verdict(&(0..4).map(|_| half()).collect::<Vec<_>>()), Verdict::Healthy);
        assert_eq!(verdict(&after(&many(40), night(39, &[("bot-check", 1)]))), Verdict::Healthy);
    }

    #[test]
    fn pages_without_their_texts_are_blocked_by_a_notice_and_else_broken() {
        let lost = |pages, of, kind: Option<DropReason>| LostTexts {
            template: "a1".to_owned(),
            notice: kind.map_or(String::new(), |_| "Subscribe to read this".to_owned()),
            kind,
            pages,
            of,
            lost: 0.9,
        };
        let nights = after(&many(12), night(12, &[]));
        let found = |pages, kind| last_with(&nights, Some(&[lost(pages, 12, kind)]));
        let blocked = found(12, Some(DropReason::PaywallStub));
        assert_eq!(blocked.health.blocked_by.as_deref(), Some("paywall-stub"));
        assert!(blocked.health.evidence.contains("“Subscribe to read this”"));
        assert!(!blocked.is_usual);
        assert_eq!(found(12, None).health.verdict, Verdict::Broken);
        // A template with few of the pages.
        let some = last_with(&nights, Some(&[lost(6, 40, Some(DropReason::PaywallStub))]));
        assert_eq!(some.health.verdict, Verdict::Drifting);
        // Where half of a site is usually behind a wall, that is not news.
        let half: Vec<_> = (0..6).map(|_| night(6, &[("paywall-stub", 6)])).collect();
        let usual = last_with(&half, Some(&[lost(6, 12, Some(DropReason::PaywallStub))]));
        assert_eq!(usual.health.verdict, Verdict::Healthy);
        // What is left of a lost text is not a wall.
        let left = after(&many(12), night(2, &[("duplicate-text", 10)]));
        assert_eq!(last_with(&left, None).health.verdict, Verdict::Blocked);
        assert_eq!(last_with(&left, Some(&[])).health.verdict, Verdict::Broken);
    }

    #[test]
    fn other_texts_at_known_addresses_are_broken_if_they_are_not_surer() {
        let again = |similarity: f64, confidence: f64| NightFigures {
            known: 10,
            similarity: 10.0 * similarity,
            confidence: 12.0 * confidence,
            ..night(12, &[])
        };
        let usual: Vec<_> = (0..6).map(|_| again(0.99, 0.9)).collect();
        let verdict = |figures| verdict(&after(&usual, figures));
        assert_eq!(verdict(again(0.96, 0.83)), Verdict::Healthy);
        assert_eq!(verdict(again(0.9, 0.9)), Verdict::Healthy);
        assert_eq!(verdict(again(0.9, 0.84)), Verdict::Broken);
        assert_eq!(verdict(again(0.8, 0.9)), Verdict::Broken);
        assert_eq!(verdict(again(0.85, 0.95)), Verdict::Healthy);
        // The same texts with less confidence.
        assert_eq!(verdict(again(0.98, 0.5)), Verdict::Drifting);
        // Texts that are different every night.
        let others: Vec<_> = (0..6).map(|_| again(0.3, 0.9)).collect();
        assert_eq!(super::tests::verdict(&after(&others, again(0.25, 0.88))), Verdict::Healthy);
        // A page that is hard to read may be read otherwise.
        let past =
            |figures| PastNight { verdict: Verdict::Healthy, figures, ..PastNight::default() };
        let history: Vec<_> = usual.into_iter().map(past).collect();
        let figures = again(0.8, 0.9);
        let shared =
            SharedWords { pages: 10, agreement: 8.0, lost: 2.0, gained: 2.0, others: 1, edited: 0 };
        let one = Tonight { shared_words: shared, other_texts: 1, ..of_night("", &figures) };
        assert_eq!(judge(&history, &one).health.verdict, Verdict::Healthy);
        // Texts that were edited are read as before.
        for (edited, expected) in [(1, Verdict::Broken), (2, Verdict::Healthy)] {
            let shared_words = SharedWords { edited, ..SharedWords::default() };
            let some = Tonight { shared_words, other_texts: 3, ..one };
            assert_eq!(judge(&history, &some).health.verdict, expected, "{edited}");
        }
        let shared = SharedWords { others: 2, ..shared };
        for two in [Tonight { other_texts: 2, ..one }, Tonight { shared_words: shared, ..one }] {
            assert_eq!(judge(&history, &two).health.verdict, Verdict::Broken);
        }
    }

    #[test]
    fn far_fewer_articles_are_too_few_and_soon_usual() {
        let steady: Vec<_> = (0..9).map(|_| night(7, &[])).collect();
        assert_eq!(verdict(&after(&steady, night(2, &[]))), Verdict::Shrunken);
        let uneven: Vec<_> = (0..9).map(|at| night(5 + at % 3 * 4, &[])).collect();
        assert_eq!(verdict(&after(&uneven, night(2, &[]))), Verdict::TooFewPages);
        assert_eq!(verdict(&after(&many(12), night(2, &[]))), Verdict::Shrunken);
        assert_eq!(verdict(&after(&many(12), night(6, &[]))), Verdict::Healthy);
        assert_eq!(verdict(&after(&many(3), night(1, &[]))), Verdict::TooFewPages);
        let fewer = |nights| many(40).into_iter().chain((0..nights).map(|_| night(5, &[])));
        assert_eq!(verdict(&fewer(7).collect::<Vec<_>>()), Verdict::Shrunken);
        assert_eq!(verdict(&fewer(8).collect::<Vec<_>>()), Verdict::Healthy);
    }

    #[test]
    fn a_site_with_fewer_articles_every_weekend_is_reported_for_three_weeks() {
        let of_day = |day| night(if day % 7 < 5 { 30 } else { 8 }, &[]);
        for (days, expected) in
            [(6, Verdict::Shrunken), (20, Verdict::Shrunken), (27, Verdict::Healthy)]
        {
            assert_eq!(verdict(&(0..days).map(of_day).collect::<Vec<_>>()), expected, "{days}");
        }
        // Fewer still are not usual.
        let weeks: Vec<_> = (0..26).map(of_day).collect();
        assert_eq!(verdict(&after(&weeks, night(3, &[]))), Verdict::Shrunken);
        // One night or two do not show how many articles are usual.
        assert_eq!(verdict(&[night(30, &[]), night(30, &[]), night(8, &[])]), Verdict::Healthy);
    }

    #[test]
    fn texts_are_shorter_than_those_of_usual_nights_or_have_lost_nothing() {
        let past = |verdict, figures| PastNight { verdict, figures, ..PastNight::default() };
        assert!(UsualLengths::of(&[past(Verdict::Blocked, night(12, &[]))]).is_none());
        let history: Vec<_> =
            many(12).into_iter().map(|figures| past(Verdict::Healthy, figures)).collect();
        let usual = UsualLengths::of(&history).unwrap();
        let is_shorter =
            |words: f64, pages, errors| usual.is_shorter(libm::log(words + 1.0), pages, errors);
        assert!(!is_shorter(400.0, 12, 0.0) && !is_shorter(330.0, 12, 0.0));
        assert!(is_shorter(300.0, 12, 0.0), "enough if something else shows a loss");
        assert!(!is_shorter(300.0, 12, 3.0) && is_shorter(200.0, 12, 3.0));
        assert!(!is_shorter(200.0, 3, 3.0) && is_shorter(40.0, 3, 3.0), "few pages show less");
    }

    #[test]
    fn nights_before_a_change_that_has_lasted_are_not_usual() {
        let fewer = (0..7).map(|_| night(5, &[]));
        let nights: Vec<_> = many(40).into_iter().chain(fewer).chain(many(5)).collect();
        assert_eq!(last(&nights).usual.unwrap().articles, 5.0);
    }

    #[test]
    fn a_template_that_is_lost_is_named_and_tells_if_articles_are_fewer() {
        let of = |own: &[(&str, u64)]| {
            let templates = own.iter().map(|(id, number)| ((*id).to_owned(), *number)).collect();
            NightFigures { templates, ..night(own.iter().map(|(_, number)| number).sum(), &[]) }
        };
        let both: Vec<_> = (0..6).map(|_| of(&[("a1", 20), ("b2", 20)])).collect();
        let lost = last(&after(&both, of(&[("a1", 20)])));
        assert_eq!(lost.health.verdict, Verdict::Shrunken);
        assert_eq!(lost.lost_templates, ["b2"]);
        assert!(lost.health.evidence.contains("0 articles of template b2, usually 20"));
        // A new layout in its place is not a loss.
        let other = last(&after(&both, of(&[("a1", 20), ("c3", 20)])));
        assert_eq!(other.health.verdict, Verdict::Healthy);
        assert_eq!(other.lost_templates, lost.lost_templates);
    }

    #[test]
    fn worse_texts_are_broken_and_the_same_ones_are_not() {
        let good = night(12, &[]);
        let broken = |figures: NightFigures| verdict(&after(&many(12), figures)) == Verdict::Broken;
        assert!(!broken(good.clone()));
        assert!(broken(night(2, &[("no-article", 10)])));
        let length = libm::log(101.0);
        let of_length = |length: f64, words| NightFigures {
            words,
            lengths: [12.0 * length, 12.0 * (length * length + 0.3)],
            ..good.clone()
        };
        assert!(broken(of_length(length, 1200)));
        assert!(broken(of_length(libm::log(1601.0), 19_200)));
        let begun = NightFigures { partial: 12, ..of_length(length, 1200) };
        let begun = last(&after(&many(12), begun)).health;
        assert_eq!(begun.blocked_by.as_deref(), Some("paywall-stub"));
        assert!(!broken(of_length(libm::log(351.0), 4200)));
        assert!(broken(NightFigures { confidence: 6.0, ..good.clone() }));
        let less_sure = NightFigures { confidence: 9.4, ..good.clone() };
        assert_eq!(verdict(&after(&many(12), less_sure.clone())), Verdict::Drifting);
        assert!(broken(NightFigures { agreement: Some(0.4), ..less_sure }));
        let undated = NightFigures { fields: [("title".to_owned(), 12)].into(), ..good };
        let found = last(&after(&many(12), undated.clone())).health;
        assert_eq!(found.verdict, Verdict::Broken);
        assert!(found.evidence.contains("published is found in 0 of 12"), "{}", found.evidence);
        // The feed that had it is gone.
        let feed = (format!("{OF_FEEDS}published"), 12);
        let with_feed = |mut figures: NightFigures| {
            figures.fields.extend([feed.clone()]);
            figures
        };
        let before: Vec<_> = many(12).into_iter().map(with_feed).collect();
        assert_eq!(verdict(&after(&before, undated)), Verdict::Healthy);
    }

    proptest! {
        #[test]
        fn any_figures_have_a_verdict_with_evidence(
            nights in proptest::collection::vec((0_u64..50, 0_u64..20, 0_usize..4), 1..30),
        ) {
            let reasons = ["bot-check", "http-503", "no-article", "list-page"];
            let nights: Vec<_> =
                nights.into_iter().map(|(articles, n, at)| night(articles, &[(reasons[at], n)])).collect();
            let found = last(&nights).health;
            prop_assert!(!found.evidence.is_empty());
            let wakes = found.verdict >= Verdict::Drifting;
            prop_assert_eq!(wakes, !found.next.is_empty());
            prop_assert_eq!(found.blocked_by.is_some(), found.verdict == Verdict::Blocked);
        }

        #[test]
        fn probabilities_are_those_of_their_sums(few in 0_u64..30, mean in 0.1_f64..60.0, rate in 0.01_f64..0.99) {
            let poisson: f64 = (0..=few).map(|k| {
                let k = k as f64;
                libm::exp(k * libm::log(mean) - mean - libm::lgamma(k + 1.0))
            }).sum();
            let found = at_most(few, mean);
            prop_assert!(found == 1.0 || (found - poisson).abs() < 1e-6);
            let many = at_least_of(few, 30, rate);
            prop_assert!((0.0..=1.0 + 1e-9).contains(&many));
        }
    }
}
