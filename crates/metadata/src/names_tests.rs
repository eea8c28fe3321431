use super::*;
use proptest::prelude::*;

#[track_caller]
fn field(text: &str, expected: &[&str]) {
    assert_eq!(from_field(text), expected, "{text:?}");
}

#[track_caller]
fn byline(text: &str, expected: &[&str]) {
    assert_eq!(from_byline(text), expected, "{text:?}");
}

#[test]
fn labels_go() {
    field("By Jane Doe", &["Jane Doe"]);
    field("Von Max Mustermann", &["Max Mustermann"]);
    field("Von Miller", &["Von Miller"]);
    field("Par Jean Dupont", &["Jean Dupont"]);
    field("Szerző: Kovács János", &["Kovács János"]);
    field("作者：王小明", &["王小明"]);
    field("Posted by: Jane Doe", &["Jane Doe"]);
    field("Byron Smith", &["Byron Smith"]);
}

#[test]
fn lists_are_split() {
    field("Jane Doe and John Roe", &["Jane Doe", "John Roe"]);
    field("Jane Doe, John Roe, and Ann Poe", &["Jane Doe", "John Roe", "Ann Poe"]);
    field("Max Mustermann und Erika Muster", &["Max Mustermann", "Erika Muster"]);
    field("Jean Dupont et Marie Curie", &["Jean Dupont", "Marie Curie"]);
    field("José Ortega y Gasset", &["José Ortega y Gasset"]);
    field("王小明、李大同", &["王小明", "李大同"]);
    field("Jane Doe & JANE DOE", &["Jane Doe"]);
}

#[test]
fn titles_and_roles_after_a_comma_go() {
    field("Jane Doe, MD", &["Jane Doe"]);
    field("Jane Doe, Ph.D., Staff Writer", &["Jane Doe"]);
    field("Doe, Jane Q.", &["Jane Q. Doe"]);
    field("Jane Doe, CNN", &["Jane Doe"]);
}

#[test]
fn addresses_are_no_names() {
    field("https://www.facebook.com/jane.doe", &[]);
    field("jane@example.org (Jane Doe)", &["Jane Doe"]);
    field("@jane", &[]);
    field("Jane Doe (Reuters)", &["Jane Doe"]);
}

#[test]
fn bylines_end_before_dates_and_places() {
    byline("By Jane Doe on March 3, 2012", &["Jane Doe"]);
    byline("By JANE DOE and JOHN ROE | Updated 3 hours ago", &["JANE DOE", "JOHN ROE"]);
    byline("By Jane Doe, Special to The Herald", &["Jane Doe"]);
    byline("Jane Doe 12:30, 3 May 2012", &["Jane Doe"]);
    byline("3 comments", &[]);
    byline("by the numbers", &[]);
}

#[test]
fn desks_are_names_and_words_about_authors_are_not() {
    byline("By The Orchard editors", &["The Orchard editors"]);
    byline("Jane Doe staff writer", &["Jane Doe"]);
    byline("Author Spotlight", &[]);
    byline("Author: Jane", &["Jane"]);
    byline("This post was written by Jane Doe, Head of Marketing", &["Jane Doe"]);
}

#[test]
fn after_a_role_comes_no_name() {
    byline("Posted by Jane Doe, Software Engineer, Orchard Response", &["Jane Doe"]);
    byline("Posted by Jane Doe, Orchard Desktop Team", &["Jane Doe"]);
    byline("By Jane Doe, Editor, and John Roe, Reporter", &["Jane Doe", "John Roe"]);
    field("Jane Doe, John Roe", &["Jane Doe", "John Roe"]);
}

#[test]
fn roles_follow_names() {
    assert_eq!(before_role("Jane Doe | Senior Writer | July 2, 2025"), ["Jane Doe"]);
    assert_eq!(before_role("Jane Doe, Editor"), ["Jane Doe"]);
    for text in
        ["News | Senior Writer", "Jane Doe | Sports", "Jane Doe", "Pears are ripe, says a writer"]
    {
        assert!(before_role(text).is_empty(), "{text}");
    }
}

#[test]
fn labels_within_a_line() {
    assert_eq!(after_label("2012年11月21日　来源：果园　作者：王小明　大 中 小"), ["王小明"]);
    assert_eq!(after_label("2012年11月21日 作者:王小明  大"), ["王小明"]);
    assert_eq!(after_label("2012年11月21日　記者：山田 太郎"), ["山田 太郎"]);
    assert!(after_label("作者の言葉").is_empty());
    assert!(after_label("作者：").is_empty());
}

proptest! {
    #[test]
    fn nothing_panics_and_names_are_clean(text in "\\PC{0,120}") {
        let found = [from_field(&text), from_byline(&text), before_role(&text), after_label(&text)];
        for name in found.into_iter().flatten() {
            prop_assert!(!name.trim().is_empty());
        }
    }

    #[test]
    fn bylines_of_every_shape(text in "(By |von |Autor: |作者|)[A-Za-z,&@ ()|.\\-é王]{0,60}( and | und |, | y )[A-Za-zÁ ]{0,20}") {
        from_field(&text);
        from_byline(&text);
    }

    #[test]
    fn labels_anywhere(text in "[0-9年月日　 ]{0,8}(作者|记者|文)[：:/ ]{0,2}[王山A-z　 ，|]{0,12}") {
        prop_assert!(after_label(&text).iter().all(|name| !name.trim().is_empty()));
    }
}

#[test]
fn labels_of_unspaced_scripts_are_looked_for() {
    assert!(UNSPACED_LABELS.iter().all(|label| may_be_unspaced(label) && !label.is_ascii()));
    assert!(!may_be_unspaced("Von Åsa Öberg, и др."));
}
