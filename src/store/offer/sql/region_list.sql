-- Regions, each with how many hosts are in it.
-- scope: none, because regions are the operator's
SELECT coalesce(json_agg(json_build_object('provider', r.provider, 'name', r.name,
                                           'hosts', (SELECT count(*) FROM host h
                                                     WHERE h.provider = r.provider AND h.region = r.name AND h.state <> 'REMOVED'))
                         ORDER BY r.provider, r.name), '[]')::text AS json
FROM region r
