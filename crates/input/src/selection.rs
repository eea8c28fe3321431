//! Selects the pages that a run takes: those of some sites, of some dates, or the first ones.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result};
use config::RunConfig;
use grouping::site_key;
use jiff::{Timestamp, ToSpan, tz::TimeZone};
use model::DropReason;
use sink::{ChosenPages, InputRecord, PageSelection};
use xxhash_rust::xxh3::xxh3_64;

use crate::file_type::is_picture;
use crate::read::{Intake, own_address};

/// Reads the selection from the settings.
///
/// # Errors
/// If a setting is not a site or not a date.
pub fn selection_of(config: &RunConfig) -> Result<PageSelection> {
    let sites = config.sites.iter().map(|named| {
        let why = || format!("--site `{named}` is not a site; give a host, such as blog.example");
        site_named(named).with_context(why)
    });
    Ok(PageSelection {
        sites: sites.collect::<Result<_>>()?,
        since: period("--since", &config.since)?.map(|(from, _)| from),
        before: period("--until", &config.until)?.map(|(_, end)| end),
        limit: config.limit,
    })
}

/// Returns the key of a site that is given by key, host or address.
fn site_named(named: &str) -> Option<String> {
    let named = named.trim();
    if named.contains("://") {
        return site_key(named);
    }
    // Folders of saved pages are sites, too, and their names need not be valid hosts.
    let host = named.trim_end_matches('/');
    site_key(&format!("http://{host}/")).or_else(|| (!host.is_empty()).then(|| host.to_owned()))
}

/// Returns the start and end of a date, or of the second if a time is given; `None` for an empty text.
fn period(option: &str, text: &str) -> Result<Option<(Timestamp, Timestamp)>> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let next = "give one as 2026-10-05, or with a time as 2026-10-05T03:00:00Z";
    let from = archive::parse_date(text);
    let from = from.with_context(|| format!("{option} `{text}` is not a date; {next}"))?;
    let span = match text.bytes().filter(u8::is_ascii_digit).count() {
        0..=4 => 1.year(),
        5..=6 => 1.month(),
        7..=8 => 1.day(),
        9..=10 => 1.hour(),
        11..=12 => 1.minute(),
        _ => 1.second(),
    };
    let end = from.to_zoned(TimeZone::UTC).checked_add(span)?.timestamp();
    Ok(Some((from, end)))
}

/// Warns of selected sites without pages. `sites` has the sorted hashes of the sites that have some.
pub fn warn_of_missing(selection: &PageSelection, sites: &[u64]) {
    for site in &selection.sites {
        if sites.binary_search(&xxh3_64(site.as_bytes())).is_err() {
            tracing::warn!(
                at = site,
                next = "sites are named by their registrable domain, as in wrappers/",
                "the inputs have no chosen page of this site"
            );
        }
    }
}

/// Applies a selection. With a limit, inputs must be read one after the other.
#[derive(Debug)]
pub struct Selecting {
    selection: PageSelection,
    /// Number of pages taken so far.
    taken: AtomicU64,
}

/// Counts what was left out of one input.
#[derive(Debug, Default)]
pub struct LeftOut {
    records: BTreeMap<String, u64>,
    html_bytes: u64,
    /// Number of pages and revisits that were taken.
    taken: u64,
}

impl Selecting {
    /// Applies `selection` to all inputs together.
    pub fn new(selection: PageSelection) -> Self {
        Self { selection, taken: AtomicU64::new(0) }
    }

    /// Selects the same pages from one input again, by its record; `None` if no page of it was taken.
    pub fn again(record: &InputRecord) -> Option<Self> {
        let Some(chosen) = &record.chosen else { return Some(Self::new(PageSelection::default())) };
        let limit = if chosen.pages.limit > 0 { chosen.taken } else { 0 };
        let selection = PageSelection { limit, ..chosen.pages.clone() };
        (chosen.taken > 0).then(|| Self::new(selection))
    }

    /// Returns what is selected; counts what is not.
    pub fn admit(&self, intake: Intake, left_out: &mut LeftOut) -> Option<Intake> {
        if self.selection.is_all() {
            return Some(intake);
        }
        let Some(reason) = self.against(&intake) else {
            left_out.taken += u64::from(matches!(intake, Intake::Page(_) | Intake::Revisit(_)));
            return Some(intake);
        };
        *left_out.records.entry(reason.as_str().to_owned()).or_default() += 1;
        if let Intake::Page(page) = intake {
            left_out.html_bytes += page.html.len() as u64;
        }
        None
    }

