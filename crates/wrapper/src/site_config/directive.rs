//! All directives of the format, and their treatment here.

/// The treatment of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// Has its effect.
    Honoured,
    /// Needs no action here, with the reason. The article is the same.
    Needless(&'static str),
    /// Has no effect, with the reason. The article may differ from that of other readers.
    NotHonoured(&'static str),
}

const NO_FETCH: &str = "nothing is fetched: pages are taken as the crawl has them";
const NO_LOGIN: &str = "nothing is fetched, so nobody logs in: the crawler has to";
const NOT_GUESSED: &str = "nothing is fetched, and pages are joined by `group.join_parts` only";
const TREE: &str = "pages are parsed as browsers parse them";
const UNKNOWN_EVERYWHERE: &str = "carried over from Instapaper; no reader we know of honours it";

/// All directives of the format, sorted by name. `prune` and `insert_detected_image` are honoured as
/// `no`; see `compile`.
const DIRECTIVES: [(&str, Treatment); 42] = {
    use Treatment::{Honoured, Needless, NotHonoured};
    [
        ("author", Honoured),
        ("autodetect_next_page", NotHonoured(NOT_GUESSED)),
        ("autodetect_on_failure", Honoured),
        ("body", Honoured),
        (
            "convert_double_br_tags",
            Needless("two line breaks begin a paragraph of the text anyway"),
        ),
        ("date", Honoured),
        ("dissolve", Honoured),
        ("find_string", Honoured),
        ("footnotes", NotHonoured(UNKNOWN_EVERYWHERE)),
        ("http_header", NotHonoured(NO_FETCH)),
        ("if_page_contains", Honoured),
        ("insert_detected_image", Honoured),
        ("login_extra_fields", NotHonoured(NO_LOGIN)),
        ("login_password_field", NotHonoured(NO_LOGIN)),
        ("login_uri", NotHonoured(NO_LOGIN)),
        ("login_username_field", NotHonoured(NO_LOGIN)),
        ("move_into", Honoured),
        ("native_ad_clue", NotHonoured("articles have no field that calls them advertisements")),
        ("next_page_link", Honoured),
        ("not_logged_in_xpath", NotHonoured(NO_LOGIN)),
        ("parser", Needless(TREE)),
        ("post_strip_attr", NotHonoured(UNKNOWN_EVERYWHERE)),
        ("prune", Honoured),
        ("replace_string", Honoured),
        ("requires_login", NotHonoured(NO_LOGIN)),
        ("single_page_link", Honoured),
        ("single_page_link_in_feed", NotHonoured(NOT_GUESSED)),
        ("skip_id_or_class", NotHonoured(UNKNOWN_EVERYWHERE)),
        ("skip_json_ld", Honoured),
        ("src_lazy_load_attr", Honoured),
        ("strip", Honoured),
        ("strip_attr", Honoured),
        ("strip_comments", Needless("comments of the markup never come out")),
        ("strip_id_or_class", Honoured),
        ("strip_image_src", Honoured),
        ("test_contains", Honoured),
        ("test_url", Honoured),
        ("test_urls", NotHonoured(UNKNOWN_EVERYWHERE)),
        ("tidy", Needless(TREE)),
        ("title", Honoured),
        ("unstrip", NotHonoured(UNKNOWN_EVERYWHERE)),
        ("wrap_in", Honoured),
    ]
};

/// The known directives with their treatments, sorted by name.
pub fn known_directives() -> &'static [(&'static str, Treatment)] {
    &DIRECTIVES
}

/// The treatment of a directive; `None` if the format has none of this name.
pub(crate) fn treatment(name: &str) -> Option<Treatment> {
    let at = DIRECTIVES.binary_search_by_key(&name, |(known, _)| known).ok()?;
    Some(DIRECTIVES[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted() {
        assert!(DIRECTIVES.is_sorted_by_key(|d| d.0));
    }
}
