-- Seats about which something is to be told.
-- scope: none, because the worker looks at those of all organizations
SELECT encode(t.id, 'hex') AS seat, encode(s.org_id, 'hex') AS organization, encode(s.project_id, 'hex') AS project, s.cluster_name, f.kind
FROM stanza_seat t
JOIN backup_stanza s ON s.id = t.stanza_id
CROSS JOIN LATERAL seat_faults(t.id) f
ORDER BY t.id, f.kind LIMIT :limit::bigint
