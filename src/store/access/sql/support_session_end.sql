-- Ends sessions of support staff, those of one cluster (:cluster) or one of them (:session), and returns what they were.
-- scope: project :project
DELETE FROM resource WHERE scope = :project AND kind = 'supportSession'
  AND (document ->> 'clusterId' = encode(:cluster::bytea, 'hex') OR id = :session::bytea)
RETURNING (document - 'verifier')::text AS document, document ->> 'clusterName' AS cluster
