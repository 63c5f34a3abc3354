-- What somebody is called where these organizations look. The account's own names count where the person said nothing: members that were
-- there before this version, and those that nodes of the version before add.
CREATE OR REPLACE FUNCTION person_names(p_person bytea, p_organizations bytea[]) RETURNS TABLE (first_name text, last_name text, country text)
LANGUAGE sql STABLE AS $$
    SELECT coalesce(m.first_name, n.first_name), coalesce(m.last_name, n.last_name),
           CASE WHEN m.org_id IS NULL THEN n.country ELSE m.country END
    FROM person n
    LEFT JOIN LATERAL (SELECT x.org_id, x.first_name, x.last_name, x.country FROM member_name x
                       WHERE x.person_id = n.id AND x.org_id = ANY (p_organizations) ORDER BY x.org_id LIMIT 1) m ON true
    WHERE n.id = p_person
$$;
