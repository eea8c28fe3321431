//! Tests of language detection: original sentences in each script and in related languages.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    let found = detect(text).map(|found| found.language.to_string());
    assert_eq!(found.as_deref(), Some(expected), "{text}");
}

#[test]
fn scripts_of_one_language() {
    check("Η κυβέρνηση ανακοίνωσε χθες νέα μέτρα για την παιδεία.", "el");
    check("รัฐบาลประกาศมาตรการใหม่เมื่อวานนี้", "th");
    check("정부는 어제 새로운 교육 정책을 발표했다고 밝혔다.", "ko");
    check("政府は昨日、新しい教育政策を発表しました。", "ja");
    check("政府昨天宣布了新的教育政策，引起广泛讨论。", "zh");
    check("მთავრობამ გუშინ ახალი ზომები გამოაცხადა.", "ka");
}

#[test]
fn shared_scripts() {
    check("Правительство вчера объявило о новых мерах для школ, но это не всё, что нужно.", "ru");
    check("Уряд учора оголосив про нові заходи для шкіл, але це ще не все, що потрібно.", "uk");
    check("Правителството обяви вчера нови мерки за училищата, но това не е всичко.", "bg");
    check("أعلنت الحكومة أمس عن إجراءات جديدة للمدارس في جميع أنحاء البلاد.", "ar");
    check("دولت دیروز اقدامات جدیدی را برای مدارس در سراسر کشور اعلام کرد.", "fa");
    check("הממשלה הודיעה אתמול על צעדים חדשים לבתי הספר ברחבי הארץ.", "he");
    check("सरकार ने कल स्कूलों के लिए नए उपायों की घोषणा की है।", "hi");
}

#[test]
fn letters_tell_languages_that_no_detector_knows() {
    for (text, language) in [
        ("Қалада жаңа мектеп ашылды, балалар қазір сонда оқиды, ата-аналары өте қуанышты.", "kk"),
        (
            "Шаарда жаңы мектеп ачылды, балдар азыр ошол жерде окушат, энелери сүйүнүп, өлкөдө.",
            "ky",
        ),
        ("Хотод шинэ сургууль нээгдэж, хүүхдүүд одоо тэнд сурч байна гэж өчигдөр мэдээлэв.", "mn"),
        ("Дар шаҳр мактаби нав кушода шуд, кӯдакон ҳоло дар он ҷо мехонанд.", "tg"),
        ("Шәһәрдә яңа мәктәп ачылды, балалар хәзер шунда укый, ә әти-әниләре бик җиңел.", "tt"),
        ("په ښار کې نوی ښوونځی پرانیستل شو او ماشومان اوس هلته زده کړې کوي.", "ps"),
        ("لە شارەکە قوتابخانەیەکی نوێ کرایەوە و منداڵان ئێستا لەوێ دەخوێنن.", "ckb"),
    ] {
        check(text, language);
        let found = detect(text).unwrap();
        assert!(["en", "ru", "fa"].iter().all(|l| found.contradicts(Language::new(l))), "{text}");
    }
    // The letters of a name.
    check(
        "Вчера в городе открыли новую школу, и в ней уже учатся дети, которые приехали из Ақтау.",
        "ru",
    );
    check(
        "Учора в місті відкрили нову школу, і діти вже навчаються в ній, а їхні батьки раді.",
        "uk",
    );
}

#[test]
fn latin_languages_that_whichlang_knows() {
    check("The government announced new measures for the schools of the country yesterday.", "en");
    check("Die Regierung kündigte gestern neue Maßnahmen für die Schulen des Landes an.", "de");
    check("Le gouvernement a annoncé hier de nouvelles mesures pour les écoles du pays.", "fr");
    check("El gobierno anunció ayer nuevas medidas para las escuelas y los maestros.", "es");
    check(
        "O governo anunciou ontem uma série de medidas para as escolas, com mais dinheiro.",
        "pt",
    );
    check("Il governo ha annunciato ieri nuove misure per le scuole della regione.", "it");
    check("De regering heeft gisteren nieuwe maatregelen voor de scholen aangekondigd.", "nl");
    check("Regeringen meddelade i går att nya åtgärder införs för skolorna och lärarna.", "sv");
    check("Hükümet dün okullar için yeni önlemler açıkladı ve bu çok tartışıldı.", "tr");
    check("Chính phủ hôm qua đã công bố các biện pháp mới cho trường học trong cả nước.", "vi");
}

