//! Detects the language of a text, from a sample of its beginning.
//!
//! The script decides first: the detectors know only one language for most scripts. For the Latin
//! and Cyrillic alphabets, function words decide if several of one language occur, often enough,
//! and hardly any of others. If not, `whichlang` names a language (it knows 16 and always
//! answers); if the text has enough function words of that language, its answer is accepted.
//! Otherwise, and for Arabic, Hebrew and Devanagari, `whatlang` (70 languages, slower) is used too.
//! Its answer is preferred if it is a language that `whichlang` does not know, or one with more
//! function words.

use std::borrow::Cow;
use std::sync::LazyLock;

use whatlang::{Detector, Lang};

use crate::chars::{CharacterTable, Class};
use crate::function_words::{FunctionWords, has_list};
use crate::language::Language;
use crate::letters::{is_alphabetic, lowercase};
use crate::script::Script;

const SAMPLE_LETTERS: usize = 1_000;
/// Maximum number of bytes searched for them.
const SAMPLE_BYTES: usize = 8_192;
/// Minimum number of letters for detection.
const MIN_LETTERS: usize = 20;
/// Minimum share of words that are function words of a language. Running text has three times as
/// many. Text in a related language has a third of it, because the lists omit shared words.
const MIN_FUNCTION_WORDS: f64 = 0.05;
/// Characters passed to `whatlang`, whose time is proportional to them.
const WHATLANG_CHARS: usize = 800;
/// Confidence from which `whatlang` overrules `whichlang`.
const WHATLANG_CONFIDENCE: f64 = 0.5;

/// The result of [`detect`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detected {
    /// The language.
    pub language: Language,
    /// The predominant script of the sample.
    pub script: Script,
    /// Whether two criteria agree: script, detector, function words.
    pub reliable: bool,
    /// Probability that the text is in this language, from 0 to 1: 1 if only this language has the script; else estimated from
    /// the function words of this and of the next language by Laplace's rule of succession, or the detector's confidence.
    pub score: f64,
    counts: FunctionWords,
}

/// Probability of another language from which a declared language with a list of function words is overruled.
const CONTRADICTED: f64 = 0.5;
/// Like [`CONTRADICTED`], for a declared language that only `whatlang` knows.
const CONTRADICTED_UNLISTED: f64 = 0.8;
/// Like [`CONTRADICTED`], for a declared language that no detector knows: its texts are mistaken for a related language.
const CONTRADICTED_UNKNOWN: f64 = 0.95;

/// Share of function words of a language below which a text with enough words is not in it: running text has five times as many.
const FEW_FUNCTION_WORDS: f64 = 0.03;
/// Minimum number of words for [`FEW_FUNCTION_WORDS`].
const ENOUGH_WORDS: u32 = 40;

/// Country codes that pages declare instead of languages, and that are codes of languages that no detector knows ("br" on a page
/// from Brazil means Breton), as in the [likely subtags](https://www.unicode.org/reports/tr35/#Likely_Subtags) of CLDR.
const OF_COUNTRIES: [(&str, &str); 9] = [
    ("br", "pt"),
    ("ch", "de"),
    ("co", "es"),
    ("cr", "es"),
    ("ee", "et"),
    ("kr", "ko"),
    ("se", "sv"),
    ("tw", "zh"),
    ("ve", "es"),
];

/// The languages that `whatlang` knows.
static OF_WHATLANG: LazyLock<Vec<Language>> = LazyLock::new(|| {
    Lang::all().iter().filter_map(|known| Language::from_tag(known.code())).collect()
});

impl Detected {
    /// Whether a text is not in the declared language: another is likely, or the text has hardly any of its function words. A
    /// declared language that the detectors do not know is accepted unless function words clearly indicate another: it is
    /// hardly ever declared by mistake, and the detectors necessarily mistake it for another.
    pub fn contradicts(&self, declared: Language) -> bool {
        let is_of_country = || OF_COUNTRIES.contains(&(declared.as_str(), self.language.as_str()));
        declared != self.language
            && if has_list(declared) {
                self.score >= CONTRADICTED
                    || self.counts.lacks(declared, ENOUGH_WORDS, FEW_FUNCTION_WORDS)
            } else if OF_WHATLANG.contains(&declared) {
                let is_other_script =
                    self.script == Script::Latin && !is_written_in_latin(declared);
                self.score >= if is_other_script { CONTRADICTED } else { CONTRADICTED_UNLISTED }
            } else {
                self.score >= CONTRADICTED_UNKNOWN
                    && self.counts.share(self.language) >= MIN_FUNCTION_WORDS
                    || is_of_country()
            }
    }

