-- Whether anything is kept of a cluster.
-- scope: organization :organization
SELECT EXISTS (SELECT FROM backup_stanza s WHERE s.org_id = :organization AND s.cluster_id = :cluster AND s.state <> 'REMOVING') AS has_any
