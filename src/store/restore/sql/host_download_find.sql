-- What the certificate of a download must say, when it is on this host.
-- scope: none, because hosts are the operator's and keep backups of many organizations
SELECT encode(d.restore_id, 'hex') AS restore, host(h.address) AS address
FROM download d JOIN host h ON h.id = d.host_id
WHERE d.host_id = :host AND d.restore_id = :restore AND d.ended_at IS NULL
