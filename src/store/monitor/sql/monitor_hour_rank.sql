-- The tables of a member by what they did in these hours, the busiest first: the sum of the metric with this number.
-- scope: project :project
SELECT h.name, sum(h.sums[:number::int + 1]) AS total
FROM monitor_hour h JOIN cluster_member m ON m.id = h.member_id JOIN cluster c ON c.id = m.cluster_id
WHERE c.project_id = :project AND h.member_id = :member AND h.scope = 't' AND h.sums[:number::int + 1] > 0
  AND h.at >= to_timestamp(:from_ms::bigint / 1000.0) AND h.at < to_timestamp(:to_ms::bigint / 1000.0)
GROUP BY h.name ORDER BY total DESC, h.name LIMIT :limit::bigint
