-- A restore begins with the copy at another seat. Nothing when its members were told something already. The gate is opened anew.
-- scope: organization :organization
UPDATE restore_job r SET seat_id = t.id, host_id = t.host_id, stanza = s.name, label = :label, point_timeline = :timeline::bigint,
                         gate_port = NULL, gate_state = NULL, gate_problem = NULL
FROM stanza_seat t JOIN backup_stanza s ON s.id = t.stanza_id
WHERE r.org_id = :organization AND r.id = :restore AND r.phase IS NULL AND t.org_id = :organization AND t.id = :seat
