-- Locks an organization for a reason of the operator's, or ($2 is NULL) ends such a lock; no row when that changes nothing. One that is
-- locked for an invoice is unlocked by what is noted about payments.
-- scope: organization $1
UPDATE organization SET locked_at = CASE WHEN $2::text IS NULL THEN NULL ELSE coalesce(locked_at, now()) END, lock_reason = $2,
    lock_invoice = NULL
WHERE id = $1 AND lock_reason IS DISTINCT FROM $2 AND ($2 IS NOT NULL OR lock_invoice IS NULL)
RETURNING name
