-- Roles in the organization; an invitation without any makes a member.
CREATE OR REPLACE FUNCTION member_org_roles_json(p_org bytea, p_member bytea) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN i.id IS NOT NULL AND json_array_length(roles) = 0 THEN '["ORG_MEMBER"]'::json ELSE roles END
    FROM member_roles_json(p_org, p_member, NULL) roles
    LEFT JOIN invitation i ON i.org_id = p_org AND i.id = p_member
$$;
