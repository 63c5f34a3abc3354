-- Histories that have ended, of which no snapshot is left and from which nothing is restored: their hosts remove what there still is.
-- scope: none, because it is the service's own sweep of what tenants have given up
WITH spent AS (UPDATE backup_stanza s SET state = 'REMOVING'
               WHERE s.state = 'FROZEN' AND NOT EXISTS (SELECT FROM snapshot n WHERE n.stanza_id = s.id AND (n.hidden_at IS NULL OR n.protected_until > now()))
                 AND NOT EXISTS (SELECT FROM restore_job r JOIN stanza_seat t ON t.id = r.seat_id WHERE t.stanza_id = s.id AND r.finished_at IS NULL)
               RETURNING s.id)
UPDATE stanza_seat t SET desired = 'REMOVED' FROM spent s WHERE t.stanza_id = s.id
