-- The next events of an organization behind a place, oldest first, for who follows them; and where the chain ends.
-- scope: organization :scope
SELECT c.seq AS last_seq, e.seq, e.type, e.project_id IS NOT NULL AS of_project, e.cluster, e.document, encode(e.id, 'hex') AS id
FROM (SELECT coalesce((SELECT seq FROM event_chain WHERE org_id = :scope), 0) AS seq) c
LEFT JOIN LATERAL (SELECT * FROM event WHERE org_id = :scope AND seq > :after::bigint ORDER BY seq LIMIT :limit::bigint) e ON true
ORDER BY e.seq
