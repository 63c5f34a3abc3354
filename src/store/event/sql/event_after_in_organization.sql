-- The next events of an organization behind a place, oldest first, for who follows them; and where the chain ends.
-- scope: organization $1
SELECT c.seq, e.seq, e.type, e.project_id IS NOT NULL, e.cluster, e.document, encode(e.id, 'hex')
FROM (SELECT coalesce((SELECT seq FROM event_chain WHERE org_id = $1), 0) AS seq) c
LEFT JOIN LATERAL (SELECT * FROM event WHERE org_id = $1 AND seq > $2::bigint ORDER BY seq LIMIT $3::bigint) e ON true
ORDER BY e.seq
