//! Statements of pages and servers about the use of their texts. They are recorded; users decide what follows from them.

use serde::{Deserialize, Serialize};

use crate::named;
use crate::record::record;

record! {
/// The statements of a page and its server about the use of the page.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Rights {
    /// Directives for all robots, as written (`noindex`, `noai`, `max-snippet:50`): those of the header `X-Robots-Tag`, then
    /// those of `<meta name="robots">`, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub robots: Vec<String>,
    /// Likewise those for the robot that `group.robot` names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own_robot: Vec<String>,
    /// Whether the rights to mine texts and data are reserved: by the header or `<meta>` `tdm-reservation`, else by the site's
    /// `/.well-known/tdmrep.json`, if it is in the crawl (TDM Reservation Protocol).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tdm_reserved: Option<bool>,
    /// Absolute address of the policy that says how to get these rights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tdm_policy: Option<String>,
    /// Absolute addresses of licences in Really Simple Licensing: of the header `Link`, of `<link rel="license">` of that type,
    /// and of `License` in the site's `robots.txt`, if it is in the crawl.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rsl: Vec<String>,
    /// What the site's `robots.txt` says of the address to the robot that `group.robot` names, or else to all (RFC 9309), if it is
    /// in the crawl: `allowed` or `disallowed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots_txt: Option<RobotsRule>,
}
}

named! {
/// The rule of a `robots.txt` for an address.
pub enum RobotsRule {
    /// A robot may fetch it.
    Allowed => "allowed",
    /// A robot may not fetch it.
    Disallowed => "disallowed",
}
}

named! {
/// A statement of a page or its server about the use of the page. Articles are counted by it, and can be left out.
pub enum RightsStatement {
    /// Not to be listed in search results: `noindex` or `none`.
    NoIndex => "noindex",
    /// Not to be kept as a copy: `noarchive`.
    NoArchive => "noarchive",
    /// Not for machine learning: `noai`.
    NoAi => "noai",
    /// Rights to mine texts and data are reserved.
    Tdm => "tdm",
    /// A licence in Really Simple Licensing is named.
    Rsl => "rsl",
    /// Disallowed by `robots.txt`.
    Robots => "robots",
}
}

impl Rights {
    /// Whether there is no statement.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The statements that are counted.
    pub fn statements(&self) -> impl Iterator<Item = RightsStatement> {
        RightsStatement::ALL.into_iter().filter(|statement| self.has(*statement))
    }

    /// Whether the statement is made, to all robots or to the one that `group.robot` names.
    pub fn has(&self, statement: RightsStatement) -> bool {
        let directs = |names: &[&str]| {
            let all = self.robots.iter().chain(&self.own_robot);
            all.into_iter().any(|own| names.iter().any(|name| own.eq_ignore_ascii_case(name)))
        };
        match statement {
            RightsStatement::NoIndex => directs(&["noindex", "none"]),
            RightsStatement::NoArchive => directs(&["noarchive"]),
            RightsStatement::NoAi => directs(&["noai"]),
            RightsStatement::Tdm => self.tdm_reserved == Some(true),
            RightsStatement::Rsl => !self.rsl.is_empty(),
            RightsStatement::Robots => self.robots_txt == Some(RobotsRule::Disallowed),
        }
    }
}

record! {
/// A value that came with a page.
#[derive(Clone, Debug, Default, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct ExtraValue {
    /// Name of the column.
    pub key: String,
    /// The value, as text.
    pub value: String,
}
}

/// Data that came with a page in addition to its HTML.
#[derive(Clone, Debug, Default, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct PageNotes {
    /// Headers of the response that concern rights: names in lower case, values as written.
    pub headers: Vec<(String, String)>,
    /// The requested columns of its row in a table, in the order in which they were requested.
    pub extra: Vec<ExtraValue>,
    /// The rules of the site for the page.
    pub site: SiteRules,
}

/// The rules in the files of a site for the use of a page.
#[derive(Clone, Debug, Default, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct SiteRules {
    /// The rule of `robots.txt`.
    pub robots_txt: Option<RobotsRule>,
    /// Addresses of licences in `robots.txt`.
    pub rsl: Vec<String>,
    /// From `/.well-known/tdmrep.json`: whether rights are reserved, and the address of the policy.
    pub tdm: Option<(bool, Option<String>)>,
}
