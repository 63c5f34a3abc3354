-- The history of a cluster that goes on, if there is one.
-- scope: organization :organization
SELECT encode(s.id, 'hex') AS stanza, s.name FROM backup_stanza s
WHERE s.org_id = :organization AND s.cluster_id = :cluster AND s.state = 'OPEN'
