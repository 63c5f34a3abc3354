-- Identity providers whose keys are to be fetched, with an organization that may change them; those that wait longest first.
-- scope: none, because the worker serves all organizations; it claims each in a transaction of its organization
SELECT encode(o.id, 'hex') AS organization, encode(p.id, 'hex') AS provider
FROM identity_provider p
CROSS JOIN LATERAL (SELECT own.id FROM organization own WHERE own.federation_id = p.federation_id ORDER BY own.id LIMIT 1) o
WHERE p.protocol = 'OIDC' AND p.status = 'ACTIVE' AND p.keys_due_at <= now()
ORDER BY p.keys_due_at
LIMIT 16
