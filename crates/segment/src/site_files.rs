//! Files of a site that say how its pages may be used: `robots.txt` (RFC 9309) and `/.well-known/tdmrep.json` (TDM Reservation
//! Protocol), and the rules in them that apply to an address.

use std::collections::BTreeMap;

use input::read::{SiteFile, SiteFileKind};
use model::{RobotsRule, SiteRules, contain_panics};
use robotstxt::DefaultMatcher;
use serde::Deserialize;
use url::{Origin, Url};

/// Maximum number of licences that are read from a `robots.txt`.
const LICENSES: usize = 8;
/// Maximum number of rules that are read from a `tdmrep.json`.
const RULES: usize = 1_000;

/// The files of a site: for each host, the one that was fetched last.
#[derive(Debug, Default)]
pub(crate) struct SiteFiles {
    robots: BTreeMap<String, RobotsTxt>,
    tdm: BTreeMap<String, Vec<TdmRule>>,
}

#[derive(Debug)]
struct RobotsTxt {
    body: String,
    rsl: Vec<String>,
}

/// A rule of a `tdmrep.json`.
#[derive(Debug, Deserialize)]
struct TdmRule {
    location: String,
    #[serde(rename = "tdm-reservation")]
    reservation: u8,
    #[serde(rename = "tdm-policy")]
    policy: Option<String>,
}

/// Parses an address; also returns its scheme, host and port.
fn origin_of(url: &str) -> Option<(Url, String)> {
    let url = Url::parse(url).ok()?;
    match url.origin() {
        Origin::Tuple(..) => Some((url.clone(), url.origin().ascii_serialization())),
        Origin::Opaque(_) => None,
    }
}

impl SiteFiles {
    /// Adds a file, which replaces an earlier one of its host. Files of one address must come in the order of their fetches.
    pub(crate) fn add(&mut self, file: SiteFile) {
        let SiteFile { url, kind, body, .. } = file;
        let Some((url, origin)) = origin_of(&url) else { return };
        match kind {
            SiteFileKind::RobotsTxt => {
                let line = |line: &str| {
                    let (key, value) = line.split_once(':')?;
                    let is_license = key.trim().eq_ignore_ascii_case("license");
                    is_license.then(|| url.join(value.trim()).ok().map(String::from))?
                };
                let rsl = body.lines().filter_map(line).take(LICENSES).collect();
                self.robots.insert(origin, RobotsTxt { body, rsl });
            }
            SiteFileKind::TdmRep => {
                let mut rules: Vec<TdmRule> = serde_json::from_str(&body).unwrap_or_default();
                rules.truncate(RULES);
                self.tdm.insert(origin, rules);
            }
        }
    }

    /// Returns the rules that apply to an address for the robot with this name; `None` if there are none.
    pub(crate) fn rules_of(&self, url: &str, robot: &str) -> Option<SiteRules> {
        if self.robots.is_empty() && self.tdm.is_empty() {
            return None;
        }
        let (url, origin) = origin_of(url)?;
        let mut rules = SiteRules::default();
        if let Some(RobotsTxt { body, rsl }) = self.robots.get(&origin) {
            rules.robots_txt = match allows(body, robot, url.as_str()) {
                true => Some(RobotsRule::Allowed),
                false => Some(RobotsRule::Disallowed),
            };
            rules.rsl.clone_from(rsl);
        }
        let matching = |rule: &&TdmRule| {
            !allows(&format!("User-agent: *\nDisallow: {}", rule.location), "", url.as_str())
        };
        let tdm = self.tdm.get(&origin).into_iter().flatten().filter(matching);
        // The most specific location wins, as in robots.txt; among equals the first.
        if let Some(rule) = tdm.rev().max_by_key(|rule| rule.location.len()) {
            rules.tdm = Some((rule.reservation == 1, rule.policy.clone()));
        }
        (rules != SiteRules::default()).then_some(rules)
    }
}

/// Whether a `robots.txt` allows a robot to fetch an address. A file that cannot be parsed allows it.
fn allows(robots: &str, robot: &str, url: &str) -> bool {
    let allowed = || DefaultMatcher::default().one_agent_allowed_by_robots(robots, robot, url);
    contain_panics(allowed).unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(url: &str, kind: SiteFileKind, body: &str) -> SiteFile {
        SiteFile { url: url.to_owned(), kind, fetched: None, body: body.to_owned() }
    }

    #[test]
    fn the_files_of_a_host_concern_its_addresses() {
        let mut files = SiteFiles::default();
        assert_eq!(files.rules_of("https://a.example/", ""), None);
        let robots = "User-agent: *\nDisallow: /private\nAllow: /private/open\n\nUser-agent: ownbot\nDisallow: /news\n\
                      License: /rsl.xml\n";
        files.add(file("https://a.example/robots.txt", SiteFileKind::RobotsTxt, robots));
        let tdm = "[{\"location\": \"/news*\", \"tdm-reservation\": 1, \"tdm-policy\": \"https://a.example/p\"}, \
                   {\"location\": \"/\", \"tdm-reservation\": 0}]";
        files.add(file("https://a.example/.well-known/tdmrep.json", SiteFileKind::TdmRep, tdm));
        let rule =
            |path: &str, robot: &str| files.rules_of(&format!("https://a.example{path}"), robot);
        let robots_of = |path: &str, robot: &str| rule(path, robot).unwrap().robots_txt.unwrap();
        assert_eq!(robots_of("/private/x", ""), RobotsRule::Disallowed);
        assert_eq!(robots_of("/private/open/x", ""), RobotsRule::Allowed);
        assert_eq!(robots_of("/news/1", ""), RobotsRule::Allowed);
        assert_eq!(robots_of("/news/1", "OwnBot"), RobotsRule::Disallowed);
        assert_eq!(robots_of("/private/x", "OwnBot"), RobotsRule::Allowed);
        assert_eq!(
            rule("/news/1", "").unwrap().tdm,
            Some((true, Some("https://a.example/p".to_owned())))
        );
        assert_eq!(rule("/x", "").unwrap().tdm, Some((false, None)));
        assert_eq!(rule("/x", "").unwrap().rsl, ["https://a.example/rsl.xml"]);
        // Another host or scheme has files of its own.
        assert_eq!(files.rules_of("https://b.a.example/news/1", ""), None);
        assert_eq!(files.rules_of("http://a.example/news/1", ""), None);
        // A file that cannot be parsed has no rules.
        files.add(file(
            "https://c.example/robots.txt",
            SiteFileKind::RobotsTxt,
            "\u{0}<html>:::\n:\nallow",
        ));
        files.add(file("https://c.example/x", SiteFileKind::TdmRep, "[{\"location\": 1}]"));
        let odd = files.rules_of("https://c.example/a", "").unwrap();
        assert_eq!((odd.robots_txt, odd.tdm), (Some(RobotsRule::Allowed), None));
    }
}
