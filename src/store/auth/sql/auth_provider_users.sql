-- The organizations that use an identity provider, in order: they are told what happens to it.
-- scope: none, because whoever brings an answer of the provider is not known; each of them is told in its own chain
SELECT encode(c.org_id, 'hex') AS organization FROM connected_organization c WHERE c.provider_id = :provider ORDER BY 1 LIMIT 100
