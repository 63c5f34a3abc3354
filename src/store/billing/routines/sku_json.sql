-- The price that is in force; of an item that is new, the one that will be.
CREATE OR REPLACE FUNCTION sku_json(s sku) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'id', s.id,
        'description', s.description,
        'unit', CASE WHEN s.id = 'DISK_GB' THEN 'GB hours' ELSE 'member hours' END,
        'unitPriceDollars', billing_number(coalesce(
            (SELECT p.microcents FROM price p WHERE p.sku = s.id AND p.valid_from <= now() ORDER BY p.valid_from DESC LIMIT 1),
            (SELECT p.microcents FROM price p WHERE p.sku = s.id ORDER BY p.valid_from LIMIT 1), 0) / 100000000.0))
$$;
