//! `--fail-on`: the conditions on which a finished run fails, and their messages.

use std::fmt;
use std::str::FromStr;

use model::Verdict;
use report::readable::count;
use sink::{Ledger, SiteAlarm};

use crate::run::ledger::ALARMS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailOn {
    /// The inputs contain no page.
    Empty,
    /// More sites than this number have this verdict.
    Sites(Verdict, u64),
    /// There are fewer articles than this percentage of the usual number.
    PercentOfArticles(u64),
    /// There are fewer articles than this number.
    Articles(u64),
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse::<u64>().ok();
        let (name, limit) = match text.split_once(['<', '>']) {
            Some((name, limit)) => (name.trim(), Some(limit)),
            None => (text.trim(), None),
        };
        let is_less = text.contains('<');
        let found = match (name, limit) {
            ("empty", None) => Some(Self::Empty),
            ("articles", Some(limit)) if is_less => match limit.trim().strip_suffix('%') {
                Some(percent) => number(percent).map(Self::PercentOfArticles),
                None => number(limit).map(Self::Articles),
            },
            (name, limit) if !is_less => Verdict::parse(name)
                .filter(|verdict| *verdict != Verdict::Healthy)
                .zip(limit.map_or(Some(0), number))
                .map(|(verdict, limit)| Self::Sites(verdict, limit)),
            _ => None,
        };
        found.ok_or_else(|| {
            let verdicts = Verdict::ALL.into_iter().filter(|verdict| *verdict != Verdict::Healthy);
            let names: Vec<&str> = verdicts.rev().map(Verdict::as_str).collect();
            format!(
                "expected one of {}, each also with a number as in missing>3, or articles<80%, articles<500, empty",
                names.join(", ")
            )
        })
    }
}

impl fmt::Display for FailOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("empty"),
            Self::Sites(verdict, 0) => f.write_str(verdict.as_str()),
            Self::Sites(verdict, limit) => write!(f, "{}>{limit}", verdict.as_str()),
            Self::PercentOfArticles(percent) => write!(f, "articles<{percent}%"),
            Self::Articles(number) => write!(f, "articles<{number}"),
        }
    }
}

impl FailOn {
    /// Whether the condition compares with earlier nights.
    pub(super) fn needs_nights(self) -> bool {
        matches!(self, Self::Sites(..) | Self::PercentOfArticles(_))
    }

    fn sites(verdict: Verdict, ledger: &Ledger) -> u64 {
        ledger.counts.sites_by_health.get(verdict.as_str()).copied().unwrap_or(0)
    }

    fn failure(self, ledger: &Ledger) -> Option<String> {
        let counts = &ledger.counts;
        let (is_met, why) = match self {
            Self::Empty => (counts.pages == 0, "the inputs hold no page".to_owned()),
            Self::Sites(verdict, limit) => {
                let sites = Self::sites(verdict, ledger);
                let is_are = if sites == 1 { "is" } else { "are" };
                let why =
                    format!("{} {is_are} {}", count(sites as usize, "site"), verdict.as_str());
                (sites > limit, why)
            }
            Self::PercentOfArticles(percent) => {
                let usual = counts.usual_articles.unwrap_or(0);
                let share = 100 * counts.articles / usual.max(1);
                let why =
                    format!("{share} % of the usual articles: {} of {usual}", counts.articles);
                (counts.articles * 100 < usual * percent, why)
            }
            Self::Articles(number) => {
                (counts.articles < number, count(counts.articles as usize, "article"))
            }
        };
        is_met.then_some(why)
    }

    /// Whether sites with this verdict are named if the condition is met; too few articles name all that need attention.
    fn names(self, verdict: Verdict) -> bool {
        match self {
            Self::Sites(own, _) => own == verdict,
            Self::PercentOfArticles(_) | Self::Articles(_) => verdict.needs_attention(),
            Self::Empty => false,
        }
    }
}

/// Returns whether a run fails. Prints why, and names the worst sites.
pub(super) fn fails(ledger: &Ledger, fail_on: &[FailOn]) -> bool {
    let failures: Vec<(FailOn, String)> =
        fail_on.iter().filter_map(|own| Some((*own, own.failure(ledger)?))).collect();
    for (own, why) in &failures {
        tracing::error!(at = format!("--fail-on {own}"), "{why}");
    }
    let is_named = |verdict| failures.iter().any(|(own, _)| own.names(verdict));
    let named: Vec<&SiteAlarm> =
        ledger.attention.iter().filter(|alarm| is_named(alarm.health.verdict)).collect();
    for SiteAlarm { site, health } in named.iter().take(ALARMS) {
        let verdict = health.verdict.as_str();
        tracing::error!(
            at = site,
            health = verdict,
            next = health.next,
            "{verdict}: {}",
            health.evidence
        );
    }
    let all = Verdict::ALL.into_iter().filter(|&own| is_named(own));
    let all: u64 = all.map(|verdict| FailOn::sites(verdict, ledger)).sum();
    let more = all.saturating_sub(named.len().min(ALARMS) as u64);
    if more > 0 {
        tracing::error!(next = "comparison.json has all of them", "and {more} more");
    }
    !failures.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_back() {
        for text in
            ["empty", "missing", "missing>3", "too-few-pages>100", "articles<80%", "articles<500"]
        {
            assert_eq!(text.parse::<FailOn>().unwrap().to_string(), text);
        }
        assert_eq!("broken > 2".parse::<FailOn>(), Ok(FailOn::Sites(Verdict::Broken, 2)));
        for text in [
            "", "healthy", "pages", "missing<3", "articles", "articles>3", "missing>", "articles<%",
        ] {
            let error = text.parse::<FailOn>().unwrap_err();
            assert!(error.contains("missing>3"), "{text}: {error}");
        }
    }
}
