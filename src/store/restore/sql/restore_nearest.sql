-- What can be restored of a cluster and is nearest to a moment, or to a place in its WAL, on each side of it: "… or …" between two pieces. NULL: nothing can.
-- scope: project :project
SELECT string_agg(CASE WHEN :lsn::pg_lsn IS NULL THEN api_date(n.at) ELSE n.lsn::text END, ' or ' ORDER BY n.is_later) AS nearest
FROM (SELECT DISTINCT ON (p.is_later) p.*
      FROM (SELECT q.*, CASE WHEN :lsn::pg_lsn IS NULL THEN q.at > to_timestamp(:moment_ms::bigint / 1000.0) ELSE q.lsn > :lsn::pg_lsn END AS is_later
            FROM (SELECT least(greatest(to_timestamp(:moment_ms::bigint / 1000.0), date_trunc('second', c.finished_at) + interval '1 second'), date_trunc('second', w.to_at)) AS at,
                         least(greatest(:lsn::pg_lsn, c.stop_lsn), w.to_lsn) AS lsn
                  FROM backup_stanza s
                  JOIN stanza_seat t ON t.stanza_id = s.id
                  JOIN snapshot_copy c ON c.seat_id = t.id
                  JOIN wal_span w ON w.seat_id = t.id AND w.from_lsn <= c.start_lsn AND w.to_lsn >= c.stop_lsn AND w.to_at > c.finished_at + interval '1 second'
                  WHERE s.project_id = :project AND s.cluster_id = :cluster AND s.state <> 'REMOVING' AND t.desired <> 'REMOVED' AND c.state = 'COMPLETED') q) p
      ORDER BY p.is_later, CASE WHEN :lsn::pg_lsn IS NULL THEN abs(extract(epoch FROM p.at) - :moment_ms::bigint / 1000.0) ELSE abs(p.lsn - :lsn::pg_lsn) END) n
