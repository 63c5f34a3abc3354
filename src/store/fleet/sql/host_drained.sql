-- Notes that a host which was to be emptied has no members and no seats any more. One that was given up has no use for its addresses either.
-- scope: none, because hosts belong to the service
WITH empty AS (SELECT h.id, h.state FROM host h WHERE h.id = :host
                 AND NOT EXISTS (SELECT FROM cluster_member m WHERE m.host_id = h.id) AND NOT EXISTS (SELECT FROM stanza_seat t WHERE t.host_id = h.id)),
     freed AS (DELETE FROM host_address a USING empty e WHERE a.host_id = e.id AND e.state = 'REMOVED')
UPDATE host h SET state = 'DRAINED' FROM empty e WHERE h.id = e.id AND h.state = 'DRAINING'
