//! Serialises hash maps and sets in the order of their keys, so that equal ones give equal bytes.
//!
//! For `#[serde(serialize_with = …)]`.

use std::collections::{HashMap, HashSet};

use serde::{Serialize, Serializer};

/// Writes a map in the order of its keys.
///
/// # Errors
/// Returns the errors of the serializer.
pub fn map<K: Ord + Serialize, V: Serialize, H, S: Serializer>(
    map: &HashMap<K, V, H>,
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut entries: Vec<(&K, &V)> = map.iter().collect();
    entries.sort_unstable_by(|a, b| a.0.cmp(b.0));
    to.collect_map(entries)
}

/// Writes a set in order.
///
/// # Errors
/// Returns the errors of the serializer.
pub fn set<K: Ord + Serialize, H, S: Serializer>(
    set: &HashSet<K, H>,
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut keys: Vec<&K> = set.iter().collect();
    keys.sort_unstable();
    to.collect_seq(keys)
}
