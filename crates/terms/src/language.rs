//! Language names: BCP 47 primary subtags in canonical form.
//!
//! Regions, scripts and variants are cut off ("pt-BR" → "pt"). Three-letter codes become two-letter
//! ones where they exist, retired codes their successors (RFC 5646 §4.5), and both written forms of
//! Norwegian become "no", because neither the detectors nor the stemmers distinguish them.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A language, two or three lower-case letters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language([u8; 3]);

impl Language {
    /// The language that a declaration names: `<html lang>`, a feed's language, an ISO 639 code.
    /// `None` for text that is not a language tag, and for "und", "mul", "zxx".
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.trim().split(['-', '_']).next()?;
        if !(2..=3).contains(&primary.len()) || !primary.bytes().all(|b| b.is_ascii_alphabetic()) {
            return None;
        }
        let primary = primary.to_ascii_lowercase();
        if ["und", "mul", "zxx", "mis"].contains(&primary.as_str()) {
            return None;
        }
        let canonical = CANONICAL.iter().find(|(from, _)| *from == primary);
        Some(Self::new(canonical.map_or(primary.as_str(), |(_, to)| to)))
    }

    /// A code known to be canonical.
    pub(crate) const fn new(code: &str) -> Self {
        let code = code.as_bytes();
        Self([code[0], code[1], if code.len() > 2 { code[2] } else { 0 }])
    }

    /// The subtag: "en", "zh", "gsw".
    pub fn as_str(&self) -> &str {
        let end = if self.0[2] == 0 { 2 } else { 3 };
        std::str::from_utf8(&self.0[..end]).unwrap_or_default()
    }
}

impl Serialize for Language {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let tag = String::deserialize(from)?;
        let language = Self::from_tag(&tag).filter(|language| language.as_str() == tag);
        language.ok_or_else(|| de::Error::custom(format!("{tag:?} is no language")))
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Language({self})")
    }
}

/// Codes with a shorter or newer form: those the detectors use, the other ISO 639-2 forms, the
/// retired ones.
#[rustfmt::skip]
const CANONICAL: [(&str, &str); 107] = [
    ("afr", "af"), ("aka", "ak"), ("alb", "sq"), ("amh", "am"), ("ara", "ar"), ("arb", "ar"),
    ("arm", "hy"), ("aze", "az"), ("baq", "eu"), ("bel", "be"), ("ben", "bn"), ("bod", "bo"),
    ("bos", "bs"), ("bul", "bg"), ("bur", "my"), ("cat", "ca"), ("ces", "cs"), ("chi", "zh"),
    ("cmn", "zh"), ("cym", "cy"), ("cze", "cs"), ("dan", "da"), ("deu", "de"), ("dut", "nl"),
    ("ell", "el"), ("eng", "en"), ("epo", "eo"), ("est", "et"), ("eus", "eu"), ("fas", "fa"),
    ("fin", "fi"), ("fra", "fr"), ("fre", "fr"), ("geo", "ka"), ("ger", "de"), ("gle", "ga"),
    ("glg", "gl"), ("gre", "el"), ("guj", "gu"), ("heb", "he"), ("hin", "hi"), ("hrv", "hr"),
    ("hun", "hu"), ("hye", "hy"), ("ice", "is"), ("in", "id"), ("ind", "id"), ("isl", "is"),
    ("ita", "it"), ("iw", "he"), ("jav", "jv"), ("ji", "yi"), ("jpn", "ja"), ("jw", "jv"),
    ("kan", "kn"), ("kat", "ka"), ("kaz", "kk"), ("khm", "km"), ("kor", "ko"), ("lao", "lo"),
    ("lat", "la"), ("lav", "lv"), ("lit", "lt"), ("mac", "mk"), ("mal", "ml"), ("mar", "mr"),
    ("may", "ms"), ("mkd", "mk"), ("mo", "ro"), ("mon", "mn"), ("msa", "ms"), ("mya", "my"),
    ("nb", "no"), ("nep", "ne"), ("nld", "nl"), ("nn", "no"), ("nno", "no"), ("nob", "no"),
    ("nor", "no"), ("ori", "or"), ("pan", "pa"), ("per", "fa"), ("pes", "fa"), ("pol", "pl"),
    ("por", "pt"), ("ron", "ro"), ("rum", "ro"), ("rus", "ru"), ("sin", "si"), ("slk", "sk"),
    ("slv", "sl"), ("sna", "sn"), ("spa", "es"), ("srp", "sr"), ("swe", "sv"), ("tam", "ta"),
    ("tel", "te"), ("tgl", "tl"), ("tha", "th"), ("tuk", "tk"), ("tur", "tr"), ("ukr", "uk"),
    ("urd", "ur"), ("uzb", "uz"), ("vie", "vi"), ("yid", "yi"), ("zul", "zu"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_brought_to_one_form() {
        let expected = [
            ("en", "en"),
            ("pt-BR", "pt"),
            ("DE_at", "de"),
            (" zh-Hant-TW ", "zh"),
            ("eng", "en"),
            ("iw", "he"),
            ("nb-NO", "no"),
            ("gsw", "gsw"),
        ];
        for (tag, code) in expected {
            assert_eq!(Language::from_tag(tag).map(|l| l.to_string()), Some(code.to_owned()));
        }
    }

    #[test]
    fn what_is_no_language_is_none() {
        for tag in ["", "x", "-", "english", "12", "und", "mul", "é", "i-klingon"] {
            assert_eq!(Language::from_tag(tag), None, "{tag:?}");
        }
    }

    #[test]
    fn every_code_of_the_detectors_is_canonical() {
        for language in whatlang::Lang::all() {
            let name = Language::from_tag(language.code()).unwrap().to_string();
            assert_eq!(name.len(), 2, "{name}");
        }
    }
}
