-- The host that a certificate was signed for, and what stands against believing it.
-- scope: none, because hosts are the operator's
SELECT encode(h.id, 'hex') AS host, h.epoch, v.version, h.state = 'REMOVED' AS is_removed, c.revoked_at IS NOT NULL AS is_revoked, c.not_after <= now() AS is_expired
FROM certificate c
JOIN host h ON h.id = decode(c.owner, 'hex')
JOIN host_goal_version v ON v.host_id = h.id
WHERE c.serial = :serial AND c.kind = 'HOST'
