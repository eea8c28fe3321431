//! Names of months, weekdays and halves of the day, in the languages of the GNU C library's locales, and time zones.
//!
//! Names are compared folded and without signs, so that "Sept.", "p. m." and "Meán Fómhair" are one word each.

use std::sync::LazyLock;

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZoneDatabase};
use rustc_hash::FxHashMap;
use terms::letters::is_in_word;

use crate::text::fold;

struct CalendarWords {
    /// ISO 639 code.
    language: &'static str,
    /// Names of the twelve months.
    months: [&'static [&'static str]; 2],
    /// Abbreviations of months, as in "Sep".
    short_months: [&'static [&'static str]; 2],
    weekdays: [&'static [&'static str]; 2],
    /// Words for a.m. and p.m.; empty where days have 24 hours.
    halves: &'static [&'static str],
    /// Forms of a date, in the notation of `strftime`.
    forms: [&'static str; 3],
}

macro_rules! or_empty {
    ($option:expr, $empty:expr) => {
        match $option {
            Some(value) => value,
            None => $empty,
        }
    };
}

macro_rules! locales {
    ($($language:literal $locale:ident,)*) => {
        [$({
            use pure_rust_locales::$locale::LC_TIME as time;
            CalendarWords {
                language: $language,
                months: [time::MON, or_empty!(time::ALT_MON, &[])],
                short_months: [time::ABMON, or_empty!(time::AB_ALT_MON, &[])],
                weekdays: [time::DAY, time::ABDAY],
                halves: time::AM_PM,
                forms: [time::D_FMT, time::D_T_FMT, or_empty!(time::DATE_FMT, "")],
            }
        },)*]
    };
}

/// The most common languages on the web come first: if the language of a page is not known, a word has its meaning in the first
/// language that has the word.
static LOCALES: [CalendarWords; 106] = locales! {
    "en" en_US, "de" de_DE, "de" de_AT, "es" es_ES, "fr" fr_FR, "it" it_IT, "pt" pt_BR, "nl" nl_NL, "pl" pl_PL,
    "ru" ru_RU, "uk" uk_UA, "cs" cs_CZ, "sk" sk_SK, "hu" hu_HU, "ro" ro_RO, "sv" sv_SE, "da" da_DK, "nb" nb_NO,
    "fi" fi_FI, "el" el_GR, "tr" tr_TR, "ca" ca_ES, "id" id_ID, "ar" ar_EG, "ar" ar_SY, "ar" ar_MA, "ar" ar_DZ,
    "ja" ja_JP, "zh" zh_CN, "ko" ko_KR, "vi" vi_VN, "fa" fa_IR, "he" he_IL, "hi" hi_IN, "bn" bn_BD, "th" th_TH,
    "hr" hr_HR, "sr" sr_RS, "sr" sr_RS_latin, "bs" bs_BA, "sl" sl_SI, "mk" mk_MK, "bg" bg_BG, "be" be_BY, "lt" lt_LT,
    "lv" lv_LV, "et" et_EE, "is" is_IS, "no" nb_NO, "nn" nn_NO, "fo" fo_FO, "ga" ga_IE, "gd" gd_GB, "cy" cy_GB,
    "br" br_FR, "eu" eu_ES, "gl" gl_ES, "ast" ast_ES, "oc" oc_FR, "mt" mt_MT, "sq" sq_AL, "af" af_ZA, "fy" fy_NL,
    "lb" lb_LU, "ms" ms_MY, "tl" tl_PH, "fil" fil_PH, "sw" sw_KE, "so" so_SO, "ha" ha_NG, "yo" yo_NG, "ig" ig_NG,
    "zu" zu_ZA, "xh" xh_ZA, "am" am_ET, "ti" ti_ER, "hy" hy_AM, "ka" ka_GE, "az" az_AZ, "kk" kk_KZ, "ky" ky_KG,
    "uz" uz_UZ, "uz" uz_UZ_cyrillic, "tg" tg_TJ, "tk" tk_TM, "tt" tt_RU, "mn" mn_MN, "ur" ur_PK, "ps" ps_AF,
    "ku" ku_TR, "ug" ug_CN, "ta" ta_IN, "te" te_IN, "mr" mr_IN, "gu" gu_IN, "pa" pa_IN, "kn" kn_IN, "ml" ml_IN,
    "or" or_IN, "as" as_IN, "ne" ne_NP, "si" si_LK, "my" my_MM, "km" km_KH, "lo" lo_LA, "eo" eo,
};

