-- Notes whether a cluster changes its size by itself. One that never did has no row.
-- scope: organization :organization
INSERT INTO cluster_scaling (cluster_id, is_on)
SELECT c.id, :is_on::boolean FROM cluster c
WHERE c.org_id = :organization AND c.id = :cluster AND (:is_on::boolean OR EXISTS (SELECT FROM cluster_scaling s WHERE s.cluster_id = c.id))
ON CONFLICT (cluster_id) DO UPDATE SET is_on = EXCLUDED.is_on WHERE cluster_scaling.is_on <> EXCLUDED.is_on
