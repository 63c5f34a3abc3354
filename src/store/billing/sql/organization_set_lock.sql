-- Locks an organization for a reason of the operator's, or (:reason is NULL) ends such a lock; no row when that changes nothing. One that is
-- locked for an invoice is unlocked by what is noted about payments.
-- scope: organization :organization
UPDATE organization SET locked_at = CASE WHEN :reason::text IS NULL THEN NULL ELSE coalesce(locked_at, now()) END, lock_reason = :reason,
    lock_invoice = NULL
WHERE id = :organization AND lock_reason IS DISTINCT FROM :reason AND (:reason IS NOT NULL OR lock_invoice IS NULL)
RETURNING name
