//! Sketches of sets.

use proptest::prelude::*;
use sitegrove_duplicates::Sketch;
use xxhash_rust::xxh3::xxh3_64;

fn hashes(numbers: std::ops::Range<u64>) -> impl Iterator<Item = u64> {
    numbers.map(|n| xxh3_64(&n.to_le_bytes()))
}

#[test]
fn the_estimate_is_close() {
    for (shared, own, expected) in [(1000, 0, 1.0), (900, 50, 0.9), (600, 200, 0.6), (0, 500, 0.0)]
    {
        let one = Sketch::<32>::of(hashes(0..shared + own));
        let other = hashes(0..shared).chain(hashes(10_000..10_000 + own));
        let found = one.similarity(&Sketch::of(other));
        assert!((found - expected).abs() < 0.1, "{found} instead of {expected}");
    }
}

#[test]
fn small_sets_are_compared_too() {
    let of = |numbers| Sketch::<32>::of(hashes(numbers));
    assert_eq!(of(0..3).similarity(&of(0..3)), 1.0);
    assert!(of(0..3).similarity(&of(3..6)) < 0.1);
    assert_eq!(of(0..0).similarity(&of(0..0)), 1.0);
    assert!(of(0..0).similarity(&of(0..5)) < 0.1);
}

proptest! {
    #[test]
    fn order_and_repetition_do_not_matter(mut set in prop::collection::vec(any::<u64>(), 0..300)) {
        let sketch = Sketch::<32>::of(set.iter().copied());
        set.reverse();
        set.extend_from_within(..);
        prop_assert_eq!(sketch, Sketch::of(set));
    }
}
