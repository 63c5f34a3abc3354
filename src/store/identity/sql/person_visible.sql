-- One person, by the identifier $2 or (when that is null) the user name $3, if a caller shares an organization (with $4: one of the JSON list) with them.
-- scope: principal $1
WITH mine AS (
    SELECT array_agg(DISTINCT o.org_id::bytea) AS organizations
    FROM (SELECT p.org_id FROM principal p WHERE p.id = $1 AND p.org_id IS NOT NULL
          UNION ALL SELECT g.org_id FROM role_grant g
                    WHERE g.principal_id = $1 AND ($4::jsonb IS NULL OR $4::jsonb ? encode(g.org_id, 'hex'))) o
)
SELECT d.document, text_revision(d.document), encode(n.id, 'hex')
FROM mine, person n, LATERAL (SELECT person_json(n.id, mine.organizations) AS document) d
WHERE CASE WHEN $2::bytea IS NOT NULL THEN n.id = $2::bytea ELSE lower(n.username) = lower($3::text) END
  AND (n.id = $1 OR EXISTS (SELECT 1 FROM role_grant g WHERE g.principal_id = n.id AND g.org_id = ANY (mine.organizations)))
