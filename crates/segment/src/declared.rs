//! What a page declares about its address and about the parts of its article.

use std::collections::BTreeSet;

use grouping::{PageHead, page_number, title_hash, title_without_page};
use memchr::memmem;
use model::{FeedItem, Page, contain_panics};
use serde::{Deserialize, Serialize};
use sitemodel::settings::JoinParts;
use sitemodel::site_config::{ConfiguredPage, SiteConfigs};
use sitemodel::{ParsedPage, Settings, parse_page};
use url::Url;

/// Whether surveying a site needs the heads of its pages, not only their addresses.
pub fn needs_heads<'a>(
    urls: impl Iterator<Item = &'a str> + Clone,
    items: &[FeedItem],
    settings: &Settings,
) -> bool {
    let leads_on =
        |configs: &SiteConfigs| configs.iter().any(|config| config.wrapper.names_pages());
    !items.is_empty()
        || settings.site_configs.as_deref().is_some_and(leads_on)
        || match settings.tables().join_parts {
            JoinParts::None => false,
            JoinParts::RelNext => true,
            JoinParts::Numbered => has_second_pages(urls),
        }
}

/// Whether a page has the address of the second page of another one.
fn has_second_pages<'a>(mut urls: impl Iterator<Item = &'a str> + Clone) -> bool {
    let numbered = urls.clone().filter(|url| url.bytes().any(|byte| byte == b'2'));
    let second = numbered.map(page_number).filter(|(_, number)| *number == 2).map(|(base, _)| base);
    let second: BTreeSet<String> = second.collect();
    let is_first = |url: &str| {
        let (base, number) = page_number(url);
        number == 1 && second.contains(&base)
    };
    !second.is_empty() && urls.any(is_first)
}

/// Group of all pages that are connected by `rel=next` links.
const REL_NEXT: &str = "rel=next";

/// Maximum length of the address of a next page, in bytes.
const LONGEST: usize = 2_048;

/// What a page declares about its address and the parts of its article. Depends only on the page and the settings.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct DeclaredHead {
    /// Canonical address, absolute.
    canonical: Option<String>,
    title_hash: u64,
    single_page: Option<String>,
    next_page: Option<String>,
    part_group: Option<String>,
}

impl DeclaredHead {
    /// Reads the declarations before the body of the page, and its link to the next page. `configured` is what the site config of
    /// its host found on the page.
    fn of(page: &Page, configured: Option<&ConfiguredPage>, settings: &Settings) -> Self {
        let document = dom::parse(before_body(&page.html));
        let head = document.head();
        let base = Url::parse(&page.url).ok();
        let absolute = |link: Option<&str>| -> Option<String> {
            Some(base.as_ref()?.join(link?).ok()?.into())
        };
        let title = head.title.as_deref().unwrap_or_default();
        let own = Self {
            canonical: absolute(head.link("canonical")),
            title_hash: title_hash(title),
            ..Self::default()
        };
        if let Some(configured) = configured.filter(|configured| configured.found.body.is_some()) {
            return Self {
                single_page: configured.found.single_page.clone(),
                next_page: configured.found.next_page.clone(),
                part_group: Some(configured.by.host.clone()),
                ..own
            };
        }
        let rel_next = absolute(head.link("next"));
        match settings.tables().join_parts {
            JoinParts::None => own,
            JoinParts::RelNext => {
                Self { next_page: rel_next, part_group: Some(REL_NEXT.to_owned()), ..own }
            }
            JoinParts::Numbered => {
                let (series, number) = page_number(&page.url);
                let is_next = |url: &String| page_number(url) == (series.clone(), number + 1);
                let next_page = rel_next.filter(is_next).or_else(|| {
                    let links = links_with(&page.html, number + 1);
                    links.filter_map(|link| absolute(Some(&link))).find(is_next)
                });
                let has_part = next_page.is_some() || number > 1;
                // Only pages with the same title are parts of one article.
                let group = || format!("{series} {}", title_without_page(title));
                Self { part_group: has_part.then(group), next_page, ..own }
            }
        }
    }

    /// Reads the declarations of a page that was not parsed. Parses it as a whole only if its site config names parts.
    pub fn of_page(page: &Page, settings: &Settings) -> Self {
        let config = settings.site_configs.as_ref().and_then(|configs| configs.for_url(&page.url));
        let read = || {
            let joins = settings.tables().join_parts != JoinParts::None;
            let parsed = config
                .is_some_and(|config| config.wrapper.names_pages() || joins)
                .then(|| parse_page(page, settings));
            let configured = parsed.as_ref().and_then(|parsed| parsed.configured.as_ref());
            Self::of(page, configured, settings)
        };
        contain_panics(read).unwrap_or_default()
    }

    /// Adds the declarations to the head of their page.
    pub(crate) fn into_head(self, head: PageHead) -> PageHead {
        let Self { canonical, title_hash, single_page, next_page, part_group } = self;
        PageHead { canonical, title_hash, single_page, next_page, part_group, ..head }
    }
}

/// Returns the HTML before the body; all of it if the page leaves out the tags.
fn before_body(html: &str) -> &str {
    let end = memchr::memchr_iter(b'<', html.as_bytes()).find(|&at| {
        let tag = &html.as_bytes()[at + 1..];
        [&b"body"[..], b"/head"].iter().any(|name| {
            tag.get(..name.len()).is_some_and(|own| own.eq_ignore_ascii_case(name))
                && tag.get(name.len()).is_none_or(|after| !after.is_ascii_alphanumeric())
        })
    });
    &html[..end.unwrap_or(html.len())]
}

/// Finds values of `href` that contain a number, without parsing.
fn links_with(html: &str, number: u32) -> impl Iterator<Item = String> {
    let digits = number.to_string();
    memmem::find_iter(html.as_bytes(), "href=").filter_map(move |at| {
        let rest = &html[at + "href=".len()..];
        let value = match rest.chars().next()? {
            quote @ ('"' | '\'') => rest[1..].split(quote).next()?,
            _ => rest.split([' ', '>', '\n', '\t']).next()?,
        };
        let is_one = value.len() <= LONGEST && value.contains(&digits);
        is_one.then(|| value.replace("&amp;", "&"))
    })
}

/// Returns the head of a page that was not parsed, as [`DeclaredHead::of_page`] reads it.
pub fn head_of_page(page: &Page, settings: &Settings) -> PageHead {
    DeclaredHead::of_page(page, settings).into_head(PageHead::of(page, None, ""))
}

/// Returns the head of a parsed page.
pub fn head_of(parsed: &ParsedPage<'_>, settings: &Settings) -> PageHead {
    let declared = DeclaredHead::of(parsed.page, parsed.configured.as_ref(), settings);
    declared.into_head(PageHead::of(parsed.page, None, ""))
}
