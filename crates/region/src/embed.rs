//! Recognises embedded media (frames, players, embedded posts) with their addresses, and other content that is not text.

use dom::{Document, Element, Formula, NodeId, local_name, local_names, web_url};
use model::EmbedKind;
use url::Url;

use crate::picture::{PagePicture, first_of, pixels};
use crate::texts::PageTexts;

/// An embedded medium that has an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Embedded {
    pub(crate) kind: EmbedKind,
    pub(crate) address: String,
    pub(crate) title: Option<String>,
}

/// Hosts of embedded media, by the end of their names, with the kind of media they show.
const HOSTS: [(EmbedKind, &str); 6] = [
    (
        EmbedKind::Video,
        "youtube.com youtube-nocookie.com youtu.be vimeo.com dailymotion.com brightcove.net brightcove.com \
         jwplayer.com jwplatform.com wistia.net wistia.com twitch.tv rumble.com bitchute.com odysee.com \
         streamable.com ted.com liveleak.com ooyala.com kaltura.com rutube.ru tiktok.com",
    ),
    (
        EmbedKind::Audio,
        "soundcloud.com spotify.com podcasts.apple.com bandcamp.com acast.com megaphone.fm libsyn.com \
         audioboom.com simplecast.com mixcloud.com",
    ),
    (
        EmbedKind::Post,
        "twitter.com x.com facebook.com instagram.com threads.net bsky.app t.me reddit.com redditmedia.com",
    ),
    (EmbedKind::Map, "openstreetmap.org"),
    (EmbedKind::Document, "scribd.com issuu.com documentcloud.org slideshare.net"),
    (EmbedKind::Chart, "datawrapper.dwcdn.net flourish.studio infogram.com"),
];

/// Parts of addresses of frames that do not belong to an article.
const FOREIGN: [&str; 27] = [
    "doubleclick.", "googlesyndication.", "googletagmanager.", "adservice", "/ads/", "ads.",
    "adserver", "amazon-adsystem", "disqus.", "/plugins/like", "plugins/follow", "/plugins/page",
    "plugins/share", "likebox", "platform.twitter.com/widgets", "addthis.", "sharethis.",
    "apis.google.com", "recaptcha", "taboola.", "outbrain.", "newsletter", "subscribe",
    "feedburner", "/comments", "consent", "about:",
];

/// Attributes with the address of the content of a frame or player.
const SOURCES: [&str; 8] = [
    "src", "data-src", "data-lazy-src", "data-litespeed-src", "data-original", "data-url", "data",
    "data-cfsrc",
];

/// Players that are AMP components or web components.
const PLAYERS: [&str; 7] = [
    "lite-youtube", "amp-youtube", "amp-vimeo", "amp-iframe", "amp-video", "lite-vimeo",
    "youtube-video",
];

/// Whether an element is a player by its name: an AMP component or a web component.
pub(crate) fn is_player(name: &str) -> bool {
    PLAYERS.contains(&name)
}

/// Returns what a frame, an object or a component shows; `None` for advertisements and the like, and if it has no address.
pub(crate) fn embedded(document: &Document, id: NodeId, base: &Url) -> Option<Embedded> {
    let element = document.element(id)?;
    let named = |prefix: &str, names: &[&str]| {
        let own = first_of(element, names)?;
        Url::parse(&format!("{prefix}{own}")).ok()
    };
    let url = match &**element.name {
        "lite-youtube" | "amp-youtube" | "youtube-video" => {
            named("https://www.youtube.com/watch?v=", &["videoid", "data-videoid", "video-id"])
        }
        "lite-vimeo" | "amp-vimeo" => {
            named("https://vimeo.com/", &["videoid", "data-videoid", "video-id"])
        }
        _ => SOURCES
            .iter()
            .filter_map(|name| first_of(element, &[name]))
            .find_map(|src| web_url(src, base)),
    };
    let url = url
        .or_else(|| address_in_object(document, id, base))
        .or_else(|| waiting_address(element, base))?;
    let small = |name| pixels(element, name).is_some_and(|pixels| pixels < 50);
    if small("width") || small("height") || FOREIGN.iter().any(|part| url.as_str().contains(part)) {
        return None;
    }
    let kind = kind_of(&url);
    let title = first_of(element, &["title", "data-title", "aria-label", "playlabel", "alt"])
        .map(dom::normalize_space);
    let title = title.filter(|title| !title.is_empty() && title.len() <= 300);
    Some(Embedded { kind, address: watch_address(&url), title })
}

