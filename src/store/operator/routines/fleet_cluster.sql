-- Every cluster as operators look for it: whose it is, where it is, how it is. It is asked for all clusters at once, so it has only what is cheap: regions and sizes
-- come once for each member, and what has to be looked up elsewhere is in cluster_change() and cluster_proven_at().
CREATE OR REPLACE VIEW fleet_cluster WITH (security_invoker = true) AS
SELECT c.id, c.name, c.set_name, c.kind, c.created_at, c.project_id, p.name AS project, c.org_id, o.name AS organization,
       CASE coalesce(k.state, 'STARTING') WHEN 'NONE' THEN 'NO_PRIMARY' WHEN 'HEALTHY' THEN CASE WHEN m.unwell > 0 THEN 'DEGRADED' ELSE 'HEALTHY' END
                                          ELSE coalesce(k.state, 'STARTING') END AS state,
       coalesce(m.members, 0) AS members, coalesce(m.unwell, 0) AS unwell, m.primary_host, coalesce(m.hosts, '{}') AS hosts, coalesce(m.regions, '{}') AS regions,
       coalesce(m.sizes, '{}') AS sizes, m.lag_bytes, coalesce(m.version, c.major_version) AS version, m.problem, c.host_label
FROM cluster c
JOIN project p ON p.id = c.project_id
JOIN organization o ON o.id = c.org_id
LEFT JOIN cluster_primary k ON k.cluster_id = c.id
LEFT JOIN (
    SELECT m.cluster_id, count(*) AS members,
           count(*) FILTER (WHERE m.desired = 'RUNNING' AND (m.problem IS NOT NULL OR m.unit <> 'active' OR m.role = 'NONE' OR m.reported_at IS NULL
                                                             OR m.reported_at < now() - interval '90 seconds')) AS unwell,
           -- The one with the highest timeline: what a host said last may be long ago.
           substr(max(to_char(coalesce(m.timeline, 0), 'FM0000000000000000000') || h.name) FILTER (WHERE m.role = 'PRIMARY' AND h.state <> 'REMOVED'), 20) AS primary_host,
           array_agg(h.name) AS hosts, array_agg(h.region) AS regions, array_agg(m.size) AS sizes,
           max(m.lag_bytes) FILTER (WHERE m.role <> 'PRIMARY' AND m.desired = 'RUNNING' AND NOT m.analytics) AS lag_bytes,
           coalesce(max(m.version) FILTER (WHERE m.role = 'PRIMARY'), max(m.version)) AS version, min(m.problem) AS problem
    FROM cluster_member m JOIN host h ON h.id = m.host_id WHERE m.desired <> 'REMOVED' GROUP BY m.cluster_id) m ON m.cluster_id = c.id;
GRANT SELECT ON fleet_cluster TO reeve_reader;
