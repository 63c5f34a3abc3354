-- In short form. Payments are made elsewhere: nothing is paid, credited or taxed here.
CREATE OR REPLACE FUNCTION invoice_json(i invoice) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'id', encode(i.id, 'hex'),
        'orgId', encode(i.org_id, 'hex'),
        'statusName', i.status,
        'startDate', api_date(i.began_at),
        'endDate', api_date(i.ends_at),
        'created', api_date(i.created_at),
        'updated', api_date(i.updated_at),
        'subtotalCents', total.cents,
        'amountBilledCents', total.cents,
        'amountPaidCents', 0,
        'creditsCents', 0,
        'salesTaxCents', 0,
        'startingBalanceCents', 0,
        'linkedInvoices', '[]'::jsonb)
    FROM (SELECT invoice_cents(i) AS cents) total
$$;
