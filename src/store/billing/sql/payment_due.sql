-- Organizations behind $1 whose lock is not what invoices that are due $2 days after they were closed ask for.
-- scope: none, because the worker looks for those of all organizations and judges each in a transaction of its own
SELECT encode(o.id, 'hex')
FROM (SELECT i.org_id FROM invoice_owed i WHERE $2::int > 0 AND i.closed_at + make_interval(days => $2::int) <= billing_now()
      UNION
      SELECT l.id FROM organization l WHERE l.lock_invoice IS NOT NULL) d
JOIN organization o ON o.id = d.org_id
WHERE o.id > $1 AND (o.locked_at IS NULL OR o.lock_invoice IS NOT NULL)
  AND o.lock_invoice IS DISTINCT FROM invoice_overdue(o.id, $2::int, billing_now())
ORDER BY o.id LIMIT 100