/// Returns the address of a frame that waits for consent, which is in an attribute such as `data-cookieblock-src`.
fn waiting_address(element: Element<'_>, base: &Url) -> Option<Url> {
    let is_frame = *element.name == local_name!("iframe");
    let mut sources = element.attributes().filter(|(name, _)| is_frame && name.contains("src"));
    sources.find_map(|(_, value)| web_url(value, base).filter(|url| url.host() != base.host()))
}

/// Returns the address within an `object`: of an `embed` or frame in it, or of a parameter such as `movie`.
fn address_in_object(document: &Document, id: NodeId, base: &Url) -> Option<Url> {
    let of = |inner: NodeId| -> Option<&str> {
        let element: Element<'_> = document.element(inner)?;
        match *element.name {
            local_names!("embed" "iframe") => first_of(element, &SOURCES),
            local_name!("param") => {
                let name = first_of(element, &["name"])?.to_ascii_lowercase();
                matches!(&*name, "movie" | "src" | "url" | "filename")
                    .then(|| first_of(element, &["value"]))?
            }
            _ => None,
        }
    };
    document.subtree(id).skip(1).find_map(|inner| web_url(of(inner)?, base))
}

/// Returns the kind of media at an address.
pub(crate) fn kind_of(url: &Url) -> EmbedKind {
    let host = url.host_str().unwrap_or_default();
    let is_at = |name: &str| {
        host == name || host.ends_with(name) && host[..host.len() - name.len()].ends_with('.')
    };
    if let Some((kind, _)) = HOSTS.iter().find(|known| known.1.split(' ').any(is_at)) {
        let shows_video = *kind == EmbedKind::Post && url.path().contains("video");
        return if shows_video { EmbedKind::Video } else { *kind };
    }
    let path = url.path().to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| path.ends_with(ending));
    let is_map = host.contains("google.") && path.starts_with("/maps") || host.starts_with("maps.");
    match () {
        () if is_map => EmbedKind::Map,
        () if ends(&[".pdf"]) => EmbedKind::Document,
        () if ends(&[".mp3", ".ogg", ".m4a", ".wav"]) => EmbedKind::Audio,
        () if ends(&[".mp4", ".webm", ".flv", ".swf", ".mov"]) => EmbedKind::Video,
        () if path.contains("video") || path.contains("player") => EmbedKind::Video,
        () => EmbedKind::Frame,
    }
}

/// Returns the address of the page on which people watch what a player shows.
fn watch_address(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let mut parts = url.path().trim_matches('/').split('/');
    let (first, second) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let plain = |id: &str| {
        !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    };
    let id = second.split('&').next().unwrap_or_default();
    let is_youtube = host.ends_with("youtube.com") || host.ends_with("youtube-nocookie.com");
    if is_youtube && matches!(first, "embed" | "v") && plain(id) && id != "videoseries" {
        return format!("https://www.youtube.com/watch?v={id}");
    }
    if host == "player.vimeo.com" && first == "video" && plain(id) {
        return format!("https://vimeo.com/{id}");
    }
    if host.ends_with("dailymotion.com") && first == "embed" {
        let id = url.path().rsplit('/').next().unwrap_or_default();
        if plain(id) {
            return format!("https://www.dailymotion.com/video/{id}");
        }
    }
    url.as_str().to_owned()
}

/// Classes of quoted posts.
const POSTS: [&str; 9] = [
    "twitter-tweet", "twitter-video", "instagram-media", "tiktok-embed", "fb-post",
    "bluesky-embed", "mastodon-embed", "text-post-media", "reddit-embed-bq",
];

