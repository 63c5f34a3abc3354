-- Clusters that change their size by themselves and were not looked at since, those that wait for longest first, with what is known of them.
-- scope: none, because the worker looks at the clusters of all organizations and changes each in a transaction of its own
SELECT encode(c.id, 'hex') AS cluster, encode(c.org_id, 'hex') AS organization, encode(c.project_id, 'hex') AS project, r.name AS cluster_name, r.state,
       jsonb_build_object('replicationSpecs', r.document -> 'replicationSpecs', 'paused', r.document -> 'paused')::text AS document,
       md5((r.document -> 'replicationSpecs')::text) AS hash, s.seen, floor(extract(epoch FROM s.changed_at) * 1000)::bigint AS changed_ms,
       s.found::text AS found, s.told::text AS told, o.locked_at IS NOT NULL AS is_locked,
       EXISTS (SELECT FROM job j WHERE j.subject = c.id AND j.state IN ('QUEUED', 'RUNNING') AND j.step <> 'wait-window') AS is_busy,
       EXISTS (SELECT FROM job j WHERE j.subject = c.id AND j.state IN ('QUEUED', 'RUNNING') AND j.step = 'wait-window') AS is_waiting
FROM (SELECT * FROM cluster_scaling WHERE is_on AND looked_at <= to_timestamp(:before_ms::bigint / 1000.0) ORDER BY looked_at, cluster_id LIMIT :limit::bigint) s
JOIN cluster c ON c.id = s.cluster_id
JOIN resource r ON r.scope = c.project_id AND r.kind = 'cluster' AND r.id = c.id
JOIN organization o ON o.id = c.org_id
ORDER BY s.looked_at, s.cluster_id
