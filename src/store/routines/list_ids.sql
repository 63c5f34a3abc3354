-- The ids of a list from one anchor to before another (NULL: to the end), in order.
CREATE OR REPLACE FUNCTION list_ids(p_scope bytea, p_kind text, p_from bytea, p_to bytea) RETURNS SETOF bytea
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF p_kind = 'project' THEN
        RETURN QUERY SELECT p.id::bytea FROM project p
            WHERE p.org_id = p_scope AND p.id >= p_from AND (p_to IS NULL OR p.id < p_to) ORDER BY p.id;
    ELSE
        RETURN QUERY SELECT r.id::bytea FROM resource r
            WHERE r.scope = p_scope AND r.kind = p_kind AND r.id >= p_from AND (p_to IS NULL OR r.id < p_to) ORDER BY r.id;
    END IF;
END $$;
