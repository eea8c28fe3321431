//! Heads of pages.

use sitegrove_grouping::{PageHead, address_hash, title_hash};

use crate::samples::page;

#[test]
fn a_head_comes_back_from_bytes() {
    let head = PageHead {
        part_group: Some("e.org".to_owned()),
        ..PageHead::of(&page("https://e.org/", "<p>x"), Some("https://e.org/a".to_owned()), "A")
    };
    assert_eq!((head.bytes, head.hash), (4, address_hash("https://e.org/")));
    let bytes = rmp_serde::to_vec(&head).unwrap();
    assert_eq!(rmp_serde::from_slice::<PageHead>(&bytes).unwrap(), head);
}

#[test]
fn titles_are_compared_without_white_space_around_them() {
    assert_eq!(title_hash(" A b\n"), title_hash("A b"));
    assert_ne!(title_hash("A b"), title_hash("A  b"));
}
