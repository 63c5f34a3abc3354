-- Histories that have ended and of which no snapshot is left: their hosts remove what there still is.
-- scope: none, because it is the service's own sweep of what tenants have given up
WITH spent AS (UPDATE backup_stanza s SET state = 'REMOVING'
               WHERE s.state = 'FROZEN' AND NOT EXISTS (SELECT FROM snapshot n WHERE n.stanza_id = s.id AND (n.hidden_at IS NULL OR n.protected_until > now()))
               RETURNING s.id)
UPDATE stanza_seat t SET desired = 'REMOVED' FROM spent s WHERE t.stanza_id = s.id
