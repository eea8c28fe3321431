CREATE TABLE articles (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    site TEXT NOT NULL,
    stripped TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX articles_by_site ON articles (site);
CREATE INDEX articles_by_stripped ON articles (stripped);
CREATE TABLE versions (
    id INTEGER PRIMARY KEY,
    article INTEGER NOT NULL REFERENCES articles (id),
    first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL,
    visits INTEGER NOT NULL,
    changed TEXT NOT NULL,
    diff TEXT,
    url TEXT NOT NULL,
    title TEXT,
    authors TEXT NOT NULL,
    published TEXT,
    modified TEXT,
    language TEXT,
    description TEXT,
    image TEXT,
    tags TEXT NOT NULL,
    canonical TEXT,
    site_name TEXT,
    sources TEXT NOT NULL,
    text TEXT NOT NULL,
    html TEXT NOT NULL,
    digest BLOB NOT NULL,
    record_id TEXT NOT NULL,
    file INTEGER NOT NULL REFERENCES files (id),
    offset INTEGER NOT NULL,
    template TEXT NOT NULL,
    wrapper TEXT NOT NULL,
    confidence REAL NOT NULL,
    program TEXT NOT NULL,
    truncated TEXT,
    model_revision INTEGER,
    health TEXT
) STRICT;
CREATE INDEX versions_in_order ON versions (article, first_seen, record_id);
CREATE INDEX versions_by_date ON versions (first_seen);
CREATE INDEX versions_by_digest ON versions (digest);
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE visits (
    article INTEGER NOT NULL REFERENCES articles (id),
    fetched TEXT NOT NULL,
    record_id TEXT NOT NULL,
    file INTEGER NOT NULL REFERENCES files (id),
    offset INTEGER NOT NULL,
    version INTEGER NOT NULL REFERENCES versions (id),
    truncated TEXT,
    payload BLOB,
    PRIMARY KEY (article, fetched, record_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE readings (
    id INTEGER PRIMARY KEY,
    article INTEGER NOT NULL REFERENCES articles (id),
    fetched TEXT NOT NULL,
    record_id TEXT NOT NULL,
    changed TEXT NOT NULL,
    diff TEXT NOT NULL,
    digest BLOB NOT NULL,
    model_revision INTEGER,
    program TEXT NOT NULL,
    replaced INTEGER NOT NULL
) STRICT;
CREATE INDEX readings_by_visit ON readings (article, fetched, record_id);
CREATE INDEX readings_by_date ON readings (fetched);
CREATE VIEW history AS
SELECT articles.key AS key, articles.site AS site,
    row_number() OVER (
        PARTITION BY versions.article ORDER BY versions.first_seen, versions.record_id
    ) AS number,
    versions.id AS version, versions.url, versions.first_seen, versions.last_seen,
    versions.visits, versions.changed, versions.diff, versions.title, versions.authors,
    versions.published, versions.modified, versions.language, versions.description,
    versions.image, versions.tags, versions.canonical, versions.site_name, versions.text,
    versions.html, versions.record_id, files.name AS file, versions.offset, versions.template,
    versions.wrapper, versions.confidence, versions.program, versions.truncated,
    versions.model_revision, versions.health
FROM versions
JOIN articles ON articles.id = versions.article
JOIN files ON files.id = versions.file;
CREATE TABLE absences (
    article INTEGER NOT NULL REFERENCES articles (id),
    first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL,
    status INTEGER NOT NULL,
    moved_to TEXT,
    PRIMARY KEY (article, first_seen)
) STRICT, WITHOUT ROWID;
CREATE TABLE corrections (
    id INTEGER PRIMARY KEY,
    article INTEGER NOT NULL REFERENCES articles (id),
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    extracted TEXT NOT NULL,
    diff TEXT NOT NULL,
    by TEXT NOT NULL,
    reason TEXT NOT NULL,
    at TEXT NOT NULL,
    ended TEXT,
    reverted_by TEXT,
    outdated TEXT
) STRICT;
CREATE INDEX corrections_by_article ON corrections (article);
CREATE INDEX absences_by_date ON absences (first_seen);
CREATE VIEW gone AS
SELECT articles.key AS key, articles.site AS site,
    (SELECT versions.url FROM versions WHERE versions.article = absences.article
     ORDER BY versions.first_seen DESC, versions.record_id DESC LIMIT 1) AS url,
    (SELECT min(own.first_seen) FROM absences AS own WHERE own.article = absences.article
     AND own.last_seen > (SELECT max(fetched) FROM visits WHERE article = own.article)) AS since,
    max(absences.last_seen) AS last_seen, absences.status AS status,
    absences.moved_to AS moved_to
FROM absences JOIN articles ON articles.id = absences.article
WHERE absences.last_seen >
    (SELECT max(fetched) FROM visits WHERE visits.article = absences.article)
GROUP BY absences.article;
