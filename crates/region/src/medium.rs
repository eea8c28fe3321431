//! What an article shows besides text.

use dom::{NodeId, local_name};

use crate::embed::{Embedded, embedded};
use crate::picture::PagePicture;
use crate::texts::PageTexts;

/// Something that is shown without being text.
#[derive(Clone, Debug)]
pub(crate) enum Medium {
    /// A picture.
    Picture(PagePicture),
    /// What is shown by a frame or the like.
    Embedded(Embedded),
    /// A `video` or `audio`.
    Player(Embedded),
    /// A formula.
    Formula,
}

/// What an element of the page shows, if it is a component or a player.
pub(crate) fn player(texts: &PageTexts<'_>, id: NodeId) -> Option<Medium> {
    let found = embedded(texts.document, id, texts.base).or_else(|| {
        let sources = texts.document.subtree(id).skip(1);
        sources
            .filter(|&id| texts.document.is(id, &local_name!("source")))
            .find_map(|source| embedded(texts.document, source, texts.base))
    })?;
    Some(match texts.document.name(id) {
        Some(&local_name!("video")) => {
            Medium::Player(Embedded { kind: model::EmbedKind::Video, ..found })
        }
        Some(&local_name!("audio")) => {
            Medium::Player(Embedded { kind: model::EmbedKind::Audio, ..found })
        }
        _ => Medium::Embedded(found),
    })
}
