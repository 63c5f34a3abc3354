-- Hosts by state, who is silent, and units that nobody knows. Single hosts are named only while something is wrong with them, and at most 50 of each.
CREATE OR REPLACE VIEW host_figures AS
WITH present AS MATERIALIZED (
    SELECT h.name, h.purpose, h.state, floor(extract(epoch FROM now() - coalesce(h.last_seen_at, h.joined_at))) AS silent_s,
           CASE jsonb_typeof(h.facts -> 'strays') WHEN 'array' THEN jsonb_array_length(h.facts -> 'strays') ELSE 0 END AS strays
    FROM host h WHERE h.state <> 'REMOVED'
)
SELECT 'reeve_fleet_hosts' AS metric, p.purpose AS label_1, s.state AS label_2, NULL::text AS label_3, count(h.name)::numeric AS value
FROM (VALUES ('DATABASE'), ('REPOSITORY')) p (purpose) CROSS JOIN (VALUES ('ACTIVE'), ('DRAINING'), ('DRAINED')) s (state)
LEFT JOIN present h ON h.purpose = p.purpose AND h.state = s.state GROUP BY p.purpose, s.state
UNION ALL
SELECT 'reeve_fleet_hosts_silent', p.purpose, NULL, NULL, count(h.name)
FROM (VALUES ('DATABASE'), ('REPOSITORY')) p (purpose) LEFT JOIN present h ON h.purpose = p.purpose AND h.silent_s > 60 GROUP BY p.purpose
UNION ALL
SELECT 'reeve_fleet_host_silent_seconds', worst.name, NULL, NULL, worst.silent_s
FROM (SELECT h.name, h.silent_s FROM present h WHERE h.silent_s > 60 ORDER BY h.silent_s DESC, h.name LIMIT 50) worst
UNION ALL
SELECT 'reeve_fleet_strays', NULL, NULL, NULL, coalesce(sum(h.strays), 0) FROM present h
UNION ALL
SELECT 'reeve_fleet_host_strays', worst.name, NULL, NULL, worst.strays
FROM (SELECT h.name, h.strays FROM present h WHERE h.strays > 0 ORDER BY h.strays DESC, h.name LIMIT 50) worst;
