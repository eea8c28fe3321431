CREATE TABLE state (
    digest TEXT NOT NULL
) STRICT;
INSERT INTO state VALUES ('');
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    night TEXT NOT NULL,
    sites INTEGER NOT NULL,
    pages INTEGER NOT NULL,
    program TEXT NOT NULL
) STRICT;
CREATE TABLE sites (
    site TEXT PRIMARY KEY,
    first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL,
    revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE models (
    site TEXT NOT NULL REFERENCES sites (site),
    revision INTEGER NOT NULL,
    night TEXT NOT NULL,
    reason TEXT NOT NULL,
    pages INTEGER NOT NULL,
    templates INTEGER NOT NULL,
    format INTEGER NOT NULL,
    engine TEXT NOT NULL,
    weights TEXT,
    settings TEXT NOT NULL,
    run INTEGER REFERENCES runs (id),
    blob BLOB NOT NULL,
    PRIMARY KEY (site, revision)
) STRICT;
CREATE TABLE templates (
    site TEXT NOT NULL REFERENCES sites (site),
    template TEXT NOT NULL,
    first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL,
    PRIMARY KEY (site, template)
) STRICT, WITHOUT ROWID;
CREATE TABLE samples (
    site TEXT PRIMARY KEY REFERENCES sites (site),
    bytes INTEGER NOT NULL,
    html_bytes INTEGER NOT NULL,
    blob BLOB NOT NULL
) STRICT;
CREATE TABLE retained (
    site TEXT NOT NULL REFERENCES sites (site),
    url TEXT NOT NULL,
    template TEXT NOT NULL,
    fetched TEXT NOT NULL,
    html_bytes INTEGER NOT NULL,
    PRIMARY KEY (site, url)
) STRICT, WITHOUT ROWID;
CREATE TABLE texts (
    site TEXT PRIMARY KEY REFERENCES sites (site),
    blob BLOB NOT NULL
) STRICT;
CREATE TABLE nights (
    site TEXT NOT NULL REFERENCES sites (site),
    run INTEGER NOT NULL REFERENCES runs (id),
    night TEXT NOT NULL,
    decision TEXT NOT NULL,
    reason TEXT NOT NULL,
    revision INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    blocked_by TEXT,
    evidence TEXT NOT NULL,
    next TEXT NOT NULL,
    second_round INTEGER NOT NULL,
    sampled INTEGER NOT NULL,
    unassigned INTEGER NOT NULL,
    pages INTEGER NOT NULL,
    articles INTEGER NOT NULL,
    words INTEGER NOT NULL,
    lengths REAL NOT NULL,
    lengths_squared REAL NOT NULL,
    confidence REAL NOT NULL,
    fields TEXT NOT NULL,
    drops TEXT NOT NULL,
    templates TEXT NOT NULL,
    partial INTEGER NOT NULL,
    gone INTEGER NOT NULL,
    known INTEGER NOT NULL,
    similarity REAL NOT NULL,
    agreement REAL,
    PRIMARY KEY (site, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX nights_by_run ON nights (run);
CREATE INDEX nights_by_date ON nights (site, night, run);
CREATE TABLE health (
    site TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES runs (id),
    template TEXT NOT NULL,
    verdict TEXT NOT NULL,
    pages INTEGER NOT NULL,
    by_wrapper REAL NOT NULL,
    by_wrapper_expected REAL NOT NULL,
    confidence REAL NOT NULL,
    confidence_expected REAL NOT NULL,
    agreement REAL,
    PRIMARY KEY (site, run, template)
) STRICT, WITHOUT ROWID;
CREATE VIEW troubled AS
SELECT night, site, verdict, blocked_by, evidence, next, decision, reason, revision, pages, articles
FROM nights WHERE verdict IN ('drifting', 'shrunken', 'broken', 'blocked', 'missing')
ORDER BY night DESC, site;
