//! Keys of configuration files: checks them, and merges them over the defaults.

use std::cmp::Ordering;

use anyhow::{Result, bail};
use errors::Problem;
use toml::{Table, Value};

use super::DEFAULT;

pub(super) fn check_keys(
    own: &Table,
    known: &Table,
    section: &str,
    shown: &dyn std::fmt::Display,
) -> Result<()> {
    for (key, value) in own {
        let name = if section.is_empty() { key.clone() } else { format!("{section}.{key}") };
        let Some(default) = known.get(key) else {
            let keys: Vec<&str> = known.keys().map(String::as_str).collect();
            let next = match meant(&name, section, known) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None if section.is_empty() => format!("the tables are {}", keys.join(", ")),
                None => format!("the keys of [{section}] are {}", keys.join(", ")),
            };
            let what = format!("unknown key `{name}` in the configuration");
            bail!(Problem::new(shown, what, next));
        };
        match (value, default) {
            (Value::Table(own), Value::Table(known)) => {
                check_keys(own, known, &name, shown)?;
            }
            (_, Value::Table(_)) => {
                bail!(Problem::new(shown, format!("`{name}` must be a table: [{name}]"), ""))
            }
            _ => {}
        }
    }
    Ok(())
}

/// Names of types and choices in serde's messages, and the words for them in ours.
const TYPES: [(&str, &str); 7] = [
    ("expected usize", "expected a whole number"),
    ("expected u64", "expected a whole number"),
    ("expected u32", "expected a whole number"),
    ("expected u16", "expected a whole number"),
    ("expected f64", "expected a number"),
    ("expected a boolean", "expected true or false"),
    ("unknown variant", "unknown value"),
];

/// Turns a TOML error into a problem that names the key with the invalid value, and the reason.
pub(super) fn value_problem(at: &str, error: &toml::de::Error) -> Problem {
    let text = error.to_string();
    let key = text.lines().find_map(|line| line.trim().strip_prefix("in `")?.strip_suffix('`'));
    let message = TYPES
        .iter()
        .fold(error.message().to_owned(), |text, (serde, ours)| text.replace(serde, ours));
    let what = key.map_or_else(|| message.clone(), |key| format!("{key}: {message}"));
    Problem::new(at, what, "")
}

/// Minimum similarity (Jaro-Winkler) between an unknown key and a key to suggest.
const SIMILAR: f64 = 0.84;

/// Finds the key that an unknown key probably stands for: a similar one of its table, the same key of another table, or a
/// similar one of any table.
fn meant(name: &str, section: &str, known: &Table) -> Option<String> {
    let own = known.keys().map(|key| match section {
        "" => key.clone(),
        section => format!("{section}.{key}"),
    });
    let defaults: Table = toml::from_str(DEFAULT).ok()?;
    let tables = defaults.iter().filter_map(|(section, of)| Some((section, of.as_table()?)));
    let all: Vec<String> = tables
        .flat_map(|(section, of)| of.keys().map(move |key| format!("{section}.{key}")))
        .collect();
    let key = |of: &str| of.rsplit_once('.').map_or(of, |parts| parts.1).to_owned();
    let nearest = |among: &[String]| {
        let likeness = |of: &String| {
            let keys = strsim::jaro_winkler(&key(of), &key(name));
            (keys > SIMILAR).then(|| (keys, strsim::jaro_winkler(of, name), of.clone()))
        };
        let best = among.iter().filter_map(likeness);
        best.max_by(|a, b| (a.0, a.1).partial_cmp(&(b.0, b.1)).unwrap_or(Ordering::Equal))
    };
    let own: Vec<String> = own.collect();
    let found = nearest(&own).or_else(|| nearest(&all))?;
    Some(found.2)
}

/// Overwrites values of one table with those of another, recursively.
pub(super) fn overlay(base: &mut Table, own: Table) {
    for (key, value) in own {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(base)), Value::Table(own)) => overlay(base, own),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}
