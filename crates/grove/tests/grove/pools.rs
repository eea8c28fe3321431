//! Scores of text that siblings repeat, and of comments.

use dom::Document;
use model::PageType;
use sitegrove_grove::{PageBlocks, Patterns, Pools, ScoredPage, TYPES};

use crate::decide::blocks_of;

/// Lowered scores of the blocks of the first page; all are 0.8 before.
fn lowered(htmls: &[String], thread: f32) -> Vec<f32> {
    let documents: Vec<Document> = htmls.iter().map(|html| dom::parse(html)).collect();
    let (patterns, of_nodes) = Patterns::of(&documents.iter().collect::<Vec<_>>());
    let mut blocks: Vec<PageBlocks> = documents.iter().map(blocks_of).collect();
    let mut types = [0.0; TYPES];
    types[PageType::Article as usize] = 1.0 - thread;
    types[PageType::Forum as usize] = thread;
    blocks.iter_mut().for_each(|page| page.set_types(&types));
    let scores: Vec<Vec<f32>> = blocks.iter().map(|page| vec![0.8; page.blocks.len()]).collect();
    let pages: Vec<ScoredPage<'_>> = (0..documents.len())
        .map(|at| ScoredPage { page: &blocks[at], patterns: &of_nodes[at], scores: &scores[at] })
        .collect();
    Pools::of(&pages, &patterns).less_repeated(&blocks[0], scores[0].clone())
}

#[test]
fn short_texts_in_a_large_template_are_no_copies_unless_their_title_is_the_same() {
    const WORDS: [&str; 3] = ["first", "second", "third"];
    let menu: String =
        (0..40).map(|n| format!("<li>line {} of the sidebar", "x".repeat(n + 1))).collect();
    let page = |title: &str, word: &str| {
        let post = format!("{word} ").repeat(9);
        format!("<title>{title}</title><p>{post}</p><ul>{menu}</ul>")
    };
    let different = lowered(&WORDS.map(|word| page(word, word)), 0.0);
    assert!(
        different[0] > 0.7 && different[1..].iter().all(|&score| score < 0.01),
        "{different:?}"
    );
    let copies = lowered(&WORDS.map(|word| page("One title", word)), 0.0);
    assert!(copies.iter().all(|&score| score > 0.7), "{copies:?}");
}

#[test]
fn comments_are_text_of_threads_only() {
    let text = "word ".repeat(30);
    let page = [format!("<p>{text}</p><div class=comments><p>{text}</p></div>")];
    let of = |thread: f32| lowered(&page, thread);
    assert_eq!(of(0.6), [0.8, 0.8]);
    assert!(of(0.3)[0] == 0.8 && of(0.3)[1] < 0.8, "{:?}", of(0.3));
    assert!(of(0.05)[1] < 0.2, "{:?}", of(0.05));
}
