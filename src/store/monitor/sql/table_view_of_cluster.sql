-- A cluster, its pinned tables, and its servers with what they are now, oldest first; one row without a server when it has none.
-- scope: project :project
SELECT encode(c.id, 'hex') AS cluster, c.pinned_tables::text AS tables, encode(p.member_id, 'hex') AS member, p.key AS process,
       coalesce(p.document::json ->> 'typeName' = 'REPLICA_PRIMARY', false) AS is_primary
FROM cluster c
JOIN resource r ON r.scope = c.project_id AND r.id = c.id
LEFT JOIN project_processes(:project) p ON p.cluster_id = c.id
WHERE c.project_id = :project AND r.kind = 'cluster' AND r.name = :cluster_name
ORDER BY p.member_id
