-- Whether a member is one of these processes: "orders-abc123-1.4kq9x.example.org:5432", or its address.
CREATE OR REPLACE FUNCTION advisor_is_process(p_member member_advice, p_processes jsonb) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM jsonb_array_elements_text(p_processes) p
                   WHERE substring(p from ':([0-9]+)$')::bigint = p_member.port
                     AND (starts_with(lower(p), p_member.name || '.') OR starts_with(lower(p), p_member.name || ':') OR starts_with(p, p_member.address || ':')))
$$;
