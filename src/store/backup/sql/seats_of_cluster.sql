-- Where the open history of a cluster is kept, and how that goes. Nobody waits for copies: another region may be away.
-- scope: organization :organization
SELECT t.ordinal, t.unit, t.problem, t.received_lsn IS NOT NULL AS has_received
FROM stanza_seat t JOIN backup_stanza s ON s.id = t.stanza_id
WHERE s.org_id = :organization AND s.cluster_id = :cluster AND s.state = 'OPEN' AND t.desired = 'RUNNING' AND NOT t.is_copy
ORDER BY t.ordinal
