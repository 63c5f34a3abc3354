-- One server of a project, by its name and port. It has no revision: when it was last heard from changes all the time.
-- scope: project :project
SELECT p.document, 0::bigint AS revision, encode(p.member_id, 'hex') AS member, encode(p.cluster_id, 'hex') AS cluster
FROM project_processes(:project) p JOIN cluster c ON c.id = p.cluster_id
WHERE c.project_id = :project AND p.key = :process
