-- Nobody can fetch a download any more. Nothing when it has ended already.
-- scope: organization :organization
WITH ended AS (UPDATE download d SET ended_at = now() WHERE d.org_id = :organization AND d.restore_id = :restore AND d.ended_at IS NULL RETURNING d.restore_id)
UPDATE restore_job r SET state = 'CANCELLED', cancelled_at = now(), finished_at = coalesce(r.finished_at, now())
FROM ended e WHERE r.org_id = :organization AND r.id = e.restore_id
RETURNING encode(r.id, 'hex') AS restore