/// Number of [`LOCALES`] whose abbreviations count on pages of any language.
const COMMON: usize = 27;

/// Spellings of months that no locale has.
const OTHER_MONTHS: [(&str, i8); 18] = [
    ("jaenner", 1),
    ("feber", 2),
    ("maerz", 3),
    ("mrz", 3),
    ("avr", 4),
    ("juna", 6),
    ("jula", 7),
    ("sept", 9),
    ("setiembre", 9),
    ("сент", 9),
    ("noi", 11),
    ("फरवरी", 2),
    ("सितम्बर", 9),
    ("अक्टूबर", 10),
    ("नवम्बर", 11),
    ("दिसम्बर", 12),
    ("জানুয়ারি", 1),
    ("ফেব্রুয়ারি", 2),
];

/// Months of the Solar Hijri calendar, from the beginning of spring. Their numbers follow those of the other months.
const SOLAR_MONTHS: [&str; 12] = [
    "فروردین", "اردیبهشت", "خرداد", "تیر", "مرداد", "شهریور", "مهر", "آبان", "آذر", "دی", "بهمن",
    "اسفند",
];

/// What a name means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WordMeaning {
    Month(i8),
    /// 0 for Sunday.
    Weekday(i8),
    ShortWeekday(i8),
    /// Whether it is the second half of the day.
    Half(bool),
    /// A word that dates of the language contain.
    Filler,
}

struct MeaningIn {
    language: &'static str,
    /// Whether it has this meaning on pages in other languages, too.
    anywhere: bool,
    meaning: WordMeaning,
}

static WORDS: LazyLock<FxHashMap<String, Vec<MeaningIn>>> = LazyLock::new(|| {
    let mut words: FxHashMap<String, Vec<MeaningIn>> = FxHashMap::default();
    let mut add = |language, anywhere, name: &str, meaning| {
        let key = join_letters(name);
        if !key.is_empty() {
            words.entry(key).or_default().push(MeaningIn { language, anywhere, meaning });
        }
    };
    for (name, month) in OTHER_MONTHS {
        add("", true, name, WordMeaning::Month(month));
    }
    for (month, name) in (13..).zip(SOLAR_MONTHS) {
        add("fa", false, name, WordMeaning::Month(month));
    }
    for (index, words) in LOCALES.iter().enumerate() {
        let language = words.language;
        for (names, is_whole) in [(words.months, true), (words.short_months, false)] {
            for names in names {
                for (month, name) in (1..).zip(names) {
                    // Scripts after Cyrillic in Unicode are used by few languages each.
                    let is_own_script = name.starts_with(|c| c > '\u{52f}');
                    let anywhere = is_whole || index < COMMON || is_own_script;
                    add(language, anywhere, name, WordMeaning::Month(month));
                    // Its last vowel is lost before endings: "septembra", "septembril".
                    if let Some(stem) = name.strip_suffix("er").filter(|_| is_whole) {
                        add(language, anywhere, &format!("{stem}r"), WordMeaning::Month(month));
                    }
                }
            }
        }
        let [long, short] = words.weekdays;
        for (day, name) in (0..).zip(long) {
            // "Anna" is a Friday in Turkmen, and a first name elsewhere.
            let anywhere = index < COMMON || !name.is_ascii() || name.contains(' ');
            add(language, anywhere, name, WordMeaning::Weekday(day));
        }
        for (day, name) in (0..).zip(short) {
            // "du" is a Sunday in Romania, an afternoon in Hungary.
            let anywhere = name.chars().count() > 2;
            add(language, anywhere, name, WordMeaning::ShortWeekday(day));
        }
        for (half, name) in words.halves.iter().enumerate() {
            add(language, true, name, WordMeaning::Half(half == 1));
        }
        for form in words.forms {
            // "%Y m. %B %d d." has "m" and "d".
            let literal = form.split('%').skip(1).flat_map(|part| {
                let part = part.trim_start_matches(['-', '_', '0', 'E', 'O', '^', '#']);
                part.get(1..).unwrap_or_default().split(|c| !is_in_word(c))
            });
            literal.for_each(|word| add(language, false, word, WordMeaning::Filler));
        }
    }
    words
});

