-- The backup with which a restore of a cluster to that point begins: of the newest history that reaches the point, the one from which least is left to be replayed. Of
-- several seats that have it one that can be read from now, and for the latest moment the one that has received most.
-- The latest moment is that of the newest history only, and of WAL that goes on: what is behind a gap is later than what is before it. No row: nothing reaches it. WAL before a gap ends on a timeline of its own; where there is none it has
-- those that follow, also one that was begun a moment ago and of which no segment is whole yet. Spans that follow one another without a gap differ in what the clock said.
-- scope: project :project
SELECT s.name AS stanza, encode(t.id, 'hex') AS seat, c.label, CASE WHEN :point::text IN ('TIME', 'LSN') THEN seat_timeline_before_gap(t.id, w.ordinal) END AS timeline, c.size_bytes,
       s.major_version, seat_is_silent(t) AS is_silent
FROM backup_stanza s
JOIN stanza_seat t ON t.stanza_id = s.id
JOIN snapshot_copy c ON c.seat_id = t.id
JOIN snapshot n ON n.id = c.snapshot_id
LEFT JOIN wal_span w ON w.seat_id = t.id AND w.from_lsn <= c.start_lsn AND w.to_lsn >= c.stop_lsn
WHERE s.project_id = :project AND s.cluster_id = :cluster AND s.state <> 'REMOVING' AND t.desired <> 'REMOVED' AND c.state = 'COMPLETED' AND c.label IS NOT NULL
  AND CASE :point::text
      WHEN 'SNAPSHOT' THEN n.id = :snapshot::bytea AND n.hidden_at IS NULL
      WHEN 'TIME' THEN c.finished_at <= to_timestamp(:moment_ms::bigint / 1000.0) AND w.to_at >= to_timestamp(:moment_ms::bigint / 1000.0)
      WHEN 'LSN' THEN c.stop_lsn <= :lsn::pg_lsn AND w.to_lsn >= :lsn::pg_lsn
      ELSE w.ordinal IS NOT NULL AND w.ended_by IS NULL AND (t.desired = 'RUNNING' OR s.state <> 'OPEN') AND s.incarnation = (SELECT max(i.incarnation) FROM backup_stanza i
                                                      WHERE i.project_id = :project AND i.cluster_id = :cluster AND i.state <> 'REMOVING') END
ORDER BY s.incarnation DESC, seat_is_silent(t), CASE WHEN :point::text = 'LATEST' THEN t.timeline END DESC NULLS LAST,
         CASE WHEN :point::text = 'LATEST' THEN t.received_lsn END DESC NULLS LAST, t.is_copy, t.ordinal, w.ordinal DESC NULLS LAST, c.finished_at DESC LIMIT 1
