-- The events behind a place in the order of organizations and places, a batch at a time.
-- scope: none, because the audit walks the chains of all organizations
SELECT encode(org_id, 'hex') AS organization, seq, encode(id, 'hex') AS id, encode(project_id, 'hex') AS project, type, document, encode(hash, 'hex') AS hash, cluster
FROM event
WHERE (org_id, seq) > (:after_organization, :after_seq)
ORDER BY org_id, seq
LIMIT 500
