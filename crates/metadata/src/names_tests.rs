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

proptest! {
    #[test]
    fn nothing_panics_and_names_are_clean(text in "\\PC{0,120}") {
        for name in from_field(&text).into_iter().chain(from_byline(&text)) {
            prop_assert!(!name.trim().is_empty());
        }
    }

    #[test]
    fn bylines_of_every_shape(text in "(By |von |Autor: |作者|)[A-Za-z,&@ ()|.\\-é王]{0,60}( and | und |, | y )[A-Za-zÁ ]{0,20}") {
        from_field(&text);
        from_byline(&text);
    }
}
