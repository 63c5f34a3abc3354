-- A page of the service accounts of an organization; with :project of those that hold a role in that project. The document is that of
-- service_account_json(), written out: a function for each row, with functions inside, took ten times as long (R9).
-- scope: organization :organization
WITH listed AS (
    SELECT a.id FROM service_account a
    WHERE a.org_id = :organization
      AND (:project::bytea IS NULL OR EXISTS (SELECT 1 FROM role_grant g WHERE g.principal_id = a.id AND g.org_id = :organization AND g.project_id = :project))
)
SELECT c.total, p.document, 'reeve_sa_' || encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (
    SELECT page.id, json_build_object(
               'clientId', 'reeve_sa_' || encode(a.id, 'hex'),
               'name', a.name,
               'description', a.description,
               'createdAt', api_date(n.created_at),
               'roles', (SELECT coalesce(json_agg(g.role ORDER BY g.role), '[]') FROM role_grant g
                         WHERE g.principal_id = a.id AND g.org_id = :organization AND g.project_id IS NOT DISTINCT FROM :project::bytea),
               'secrets', (SELECT coalesce(json_agg(secret_json(s) ORDER BY s.id), '[]')
                           FROM service_account_secret s WHERE s.account_id = a.id AND s.org_id = :organization),
               'trustedIdentities', (SELECT coalesce(json_agg(json_build_object('identityProviderId', encode(t.provider_id, 'hex'), 'subject', t.subject)
                                                              ORDER BY t.provider_id, t.subject), '[]')
                                     FROM trusted_program t WHERE t.account_id = a.id AND t.org_id = :organization))::text AS document
    FROM (SELECT id FROM listed ORDER BY id OFFSET :offset::bigint LIMIT :limit::bigint) page
    JOIN service_account a ON a.id = page.id JOIN principal n ON n.id = page.id
) p ON true
ORDER BY p.id
