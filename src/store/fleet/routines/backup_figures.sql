-- Up to when clusters that run can be restored, and how full repository hosts are: at most 50 of them, the fullest first.
CREATE OR REPLACE VIEW backup_figures AS
WITH reach AS MATERIALIZED (
    SELECT CASE WHEN max(e.window_to) IS NOT NULL THEN greatest(0, floor(extract(epoch FROM now() - max(e.window_to)))) END AS age_s
    FROM backup_stanza t
    JOIN (SELECT DISTINCT m.cluster_id FROM cluster_member m WHERE m.desired = 'RUNNING') m ON m.cluster_id = t.cluster_id
    LEFT JOIN stanza_seat e ON e.stanza_id = t.id AND e.desired = 'RUNNING'
    WHERE t.state = 'OPEN' GROUP BY t.id
), fullest AS MATERIALIZED (
    SELECT h.name, h.disk_gb, h.used_disk_gb, coalesce(u.used_bytes, 0) AS used_bytes
    FROM host h LEFT JOIN (SELECT e.host_id, sum(e.used_bytes) AS used_bytes FROM stanza_seat e WHERE e.object_store IS NULL GROUP BY e.host_id) u ON u.host_id = h.id
    WHERE h.purpose = 'REPOSITORY' AND h.state <> 'REMOVED'
    ORDER BY coalesce(u.used_bytes, 0) / nullif(h.disk_gb, 0) DESC NULLS LAST, h.name LIMIT 50
)
SELECT 'reeve_fleet_windows' AS metric, k.state AS label_1, NULL::text AS label_2, NULL::text AS label_3, count(r.state)::numeric AS value
FROM (VALUES ('CURRENT'), ('BEHIND'), ('MISSING')) k (state)
LEFT JOIN (SELECT CASE WHEN r.age_s IS NULL THEN 'MISSING' WHEN r.age_s > 300 THEN 'BEHIND' ELSE 'CURRENT' END AS state FROM reach r) r ON r.state = k.state
GROUP BY k.state
UNION ALL
SELECT 'reeve_fleet_window_age_seconds', NULL, NULL, NULL, max(r.age_s) FROM reach r HAVING max(r.age_s) IS NOT NULL
UNION ALL
SELECT f.metric, r.name, NULL, NULL, f.value
FROM fullest r CROSS JOIN LATERAL (VALUES
    ('reeve_fleet_repository_disk_bytes', r.disk_gb::numeric * 1073741824), ('reeve_fleet_repository_reserved_bytes', r.used_disk_gb::numeric * 1073741824),
    ('reeve_fleet_repository_used_bytes', r.used_bytes)) f (metric, value);
