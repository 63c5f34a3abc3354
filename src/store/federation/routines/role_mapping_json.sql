-- How a role mapping looks in the API.
CREATE OR REPLACE FUNCTION role_mapping_json(m role_mapping) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'id', encode(m.id, 'hex'),
        'externalGroupName', m.external_group,
        'roleAssignments', (SELECT coalesce(json_agg(
                                CASE WHEN r.project_id IS NULL
                                     THEN json_build_object('orgId', encode(r.org_id, 'hex'), 'role', r.role)
                                     ELSE json_build_object('groupId', encode(r.project_id, 'hex'), 'role', r.role) END
                                ORDER BY r.project_id NULLS FIRST, r.role), '[]')
                            FROM role_mapping_role r WHERE r.org_id = m.org_id AND r.mapping_id = m.id))
$$;
