-- The host that a certificate was signed for, and what stands against believing it.
-- scope: none, because hosts are the operator's
SELECT encode(h.id, 'hex'), h.epoch, v.version, h.state = 'REMOVED', c.revoked_at IS NOT NULL, c.not_after <= now()
FROM certificate c
JOIN host h ON h.id = decode(c.owner, 'hex')
JOIN host_goal_version v ON v.host_id = h.id
WHERE c.serial = $1 AND c.kind = 'HOST'