/// The letters and digits of a name, folded and in one canonical spelling.
pub(crate) fn join_letters(name: &str) -> String {
    let letters = name.chars().filter(|c| is_in_word(*c) && !is_joiner(*c) || c.is_ascii_digit());
    letters.filter_map(fold).map(bare_letter).collect()
}

/// Whether a character only shapes adjacent letters, or is a sign below them that is often left out.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{93c}' | '\u{9bc}')
}

/// A letter without its sign: an alef with a hamza, letters of Hindi and Bengali with a nukta.
fn bare_letter(c: char) -> char {
    match c {
        '\u{622}' | '\u{623}' | '\u{625}' => '\u{627}',
        '\u{95b}' => '\u{91c}',
        '\u{95e}' => '\u{92b}',
        '\u{9dc}' => '\u{9a1}',
        '\u{9df}' => '\u{9af}',
        other => other,
    }
}

/// The first meaning of a joined name that `wanted` accepts: in a language, else on pages in any language.
fn look_up<T>(
    key: &str,
    language: Option<&str>,
    wanted: impl Fn(WordMeaning) -> Option<T>,
) -> Option<T> {
    let meanings = WORDS.get(key)?;
    let own = meanings.iter().filter(|word| Some(word.language) == language);
    own.chain(meanings.iter().filter(|word| word.anywhere)).find_map(|word| wanted(word.meaning))
}

/// Maximum number of letters that an ending adds to a name: "tammikuuta", "irailaren".
const ENDING: usize = 3;

/// Minimum number of letters of a name that is recognised with an ending.
const STEM: usize = 5;

/// The month (1 to 12, or 13 to 24 of the Solar Hijri calendar) that a joined name means on a page in this language. Inflected
/// forms are recognised by the beginning of the name.
pub(crate) fn month_of(key: &str, language: Option<&str>) -> Option<i8> {
    if key.len() > 60 {
        return None;
    }
    let month = |key: &str| {
        look_up(key, language, |meaning| match meaning {
            WordMeaning::Month(month) => Some(month),
            _ => None,
        })
    };
    month(key).or_else(|| {
        let mut stems = key
            .char_indices()
            .rev()
            .take(ENDING)
            .take_while(|(_, c)| !c.is_ascii_digit())
            .filter(|(at, _)| key[..*at].chars().count() >= STEM);
        let stem = stems.find_map(|(at, _)| month(&key[..at]));
        // Hebrew and Arabic write prepositions as part of the word.
        let mut letters = key.chars();
        stem.or_else(|| match letters.next()? {
            '\u{590}'..='\u{6ff}' => month(letters.as_str()),
            _ => None,
        })
    })
}

/// Whether a text is the name of a weekday, in any language. With `short`, abbreviations count, too; those of up to two letters
/// count in this language only.
pub(crate) fn is_weekday(text: &str, short: bool, language: Option<&str>) -> bool {
    weekday_of(text, short, language).is_some()
}

/// Which weekday a text names, 0 for Sunday.
pub(crate) fn weekday_of(text: &str, short: bool, language: Option<&str>) -> Option<i8> {
    let day_of = |meaning| match meaning {
        WordMeaning::Weekday(day) => Some(day),
        WordMeaning::ShortWeekday(day) if short => Some(day),
        _ => None,
    };
    (text.len() <= 60).then(|| look_up(&join_letters(text), language, day_of)).flatten()
}

/// Whether a joined word means the second half of the day (`Some(true)`) or the first (`Some(false)`).
pub(crate) fn half_of_day(key: &str, language: Option<&str>) -> Option<bool> {
    look_up(key, language, |meaning| match meaning {
        WordMeaning::Half(second) => Some(second),
        _ => None,
    })
}

/// Whether dates of a language contain a joined word.
pub(crate) fn is_filler(key: &str, language: Option<&str>) -> bool {
    let wanted = |meaning| (meaning == WordMeaning::Filler).then_some(());
    language.is_some() && look_up(key, language, wanted).is_some()
}