    /// The probability that the text is in a language: [`Self::score`] for the detected language. For another language it is the
    /// remainder, limited by the probability from its function words if they are listed: the text may be in neither.
    pub fn probability(&self, language: Language) -> f64 {
        let rest = 1.0 - self.score;
        match language == self.language {
            true => self.score,
            false if has_list(language) => {
                rest.min(self.counts.probability(language, MIN_FUNCTION_WORDS))
            }
            false => rest,
        }
    }
}

/// Whether texts in a language that `whatlang` knows may be in Latin letters: Serbian has two alphabets.
fn is_written_in_latin(language: Language) -> bool {
    let of_script = whatlang::Script::Latin.langs().iter();
    language.as_str() == "sr"
        || of_script.filter_map(|known| Language::from_tag(known.code())).any(|own| own == language)
}

/// Detects the language of a text; `None` if the text is too short.
pub fn detect(text: &str) -> Option<Detected> {
    let text = sample_of(text);
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
    // Of equal weights, the first counts.
    let more = |best, own| if weight(own) > weight(best) { own } else { best };
    let mut script = scripts.reduce(more)?;
    let mut letters = weight(script);
    if east_asian > letters || matches!(script, Script::Kana | Script::Han) {
        // Japanese uses both scripts; a Chinese text contains hardly any kana.
        script = if kana * 20 >= han + kana { Script::Kana } else { Script::Han };
        letters = east_asian;
    }
    if letters < MIN_LETTERS {
        return None;
    }
    if is_shared(script) {
        return Some(by_words(&only_script(text, script), script));
    }
    let counts = FunctionWords::default();
    Some(Detected { language: main_language(script), script, reliable: true, score: 1.0, counts })
}

/// The language of a sample in a script that several languages share.
fn by_words(sample: &str, script: Script) -> Detected {
    let counts = FunctionWords::of(sample);
    let found = |language, reliable, score| Detected { language, script, reliable, score, counts };
    // Letters of related languages that Russian and Bulgarian do not use.
    let not_russian = script == Script::Cyrillic
        && sample.contains(['і', 'ї', 'є', 'ў', 'ј', 'љ', 'њ', 'ђ', 'ћ', 'ѓ', 'ќ', 'ѕ']);
    if let Some(language) = language_of_letters(sample, script) {
        return found(language, true, 1.0);
    }
    if let Some(language) = counts.leader(MIN_FUNCTION_WORDS).filter(|_| !not_russian) {
        return found(language, true, counts.probability(language, MIN_FUNCTION_WORDS));
    }
    let which = (script == Script::Latin || (script == Script::Cyrillic && !not_russian))
        .then(|| Language::from_tag(whichlang::detect_language(sample).three_letter_code()))
        .flatten()
        .filter(|language| is_written_in(*language, script));
    let share = |language| counts.share(language);
    if let Some(language) = which
        && share(language) >= MIN_FUNCTION_WORDS
    {
        return found(language, true, counts.probability(language, MIN_FUNCTION_WORDS));
    }
    // `whichlang` takes every Cyrillic text for Russian, so function words decide.
    let which = which.filter(|_| script == Script::Latin);
    let end = sample.char_indices().nth(WHATLANG_CHARS).map_or(sample.len(), |(at, _)| at);
    let denied = if not_russian { vec![Lang::Rus, Lang::Bul] } else { Vec::new() };
    let info = Detector::with_denylist(denied).detect(&sample[..end]);
    let Some(info) = info else {
        return found(which.unwrap_or(main_language(script)), false, 0.0);
    };
    let what = Language::from_tag(info.lang().code()).unwrap_or(main_language(script));
    let sure = info.confidence().clamp(0.0, 1.0);
    match which {
        None => found(what, info.is_reliable(), sure),
        Some(which) if which == what => found(which, true, sure),
        Some(_) if !has_list(what) && sure >= WHATLANG_CONFIDENCE => {
            found(what, info.is_reliable(), sure)
        }
        Some(which) => {
            let better = if share(what) > share(which) { what } else { which };
            found(better, false, counts.probability(better, MIN_FUNCTION_WORDS))
        }
    }
}

/// Languages that the detectors do not know, with the letters that no language known to them has, from the exemplar characters of
/// [CLDR](https://cldr.unicode.org/translation/core-data/exemplars). A language comes before those that have all its letters.
const OTHER_ALPHABETS: [(&str, Script, &str); 12] = [
    ("mn", Script::Cyrillic, "өү"),
    ("ky", Script::Cyrillic, "өүң"),
    ("sah", Script::Cyrillic, "өүһҕҥ"),
    ("tt", Script::Cyrillic, "өүңәһҗ"),
    ("kk", Script::Cyrillic, "өүңәһқғұ"),
    ("ba", Script::Cyrillic, "өүңәһғҙҡҫ"),
    ("uz", Script::Cyrillic, "қғҳ"),
    ("tg", Script::Cyrillic, "қғҳӣӯҷ"),
    ("ps", Script::Arabic, "ټډړږښګڼېۍځڅ"),
    ("ckb", Script::Arabic, "ڕڵۆێە"),
    ("ug", Script::Arabic, "ېۇۆۈۋەڭ"),
    ("sd", Script::Arabic, "ٻڀٺٽٿڄڃڇڌڏڊڍڙڦڳڱڻڪ"),
];

