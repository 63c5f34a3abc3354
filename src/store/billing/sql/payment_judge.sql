-- Locks an organization for what is overdue, or unlocks it when nothing is any more; what the operator locked stays locked. No row when
-- that changes nothing.
-- scope: organization :organization
UPDATE organization o
SET locked_at = CASE WHEN j.overdue IS NULL THEN NULL ELSE coalesce(o.locked_at, now()) END,
    lock_invoice = j.overdue,
    lock_reason = 'invoice ' || encode(j.overdue, 'hex') || ' of ' ||
                  (SELECT to_char(i.began_at AT TIME ZONE 'UTC', 'YYYY-MM') FROM invoice i WHERE i.id = j.overdue) || ' is not paid'
FROM (SELECT invoice_overdue(:organization, :days::int, billing_now()) AS overdue) j
WHERE o.id = :organization AND (o.locked_at IS NULL OR o.lock_invoice IS NOT NULL) AND o.lock_invoice IS DISTINCT FROM j.overdue
RETURNING o.lock_reason
