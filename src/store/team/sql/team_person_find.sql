-- A person who belongs to the organization, by id or (when that is null) by user name in whatever case. One row a role: all are
-- locked, so that the person cannot leave the organization before this transaction has ended.
-- scope: organization $1
SELECT encode(n.id, 'hex'), n.username
FROM role_grant g JOIN person n ON n.id = g.principal_id
WHERE g.org_id = $1
  AND n.id = coalesce($2::bytea, (SELECT named.id::bytea FROM person named WHERE lower(named.username) = lower($3::text)))
FOR SHARE OF g
