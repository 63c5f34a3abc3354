-- A page of the extensions in a cluster's databases; no row without such a cluster.
-- scope: project :project
SELECT t.total, p.document, p.key
FROM (SELECT count(*) AS total FROM resource e WHERE e.scope = :project AND e.kind = 'databaseExtension' AND starts_with(e.name, :name || '/')) t
LEFT JOIN LATERAL (
    SELECT e.document::text AS document, e.document ->> 'name' AS key, e.name FROM resource e
    WHERE e.scope = :project AND e.kind = 'databaseExtension' AND starts_with(e.name, :name || '/')
    ORDER BY e.name OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
WHERE EXISTS (SELECT FROM resource c WHERE c.scope = :project AND c.kind = 'cluster' AND c.name = :name)
ORDER BY p.name