    /// Returns why something is not selected, or `None`. Feeds, redirects and pictures are always taken: they may concern
    /// pages of other sites, too.
    fn against(&self, intake: &Intake) -> Option<DropReason> {
        let (site, date) = match intake {
            Intake::Page(page) => (
                own_address(page).map_or_else(|| site_key(&page.url), |own| site_key(&own)),
                page.fetched,
            ),
            Intake::Revisit(revisit) => (site_key(&revisit.url), revisit.date),
            Intake::Drop(drop) if is_picture(drop) => return None,
            Intake::Drop(drop) => return self.against_drop(site_key(&drop.url)),
            Intake::Feed(_) | Intake::Redirect { .. } | Intake::SiteFile(_) => return None,
        };
        let chosen = &self.selection;
        if !chosen.sites.is_empty() && !site.is_some_and(|site| chosen.sites.contains(&site)) {
            return Some(DropReason::OtherSite);
        }
        let bounded = chosen.since.is_some() || chosen.before.is_some();
        let within = |date: Timestamp| {
            chosen.since.is_none_or(|since| since <= date)
                && chosen.before.is_none_or(|before| date < before)
        };
        if bounded && !date.is_some_and(within) {
            return Some(DropReason::OtherDate);
        }
        let number = self.taken.fetch_add(1, Ordering::Relaxed);
        (chosen.limit > 0 && number >= chosen.limit).then_some(DropReason::OverLimit)
    }

    /// Damage has no address. It is always reported, up to the limit.
    fn against_drop(&self, site: Option<String>) -> Option<DropReason> {
        let chosen = &self.selection;
        match site {
            Some(site) if !chosen.sites.is_empty() && !chosen.sites.contains(&site) => {
                Some(DropReason::OtherSite)
            }
            _ if chosen.limit > 0 && self.taken.load(Ordering::Relaxed) >= chosen.limit => {
                Some(DropReason::OverLimit)
            }
            _ => None,
        }
    }

    pub(crate) fn record(&self, record: InputRecord, left_out: LeftOut) -> InputRecord {
        let html_bytes = record.html_bytes.saturating_sub(left_out.html_bytes);
        let LeftOut { records, taken, .. } = left_out;
        let chosen = || ChosenPages { pages: self.selection.clone(), taken, left_out: records };
        InputRecord { chosen: (!self.selection.is_all()).then(chosen), html_bytes, ..record }
    }
}

#[cfg(test)]
mod tests {
    use config::Config;

    use super::*;

    fn selection(sites: &[&str], since: &str, until: &str) -> Result<PageSelection> {
        let mut config = Config::load(None).unwrap().run;
        config.sites = sites.iter().map(|&site| site.to_owned()).collect();
        (config.since, config.until) = (since.to_owned(), until.to_owned());
        selection_of(&config)
    }

    #[test]
    fn sites_are_named_by_key_host_or_address() {
        let named = ["www.blog.example", "https://notes.example/a", "blog.example", "saved pages"];
        let chosen = selection(&named, "", "").unwrap();
        let keys: Vec<&str> = chosen.sites.iter().map(String::as_str).collect();
        assert_eq!(keys, ["blog.example", "notes.example", "saved pages"]);
        assert!(selection(&[""], "", "").is_err());
        assert_eq!(selection(&[], "", "").unwrap().to_string(), "all pages");
    }

    #[test]
    fn settings_of_other_programs_choose_as_options_do() {
        // The Python package passes settings like this.
        let changes = "[run]\nsites = ['www.a.example']\nuntil = '2026-10'\nlimit = 7\n";
        let config = Config::load(None).unwrap().with(toml::from_str(changes).unwrap()).unwrap();
        let chosen = selection_of(&config.run).unwrap();
        assert!(chosen.sites.contains("a.example") && chosen.limit == 7);
        assert_eq!(chosen.before.unwrap().to_string(), "2026-11-01T00:00:00Z");
        let back: PageSelection =
            serde_json::from_str(&serde_json::to_string(&chosen).unwrap()).unwrap();
        assert_eq!(back, chosen);
    }

    #[test]
    fn dates_include_their_last_day() {
        for (until, before) in [
            ("2026-10-05", "2026-10-06T00:00:00Z"),
            ("2026-12", "2027-01-01T00:00:00Z"),
            ("2026", "2027-01-01T00:00:00Z"),
            ("2026-10-05T03:00:00Z", "2026-10-05T03:00:01Z"),
            ("20261005", "2026-10-06T00:00:00Z"),
        ] {
            let found = selection(&[], "2026-10-05", until).unwrap();
            assert_eq!(found.before.unwrap().to_string(), before, "{until}");
            assert_eq!(found.since.unwrap().to_string(), "2026-10-05T00:00:00Z");
        }
        let error = selection(&[], "yesterday", "").unwrap_err().to_string();
        assert!(error.contains("--since `yesterday`") && error.contains("2026-10-05"), "{error}");
    }
}
