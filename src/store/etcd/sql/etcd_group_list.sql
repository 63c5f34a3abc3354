-- Groups of etcd, with how many clusters they have.
-- scope: none, because groups of etcd are the operator's
SELECT coalesce(json_agg(json_strip_nulls(json_build_object(
           'name', g.name, 'endpoints', g.endpoints, 'regions', g.regions, 'capacity', g.capacity, 'state', g.state, 'auth', g.auth,
           'waitsFor', g.waits_for, 'clusters', (SELECT count(*) FROM cluster c WHERE c.etcd_group = g.name))) ORDER BY g.name), '[]')::text AS json
FROM etcd_group g
