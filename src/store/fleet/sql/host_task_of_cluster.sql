-- The newest task of a kind that a member of a cluster was given for a purpose.
-- scope: organization :organization
SELECT t.outcome, t.detail, encode(t.member_id, 'hex') AS member, coalesce(t.finished_at < now() - interval '15 seconds', false) AS may_be_repeated
FROM host_task t JOIN cluster_member m ON m.id = t.member_id
WHERE t.org_id = :organization AND m.cluster_id = :cluster AND t.kind = :kind AND t.parameters ->> 'purpose' = :purpose
ORDER BY t.created_at DESC, t.id DESC LIMIT 1
