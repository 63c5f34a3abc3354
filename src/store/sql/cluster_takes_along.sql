-- What goes with a cluster: how many of each kind, as JSON; its snapshots unless they are kept. Operations that have not ended are cancelled.
-- scope: organization :organization
WITH counted AS (
    SELECT 'member' AS kind, count(*) AS count FROM cluster_member m WHERE m.org_id = :organization AND m.cluster_id = :cluster
    UNION ALL
    SELECT 'snapshot', count(*) FROM snapshot s
     WHERE s.org_id = :organization AND s.cluster_id = :cluster AND s.hidden_at IS NULL AND NOT :keeps_backups::boolean
    UNION ALL
    SELECT 'operation', count(*) FROM job j WHERE j.org_id = :organization AND j.subject = :cluster AND j.state IN ('QUEUED', 'RUNNING')
    UNION ALL
    SELECT 'openAlert', count(*) FROM alert a JOIN cluster c ON c.id = :cluster AND c.project_id = a.project_id AND c.name = a.cluster
     WHERE a.org_id = :organization AND a.status = 'OPEN'
)
SELECT jsonb_build_object('takesAlong', coalesce(jsonb_agg(jsonb_build_object('kind', c.kind, 'count', c.count) ORDER BY c.kind), '[]'))::text AS document
  FROM counted c WHERE c.count > 0
