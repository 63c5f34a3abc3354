-- The one resource of a kind in a project, without the field :hidden: no row when there is no such project, nulls when it was never set.
-- scope: project :project
SELECT (r.document - :hidden::text)::text AS document, r.revision
FROM project p LEFT JOIN resource r ON r.scope = :project AND r.kind = :kind AND r.name = ''
WHERE p.id = :project
