-- From when on a project or a cluster has these tags: one that is new from the hour in which it began, any other from the next
-- full hour. A project that moves within an hour so brings nothing of its new organization to the hour that the old one pays for.
CREATE OR REPLACE FUNCTION usage_tags_become(p_org bytea, p_owner bytea, p_tags jsonb, p_is_new boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_from timestamptz := billing_hour(billing_now()) + CASE WHEN p_is_new THEN interval '0 hours' ELSE interval '1 hour' END;
BEGIN
    -- What was said for hours that are still to come is not in force any more, and never was.
    DELETE FROM usage_tags t WHERE t.owner_id = p_owner AND t.valid_from >= v_from;
    UPDATE usage_tags t SET replaced_at = v_from WHERE t.owner_id = p_owner AND (t.replaced_at IS NULL OR t.replaced_at > v_from);
    IF jsonb_typeof(p_tags) = 'array' AND p_tags <> '[]' THEN
        INSERT INTO usage_tags (owner_id, org_id, valid_from, tags) VALUES (p_owner, p_org, v_from, p_tags);
    END IF;
END $$;
REVOKE ALL ON FUNCTION usage_tags_become(bytea, bytea, jsonb, boolean) FROM PUBLIC;
