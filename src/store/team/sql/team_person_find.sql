-- A person who belongs to the organization, by id or (when that is null) by user name in whatever case. One row a role: all are
-- locked, so that the person cannot leave the organization before this transaction has ended.
-- scope: organization :organization
SELECT encode(n.id, 'hex') AS person, n.username
FROM role_grant g JOIN person n ON n.id = g.principal_id
WHERE g.org_id = :organization
  AND n.id = coalesce(:person::bytea, (SELECT named.id::bytea FROM person named WHERE lower(named.username) = lower(:username::text)))
FOR SHARE OF g