/// Returns the post that a quotation quotes. It is recognised by the class that social networks use, or by its last link, which
/// is the post's address.
pub(crate) fn quoted_post(document: &Document, id: NodeId, base: &Url) -> Option<Embedded> {
    if !document.is(id, &local_name!("blockquote")) {
        return None;
    }
    let classes = document.attribute(id, &local_name!("class")).unwrap_or_default();
    let is_marked = dom::class_tokens(classes).any(|class| POSTS.contains(&class));
    // The address is below a profile, the first part of the path. Other quotations continue after their links.
    let is_post = |url: &Url| {
        let after = document.subtree(id).rev().map_while(|own| match document.name(own) {
            Some(&local_name!("a")) => None,
            _ => Some(document.text(own).unwrap_or_default()),
        });
        kind_of(url) == EmbedKind::Post
            && url.path_segments().is_some_and(|mut parts| parts.nth(2).is_some())
            && after.filter(|text| !text.trim().is_empty()).count() <= 1
    };
    let element = document.element(id)?;
    let own = ["data-instgrm-permalink", "data-href", "cite", "data-text-post-permalink"];
    let link = |id: NodeId| {
        document.attribute(id, &local_name!("href")).filter(|_| document.is(id, &local_name!("a")))
    };
    // Reddit names the author and the community behind the post.
    let depth = |url: &Url| match is_marked && kind_of(url) == EmbedKind::Post {
        true => url.path_segments().map_or(0, Iterator::count),
        false => 0,
    };
    let links = document.subtree(id).filter_map(|id| web_url(link(id)?, base));
    let url = first_of(element, &own).and_then(|own| web_url(own, base));
    let url = url.or_else(|| links.max_by_key(depth))?;
    if !is_marked && !is_post(&url) {
        return None;
    }
    Some(Embedded { kind: EmbedKind::Post, address: url.into(), title: None })
}

/// Content that is not text.
#[derive(Clone, Debug)]
pub(crate) enum Medium {
    Picture(PagePicture),
    /// The character that an inline picture stands for, such as an emoji.
    Sign(String),
    /// The content of a frame or the like.
    Embedded(Embedded),
    /// A `video` or `audio`.
    Player(Embedded),
    Formula(Formula),
    /// A formula as MathML.
    MathMl,
}

/// Returns what an element of the page shows, if it is a component or a player.
pub(crate) fn player(texts: &PageTexts<'_>, id: NodeId) -> Option<Medium> {
    let found = embedded(texts.document, id, texts.base).or_else(|| {
        let sources = texts.document.subtree(id).skip(1);
        sources
            .filter(|&id| texts.document.is(id, &local_name!("source")))
            .find_map(|source| embedded(texts.document, source, texts.base))
    })?;
    let kind = match texts.document.name(id) {
        Some(&local_name!("video")) => EmbedKind::Video,
        Some(&local_name!("audio")) => EmbedKind::Audio,
        _ => return Some(Medium::Embedded(found)),
    };
    Some(Medium::Player(Embedded { kind, ..found }))
}

#[cfg(test)]
mod tests {

    use super::*;

    fn of(html: &str) -> Option<Embedded> {
        let page = dom::parse(&format!("<p>{html}"));
        let aside = page.aside()?;
        let base = Url::parse("https://a.example/").unwrap();
        embedded(&aside.document, aside.places[0].id, &base)
    }

    #[test]
    fn what_is_embedded_has_a_kind_and_an_address() {
        let found = |html: &str| of(html).map(|found| (found.kind, found.address));
        let watch = "https://www.youtube.com/watch?v=a-b_1";
        for (html, address) in [
            ("<iframe src=https://www.youtube.com/embed/a-b_1?rel=0></iframe>", watch),
            ("<iframe data-src=//www.youtube-nocookie.com/embed/a-b_1></iframe>", watch),
            (
                "<object><param name=movie value='http://www.youtube.com/v/a-b_1&hl=en'><embed src=x></object>",
                watch,
            ),
            ("<iframe src=https://player.vimeo.com/video/12></iframe>", "https://vimeo.com/12"),
        ] {
            assert_eq!(found(html), Some((EmbedKind::Video, address.to_owned())));
        }
        assert_eq!(
            found("<iframe src=https://www.facebook.com/plugins/like.php?x></iframe>"),
            None
        );
        assert_eq!(found("<iframe src=https://a.example/x width=1 height=1></iframe>"), None);
        assert_eq!(found("<iframe src=about:blank></iframe>"), None);
        let frame = found("<iframe src=/chart.html title=Rain></iframe>");
        assert_eq!(frame, Some((EmbedKind::Frame, "https://a.example/chart.html".to_owned())));
        let map = found("<iframe src=https://www.google.com/maps/embed?pb=1></iframe>");
        assert_eq!(map.map(|map| map.0), Some(EmbedKind::Map));
    }
}
