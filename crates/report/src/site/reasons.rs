//! Explanations of figures.

use grove::Decision;
use sink::{PatternRecord, WrapperRecord};

use super::evidence::{PatternRow, PatternTable};
use crate::readable::{count, percent};

/// Why the first of the ranked patterns came first.
pub(super) fn why_first(patterns: &[PatternRecord]) -> String {
    let (first, second) = match patterns {
        [] => return "No structural pattern was found significant.".to_owned(),
        [_] => return "It is the only pattern that was found significant.".to_owned(),
        [first, second, ..] => (first, second),
    };
    let mut text = format!("It came first with relevance {:.1}", first.relevance);
    if second.relevance > 0.0 {
        let times = first.relevance / second.relevance;
        text.push_str(&format!(", {times:.2} times that of the second ({:.1})", second.relevance));
        if times < 1.05 {
            text.push_str(": nearly a tie");
        }
    }
    text.push_str(". ");
    let (mut more, mut less) = (Vec::new(), Vec::new());
    let mut compare = |what: &str, own: f64, other: f64, shown: String| {
        // A difference of less than a hundredth explains nothing.
        if own > other * 1.01 {
            more.push(format!("{what} ({shown})"));
        } else if own < other * 0.99 {
            less.push(format!("{what} ({shown})"));
        }
    };
    let density = |p: &PatternRecord| 100.0 * f64::from(p.x) / f64::from((p.x + p.y).max(1));
    compare(
        "denser signifiers",
        first.j,
        second.j,
        format!(
            "J {:.4} against {:.4}; {:.1} % of its terms against {:.1} %",
            first.j,
            second.j,
            density(first),
            density(second)
        ),
    );
    compare(
        "less expected text",
        first.u,
        second.u,
        format!("U {:.1} against {:.1}", first.u, second.u),
    );
    compare(
        "more pages on which it is significant",
        f64::from(first.pages),
        f64::from(second.pages),
        format!("{} against {}", first.pages, second.pages),
    );
    compare(
        "more depth",
        f64::from(first.level),
        f64::from(second.level),
        format!("level {} against {}", first.level, second.level),
    );
    if !more.is_empty() {
        text.push_str(&format!("In its favour: {}. ", more.join("; ")));
    }
    if !less.is_empty() {
        text.push_str(&format!("In favour of the second: {}.", less.join("; ")));
    }
    text.trim_end().to_owned()
}

/// How well a wrapper is supported.
pub(super) fn support_of(wrapper: &WrapperRecord) -> String {
    let support = &wrapper.support;
    let learnt = count(support.learnt_from as usize, "page");
    let tested = match support.held_back {
        0 => "no page was held back to test it".to_owned(),
        held_back => format!(
            "without the vote of {}, the same is kept on {} of them",
            count(held_back as usize, "page"),
            support.held_back_agreeing
        ),
    };
    let margin = support.runner_up_margin;
    let what = if wrapper.engine == "grove" {
        "mean score of what it keeps over that of the rest"
    } else {
        "1 − relevance of the second pattern over that of the first"
    };
    let exact = support.exact * 100.0;
    format!(
        "Learnt from {learnt}, exact on {exact:.0} % of them; {tested}. Margin {margin:.2} ({what})."
    )
}

/// Why a pattern is kept or not.
pub(super) fn why_decided(row: &PatternRow, table: &PatternTable) -> String {
    let reads_like_it = row.score >= f64::from(table.threshold);
    let stake = "too few words are at stake to make an exception of it";
    let first = match (reads_like_it, row.decision) {
        (true, Decision::Keep) => "its words score above the threshold".to_owned(),
        (false, Decision::Keep) => format!("its words score below the threshold, but {stake}"),
        (false, _) => "its words score below the threshold".to_owned(),
        (true, _) => format!(
            "its words score above the threshold, but what is around it is not kept, and {stake}"
        ),
    };
    let mut reasons = vec![first];
    let links = f64::from(row.link_words) / f64::from(row.words.max(1));
    if links >= 0.5 {
        reasons.push(format!("{} of them are links", percent(links, 1.0)));
    }
    if table.siblings > 1 && row.blocks > 1 {
        let distinct = row.distinct as f64 / row.blocks as f64;
        if distinct <= 0.5 {
            reasons.push("the same texts recur on the siblings".to_owned());
        } else if distinct >= 0.95 {
            reasons.push("its texts are different on each".to_owned());
        }
    }
    let what = match row.decision {
        Decision::Keep => "Kept",
        Decision::Prune => "Pruned",
        Decision::Outside => "Left outside",
    };
    format!("{what}: {}.", reasons.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(pages: u32, j: f64, relevance: f64) -> PatternRecord {
        let element = String::new();
        PatternRecord { element, level: 4, pages, x: 10, y: 90, j, u: 5.0, i: 1.0, relevance }
    }

    #[test]
    fn the_winner_is_compared_with_the_second() {
        assert!(why_first(&[]).starts_with("No"));
        let text = why_first(&[pattern(8, 0.04, 12.0), pattern(7, 0.05, 10.0)]);
        assert!(text.contains("1.20 times") && text.contains("8 against 7"), "{text}");
        let (first, second) = text.split_once("In favour of the second").unwrap();
        assert!(first.contains("more pages") && second.contains("denser"), "{text}");
        assert!(!text.contains("depth") && !text.contains("expected"), "{text}");
    }
}
