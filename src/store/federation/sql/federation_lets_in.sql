-- Whether an organization takes in people with an address, or (when that is empty) the person :person, who may be in it already.
-- scope: organization :organization
SELECT EXISTS (SELECT FROM role_grant g WHERE g.org_id = :organization AND g.principal_id = :person::bytea) OR federation_lets_in(o.id, coalesce(nullif(:address::text, ''), (SELECT n.username FROM person n WHERE n.id = :person::bytea))) AS lets_in
FROM organization o WHERE o.id = :organization
