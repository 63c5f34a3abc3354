-- Notes that an event says whether there is a file; nothing when one did before.
-- scope: organization :organization
UPDATE download d SET told_at = now() WHERE d.org_id = :organization AND d.restore_id = :restore AND d.told_at IS NULL RETURNING encode(d.restore_id, 'hex') AS restore
