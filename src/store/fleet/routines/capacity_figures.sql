-- What regions have, what of it is reserved, and how many members of each size could be placed now: on hosts that report, as member_place() would.
-- No host takes more than 100 members of a size here, so nobody counts thousands of addresses.
CREATE OR REPLACE VIEW capacity_figures WITH (security_invoker = true) AS
WITH room AS MATERIALIZED (
    SELECT h.provider, h.region, (h.cpus - h.used_cpus)::float8 AS cpus, h.memory_mb - h.used_memory_mb AS memory_mb, h.disk_gb - h.used_disk_gb AS disk_gb,
           (SELECT count(*) FROM (SELECT FROM host_address a WHERE a.host_id = h.id AND a.member_id IS NULL LIMIT 100) f)::int AS addresses
    FROM host h WHERE h.state = 'ACTIVE' AND h.purpose = 'DATABASE' AND h.last_seen_at >= now() - interval '1 minute'
), total AS MATERIALIZED (
    SELECT h.provider, h.region, sum(h.cpus) AS cpus, sum(h.used_cpus) AS used_cpus, sum(h.memory_mb::numeric) AS memory_mb,
           sum(h.used_memory_mb::numeric) AS used_memory_mb, sum(h.disk_gb::numeric) AS disk_gb, sum(h.used_disk_gb::numeric) AS used_disk_gb
    FROM host h WHERE h.state = 'ACTIVE' AND h.purpose = 'DATABASE' GROUP BY h.provider, h.region
)
SELECT 'reeve_fleet_room' AS metric, g.provider AS label_1, g.name AS label_2, s.name AS label_3, coalesce(sum(r.members), 0)::numeric AS value
FROM region g CROSS JOIN instance_size s
LEFT JOIN (SELECT r.provider, r.region, z.name AS size,
                  sum(least(floor(r.cpus / z.cpus::float8)::int, r.memory_mb / z.memory_mb, r.disk_gb / z.disk_gb, r.addresses)) AS members
           FROM room r CROSS JOIN instance_size z GROUP BY r.provider, r.region, z.name) r ON r.provider = g.provider AND r.region = g.name AND r.size = s.name
GROUP BY g.provider, g.name, s.name
UNION ALL
SELECT f.metric, t.provider, t.region, f.state, f.value
FROM total t CROSS JOIN LATERAL (VALUES
    ('reeve_fleet_cpus', 'total', t.cpus), ('reeve_fleet_cpus', 'reserved', t.used_cpus),
    ('reeve_fleet_memory_bytes', 'total', t.memory_mb * 1048576), ('reeve_fleet_memory_bytes', 'reserved', t.used_memory_mb * 1048576),
    ('reeve_fleet_disk_bytes', 'total', t.disk_gb * 1073741824), ('reeve_fleet_disk_bytes', 'reserved', t.used_disk_gb * 1073741824)) f (metric, state, value);
GRANT SELECT ON capacity_figures TO reeve_reader; -- they name no tenant, and operators ask for them
