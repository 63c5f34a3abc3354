-- Has some copies of hidden snapshots removed: leaves first, because whoever removes what others build on removes those as well. A copy on which
-- another one builds stays until the report that the other one is gone. So does the newest copy that is older than the restore window of an open
-- stanza: the window begins there.
-- scope: none, because the service sweeps what tenants have let go
UPDATE snapshot_copy o SET state = 'REMOVING' FROM (
    SELECT c.snapshot_id, c.seat_id
    FROM snapshot_copy c JOIN snapshot s ON s.id = c.snapshot_id JOIN backup_stanza t ON t.id = s.stanza_id
    WHERE s.hidden_at IS NOT NULL AND c.label IS NOT NULL AND c.state IN ('COMPLETED', 'FAILED')
      AND NOT EXISTS (SELECT FROM snapshot_copy d WHERE d.seat_id = c.seat_id AND c.label = ANY (d.needs))
      AND (t.state <> 'OPEN' OR c.state = 'FAILED'
           OR EXISTS (SELECT FROM snapshot_copy n WHERE n.seat_id = c.seat_id AND n.state = 'COMPLETED' AND n.finished_at > c.finished_at
                        AND n.finished_at <= now() - backup_window_days(s.project_id, s.cluster_id) * interval '1 day'))
    ORDER BY s.hidden_at, c.snapshot_id, c.seat_id LIMIT :limit::bigint) l
WHERE o.snapshot_id = l.snapshot_id AND o.seat_id = l.seat_id
