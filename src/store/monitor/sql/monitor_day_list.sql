-- The days of something that a member has, oldest first: sums and counts of the metrics with these numbers, each as sum:count, separated by commas.
-- scope: project :project
SELECT (extract(epoch FROM h.at) * 1000)::bigint AS at_ms,
       (SELECT string_agg(coalesce(h.sums[n.number + 1]::text, '0') || ':' || coalesce(h.counts[n.number + 1], 0), ',' ORDER BY n.place)
        FROM unnest(string_to_array(:numbers, ',')::int[]) WITH ORDINALITY n(number, place)) AS metrics
FROM monitor_day h JOIN cluster_member m ON m.id = h.member_id JOIN cluster c ON c.id = m.cluster_id
WHERE c.project_id = :project AND h.member_id = :member AND h.scope = :scope AND h.name = :name
  AND h.at >= to_timestamp(:from_ms::bigint / 1000.0) AND h.at < to_timestamp(:to_ms::bigint / 1000.0)
ORDER BY h.at
