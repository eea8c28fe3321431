//! What a store knows of a site, and how a run adds to it.

use std::collections::BTreeMap;

use database::rows;
use model::{
    Assessment, NightFigures, PackedSample, RetainedHead, SiteNight, TemplateNight, Verdict,
};
use rusqlite::{Connection, Result, Row, RowIndex, params};

use crate::sample::pack;

/// What a store knows of a site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteState {
    /// Number of the newest revision of its model; 0 if there is none.
    pub revision: u32,
    /// Bytes of that revision, or of the one that this run applied when it was first added.
    pub model: Option<Vec<u8>>,
    /// Its retained pages, by address.
    pub retained: Vec<RetainedHead>,
    /// The last night in which each template was seen.
    pub last_seen: BTreeMap<String, String>,
    /// What this run found when it was first added.
    pub before: Option<Box<SiteNight>>,
}

/// What was removed to keep the store small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evicted {
    /// Sites whose samples were removed.
    pub sites: u64,
    /// Bytes of these samples.
    pub bytes: u64,
    /// Old revisions of models that were removed.
    pub revisions: u64,
}

/// Maximum number of bytes of a site's revisions, compressed; beyond it the oldest are removed.
const MOST_REVISION_BYTES: i64 = 4 << 20;
/// Revisions that are never removed: the newest one, and the one that it is compared with.
const FEWEST_REVISIONS: i64 = 2;

/// Reads what is known of a site, and for a `run` that the store contains, what it found. The model is compressed. If the
/// revision that the run applied was removed, it is the oldest one left.
pub(crate) fn state(db: &Connection, site: &str, run: Option<i64>) -> Result<SiteState> {
    let mut state = read(db, site, run)?;
    let wanted = match &mut state.before {
        Some(before) if before.model_revision > 0 => {
            let sql = "SELECT min(revision) FROM models WHERE site = ?1 AND revision >= ?2";
            let left: Option<u32> = db
                .prepare_cached(sql)?
                .query_row(params![site, before.model_revision], |row| row.get(0))?;
            before.model_revision = left.unwrap_or(before.model_revision);
            before.model_revision
        }
        Some(before) => before.model_revision,
        None => state.revision,
    };
    state.model = blob(db, site, wanted)?;
    Ok(state)
}

fn read(db: &Connection, site: &str, run: Option<i64>) -> Result<SiteState> {
    let revision = "SELECT revision FROM sites WHERE site = ?1";
    let Some(revision) = rows::first(db, revision, [site], |row| row.get(0))? else {
        return Ok(SiteState::default());
    };
    let retained =
        "SELECT url, template, fetched, html_bytes FROM retained WHERE site = ?1 ORDER BY url";
    let retained = rows::all(db, retained, [site], rows::read_record)?;
    let last_seen = "SELECT template, last_seen FROM templates WHERE site = ?1";
    let last_seen = rows::all(db, last_seen, [site], |row| row.try_into())?;
    let before = match run {
        Some(run) => before(db, site, run)?.map(Box::new),
        None => None,
    };
    Ok(SiteState { revision, model: None, retained, last_seen, before })
}

/// Reads what a run found of a site.
fn before(db: &Connection, site: &str, run: i64) -> Result<Option<SiteNight>> {
    let sql = format!(
        "SELECT {FIGURES}, night, decision, reason, revision, blocked_by, evidence, next, \
        second_round, sampled, unassigned FROM nights WHERE site = ?1 AND run = ?2"
    );
    let night = |row: &Row<'_>| {
        Ok(SiteNight {
            site: site.to_owned(),
            night: row.get("night")?,
            health: assessment(row)?,
            figures: figures(row)?,
            decision: row.get("decision")?,
            reason: row.get("reason")?,
            model_revision: row.get("revision")?,
            second_round: row.get("second_round")?,
            sampled: count(row, "sampled")?,
            unassigned: count(row, "unassigned")?,
            templates: templates(db, site, run)?,
            ..SiteNight::default()
        })
    };
    rows::first(db, &sql, params![site, run], night)
}

pub(crate) fn assessment(row: &Row<'_>) -> Result<Assessment> {
    Ok(Assessment {
        verdict: verdict(row, "verdict")?,
        blocked_by: row.get("blocked_by")?,
        evidence: row.get("evidence")?,
        next: row.get("next")?,
    })
}

