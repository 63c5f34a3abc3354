-- A server, and the pinned tables of its cluster.
-- scope: project :project
SELECT encode(c.id, 'hex') AS cluster, c.pinned_tables::text AS tables, encode(p.member_id, 'hex') AS member, p.key AS process,
       coalesce(p.document::json ->> 'typeName' = 'REPLICA_PRIMARY', false) AS is_primary
FROM project_processes(:project) p JOIN cluster c ON c.id = p.cluster_id
WHERE c.project_id = :project AND p.key = :process
