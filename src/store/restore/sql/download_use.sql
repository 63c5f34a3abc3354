-- Notes that a download was fetched; nothing when it was before.
-- scope: organization :organization
UPDATE download d SET used_at = now() WHERE d.org_id = :organization AND d.restore_id = :restore AND d.used_at IS NULL RETURNING encode(d.restore_id, 'hex') AS restore
