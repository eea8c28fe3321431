//! Tests of complete analyzers: each script, stop words, stems, and results independent of the
//! cache.

use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::*;

fn terms(code: &str, text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let mut analyzer = Analyzer::for_language(Language::from_tag(code));
    analyzer.analyze(text, &mut |term| terms.push(term.text.to_owned()));
    terms
}

#[track_caller]
fn check(code: &str, text: &str, expected: &[&str]) {
    assert_eq!(terms(code, text), expected, "{code}: {text}");
}

#[test]
fn english() {
    check("en", "She doesn't run; the runs were running in 2026.", &["run", "run", "run", "2026"]);
    check("en-GB", "I’ve a 5 and X", &[]);
}

#[test]
fn latin_with_diacritics() {
    check("fr", "L'homme a vu les écoles d’été", &["homm", "vu", "écol", "été"]);
    check("es", "Los niños y las canciones", &["niñ", "cancion"]);
    check("pl", "Zażółć gęślą jaźń", &["zażółć", "gęślą", "jaźń"]);
    check("vi", "người Việt", &["người", "việt"]);
}

#[test]
fn german_compounds_are_kept_whole() {
    let compound = "Donaudampfschifffahrtsgesellschaftskapitänsmützen";
    check(
        "de",
        &format!("Die {compound} und die Straßen"),
        &["donaudampfschifffahrtsgesellschaftskapitansmutz", "strass"],
    );
}

#[test]
fn cyrillic_and_greek() {
    check("ru", "Книги и книга о школах", &["книг", "книг", "школ"]);
    check("el", "Καλημέρα φορολογούμενε αντιθετε", &["καλημερ", "φορολογουμεν", "ανετ"]);
}

#[test]
fn arabic_and_hebrew() {
    assert_eq!(terms("ar", "الكتاب"), terms("ar", "كتاب"));
    check("he", "הממשלה הודיעה", &["הממשלה", "הודיעה"]);
}

#[test]
fn scripts_without_spaces() {
    check("zh", "北京大学，2026年", &["北京", "京大", "大学", "2026", "年"]);
    check("ja", "東京タワーへ", &["東京", "京タ", "タワ", "ワー", "ーへ"]);
    check("th", "ภาษา", &["ภา", "าษ", "ษา"]);
    check("ko", "집 학교에서 Seoul", &["집", "학교에서", "seoul"]);
    check("zh", &"漢".repeat(100), &["漢漢"; 99]);
}

#[test]
fn words_are_given_as_they_stand() {
    let mut found = Vec::new();
    let text = "The Storks' can't be: O'Shea nests";
    Analyzer::for_language(Language::from_tag("en")).analyze_words(text, &mut |word| {
        found.push((word.position, word.raw.to_owned(), word.term.text.to_owned()));
    });
    let expected = [(1, "Storks", "stork"), (4, "OShea", "oshea"), (5, "nests", "nest")];
    let found: Vec<_> = found.iter().map(|(at, raw, term)| (*at, &raw[..], &term[..])).collect();
    assert_eq!(found, expected);
}

#[test]
fn long_tokens_are_no_terms() {
    let data = "Zm9v".repeat(10_000);
    check("en", &format!("cat {data} dog"), &["cat", "dog"]);
}

#[test]
fn no_language() {
    let mut found = Vec::new();
    Analyzer::for_language(None).analyze("The Dogs", &mut |term| found.push(term.text.to_owned()));
    assert_eq!(found, ["the", "dogs"]);
}

#[test]
fn languages_that_are_treated_alike_share_an_analyzer() {
    let mut analyzers = Analyzers::new();
    for code in ["en", "pl", "cs", "zh", "ca", "oc", "fr"] {
        analyzers.get(Language::from_tag(code));
    }
    assert_eq!(analyzers.by_recipe.len(), 4);
    assert!(analyzers.get(Language::from_tag("fr")).has_stop_words());
    assert!(!analyzers.get(Language::from_tag("tr")).has_stop_words());
}

#[test]
fn version_names_the_locked_crates() {
    let lock = std::fs::read_to_string("../../Cargo.lock").unwrap();
    for (name, version) in CRATES {
        let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
        assert!(lock.contains(&entry), "{name}: update CRATES, and RULES if terms change");
    }
    assert!(Analyzer::version().contains("rust-stemmers 1.2.0"));
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        r"(\PC|[a-z'’ \u{ad}中กのا\u{301}]){0,80}",
        "([a-zäöüßéè]{1,12}[ '’.]){0,20}",
        "([а-яё]{1,12} |[α-ωάέήίόύώς]{1,12} |[ء-ي]{1,8} ){0,20}",
        r"\p{any}{0,60}",
        "([0-9]{1,6}[ a.]){0,20}",
        "((The|the|THE|Runs|runs|RUNS|internationalizations|Internationalizations) ){0,20}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn the_memo_changes_nothing(text in texts(), before in texts()) {
        let codes = LANGUAGES.iter().map(|known| known.0).chain(["ca", "zh"]);
        for code in codes {
            let language = Language::from_tag(code);
            let mut expected = Vec::new();
            text_analyzer(language).token_stream(&text).process(&mut |token| {
                let hash = xxh3_64(token.text.as_bytes());
                expected.push((token.position, hash, token.text.clone()));
            });
            let mut analyzer = Analyzer::for_language(language);
            analyzer.analyze(&before, &mut |_| {});
            let mut found = Vec::new();
            analyzer.analyze_words(&text, &mut |AnalyzedWord { position, term, .. }| {
                found.push((position, term.hash, term.text.to_owned()));
            });
            prop_assert!(found.iter().all(|(_, _, text)| !text.is_empty()));
            prop_assert_eq!(found, expected, "{}", code);
        }
    }
}

#[test]
fn analyzers_together_remember_so_much() {
    let mut analyzers = Analyzers::new();
    let bytes = |analyzers: &Analyzers| -> usize {
        analyzers.by_recipe.values().map(|own| own.memo.bytes()).sum()
    };
    let text: String = (0..40_000).map(|number| format!("w{number} ")).collect();
    for round in 0..2 {
        for (code, ..) in LANGUAGES {
            let analyzer = analyzers.get(Language::from_tag(code));
            let mut count = 0;
            analyzer.analyze(&text, &mut |_| count += 1);
            assert_eq!(count, 40_000, "{code} {round}");
            assert!(bytes(&analyzers) < 2 * REMEMBERED, "{}", bytes(&analyzers));
        }
    }
    // The last one keeps its cache; one used long before does not.
    let last = LANGUAGES.last().map(|known| known.0);
    let least = |code| analyzers.by_recipe[&(code, Apostrophe::Joins)].memo.bytes();
    assert!(least(last) > 2 << 20 && least(Some("ar")) < 1 << 20);
}
