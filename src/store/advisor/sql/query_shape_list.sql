-- The shapes of a cluster that are rejected: none ever is; no row without such a cluster.
-- scope: project :project
SELECT 0::bigint AS total, NULL::text AS document, NULL::text AS key
FROM resource r WHERE r.scope = :project AND r.kind = 'cluster' AND r.name = :name AND :offset::bigint >= 0 AND :limit::bigint >= 0
