-- What the certificate of a gate must say, when it is on this host: the target's authority signs it.
-- scope: none, because hosts are the operator's and keep backups of many organizations
SELECT encode(c.id, 'hex') AS cluster, c.set_name, host(h.address) AS address
FROM restore_job r
JOIN host h ON h.id = r.host_id
JOIN stanza_seat t ON t.id = r.seat_id AND t.host_id = r.host_id
JOIN cluster c ON c.id = r.target_id
WHERE r.host_id = :host AND r.id = :restore AND r.gate_port IS NOT NULL AND t.desired <> 'REMOVED'
