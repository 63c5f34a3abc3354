-- The newest task of a kind that a member of a cluster was given for a purpose.
-- scope: organization $1
SELECT t.outcome, t.detail, encode(t.member_id, 'hex'), coalesce(t.finished_at < now() - interval '15 seconds', false)
FROM host_task t JOIN cluster_member m ON m.id = t.member_id
WHERE t.org_id = $1 AND m.cluster_id = $2 AND t.kind = $3 AND t.parameters ->> 'purpose' = $4
ORDER BY t.created_at DESC, t.id DESC LIMIT 1
