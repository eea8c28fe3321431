//! The set of names that revisits ask for.

use sitegrove_grouping::NameFilter;

#[test]
fn it_has_what_was_added_and_few_others() {
    let mut filter = NameFilter::default();
    assert!(!filter.may_have(0));
    let name = |n: u128| n.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    (0..10_000).for_each(|n| filter.add(name(n)));
    assert!((0..10_000).all(|n| filter.may_have(name(n))));
    let others = (10_000..20_000).filter(|&n| filter.may_have(name(n))).count();
    assert!(others < 50, "{others} of 10,000 others pass");
}
