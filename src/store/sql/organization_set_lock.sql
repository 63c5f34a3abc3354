-- Locks an organization for a reason, or ($2 is NULL) unlocks it; no row when that changes nothing.
-- scope: organization $1
UPDATE organization SET locked_at = CASE WHEN $2::text IS NULL THEN NULL ELSE coalesce(locked_at, now()) END, lock_reason = $2
WHERE id = $1 AND lock_reason IS DISTINCT FROM $2
RETURNING name
