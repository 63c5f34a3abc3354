-- Asks the host of a member to do something once.
-- scope: organization $1
INSERT INTO host_task (org_id, id, host_id, member_id, kind, parameters)
SELECT m.org_id, $2, m.host_id, m.id, $4, $5::jsonb FROM cluster_member m WHERE m.org_id = $1 AND m.id = $3
