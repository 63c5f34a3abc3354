-- Each repository host that runs no drill is told of one: those that somebody asked for first, then the one that waits longest. Of several places that keep
-- a stanza, another one each time, but none whose host says nothing while another one does.
-- scope: none, because the worker gives those of all organizations
WITH possible AS (
    SELECT DISTINCT ON (d.id) d.id, d.origin, d.requested_at, d.stanza_id, e.id AS seat_id, e.host_id
    FROM drill d
    JOIN stanza_seat e ON e.stanza_id = d.stanza_id AND e.desired <> 'REMOVED'
    JOIN drill_free_hosts() f ON f.host_id = e.host_id
    WHERE d.state = 'QUEUED'
    ORDER BY d.id, e.desired <> 'RUNNING', seat_is_silent(e), (SELECT max(o.requested_at) FROM drill o WHERE o.seat_id = e.id) NULLS FIRST, e.ordinal
), chosen AS (
    SELECT DISTINCT ON (p.host_id) p.* FROM possible p ORDER BY p.host_id, p.origin <> 'ON_DEMAND', p.requested_at, p.id
)
UPDATE drill d SET state = 'WAITING', seat_id = c.seat_id, given_at = now(), assertions = coalesce(w.settings -> 'assertions', '[]')
FROM chosen c LEFT JOIN drill_wanted() w ON w.stanza_id = c.stanza_id
WHERE d.id = c.id AND d.state = 'QUEUED'
RETURNING encode(d.id, 'hex') AS drill
