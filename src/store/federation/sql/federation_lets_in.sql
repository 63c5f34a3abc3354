-- Whether an organization takes in people with an address, or (when that is empty) the person $3, who may be in it already.
-- scope: organization $1
SELECT EXISTS (SELECT FROM role_grant g WHERE g.org_id = $1 AND g.principal_id = $3::bytea) OR federation_lets_in(o.id, coalesce(nullif($2::text, ''), (SELECT n.username FROM person n WHERE n.id = $3::bytea)))
FROM organization o WHERE o.id = $1
