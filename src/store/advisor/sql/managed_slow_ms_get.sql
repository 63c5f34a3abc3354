-- Whether the limit for slow queries of a project is managed: it is unless somebody wanted it otherwise. No row without such a project.
-- scope: project :project
SELECT coalesce(r.document, '{"enabled": true}')::text AS document, 0 AS revision
FROM project p LEFT JOIN resource r ON r.scope = :project AND r.kind = 'managedSlowMs' AND r.name = ''
WHERE p.id = :project
