-- Makes the day of a member that has this moment in it, from its hours.
-- scope: none, because days are made for everybody
INSERT INTO monitor_day (member_id, scope, name, at, sums, counts)
SELECT s.member_id, s.scope, s.name, s.day, array_agg(s.total ORDER BY s.number), array_agg(s.points ORDER BY s.number)
FROM (SELECT h.member_id, h.scope, h.name, date_trunc('day', h.at AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' AS day, n.number, sum(n.total) AS total, sum(n.points)::integer AS points
      FROM monitor_hour h CROSS JOIN LATERAL unnest(h.sums, h.counts) WITH ORDINALITY n(total, points, number)
      WHERE h.member_id = :member
        AND h.at >= date_trunc('day', to_timestamp(:at_ms::bigint / 1000.0) AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
        AND h.at < date_trunc('day', to_timestamp(:at_ms::bigint / 1000.0) AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + interval '1 day'
      GROUP BY h.member_id, h.scope, h.name, day, n.number) s
GROUP BY s.member_id, s.scope, s.name, s.day
ON CONFLICT (member_id, scope, name, at) DO UPDATE SET sums = excluded.sums, counts = excluded.counts
