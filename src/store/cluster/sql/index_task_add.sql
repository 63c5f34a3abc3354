-- Asks the host of a member to build an index.
-- scope: organization :organization
INSERT INTO host_task (id, org_id, host_id, member_id, kind, parameters)
SELECT :task::bytea, m.org_id, m.host_id, m.id, 'CREATE_INDEX', :parameters::jsonb FROM cluster_member m WHERE m.org_id = :organization AND m.id = :member
