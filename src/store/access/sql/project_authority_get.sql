-- The authority that signs certificates of a project's database users.
-- scope: project :project
SELECT encode(id, 'hex') AS id, certificate, encode(key, 'hex') AS key FROM authority WHERE project_id = :project AND purpose = 'PROJECT'