/// Abbreviations of time zones by their offsets in minutes: those of [RFC 2822](https://www.rfc-editor.org/rfc/rfc2822#section-4.3), of the
/// [tz database](https://www.iana.org/time-zones) and others in use. "IST" is missing: it is Indian, Irish and Israeli.
const ZONES: [(i32, &[&str]); 26] = [
    (-600, &["HST"]),
    (-540, &["AKST"]),
    (-480, &["PST", "AKDT"]),
    (-420, &["MST", "PDT"]),
    (-360, &["CST", "MDT"]),
    (-300, &["EST", "CDT"]),
    (-240, &["EDT", "AST"]),
    (-210, &["NST"]),
    (-180, &["ADT", "BRT", "ART"]),
    (-150, &["NDT"]),
    (0, &["GMT", "UTC", "UT", "Z", "WET"]),
    (60, &["WEST", "BST", "CET", "MEZ", "WAT"]),
    (120, &["CEST", "MESZ", "EET", "CAT", "SAST"]),
    (180, &["EEST", "MSK", "TRT", "EAT"]),
    (210, &["IRST"]),
    (240, &["MSD", "SAMT", "GST"]),
    (300, &["YEKT", "PKT"]),
    (345, &["NPT"]),
    (360, &["OMST"]),
    (420, &["NOVT", "KRAT", "ICT", "WIB"]),
    (480, &["IRKT", "WITA", "SGT", "MYT", "HKT", "PHT", "AWST"]),
    (540, &["YAKT", "WIT", "JST", "KST"]),
    (570, &["ACST"]),
    (600, &["VLAT", "AEST"]),
    (660, &["MAGT", "AEDT"]),
    (720, &["PETT", "NZST"]),
];

/// The offset of a time zone at a local time. Zones are named by abbreviation or as in the tz database ("Asia/Tokyo").
pub(crate) fn zone_offset(name: &str, time: DateTime) -> Option<Offset> {
    if !name.contains('/') {
        let (minutes, _) = ZONES.iter().find(|(_, names)| names.contains(&name))?;
        return Offset::from_seconds(minutes * 60).ok();
    }
    // The system's database may differ from machine to machine.
    let zone = TimeZoneDatabase::bundled().get(name).ok()?;
    match zone.to_ambiguous_timestamp(time).offset() {
        AmbiguousOffset::Unambiguous { offset } => Some(offset),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_in_many_languages() {
        let month = |word: &str, language| month_of(&join_letters(word), language);
        for (word, expected) in [
            ("FÉVRIER", 2),
            ("März", 3),
            ("Października", 10),
            ("kesäkuuta", 6),
            ("ก.ย.", 9),
            ("Meán Fómhair", 9),
            ("tháng 11", 11),
            ("септември", 9),
            ("டிசம்பர்", 12),
            ("באוקטובר", 10),
            ("irailaren", 9),
        ] {
            assert_eq!(month(word, None), Some(expected), "{word}");
        }
        assert_eq!((month("monday", None), month("", None), month("11", None)), (None, None, None));
        // Polish November is Croatian October. Abbreviations of rare languages count only on pages in that language.
        assert_eq!(
            (month("listopada", None), month("listopada", Some("hr"))),
            (Some(11), Some(10))
        );
        assert_eq!((month("rgp", None), month("rugp.", Some("lt"))), (None, Some(8)));
    }

    #[test]
    fn weekdays_and_halves_of_the_day() {
        let is_weekday = |text, short| is_weekday(text, short, None);
        for text in ["Chủ nhật", "MITTWOCH", "Σάββατο"] {
            assert!(is_weekday(text, false), "{text}");
        }
        assert!(is_weekday("Tue", true) && !is_weekday("Tue", false));
        for text in ["Du", "", "Sunday Okoro"] {
            assert!(!is_weekday(text, true), "{text}");
        }
        for (word, second) in [("p. m.", true), ("오전", false), ("م", true), ("μμ", true)] {
            assert_eq!(half_of_day(&join_letters(word), None), Some(second), "{word}");
        }
        assert_eq!(half_of_day("xy", None), None);
        assert!(is_filler("gada", Some("lv")) && !is_filler("gada", None));
    }

    #[test]
    fn zones_by_abbreviation_and_name() {
        let hours = |name, month| {
            let time = jiff::civil::date(2026, month, 1).at(12, 0, 0, 0);
            zone_offset(name, time).map(|offset| offset.seconds() / 3600)
        };
        assert_eq!((hours("JST", 1), hours("CEST", 1), hours("XYZ", 1)), (Some(9), Some(2), None));
        assert_eq!((hours("Europe/Berlin", 1), hours("Europe/Berlin", 7)), (Some(1), Some(2)));
        assert_eq!(hours("No/Where", 1), None);
    }
}
