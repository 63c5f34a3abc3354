-- How a line of an invoice looks in the API.
CREATE OR REPLACE FUNCTION invoice_line_json(l invoice_line_priced) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'clusterName', l.cluster_name,
        'groupId', encode(l.project_id, 'hex'),
        'groupName', l.project_name,
        'sku', l.sku,
        'startDate', to_char(l.day, 'YYYY-MM-DD"T00:00:00Z"'),
        'endDate', to_char(l.day + 1, 'YYYY-MM-DD"T00:00:00Z"'),
        'created', api_date(l.created_at),
        'unit', l.unit,
        'quantity', billing_number(l.seconds / 3600.0),
        'unitPriceDollars', billing_number(l.microcents / 100000000.0),
        'totalPriceCents', l.cents,
        'tags', l.tags)
$$;
