-- An invoice with all its lines.
CREATE OR REPLACE FUNCTION invoice_whole_json(i invoice) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT invoice_json(i) || jsonb_build_object('payments', '[]'::jsonb, 'refunds', '[]'::jsonb, 'lineItems',
        (SELECT coalesce(jsonb_agg(invoice_line_json(l) ORDER BY l.day, l.cluster_id, l.sku, l.microcents, l.tags_key), '[]')
         FROM invoice_line_priced l WHERE l.invoice_id = i.id))
$$;
