//! Token filters: remove the stop words of a language.
//!
//! tantivy has Snowball's lists for twelve languages, and for English only the 33 words of Lucene's
//! `EnglishAnalyzer`, which lack every pronoun and auxiliary verb. In Forest a stop word counts
//! neither as signifier nor as other term (§3.1), so for English the remaining closed-class words
//! are added here, corresponding to the lists of other languages. Contractions are listed as this
//! crate's tokenizer joins them, unless that gives another word ("she'll"). For languages without a
//! list, see [`crate::FrequentTerms`].

use tantivy::tokenizer::{Language, StopWordFilter};

/// The stop word filters of a language; empty if it has no list.
pub(crate) fn stop_word_filters(language: Option<Language>) -> Vec<StopWordFilter> {
    let Some(language) = language else { return Vec::new() };
    let mut filters: Vec<_> = StopWordFilter::new(language).into_iter().collect();
    if language == Language::English {
        let words = ENGLISH.split_whitespace().map(str::to_owned);
        filters.push(StopWordFilter::remove(words));
    }
    filters
}

/// English closed-class words that are not in Lucene's list.
const ENGLISH: &str = "
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself its itself them theirs themselves
    who whom whose which what those
    am were been being have has had having do does did doing done
    would should could can cannot ought shall
    because until while about against between through during before after above below
    from up down out off over under upon again further once than also
    here when where why how all any both each few more most other some
    nor only own same so too very just
    im ive youre youve youll youd theyre theyve theyll theyd weve itll hes shes thats
    isnt arent wasnt werent hasnt havent hadnt doesnt dont didnt
    wont wouldnt shant shouldnt cant couldnt mustnt lets whats heres theres
";

#[cfg(test)]
mod tests {
    use tantivy::tokenizer::{TextAnalyzer, WhitespaceTokenizer};

    use super::*;

    fn remaining(language: Option<Language>, text: &str) -> Vec<String> {
        let mut builder = TextAnalyzer::builder(WhitespaceTokenizer::default()).dynamic();
        for filter in stop_word_filters(language) {
            builder = builder.filter_dynamic(filter);
        }
        let mut words = Vec::new();
        builder.build().token_stream(text).process(&mut |token| words.push(token.text.clone()));
        words
    }

    #[test]
    fn lists_of_tantivy() {
        assert_eq!(remaining(Some(Language::German), "der wald und die seen"), ["wald", "seen"]);
        assert_eq!(remaining(Some(Language::Russian), "книга и я"), ["книга"]);
    }

    #[test]
    fn english_has_its_pronouns_and_auxiliaries() {
        let text = "they have seen the hell which you dont know";
        assert_eq!(remaining(Some(Language::English), text), ["seen", "hell", "know"]);
    }

    #[test]
    fn no_list() {
        assert_eq!(remaining(Some(Language::Turkish), "bu kitap"), ["bu", "kitap"]);
        assert_eq!(remaining(None, "the book"), ["the", "book"]);
    }
}
