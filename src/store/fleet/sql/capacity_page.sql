-- How many more members of each size fit into each region, and for how many days that is enough if what is reserved goes on growing as in the last four weeks.
-- A week of history is the least that says anything. A region is full for a size when none of it fits, however much is free on all its hosts together.
-- scope: none, because hosts belong to the service
WITH growth AS MATERIALIZED (
    SELECT d.provider, d.region, count(*) AS days, regr_slope(d.used_cpus::float8, d.day - current_date) AS cpus, regr_slope(d.used_memory_mb::float8, d.day - current_date) AS memory_mb,
           regr_slope(d.used_disk_gb::float8, d.day - current_date) AS disk_gb
    FROM capacity_day d WHERE d.day > current_date - 28 GROUP BY d.provider, d.region
), members AS MATERIALIZED (
    SELECT h.provider, h.region, m.size, count(*) AS members FROM cluster_member m JOIN host h ON h.id = m.host_id GROUP BY h.provider, h.region, m.size
), hosts AS MATERIALIZED (
    SELECT h.provider, h.region, count(*) AS hosts FROM host h WHERE h.state = 'ACTIVE' AND h.purpose = 'DATABASE' GROUP BY h.provider, h.region
), wanted AS MATERIALIZED (
    SELECT f.label_1 AS provider, f.label_2 AS region, s.name AS size, s.ordinal AS position, f.value::bigint AS room, coalesce(m.members, 0) AS members, coalesce(h.hosts, 0) AS hosts,
           coalesce(g.days, 0) AS days, CASE WHEN g.days >= 7 THEN greatest(g.cpus / s.cpus::float8, g.memory_mb / s.memory_mb, g.disk_gb / s.disk_gb) END AS per_day
    FROM capacity_figures f
    JOIN instance_size s ON s.name = f.label_3
    LEFT JOIN growth g ON g.provider = f.label_1 AND g.region = f.label_2
    LEFT JOIN members m ON m.provider = f.label_1 AND m.region = f.label_2 AND m.size = s.name
    LEFT JOIN hosts h ON h.provider = f.label_1 AND h.region = f.label_2
    WHERE f.metric = 'reeve_fleet_room' AND (:region = '' OR f.label_2 = :region) AND (:size = '' OR s.name = :size)
), told AS MATERIALIZED (
    SELECT w.*, CASE WHEN w.room = 0 THEN 'FULL' WHEN w.per_day IS NULL THEN 'UNKNOWN' WHEN w.per_day < 0.001 THEN 'STEADY' ELSE 'GROWING' END AS forecast FROM wanted w)
SELECT c.total, p.document, p.key
FROM (SELECT count(*) AS total FROM told) c
LEFT JOIN LATERAL (
    SELECT t.provider, t.region, t.position, t.size, t.provider || '/' || t.region || '/' || t.size AS key, json_build_object(
        'region', t.region, 'size', t.size, 'members', t.members, 'room', t.room, 'forecast', t.forecast,
        'daysUntilFull', CASE t.forecast WHEN 'FULL' THEN 0 WHEN 'GROWING' THEN least(floor(t.room / t.per_day), 36500)::bigint END,
        'growthPerDay', CASE WHEN t.per_day IS NOT NULL THEN round(t.per_day::numeric, 2) END,
        'historyDays', t.days, 'hosts', t.hosts, 'provider', t.provider)::text AS document
    FROM told t ORDER BY t.provider, t.region, t.position, t.size OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.provider, p.region, p.position, p.size
