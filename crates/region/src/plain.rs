//! The tree as a document without players and formulas, for forms that have no elements for them.

use std::borrow::Cow;

use dom::{Builder, Document, LocalName, local_name, local_names};

use crate::tree::{At, NodeMark, RegionTree};

/// The tree as a document: players are links, formulas their TeX source in code, or their text.
pub(crate) fn document_of(tree: &RegionTree<'_>) -> Document {
    enum Step {
        Open(At),
        Close,
    }
    let mut builder = Builder::of_all();
    let mut steps = vec![Step::Open(0)];
    while let Some(step) = steps.pop() {
        let at = match step {
            Step::Close => {
                builder.close();
                continue;
            }
            Step::Open(at) => at,
        };
        let node = &tree.nodes[at];
        let Some(name) = &node.name else {
            builder.text(&node.text);
            continue;
        };
        match *name {
            local_names!("video" "audio") => {
                let address = tree.attribute(at, &local_name!("src")).unwrap_or_default();
                let title = tree.attribute(at, &local_name!("title")).unwrap_or(address);
                builder.open(&local_name!("p"), std::iter::empty());
                builder.open(&local_name!("a"), std::iter::once((&local_name!("href"), address)));
                builder.text(title);
                builder.close();
                builder.close();
            }
            local_name!("math") => write_formula(tree, at, &mut builder),
            _ => {
                let attributes = node.attributes.iter().map(|(name, value)| (name, &**value));
                // Links within the article have no targets in Markdown, except those to notes.
                let is_link = *name == local_name!("a") && node.mark != NodeMark::Reference;
                let leads = |a: &(&LocalName, &str)| {
                    !(is_link && *a.0 == local_name!("href") && a.1.starts_with('#'))
                };
                builder.open(name, attributes.filter(leads));
                steps.push(Step::Close);
                steps.extend(node.children.iter().rev().map(|&child| Step::Open(child)));
            }
        }
    }
    builder.finish()
}

fn write_formula(tree: &RegionTree<'_>, at: At, builder: &mut Builder) {
    let is_tex = |at: At| {
        let encoding = tree.attribute(at, &local_name!("encoding")).unwrap_or_default();
        tree.is(at, &local_name!("annotation")) && encoding.to_ascii_lowercase().contains("tex")
    };
    let tex = tree.below(at).find(|&at| is_tex(at)).map(|at| tree.text_below(at, |_| false));
    let tex =
        tex.map(Cow::from).or_else(|| tree.attribute(at, &local_name!("alttext")).map(Cow::from));
    match tex.filter(|tex| !tex.is_empty()) {
        Some(tex) => {
            builder.open(&local_name!("code"), std::iter::empty());
            builder.text(&tex);
            builder.close();
        }
        None => {
            builder.text(&tree.text_below(at, |at| tree.is(at, &local_name!("annotation"))));
        }
    }
}
