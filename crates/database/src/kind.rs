//! What a database is, by its `application_id` (<https://www.sqlite.org/fileformat2.html#application_id>).

/// The id of a store of site models.
pub const MODEL_STORE: i64 = 0x5369_4D6F;
/// The id of an archive of articles.
pub const ARTICLE_ARCHIVE: i64 = 0x5369_4772;

/// What a database with this id is, for messages.
pub fn name_kind(application: i64) -> &'static str {
    match application {
        MODEL_STORE => "a model store",
        ARTICLE_ARCHIVE => "an archive of articles",
        _ => "the database of another program",
    }
}