/// The columns of `nights` that [`figures`] reads, and the verdict.
pub(crate) const FIGURES: &str = "verdict, pages, articles, words, lengths, lengths_squared, \
     confidence, fields, drops, templates, partial, gone, known, similarity, agreement";

pub(crate) fn figures(row: &Row<'_>) -> Result<NightFigures> {
    // A value that cannot be read counts as nothing.
    let counts = |column: &str| -> Result<BTreeMap<String, u64>> {
        Ok(serde_json::from_str(&row.get::<_, String>(column)?).unwrap_or_default())
    };
    Ok(NightFigures {
        pages: count(row, "pages")?,
        articles: count(row, "articles")?,
        words: count(row, "words")?,
        lengths: [row.get("lengths")?, row.get("lengths_squared")?],
        confidence: row.get("confidence")?,
        fields: counts("fields")?,
        drops: counts("drops")?,
        templates: counts("templates")?,
        partial: count(row, "partial")?,
        gone: count(row, "gone")?,
        known: count(row, "known")?,
        similarity: row.get("similarity")?,
        agreement: row.get("agreement")?,
    })
}

fn templates(db: &Connection, site: &str, run: i64) -> Result<Vec<TemplateNight>> {
    let sql = "SELECT template, verdict, pages, by_wrapper, by_wrapper_expected, confidence,
        confidence_expected, agreement FROM health WHERE site = ?1 AND run = ?2 ORDER BY template";
    let template = |row: &Row<'_>| {
        Ok(TemplateNight {
            template: row.get(0)?,
            verdict: verdict(row, "verdict")?,
            pages: count(row, 2)?,
            by_wrapper: row.get(3)?,
            by_wrapper_expected: row.get(4)?,
            confidence: row.get(5)?,
            confidence_expected: row.get(6)?,
            agreement: row.get(7)?,
        })
    };
    rows::all(db, sql, params![site, run], template)
}

/// Reads a number of things, by the number or the name of its column.
pub(crate) fn count(row: &Row<'_>, column: impl RowIndex) -> Result<u64> {
    Ok(row.get::<_, i64>(column)?.unsigned_abs())
}

/// Reads a verdict by its name. An unknown name counts as too few pages.
pub(crate) fn verdict(row: &Row<'_>, column: &str) -> Result<Verdict> {
    let name: String = row.get(column)?;
    Ok(Verdict::parse(&name).unwrap_or(Verdict::TooFewPages))
}

/// Reads the compressed bytes of a revision.
pub(crate) fn blob(db: &Connection, site: &str, revision: u32) -> Result<Option<Vec<u8>>> {
    let sql = "SELECT blob FROM models WHERE site = ?1 AND revision = ?2";
    rows::first(db, sql, params![site, revision], |row| row.get(0))
}

/// Adds what a run found of a site. Returns how many revisions of its model were removed to make room.
pub(crate) fn take(db: &Connection, run: i64, found: &SiteNight) -> Result<usize> {
    let SiteNight { site, night, .. } = found;
    let (figures, health, verdict) = (&found.figures, &found.health, found.health.verdict.as_str());
    let mut removed = 0;
    // Crawls may be added in any order of their dates; an empty date comes before all others. A night without pages does
    // not count as having seen the site.
    let sql = "INSERT INTO sites (site, first_seen, last_seen, revision) VALUES (?1, ?2, ?2, 0)
        ON CONFLICT DO UPDATE SET first_seen = min(first_seen, ?2), last_seen = max(last_seen, ?2)
        WHERE ?3";
    rows::change(db, sql, params![site, night, figures.pages > 0])?;
    if let Some(revision) = &found.revision {
        let failed = |error| rusqlite::Error::ToSqlConversionFailure(Box::new(error));
        let packed = pack(&revision.model).map_err(failed)?;
        let sql = "INSERT INTO models VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
        let row = params![
            site, revision.number, night, revision.reason, revision.pages as i64,
            revision.templates as i64, revision.format, revision.engine, revision.weights,
            revision.settings, run, packed
        ];
        rows::change(db, sql, row)?;
        let sql = "UPDATE sites SET revision = ?2 WHERE site = ?1";
        rows::change(db, sql, params![site, revision.number])?;
        removed = remove_old_revisions(db, site)?;
    }
    if let Some(sample) = &found.sample {
        replace_sample(db, site, sample)?;
    }
    if let Some(texts) = &found.texts {
        rows::change(db, "INSERT OR REPLACE INTO texts VALUES (?1, ?2)", params![site, texts])?;
    }
    let [fields, drops, templates] = [&figures.fields, &figures.drops, &figures.templates]
        .map(|counts| serde_json::to_string(counts).unwrap_or_default());
    let sql = "INSERT INTO nights VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
        ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27)";
    let row = params![
        site, run, night, found.decision, found.reason, found.model_revision, verdict,
        health.blocked_by, health.evidence, health.next, found.second_round, found.sampled as i64,
        found.unassigned as i64, figures.pages as i64, figures.articles as i64,
        figures.words as i64, figures.lengths[0], figures.lengths[1], figures.confidence, fields,
        drops, templates, figures.partial as i64, figures.gone as i64, figures.known as i64,
        figures.similarity, figures.agreement
    ];
    rows::change(db, sql, row)?;
    for template in &found.templates {
        if template.verdict != Verdict::Missing {
            let sql = "INSERT INTO templates VALUES (?1, ?2, ?3, ?3) ON CONFLICT DO UPDATE SET
                first_seen = min(first_seen, ?3), last_seen = max(last_seen, ?3)";
            rows::change(db, sql, params![site, template.template, night])?;
        }
        let sql = "INSERT INTO health VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
        let verdict = template.verdict.as_str();
        let row = params![
            site, run, template.template, verdict, template.pages as i64, template.by_wrapper,
            template.by_wrapper_expected, template.confidence, template.confidence_expected,
            template.agreement
        ];
        rows::change(db, sql, row)?;
    }
    Ok(removed)
}

