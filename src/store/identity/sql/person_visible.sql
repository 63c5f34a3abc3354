-- One person, by the identifier :person or (when that is null) the user name :name, if a caller shares an organization (with :reach: one of the JSON list) with them.
-- scope: principal :caller
WITH mine AS (
    SELECT array_agg(DISTINCT o.org_id::bytea) AS organizations
    FROM (SELECT p.org_id FROM principal p WHERE p.id = :caller AND p.org_id IS NOT NULL
          UNION ALL SELECT g.org_id FROM role_grant g
                    WHERE g.principal_id = :caller AND (:reach::jsonb IS NULL OR :reach::jsonb ? encode(g.org_id, 'hex'))) o
)
SELECT d.document, text_revision(d.document) AS revision, encode(n.id, 'hex') AS id
FROM mine, person n, LATERAL (SELECT person_json(n.id, mine.organizations) AS document) d
WHERE CASE WHEN :person::bytea IS NOT NULL THEN n.id = :person::bytea ELSE lower(n.username) = lower(:name::text) END
  AND (n.id = :caller OR EXISTS (SELECT 1 FROM role_grant g WHERE g.principal_id = n.id AND g.org_id = ANY (mine.organizations)))
