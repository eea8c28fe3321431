//! Reads the answers of models and people to the question which blocks of a page are content.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use model::{Mark, MarkedBlock, TemplateCorrection};
use report::readable::count;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::LabelTask;

/// Counts of what answers contain and lack.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct AnswerCounts {
    pub(super) marks: usize,
    /// Lines without a readable answer.
    pub(super) unreadable: usize,
    /// Answers about pages that were not to be labelled.
    pub(super) unknown_pages: usize,
    /// Numbers of blocks that a page does not have.
    pub(super) unknown_items: usize,
    /// Blocks that an answer does not mention.
    pub(super) unanswered: usize,
}

#[derive(Deserialize)]
struct AnswerLine {
    url: String,
    answer: Value,
}

/// Turns a file of answers into corrections. Warns of answers that cannot be used, and counts them.
pub(super) fn corrections_of(
    path: &Path,
    text: &str,
    tasks: &[LabelTask],
    (by, at, reason): &(String, String, String),
    counts: &mut AnswerCounts,
) -> Vec<TemplateCorrection> {
    let by_url: BTreeMap<&str, &LabelTask> =
        tasks.iter().map(|task| (task.url.as_str(), task)).collect();
    let mut corrections = Vec::new();
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    for (number, line) in lines {
        let warn = |what: &str| {
            let next = "the other answers are used; ask again for this page";
            tracing::warn!(at = %path.display(), next, "line {}: {what}", number + 1);
        };
        let Ok(AnswerLine { url, answer }) = serde_json::from_str(line) else {
            counts.unreadable += 1;
            warn("is no JSON object with url and answer");
            continue;
        };
        let Some(task) = by_url.get(&*url) else {
            counts.unknown_pages += 1;
            warn(&format!("{url} is not in the labels"));
            continue;
        };
        let Some(answers) = answers_in(&answer, task.items.len()) else {
            counts.unreadable += 1;
            warn(&format!("the answer of {url} cannot be read"));
            continue;
        };
        let unknown = answers.keys().filter(|item| !(1..=task.items.len()).contains(*item)).count();
        if unknown > 0 {
            counts.unknown_items += unknown;
            let numbers = count(unknown, "number");
            warn(&format!("the answer of {url} has {numbers} that the page has not"));
        }
        let mut blocks = Vec::new();
        for (item, own) in (1..).zip(&task.items) {
            let Some(is_content) = answers.get(&item) else {
                counts.unanswered += 1;
                continue;
            };
            blocks.push(MarkedBlock {
                xpath: own.xpath.clone(),
                element: Some(own.element),
                words: own.words,
                hash: own.hash.clone(),
                mark: if *is_content { Mark::Content } else { Mark::NotContent },
            });
        }
        if blocks.is_empty() {
            continue;
        }
        counts.marks += blocks.len();
        if let Some(what) = degenerate(&blocks, task.article_words) {
            warn(&format!("the answer of {url} {what}; leave it out unless that is right"));
        }
        corrections.push(TemplateCorrection {
            url,
            by: by.clone(),
            at: at.clone(),
            reason: reason.clone(),
            elements: task.elements.clone(),
            blocks,
        });
    }
    corrections
}

/// Says why an answer is probably wrong: it has one label for all blocks, or leaves hardly anything of the article.
fn degenerate(blocks: &[MarkedBlock], words_of_article: u32) -> Option<String> {
    let first = blocks.first()?.mark;
    if blocks.len() > 1 && blocks.iter().all(|block| block.mark == first) {
        return Some(format!("calls all {} blocks {}", blocks.len(), first.as_str()));
    }
    let content = blocks.iter().filter(|block| block.mark == Mark::Content);
    let words: u32 = content.map(|block| block.words).sum();
    let is_little = words < words_of_article / 10;
    is_little.then(|| format!("leaves {words} of {words_of_article} words of its article"))
}

/// Reads from an answer whether each numbered block is content. The answer is an object of `main` and `other` by number, its
/// short form (`1main2other`), or a list of all blocks that are content. `None` if it is none of these.
fn answers_in(answer: &Value, items: usize) -> Option<BTreeMap<usize, bool>> {
    match answer {
        Value::Object(labels) => {
            let of = |(key, label): (&String, &Value)| {
                Some((number_in(key)?, is_main(label.as_str()?)?))
            };
            let found: BTreeMap<usize, bool> = labels.iter().filter_map(of).collect();
            if !found.is_empty() {
                return Some(found);
            }
            let content = labels.iter().find(|(key, _)| is_main(key) == Some(true));
            content
                .filter(|(_, list)| list.is_array())
                .and_then(|(_, list)| answers_in(list, items))
        }
        Value::Array(list) => {
            let of = |value: &Value| match value {
                Value::Number(number) => usize::try_from(number.as_u64()?).ok(),
                Value::String(text) => number_in(text),
                _ => None,
            };
            let content: BTreeSet<usize> = list.iter().filter_map(of).collect();
            let mut found: BTreeMap<usize, bool> =
                content.iter().map(|item| (*item, true)).collect();
            // An answer that names no block of the page is about another page.
            if list.is_empty() || content.range(1..=items).next().is_some() {
                for item in 1..=items {
                    found.entry(item).or_insert(false);
                }
            }
            (!found.is_empty()).then_some(found)
        }
        Value::String(text) => answers_in_text(text, items),
        _ => None,
    }
}

