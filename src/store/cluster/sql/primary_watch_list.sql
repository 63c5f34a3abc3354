-- Clusters of whose primary something has to be noted: it is missing and that is not known yet, or it was for long enough to be told; or it is not missing any more.
-- What nobody knows changes nothing.
-- scope: none, because the service sweeps the clusters of all organizations
SELECT encode(c.id, 'hex') AS cluster, encode(c.org_id, 'hex') AS organization, encode(c.project_id, 'hex') AS project, c.name AS cluster_name, p.state
FROM cluster_primary p JOIN cluster c ON c.id = p.cluster_id LEFT JOIN cluster_watch w ON w.cluster_id = c.id
WHERE (p.state = 'NONE' AND (w.cluster_id IS NULL OR (NOT w.is_told AND w.no_primary_since <= now() - interval '45 seconds')))
   OR (p.state IN ('HEALTHY', 'STOPPED') AND w.cluster_id IS NOT NULL)
   OR (p.state = 'STARTING' AND NOT w.is_told)
ORDER BY c.id LIMIT :limit::bigint
