-- What the certificate of a seat must say, when it is on this host and the cluster is still there to be backed up.
-- scope: none, because hosts are the operator's and keep backups of many organizations
SELECT encode(c.id, 'hex') AS cluster, c.set_name, host(h.address) AS address
FROM stanza_seat t
JOIN host h ON h.id = t.host_id
JOIN backup_stanza s ON s.id = t.stanza_id
JOIN cluster c ON c.id = s.cluster_id
WHERE t.host_id = :host AND t.id = :seat AND t.desired = 'RUNNING'
