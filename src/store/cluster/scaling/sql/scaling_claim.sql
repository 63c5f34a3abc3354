-- Takes clusters to look at them: each is taken by one worker, and not again before its time.
-- scope: none, because the service looks at the clusters of all organizations
UPDATE cluster_scaling s SET looked_at = to_timestamp(:now_ms::bigint / 1000.0)
FROM (SELECT t.cluster_id FROM cluster_scaling t
      WHERE t.cluster_id IN (SELECT decode(x, 'hex') FROM unnest(:clusters::text[]) x) AND t.looked_at <= to_timestamp(:before_ms::bigint / 1000.0)
      ORDER BY t.cluster_id FOR NO KEY UPDATE SKIP LOCKED) due
WHERE s.cluster_id = due.cluster_id
RETURNING encode(s.cluster_id, 'hex') AS cluster