/// Like `answers_in`, for the text that a model wrote: the answer may have words around it, or be cut off at the end.
fn answers_in_text(text: &str, items: usize) -> Option<BTreeMap<usize, bool>> {
    // Models think aloud and explain. The longest of several objects and lists is the answer; of equally long ones, the last.
    let mut longest: Option<(usize, BTreeMap<usize, bool>)> = None;
    let mut at = 0;
    while let Some(open) = text[at..].find(['{', '[']).map(|open| at + open) {
        let mut values = serde_json::Deserializer::from_str(&text[open..]).into_iter::<Value>();
        let value = values.next().and_then(Result::ok);
        at = open + value.as_ref().map_or(1, |_| values.byte_offset());
        let Some(found) = value.and_then(|value| answers_in(&value, items)) else { continue };
        let length = at - open;
        if longest.as_ref().is_none_or(|(most, _)| length >= *most) {
            longest = Some((length, found));
        }
    }
    if longest.is_some() {
        return longest.map(|(_, found)| found);
    }
    // Pairs of a number and a label, with anything but letters and digits between them.
    let mut found = BTreeMap::new();
    let mut number = None;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let kind = first.is_ascii_digit();
        let length = rest
            .find(|c: char| !(c.is_alphanumeric() && c.is_ascii_digit() == kind))
            .unwrap_or(rest.len());
        if length == 0 {
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (word, after) = rest.split_at(length);
        match (kind, number) {
            (true, _) => number = word.parse().ok(),
            (false, Some(item)) => {
                if let Some(is_main) = is_main(word) {
                    found.insert(item, is_main);
                    number = None;
                }
            }
            (false, None) => {}
        }
        rest = after;
    }
    (!found.is_empty()).then_some(found)
}

/// Parses the number in a key: `3` or `item_id 3`.
fn number_in(key: &str) -> Option<usize> {
    key.trim_start_matches(|c: char| !c.is_ascii_digit()).trim().parse().ok()
}

fn is_main(label: &str) -> Option<bool> {
    match label.trim().to_ascii_lowercase().as_str() {
        "main" | "content" => Some(true),
        "other" | "not-content" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answers(answer: Value) -> Option<Vec<(usize, bool)>> {
        Some(answers_in(&answer, 3)?.into_iter().collect())
    }

    #[test]
    fn answers_have_several_forms() {
        let all = Some(vec![(1, false), (2, true), (3, false)]);
        for answer in [
            json!({"1": "other", "2": "main", "3": "other"}),
            json!({"item_id 1": "other", "item_id 2": "main", "item_id 3": "Other"}),
            json!("{\"1\": \"other\", \"2\": \"main\", \"3\": \"other\"}"),
            json!("Here you are:\n```json\n{\"1\":\"other\",\"2\":\"main\",\"3\":\"other\"}\n```"),
            json!("1other2main3other"),
            json!([2]),
            json!("Content: [2]"),
            json!(
                "<think>[1] is a menu, and {this} the title.</think> The answer is [2, 2]; [3] is a link."
            ),
            json!({"content": [2]}),
            json!("{\"main\": [\"2\"], \"other\": [1, 3]}"),
        ] {
            assert_eq!(answers(answer.clone()), all, "{answer}");
        }
    }

    #[test]
    fn answers_that_leave_nothing_are_probably_wrong() {
        let why = |marks: &[(u32, Mark)], words| {
            let block = |&(words, mark): &(u32, Mark)| MarkedBlock {
                xpath: String::new(),
                element: None,
                words,
                hash: String::new(),
                mark,
            };
            degenerate(&marks.iter().map(block).collect::<Vec<_>>(), words).unwrap_or_default()
        };
        let (content, other) = (Mark::Content, Mark::NotContent);
        assert_eq!(why(&[(9, other), (90, other)], 90), "calls all 2 blocks not-content");
        assert_eq!(why(&[(9, content), (90, content)], 90), "calls all 2 blocks content");
        assert_eq!(why(&[(8, content), (90, other)], 90), "leaves 8 of 90 words of its article");
        assert_eq!(why(&[(9, content), (90, other)], 90), "");
        assert_eq!(why(&[(9, content)], 9), "");
    }

    #[test]
    fn torn_and_strange_answers_give_what_they_have() {
        assert_eq!(answers(json!("{\"1\": \"main\", \"2\": \"oth")), Some(vec![(1, true)]));
        assert_eq!(answers(json!("7main, 99999999999999999999999main")), Some(vec![(7, true)]));
        assert_eq!(answers(json!({"1": 5, "x": "main"})), None);
        assert_eq!(answers(json!([7])), Some(vec![(7, true)]));
        assert_eq!(answers(json!([])), Some(vec![(1, false), (2, false), (3, false)]));
        for nothing in
            [json!(null), json!(""), json!("I cannot."), json!(["x"]), json!({}), json!("{[")]
        {
            assert_eq!(answers(nothing.clone()), None, "{nothing}");
        }
    }
}
