-- Whether something is being restored into a cluster.
-- scope: organization :organization
SELECT EXISTS (SELECT FROM restore_job r WHERE r.org_id = :organization AND r.target_id = :cluster AND r.finished_at IS NULL) AS is_under_way
