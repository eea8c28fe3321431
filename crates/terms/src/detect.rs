//! Which language a text is in, from a sample of its beginning.
//!
//! The script decides first: most scripts are of one language as far as any detector knows.
//! For the Latin and Cyrillic alphabets `whichlang` names a language (it knows 16 and always answers);
//! if enough of that language's own function words are there, it is right and nothing else is asked.
//! Otherwise, and for Arabic, Hebrew and Devanagari, `whatlang` (70 languages, slower) is asked too;
//! it prevails when it names a language that `whichlang` cannot, or one with more function words.

use whatlang::{Detector, Lang};

use crate::chars::{Class, Kinds};
use crate::language::Language;
use crate::script::Script;

/// Letters looked at, in characters.
const SAMPLE_LETTERS: usize = 1_000;
/// Bytes looked at to find them.
const SAMPLE_BYTES: usize = 8_192;
/// Below this many letters a text says too little.
const MIN_LETTERS: usize = 20;
/// Share of words that must be function words of the language `whichlang` names. Running text has
/// three times as many; of a neighbouring language, whose words are left out of the lists, a third.
const MIN_FUNCTION_WORDS: f64 = 0.05;
/// Characters given to `whatlang`, whose time grows with them.
const WHATLANG_CHARS: usize = 800;
/// From this confidence on `whatlang` overrules `whichlang`.
const WHATLANG_CONFIDENCE: f64 = 0.5;

/// What [`detect`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detected {
    /// The language.
    pub language: Language,
    /// The script most of the sample is in.
    pub script: Script,
    /// Whether two signs agree: script, detector, function words.
    pub reliable: bool,
}

/// Detects the language of a text; `None` for too little text.
pub fn detect(text: &str) -> Option<Detected> {
    let text = head(text);
    if text.is_ascii() {
        let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
        return (letters >= MIN_LETTERS).then(|| by_words(text, Script::Latin));
    }
    let counts = script_counts(text);
    let weight = |script: Script| counts[script as usize].1 * script.letters_per_character();
    let kana = counts[Script::Kana as usize].1;
    let han = counts[Script::Han as usize].1;
    let east_asian = weight(Script::Kana) + weight(Script::Han);

    let scripts = counts.iter().filter_map(|&(script, _)| script);
    let mut script = scripts.fold(None, |best: Option<Script>, script| match best {
        Some(best) if weight(best) >= weight(script) => Some(best),
        _ => Some(script),
    })?;
    let mut letters = weight(script);
    if east_asian > letters || matches!(script, Script::Kana | Script::Han) {
        // Japanese is written in both; a Chinese text quotes hardly any kana.
        script = if kana * 20 >= han + kana { Script::Kana } else { Script::Han };
        letters = east_asian;
    }
    if letters < MIN_LETTERS {
        return None;
    }
    if let Some(code) = only_language(script) {
        return Some(Detected { language: Language::new(code), script, reliable: true });
    }
    Some(by_words(&only_script(text, script), script))
}

/// The language of a sample in one script that several languages share.
fn by_words(sample: &str, script: Script) -> Detected {
    let found = |language, reliable| Detected { language, script, reliable };
    // Letters that Russian and Bulgarian lack and their neighbours use.
    let not_russian = script == Script::Cyrillic
        && sample.contains(['і', 'ї', 'є', 'ў', 'ј', 'љ', 'њ', 'ђ', 'ћ', 'ѓ', 'ќ', 'ѕ']);
    let which = (script == Script::Latin || (script == Script::Cyrillic && !not_russian))
        .then(|| Language::from_tag(whichlang::detect_language(sample).three_letter_code()))
        .flatten()
        .filter(|language| is_written_in(*language, script));
    let share = |language| function_word_share(sample, language);
    if let Some(language) = which
        && share(language) >= MIN_FUNCTION_WORDS
    {
        return found(language, true);
    }
    // It calls every Cyrillic text Russian; that says nothing beside the function words.
    let which = which.filter(|_| script == Script::Latin);
    let end = sample.char_indices().nth(WHATLANG_CHARS).map_or(sample.len(), |(at, _)| at);
    let denied = if not_russian { vec![Lang::Rus, Lang::Bul] } else { Vec::new() };
    let info = Detector::with_denylist(denied).detect(&sample[..end]);
    let Some(info) = info else {
        return found(which.unwrap_or(Language::new(fallback(script))), false);
    };
    let what = Language::from_tag(info.lang().code()).unwrap_or(Language::new(fallback(script)));
    match which {
        None => found(what, info.is_reliable()),
        Some(which) if which == what => found(which, true),
        Some(_) if !is_known_to_whichlang(what) && info.confidence() >= WHATLANG_CONFIDENCE => {
            found(what, info.is_reliable())
        }
        Some(which) => found(if share(what) > share(which) { what } else { which }, false),
    }
}

/// The beginning of a text, cut at a character after enough letters.
fn head(text: &str) -> &str {
    let mut letters = 0;
    for (at, c) in text.char_indices() {
        letters += usize::from(c.is_alphabetic());
        if letters > SAMPLE_LETTERS || at >= SAMPLE_BYTES {
            return &text[..at];
        }
    }
    text
}

