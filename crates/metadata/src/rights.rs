//! What a page and its server declare about its use: `X-Robots-Tag`, `<meta name="robots">`, the TDM Reservation Protocol
//! (W3C community group report of 2024), and Really Simple Licensing 1.0.

use dom::Head;
use model::{PageNotes, Rights};
use url::Url;

/// Directives with a value after a colon; any other word before a colon is the name of a robot.
const VALUED: [&str; 4] =
    ["max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"];
/// Media type of licences in Really Simple Licensing.
const RSL: &str = "application/rsl+xml";
/// Maximum number of directives, and of licences, that are kept.
const MOST: usize = 32;
/// Maximum bytes of a directive or licence.
const LONGEST: usize = 512;

/// Collects the declarations about the use of a page: in its head, in the headers of its response and in files of its site.
/// `robot` is the robot whose directives count besides those for all robots; empty for none.
pub fn rights_of(head: &Head, notes: Option<&PageNotes>, base: &Url, robot: &str) -> Rights {
    let mut rights = Rights::default();
    let headers = notes.map_or(&[][..], |notes| &notes.headers);
    let header = |name: &'static str| {
        headers.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.as_str())
    };
    for value in header("x-robots-tag") {
        add_directives(&mut rights, value, robot);
    }
    for meta in &head.metas {
        let own = !robot.is_empty() && meta.key.eq_ignore_ascii_case(robot);
        if own || meta.key == "robots" {
            let list = if own { &mut rights.own_robot } else { &mut rights.robots };
            meta.content.split(',').for_each(|directive| add(list, directive));
        }
    }
    let of_site = notes.map(|notes| &notes.site);
    let said = |name: &'static str| header(name).next().or_else(|| head.meta(name)).map(str::trim);
    let address = |text: &str| base.join(text.trim()).ok().map(String::from);
    rights.tdm_reserved = match said("tdm-reservation") {
        Some("1") => Some(true),
        Some("0") => Some(false),
        _ => None,
    };
    rights.tdm_policy = said("tdm-policy").and_then(address);
    if rights.tdm_reserved.is_none()
        && let Some((reserved, policy)) = of_site.and_then(|site| site.tdm.as_ref())
    {
        rights.tdm_reserved = Some(*reserved);
        rights.tdm_policy = rights.tdm_policy.or_else(|| policy.as_deref().and_then(address));
    }
    let licenses = header("link").flat_map(rsl_links);
    let linked = head.links.iter().filter(|link| {
        link.media_type == RSL && link.rel.split_ascii_whitespace().any(|rel| rel == "license")
    });
    for license in licenses.chain(linked.map(|link| link.href.as_str())).filter_map(address) {
        add(&mut rights.rsl, &license);
    }
    if let Some(site) = of_site {
        site.rsl.iter().for_each(|license| add(&mut rights.rsl, license));
        rights.robots_txt = site.robots_txt;
    }
    rights
}

/// Adds the directives of a header `X-Robots-Tag`. The name of a robot applies to the directives after it, up to the end of the
/// header or the next name.
fn add_directives(rights: &mut Rights, value: &str, robot: &str) {
    let mut named = "";
    for directive in value.split(',') {
        let (name, rest) = directive.split_once(':').unwrap_or(("", directive));
        let name = name.trim();
        let has_value = VALUED.iter().any(|own| own.eq_ignore_ascii_case(name));
        let directive = if name.is_empty() || has_value {
            directive
        } else {
            named = name;
            rest
        };
        if named.is_empty() {
            add(&mut rights.robots, directive);
        } else if named.eq_ignore_ascii_case(robot) {
            add(&mut rights.own_robot, directive);
        }
    }
}

fn add(list: &mut Vec<String>, text: &str) {
    let text = text.trim();
    let is_new = !list.iter().any(|own| own.eq_ignore_ascii_case(text));
    if is_new && !text.is_empty() && text.len() <= LONGEST && list.len() < MOST {
        list.push(text.to_owned());
    }
}

