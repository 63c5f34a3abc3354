-- Seats of a history that goes on elsewhere, which have no snapshot left that somebody sees or that is protected, no moment of the restore window, and from which nothing is restored: their hosts
-- remove what there still is.
-- scope: none, because it is the service's own sweep of what tenants have given up
UPDATE stanza_seat t SET desired = 'REMOVED' FROM backup_stanza s
WHERE s.id = t.stanza_id AND s.state = 'OPEN' AND t.desired = 'FROZEN'
  AND EXISTS (SELECT FROM stanza_seat o WHERE o.stanza_id = t.stanza_id AND o.desired = 'RUNNING')
  AND coalesce(t.window_to <= now() - seat_window_days(t, s.project_id, s.cluster_id) * interval '1 day', true)
  AND NOT EXISTS (SELECT FROM snapshot_copy c JOIN snapshot n ON n.id = c.snapshot_id
                  WHERE c.seat_id = t.id AND c.state <> 'FAILED' AND (n.hidden_at IS NULL OR n.protected_until > now()))
  AND NOT EXISTS (SELECT FROM restore_job r WHERE r.seat_id = t.id AND r.finished_at IS NULL)
