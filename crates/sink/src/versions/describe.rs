//! Describes how a version differs from the previous one.

use similar::TextDiff;

use super::essence::Essence;

/// What a diff is made of.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    pub(super) title: Option<String>,
    pub(super) authors: Vec<String>,
    pub(super) published: Option<String>,
    pub(super) description: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) text: String,
}

impl Told {
    /// Of a content and its text.
    pub(super) fn new(essence: &Essence, text: &str) -> Self {
        Self {
            title: essence.title.clone(),
            authors: essence.authors.clone(),
            published: essence.published.clone(),
            description: essence.description.value.clone(),
            tags: essence.tags.value.clone().unwrap_or_default(),
            text: text.to_owned(),
        }
    }
}

/// Texts of more lines are not compared line by line, as that takes time quadratic in what differs.
const MOST_LINES: usize = 5_000;

/// A unified diff (one line of context) of the fields that changed: metadata as `name: value`
/// lines, a blank line, the text's paragraphs.
pub(super) fn diff(before: &Told, after: &Told, changed: &[&str]) -> String {
    let (old, new) = (page(before, changed), page(after, changed));
    if old.lines().count().max(new.lines().count()) > MOST_LINES {
        return replaced(&old, &new);
    }
    let diff = TextDiff::from_lines(&old, &new);
    diff.unified_diff().context_radius(1).missing_newline_hint(false).to_string()
}

fn page(told: &Told, changed: &[&str]) -> String {
    let mut page = String::new();
    let lists = (told.authors.join("; "), told.tags.join("; "));
    let fields = [
        ("title", told.title.as_deref().unwrap_or_default()),
        ("authors", lists.0.as_str()),
        ("published", told.published.as_deref().unwrap_or_default()),
        ("description", told.description.as_deref().unwrap_or_default()),
        ("tags", lists.1.as_str()),
    ];
    for (name, value) in fields.into_iter().filter(|(name, _)| changed.contains(name)) {
        let value: Vec<&str> = value.split_whitespace().collect();
        page.push_str(&format!("{name}: {}\n", value.join(" ")));
    }
    if changed.contains(&"text") {
        if !page.is_empty() {
            page.push('\n');
        }
        page.push_str(&told.text);
        page.push('\n');
    }
    page
}

/// The lines between the common beginning and end, all of them removed and added.
fn replaced(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - head;
    let same_end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b);
    let tail = same_end.count().min(most);
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let from = |end: usize| if end > head { head + 1 } else { head };
    let mut diff = format!(
        "@@ -{},{} +{},{} @@\n",
        from(old_end),
        old_end - head,
        from(new_end),
        new_end - head
    );
    for (sign, lines) in [('-', &old[head..old_end]), ('+', &new[head..new_end])] {
        for line in lines {
            diff.push(sign);
            diff.push_str(line);
            diff.push('\n');
        }
    }
    diff
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(title: &str, text: &str) -> Told {
        Told { title: Some(title.to_owned()), text: text.to_owned(), ..Told::default() }
    }

    #[test]
    fn only_what_changed_is_shown() {
        let (old, new) = (told("A", "One.\n\nTwo.\n\nThree."), told("B", "One.\n\n2.\n\nThree."));
        assert_eq!(diff(&old, &new, &["title"]), "@@ -1 +1 @@\n-title: A\n+title: B\n");
        let text = diff(&old, &new, &["text"]);
        assert_eq!(text, "@@ -2,3 +2,3 @@\n \n-Two.\n+2.\n \n");
        assert!(diff(&old, &new, &["title", "text"]).contains("+title: B"));
    }

    #[test]
    fn long_texts_are_compared_at_their_ends() {
        let line = |n: usize| format!("line {n}\n");
        let old: String = (0..20_000).map(line).collect();
        let new: String = (0..20_000).map(|n| line(if n == 7 { 99_999 } else { n })).collect();
        let (old, new) = (told("A", &old), told("A", &new));
        assert_eq!(diff(&old, &new, &["text"]), "@@ -8,1 +8,1 @@\n-line 7\n+line 99999\n");
        assert_eq!(replaced("a\nb\n", "a\nb\nc\n"), "@@ -2,0 +3,1 @@\n+c\n");
    }
}