/// The targets of a header `Link` (RFC 8288 §3) that are licences in Really Simple Licensing.
fn rsl_links(value: &str) -> impl Iterator<Item = &str> {
    value.split('<').skip(1).filter_map(|link| {
        let (target, parameters) = link.split_once('>')?;
        let parameters = parameters.to_ascii_lowercase();
        let has = |name: &str, wanted: &str| {
            parameters.split([';', ',']).filter_map(|own| own.split_once('=')).any(
                |(own, value)| {
                    let words = value.trim().trim_matches('"');
                    own.trim() == name && words.split_ascii_whitespace().any(|word| word == wanted)
                },
            )
        };
        (has("rel", "license") && has("type", RSL)).then_some(target)
    })
}

#[cfg(test)]
mod tests {
    use model::{RightsStatement, RobotsRule, SiteRules};

    use super::*;

    fn of(html: &str, headers: &[(&str, &str)], site: SiteRules, robot: &str) -> Rights {
        let headers =
            headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let notes = PageNotes { headers, site, ..PageNotes::default() };
        let base = Url::parse("https://a.example/b/c").unwrap();
        rights_of(dom::parse(html).head(), Some(&notes), &base, robot)
    }

    #[test]
    fn directives_for_all_and_for_one_robot() {
        let html = "<meta name=ROBOTS content='noindex, NoAI,noindex'><meta name=ownbot content=noarchive>\
                    <meta name=otherbot content=nofollow>";
        let headers = [
            ("x-robots-tag", "max-snippet: 50, unavailable_after: 25 Jun 2030 15:00:00 PST"),
            ("x-robots-tag", "otherbot: none, nofollow"),
            ("x-robots-tag", "OwnBot: noimageai, max-image-preview:large"),
        ];
        let found = of(html, &headers, SiteRules::default(), "ownbot");
        let expected =
            ["max-snippet: 50", "unavailable_after: 25 Jun 2030 15:00:00 PST", "noindex", "NoAI"];
        assert_eq!(found.robots, expected);
        assert_eq!(found.own_robot, ["noimageai", "max-image-preview:large", "noarchive"]);
        let has = |statement| found.has(statement);
        assert!(has(RightsStatement::NoIndex) && has(RightsStatement::NoAi));
        assert!(has(RightsStatement::NoArchive) && !has(RightsStatement::Tdm));
        let others = of(html, &headers, SiteRules::default(), "");
        assert!(others.own_robot.is_empty() && !others.has(RightsStatement::NoArchive));
        assert!(of("<p>a", &[], SiteRules::default(), "x").is_empty());
    }

    #[test]
    fn reservations_and_licenses() {
        let html = "<meta name=tdm-reservation content=1><meta name=tdm-policy content='/policy.json'>\
                    <link rel='license' type='application/rsl+xml' href=/rsl.xml>\
                    <link rel=license href=/cc>";
        let found = of(html, &[], SiteRules::default(), "");
        assert_eq!(found.tdm_reserved, Some(true));
        assert_eq!(found.tdm_policy.as_deref(), Some("https://a.example/policy.json"));
        assert_eq!(found.rsl, ["https://a.example/rsl.xml"]);
        let link = "</x>; rel=next, <rsl>; rel=\"license\"; type=\"application/rsl+xml\"";
        let headers = [("tdm-reservation", " 0 "), ("link", link)];
        let site = SiteRules {
            robots_txt: Some(RobotsRule::Disallowed),
            rsl: vec!["https://a.example/all.xml".to_owned()],
            tdm: Some((true, None)),
        };
        let found = of(html, &headers, site.clone(), "");
        // The HTTP response takes precedence over the page, and both over the files of the site.
        assert_eq!(found.tdm_reserved, Some(false));
        let licenses =
            ["https://a.example/b/rsl", "https://a.example/rsl.xml", "https://a.example/all.xml"];
        assert_eq!(found.rsl, licenses);
        assert!(found.has(RightsStatement::Robots));
        assert_eq!(of("", &[], site, "").tdm_reserved, Some(true));
    }
}
