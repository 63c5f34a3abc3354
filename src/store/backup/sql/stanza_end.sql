-- Ends the open history of a cluster: what was kept can only be read from now on.
-- scope: organization :organization
WITH ended AS (UPDATE backup_stanza s SET state = 'FROZEN', frozen_at = now()
               WHERE s.org_id = :organization AND s.cluster_id = :cluster AND s.state = 'OPEN'
               RETURNING s.id)
UPDATE stanza_seat t SET desired = 'FROZEN' FROM ended e WHERE t.org_id = :organization AND t.stanza_id = e.id AND t.desired = 'RUNNING'
