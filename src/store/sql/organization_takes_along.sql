-- What goes with an organization: how many of each kind, as JSON. Projects are not among it: while there are some, the organization stays.
-- scope: organization :organization
WITH counted AS (
    SELECT r.kind, count(*) AS count FROM resource r WHERE r.org_id = :organization AND r.scope = :organization GROUP BY r.kind
    UNION ALL
    SELECT 'apiKey', count(*) FROM api_key k WHERE k.org_id = :organization
    UNION ALL
    SELECT 'serviceAccount', count(*) FROM service_account a WHERE a.org_id = :organization
    UNION ALL
    SELECT 'team', count(*) FROM team t WHERE t.org_id = :organization
    UNION ALL
    SELECT 'personAccess', count(DISTINCT g.principal_id) FROM role_grant g JOIN person n ON n.id = g.principal_id WHERE g.org_id = :organization
    UNION ALL
    SELECT 'invitation', count(*) FROM invitation i WHERE i.org_id = :organization AND i.accepted_at IS NULL AND i.expires_at > now()
)
SELECT jsonb_build_object('takesAlong', coalesce(jsonb_agg(jsonb_build_object('kind', c.kind, 'count', c.count) ORDER BY c.kind), '[]'))::text AS document
  FROM counted c WHERE c.count > 0
