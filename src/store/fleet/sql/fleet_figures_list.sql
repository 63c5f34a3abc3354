-- The figures about the fleet as they were taken last. When that is too long ago, one row says so and has no metric.
-- scope: none, because metrics are about all organizations
SELECT coalesce(f.metric, '') AS metric, coalesce(f.label_1, '') AS label_1, coalesce(f.label_2, '') AS label_2, coalesce(f.label_3, '') AS label_3,
       coalesce(f.value::text, '0') AS value, greatest(0, extract(epoch FROM now() - g.taken_at))::bigint AS age_s, g.took_ms
FROM fleet_figures g
LEFT JOIN LATERAL jsonb_to_recordset(CASE WHEN g.taken_at >= now() - make_interval(secs => :limit_s::bigint) THEN g.figures ELSE '[]' END)
     AS f (metric text, label_1 text, label_2 text, label_3 text, value numeric) ON true
