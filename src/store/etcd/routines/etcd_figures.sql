-- Groups of etcd servers, how full they are, and which of them waits for something. At most 50 are named, the fullest first.
CREATE OR REPLACE VIEW etcd_figures AS
WITH used AS MATERIALIZED (
    SELECT g.name, g.capacity, (SELECT count(*) FROM cluster c WHERE c.etcd_group = g.name) AS clusters FROM etcd_group g
), fullest AS MATERIALIZED (
    SELECT u.name, u.capacity, u.clusters FROM used u ORDER BY u.clusters::float8 / u.capacity DESC NULLS LAST, u.clusters DESC, u.name LIMIT 50
)
SELECT 'reeve_fleet_etcd_groups' AS metric, g.state AS label_1, g.auth AS label_2, NULL::text AS label_3, count(*)::numeric AS value
FROM etcd_group g GROUP BY g.state, g.auth
UNION ALL
SELECT 'reeve_fleet_etcd_groups_waiting', NULL, NULL, NULL, count(*) FROM etcd_group g WHERE g.waits_for IS NOT NULL
UNION ALL
SELECT 'reeve_fleet_etcd_clusters', f.name, NULL, NULL, f.clusters FROM fullest f
UNION ALL
SELECT 'reeve_fleet_etcd_capacity', f.name, NULL, NULL, f.capacity FROM fullest f WHERE f.capacity IS NOT NULL;
