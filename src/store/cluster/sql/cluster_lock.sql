-- A cluster, locked for a change, with what its machinery needs; $4 instead of a name when that is known.
-- scope: project $1
SELECT encode(r.id, 'hex'), r.name, r.state, r.document::text, r.generation, r.observed_generation, c.set_name, c.major_version,
       c.parameters::text, c.goal_generation, r.kind, (SELECT a.hash FROM project_access a WHERE a.project_id = $1), c.restart_generation
FROM resource r JOIN cluster c ON c.id = r.id
WHERE r.scope = $1 AND r.kind = ANY ($2::text[]) AND ($3::text IS NULL OR r.name = $3) AND ($4::bytea IS NULL OR r.id = $4)
FOR UPDATE OF r
