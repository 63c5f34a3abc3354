-- Asks the host of a member to do something once.
-- scope: organization :organization
INSERT INTO host_task (org_id, id, host_id, member_id, kind, parameters)
SELECT m.org_id, :task, m.host_id, m.id, :kind, :parameters::jsonb FROM cluster_member m WHERE m.org_id = :organization AND m.id = :member
