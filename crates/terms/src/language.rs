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
    /// `None` for text that is not a language tag, codes that ISO 639 does not have ("cz"), and "und", "mul", "zxx".
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.trim().split(['-', '_']).next()?;
        if !(2..=3).contains(&primary.len()) || !primary.bytes().all(|b| b.is_ascii_alphabetic()) {
            return None;
        }
        let primary = primary.to_ascii_lowercase();
        if ["und", "mul", "zxx", "mis"].contains(&primary.as_str()) {
            return None;
        }
        if let Some((_, canonical)) = CANONICAL.iter().find(|(from, _)| *from == primary) {
            return Some(Self::new(canonical));
        }
        let known = match primary.len() {
            2 => isolang::Language::from_639_1(&primary),
            _ => isolang::Language::from_639_3(&primary),
        }?;
        Some(Self::new(known.to_639_1().unwrap_or(known.to_639_3())))
    }

    /// Creates a language from a code known to be canonical.
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

/// Codes that ISO 639-3 lacks, or has only for a variety: retired codes, the bibliographic codes of ISO 639-2, and codes of
/// varieties that are not distinguished here.
#[rustfmt::skip]
const CANONICAL: [(&str, &str); 29] = [
    ("alb", "sq"), ("arb", "ar"), ("arm", "hy"), ("baq", "eu"), ("bur", "my"), ("chi", "zh"),
    ("cmn", "zh"), ("cze", "cs"), ("dut", "nl"), ("fre", "fr"), ("geo", "ka"), ("ger", "de"),
    ("gre", "el"), ("ice", "is"), ("in", "id"), ("iw", "he"), ("ji", "yi"), ("jw", "jv"),
    ("mac", "mk"), ("may", "ms"), ("mo", "ro"), ("nb", "no"), ("nn", "no"), ("nno", "no"),
    ("nob", "no"), ("per", "fa"), ("pes", "fa"), ("rum", "ro"), ("tib", "bo"),
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
        for tag in ["", "x", "-", "english", "12", "und", "mul", "é", "i-klingon", "utf-8", "cz"] {
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
