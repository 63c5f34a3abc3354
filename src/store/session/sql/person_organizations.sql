-- The organizations of a person that a session of theirs opens, in order: one that began with a provider opens those that use it, and any other one those that use none.
-- scope: principal :person
SELECT DISTINCT encode(g.org_id, 'hex') AS organization
  FROM role_grant g
  LEFT JOIN connected_organization c ON c.org_id = g.org_id
 WHERE g.principal_id = :person AND c.provider_id IS NOT DISTINCT FROM :provider::bytea
 ORDER BY 1
 LIMIT 100
