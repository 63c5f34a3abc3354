-- Providers, each with how many regions it has.
-- scope: none, because providers are the operator's
SELECT coalesce(json_agg(json_build_object('name', p.name, 'regions', (SELECT count(*) FROM region r WHERE r.provider = p.name))
                         ORDER BY p.name), '[]')::text AS json
FROM provider p
