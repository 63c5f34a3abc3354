-- Certificates of database users that end within two weeks, of which nobody was told and which are their users' last.
-- scope: none, because the service sweeps the certificates of all organizations
SELECT c.serial, encode(a.org_id, 'hex') AS organization, encode(a.project_id, 'hex') AS project,
       json_build_object('serialNumber', c.serial, 'subject', substr(c.owner, strpos(c.owner, '/') + 1), 'groupId', encode(a.project_id, 'hex'),
                         'createdAt', api_date(c.created_at), 'notAfter', api_date(c.not_after))::text AS document
FROM certificate c JOIN authority a ON a.id = c.authority
WHERE c.kind = 'USER' AND a.purpose = 'PROJECT' AND c.revoked_at IS NULL AND c.told_at IS NULL AND c.not_after BETWEEN now() AND now() + interval '14 days'
  AND NOT EXISTS (SELECT FROM certificate n WHERE n.kind = 'USER' AND n.owner = c.owner AND n.revoked_at IS NULL AND n.not_after > c.not_after)
ORDER BY c.not_after, c.serial LIMIT :limit::bigint
