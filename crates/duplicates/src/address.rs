//! Recognises addresses of one article: mobile, AMP and print versions, with and without tracking parameters.

use grouping::Tracking;

/// What the form of an address says about the page.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct AddressForm {
    /// Whether it is a version for phones, for AMP or for printing.
    pub is_version: bool,
    /// Whether it has tracking parameters.
    pub is_tracked: bool,
    /// Whether its scheme is `http`.
    pub is_plain_http: bool,
}

/// The address of an article, the same for all versions of its page.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct StoryAddress {
    /// Equal for all versions: host and path without the marks of a version, and the other parameters.
    pub key: String,
    /// The form of this address.
    pub form: AddressForm,
}

/// First labels of host names that serve versions.
const HOSTS: [&str; 8] = ["m", "mobile", "mobil", "amp", "touch", "wap", "print", "i"];
/// First or last path segments that mark a version.
const SEGMENTS: [&str; 8] =
    ["amp", "amphtml", "print", "printable", "printversion", "mobile", "m", "print.html"];
/// Endings of last path segments that mark a version, and the endings that replace them.
const ENDINGS: [(&str, &str); 6] = [
    (".amp.html", ".html"),
    (".amp", ""),
    ("-amp.html", ".html"),
    ("_print.html", ".html"),
    (".print.html", ".html"),
    (".print", ""),
];
/// Query parameters that ask for a version, whatever their value.
const PARAMETERS: &str =
    "amp print printable printview print_view printmode mobile mobile_view nomobile m";
/// Query parameters that ask for a version by their value, and the values that do.
const CHOICES: [&str; 6] = ["outputtype", "output", "view", "mode", "format", "display"];
const CHOSEN: [&str; 4] = ["amp", "print", "mobile", "printable"];
/// Suffix of hosts that serve Google's AMP cache. The original's host and path follow in the path, after `s/` if it uses TLS.
const AMP_CACHE: &str = ".cdn.ampproject.org/";

/// Returns the address of the article at `url`, and the form of `url`; `None` if it is not a URL with a host.
pub fn story_address(url: &str, tracking: &Tracking) -> Option<StoryAddress> {
    let address = tracking.address(url)?;
    let mut form = AddressForm {
        is_version: false,
        is_tracked: !address.tracked.is_empty(),
        is_plain_http: url
            .trim_start()
            .get(..5)
            .is_some_and(|scheme| scheme.eq_ignore_ascii_case("http:")),
    };
    let mut key = address.key.to_lowercase();
    if let Some((_, original)) = key.split_once(AMP_CACHE) {
        let original = original.split_once('/').map_or("", |(_, rest)| rest);
        key = original.strip_prefix("s/").unwrap_or(original).to_owned();
        key = key.strip_prefix("www.").unwrap_or(&key).to_owned();
        form.is_version = true;
    }
    let (place, query) = key.split_once('?').unwrap_or((&key, ""));
    let mut segments: Vec<&str> = place.split('/').collect();
    let host = segments.remove(0);
    let shorter =
        host.split_once('.').filter(|(first, rest)| HOSTS.contains(first) && rest.contains('.'));
    let host = shorter.map_or(host, |(_, rest)| rest.strip_prefix("www.").unwrap_or(rest));
    form.is_version |= shorter.is_some();
    if segments.len() > 1 && SEGMENTS.contains(&segments[0]) {
        segments.remove(0);
        form.is_version = true;
    }
    if segments.len() > 1 && segments.last().is_some_and(|last| SEGMENTS.contains(last)) {
        segments.pop();
        form.is_version = true;
    }
    let mut path = segments.join("/");
    if let Some((ending, instead)) = ENDINGS.iter().find(|(ending, _)| path.ends_with(ending)) {
        path.truncate(path.len() - ending.len());
        path.push_str(instead);
        form.is_version = true;
    }
    let asks_for_version = |pair: &&str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        PARAMETERS.split(' ').any(|own| own == name)
            || CHOICES.contains(&name) && CHOSEN.contains(&value)
    };
    let pairs = || query.split('&').filter(|pair| !pair.is_empty());
    form.is_version |= pairs().any(|pair| asks_for_version(&pair));
    let rest: Vec<&str> = pairs().filter(|pair| !asks_for_version(pair)).collect();
    let sign = if rest.is_empty() { "" } else { "?" };
    Some(StoryAddress { key: format!("{host}/{path}{sign}{}", rest.join("&")), form })
}
