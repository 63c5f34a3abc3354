-- Invoices that nobody paid, the oldest first, with when they are due: :days days after they were closed, or when what was agreed ends.
-- scope: none, because the operator sees them all
SELECT coalesce(json_agg(json_build_object(
    'invoiceId', encode(i.id, 'hex'), 'orgId', encode(i.org_id, 'hex'), 'name', o.name,
    'month', to_char(i.began_at AT TIME ZONE 'UTC', 'YYYY-MM'), 'amountCents', i.subtotal_cents,
    'due', CASE WHEN :days::int > 0 THEN api_date(greatest(i.closed_at + make_interval(days => :days::int), o.payment_agreed_until)) END,
    'locked', o.locked_at IS NOT NULL) ORDER BY i.closed_at, i.id), '[]')::text AS list
FROM invoice_owed i JOIN organization o ON o.id = i.org_id
