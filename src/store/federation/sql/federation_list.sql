-- All federations that somebody made something of, for the operator.
-- scope: none, because it is the operator who asks about all of them
SELECT coalesce(json_agg(json_build_object(
           'federationId', encode(f.id, 'hex'),
           'organizations', (SELECT string_agg(encode(o.id, 'hex'), ' ' ORDER BY o.id) FROM organization o WHERE o.federation_id = f.id),
           'domains', (SELECT coalesce(string_agg(d.domain, ' ' ORDER BY d.domain), '') FROM federation_domain d WHERE d.federation_id = f.id),
           'identityProviders', (SELECT count(*) FROM identity_provider p WHERE p.federation_id = f.id)) ORDER BY f.id), '[]')::text AS list
FROM federation f
WHERE EXISTS (SELECT FROM identity_provider p WHERE p.federation_id = f.id)
   OR EXISTS (SELECT FROM federation_domain d WHERE d.federation_id = f.id)
   OR (SELECT count(*) FROM organization o WHERE o.federation_id = f.id) > 1