#[test]
fn latin_languages_that_it_lacks() {
    check("Rząd ogłosił wczoraj nowe środki dla szkół w całym kraju, ale to nie wszystko.", "pl");
    check("Vláda včera oznámila nová opatření pro školy v celé zemi, ale to není všechno.", "cs");
    check("A kormány tegnap új intézkedéseket jelentett be az iskolák számára.", "hu");
    check(
        "Hallitus ilmoitti eilen uusista toimista kouluille koko maassa, mutta se ei riitä.",
        "fi",
    );
    check("Guvernul a anunțat ieri noi măsuri pentru școlile din întreaga țară.", "ro");
    check(
        "Regeringen har i går meddelt, at der kommer nye tiltag til skolerne i hele landet, af hensyn til børnene.",
        "da",
    );
}

/// "de" is a function word of Dutch here, and one of the most common words of languages that are
/// considered only where no list decides.
#[test]
fn one_word_of_a_neighbour_does_not_decide() {
    check(
        "Primăria orașului a anunțat de ieri noi măsuri de sprijin, de la cantine de cartier până la \
         cursuri de limbă pentru copii de vârstă mică.",
        "ro",
    );
    check(
        "La ciutat de Barcelona és la capital de Catalunya, i el barri de Gràcia és conegut arreu per \
         la festa de barri, plena de gent de tota mena que balla fins al vespre.",
        "ca",
    );
}

#[test]
fn foreign_names_do_not_decide() {
    check("苹果公司 Apple 昨天在 Cupertino 发布了新的 iPhone 和 MacBook，价格引起广泛讨论。", "zh");
    check(
        "Компания Google вчера представила новый Android, но это не всё, что ждали от неё.",
        "ru",
    );
}

#[test]
fn too_little_text() {
    for text in [
        "",
        "OK",
        "12 345 678 — 90",
        "Hi there",
        "中文",
        "😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀",
    ] {
        assert_eq!(detect(text), None, "{text}");
    }
}

#[test]
fn only_the_beginning_counts() {
    let english =
        "The government announced new measures for the schools of the country. ".repeat(60);
    let text = format!("{english}{}", "Die Regierung und die Schulen. ".repeat(10_000));
    check(&text, "en");
}

proptest! {
    #[test]
    fn never_panics_and_is_stable(text in r"(\PC|[a-zа-я中のกع ]){0,200}") {
        prop_assert_eq!(detect(&text), detect(&text));
    }
}

#[test]
fn declared_languages_that_are_not_detected_are_not_contradicted() {
    for (language, text) in [
        (
            "mn",
            "Хотын номын сан өчигдөр дахин нээгдэж, олон хүн хаалганы өмнө цугларчээ. Гүүрийн ажил гурван сар үргэлжилсэн.",
        ),
        (
            "ky",
            "Шаардык китепкана кечээ кайра ачылып, эшиктин алдына көп адам чогулду. Көпүрөнүн куруулушу үч айга созулду.",
        ),
        (
            "af",
            "Die stadsbiblioteek het gister weer oopgemaak, en baie mense het voor die deur gewag. Die werk aan die brug het drie maande geduur.",
        ),
        (
            "eu",
            "Hiriko liburutegia atzo ireki zuten berriro, eta jende asko bildu zen ate aurrean. Zubiaren lanak hiru hilabete iraun zuten.",
        ),
        (
            "is",
            "Borgarbókasafnið var opnað aftur í gær og margir söfnuðust saman við dyrnar. Vinnan við brúna tók þrjá mánuði.",
        ),
        (
            "gl",
            "A biblioteca da cidade abriu de novo onte e moita xente agardaba diante da porta. As obras da ponte duraron tres meses.",
        ),
        (
            "lb",
            "D'Stadbibliothéik ass gëschter nees opgaang, a vill Leit hunn virun der Dier gewaart. D'Aarbechten un der Bréck hunn dräi Méint gedauert.",
        ),
        (
            "ga",
            "Osclaíodh leabharlann na cathrach arís inné, agus bhailigh go leor daoine os comhair an dorais.",
        ),
        (
            "nb",
            "Byens bibliotek åpnet igjen i går, og mange mennesker ventet foran døren. Arbeidet med broen varte i tre måneder.",
        ),
        ("cy", "Agorodd llyfrgell y ddinas eto ddoe, ac ymgasglodd llawer o bobl o flaen y drws."),
    ] {
        let found = detect(text).unwrap();
        let declared = Language::from_tag(language).unwrap();
        assert!(!found.contradicts(declared), "{language}: {found:?}");
    }
    let english = "The library was opened again, and the people stood in front of it to see that it is for them. ";
    let english = detect(&english.repeat(4));
    for declared in ["de", "af", "eu", "da", "ar", "fa", "he", "hi", "ja", "ko", "th", "zh", "uk"] {
        assert!(english.unwrap().contradicts(Language::from_tag(declared).unwrap()), "{declared}");
    }
}

