-- A cluster, locked for a change, with what its machinery needs; :cluster instead of a name when that is known.
-- scope: project :project
SELECT encode(r.id, 'hex') AS id, r.name, r.state, r.document::text, r.generation, r.observed_generation, c.set_name, c.host_label, c.port, c.major_version,
       c.parameters::text, c.goal_generation, r.kind, (SELECT a.hash FROM project_access a WHERE a.project_id = :project) AS label, c.restart_generation
FROM resource r JOIN cluster c ON c.id = r.id
WHERE r.scope = :project AND r.kind = ANY (:kinds::text[]) AND (:name::text IS NULL OR r.name = :name) AND (:cluster::bytea IS NULL OR r.id = :cluster)
FOR UPDATE OF r
