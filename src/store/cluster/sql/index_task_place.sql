-- Where the task of an index is and where it should be: the primary, what became of the task, and the member that has it.
-- scope: organization $1
SELECT encode(p.id, 'hex'), t.outcome, t.detail, encode(t.member_id, 'hex')
FROM cluster c
LEFT JOIN LATERAL (SELECT m.id FROM cluster_member m
                   WHERE m.cluster_id = c.id AND m.role = 'PRIMARY' AND m.desired = 'RUNNING'
                   ORDER BY m.timeline DESC NULLS LAST, m.id LIMIT 1) p ON true
LEFT JOIN host_task t ON t.org_id = $1 AND t.id = $3
WHERE c.org_id = $1 AND c.id = $2
