-- Stanzas of which it is not noted as it is whether their backups are proven in time: when two days more than the interval have gone by since the last drill that passed. What
-- nobody wants to have tried is never overdue.
-- scope: none, because the worker looks at those of all organizations
SELECT encode(x.id, 'hex') AS stanza, encode(x.org_id, 'hex') AS organization, encode(x.project_id, 'hex') AS project, x.cluster_name, x.is_overdue, x.proven
FROM (SELECT t.id, t.org_id, t.project_id, t.cluster_name, t.drill_overdue, p.proven,
             (s -> 'enabled')::boolean AND coalesce(c.document ->> 'paused', 'false') = 'false'
             AND coalesce(p.at, t.created_at) < now() - make_interval(days => (s -> 'intervalDays')::int + 2) AS is_overdue
      FROM backup_stanza t
      JOIN resource c ON c.scope = t.project_id AND c.kind IN ('cluster', 'flexCluster') AND c.id = t.cluster_id
      CROSS JOIN LATERAL drill_settings(t.project_id, t.cluster_id) s
      CROSS JOIN LATERAL (SELECT max(d.finished_at) AS at, api_date(max(d.finished_at)) AS proven FROM drill d WHERE d.stanza_id = t.id AND d.state = 'PASSED') p
      WHERE t.state = 'OPEN') x
WHERE x.is_overdue <> x.drill_overdue
ORDER BY x.id LIMIT :limit::bigint