/// The first language of [`OTHER_ALPHABETS`] that has all such letters of a sample, if these are more than those of a quoted name.
fn language_of_letters(sample: &str, script: Script) -> Option<Language> {
    let alphabets = || OTHER_ALPHABETS.iter().filter(|other| other.1 == script);
    // The letters that all languages of a script have come before their own.
    let first = alphabets().flat_map(|other| other.2.chars()).min()?;
    let (mut letters, mut found) = (0, Vec::new());
    for c in sample.chars().filter(|c| is_alphabetic(*c)).flat_map(lowercase) {
        letters += 1;
        if c >= first && alphabets().any(|other| other.2.contains(c)) {
            found.push(c);
        }
    }
    if found.len() * SELDOM < letters {
        return None;
    }
    let has_all = |other: &&(&str, Script, &str)| found.iter().all(|c| other.2.contains(*c));
    alphabets().find(has_all).map(|other| Language::new(other.0))
}

/// A language with letters of its own has one of them in fewer letters than this.
const SELDOM: usize = 60;

/// The beginning of a text, cut at a character after enough letters.
fn sample_of(text: &str) -> &str {
    let mut letters = 0;
    // Counts whole pieces while they are ASCII and not the last one.
    let mut begun = 0;
    for piece in text.as_bytes().chunks_exact(PIECE) {
        let more = piece.iter().fold(0u8, |sum, byte| sum + u8::from(byte.is_ascii_alphabetic()));
        if !piece.is_ascii()
            || letters + usize::from(more) > SAMPLE_LETTERS
            || begun + PIECE > SAMPLE_BYTES
        {
            break;
        }
        letters += usize::from(more);
        begun += PIECE;
    }
    for (at, c) in text[begun..].char_indices().map(|(at, c)| (begun + at, c)) {
        letters += usize::from(is_alphabetic(c));
        if letters > SAMPLE_LETTERS || at >= SAMPLE_BYTES {
            return &text[..at];
        }
    }
    text
}

/// Bytes whose letters are counted together.
const PIECE: usize = 64;

/// Counts letters and their marks by script, at the script's index.
fn script_counts(text: &str) -> [(Option<Script>, usize); Script::COUNT] {
    let kinds = CharacterTable::get();
    let mut counts = [(None, 0); Script::COUNT];
    let ascii = text.bytes().filter(u8::is_ascii_alphabetic).count();
    if ascii > 0 {
        counts[Script::Latin as usize] = (Some(Script::Latin), ascii);
    }
    for c in text.chars().filter(|c| !c.is_ascii()) {
        let is_letter = matches!(kinds.of(c).class(), Class::Word | Class::Mark | Class::Unspaced);
        if is_letter && let Some(script) = Script::of(c) {
            counts[script as usize] = (Some(script), counts[script as usize].1 + 1);
        }
    }
    counts
}

/// The sample without the letters of other scripts.
fn only_script(text: &str, script: Script) -> Cow<'_, str> {
    let stays = |c: char| Script::of(c).is_none_or(|other| other == script);
    // ASCII letters are Latin, and other ASCII characters belong to no script.
    let stays_at_a_look = |c: char| (c.is_ascii() && script == Script::Latin) || stays(c);
    if text.chars().all(stays_at_a_look) {
        text.into()
    } else {
        text.chars().filter(|&c| stays(c)).collect()
    }
}

/// The language of a script; for a shared script, the language to assume when no detector answers.
fn main_language(script: Script) -> Language {
    Language::new(match script {
        Script::Latin => "en",
        Script::Cyrillic => "ru",
        Script::Arabic => "ar",
        Script::Hebrew => "he",
        Script::Devanagari => "hi",
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

/// Whether the detectors know several languages with this script.
fn is_shared(script: Script) -> bool {
    use Script::{Arabic, Cyrillic, Devanagari, Hebrew, Latin};
    matches!(script, Latin | Cyrillic | Arabic | Hebrew | Devanagari)
}

fn is_written_in(language: Language, script: Script) -> bool {
    (language.as_str() == "ru") == (script == Script::Cyrillic)
        && !["ar", "hi", "ja", "ko", "zh"].contains(&language.as_str())
}

#[cfg(test)]
#[path = "detect_tests.rs"]
mod tests;
