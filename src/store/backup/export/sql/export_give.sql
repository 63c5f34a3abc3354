-- Each repository host that runs neither a drill nor an export is told of an export whose snapshot it has. Projects take turns, so that one with many clusters does not
-- keep others waiting; of a project, those come first that somebody asked for, then the one that waits longest. Of several seats that have a snapshot one whose host can be heard.
-- scope: none, because the worker gives those of all organizations
WITH possible AS (
    SELECT DISTINCT ON (x.id) x.id, x.project_id, x.origin, x.created_at, e.id AS seat_id, e.host_id
    FROM export_job x
    JOIN snapshot_copy c ON c.snapshot_id = x.snapshot_id AND c.state = 'COMPLETED' AND c.label IS NOT NULL
    JOIN stanza_seat e ON e.id = c.seat_id AND e.desired <> 'REMOVED'
    JOIN drill_free_hosts() f ON f.host_id = e.host_id
    WHERE x.state = 'QUEUED'
    ORDER BY x.id, seat_is_silent(e), e.is_copy, e.ordinal
), turn AS (
    SELECT w.project_id, (SELECT max(g.given_at) FROM export_job g WHERE g.project_id = w.project_id) AS last_at
    FROM (SELECT DISTINCT p.project_id FROM possible p) w
), chosen AS (
    SELECT DISTINCT ON (p.host_id) p.* FROM possible p JOIN turn w ON w.project_id = p.project_id
    ORDER BY p.host_id, w.last_at NULLS FIRST, p.origin <> 'ON_DEMAND', p.created_at, p.id
)
UPDATE export_job x SET state = 'WAITING', seat_id = c.seat_id, given_at = now()
FROM chosen c WHERE x.id = c.id AND x.state = 'QUEUED'
RETURNING encode(x.id, 'hex') AS export
