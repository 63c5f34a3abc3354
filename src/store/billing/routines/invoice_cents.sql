-- What an invoice comes to; of one that is open, until now.
CREATE OR REPLACE FUNCTION invoice_cents(i invoice) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(i.subtotal_cents, (SELECT billing_cents(coalesce(sum(l.seconds::numeric * l.microcents), 0))
                                       FROM invoice_line l WHERE l.invoice_id = i.id))
$$;
