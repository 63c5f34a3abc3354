-- The authority that signs certificates of a project's database users.
-- scope: project $1
SELECT encode(id, 'hex'), certificate, encode(key, 'hex') FROM authority WHERE project_id = $1 AND purpose = 'PROJECT'
