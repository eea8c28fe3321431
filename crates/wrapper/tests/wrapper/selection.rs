//! Nodes that paths select.

use dom::xpath::Path;
use sitegrove_wrapper::{select, select_nested};

#[test]
fn what_is_pruned_may_lie_inside_what_else_is_selected() {
    let document = dom::parse("<div><div class=body><p>a</p><div>b</div></div></div>");
    let paths: Vec<Path> = vec!["//div".parse().unwrap()];
    // With `select`, only the outermost: the box around everything, which would remove nothing
    // of the body.
    assert_eq!(select(&paths, &document).len(), 1);
    assert_eq!(select_nested(&paths, &document).len(), 3);
}
