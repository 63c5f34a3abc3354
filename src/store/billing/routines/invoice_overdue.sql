-- The oldest invoice of the organization that is overdue; NULL: none. With 0 days nothing ever is.
CREATE OR REPLACE FUNCTION invoice_overdue(p_org bytea, p_days int, p_now timestamptz) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT i.id FROM invoice_owed i JOIN organization o ON o.id = i.org_id
    WHERE i.org_id = p_org AND p_days > 0 AND i.closed_at + make_interval(days => p_days) <= p_now
      AND coalesce(o.payment_agreed_until, '-infinity') <= p_now
    ORDER BY i.began_at LIMIT 1
$$;
