-- What goes with a project: how many of each kind, as JSON. Clusters are not among it: while there are some, the project stays.
-- scope: organization :organization
WITH counted AS (
    SELECT r.kind, count(*) AS count FROM resource r WHERE r.org_id = :organization AND r.scope = :project GROUP BY r.kind
    UNION ALL
    SELECT 'snapshot', count(*) FROM snapshot s WHERE s.org_id = :organization AND s.project_id = :project AND s.hidden_at IS NULL
    UNION ALL
    SELECT 'openAlert', count(*) FROM alert a WHERE a.org_id = :organization AND a.project_id = :project AND a.status = 'OPEN'
    UNION ALL
    SELECT 'networkContainer', count(*) FROM network_container n WHERE n.org_id = :organization AND n.project_id = :project
    UNION ALL
    SELECT CASE p.kind WHEN 'api_key' THEN 'apiKeyAccess' WHEN 'service_account' THEN 'serviceAccountAccess' ELSE 'personAccess' END, count(DISTINCT g.principal_id) FROM role_grant g JOIN principal p ON p.id = g.principal_id
     WHERE g.org_id = :organization AND g.project_id = :project GROUP BY p.kind
    UNION ALL
    SELECT 'teamAccess', count(DISTINCT g.team_id) FROM team_grant g WHERE g.org_id = :organization AND g.project_id = :project
    UNION ALL
    SELECT 'invitation', count(DISTINCT i.id) FROM invitation_role r JOIN invitation i ON i.id = r.invitation_id
     WHERE r.org_id = :organization AND r.project_id = :project AND i.accepted_at IS NULL AND i.expires_at > now()
)
SELECT jsonb_build_object('takesAlong', coalesce(jsonb_agg(jsonb_build_object('kind', c.kind, 'count', c.count) ORDER BY c.kind), '[]'))::text AS document
  FROM counted c WHERE c.count > 0
