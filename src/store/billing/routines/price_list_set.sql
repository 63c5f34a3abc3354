-- Makes the price list what the file says; how many items were added, changed or taken away.
CREATE OR REPLACE FUNCTION price_list_set(p_items jsonb, p_now timestamptz) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_next timestamptz := billing_hour(p_now) + interval '1 hour';
    v_texts bigint;
    v_prices bigint;
BEGIN
    IF reeve_is_service() IS NOT TRUE THEN
        RAISE EXCEPTION 'prices are set by the service only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    LOCK TABLE sku IN SHARE ROW EXCLUSIVE MODE;
    WITH said AS (SELECT s.* FROM jsonb_to_recordset(p_items) AS s(id text, description text)),
    added AS (
        INSERT INTO sku AS k (id, description, offered) SELECT s.id, s.description, true FROM said s
        ON CONFLICT (id) DO UPDATE SET description = excluded.description, offered = true
        WHERE (k.description, k.offered) IS DISTINCT FROM (excluded.description, true)
        RETURNING id),
    gone AS (
        UPDATE sku k SET offered = false WHERE k.offered AND NOT EXISTS (SELECT FROM said s WHERE s.id = k.id) RETURNING id)
    SELECT (SELECT count(*) FROM added) + (SELECT count(*) FROM gone) INTO v_texts;
    WITH wanted AS (
        SELECT k.id, coalesce(s.microcents, 0) AS microcents
        FROM sku k LEFT JOIN jsonb_to_recordset(p_items) AS s(id text, microcents bigint) ON s.id = k.id),
    changed AS (
        INSERT INTO price AS p (sku, valid_from, microcents)
        SELECT w.id, v_next, w.microcents FROM wanted w
        WHERE w.microcents IS DISTINCT FROM
              (SELECT l.microcents FROM price l WHERE l.sku = w.id ORDER BY l.valid_from DESC LIMIT 1)
        ON CONFLICT (sku, valid_from) DO UPDATE SET microcents = excluded.microcents
        RETURNING sku)
    SELECT count(*) INTO v_prices FROM changed;
    RETURN v_texts + v_prices;
END $$;
REVOKE ALL ON FUNCTION price_list_set(jsonb, timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION price_list_set(jsonb, timestamp with time zone) TO reeve_tenant;