/// Letters and their marks by script, at the script's index.
fn script_counts(text: &str) -> [(Option<Script>, usize); Script::COUNT] {
    let kinds = Kinds::get();
    let mut counts = [(None, 0); Script::COUNT];
    for c in text.chars() {
        let is_letter = matches!(kinds.of(c).class(), Class::Word | Class::Mark | Class::Unspaced);
        if is_letter && let Some(script) = Script::of(c) {
            counts[script as usize] = (Some(script), counts[script as usize].1 + 1);
        }
    }
    counts
}

/// The sample without the letters of other scripts.
fn only_script(text: &str, script: Script) -> String {
    text.chars().filter(|&c| Script::of(c).is_none_or(|other| other == script)).collect()
}

/// The language of a script that, for all our tools know, has only one.
fn only_language(script: Script) -> Option<&'static str> {
    Some(match script {
        Script::Latin | Script::Cyrillic | Script::Arabic | Script::Hebrew | Script::Devanagari => {
            return None;
        }
        Script::Greek => "el",
        Script::Armenian => "hy",
        Script::Bengali => "bn",
        Script::Gurmukhi => "pa",
        Script::Gujarati => "gu",
        Script::Oriya => "or",
        Script::Tamil => "ta",
        Script::Telugu => "te",
        Script::Kannada => "kn",
        Script::Malayalam => "ml",
        Script::Sinhala => "si",
        Script::Thai => "th",
        Script::Lao => "lo",
        Script::Tibetan => "bo",
        Script::Myanmar => "my",
        Script::Georgian => "ka",
        Script::Ethiopic => "am",
        Script::Khmer => "km",
        Script::Mongolian => "mn",
        Script::Hangul => "ko",
        Script::Kana => "ja",
        Script::Han => "zh",
    })
}

/// The language to assume of a shared script when no detector answers.
fn fallback(script: Script) -> &'static str {
    match script {
        Script::Cyrillic => "ru",
        Script::Arabic => "ar",
        Script::Hebrew => "he",
        Script::Devanagari => "hi",
        _ => "en",
    }
}

/// `whichlang`'s languages that share their script with others.
#[rustfmt::skip]
const FUNCTION_WORDS: [(&str, &[&str]); 11] = [
    ("de", &["der", "und", "das", "nicht", "den", "mit", "ist", "auch", "eine", "auf", "für"]),
    ("en", &["the", "and", "of", "to", "that", "with", "is", "for", "you", "are"]),
    ("es", &["los", "las", "y", "con", "por", "su", "más", "como", "pero", "lo"]),
    ("fr", &["les", "et", "des", "est", "dans", "une", "du", "pour", "qui", "au", "sur", "ce"]),
    ("it", &["il", "di", "che", "della", "gli", "sono", "nel", "alla", "più", "anche", "per"]),
    ("nl", &["de", "het", "een", "niet", "zijn", "voor", "naar", "bij", "wordt"]),
    ("pt", &["não", "uma", "com", "os", "em", "ao", "são", "mais", "um", "do", "da"]),
    ("ru", &["что", "это", "как", "но", "из", "для", "его", "был", "или", "от", "по"]),
    ("sv", &["och", "att", "är", "för", "inte", "från", "också"]),
    ("tr", &["ve", "için", "ile", "olarak", "çok", "daha", "olan", "değil", "bir", "bu"]),
    ("vi", &["và", "của", "là", "có", "không", "được", "trong", "cho", "với", "các"]),
];

/// In bytes.
const LONGEST_FUNCTION_WORD: usize = 10;

/// The share of a sample's words that are function words of `language`.
fn function_word_share(sample: &str, language: Language) -> f64 {
    let known = FUNCTION_WORDS.iter().find(|(code, _)| *code == language.as_str());
    let Some((_, list)) = known else { return 0.0 };
    let (mut words, mut hits) = (0_u32, 0_u32);
    let mut lower = String::new();
    for word in sample.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
        words += 1;
        if word.len() > LONGEST_FUNCTION_WORD {
            continue;
        }
        let is_known = if word.is_ascii() {
            list.iter().any(|known| known.eq_ignore_ascii_case(word))
        } else {
            lower.clear();
            lower.extend(word.chars().flat_map(char::to_lowercase));
            list.contains(&lower.as_str())
        };
        hits += u32::from(is_known);
    }
    // One hit may be a word that two languages share.
    if hits < 2 { 0.0 } else { f64::from(hits) / f64::from(words) }
}

fn is_written_in(language: Language, script: Script) -> bool {
    (language.as_str() == "ru") == (script == Script::Cyrillic)
        && !["ar", "hi", "ja", "ko", "zh"].contains(&language.as_str())
}

fn is_known_to_whichlang(language: Language) -> bool {
    FUNCTION_WORDS.iter().any(|(code, _)| *code == language.as_str())
}

#[cfg(test)]
#[path = "detect_tests.rs"]
mod tests;