/// Removes the oldest revisions of a site until the others have at most `MOST_REVISION_BYTES`: a model that grows every
/// night would otherwise make the store grow with the square of the nights. Returns how many were removed.
fn remove_old_revisions(db: &Connection, site: &str) -> Result<usize> {
    let sql = "DELETE FROM models WHERE site = ?1 AND revision <= (SELECT max(revision) FROM
        (SELECT revision, row_number() OVER newest AS number, sum(length(blob)) OVER newest AS bytes
            FROM models WHERE site = ?1 WINDOW newest AS (ORDER BY revision DESC))
        WHERE number > ?2 AND bytes > ?3)";
    rows::change(db, sql, params![site, FEWEST_REVISIONS, MOST_REVISION_BYTES])
}

fn replace_sample(db: &Connection, site: &str, sample: &PackedSample) -> Result<()> {
    rows::change(db, "DELETE FROM retained WHERE site = ?1", [site])?;
    let html_bytes: u64 = sample.heads.iter().map(|head| head.html_bytes).sum();
    let sql = "INSERT OR REPLACE INTO samples VALUES (?1, ?2, ?3, ?4)";
    let row = params![site, sample.blob.len() as i64, html_bytes as i64, sample.blob];
    rows::change(db, sql, row)?;
    for head in &sample.heads {
        let sql = "INSERT OR REPLACE INTO retained VALUES (?1, ?2, ?3, ?4, ?5)";
        let RetainedHead { url, template, fetched, html_bytes } = head;
        let html_bytes = *html_bytes as i64;
        rows::change(db, sql, params![site, url, template, fetched, html_bytes])?;
    }
    Ok(())
}

/// Removes samples until all have at most `most` bytes: first those of the sites that were not seen for longest, and of
/// two such the larger one.
pub(crate) fn evict(db: &Connection, most: u64) -> Result<Evicted> {
    let sum = "SELECT coalesce(sum(bytes), 0) FROM samples";
    let mut weight = db.query_row(sum, [], |row| count(row, 0))?;
    let mut evicted = Evicted::default();
    if weight <= most {
        return Ok(evicted);
    }
    let sql =
        "SELECT samples.site, samples.bytes FROM samples JOIN sites ON sites.site = samples.site
        ORDER BY sites.last_seen, samples.bytes DESC, samples.site";
    let all: Vec<(String, i64)> = rows::all(db, sql, [], |row| row.try_into())?;
    for (site, bytes) in all {
        if weight <= most {
            break;
        }
        db.execute("DELETE FROM retained WHERE site = ?1", [&site])?;
        db.execute("DELETE FROM samples WHERE site = ?1", [&site])?;
        weight = weight.saturating_sub(bytes.unsigned_abs());
        evicted.sites += 1;
        evicted.bytes += bytes.unsigned_abs();
    }
    Ok(evicted)
}
