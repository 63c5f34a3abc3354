-- Organizations behind :after whose lock is not what invoices that are due :days days after they were closed ask for.
-- scope: none, because the worker looks for those of all organizations and judges each in a transaction of its own
SELECT encode(o.id, 'hex') AS organization
FROM (SELECT i.org_id FROM invoice_owed i WHERE :days::int > 0 AND i.closed_at + make_interval(days => :days::int) <= billing_now()
      UNION
      SELECT l.id FROM organization l WHERE l.lock_invoice IS NOT NULL) d
JOIN organization o ON o.id = d.org_id
WHERE o.id > :after AND (o.locked_at IS NULL OR o.lock_invoice IS NOT NULL)
  AND o.lock_invoice IS DISTINCT FROM invoice_overdue(o.id, :days::int, billing_now())
ORDER BY o.id LIMIT 100
