-- Everything that decides about the tokens of one issuer: the providers that name it, with their keys and who uses them. Keys that could not be fetched again for a day are not believed any more.
-- scope: none, because whose token it is is found out here; what it opens is what this row says
SELECT json_agg(json_build_object(
           'id', encode(p.id, 'hex'),
           'audience', p.settings ->> 'audience',
           'clientId', p.settings ->> 'clientId',
           'userClaim', p.settings ->> 'userClaim',
           'groupsClaim', CASE WHEN p.settings ->> 'authorizationType' = 'GROUP' THEN p.settings ->> 'groupsClaim' END,
           'domains', (SELECT coalesce(json_agg(d.domain), '[]') FROM federation_domain d
                       WHERE d.federation_id = p.federation_id AND d.domain = ANY (p.domains)),
           'organizations', (SELECT coalesce(json_agg(encode(c.org_id, 'hex') ORDER BY c.org_id), '[]')
                             FROM connected_organization c WHERE c.provider_id = p.id),
           'member', (SELECT encode(o.id, 'hex') FROM organization o WHERE o.federation_id = p.federation_id ORDER BY o.id LIMIT 1),
           'keys', CASE WHEN p.keys_fetched_at > now() - interval '1 day' THEN p.keys ELSE '[]' END) ORDER BY p.id)::text AS providers
  FROM (SELECT i.* FROM identity_provider i WHERE i.issuer_uri = :issuer AND i.protocol = 'OIDC' AND i.status = 'ACTIVE' ORDER BY i.id LIMIT 100) p
