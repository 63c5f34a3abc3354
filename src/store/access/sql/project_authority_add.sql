-- Makes the authority that signs certificates of a project's database users.
-- scope: project $1
INSERT INTO authority (id, purpose, project_id, org_id, certificate, key, not_after)
VALUES ($3, 'PROJECT', $1, $2, $4, $5, to_timestamp($6::bigint / 1000.0))
