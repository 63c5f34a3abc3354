-- Everything that decides about people's tokens of one issuer: the providers that name it, with their keys.
-- scope: none, because whose token it is is found out here; what it opens is what this row says
SELECT json_agg(identity_provider_facts(p) ORDER BY p.id)::text AS providers
  FROM (SELECT i.* FROM identity_provider i WHERE i.issuer_uri = :issuer AND i.protocol = 'OIDC' AND i.status = 'ACTIVE' AND NOT provider_is_for_programs(i) ORDER BY i.id LIMIT 100) p
