//! Which pages a run takes of those that it reads: of some sites, of some dates, or the first ones.

use anyhow::{Result, bail};
use config::RunConfig;
use grouping::site_key;
use jiff::{Timestamp, ToSpan, tz::TimeZone};
use sink::PageSelection;
use xxhash_rust::xxh3::xxh3_64;

/// The pages that the settings choose.
///
/// # Errors
/// If a setting is no site or no date.
pub fn selection_of(config: &RunConfig) -> Result<PageSelection> {
    let sites = config.sites.iter().map(|named| {
        let Some(site) = site_named(named) else {
            bail!("--site `{named}` is not a site; give a host, such as blog.example");
        };
        Ok(site)
    });
    Ok(PageSelection {
        sites: sites.collect::<Result<_>>()?,
        since: period("--since", &config.since)?.map(|(from, _)| from),
        before: period("--until", &config.until)?.map(|(_, end)| end),
        limit: config.limit,
    })
}

/// The key of a site that is named by its key, a host or an address.
fn site_named(named: &str) -> Option<String> {
    let named = named.trim();
    if named.contains("://") {
        return site_key(named);
    }
    // Folders of saved pages are sites, too, and their names need not be hosts.
    let host = named.trim_end_matches('/');
    site_key(&format!("http://{host}/")).or_else(|| (!host.is_empty()).then(|| host.to_owned()))
}

/// The time from the start to the end of a date, or of the second that is named; empty for none.
fn period(option: &str, text: &str) -> Result<Option<(Timestamp, Timestamp)>> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let Some(from) = archive::parse_date(text) else {
        bail!(
            "{option} `{text}` is not a date; give one as 2026-10-05, or with a time as 2026-10-05T03:00:00Z"
        );
    };
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

/// Warns of chosen sites that are not among those with these hashes.
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

#[cfg(test)]
mod tests {
    use super::*;
    use config::Config;

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
        // As the Python package passes them.
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
