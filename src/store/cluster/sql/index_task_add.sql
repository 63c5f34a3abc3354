-- Asks the host of a member to build an index.
-- scope: organization $1
INSERT INTO host_task (id, org_id, host_id, member_id, kind, parameters)
SELECT $2::bytea, m.org_id, m.host_id, m.id, 'CREATE_INDEX', $4::jsonb FROM cluster_member m WHERE m.org_id = $1 AND m.id = $3
