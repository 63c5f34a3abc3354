-- Has some copies of hidden snapshots removed: leaves first, because whoever removes what others build on removes those as well. A copy on which
-- another one builds stays until the report that the other one is gone. So does what the restore window of an open stanza needs. Of copies that
-- are older than the window this is the newest, where it begins; a younger one is needed unless an older copy stays from which WAL goes on without
-- a gap, which is what its seat reports as its window. As only the first are a reason for those before, no two are each other's reason to go.
-- A seat that only keeps what it has keeps that, too, until its last moment is older than the window. Nothing goes from where a restore reads, and no snapshot that is exported.
-- scope: none, because the service sweeps what tenants have let go
UPDATE snapshot_copy o SET state = 'REMOVING' FROM (
    SELECT c.snapshot_id, c.seat_id
    FROM snapshot_copy c JOIN snapshot s ON s.id = c.snapshot_id JOIN backup_stanza t ON t.id = s.stanza_id JOIN stanza_seat e ON e.id = c.seat_id
    CROSS JOIN LATERAL (SELECT now() - seat_window_days(e, s.project_id, s.cluster_id) * interval '1 day' AS begins) w
    WHERE s.hidden_at IS NOT NULL AND c.label IS NOT NULL AND c.state IN ('COMPLETED', 'FAILED')
      AND NOT EXISTS (SELECT FROM snapshot_copy d WHERE d.seat_id = c.seat_id AND c.label = ANY (d.needs))
      AND NOT EXISTS (SELECT FROM restore_job r WHERE r.seat_id = c.seat_id AND r.finished_at IS NULL)
      AND NOT EXISTS (SELECT FROM export_job x WHERE x.snapshot_id = c.snapshot_id AND x.finished_at IS NULL)
      AND (t.state <> 'OPEN' OR (e.desired <> 'RUNNING' AND coalesce(e.window_to <= w.begins, true)) OR c.state = 'FAILED'
           OR EXISTS (SELECT FROM snapshot_copy n WHERE n.seat_id = c.seat_id AND n.state = 'COMPLETED'
                        AND CASE WHEN c.finished_at <= w.begins THEN n.finished_at > c.finished_at AND n.finished_at <= w.begins
                                 ELSE n.finished_at >= e.window_from AND n.finished_at < c.finished_at AND c.finished_at <= e.window_to END))
    ORDER BY s.hidden_at, c.snapshot_id, c.seat_id LIMIT :limit::bigint) l
WHERE o.snapshot_id = l.snapshot_id AND o.seat_id = l.seat_id
