-- Where the task of an index is and where it should be: the primary, what became of the task, and the member that has it.
-- scope: organization :organization
SELECT encode(p.id, 'hex') AS primary_member, t.outcome, t.detail, encode(t.member_id, 'hex') AS member
FROM cluster c
LEFT JOIN LATERAL (SELECT m.id FROM cluster_member m
                   WHERE m.cluster_id = c.id AND m.role = 'PRIMARY' AND m.desired = 'RUNNING'
                   ORDER BY m.timeline DESC NULLS LAST, m.id LIMIT 1) p ON true
LEFT JOIN host_task t ON t.org_id = :organization AND t.id = :task
WHERE c.org_id = :organization AND c.id = :cluster
