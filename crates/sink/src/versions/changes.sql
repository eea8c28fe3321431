-- What happened at ?1 (RFC 3339, UTC, whole seconds) or later, at the site ?2 or, if that is NULL, at any.
-- The number of a version is counted for what is found only; the view `history` would count all versions.

-- Versions that were first seen. A model that is not kept has no number to know it by.
SELECT articles.site AS site, v.url AS url, v.first_seen AS first_seen, v.title AS title,
    v.changed AS changed, v.diff AS diff,
    (SELECT count(*) FROM versions AS w WHERE w.article = v.article
        AND (w.first_seen, w.record_id) <= (v.first_seen, v.record_id)) AS number,
    v.model_revision AS model_revision,
    coalesce((SELECT iif(v.program = w.program AND v.model_revision IS w.model_revision
                AND v.model_revision IS NOT 0, 'changed', 'unclear')
        FROM versions AS w
        WHERE w.article = v.article AND (w.first_seen, w.record_id) < (v.first_seen, v.record_id)
        ORDER BY w.first_seen DESC, w.record_id DESC LIMIT 1), 'new') AS kind,
    NULL AS status, NULL AS moved_to, NULL AS by, NULL AS reason
FROM versions AS v JOIN articles ON articles.id = v.article
WHERE v.first_seen >= ?1 AND (?2 IS NULL OR articles.site = ?2)

-- Other readings of payloads.
UNION ALL
SELECT articles.site, v.url, r.fetched, v.title, r.changed, r.diff,
    (SELECT count(*) FROM versions AS w WHERE w.article = v.article
        AND (w.first_seen, w.record_id) <= (v.first_seen, v.record_id)),
    r.model_revision, 'reread', NULL, NULL, NULL, NULL
FROM readings AS r JOIN visits USING (article, fetched, record_id)
JOIN versions AS v ON v.id = visits.version
JOIN articles ON articles.id = v.article
WHERE r.fetched >= ?1 AND (?2 IS NULL OR articles.site = ?2)

-- The begin of spans without a page, with the version that was there before.
UNION ALL
SELECT articles.site, v.url, a.first_seen, v.title, '[]', NULL,
    (SELECT count(*) FROM versions AS w WHERE w.article = v.article
        AND (w.first_seen, w.record_id) <= (v.first_seen, v.record_id)),
    v.model_revision, iif(a.moved_to IS NULL, 'gone', 'moved'), a.status, a.moved_to, NULL, NULL
FROM absences AS a JOIN articles ON articles.id = a.article
JOIN versions AS v ON v.id = (SELECT w.id FROM versions AS w
    WHERE w.article = a.article AND w.first_seen <= a.first_seen
    ORDER BY w.first_seen DESC, w.record_id DESC LIMIT 1)
WHERE a.first_seen >= ?1 AND (?2 IS NULL OR articles.site = ?2)

-- The first visits after such spans, if the page was known before them.
UNION ALL
SELECT articles.site, v.url, b.fetched, v.title, '[]', NULL,
    (SELECT count(*) FROM versions AS w WHERE w.article = v.article
        AND (w.first_seen, w.record_id) <= (v.first_seen, v.record_id)),
    v.model_revision, 'back', NULL, NULL, NULL, NULL
FROM absences AS a JOIN articles ON articles.id = a.article
JOIN visits AS b ON b.article = a.article AND (b.fetched, b.record_id) =
    (SELECT c.fetched, c.record_id FROM visits AS c
     WHERE c.article = a.article AND c.fetched > a.last_seen
     ORDER BY c.fetched, c.record_id LIMIT 1)
JOIN versions AS v ON v.id = b.version
WHERE b.fetched >= ?1 AND (?2 IS NULL OR articles.site = ?2)
AND EXISTS (SELECT 1 FROM visits AS d WHERE d.article = a.article AND d.fetched < a.first_seen)
AND NOT EXISTS (SELECT 1 FROM absences AS e
    WHERE e.article = a.article AND e.first_seen > a.first_seen AND e.first_seen < b.fetched)

-- Corrections, when they were made, reverted or outdated, with the last version.
UNION ALL
SELECT articles.site, v.url, e.seen, v.title, json_array(c.field), c.diff,
    (SELECT count(*) FROM versions AS w WHERE w.article = c.article),
    NULL, e.kind, NULL, NULL, e.by, c.reason
FROM (SELECT id, at AS seen, 'corrected' AS kind, by FROM corrections
    UNION ALL SELECT id, ended, 'reverted', reverted_by FROM corrections
        WHERE reverted_by IS NOT NULL
    UNION ALL SELECT id, outdated, 'outdated', by FROM corrections WHERE outdated IS NOT NULL) AS e
JOIN corrections AS c ON c.id = e.id
JOIN articles ON articles.id = c.article
JOIN versions AS v ON v.id = (SELECT w.id FROM versions AS w WHERE w.article = c.article
    ORDER BY w.first_seen DESC, w.record_id DESC LIMIT 1)
WHERE e.seen >= ?1 AND (?2 IS NULL OR articles.site = ?2)

ORDER BY first_seen, url, number, kind, changed
