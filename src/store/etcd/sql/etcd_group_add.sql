-- Adds a group of etcd, whose clusters have users from the beginning.
-- scope: none, because groups of etcd are the operator's
INSERT INTO etcd_group (name, endpoints, regions, capacity, auth, root)
VALUES ($1, ARRAY(SELECT json_array_elements_text($2::json)), ARRAY(SELECT json_array_elements_text($3::json)), nullif($4::int, 0), 'PREPARED', $5)
ON CONFLICT DO NOTHING RETURNING name
