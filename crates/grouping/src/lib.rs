/*!
Groups the records of a crawl before learning: everything that needs *other records* of the crawl.

| what | by |
|---|---|
| the site of an address | [`site_key()`] |
| two addresses of one page | [`Tracking`], [`Address`] |
| the page that a link points to | [`SiteAddresses`], [`PagesByLink`] |
| the same in bounded space | [`AddressDigest`] |
| where a link leads by redirects | [`Redirects`] |
| the page that a revisit record found unchanged | [`Revisit`], [`matching`] |
| several captures of one address | [`settle`] |
| feed items of a page | [`join_feed_items`] |
| pages that are parts of one article | [`parts_of`], [`page_number`] |
| the pages of a site to learn from | [`choose`] |

Everything here is a pure function of its arguments: no file, clock, thread or environment. The results do not depend on
the order of the arguments, so that one process and many give the same. If the HTML is not needed, a [`PageHead`]
represents a page.
*/

mod addresses;
mod captures;
mod digest;
mod links;
pub mod matching;
mod parts;
mod redirects;
mod revisit;
mod sample;
mod site_key;

pub use addresses::{Address, SiteAddresses, Tracking};
pub use captures::{
    Capture, Copies, PageHead, drop_of, duplicate, kept_instead, settle, title_hash, when,
};
pub use digest::AddressDigest;
pub use links::{PagesByLink, join_feed_items};
pub use parts::{Part, PartHead, Parts, join_parts, page_number, parts_of, title_without_page};
pub use redirects::{MOST_HOPS, Redirects, redirect};
pub use revisit::{NameFilter, Revisit, Visited, payload_digest};
pub use sample::{Sample, SampleHead, SampleLimits, address_hash, choose};
pub use site_key::{address_of_file, site_key};
