-- Adds a group of etcd, whose clusters have users from the beginning.
-- scope: none, because groups of etcd are the operator's
INSERT INTO etcd_group (name, endpoints, regions, capacity, auth, root)
VALUES (:name, ARRAY(SELECT json_array_elements_text(:endpoints::json)), ARRAY(SELECT json_array_elements_text(:regions::json)), nullif(:capacity::int, 0), 'PREPARED', :sealed_root)
ON CONFLICT DO NOTHING RETURNING name
