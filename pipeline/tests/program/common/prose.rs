//! Generated pages: the layout of a small blog, with a different text on each.

const WORDS: [&str; 48] = [
    "harbour", "lantern", "orchard", "gravel", "kettle", "winter", "sailor", "copper", "meadow",
    "ladder", "engine", "parcel", "violin", "bridge", "canvas", "thunder", "market", "pigeon",
    "saddle", "timber", "ribbon", "quarry", "bottle", "chapel", "pepper", "anchor", "velvet",
    "cellar", "walnut", "needle", "summer", "garden", "hammer", "island", "candle", "mirror",
    "barley", "button", "magnet", "pillow", "marble", "tunnel", "cattle", "window", "dragon",
    "silver", "forest", "wagon",
];

const GLUE: [&str; 12] = [
    "and the", "with a", "under the", "of the", "by a", "near the", "on the", "for a", "in the",
    "from a", "after the", "without a",
];

/// About eighty words in three paragraphs. Different seeds give different texts.
pub(crate) fn paragraphs(seed: usize) -> Vec<String> {
    // A small congruential generator: the tests need variety, not randomness.
    let mut state = seed as u64 * 2_654_435_761 + 12_345;
    let mut next = |bound: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    let mut sentence = |length: usize| {
        let mut words = vec!["The".to_owned(), WORDS[next(WORDS.len())].to_owned()];
        for _ in 0..length {
            words.push(GLUE[next(GLUE.len())].to_owned());
            words.push(WORDS[next(WORDS.len())].to_owned());
        }
        words.join(" ") + "."
    };
    (0..3).map(|_| format!("{} {}", sentence(4), sentence(3))).collect()
}

/// A post in a new design of its site: a completely different template.
pub(crate) fn redesigned(seed: usize) -> String {
    let paragraph = |text: &String| format!("<section><p class=par>{text}</section>");
    let body: String = paragraphs(seed).iter().map(paragraph).collect();
    let title = title(seed);
    format!(
        "<!doctype html><html lang=en><head><title>{title}</title></head><body><div id=app><header><nav>\
         <a href=/>Start</a> <a href=/topics>Topics</a></nav></header><main><article class=story><header>\
         <h2>{title}</h2></header>{body}</article></main><aside><ol><li><a href=/a>Most read today</a>\
         <li><a href=/b>Letters</a></ol></aside><footer><small>Made by the same people.</small></footer></div>"
    )
}

/// A post whose container has another name, and whose footer has the container's.
pub(crate) fn renamed(seed: usize) -> String {
    post(seed).replace("class=entry", "class=x77").replace("class=foot", "class=entry")
}

/// The title of a post.
pub(crate) fn title(seed: usize) -> String {
    let word = |n: usize| WORDS[n % WORDS.len()];
    format!("Notes on {} and {} {seed}", word(seed * 7 + 3), word(seed * 11 + 5))
}

/// The expected text of a post.
pub(crate) fn text(seed: usize) -> String {
    paragraphs(seed).join("\n\n")
}

/// Long texts, each a paragraph, that keep a run busy.
pub(crate) fn filler(count: usize) -> String {
    (0..count).map(|n| format!("<p>{}</p>", paragraphs(n + 7).join(" "))).collect()
}

/// A post. `head` goes into the head, `inside` after the text's last paragraph.
pub(crate) fn post_with(seed: usize, head: &str, inside: &str) -> String {
    let title = title(seed);
    let body: String = paragraphs(seed).iter().map(|p| format!("<p>{p}</p>\n")).collect();
    format!(
        "<!doctype html><html lang=en><head><title>{title}</title>{head}</head><body>\n\
         <ul class=menu><li><a href=/>Home</a><li><a href=/about>About us</a></ul>\n\
         <h1>{title}</h1>\n<div class=entry>\n{body}{inside}</div>\n\
         <p class=foot>All rights reserved by nobody in particular. <a href=/terms>Terms</a></p>\n\
         </body></html>\n"
    )
}

/// A post without additions.
pub(crate) fn post(seed: usize) -> String {
    post_with(seed, "", "")
}
