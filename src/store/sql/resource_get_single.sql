-- The one resource of a kind in a project, without the field $3: no row when there is no such project, nulls when it was never set.
-- scope: project $1
SELECT (r.document - $3::text)::text, r.revision
FROM project p LEFT JOIN resource r ON r.scope = $1 AND r.kind = $2 AND r.name = ''
WHERE p.id = $1
