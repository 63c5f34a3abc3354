-- The events behind a place in the order of organizations and places, a batch at a time.
-- scope: none, because the audit walks the chains of all organizations
SELECT encode(org_id, 'hex'), seq, encode(id, 'hex'), encode(project_id, 'hex'), type, document, encode(hash, 'hex'), cluster
FROM event
WHERE (org_id, seq) > ($1, $2)
ORDER BY org_id, seq
LIMIT 500
