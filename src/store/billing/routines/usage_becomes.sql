-- Ends the span that goes on and begins another one in the same second, when there is a difference. Time that was billed
-- is over, whatever the clock says: so nothing is counted twice when it goes back, or when a transaction takes long.
CREATE OR REPLACE FUNCTION usage_becomes(p_member cluster_member, p_unit text, p_sku text, p_amount bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_open usage_span;
    v_now timestamptz;
BEGIN
    SELECT * INTO v_open FROM usage_span s WHERE s.member_id = p_member.id AND s.unit = p_unit AND s.ended_at IS NULL FOR UPDATE;
    IF (v_open.org_id, v_open.sku, v_open.amount) IS NOT DISTINCT FROM
       (CASE WHEN p_sku IS NOT NULL THEN p_member.org_id END, p_sku, CASE WHEN p_sku IS NOT NULL THEN p_amount END) THEN
        RETURN;
    END IF;
    v_now := greatest(billing_now(), v_open.billed_until,
                      (SELECT max(s.ended_at) FROM usage_span s WHERE s.member_id = p_member.id AND s.unit = p_unit));
    IF v_open.began_at = v_now THEN
        DELETE FROM usage_span s WHERE s.id = v_open.id;
    ELSIF v_open.id IS NOT NULL THEN
        UPDATE usage_span s SET ended_at = v_now WHERE s.id = v_open.id;
    END IF;
    IF p_sku IS NOT NULL THEN
        INSERT INTO usage_span (org_id, project_id, project_name, cluster_id, cluster_name, member_id, unit, sku, amount, began_at, billed_until)
            SELECT p_member.org_id, c.project_id, coalesce(p.name, ''), c.id, c.name, p_member.id, p_unit, p_sku, p_amount, v_now, v_now
            FROM cluster c LEFT JOIN project p ON p.id = c.project_id WHERE c.id = p_member.cluster_id;
    END IF;
END $$;
REVOKE ALL ON FUNCTION usage_becomes(cluster_member, text, text, bigint) FROM PUBLIC;