/// A site declares a language, but its texts are in another script, and some are too short to be certain.
#[test]
fn a_declared_language_of_another_script_is_contradicted() {
    let english =
        detect("The ferry was late again. Nobody on the pier knew when it would leave.").unwrap();
    assert!(english.score < CONTRADICTED_UNLISTED, "{english:?}");
    for (declared, is_contradicted) in [("uk", true), ("ar", true), ("th", true), ("sr", false)] {
        let declared = Language::from_tag(declared).unwrap();
        assert_eq!(english.contradicts(declared), is_contradicted, "{declared}");
    }
}

/// A theme declares its default language for texts in a language that the detectors do not know or mistake for a related one.
#[test]
fn a_default_without_its_function_words_is_contradicted() {
    let english = Language::from_tag("en").unwrap();
    for text in [
        "Byens bibliotek åpnet igjen i går, og mange mennesker ventet foran døren. Barna leker i parken ved elva når været \
         er fint. Ordføreren sa at det gamle torget skal settes i stand neste år. Bøndene solgte epler og ost på det store \
         markedet.",
        "La biblioteca de la ciudad volvió a abrir ayer y mucha gente esperaba delante de la puerta. El alcalde dijo que el \
         mercado viejo será reparado el año que viene. A pesar de la lluvia, la fiesta de la ciudad siguió todo el día.",
        "A biblioteca da cidade abriu de novo onte e moita xente agardaba diante da porta. As obras da ponte duraron tres \
         meses. Os labregos vendían mazás e queixo na feira grande, e a festa seguiu todo o día malia a chuvia que caía.",
    ] {
        let found = detect(text).unwrap();
        assert!(found.contradicts(english), "{found:?}");
        assert!(found.probability(english) < 0.1, "{found:?}");
    }
}

#[test]
fn codes_of_countries_are_no_languages_of_theirs() {
    let swedish =
        detect("Regeringen meddelade i går att nya åtgärder införs för skolorna och lärarna.");
    let korean = detect("정부는 어제 새로운 교육 정책을 발표했다고 밝혔다.");
    for (found, country) in [(swedish, "se"), (korean, "kr")] {
        assert!(found.unwrap().contradicts(Language::from_tag(country).unwrap()), "{country}");
    }
}

/// A dialect with some function words of its neighbour.
#[test]
fn relatives_that_no_detector_knows_are_believed() {
    let alemannic = "D Stadtbibliothek het geschter wider ufgmacht und vil Lüt hei vor dr Türe gwartet. D Chinder spile im \
                     Park näbem Fluss, we s Wätter schön isch. Dr Gmeindspräsidänt het gseit, dass dr alt Märit nächschts \
                     Jahr renoviert wird.";
    let found = detect(alemannic).unwrap();
    assert!(!found.contradicts(Language::from_tag("gsw").unwrap()), "{found:?}");
}
