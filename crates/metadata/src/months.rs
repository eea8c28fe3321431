//! Month names and their abbreviations, without diacritics: English, German, French, Spanish,
//! Italian, Portuguese, Catalan, Hungarian, Dutch, Polish, Czech, Slovak, Romanian, Swedish, Danish,
//! Norwegian, Finnish, Turkish, Indonesian, Russian, Ukrainian, Greek and Arabic.
//!
//! No name may denote two months. This excludes Croatian, where `listopad` is October.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::chars::fold;

#[rustfmt::skip]
const NAMES: [&str; 12] = [
    "january jan januar janner jaenner januari janvier janv enero ene gennaio gen janeiro \
     stycznia styczen ledna leden januara ianuarie ian ocak tammikuuta tammikuu января янв \
     січня ιανουαριου gener يناير",
    "february feb februar feber fevrier fevr febrero febbraio fevereiro fev februari febr \
     lutego luty unora unor februara februarie subat helmikuuta helmikuu февраля фев лютого \
     φεβρουαριου febrer فبراير",
    "march mar marz maerz mrz mars marzo marco marcius marc maart mrt marca marzec brezna \
     brezen marts martie mart maaliskuuta maaliskuu maret марта мар березня μαρτιου مارس",
    "april apr avril avr abril abr aprile aprilis kwietnia kwiecien dubna duben aprila aprilie \
     nisan huhtikuuta huhtikuu апреля апр квітня απριλιου أبريل",
    "may mai mayo maggio mag maio majus maj mei maja kvetna kveten toukokuuta toukokuu mayis \
     мая май травня μαιου maig مايو",
    "june jun juni juin junio giugno giu junho junius czerwca czerwiec cervna cerven juna iunie \
     iun kesakuuta kesakuu haziran июня июн червня ιουνιου juny يونيو",
    "july jul juli juillet juil julio luglio lug julho julius lipca lipiec cervence cervenec \
     jula iulie iul heinakuuta heinakuu temmuz июля июл липня ιουλιου juliol يوليو",
    "august aug aout agosto ago augusztus augustus augusti sierpnia sierpien srpna srpen \
     augusta agustos agustus elokuuta elokuu августа авг серпня αυγουστου agost أغسطس",
    "september sep sept septembre septiembre setiembre set settembre setembro szeptember szept \
     wrzesnia wrzesien zari septembra septembrie eylul syyskuuta syyskuu сентября сен сент \
     вересня σεπτεμβριου setembre سبتمبر",
    "october oct oktober okt octobre octubre ottobre ott outubro out pazdziernika pazdziernik \
     rijna rijen oktobra octombrie ekim lokakuuta lokakuu октября окт жовтня οκτωβριου أكتوبر",
    "november nov novembre noviembre novembro listopada listopad listopadu novembra noiembrie \
     noi kasim marraskuuta marraskuu ноября ноя листопада νοεμβριου نوفمبر",
    "december dec dezember dez decembre diciembre dic dicembre dezembro grudnia grudzien \
     prosince prosinec decembra decembrie desember des desembre aralik joulukuuta joulukuu \
     декабря дек грудня δεκεμβριου ديسمبر",
];

static MONTHS: LazyLock<HashMap<&str, i8>> = LazyLock::new(|| {
    let months = (1i8..).zip(NAMES);
    months.flat_map(|(month, names)| names.split_whitespace().map(move |n| (n, month))).collect()
});

/// The month (1 to 12) that a word names.
pub(crate) fn month_of(word: &str) -> Option<i8> {
    if word.len() > 32 {
        return None;
    }
    let folded: String = word.chars().filter_map(fold).collect();
    MONTHS.get(&*folded).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_in_any_case_and_with_accents() {
        assert_eq!(month_of("FÉVRIER"), Some(2));
        assert_eq!(month_of("März"), Some(3));
        assert_eq!(month_of("Października"), Some(10));
        assert_eq!(month_of("monday"), None);
    }

    #[test]
    fn no_name_means_two_months() {
        let all = NAMES.iter().flat_map(|names| names.split_whitespace()).count();
        assert_eq!(MONTHS.len(), all);
    }
}
